#!/usr/bin/env python3
"""Statics from decks: CalculiX (ccx) beside `ingot run deck.inp`.

    statics.py [--threads 1] [--repeats 2] [--most 3e5] [--only PATTERN]

Each model is written once as a deck, and both programs run it in turn: a steel bar 10 x 1 x 1 (mm, N, MPa), one end fixed, the
other end bent by forces. The table has the unknowns of the mesh, seconds of both (the least of the repeats, reading and writing
included; of processor time on one thread, which other work on the machine disturbs least, else of wall clock) and their ratio. The largest displacements must agree to 1 % (3 % for plastic
models, whose increments differ). Both write what the deck asks for: displacements at the end.
"""

import argparse
import os
import re
import shutil
import sys

import peers


def lattice(n, size, quadratic):
    """Nodes of a box, mid-sides with `quadratic`: {(i, j, k) in half cells: number}, and lines of *NODE."""
    number, lines = {}, []
    for k in range(2 * n[2] + 1):
        for j in range(2 * n[1] + 1):
            for i in range(2 * n[0] + 1):
                odd = i % 2 + j % 2 + k % 2
                if odd == 0 or (odd == 1 and quadratic):
                    number[i, j, k] = len(number) + 1
                    lines.append("%d, %.9g, %.9g, %.9g" % (len(number), size[0] * i / 2 / n[0], size[1] * j / 2 / n[1], size[2] * k / 2 / n[2]))
    return number, lines


CORNER = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)]
SIDE = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
TETS = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]
TET_SIDE = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]


def deck(element, n, plastic, large):
    """A bar, bent."""
    size = (10.0, 1.0, 1.0)
    quadratic = element in ("C3D20R", "C3D20", "C3D10")
    number, out = lattice(n, size, quadratic and element != "C3D10")
    place = {v: k for k, v in number.items()}
    elements = []
    for k in range(n[2]):
        for j in range(n[1]):
            for i in range(n[0]):
                at = [(2 * i + c[0], 2 * j + c[1], 2 * k + c[2]) for c in CORNER]
                middle = lambda p, q: tuple((a + b) // 2 for a, b in zip(p, q))
                if element == "C3D10":
                    for tet in TETS:
                        c = [at[a] for a in tet]
                        for a, b in TET_SIDE:
                            m = middle(c[a], c[b])
                            if m not in number:
                                number[m] = len(number) + 1
                                place[number[m]] = m
                                out.append("%d, %.9g, %.9g, %.9g" % ((number[m],) + tuple(size[d] * m[d] / 2 / n[d] for d in range(3))))
                        elements.append([number[a] for a in c] + [number[middle(c[a], c[b])] for a, b in TET_SIDE])
                else:
                    elements.append([number[a] for a in at] + ([number[middle(at[a], at[b])] for a, b in SIDE] if quadratic else []))
    root = [number[p] for p in number if p[0] == 0]
    tip = [number[p] for p in number if p[0] == 2 * n[0]]
    text = ["*NODE, NSET=NALL"] + out + ["*ELEMENT, TYPE=%s, ELSET=EALL" % element]
    for e, row in enumerate(elements):
        cells = [str(e + 1)] + [str(a) for a in row]
        text += [", ".join(cells[:11]) + ("," if len(cells) > 11 else "")] + ([", ".join(cells[11:])] if len(cells) > 11 else [])
    text += ["*NSET, NSET=ROOT"] + ["%d," % a for a in root] + ["*NSET, NSET=TIP"] + ["%d," % a for a in tip]
    force = (4.5 if plastic else 200.0 if large else 1.0) / len(tip)  # it yields at 3.3 N, collapses at 5 N
    text.append("*MATERIAL, NAME=STEEL\n*ELASTIC\n210000., .3")
    if plastic:
        text.append("*PLASTIC\n200., 0.\n400., 0.1")
    text.append("*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL\n*BOUNDARY\nROOT, 1, 3")
    text.append("*STEP%s\n*STATIC%s\n*CLOAD\nTIP, 3, %.9g" % (", NLGEOM" if large else "", "\n0.25, 1." if plastic or large else "", -force))
    text.append("*NODE PRINT, NSET=TIP, FREQUENCY=100\nU\n*NODE FILE, FREQUENCY=100\nU\n*END STEP\n")
    return "\n".join(text), 3 * len(number)


MODELS = [
    ("C3D8I", (24, 3, 3), False, False),
    ("C3D20R", (20, 2, 2), False, False),
    ("C3D8I", (60, 6, 6), False, False),
    ("C3D8I", (60, 6, 6), True, False),
    ("C3D20R", (40, 4, 4), False, True),
    ("C3D10", (50, 5, 5), False, False),
    ("C3D8I", (130, 13, 13), False, False),
    ("C3D20R", (80, 8, 8), False, False),
    ("C3D8I", (150, 15, 15), False, False),
    ("C3D8I", (210, 20, 20), False, False),
]


def their_tip(path):
    values = [float(w.split()[3]) for w in open(path) if re.match(r"\s+\d+\s+\S+\s+\S+\s+\S+\s*$", w)]
    return min(values)


def our_tip(path):
    return min(float(w.split(",")[9]) for w in open(path) if ",displacement," in w)


def main():
    arg = argparse.ArgumentParser()
    arg.add_argument("--threads", type=int, default=1)
    arg.add_argument("--repeats", type=int, default=2)
    arg.add_argument("--most", type=float, default=3e5)
    arg.add_argument("--only", default="")
    a = arg.parse_args()
    if not shutil.which("ccx"):
        sys.exit("ccx is not here: apt install calculix-ccx")
    which = 1 if a.threads == 1 else 0
    print("| element | cells | kind | unknowns | ccx, s | ingot, s | ratio |\n| --- | --- | --- | ---: | ---: | ---: | ---: |", flush=True)
    for element, n, plastic, large in MODELS:
        kind = ("plastic" if plastic else "elastic") + (", large" if large else "")
        name = "%s %s" % (element, kind)
        if a.only not in name:
            continue
        text, unknowns = deck(element, n, plastic, large)
        if unknowns > a.most:
            continue
        with peers.folder() as folder:
            with open(os.path.join(folder, "job.inp"), "w") as f:
                f.write(text)
            theirs, ours = [], []
            for _ in range(a.repeats):
                theirs.append(peers.command(["ccx", "job"], folder, a.threads)[which])
                words = [peers.INGOT, "run", "job.inp", "-q", "--out", "out", "--force", "-t", str(a.threads)]
                ours.append(peers.command(words, folder, a.threads)[which])
            t, o = their_tip(os.path.join(folder, "job.dat")), our_tip(os.path.join(folder, "out", "tables.csv"))
            if not abs(o - t) <= (0.03 if plastic else 0.01) * abs(t):
                sys.exit("%s: ccx has %g at the end, ingot %g" % (name, t, o))
        print("| %s | %d x %d x %d | %s | %d | %.2f | %.2f | %.1f |" % ((element,) + n + (kind, unknowns, min(theirs), min(ours), min(theirs) / min(ours))), flush=True)


if __name__ == "__main__":
    main()
