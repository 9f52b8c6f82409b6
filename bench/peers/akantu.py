#!/usr/bin/env python3
"""A crack along the middle of a stretched strip: Akantu beside Ingot, cohesive elements inserted on the way.

    akantu.py --akantu FOLDER [--rows 24] [--steps 1500] [--short 500] [--repeats 3]

FOLDER: of an installed or built Akantu, with AkantuConfig.cmake in it or below; akantu.cc is compiled against it.
16 x 4 mm of PMMA, plane strain, quadratic triangles (four per cell, --rows of cells over the height), a notch of 2 mm,
both edges held at the strain of the start. Only facets of the middle line may open, by the linear law, so that the way of
the crack is given and answers can be compared; both check all facets every ten steps. Costs are processor time of a long
run less that of a short one, per element-step, on one thread; and the whole of the long run. Energies without insertion and
at the end, and the length that opened, must agree.
"""

import argparse
import glob
import os
import re
import sys

import peers

LENGTH, HEIGHT, NOTCH, STRAIN = 16e-3, 4e-3, 2e-3, 0.008
DENSITY, YOUNG, POISSON, ENERGY, STRENGTH = 1190, 3.24e9, 0.35, 352.3, 60e6
EVERY = 10


def strip(rows):
    """Nodes and triangles of six nodes (corners, then sides 1-2, 2-3, 3-1), cells crossed, the notch's nodes doubled."""
    cell = HEIGHT / rows
    columns = round(LENGTH / cell)
    places, triangles = {}, []

    def node(x, y, above):
        """In quarters of a cell; on the notch there is one for each side."""
        notch = y == 2 * rows and x * cell / 4 < NOTCH - cell / 8
        return places.setdefault((x, y, above and notch), len(places) + 1)

    for j in range(rows):
        for i in range(columns):
            ring = [(4 * i, 4 * j), (4 * i + 4, 4 * j), (4 * i + 4, 4 * j + 4), (4 * i, 4 * j + 4)]
            for a, b in zip(ring, ring[1:] + ring[:1]):
                corners = [a, b, (4 * i + 2, 4 * j + 2)]
                sides = [((p[0] + q[0]) // 2, (p[1] + q[1]) // 2) for p, q in zip(corners, corners[1:] + corners[:1])]
                triangles.append([node(x, y, j >= rows // 2) for x, y in corners + sides])
    return [(x * cell / 4, y * cell / 4) for x, y, _ in places], triangles


def write_mesh(rows, path):
    """As Gmsh 2.2 writes it: both programs read this file."""
    nodes, triangles = strip(rows)
    out = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(nodes))]
    out += ["%d %.12g %.12g 0" % (i + 1, x, y) for i, (x, y) in enumerate(nodes)]
    out += ["$EndNodes", "$Elements", str(len(triangles))]
    out += ["%d 9 2 1 1 %s" % (i + 1, " ".join(map(str, t))) for i, t in enumerate(triangles)]
    with open(path, "w") as f:
        f.write("\n".join(out + ["$EndElements", ""]))


def build(akantu, folder):
    """Our driver, by the peer's own package for CMake."""
    found = glob.glob(os.path.join(akantu, "**", "AkantuConfig.cmake"), recursive=True)
    if not found:
        sys.exit("no AkantuConfig.cmake in " + akantu)
    with open(os.path.join(folder, "CMakeLists.txt"), "w") as f:
        f.write(
            """cmake_minimum_required(VERSION 3.16)
project(peer CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(Akantu REQUIRED PATHS %s NO_DEFAULT_PATH)
add_executable(peer %s)
target_link_libraries(peer PRIVATE akantu)
"""
            % (os.path.dirname(found[0]), os.path.join(os.path.dirname(os.path.abspath(__file__)), "akantu.cc"))
        )
    peers.command(["cmake", "-S", ".", "-B", "made", "-DCMAKE_BUILD_TYPE=Release"], folder)
    peers.command(["cmake", "--build", "made"], folder)
    with open(os.path.join(folder, "materials.dat"), "w") as f:
        f.write(
            f"""material elastic [
  name = bulk
  rho = {DENSITY}
  E = {YOUNG}
  nu = {POISSON}
]
material cohesive_linear [
  name = cohesive
  sigma_c = {STRENGTH}
  G_c = {ENERGY}
  beta = 1
  kappa = 1
]
"""
        )
    return os.path.join(folder, "made", "peer")


def akantu(program, rows, dt, steps, every, folder):
    """Processor seconds and what it printed, by name."""
    words = [program, "strip.msh", "materials.dat", steps, repr(dt), every, STRAIN, HEIGHT, HEIGHT / rows / 10]
    _, cpu, said = peers.command(list(map(str, words)), folder)
    line = re.search(r"^elements .*dissipated.*$", said, re.M).group(0).split()
    return cpu, dict(zip(line[::2], map(float, line[1::2])))


def case(dt, steps, every, folder):
    edge = lambda name, y: f"{{name: {name}, box: {{min: [-1, {y - 1e-9}], max: [1, {y + 1e-9}]}}}}"
    return f"""physics: fracture
plane: strain
mesh:
  file: {os.path.join(folder, "strip.msh")}
  sets: [{edge("bottom", 0)}, {edge("top", HEIGHT)}]
materials: {{name: PMMA, density: {DENSITY}, young: {YOUNG}, poisson: {POISSON}, fracture_energy: {ENERGY}, cohesive_strength: 1e12}}
interfaces:
  - {{from: [{NOTCH}, {HEIGHT / 2}], to: [{LENGTH}, {HEIGHT / 2}], fracture_energy: {ENERGY}, cohesive_strength: {STRENGTH}}}
cohesive: {{law: linear, criterion: effective_mean, check_every: {every}}}
initial: {{strain: [0, {STRAIN}, 0], about: [0, {HEIGHT / 2}]}}
supports: [{{set: bottom, fix: all}}, {{set: top, fix: all}}]
duration: {dt * steps!r}
time_step: {dt!r}
output: {{count: 0, history_every: 1000000}}
"""


def main():
    arg = argparse.ArgumentParser()
    arg.add_argument("--akantu", required=True)
    arg.add_argument("--rows", type=int, default=24)
    arg.add_argument("--steps", type=int, default=1500)
    arg.add_argument("--short", type=int, default=500)
    arg.add_argument("--repeats", type=int, default=3)
    a = arg.parse_args()
    dt = 96e-9 / a.rows  # 4 ns at 24 rows, a quarter of the critical step
    theirs, ours, whole, our_whole = [], [], [], []
    with peers.folder() as folder:
        program = build(a.akantu, folder)
        write_mesh(a.rows, os.path.join(folder, "strip.msh"))
        them = lambda steps, every=EVERY: akantu(program, a.rows, dt, steps, every, folder)
        us = lambda steps, every=EVERY: peers.Ingot(case(dt, steps, every, folder), folder)
        _, whole_strip = them(a.short, 0)
        uncut = us(a.short, 0).last
        for _ in range(a.repeats):
            (cpu0, _), (cpu, end) = them(a.short), them(a.steps)
            work = (a.steps - a.short) * end["elements"]
            theirs.append(1e6 * (cpu - cpu0) / work)
            whole.append(cpu)
            short, run = us(a.short), us(a.steps)
            ours.append(1e6 * (run.cpu - short.cpu) / work)
            our_whole.append(run.cpu)
    print("  %d triangles, %d steps of %g ns" % (end["elements"], a.steps, 1e9 * dt))
    # limits from what was seen (docs/performance.md): masses are lumped otherwise, 1/12 to a corner instead of 1/19
    for name in ("strain", "kinetic"):
        peers.agree("nothing opens: %s energy" % name, uncut[name], whole_strip[name], 0.02 * whole_strip[name])
    # facets are judged by other means of the stress: one crack is some facets ahead
    for name, column, within in (("strain", "strain", 0.05), ("dissipated", "dissipated", 0.15), ("cohesive", "cohesive_elements", 0.15)):
        peers.agree("cracked: " + column, run.last[column], end[name], within * end[name])
    peers.ratio("strip with a crack, step", "Akantu", theirs, ours, "us of processor per element-step")
    peers.ratio("strip with a crack, start to end", "Akantu", whole, our_whole, "s of processor")


if __name__ == "__main__":
    main()
