"""Quasi-static thermo-elasto-plastic bodies: loads, thermal strain, layers with inherent strain, cuts."""
import math

from engine import Check
from judges import calculix, solid
from model import Model, in_file, scaled
from rooms.common import FACES, boxes, corner, geometry, ways, with_keys

NAME = "stress"
E = 2e11


def transforming(rng):
    """A free block that is heated until it is austenite, in part or whole, and cooled: it moves as the documentation's equations say."""
    parts = boxes(rng, most=1, cells=(1, 3))
    law = {"martensite_start": rng.choice([400.0, 550.0]), "rate": rng.choice([0.011, 0.03]), "austenite_start": 800.0, "austenite_end": 1000.0,
           "strain": rng.choice([5e-3, 8e-3]), "expansion": 1.8e-5}
    if rng.random() < 0.5:
        law.update(trip=5e-11, saturation=rng.choice(["desalos", "leblond"]))
    if rng.random() < 0.5:
        law.update({"yield": 2e8, "hardening": 1e9})
    if rng.random() < 0.3:
        law["strain_temperature"] = 400.0
    material = {"name": "m", "young": E, "poisson": 0.3, "yield": 5e8, "hardening": 2e9, "mechanical": {"expansion": 1.1e-5, "anneal": 1500.0, "transformation": law}}
    hot, cold = rng.choice([700.0, 900.0, 950.0, 1100.0]), rng.choice([293.15, 320.0, 420.0, 600.0])
    steps = rng.choice([1, 2, 5])
    case = {"physics": "stress", "mesh": {"boxes": parts}, "output": {"count": 1}, "materials": [material], "solver": {"tolerance": 1e-10},
            "supports": [{"set": "xmin", "fix": "x"}, {"set": "ymin", "fix": "y"}, {"set": "zmin", "fix": "z"}],
            "phases": [{"kind": "load", "name": "one", "steps": steps, "temperature": [[0, 293.15], [1, hot]]},
                       {"kind": "load", "name": "two", "steps": steps, "temperature": [[0, hot], [1, cold]]}]}
    far = [o + s for o, s in zip(parts[0]["origin"], parts[0]["size"])]
    case["probes"] = [{"name": "u" + a, "point": far, "quantity": "u" + a} for a in "xyz"] + \
        [{"name": "z", "point": [o + 0.5 * s / n for o, s, n in zip(parts[0]["origin"], parts[0]["size"], parts[0]["cells"])], "quantity": "martensite"}]
    figures = {"ux": "u", "uy": "u", "uz": "u", "u_max": "u", "von_mises_max": "s", "z": "n"}
    return Model(case, figures, kind="phase", plastic=True, scale={"u": 1e-4 * max(parts[0]["size"]), "s": 1e5, "n": 1.0}, steps=steps, path=[293.15, hot, cold])


def grown(model):
    """Displacements of the far corner and the fraction of martensite, by docs/explanation/stress.md."""
    law, expansion = model.case["materials"][0]["mechanical"]["transformation"], model.case["materials"][0]["mechanical"]["expansion"]

    def formed(t):
        return 1 - math.exp(-law["rate"] * max(0.0, law["martensite_start"] - t))

    def strain(z, t):
        """Both phases have the strain of their own expansion; they differ by `strain` at its temperature."""
        at = law.get("strain_temperature", 293.15)
        martensite = expansion * (t - 293.15)
        austenite = expansion * (at - 293.15) - law["strain"] + law["expansion"] * (t - at)
        return z * martensite + (1 - z) * austenite
    begin, hot, cold = model.judge["path"]
    first = z = formed(begin)
    z = min(z, max(0.0, (law["austenite_end"] - hot) / (law["austenite_end"] - law["austenite_start"])))
    z = max(z, formed(cold))
    amount = strain(z, cold) - strain(first, begin)
    size = model.case["mesh"]["boxes"][0]["size"]
    return {"ux": amount * size[0], "uy": amount * size[1], "uz": amount * size[2], "z": z}


