"""Stresses at nodes beside CalculiX's (*EL FILE, averaged at the nodes), the same deck for both.

A tapered cantilever, bent and pushed, of every kind of solid, of shells and of beams; a plate with
two materials; a plate with a hole beside the closed form. Usage: nodal.py INGOT FOLDER"""
import itertools
import os
import subprocess
import sys

import numpy as np

import ingot

program, folder = sys.argv[1], sys.argv[2]
E, NU = 210e9, 0.3
KUHN = [(0, 1, 2, 6), (0, 1, 5, 6), (0, 4, 5, 6), (0, 4, 7, 6), (0, 3, 7, 6), (0, 3, 2, 6)]
EDGES = {20: [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)],
         10: [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
         15: [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)],
         8: [(0, 1), (1, 2), (2, 3), (3, 0)], 6: [(0, 1), (1, 2), (2, 0)], 3: [(0, 1)]}


def positive(cell, x):
    a, b, c = (x[cell[i]] - x[cell[0]] for i in (1, 2, 3))
    return cell if np.dot(np.cross(a, b), c) > 0 else (cell[0], cell[2], cell[1], cell[3])


def solids(kind, n, place):
    """Nodes and cells of a block of n cells, its unit cube taken to `place`."""
    x = [np.array(place(i / n[0], j / n[1], k / n[2])) for k in range(n[2] + 1) for j in range(n[1] + 1)
         for i in range(n[0] + 1)]
    at = lambda i, j, k: (k * (n[1] + 1) + j) * (n[0] + 1) + i
    cells = []
    for k, j, i in itertools.product(range(n[2]), range(n[1]), range(n[0])):
        c = [at(i, j, k), at(i + 1, j, k), at(i + 1, j + 1, k), at(i, j + 1, k)]
        c += [v + (n[0] + 1) * (n[1] + 1) for v in c]
        if kind.startswith("C3D8") or kind.startswith("C3D20"):
            cells.append(tuple(c))
        elif kind in ("C3D4", "C3D10"):
            cells += [positive([c[v] for v in t], x) for t in KUHN]
        else:
            cells += [tuple(c[v] for v in t) for t in ((0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7))]
    return x, cells


def plate(kind, n, place):
    x = [np.array(place(i / n[0], j / n[1])) for j in range(n[1] + 1) for i in range(n[0] + 1)]
    cells = []
    for j, i in itertools.product(range(n[1]), range(n[0])):
        c = [j * (n[0] + 1) + i, j * (n[0] + 1) + i + 1, (j + 1) * (n[0] + 1) + i + 1, (j + 1) * (n[0] + 1) + i]
        cells += [tuple(c)] if kind in ("S4", "S8R") else [(c[0], c[1], c[2]), (c[0], c[2], c[3])]
    return x, cells


def with_middles(x, cells, nodes):
    """Cells of `nodes` nodes, a node in the middle of each edge."""
    middle, x = {}, list(x)
    full = []
    for c in cells:
        c = list(c)
        for a, b in EDGES[nodes] if nodes > len(c) else []:
            key = tuple(sorted((c[a], c[b])))
            if key not in middle:
                middle[key] = len(x)
                x.append((x[key[0]] + x[key[1]]) / 2)
            c.append(middle[key])
        full.append(c)
    return np.array(x), full


