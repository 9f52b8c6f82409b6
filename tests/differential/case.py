"""Cases as Python data: written as YAML, run by the program, read back as figures."""
import csv
import json
import os
import select
import shutil
import struct
import subprocess
import time


class Refused(Exception):
    """The program refused a case (exit code 2) or failed on it (any other): text has its last line."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code
        self.text = text


def events(entry, folder, name):
    """A file of events, rows of x, y, z, tm, ts, cr: as text, in an `order` of columns, or binary."""
    rest = {k: v for k, v in entry.items() if k not in ("data", "binary", "order")}
    file = name + (".catemp" if entry.get("binary") else ".csv")
    with open(os.path.join(folder, file), "wb") as f:
        if entry.get("binary"):
            for row in entry["data"]:
                f.write(struct.pack("<6d", *row))
        else:
            order = entry.get("order", range(6))
            f.write((",".join(["x", "y", "z", "tm", "ts", "cr"][i] for i in order) + "\n").encode())
            for row in entry["data"]:
                f.write((",".join("%.17g" % row[i] for i in order) + "\n").encode())
    return dict(rest, file=file)


def write(case, folder, name):
    """Writes a case and, where it holds a mesh of its own (`mesh.data`), the file of that."""
    mesh = case.get("mesh")
    if isinstance(mesh, dict) and "data" in mesh:
        mesh["data"].write(os.path.join(folder, name + ".inp"))
        case = dict(case, mesh=dict({k: v for k, v in mesh.items() if k != "data"}, file=name + ".inp"))
    for i, entry in enumerate(case.get("paths", [])):  # a toolpath: rows of time, x, y, z, power
        if "data" in entry:
            with open(os.path.join(folder, name + ".csv"), "w") as f:
                f.write("time,x,y,z,power\n" + "".join("%.17g,%.17g,%.17g,%.17g,%.17g\n" % tuple(r) for r in entry["data"]))
            case = dict(case, paths=[dict({k: v for k, v in entry.items() if k != "data"}, file=name + ".csv")])
    if any("data" in entry for entry in case.get("events", []) if isinstance(case.get("events"), list)):
        case = dict(case, events=[events(e, folder, "%s-%d" % (name, i)) for i, e in enumerate(case["events"])])
    path = os.path.join(folder, name + ".yaml")
    with open(path, "w") as f:
        for key, value in case.items():
            f.write("%s: %s\n" % (key, json.dumps(value)))  # flow style: JSON is YAML
    return path


class Program:
    """The program under test, its working folder and how many times it has run."""

    def __init__(self, binary, folder, timeout=120):
        self.binary = os.path.abspath(binary)
        self.folder = folder
        self.timeout = timeout
        self.runs = 0
        os.makedirs(folder, exist_ok=True)

    def write(self, case, name):
        return write(case, self.folder, name)

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


class Crashed(Refused):
    """The process that ran a case ended by a signal."""


class Worker(Program):
    """The library under test: cases run one after the other in a process (worker.c) that lasts. Started again where it crashes."""

    def __init__(self, binary, worker, folder, timeout=120):
        super().__init__(binary, folder, timeout)
        self.worker = os.path.abspath(worker)
        self.process, self.rest, self.text = None, b"", {}

    def start(self):
        env = dict(os.environ, OMP_WAIT_POLICY="passive", OMP_NUM_THREADS="1", GOMP_SPINCOUNT="0")
        self.process = subprocess.Popen([self.worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env=env, cwd=self.folder, bufsize=0)
        self.rest = b""

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
        self.process = None

    def answer(self):
        """Lines up to `end`."""
        stop = time.monotonic() + self.timeout
        lines = []
        while True:
            while b"\n" in self.rest:
                line, self.rest = self.rest.split(b"\n", 1)
                if line == b"end":
                    return lines
                lines.append(line.decode("utf-8", "replace").split("\t"))
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, stop - time.monotonic()))
            if not ready:
                self.stop()
                raise Refused(124, "no end within %g s" % self.timeout)
            found = os.read(self.process.stdout.fileno(), 1 << 16)
            if not found:
                code = self.process.wait()
                self.stop()
                raise Crashed(code, "the process ended by signal %d" % -code if code < 0 else "the process ended with code %d" % code)
            self.rest += found

    def ask(self, path, *words):
        self.runs += 1
        if self.process is None:
            self.start()
        try:
            self.process.stdin.write(("\t".join((path,) + words) + "\n").encode())
        except BrokenPipeError:
            pass  # it has ended: answer() says how
        return self.answer()

    def run(self, case, name, *extra, threads=1, program=False, out=False, **options):
        """Figures of a case. program: by the command line and files; options: words of worker.c."""
        if program:
            return super().run(case, name, *extra, threads=threads)
        path = self.write(case, name)
        words = ["threads=%d" % threads] + ["%s=%s" % o for o in options.items()]
        words += [e.replace("=", ":=", 1) for e in extra if e != "--set"]
        folder = os.path.join(self.folder, name)
        if out:
            shutil.rmtree(folder, ignore_errors=True)
            words.append("out=" + folder)
        found, columns = {"#warnings": 0, "#texts": []}, {}
        for line in self.ask(path, *words):
            if line[0] == "figure":
                found[line[1]] = float(line[2])
            elif line[0] == "column":
                columns[line[1].split(" [")[0]] = float(line[2])
            elif line[0] == "steps":
                found["#steps"] = int(line[1])
            elif line[0] == "warning":
                found["#warnings"] += 1
                found["#texts"].append(line[1])
            elif line[0] == "failed":
                raise Refused(2 if line[1] == "1" else 1, line[2])
        if out:
            shutil.rmtree(folder, ignore_errors=True)
        return {**columns, **found}

    def files(self, case, name):
        """Runs a case and returns the folder of its files."""
        out = os.path.join(self.folder, name)
        shutil.rmtree(out, ignore_errors=True)
        for line in self.ask(self.write(case, name), "threads=1", "out=" + out):
            if line[0] == "failed":
                raise Refused(2 if line[1] == "1" else 1, line[2])
        return out

    def passes(self, case, name):
        """Whether `check` accepts a case."""
        return not any(line[0] == "failed" for line in self.ask(self.write(case, name), "check"))


def figures(out):
    """The figures of a result folder, by name without unit."""
    with open(os.path.join(out, "summary.json")) as f:
        summary = json.load(f)
    found = {k: v for k, v in summary.get("result", {}).items() if isinstance(v, (int, float)) and not isinstance(v, bool)}
    rows = [[]]
    if os.path.exists(os.path.join(out, "history.csv")):  # no step, no row
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
    found["#texts"] = summary.get("warned", [])
    return found


def deviation(a, b, scale):
    """|a - b| over a scale that is not zero."""
    if a != a or b != b:
        return float("inf")
    return abs(a - b) / scale if scale > 0 else (0.0 if a == b else float("inf"))
