#!/usr/bin/env python3
"""A cantilever struck by an end load, explicit: OpenRadioss beside Ingot.

    openradioss.py --source FOLDER [--build] [--cells 100] [--end 2e-4] [--short 5e-5] [--repeats 2] [--one-point]

FOLDER: a copy of https://github.com/OpenRadioss/OpenRadioss, already built, or built first with --build (its own
build_script.sh; gfortran, cmake, perl; a quarter of an hour). The problem of calculix.py, as an LS-DYNA deck, which OpenRadioss
reads. Compared are the energies at the end, internal and kinetic together: what the load has done. Costs are processor time of
a long run less that of a short one, per element-step, on one thread.
"""

import argparse
import glob
import os
import platform
import re
import sys

import calculix
import peers


def deck(n, end, form):
    """The same model for the starter: keywords of LS-DYNA in fixed columns."""
    nodes, elements, tip, root = peers.bar(n)
    card = lambda *words: "".join("%10s" % w for w in words)
    out = ["*KEYWORD", "*CONTROL_TERMINATION", card("%.3e" % end), "*CONTROL_TIMESTEP", card("0.0", "0.9"), "*NODE"]
    out += ["%8d%16.9e%16.9e%16.9e" % row for row in nodes] + ["*ELEMENT_SOLID"]
    out += ["".join("%8d" % i for i in [row[0], 1] + row[1:]) for row in elements]
    out += ["*PART", "bar", card(1, 1, 1), "*SECTION_SOLID", card(1, form)]
    out += ["*MAT_ELASTIC", card(1, "7850.0", "2.1e11", "0.3")]
    for number, members in (1, root), (2, tip):
        out += ["*SET_NODE_LIST", card(number)]
        out += [card(*members[i : i + 8]) for i in range(0, len(members), 8)]
    out += ["*BOUNDARY_SPC_SET", card(1, 0, 1, 1, 1, 0, 0, 0)]
    out += ["*DEFINE_CURVE", card(1), "%20.9e%20.9e" % (0, 1), "%20.9e%20.9e" % (1, 1)]
    out += ["*LOAD_NODE_SET", card(2, 3, 1, "%.3e" % (-1e5 / len(tip))), "*END"]
    return "\n".join(out) + "\n", len(elements)


def programs(source, build):
    arch = "linuxa64" if platform.machine() == "aarch64" else "linux64_gf"
    if build:
        for part in "starter", "engine":
            peers.command(["bash", "build_script.sh", "-arch=" + arch, "-prec=dp"], os.path.join(source, part), os.cpu_count())
    found = [glob.glob(os.path.join(source, "exec", "%s_%s*" % (part, arch))) for part in ("starter", "engine")]
    if not all(found):
        sys.exit("%s/exec has no starter and engine for %s: build them, or give --build" % (source, arch))
    os.environ.setdefault("OPENRADIOSS_PATH", source)
    os.environ.setdefault("RAD_CFG_PATH", os.path.join(source, "hm_cfg_files"))
    return found[0][0], found[1][0]


def radioss(tools, n, end, form, folder):
    """Processor seconds of the engine, steps, energy at the end, elements."""
    text, count = deck(n, end, form)
    with open(os.path.join(folder, "bar.k"), "w") as f:
        f.write(text)
    peers.command([tools[0], "-i", "bar.k", "-np", "1"], folder)
    _, cpu, said = peers.command([tools[1], "-i", "bar_0001.rad"], folder)
    # cycle, time, time-step, element, error, internal, kinetic translation, kinetic rotation, external work, ...
    rows = [r.split() for r in said.splitlines() if re.match(r"^ *\d+ +[0-9.]+E?[-+0-9]* +[0-9.]+E?[-+0-9]* +SOLID", r)]
    last = rows[-1]
    at = 5 + last[4:].index(next(w for w in last[4:] if "%" in w))
    return cpu, int(last[0]), float(last[at]) + float(last[at + 1]), count


def main():
    arg = argparse.ArgumentParser()
    arg.add_argument("--source", required=True)
    arg.add_argument("--build", action="store_true")
    arg.add_argument("--cells", type=int, default=100)
    arg.add_argument("--end", type=float, default=2e-4)
    arg.add_argument("--short", type=float, default=5e-5)
    arg.add_argument("--repeats", type=int, default=2)
    arg.add_argument("--one-point", action="store_true")
    a = arg.parse_args()
    tools = programs(a.source, a.build)
    form, integration = (1, "single") if a.one_point else (2, "bbar")
    theirs, ours = [], []
    for _ in range(a.repeats):
        with peers.folder() as folder:
            cpu0, steps0, _, _ = radioss(tools, a.cells, a.short, form, folder)
            cpu, steps, energy, count = radioss(tools, a.cells, a.end, form, folder)
        theirs.append(1e6 * (cpu - cpu0) / ((steps - steps0) * count))
        with peers.folder() as folder:
            short = peers.Ingot(calculix.case(a.cells, a.short, integration), folder)
            run = peers.Ingot(calculix.case(a.cells, a.end, integration), folder)
        ours.append(1e6 * (run.cpu - short.cpu) / ((run.steps - short.steps) * count))
    with peers.folder() as folder:  # again, with every step in the history: not timed
        whole = peers.Ingot(calculix.case(a.cells, a.end, integration, 1), folder)
    print("  %d elements, OpenRadioss %d steps, ingot %d" % (count, steps, run.steps))
    peers.agree("energy at the end, J", whole.at(a.end, "internal") + whole.at(a.end, "kinetic"), energy, 0.05 * energy)
    peers.ratio("cantilever, explicit, step", "OpenRadioss", theirs, ours, "us of processor per element-step")


if __name__ == "__main__":
    main()
