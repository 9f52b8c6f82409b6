#!/usr/bin/python3
"""Differential and metamorphic tests: random models, relations that must hold, independent judges. See README.md."""
import argparse
import csv
import importlib
import multiprocessing
import os
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import engine  # noqa: E402
from case import Program  # noqa: E402

ROOMS = ("thermal", "stress", "dynamics", "topopt", "fracture", "powder")


def work(job):
    name, seeds, options, stop, log = job
    room = importlib.import_module("rooms." + name)
    folder = tempfile.mkdtemp(prefix="differential-")
    try:
        program = Program(options.ingot, folder, options.timeout)
        with open(log, "w", newline="") as f:
            count = engine.campaign(program, room, seeds, csv.writer(f), options.found, stop, show=lambda t: print(t, flush=True),
                                    small=options.shrink)
        return name, count
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("rooms", nargs="*", help="rooms to test; all if none is named")
    p.add_argument("--ingot", default="build/ingot", help="the program")
    p.add_argument("--python", help="folder of the Python package; default: beside the program")
    p.add_argument("--seeds", default="0:20", help="seeds of the models, first:last (last excluded)")
    p.add_argument("--seconds", type=float, default=0, help="stop after this time; 0: at the last seed")
    p.add_argument("--jobs", type=int, default=1, help="processes")
    p.add_argument("--timeout", type=float, default=120, help="seconds that one run may take")
    p.add_argument("--found", default=None, help="folder for the cases that fail")
    p.add_argument("--shrink", action="store_true", help="make failing cases smaller before they are stored")
    p.add_argument("--csv", default=None, help="a row for every relation of every model")
    p.add_argument("--markdown", default=None, help="write the table of models and relations here")
    options = p.parse_args()
    package = options.python or os.path.join(os.path.dirname(os.path.abspath(options.ingot)), "python")
    if os.path.exists(os.path.join(package, "ingot")):
        sys.path.insert(0, package)
    # the program finds its materials beside itself, the Python package not
    os.environ.setdefault("INGOT_MATERIALS", os.path.join(HERE, "..", "..", "materials"))
    first, last = (int(v) for v in options.seeds.split(":"))
    stop_at = time.time() + options.seconds if options.seconds else None
    rooms = options.rooms or ROOMS
    unknown = [r for r in rooms if r not in ROOMS]
    if unknown:
        p.error("no room %s: %s" % (unknown[0], ", ".join(ROOMS)))
    logs = tempfile.mkdtemp(prefix="differential-log-")
    jobs, share = [], max(1, options.jobs)
    for i, room in enumerate(rooms):
        # with a time limit every room has its share of it
        stop = time.time() + options.seconds * (i + 1) / len(rooms) if stop_at else None
        for j in range(share):
            jobs.append((room, range(first + j, last, share), options, stop, os.path.join(logs, "%s-%d.csv" % (room, j))))
    if share > 1:
        with multiprocessing.get_context("spawn").Pool(share) as pool:
            results = pool.map(work, jobs, chunksize=1)
    else:
        results = [work(job) for job in jobs]
    if options.csv:
        with open(options.csv, "w", newline="") as out:
            out.write("room,seed,relation,state,text\n")
            for job in jobs:
                with open(job[4]) as f:
                    out.write(f.read())
    shutil.rmtree(logs, ignore_errors=True)
    return report(results, options.markdown)


def report(results, markdown):
    total, failed = 0, 0
    table = ["| room | models | refused | relations and judges held | failed |", "| --- | --- | --- | --- | --- |"]
    for room in dict.fromkeys(name for name, _ in results):
        counts = [c for name, c in results if name == room]
        models, refused = sum(c.models for c in counts), sum(c.refused for c in counts)
        relations, reasons = {}, {}
        for c in counts:
            for k, (ok, bad) in c.relations.items():
                a, b = relations.get(k, (0, 0))
                relations[k] = (a + ok, b + bad)
            for k, n in c.reasons.items():
                reasons[k] = reasons.get(k, 0) + n
        held = sum(ok for ok, _ in relations.values())
        bad = sum(c.failed for c in counts)
        total, failed = total + held, failed + bad
        table.append("| %s | %d | %d | %s | %d |" % (room, models, refused, ", ".join("%s %d" % (k, ok) for k, (ok, _) in relations.items()), bad))
        for reason, n in sorted(reasons.items(), key=lambda r: -r[1])[:5]:
            print("%s: %d models refused: %s" % (room, n, reason))
    print("\n".join(table))
    if markdown:
        with open(markdown, "w") as f:
            f.write("\n".join(table) + "\n")
    print("%d passed, %d failed" % (total, failed))
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