def generate(rng):
    if rng.random() < 0.08:
        return transforming(rng)
    parts = boxes(rng, cells=(2, 4))
    material = {"name": "m", "young": rng.choice([E, 7e10, 1.1e11]), "poisson": rng.choice([0.3, 0.0, 0.2, 0.45])}
    plastic = rng.random() < 0.5
    if plastic:
        material["yield"] = rng.choice([2e8, 3e8])
        material["hardening"] = rng.choice([1e9, 5e9, 2e10])
        if rng.random() < 0.4:
            material["kinematic"] = rng.choice([1e9, 1e10])
    case = {"physics": "stress", "mesh": {"boxes": parts}, "output": {"count": 1}, "materials": [material],
            "solver": {"tolerance": 1e-10}}
    if len(parts) > 1 and rng.random() < 0.25:
        case["materials"].append({"name": "other", "set": "b", "young": 1e11, "poisson": 0.25})
    case["supports"] = [{"set": "zmin", "fix": "all"}]
    kind = rng.choice(["load", "load", "pull", "heat", "build"] if len(parts) > 1 else ["load", "pull", "heat", "block", "block"])
    steps = rng.choice([1, 2, 5])
    base = parts[0]
    area = base["size"][0] * base["size"][1]
    strength = material.get("yield", 1e8)
    phases = []
    if kind == "load":
        case["loads"] = []
        f = rng.uniform(0.1, 0.4) * strength * area
        case["loads"].append({"set": "zmax", "total": [round(rng.uniform(-0.3, 0.3) * f, 3), round(rng.uniform(-0.3, 0.3) * f, 3),
                                                      round(rng.uniform(-1, 1) * f, 3)]})
        if rng.random() < 0.4:
            case["loads"].append({"set": rng.choice(FACES), "pressure": round(rng.uniform(-0.3, 0.3) * strength, 0)})
        phases.append({"kind": "load", "name": "one", "steps": steps})
    elif kind == "pull":
        height = sum(b["size"][2] for b in parts if b["name"] in "ab")
        u = rng.uniform(-3, 3) * strength / material["young"] * height
        case["supports"].append({"set": "zmax", "components": rng.choice(["z", "xyz"]), "displacement": [0, 0, u]})
        phases.append({"kind": "load", "name": "one", "steps": steps})
    elif kind == "block":  # uniform stress along a path: any element has the same answer
        case["supports"] = [{"set": "xmin", "fix": "x"}, {"set": "ymin", "fix": "y"}, {"set": "zmin", "fix": "z"}]
        material.pop("kinematic", None)  # CalculiX 2.20 flows below the first yield with it: see README.md
        u = 4 * strength / material["young"] * parts[0]["size"][2]
        path = [[0, 0]] + [[t, round(rng.uniform(-1, 1), 2)] for t in range(1, rng.randint(2, 4))]
        case["supports"].append({"set": "zmax", "components": "z", "displacement": [0, 0, u], "history": path})
        if rng.random() < 0.5:
            case["loads"] = [{"set": "xmax", "pressure": round(rng.uniform(-0.4, 0.4) * strength), "history": [[0, 0], [1, 1]]}]
        phases += [{"kind": "load", "name": "p%d" % t, "steps": rng.choice([2, 5, 10])} for t, _ in path[1:]]
    elif kind == "heat":
        if len(case["materials"]) > 1:
            case["materials"][1]["mechanical"] = {"expansion": 1.2e-5}
        material["mechanical"] = {"expansion": rng.choice([1e-5, 1.7e-5])}
        phases.append({"kind": "load", "name": "one", "steps": steps, "temperature": [[0, 293.15], [1, rng.choice([393.15, 693.15, 193.15])]]})
    else:
        case["inherent"] = [{"strain": [round(rng.uniform(-3e-3, 0), 5), round(rng.uniform(-3e-3, 0), 5), round(rng.uniform(-2e-3, 2e-3), 5)],
                             "angle": rng.choice([0.0, 0.5])}]
        h = parts[1]["size"][2] / parts[1]["cells"][2]
        phases.append({"kind": "build", "name": "one", "set": "b", "height": h * rng.choice([1, parts[1]["cells"][2]])})
    if rng.random() < 0.15 and kind in ("load", "pull"):
        case["rotations"] = "finite"
    if rng.random() < 0.4 and kind == "build":
        phases.append({"kind": "cut", "name": "cut", "set": "a", "steps": rng.choice([1, 2])})
        case["supports"].append({"set": "zmax", "fix": "all", "since": "cut"})
    if rng.random() < 0.3 and kind in ("load", "heat"):
        phases.append({"kind": "load", "name": "two", "steps": 1})
    case["phases"] = phases
    probes = []
    for i in range(3):
        probes.append({"name": "u%d" % i, "point": corner(rng, parts[-1:] if i else parts), "quantity": ["ux", "uy", "uz"][i]})
    probes += [{"name": "fx", "set": "zmin", "quantity": "fx"}, {"name": "fy", "set": "zmin", "quantity": "fy"},
               {"name": "fz", "set": "zmin", "quantity": "fz"}]
    cell = rng.choice(parts)
    middle = [o + (rng.randrange(n) + 0.5) * s / n for o, s, n in zip(cell["origin"], cell["size"], cell["cells"])]
    probes += [{"name": "s", "point": middle, "quantity": rng.choice(["sxx", "syy", "szz", "sxy", "syz", "szx"])},
               {"name": "vm", "point": middle, "quantity": "von_mises"}, {"name": "ep", "point": middle, "quantity": "plastic_strain"}]
    case["probes"] = probes
    if rng.random() < 0.6:  # the one that judges/solid.py has
        case["element"] = "bbar"
    figures = {"u0": "u", "u1": "u", "u2": "u", "fx": "f", "fy": "f", "fz": "f", "s": "s", "vm": "s", "ep": "p", "u_max": "u",
               "von_mises_max": "s", "energy_work": "e", "energy_stored": "e", "energy_dissipated": "e"}
    size = {"p": 1e-3, "u": 1e-9, "f": area * 1e6, "s": 1e5, "e": 1e-7}
    if kind == "heat":  # the solver's tolerance is a share of the forces of thermal strain, beside which supports may bear nothing
        size["f"] = area * material["young"] * material["mechanical"]["expansion"] * 100
    return Model(case, figures, kind=kind, plastic=plastic, scale=size, steps=steps)


