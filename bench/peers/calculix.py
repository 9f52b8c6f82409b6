#!/usr/bin/env python3
"""A cantilever struck by an end load, explicit: CalculiX (ccx) beside Ingot.

    calculix.py [--cells 100] [--end 2e-4] [--short 5e-5] [--repeats 2] [--one-point]

1 x 0.1 x 0.1 m of steel, one end held, -100 kN shared by the nodes of the other, geometric nonlinearity on; --cells along
the bar and a tenth of them across. C3D8 against `integration: full`, with --one-point C3D8R against `single`. CalculiX
chooses its steps; Ingot its own. Costs are processor time of a long run less that of a short one, per element-step, on one
thread; and the whole of the long run. The mean of the loaded nodes must agree.
"""

import argparse
import math
import os
import re
import shutil
import sys

import peers


def deck(n, end, element):
    """The model as CalculiX reads it, nodes and elements numbered along z first."""
    nodes, elements, tip, root = peers.bar(n)
    out = ["*NODE, NSET=ALL"] + ["%d, %.12g, %.12g, %.12g" % row for row in nodes]
    out.append("*ELEMENT, TYPE=%s, ELSET=ALL" % element)
    out += [", ".join(map(str, row)) for row in elements]
    out += ["*NSET, NSET=TIP"] + ["%d," % i for i in tip] + ["*NSET, NSET=ROOT"] + ["%d," % i for i in root]
    out.append(
        """*MATERIAL, NAME=STEEL
*ELASTIC
210E9, 0.3
*DENSITY
7850.
*SOLID SECTION, ELSET=ALL, MATERIAL=STEEL
*BOUNDARY
ROOT, 1, 3
*AMPLITUDE, NAME=STEP
0., 1., 1., 1.
*STEP, NLGEOM, INC=1000000
*DYNAMIC, EXPLICIT
%.9g, %.9g
*CLOAD, AMPLITUDE=STEP
TIP, 3, %.12g
*NODE PRINT, NSET=TIP, FREQUENCY=1000000
U
*END STEP
"""
        % (end / 10, end, -1e5 / len(tip))
    )
    return "\n".join(out), len(elements)


def calculix(n, end, element, folder):
    """Processor seconds, wall, steps, mean displacement of the tip."""
    text, count = deck(n, end, element)
    with open(os.path.join(folder, "job.inp"), "w") as f:
        f.write(text)
    wall, cpu, said = peers.command(["ccx", "job"], folder)
    # its steps have one length, which it prints, all but the last
    steps = math.ceil(end / float(re.search(r"SELECTED time increment: *([0-9.eE+-]+)", said).group(1)))
    tip = []
    with open(os.path.join(folder, "job.dat")) as f:
        for line in f:
            words = line.split()
            if "displacements" in line:
                tip = []
            elif len(words) == 4:
                tip.append(float(words[3]))
    return wall, cpu, steps, sum(tip) / len(tip), count


def case(n, end, integration, every=1000000):
    k = max(n // 10, 1)
    return f"""physics: dynamics
mesh: {{boxes: {{size: [1, 0.1, 0.1], cells: [{n}, {k}, {k}]}}}}
materials: {{name: steel, density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}}
sections: {{integration: {integration}}}
supports: {{set: xmin, fix: xyz}}
loads: {{set: xmax, force: [0, 0, {-1e5 / (k + 1) ** 2:.12g}]}}
analysis: {{duration: {end!r}}}
probes: [{{name: tip, set: xmax, quantity: uz}}]
output: {{count: 0, history_every: {every}}}
"""


def main():
    arg = argparse.ArgumentParser()
    arg.add_argument("--cells", type=int, default=100)
    arg.add_argument("--end", type=float, default=2e-4)
    arg.add_argument("--short", type=float, default=5e-5)
    arg.add_argument("--repeats", type=int, default=2)
    arg.add_argument("--one-point", action="store_true")
    a = arg.parse_args()
    if not shutil.which("ccx"):
        sys.exit("ccx is not here: apt install calculix-ccx")
    element, integration = ("C3D8R", "single") if a.one_point else ("C3D8", "full")
    theirs, ours, whole, our_whole = [], [], [], []
    for _ in range(a.repeats):
        with peers.folder() as folder:
            _, cpu0, steps0, _, _ = calculix(a.cells, a.short, element, folder)
            wall, cpu, steps, tip, count = calculix(a.cells, a.end, element, folder)
            theirs.append(1e6 * (cpu - cpu0) / ((steps - steps0) * count))
            whole.append(cpu)
        with peers.folder() as folder:
            short = peers.Ingot(case(a.cells, a.short, integration), folder)
            run = peers.Ingot(case(a.cells, a.end, integration), folder)
            ours.append(1e6 * (run.cpu - short.cpu) / ((run.steps - short.steps) * count))
            our_whole.append(run.cpu)
    with peers.folder() as folder:  # again, with every step in the history: not timed
        whole_run = peers.Ingot(case(a.cells, a.end, integration, 1), folder)
    print("  %d elements, ccx %d steps, ingot %d" % (count, steps, run.steps))
    # steps of other lengths let waves disperse a little otherwise; hourglass control differs by more
    peers.agree("mean deflection of the end, m", whole_run.at(a.end, "tip"), tip, (0.05 if a.one_point else 0.01) * abs(tip))
    name = "cantilever, %s, explicit" % element
    peers.ratio(name + ", step", "ccx", theirs, ours, "us of processor per element-step")
    peers.ratio(name + ", start to end", "ccx", whole, our_whole, "s of processor")


if __name__ == "__main__":
    main()
