"""What the scripts of this folder share: running Ingot on a case, runs in turn, the ratio."""

import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INGOT = os.environ.get("INGOT", os.path.join(ROOT, "build", "ingot"))


def command(words, folder, threads=1):
    """Runs a program in a folder; returns seconds of wall clock and of processor time, and what it printed."""
    env = dict(os.environ, OMP_NUM_THREADS=str(threads))
    before, start = os.times(), time.perf_counter()
    done = subprocess.run(words, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wall, after = time.perf_counter() - start, os.times()
    if done.returncode:
        sys.exit("%s ended with %d:\n%s" % (" ".join(words), done.returncode, done.stdout[-2000:]))
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, cpu, done.stdout


def bar(n):
    """A bar of 1 x 0.1 x 0.1 m, n cells long and a tenth of them across, numbered from 1 along z first: rows of nodes
    (number, x, y, z) and of elements (number, eight corners), the nodes of its far end and of its near one."""
    k = max(n // 10, 1)
    node = lambda x, y, z: 1 + z + (k + 1) * (y + (k + 1) * x)
    nodes = [
        (node(x, y, z), x / n, 0.1 * y / k, 0.1 * z / k) for x in range(n + 1) for y in range(k + 1) for z in range(k + 1)
    ]
    elements = []
    for x in range(n):
        for y in range(k):
            for z in range(k):
                ring = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)]
                corner = [node(a, b, z) for a, b in ring] + [node(a, b, z + 1) for a, b in ring]
                elements.append([len(elements) + 1] + corner)
    end = lambda x: [node(x, y, z) for y in range(k + 1) for z in range(k + 1)]
    return nodes, elements, end(n), end(0)


class Ingot:
    """One run of a case: seconds of the command, summary.json, rows of history.csv by column."""

    def __init__(self, case, folder, backend="cpu", threads=1):
        path, out = os.path.join(folder, "case.yaml"), os.path.join(folder, "ingot-out")
        with open(path, "w") as f:
            f.write(case)
        words = [INGOT, "run", path, "-q", "-b", backend, "-t", str(threads), "-o", out, "--force"]
        self.wall, self.cpu, _ = command(words, folder, threads)
        with open(os.path.join(out, "summary.json")) as f:
            self.summary = json.load(f)
        with open(os.path.join(out, "history.csv")) as f:
            rows = [line.strip().split(",") for line in f if not line.startswith("#")]
        columns = [c.split(" [")[0].strip('"') for c in rows[0]]
        self.rows = [dict(zip(columns, map(float, row))) for row in rows[1:]]
        self.first, self.last = self.rows[0], self.rows[-1]
        self.solve, self.steps = self.summary["seconds"]["solve"], self.summary["steps"]

    def at(self, time, column):
        """Between two rows; the last step may go beyond the end asked for."""
        for a, b in zip(self.rows, self.rows[1:]):
            if a["time"] <= time <= b["time"]:
                return a[column] + (b[column] - a[column]) * (time - a["time"]) / (b["time"] - a["time"])
        return self.last[column]


def folder():
    return tempfile.TemporaryDirectory(prefix="peers-")


def agree(what, ours, theirs, within):
    """Both have computed the same thing, or the ratio of their times means nothing."""
    off = abs(ours - theirs)
    print("  %-28s ingot %.7g, peer %.7g, apart by %.2g (allowed: %.2g)" % (what, ours, theirs, off, within))
    if not off <= within:
        sys.exit("  FAILED: the answers differ")


def ratio(problem, peer, theirs, ours, unit):
    """theirs, ours: what each of the alternating runs took; the best of each counts."""
    t, o = min(theirs), min(ours)
    spread = lambda x: "%.3g to %.3g" % (min(x), max(x))
    print("  %s\n  %-12s %s %s\n  %-12s %s %s\n  RATIO %s / ingot = %.1f\n" % (
        problem, peer, spread(theirs), unit, "ingot", spread(ours), unit, peer, t / o))
