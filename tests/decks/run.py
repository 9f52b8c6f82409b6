#!/usr/bin/env python3
"""Runs decks of CalculiX and compares what they print with reference .dat files.

  run.py FOLDER [--list FILE] [--ingot PROGRAM] [--jobs N] [--timeout S] [--only NAME…]

FOLDER holds NAME.inp and NAME.dat.ref (or NAME.dat). The list has one name a line, or is a table
(tab-separated, first line its columns) with the columns `deck` and `ccx_2.20`, of which decks marked
`same` are counted apart. Nothing is fetched and nothing is written into FOLDER.

A block of a .dat file is one quantity of one set at one time. It agrees where no value is off by
more than 1 % of the largest in the block (2 % for decks of shells and beams, displacements and
forces only, where the reference has some). A deck agrees where every quantity and set agrees at the last time of the reference
and at every other time that both have.
"""
import argparse
import collections
import concurrent.futures
import csv
import os
import re
import subprocess
import sys
import tempfile

QUANTITIES = [  # beginning of a header in .dat, quantity of tables.csv, first numbers of a row
    ("displacements", "displacement", 1), ("velocities", "velocity", 1),
    ("forces (fx,fy,fz)", "reaction", 1), ("temperatures", "temperature", 1),
    ("total surface flux", "section_flux", 0), ("heat generation", "heat_flow", 1), ("heat flux (elem", "heat_flux", 2),
    ("stresses", "stress", 2), ("strains (elem", "strain", 2),
    ("equivalent plastic strain", "plastic_strain", 2),
    ("total force (fx,fy,fz)", "total_reaction", 0), ("volume", "volume", 1),
]


def numbers(line):
    out = []
    for word in line.split():
        try:
            out.append(float(word))
        except ValueError:
            # "L" or the name of an orientation: components in axes of the node or the element
            return out if len(out) > 3 and line.split()[-1] == word else None
    return out or None


def read_dat(path):
    """{(quantity, set): {time: {key: values}}}, {eigenvalues…}, and the headers nobody reads."""
    blocks, other, modes = collections.OrderedDict(), set(), []
    now = None
    eigen = False
    section = None  # set, time, lines of numbers so far, of *SECTION PRINT
    for line in open(path, errors="replace"):
        text = line.strip()
        if not text:
            continue
        squeezed = text.replace(" ", "")
        if squeezed.startswith(("EIGENVALUEOUTPUT", "BUCKLINGFACTOROUTPUT")):
            eigen, now = True, None
            continue
        if squeezed.startswith(("PARTICIPATION", "EFFECTIVE", "TOTALEFFECTIVE")):
            eigen, now = False, None
            continue
        values = numbers(text)
        if values is None:
            if eigen:
                continue
            match = re.match(r"statistics for surface set (\S+)\s+and time\s+(\S+)", text)
            if match:
                section, now = [match.group(1).upper(), float(match.group(2)), 0], None
                continue
            if section and section[2] < 4 and " for set " not in text:
                continue
            section = None
            now = None
            match = re.match(r"(.*?)for set (\S+)\s+and time\s+(\S+)", text)
            if match:
                for head, name, keys in QUANTITIES:
                    if text.startswith(head):
                        key = (name, match.group(2).upper())
                        now = blocks.setdefault(key, {}).setdefault(float(match.group(3)), {})
                        width = keys
                        break
                else:
                    other.add(match.group(1).split("(")[0].strip())
            elif "time" in text and not text.startswith(("S T E P", "INCREMENT")):
                other.add(re.sub(r"\s*(for set|and time|for).*", "", text.split("(")[0]).strip())
            continue
        if section:
            section[2] += 1
            name = {1: "section_force", 2: "section_centre", 4: "section_area"}.get(section[2])
            if name:
                blocks.setdefault((name, section[0]), {})[section[1]] = {(): values}
        elif eigen:
            modes.append(values[3] if len(values) >= 4 else values[-1])
        elif now is not None:
            now[tuple(int(v) for v in values[:width])] = values[width:]
    return blocks, modes, other


def read_tables(path):
    blocks, modes = collections.OrderedDict(), []
    with open(path) as f:
        for row in csv.reader(f):
            if row[0] == "analysis":
                continue
            _, _, time, quantity, name, number, point = row[:7]
            values = [float(v) for v in row[7:]]
            if quantity in ("frequency", "buckling"):
                modes.append(values[0])
                continue
            if quantity in ("stress", "strain"):  # xx yy zz xy yz zx here, xx yy zz xy xz yz there
                values = values[:4] + [values[5], values[4]]
            wide = {"stress", "strain", "plastic_strain", "heat_flux"}
            key = (int(number), int(point)) if quantity in wide else \
                () if quantity.startswith(("total", "section")) else (int(number),)
            blocks.setdefault((quantity, name.upper()), {}).setdefault(float(time), {})[key] = values
    return blocks, modes


def compare(ref, ours, tolerance, largest, scale):
    """Worst difference over the block's largest value, None: rows are missing. Where a reference is
    zero throughout, ours must be against `scale`, the largest of this quantity in any set."""
    worst, most = 0.0, 0.0
    for key, values in ref.items():
        if key not in ours:
            if any(values):
                return None
            continue  # CalculiX prints zeros for numbers of a set that are no nodes
        for a, b in zip(values, ours[key]):
            worst = max(worst, abs(a - b))
            most = max(most, abs(a))
    most = max(most, 1e-7 * largest)
    if not most:
        return 0.0 if worst <= max(1e-5 * scale, 1e-12) else float("inf")
    return worst / most