def deck(name, kind, x, cells, clamp, tip, force, section="*SOLID SECTION, MATERIAL=M1, ELSET=ALL\n", second=()):
    rows = lambda items: "".join(", ".join(str(v + 1) for v in items[i:i + 8]) + ",\n" for i in range(0, len(items), 8))
    text = "*NODE, NSET=NALL\n" + "".join(f"{i + 1}, {p[0]:.9g}, {p[1]:.9g}, {p[2]:.9g}\n" for i, p in enumerate(x))
    text += f"*ELEMENT, TYPE={kind}, ELSET=ALL\n"
    for e, c in enumerate(cells):
        line = [str(v + 1) for v in c]
        text += f"{e + 1}, " + ", ".join(line[:10]) + (",\n" + ", ".join(line[10:]) if len(line) > 10 else "") + "\n"
    text += f"*NSET, NSET=CLAMP\n{rows(clamp)}*NSET, NSET=TIP\n{rows(tip)}"
    text += f"*MATERIAL, NAME=M1\n*ELASTIC\n{E}, {NU}\n"
    if second:
        text += f"*MATERIAL, NAME=M2\n*ELASTIC\n{E / 3}, {NU}\n*ELSET, ELSET=TWO\n{rows(list(second))}"
    text += section + "*BOUNDARY\nCLAMP, 1, 6\n" if "SHELL" in section or "BEAM" in section else section + "*BOUNDARY\nCLAMP, 1, 3\n"
    text += "*STEP\n*STATIC\n*CLOAD\n" + "".join(f"TIP, {d + 1}, {f / len(tip)}\n" for d, f in enumerate(force))
    text += "*NODE FILE\nU\n*EL FILE\nS\n*END STEP\n"
    with open(os.path.join(folder, name + ".inp"), "w") as to:
        to.write(text)


def calculix(name):
    """Places and stresses (xx yy zz xy yz zx) of the nodes, by number; of shells, those of their solids."""
    subprocess.run(["ccx", "-i", name], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    place, found, here = {}, {}, ""
    for line in open(os.path.join(folder, name + ".frd")):
        if line.startswith("    2C"):
            here = "NODES"
        elif line.startswith(" -4"):
            here = line[5:11].strip()
        elif line.startswith(" -3"):
            here = ""
        elif here in ("NODES", "STRESS") and line.startswith(" -1"):
            row = np.array([float(line[13 + 12 * i:25 + 12 * i]) for i in range(3 if here == "NODES" else 6)])
            (place if here == "NODES" else found)[int(line[3:13])] = row
    return place, found


def ours(name):
    out = os.path.join(folder, name + "-out")
    subprocess.run([program, "run", name + ".inp", "--quiet", "--out", out], cwd=folder, check=True)
    result = ingot.Result(out)
    snapshot = result.snapshots[-1]
    return {n: np.array(snapshot.point_data[n]) for n in snapshot.point_data}, result


def mises(s):
    s = np.asarray(s)
    a, b, c = s[..., 0] - s[..., 1], s[..., 1] - s[..., 2], s[..., 2] - s[..., 0]
    return np.sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[..., 3:] ** 2).sum(axis=-1))


failed = 0


def holds(what, value, bound):
    global failed
    print(f"{'ok  ' if value <= bound else 'FAIL'} {what}: {value:.2e} of {bound:.0e}")
    failed += not value <= bound


def taper(u, v, w):
    """1 m long, higher at the clamp, a little skew."""
    return [u, 0.1 * (v - 0.5) * (1.5 - 0.5 * u), 0.2 * (w - 0.5) * (1.3 - 0.3 * u) + 0.02 * u * v]


def straight(u, v, w):
    return [u, 0.1 * (v - 0.5), 0.2 * (w - 0.5)]


def cantilever(kind, n, bound, place_of=taper):
    nodes = int("".join(c for c in kind[3:] if c.isdigit()))
    x, cells = with_middles(*solids(kind, n, place_of), nodes)
    clamp, tip = np.flatnonzero(x[:, 0] < 1e-9), np.flatnonzero(x[:, 0] > 1 - 1e-9)
    deck(kind, kind, x, cells, list(clamp), list(tip), (2e5, 1e4, -5e4))
    _, theirs = calculix(kind)
    if kind == "C3D6":
        theirs = wedges(kind, cells)
    ours_here, result = ours(kind)
    there = np.array([theirs[i + 1] for i in range(len(x))])
    scale = mises(there).max()
    holds(kind + " tensors", np.abs(ours_here["nodal_stress"] - there).max() / scale, bound)
    holds(kind + " von Mises", abs(ours_here["nodal_von_mises"] - mises(there)).max() / scale, bound)
    holds(kind + " figure", abs(result["nodal_von_mises_max"] / scale - 1), bound)
    place = [result["nodal_von_mises_max_" + d] for d in "xyz"]
    at = np.argmin(np.linalg.norm(x - place, axis=1))
    holds(kind + " place", 1 - mises(there)[at] / scale, bound)


