#!/usr/bin/env python3
"""Designs of a cantilever: TopOpt_in_PETSc, built from a source folder, beside Ingot.

    topopt_petsc.py --source FOLDER --petsc PETSC_DIR [--arch PETSC_ARCH] [--elements 64] [--designs 10] [--ranks 1]

FOLDER: a copy of https://github.com/topopt/TopOpt_in_PETSc; it is built outside of it. The base problem of that code: a block
of 2 x 1 x 1, one end clamped, a line load along an edge of the other, volume 0.12, density filter of radius 0.08, moving
asymptotes. The compliance of the first, uniform design must agree; later designs go their own ways. Seconds per design.
"""

import argparse
import os
import re
import shutil

import peers

VOLUME, RADIUS, LOAD = 0.12, 0.08, 0.001


def build(source, petsc, arch, folder):
    for name in os.listdir(source):
        if name.endswith((".cc", ".h")):
            shutil.copy(os.path.join(source, name), folder)
    shutil.copy(os.path.join(source, "makefile_ref"), os.path.join(folder, "makefile"))
    peers.command(["make", "topopt", "PETSC_DIR=" + petsc, "PETSC_ARCH=" + arch], folder)
    return os.path.join(folder, "topopt")


def theirs(program, n, designs, ranks, folder):
    """Seconds of each design, compliance of the first."""
    words = ["mpirun", "-np", str(ranks)] if ranks > 1 else []
    words += [program, "-nx", str(n + 1), "-ny", str(n // 2 + 1), "-nz", str(n // 2 + 1)]
    words += ["-volfrac", str(VOLUME), "-rmin", str(RADIUS), "-maxItr", str(designs), "-restart", "0", "-onlyLoadDesign", "0"]
    _, _, said = peers.command(words, folder)
    rows = re.findall(r"It\.: *\d+, True fx: *([0-9.eE+-]+),.*time: *([0-9.eE+-]+)", said)
    return [float(t) for _, t in rows], float(rows[0][0])


def case(n, designs):
    return f"""physics: topopt
grid: {{elements: [{n}, {n // 2}, {n // 2}], size: [2, 1, 1]}}
materials: {{name: one, young: 1, poisson: 0.3}}
volume: {VOLUME}
void_ratio: 1e-9
supports: [{{box: {{min: [0, 0, 0], max: [0, 1, 1]}}}}]
loads:
  - {{box: {{min: [2, 0, 0], max: [2, 1, 0]}}, force: [0, 0, {-LOAD}], spread: each}}
  - {{box: {{min: [2, 0, 0], max: [2, 0, 0]}}, force: [0, 0, {LOAD / 2}], spread: each}}
  - {{box: {{min: [2, 1, 0], max: [2, 1, 0]}}, force: [0, 0, {LOAD / 2}], spread: each}}
filter: {{kind: density, radius: {RADIUS}}}
optimiser: {{method: mma}}
solver: {{tolerance: 1e-5}}
iterations: {designs}
change: 0
output: {{count: 0, history_every: 1}}
"""


def main():
    arg = argparse.ArgumentParser()
    arg.add_argument("--source", required=True)
    arg.add_argument("--petsc", required=True)
    arg.add_argument("--arch", default="")
    arg.add_argument("--elements", type=int, default=64)
    arg.add_argument("--designs", type=int, default=10)
    arg.add_argument("--ranks", type=int, default=1)
    arg.add_argument("--backend", default="cpu")
    arg.add_argument("--repeats", type=int, default=2)
    a = arg.parse_args()
    them, us = [], []
    with peers.folder() as folder:
        program = build(a.source, a.petsc, a.arch, folder)
        for _ in range(a.repeats):
            seconds, first = theirs(program, a.elements, a.designs, a.ranks, folder)
            them.append(sum(seconds) / len(seconds))
            start = peers.Ingot(case(a.elements, 1), folder, a.backend, a.ranks)
            run = peers.Ingot(case(a.elements, a.designs), folder, a.backend, a.ranks)
            us.append(run.solve / run.steps)
    # both stop their solver at 1e-5 of the load; the compliance is that much off at most
    peers.agree("compliance of the first design", start.first["objective"], first, 1e-4 * first)
    peers.ratio("cantilever, %d elements long, %s" % (a.elements, a.backend), "TopOpt_in_PETSc", them, us, "s per design")


if __name__ == "__main__":
    main()
