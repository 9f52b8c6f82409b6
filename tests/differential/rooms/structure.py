"""Implicit statics and modes of solids on meshes that are no grids: forces, pressures, weight, prescribed motions, plastic paths."""
from engine import Check
from judges import calculix, modes
from model import Model, in_file
from rooms import pressed
from rooms.common import free_mesh, places, with_keys, ways

NAME = "structure"
SUMS = {"load_x": "f", "load_y": "f", "load_z": "f", "reaction_x": "f", "reaction_y": "f", "reaction_z": "f"}


def generate(rng):
    if rng.random() < 0.2:
        return pressed.generate(rng)
    mesh, parts = free_mesh(rng, most=3, cells=(1, 4))
    size = [max(p[d] for p in mesh.points) - min(p[d] for p in mesh.points) for d in range(3)]
    young = rng.choice([210e9, 70e9, 2e9])
    material = {"name": "m", "young": young, "poisson": rng.choice([0.0, 0.3, 0.45]), "density": rng.choice([1000.0, 7800.0])}
    kind = rng.choice(["linear", "linear", "large", "plastic", "frequency"])
    tets = len(mesh.cells[0]) == 4
    case = {"physics": "structure", "mesh": {"data": mesh}, "materials": [material], "supports": [{"set": "zmin_n", "fix": "all"}]}
    # plastic: as CalculiX's C3D8, since the points of its other hexahedra are elsewhere
    integration = "full" if tets or kind in ("plastic", "large") else rng.choice(["full", "incompatible"])
    if not tets:
        case["sections"] = [{"integration": integration}]
    # strains of a thousandth, of some percent in `large`, about twice the first yield in `plastic`
    stress = young * {"linear": 1e-4, "large": 4e-3, "plastic": 1e-3, "frequency": 1e-4}[kind]
    if kind == "plastic":
        material.update({"yield": stress * rng.choice([0.4, 0.7]), "hardening": young * rng.choice([0.05, 0.2])})
    loads = []
    if rng.random() < 0.6 and kind != "plastic":
        loads.append({"set": rng.choice(["xmax", "zmax"]) + "_n", "force": [stress * size[0] * size[1] / len(mesh.nodes["zmax"]) * rng.uniform(-0.3, 0.3) for _ in range(3)]})
    if rng.random() < 0.5 or not loads:
        loads.append({"set": rng.choice(["xmax", "ymin", "zmax"]) + "_f", "pressure": stress * rng.choice([-0.5, 0.5, 1.0])})
    if kind == "plastic":
        loads = [{"set": "zmax_f", "pressure": stress * rng.choice([-1, 1])}]
    if rng.random() < 0.3 and kind == "linear":
        loads.append({"set": "all", "acceleration": [rng.uniform(-1e6, 1e6) * stress / young for _ in range(3)]})
    if rng.random() < 0.25 and kind in ("linear", "large"):
        loads = []
        case["supports"].append({"set": "zmax_n", "displacement": [stress / young * size[2] * rng.uniform(-1, 1) for _ in range(3)]})
    analysis = {"kind": "static"}
    if kind in ("large", "plastic"):
        steps = rng.choice([2, 4, 5])
        analysis.update(large=kind == "large", first_step=1 / steps, fixed_steps=True)
        for e in loads + case["supports"][1:]:
            e["history"] = [[0, 0], [1, 1]]
    figures = dict({"displacement_max": "u"}, **SUMS)
    if kind == "frequency":
        analysis, loads, figures = {"kind": "frequency", "modes": 3}, [], {"mode_1": "z", "mode_2": "z", "mode_3": "z"}
    case.update(loads=loads, analysis=[analysis], output={"count": rng.choice([0, 1])})
    return Model(case, figures, kind=kind, tets=tets, integration=integration, scale={"f": stress * size[0] * size[1] * 1e-3})


def may_fail(text):
    return "no equilibrium beyond load factor" in text and "no equilibrium beyond load factor 0 " not in text


def sound(model, base):
    if model.judge["kind"] == "pressed":
        yield from pressed.sound(model, base)
    if model.judge["kind"] in ("pressed", "frequency"):
        return
    # accelerations act on nodes, prescribed ones as well, and reactions bear them
    size = max(abs(base[k]) for k in SUMS) + model.judge["scale"]["f"]
    for d in "xyz":
        if abs(base["load_" + d] + base["reaction_" + d]) > 1e-5 * size:
            yield "loads and reactions along %s: %g and %g" % (d, base["load_" + d], base["reaction_" + d])


def relations(model, base, rng, program, name):
    case, kind = model.case, model.judge["kind"]
    if kind == "pressed":
        yield from pressed.relations(model, base, rng)
        return
    # what Newton's method leaves is below 1e-5 of the forces, and far below it where a problem is linear
    close = {"linear": 1e-7, "frequency": 1e-6}.get(kind, 2e-4)
    yield from ways(model, base, rng)
    yield from places(model, rng, close, only=("displacement_max", "mode_1", "mode_2", "mode_3", "load_z", "reaction_z"))
    s = rng.choice([0.1, 3.0])
    m = in_file(model, scale=s)
    for e in m.case["loads"]:
        e.update({k: [v * f for v in e[k]] for k, f in (("force", s * s), ("acceleration", 1 / s)) if k in e})
    for e in m.case["supports"]:
        e.update({k: [v * s for v in e[k]] for k in ("displacement",) if k in e})
    yield Check("scale", close, m, factor={"kind u": s, "kind f": s * s, "kind z": 1 / s})
    if kind == "linear":
        m = model.copy()
        for e in m.case["loads"] + m.case["supports"]:
            for k in ("force", "acceleration", "displacement"):
                if k in e:
                    e[k] = [-2 * v for v in e[k]]
            if "pressure" in e:
                e["pressure"] *= -2
        yield Check("double", close, m, factor={"kind f": -2.0, "kind u": 2.0})
        yield Check("two_analyses", close, with_keys(model, analysis=[{"kind": "static"}, {"kind": "static"}]))
    if kind == "large":
        m = model.copy()
        m.case["analysis"][0]["first_step"] /= 2
        yield Check("half_step", close, m)
    if kind != "frequency":
        m = model.copy()  # stiffer by s under s times the load: the same strains
        m.case["materials"][0].update({k: 3.0 * m.case["materials"][0][k] for k in ("young", "yield", "hardening", "density") if k in m.case["materials"][0]})
        for e in m.case["loads"]:
            e.update({"force": [3.0 * v for v in e["force"]]} if "force" in e else {"pressure": 3.0 * e["pressure"]} if "pressure" in e else {})
        yield Check("stiffer", close, m, factor={"kind f": 3.0})
    # masses of C3D4 and C3D8I are not the consistent ones: see README.md
    if kind == "frequency" and model.judge["tets"]:
        yield Check("judge_numpy", {"z": 1e-6}, figures=lambda: modes.frequencies(model))
    if kind == "frequency" and (model.judge["tets"] or model.judge["integration"] != "full"):
        return
    exact = 5e-2 if model.judge["integration"] == "incompatible" else {"linear": 2e-4, "large": 5e-4}.get(kind, 2e-3)
    yield Check("judge_calculix", {"u": exact, "z": 1e-4},
                follow=lambda p, n: calculix.structure(p, n, model))