def judge(name, args, loose):
    deck = os.path.join(args.folder, name + ".inp")
    ref = next((p for p in (os.path.join(args.folder, name + e) for e in (".dat.ref", ".dat"))
                if os.path.exists(p)), None)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        try:
            done = subprocess.run([args.ingot, "run", deck, "--lenient", "--out", out, "--quiet", "--threads", "1",
                                   "--set", "output.count=0"], capture_output=True, text=True,
                                  timeout=args.timeout)
        except subprocess.TimeoutExpired:
            return name, "timeout", "", None
        if done.returncode:
            lines = [x for x in done.stderr.splitlines() if "warning" not in x.lower()] or [""]
            line = re.sub(r"^ingot: (error: )?", "", lines[-1])
            line = re.sub(r"^\S*\.inp:\d+:\d+: ", "", line)
            return name, "refused" if done.returncode == 2 else "failed", line, None
        tables = os.path.join(out, "tables.csv")
        if not ref:
            return name, "ran", "no reference", None
        blocks, modes, other = read_dat(ref)
        if not blocks and not modes:
            return name, "ran", "no numbers in the reference", None
        ours, own_modes = read_tables(tables) if os.path.exists(tables) else ({}, [])
    worst, where, compared = 0.0, "", 0
    limit = 0.02 if loose else 0.01
    if modes and own_modes:
        count = min(len(modes), len(own_modes))
        for a, b in zip(modes[:count], own_modes[:count]):
            off = abs(a - b) / max(abs(a), 1e-6 * max(abs(m) for m in modes), 1e-30)
            if off > worst:
                worst, where = off, "modes"
        compared += 1
    motion = ("displacement", "reaction", "total_reaction")
    loosely = loose and (modes or any(key[0] in motion for key in blocks))
    for key, times in blocks.items():
        if loosely and key[0] not in motion:
            continue
        if modes and own_modes and key not in ours:
            continue  # shapes of modes: their size and sign are free
        if key not in ours:
            return name, "differs", "no %s of %s" % key, None
        largest = max((abs(v) for rows in times.values() for vs in rows.values() for v in vs), default=0)
        last = max(times)
        for time, rows in times.items():
            near = min(ours[key], key=lambda t: abs(t - time))
            if abs(near - time) > 1e-5 * max(abs(time), 1e-30):
                if time == last:
                    return name, "differs", "%s of %s: no row at time %g" % (*key, time), None
                continue
            scale = max((abs(v) for k, all_times in ours.items() if k[0].replace("total_", "") == key[0].replace("total_", "")
                         for all_rows in all_times.values() for vs in all_rows.values() for v in vs), default=0)
            off = compare(rows, ours[key][near], limit, largest, scale)
            if off is None:
                return name, "differs", "%s of %s: rows are missing" % key, None
            compared += 1
            if off > worst:
                worst, where = off, "%s of %s, time %g" % (*key, time)
    if not compared:
        return name, "ran", "nothing to compare: " + ", ".join(sorted(other)), None
    return name, "agrees" if worst <= limit else "differs", where, worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--list")
    parser.add_argument("--ingot", default="ingot")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--strict", action="store_true", help="fail unless every deck agrees")
    parser.add_argument("--quiet", action="store_true", help="the summary alone")
    args = parser.parse_args()
    kinds, marks = {}, {}
    if args.list and args.list.endswith(".tsv"):
        for row in csv.DictReader(open(args.list), delimiter="\t"):
            kinds[row["deck"]] = row["elements"]
            marks[row["deck"]] = row["ccx_2.20"]
        names = list(kinds)
    elif args.list:
        names = open(args.list).read().split()
    else:
        names = sorted(f[:-4] for f in os.listdir(args.folder) if f.endswith(".inp"))
    if args.only:
        names = [n for n in names if n in args.only]
    loose = {n for n in names if re.search(r"(^|\+)[SBT]\d", kinds.get(n, ""))}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = []
        for result in pool.map(lambda n: judge(n, args, n in loose), names):
            results.append(result)
            if not args.quiet:
                print("%-22s %-8s %s%s" % (*result[:2], result[2][:110],
                                           "" if result[3] is None else "  %.2g" % result[3]), flush=True)
    tally, same, reasons = collections.Counter(), collections.Counter(), collections.Counter()
    for name, verdict, why, _ in results:
        tally[verdict] += 1
        if marks.get(name) == "same":
            same[verdict] += 1
        if verdict in ("refused", "failed"):
            reasons[verdict + ": " + re.sub(r"[\d.]+(e[-+]\d+)?", "#", why)[:90]] += 1
    print("\n%d decks: %s" % (len(names), ", ".join("%d %s" % (c, v) for v, c in tally.most_common())))
    print("ran: %d" % sum(tally[v] for v in ("ran", "agrees", "differs")))
    if marks:
        print("of %d marked same: %s" % (sum(same.values()), ", ".join("%d %s" % (c, v) for v, c in same.most_common())))
    for reason, count in reasons.most_common(25):
        print("%4d  %s" % (count, reason))
    return 1 if args.strict and tally["agrees"] < len(names) else 0


if __name__ == "__main__":
    sys.exit(main())