def wedges(name, cells):
    """CalculiX 2.20 continues the two points of a C3D6 to the far nodes instead of the near ones: its stresses at the
    points, continued here along the line between them."""
    text = open(os.path.join(folder, name + ".inp")).read()
    with open(os.path.join(folder, "points.inp"), "w") as to:
        to.write(text.replace("*EL FILE", "*EL PRINT, ELSET=ALL\nS\n*EL FILE"))
    subprocess.run(["ccx", "-i", "points"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    point, sums = {}, {}
    for line in open(os.path.join(folder, "points.dat")):
        row = line.split()
        if len(row) == 8 and row[0].isdigit():
            point[int(row[0]), int(row[1])] = np.array([float(v) for v in row[2:]])[[0, 1, 2, 3, 5, 4]]
    for e, cell in enumerate(cells):
        low, high = point[e + 1, 1], point[e + 1, 2]
        for a, node in enumerate(cell):
            share = 0.5 + (-1 if a < 3 else 1) * 0.5 * np.sqrt(3)
            sums.setdefault(node + 1, []).append((1 - share) * low + share * high)
    return {n: np.mean(rows, axis=0) for n, rows in sums.items()}


for kind, n in (("C3D4", (6, 2, 2)), ("C3D6", (8, 2, 2)), ("C3D8", (8, 2, 3)), ("C3D10", (5, 2, 2)),
                ("C3D15", (5, 2, 2)), ("C3D20R", (5, 2, 2))):
    cantilever(kind, n, 2e-4)  # CalculiX writes six digits
cantilever("C3D20", (5, 2, 2), 1e-3)  # and continues 27 points by factors of few digits
cantilever("C3D8I", (8, 2, 3), 2e-4, straight)  # skew, its incompatible modes are others than ours


def curved(u, v):
    return [u, 0.3 * v, 0.05 * np.sin(2.5 * u * v) + 0.03 * u]


def shell(kind, n, bound, curved=curved):
    thick = 0.01
    x, cells = with_middles(*plate(kind, n, curved), int(kind[1]))
    clamp, tip = np.flatnonzero(x[:, 0] < 1e-9), np.flatnonzero(x[:, 0] > 1 - 1e-9)
    deck(kind, kind, x, cells, list(clamp), list(tip), (2e4, 1e3, -3e2),
         f"*SHELL SECTION, MATERIAL=M1, ELSET=ALL\n{thick}\n")
    place, theirs = calculix(kind)
    ours_here, _ = ours(kind)
    numbers = [i for i in theirs if i in place]
    spots = np.array([place[i] for i in numbers])
    worst, scale = 0, max(mises(theirs[i]) for i in numbers)
    for side, name in ((1, "top"), (-1, "bottom")):
        for i, p in enumerate(x):
            near = np.argsort(np.linalg.norm(spots - p, axis=1))[:8]
            # those half a thickness away, on this side (the plate looks up)
            rim = [k for k in near if abs(np.linalg.norm(spots[k] - p) - thick / 2) < 1e-4 * thick and
                   side * (spots[k] - p)[2] > 0]
            if rim:
                off = [np.abs(ours_here["nodal_stress_" + name][i] - theirs[numbers[k]]).max() for k in rim]
                worst = max(worst, min(off) / scale)
    holds(kind + " both surfaces", worst, bound)


for kind, n in (("S6", (6, 2)), ("S8R", (6, 2))):
    shell(kind, n, 2e-4)
shell("S4", (10, 3), 2e-4, lambda u, v: [u, 0.3 * v, 0])


def bending():
    """A cantilever of hex20 under a load at its tip: 6 M / (b h^2) half way along, where nothing disturbs it, and with
    few elements through the height: means of elements say half of it."""
    x, cells = with_middles(*solids("C3D20R", (20, 2, 2), straight), 20)
    clamp, tip = np.flatnonzero(x[:, 0] < 1e-9), np.flatnonzero(x[:, 0] > 1 - 1e-9)
    deck("bending", "C3D20R", x, cells, list(clamp), list(tip), (0, 0, -5e4))
    here, _ = ours("bending")
    top = [i for i in range(len(x)) if abs(x[i, 0] - 0.5) < 1e-9 and x[i, 2] > 0.1 - 1e-9]
    exact = 6 * 5e4 * 0.5 / (0.1 * 0.2 ** 2)
    holds("beam theory", np.abs(here["nodal_stress"][top, 0] / exact - 1).max(), 1e-3)


def interface():
    """Two materials, the second a third as stiff, pulled: the stress along the pull jumps at the interface where sides
    are held, and a node shows the larger von Mises stress of both, not their mean."""
    x, cells = with_middles(*solids("C3D8", (6, 2, 4), straight), 8)
    upper = [e for e, c in enumerate(cells) if np.mean(x[c], axis=0)[2] > 0]
    clamp, tip = np.flatnonzero(x[:, 0] < 1e-9), np.flatnonzero(x[:, 0] > 1 - 1e-9)
    lower = [e for e in range(len(cells)) if e not in upper]
    deck("two", "C3D8", x, cells, list(clamp), list(tip), (1e6, 0, 0),
         "*ELSET, ELSET=ONE\n" + "".join(f"{e + 1},\n" for e in lower) +
         "*SOLID SECTION, MATERIAL=M1, ELSET=ONE\n*SOLID SECTION, MATERIAL=M2, ELSET=TWO\n", upper)
    here, _ = ours("two")
    sides = {}
    for name, part in (("one", lower), ("two", upper)):  # CalculiX, elements of one side printed alone
        text = open(os.path.join(folder, "two.inp")).read()
        with open(os.path.join(folder, name + ".inp"), "w") as to:
            to.write(text.replace("*NODE FILE\nU\n*EL FILE", f"*EL PRINT, ELSET={name.upper()}\nS\n*NODE FILE\nU\n*EL FILE"))
        subprocess.run(["ccx", "-i", name], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        point = {}
        for line in open(os.path.join(folder, name + ".dat")):
            row = line.split()
            if len(row) == 8 and row[0].isdigit():
                point.setdefault(int(row[0]) - 1, []).append([float(v) for v in row[2:]])
        g = np.sqrt(3)
        corner = np.array([(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1),
                           (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)])
        order = corner[[0, 1, 3, 2, 4, 5, 7, 6]]  # of the points
        fit = np.array([[np.prod(1 + g * c * p) / 8 for p in order] for c in corner])
        sums = {}
        for e in part:
            for a, row in zip(cells[e], fit @ np.array(point[e])):
                sums.setdefault(a, []).append(row[[0, 1, 2, 3, 5, 4]])
        sides[name] = {a: mises(np.mean(rows, axis=0)) for a, rows in sums.items()}
    exact = np.array([max(sides[n].get(i, 0) for n in sides) for i in range(len(x))])
    holds("two materials", np.abs(here["nodal_von_mises"] - exact).max() / exact.max(), 2e-4)
    jump = [abs(sides["one"][i] / sides["two"][i] - 1) for i in sides["one"] if i in sides["two"]]
    holds("their sides differ", 1 / max(jump), 2)


def case(name, text):
    with open(os.path.join(folder, name + ".yaml"), "w") as to:
        to.write(text)
    out = os.path.join(folder, name + "-out")
    subprocess.run([program, "run", name + ".yaml", "--quiet", "--out", out], cwd=folder, check=True)
    result = ingot.Result(out)
    snapshot = result.snapshots[-1]
    return np.array(snapshot.points), {n: np.array(snapshot.point_data[n]) for n in snapshot.point_data}, result


def dynamics(name, mesh, section, load, fix="all", material="", more=""):
    return case(name, f"""physics: dynamics
mesh: {{{mesh}}}
materials: {{name: s, density: 7850, young: 210 GPa, poisson: 0{material}}}
sections: {{{section}}}
supports: {{set: xmin, fix: {fix}}}
loads: {{set: xmax, total: {load}}}
analysis: {{kind: static{more}}}
output: {{count: 1}}
""")


def along(x, here, at, width=0.2):
    """xx at the edges y = 0 and y = width, at this x."""
    rows = [np.flatnonzero((abs(x[:, 0] - at) < 1e-9) & (abs(x[:, 1] - y) < 1e-9)) for y in (0, width)]
    return [here[r, 0] for r in rows]


def dynamics_shells():
    """A strip of 1 x 0.2 m, 20 mm thick: 6 M / (b h^2) at both surfaces, and at its edges in its own plane. Layers below
    their yield stress say what elastic shells do; large displacements are none at these loads."""
    for element, bound in (("quad4", 2e-3), ("tri3", 2e-2)):
        for law, material in (("", ""), (" layers", ", yield: 10 GPa, hardening: 1 GPa")):
            mesh = f"element: {element}, shell: true, boxes: {{size: [1 m, 0.2 m], cells: [10, 2]}}"
            x, here, result = dynamics("bend", mesh, "thickness: 20 mm", "[0, 0, -1]", material=material)
            exact = 6 * 0.8 / (0.2 * 0.02 ** 2)
            for side, sign in (("top", 1), ("bottom", -1)):
                off = [v / (sign * exact) - 1 for v in along(x, here["nodal_stress_" + side], 0.2)]
                holds(f"{element}{law} bending, {side}", np.abs(off).max(), bound)
            holds(f"{element}{law} figure", abs(result["nodal_von_mises_max"] / (exact / 0.8) - 1), 2e-2)
            if element == "quad4":
                x, here, _ = dynamics("plane", mesh, "thickness: 20 mm", "[0, -1, 0]", material=material)
                exact = 6 * 0.8 / (0.02 * 0.2 ** 2)
                low, high = along(x, here["nodal_stress"], 0.2)
                holds(f"{element}{law} in its plane", max(abs(low / exact + 1).max(), abs(high / exact - 1).max()), 2e-3)


def dynamics_yields():
    """A strip that yields in pure tension: every surface has the yield stress of its strain, none more."""
    x, here, _ = case("yields", """physics: dynamics
mesh: {element: quad4, shell: true, boxes: {size: [1 m, 0.2 m], cells: [4, 2]}}
materials: {name: s, density: 7850, young: 210 GPa, poisson: 0, yield: 200 MPa, hardening: 2.1 GPa}
sections: {thickness: 20 mm}
supports:
  - {set: xmin, fix: x z rx ry rz}
  - {set: ymin, fix: y}
  - {set: xmax, displacement: [2 mm, 0, 0], components: x, history: [[0, 0], [1, 1]]}
analysis: {kind: static}
output: {count: 1}
""")
    strain = np.log1p(2e-3)
    exact = 200e6 + (210e9 * strain - 200e6) * 2.1 / (210 + 2.1)
    holds("yielding strip", np.abs(here["nodal_stress"][:, 0] / exact - 1).max(), 5e-3)


def dynamics_fold():
    """A box girder's corner: two plates at right angles, pulled. No mean is taken over the fold, and plates whose nodes
    run the other way round share one top."""
    corners = np.array([(i * 0.25, j * 0.1 if j < 3 else 0.2, 0 if j < 3 else (j - 2) * 0.1)
                        for j in range(5) for i in range(5)])
    cells = []
    for j in range(4):
        for i in range(4):
            c = [5 * j + i, 5 * j + i + 1, 5 * j + i + 6, 5 * j + i + 5]
            cells.append(c if (i + j) % 2 else c[::-1])
    rows = "".join(f"{i + 1}, {p[0]}, {p[1]}, {p[2]}\n" for i, p in enumerate(corners))
    text = f"*NODE\n{rows}*ELEMENT, TYPE=S4, ELSET=ALL\n"
    text += "".join(f"{e + 1}, " + ", ".join(str(v + 1) for v in c) + "\n" for e, c in enumerate(cells))
    text += "*NSET, NSET=A\n" + "".join(f"{5 * j + 1},\n" for j in range(5))
    text += "*NSET, NSET=B\n" + "".join(f"{5 * j + 5},\n" for j in range(5))
    with open(os.path.join(folder, "fold.inp"), "w") as to:
        to.write(text)
    x, here, result = case("fold", """physics: dynamics
mesh: {file: fold.inp}
materials: {name: s, density: 7850, young: 210 GPa, poisson: 0.3}
sections: {thickness: 20 mm}
supports:
  - {set: A, fix: all}
  - {set: B, displacement: [0.1 mm, 0, 0], components: x, history: [[0, 0], [1, 1]]}
analysis: {kind: static}
output: {count: 1}
""")
    middle = np.flatnonzero(abs(x[:, 0] - 0.5) < 1e-9)
    exact = 210e9 * 1e-4
    for field in ("nodal_stress", "nodal_stress_top", "nodal_stress_bottom"):
        holds("fold, " + field, np.abs(here[field][middle, 0] / exact - 1).max(), 0.03)


def dynamics_solids():
    """Hexahedra with incompatible modes, tetrahedra: the same beam by Newton's method."""
    for element, bound in (("hex8", 2e-4), ("hex20", 2e-4), ("tet10", 4e-2)):
        mesh = f"element: {element}, boxes: {{size: [1 m, 0.2 m, 0.1 m], cells: [10, 2, 2]}}"
        x, here, _ = dynamics("solid", mesh, "integration: auto", "[0, -10, 0]", "xyz")
        low, high = along(x, here["nodal_stress"], 0.5)
        exact = 6 * 5 / (0.1 * 0.2 ** 2)
        holds(f"dynamics, {element}", max(abs(low / exact + 1).max(), abs(high / exact - 1).max()), bound)


def grown():
    """`stress`: a cantilever that is not grown, loaded at its tip."""
    for element, bound in (("hex8", 2e-3), ("tet10", 5e-2)):
        x, here, result = case("grown", f"""physics: stress
mesh: {{element: {element}, boxes: {{size: [1 m, 0.1 m, 0.2 m], cells: [20, 2, 4]}}}}
materials: {{name: s, density: 7850, young: 210 GPa, poisson: 0}}
supports: {{set: xmin, fix: xyz}}
loads: {{set: xmax, total: [0, 0, -1 kN]}}
phases: {{kind: load, steps: 1}}
output: {{count: 1}}
""")
        top = np.flatnonzero((abs(x[:, 0] - 0.5) < 1e-9) & (x[:, 2] > 0.2 - 1e-9))
        exact = 6 * 500 / (0.1 * 0.2 ** 2)
        holds(f"stress, {element}", np.abs(here["nodal_stress"][top, 0] / exact - 1).max(), bound)
        most = np.nanmax(here["nodal_von_mises"])
        holds(f"stress, {element}, figure", abs(result["nodal_von_mises_max"] / most - 1), 1e-12)


bending()
interface()
dynamics_shells()
dynamics_yields()
dynamics_fold()
dynamics_solids()
grown()
sys.exit(failed > 0)
