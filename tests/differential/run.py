#!/usr/bin/python3
"""Differential and metamorphic tests: random models, relations that must hold, independent judges. See README.md."""
import argparse
import csv
import io
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import engine  # noqa: E402
from case import Worker  # noqa: E402
from rooms.options import Room  # noqa: E402

ROOMS = ("thermal", "stress", "dynamics", "topopt", "fracture", "powder", "grains", "structure")
HEAD = ("room", "seed", "state", "held", "failed", "seconds", "text")
CHUNK = 5  # seeds that a process takes at a time


def chunks(rooms, first, last, done):
    """Seeds in portions, one room after the other, so that all rooms come equally far."""
    return [(room, seeds) for low in range(first, last, CHUNK) for room in rooms
            if (seeds := [s for s in range(low, min(low + CHUNK, last)) if (room, s) not in done])]


def row_text(row):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([" ".join(str(v).split()) for v in row])
    return out.getvalue()


def append(log, row):
    """One write: rows of several processes do not mix."""
    f = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(f, row_text(row).encode())
    finally:
        os.close(f)


def work(options, todo, following, current, stop):
    """A process: takes portions until none is left or the time is over."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    folder = tempfile.mkdtemp(prefix="differential-", dir=options.folder)
    program = Worker(options.ingot, options.worker, folder, options.timeout)
    plan = engine.Plan(options.relations, options.judges, set(options.only) if options.only else None, options.need)
    try:
        while True:
            with following.get_lock():
                at = following.value
                following.value += 1
            if at >= len(todo):
                return
            name, seeds = todo[at]
            room = Room(name, program)
            for seed in seeds:
                if stop and time.time() > stop:
                    return
                current[0], current[1] = ROOMS.index(name), seed
                try:
                    row, failed = engine.examine(program, room, seed, "m", plan, options.found, options.shrink)
                except Exception:  # of the test itself: the next model goes on
                    text = " ".join(traceback.format_exc().split("\n")[-4:])
                    row, failed = [name, seed, "failed", "", "test", 0, text], [("test", text)]
                if row:
                    append(options.log, row)
                for relation, text in failed:
                    if row[2] == "failed":
                        print("%s seed %d %s: %s" % (name, seed, relation, text), flush=True)
                current[0] = -1
    finally:
        program.stop()
        shutil.rmtree(folder, ignore_errors=True)


def campaign(options, todo, stop):
    """All processes; one that ends by a signal is a finding, and another takes its place."""
    context = multiprocessing.get_context("fork")
    following = context.Value("q", 0)

    def begin():
        current = context.Array("q", [-1, 0])
        p = context.Process(target=work, args=(options, todo, following, current, stop))
        p.start()
        return p, current
    running = [begin() for _ in range(options.jobs)]
    while running:
        for entry in list(running):
            p, current = entry
            p.join(0.1 / len(running))
            if p.exitcode is None:
                continue
            running.remove(entry)
            if p.exitcode and current[0] >= 0:
                name, seed = ROOMS[current[0]], current[1]
                text = "the Python process ended with code %d" % p.exitcode
                append(options.log, [name, seed, "failed", "", "python", 0, text])
                print("%s seed %d: %s" % (name, seed, text), flush=True)
                running.append(begin())


def read(files):
    """Rows of logs by room and seed; of a model that was run twice the last counts."""
    rows = {}
    for file in files:
        with open(file, newline="") as f:
            for r in csv.reader(f):
                if len(r) == len(HEAD) and r != list(HEAD):
                    rows[r[0], int(r[1])] = dict(zip(HEAD, r))
    return rows


def table(rows):
    """The table of the verification page; returns its lines, the number of checks that held and that failed."""
    out = ["| room | models | refused | relations per model | relations held | judged | known | failed | core minutes |", "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    total = wrong = 0
    for room in ROOMS:
        found = [r for (name, _), r in rows.items() if name == room]
        if not found:
            continue
        run = [r for r in found if r["state"] != "refused"]
        count, failed, per = {}, 0, []
        for r in run:
            held = r["held"].split()
            per.append(len([h for h in held + r["failed"].split() if not h.startswith("judge") and h not in ("sound", "base")]))
            for h in held:
                count[h] = count.get(h, 0) + 1
            failed += len(r["failed"].split())
        known = {k[6:]: count.pop(k) for k in list(count) if k.startswith("known:")}
        total, wrong = total + sum(count.values()), wrong + failed
        relations = sorted((k for k in count if not k.startswith("judge") and k != "sound"), key=lambda k: (-count[k], k))
        judges = sorted(k for k in count if k.startswith("judge"))
        mean = sum(per) / max(1, len(per))
        out.append("| %s | %d | %d | %.1f (least %d) | %s | %s | %s | %d | %.0f |" % (
            room, len(run), len(found) - len(run), mean, min(per, default=0), ", ".join("%s %d" % (k, count[k]) for k in relations),
            ", ".join("%s %d" % (k[6:], count[k]) for k in judges) or "–",
            ", ".join("%s %d" % k for k in sorted(known.items())) or "0", failed, sum(float(r["seconds"]) for r in found) / 60))
    return out, total, wrong


def seeds_of(text):
    """A-B, both included."""
    first, _, last = text.partition("-")
    return int(first), int(last or first) + 1


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--rooms", nargs="*", default=[], choices=ROOMS, help="rooms to test; left out: all")
    p.add_argument("--ingot", default=os.path.join(HERE, "../../build/ingot"), help="the program")
    p.add_argument("--worker", help="the program that runs models; default: tests/differential_worker beside the program")
    p.add_argument("--python", help="folder of the Python package; default: beside the program")
    p.add_argument("--seeds", default="0-19", type=seeds_of, help="seeds of the models, first-last")
    p.add_argument("--minutes", type=float, default=0, help="stop after this time; 0: at the last seed")
    p.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes; left out: all cores")
    p.add_argument("--relations", type=int, default=3, help="relations of a model, chosen at random (this many or one more); 0: all")
    p.add_argument("--judges", type=float, default=0.5, help="share of the models that judges see, of those they can judge")
    p.add_argument("--only", nargs="*", help="names of relations: these alone")
    p.add_argument("--need", help="name of a relation, judge_calculix say: models that do not have it are passed over")
    p.add_argument("--timeout", type=float, default=60, help="seconds that one run may take")
    p.add_argument("--found", default=None, help="folder for the cases that fail")
    p.add_argument("--shrink", action="store_true", help="make failing cases smaller before they are stored")
    p.add_argument("--log", default=None, help="append a row per model here; models that are in it are not run again")
    p.add_argument("--table", nargs="+", metavar="LOG", help="print the table of these logs and run nothing")
    p.add_argument("--failures", nargs="+", metavar="LOG", help="print what failed in these logs and run nothing")
    options = p.parse_args()
    if options.table:
        print("\n".join(table(read(options.table))[0]))
        return 0
    if options.failures:
        for (room, seed), r in read(options.failures).items():
            if r["state"] == "failed":
                print("%s seed %d %s: %s" % (room, seed, r["failed"], r["text"]))
        return 0
    beside = os.path.dirname(os.path.abspath(options.ingot))
    options.worker = options.worker or os.path.join(beside, "tests", "differential_worker")
    if not os.path.exists(options.worker):
        p.error("no %s: build the target differential_worker" % options.worker)
    package = options.python or os.path.join(beside, "python")
    if os.path.exists(os.path.join(package, "ingot")):
        sys.path.insert(0, package)
    # the program finds its materials beside itself, the library not
    os.environ.setdefault("INGOT_MATERIALS", os.path.join(HERE, "..", "..", "materials"))
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    stop = time.time() + 60 * options.minutes if options.minutes else None
    scratch = tempfile.mkdtemp(prefix="differential-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    options.folder = scratch
    try:
        before = read([options.log]) if options.log and os.path.exists(options.log) else {}
        options.log = options.log or os.path.join(scratch, "log.csv")
        rooms = options.rooms or ROOMS
        first, last = options.seeds
        todo = chunks(rooms, first, last, before)
        campaign(options, todo, stop)
        rows = {k: r for k, r in (read([options.log]) if os.path.exists(options.log) else {}).items() if k not in before}
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    reasons = {}
    for r in rows.values():
        if r["state"] == "refused":
            reason = r["room"] + ": " + r["text"].split(": ", 1)[-1][:100]
            reasons[reason] = reasons.get(reason, 0) + 1
    for reason, n in sorted(reasons.items(), key=lambda r: -r[1])[:8]:
        print("%d models refused, %s" % (n, reason))
    lines, total, wrong = table(rows)
    print("\n".join(lines))
    print("%d passed, %d failed" % (total, wrong))
    return 1 if wrong or not total else 0


if __name__ == "__main__":
    sys.exit(main())