def may_fail(text):
    # a part that has yielded right through: rotations: finite leaves the change of rotations out of the tangent, which does not converge
    # where hardening alone carries more load; the message names both. Without any load carried it is a failure.
    return "no equilibrium beyond" in text and "no equilibrium beyond 0 s" not in text


def energy(found):
    return max(abs(found[k]) for k in ("energy_work", "energy_stored", "energy_dissipated", "energy_heat"))


def closes(program, name, model, base):
    """Work is a sum of mean forces times displacements: with finite rotations it has the error of the trapezoidal rule, which falls
    to a quarter with half the step. To a half, as the steps of a path with yielding are not alike; and to what Newton's method leaves."""
    missing = []
    for times in (8, 16):
        m = model.copy()
        for p in m.case["phases"]:
            p["steps"] = times * p.get("steps", 1)
        found = program.run(m.case, name)
        missing.append(abs(found["energy_missing"]) / energy(found))
    if missing[1] > max(0.5 * missing[0], 1e-5):
        raise ValueError("energy missing is %.2g of all with 8 times the steps and %.2g with 16 times" % tuple(missing))
    return base


def sound(model, base):
    """Supports and loads are in balance; the energy balance closes (with finite rotations as steps get shorter: see `closes`)."""
    case = model.case
    size = energy(base)
    # where nothing resists, what is missing is rounding of the energy that strains of 1e-2 would store
    least = 1e-10 * 1e-4 * case["materials"][0]["young"] * sum(math.prod(b["size"]) for b in model.boxes())
    if case.get("rotations") != "finite" and abs(base["energy_missing"]) > 1e-6 * size + least:
        yield "energy balance: %g missing beside %g J" % (base["energy_missing"], size)
    if model.judge["kind"] == "load" and all("total" in load for load in case["loads"]):
        for d, name in enumerate(("fx", "fy", "fz")):
            f = sum(load["total"][d] for load in case["loads"])
            size = max(abs(v) for load in case["loads"] for v in load["total"])
            if abs(base[name] + f) > 1e-6 * size:
                yield "reaction %s is %g, load %g" % (name, base[name], f)


