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
