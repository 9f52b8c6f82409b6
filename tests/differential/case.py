"""Cases as Python data: written as YAML, run by the program, read back as figures."""
import csv
import json
import os
import shutil
import subprocess


class Refused(Exception):
    """The program refused a case (exit code 2) or failed on it (any other): text has its last line."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code
        self.text = text


class Program:
    """The program under test, its working folder and how many times it has run."""

    def __init__(self, binary, folder, timeout=120):
        self.binary = os.path.abspath(binary)
        self.folder = folder
        self.timeout = timeout
        self.runs = 0
        os.makedirs(folder, exist_ok=True)

    def write(self, case, name):
        path = os.path.join(self.folder, name + ".yaml")
        with open(path, "w") as f:
            for key, value in case.items():
                f.write("%s: %s\n" % (key, json.dumps(value)))  # flow style: JSON is YAML
        return path

    def call(self, *arguments):
        self.runs += 1
        try:
            return subprocess.run([self.binary, *arguments], capture_output=True, text=True, timeout=self.timeout,
                                  env=dict(os.environ, OMP_WAIT_POLICY="passive"), stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            raise Refused(124, "no end within %d s" % self.timeout)

    def run(self, case, name, *extra, threads=1, keep=False, read=True):
        """Runs a case and returns its figures: the last row of the history and the scalars of the summary; or its folder."""
        path = self.write(case, name)
        out = os.path.join(self.folder, name)
        if not keep:
            shutil.rmtree(out, ignore_errors=True)
        p = self.call("run", path, "-t", str(threads), "-o", out, *([] if keep else ["--force"]), *extra)
        if p.returncode:
            lines = [line for line in p.stderr.splitlines() if line.strip()]
            raise Refused(p.returncode, lines[-1] if lines else "exit code %d" % p.returncode)
        return figures(out) if read else out


def figures(out):
    """The figures of a result folder, by name without unit."""
    with open(os.path.join(out, "summary.json")) as f:
        summary = json.load(f)
    found = {k: v for k, v in summary.get("result", {}).items() if isinstance(v, (int, float)) and not isinstance(v, bool)}
    with open(os.path.join(out, "history.csv")) as f:
        rows = list(csv.reader(f))
    for head, value in zip(rows[0], rows[-1]):
        try:
            found.setdefault(head.split(" [")[0], float(value))
        except ValueError:
            pass
    found["#steps"] = summary.get("steps", 0)
    found["#elements"] = summary.get("elements", 0)
    found["#warnings"] = summary.get("warnings", 0)
    return found


def deviation(a, b, scale):
    """|a - b| over a scale that is not zero."""
    if a != a or b != b:
        return float("inf")
    return abs(a - b) / scale if scale > 0 else (0.0 if a == b else float("inf"))