def relations(model, base, rng, program, name):
    case, judge = model.case, model.judge
    loose = 1e-5 if judge["plastic"] else 1e-6
    # where finite rotations do not converge a step is halved, and where that happens decides the path that plastic strain takes
    if judge["plastic"] and case.get("rotations") == "finite" and base["newton_iterations"] > 25 * base["#steps"]:
        loose = 0.1
    yield from geometry(model, rng, program, name, loose)
    if judge["kind"] not in ("block", "phase") and not any(p["kind"] == "cut" for p in case["phases"]) and (judge["kind"] != "pull" or case["supports"][1]["components"] == "z"):
        angle = rng.uniform(0.2, 1.3)
        yield Check("turn_any", loose, lambda: in_file(model, angle=angle),
                    only=("u2", "fz", "vm", "ep", "u_max", "von_mises_max", "energy_work", "energy_stored", "energy_dissipated"))
    s = rng.choice([1e-3, 1e3, 0.37])
    yield Check("scale", loose, lambda: resized(model, s), factor={"kind u": s, "kind f": s * s, "kind e": s ** 3})
    yield from ways(model, base, rng, 1e-12)
    yield Check("assembly", loose, with_keys(model, assembly=rng.choice(["color", "gather", "cluster"])))
    yield Check("preconditioner", loose, with_keys(model, solver=dict(case["solver"], preconditioner=rng.choice(["aggregation", "blocks"]))))
    yield Check("set", 1e-300, with_keys(model, temperature=293.15), args=("--set", "solver.tolerance=1e-10"))
    finite = case.get("rotations") == "finite"
    if finite:
        yield Check("steps", 1e-300, follow=lambda p, n: closes(p, n, model, base))
    if not judge["plastic"] and judge["kind"] not in ("build",) and not finite:
        m = model.copy()
        for p in m.case["phases"]:
            p["steps"] = 4 * p.get("steps", 1)
        yield Check("steps", loose, m)
        if judge["kind"] != "heat":
            m = model.copy()
            for e in m.case.get("loads", []):
                for k in ("total", "pressure"):
                    if k in e:
                        e[k] = [2 * v for v in e[k]] if k == "total" else 2 * e[k]
            for e in m.case["supports"]:
                if "displacement" in e:
                    e["displacement"] = [2 * v for v in e["displacement"]]
            yield Check("double", loose, m, factor={"kind u": 2.0, "kind f": 2.0, "kind s": 2.0, "kind e": 4.0})
    if judge["kind"] == "build" and not judge["plastic"] and len(case["phases"]) == 1:
        m = model.copy()
        for e in m.case["inherent"]:
            e["strain"] = [-v for v in e["strain"]]
        yield Check("opposite", loose, m, factor={"u0": -1.0, "u1": -1.0, "u2": -1.0, "kind f": -1.0, "s": -1.0})
    if judge["kind"] in ("load", "pull") and len(case["phases"]) == 1 and not finite and case.get("element") == "bbar":
        yield Check("judge_numpy", 1e-5, figures=lambda: solid.analyse(model))
    if judge["kind"] == "phase":
        yield Check("judge_exact", 1e-6, figures=lambda: grown(model))
    if judge["kind"] == "block":
        yield Check("judge_calculix", 1e-4, follow=lambda p, n: calculix.analyse(p, n, model), only=("u0", "u1", "u2", "fz"))


def resized(model, s):
    """Lengths times s, forces times s^2: the same stresses."""
    m = scaled(model, s)
    c = m.case
    for e in c.get("loads", []):
        if "total" in e:
            e["total"] = [s * s * v for v in e["total"]]
    for e in c["supports"]:
        if "displacement" in e:
            e["displacement"] = [s * v for v in e["displacement"]]
    for p in c["phases"]:
        if "height" in p:
            p["height"] *= s
    return m
