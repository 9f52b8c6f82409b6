"""Dynamic fracture of plane and solid bodies: before facets open the body is elastic; opened facets cost their energy."""
from engine import Check
from judges import triangles
from model import Model
from rooms.common import ways, with_keys

NAME = "fracture"


def generate(rng):
    solid = rng.random() < 0.3
    h = rng.choice([0.5e-3, 1e-3])
    n = [rng.randint(3, 6), rng.randint(2, 5)] + ([rng.randint(1, 2)] if solid else [])
    mesh = {"boxes": [{"name": "a", "size": [k * h for k in n], "cells": n}], "element": rng.choice(["tet4", "tet10"] if solid else ["tri3", "tri6"])}
    if rng.random() < 0.4 and not solid:
        mesh["triangle_pattern"] = rng.choice(["alternating", "crossed"])
    e, rho, strength = 3.24e9, 1190.0, 50e6
    breaks = rng.random() < 0.5
    case = {"physics": "fracture", "mesh": mesh, "output": {"count": 1},
            "materials": [{"name": "m", "young": e, "poisson": rng.choice([0.35, 0.2, 0.0]), "density": rho, "cohesive_strength": strength,
                           "fracture_energy": rng.choice([100.0, 350.0])}]}
    if not solid:
        case["plane"] = rng.choice(["strain", "stress"])
        case["thickness"] = rng.choice([1.0, 1e-3])
    speed = (e / rho) ** 0.5
    length = n[0] * h
    duration = round(rng.uniform(1, 4), 2) * length / speed
    case["duration"] = duration
    case["cohesive"] = {"check_every": rng.choice([1, 10]), "law": rng.choice(["ppr", "linear"])} if breaks else {"check_every": 0}
    rate = rng.uniform(0.5, 1.5) * (strength / e) * speed * (2.0 if breaks else 1.0)
    zero = [0.0] * len(n)
    pull = list(zero)
    pull[0] = rate
    kind = rng.choice(["pull", "strain"])
    if kind == "pull":
        case["supports"] = [{"set": "xmin", "fix": "all"}, {"set": "xmax", "components": "x", "velocity": pull}]
    else:
        amount = rng.uniform(0.3, 0.9) * strength / e * (2.5 if breaks else 1.0)
        case["initial"] = [{"strain": [amount, 0.0, 0.0] + ([0.0, 0.0, 0.0] if solid else [])}]
        case["supports"] = [{"set": "xmin", "fix": "x"}, {"set": "xmax", "fix": "x"}]
    extra = False
    if breaks and not solid and rng.random() < 0.5:  # notches, weak planes, scatter, contact of fragments
        extra = True
        way = rng.choice(["crack", "interface", "weibull", "contact", "finite", "rigid", "friction"])
        line = {"from": [0.0, h * (n[1] // 2)], "to": [h * (n[0] // 2), h * (n[1] // 2)]}
        if way == "crack":
            case["cracks"] = [dict(line, closed=rng.random() < 0.5)]
        elif way == "interface":
            case["interfaces"] = [dict(line, to=[n[0] * h, line["to"][1]], fracture_energy=50.0, cohesive_strength=2e7)]
        elif way == "weibull":
            case["cohesive"].update(weibull=8.0, seed=rng.randint(1, 99))
        elif way == "contact":
            case["surface_contact"] = True
        elif way == "finite":
            case["rotation"] = "finite"
        elif way == "rigid":
            case["cohesive"]["contact"] = "rigid"
        else:
            case["cohesive"]["friction"] = 0.4
        if rng.random() < 0.4:
            case["cohesive"]["criterion"] = rng.choice(["facet_mean", "effective_mean", "principal_max", "principal_mean", "principal_best"])
    where = [[k * h * rng.randint(0, c) / c for k, c in zip(n, n)] for _ in range(2)]
    case["probes"] = [{"name": "u0", "point": where[0], "quantity": "ux"}, {"name": "u1", "point": where[1], "quantity": "uy"},
                      {"name": "fx", "set": "xmin", "quantity": "fx"}]
    figures = {"u0": "u", "u1": "u", "fx": "f"}
    if "cracks" in case:
        figures["crack_extension"] = "l"
    scale = {"u": 1e-3 * strength / e * length, "l": length}
    return Model(case, figures, breaks=breaks, solid=solid, scale=scale, length=length, kind=kind, extra=extra)


def may_fail(text):
    return False


def sound(model, base):
    if not model.judge["breaks"] and base.get("cohesive_elements", 0) > 0:
        yield "%g facets opened though nothing may break" % base["cohesive_elements"]
    if "cracks" in model.case and base["cohesive_elements"] == 0 and base["crack_extension"] != 0:
        yield "nothing has opened, and the crack has grown by %g m" % base["crack_extension"]


def relations(model, base, rng, program, name):
    case = model.case
    close = 1e-9 if not model.judge["breaks"] else 1e-6
    yield from ways(model, base, rng, ranks=True)
    yield Check("assembly", close, with_keys(model, assembly=rng.choice(["color", "gather", "cluster"])))
    m = model.copy()
    by = [0.25 * s for s in (4e-3, -8e-3, 2e-3)]
    box = m.case["mesh"]["boxes"][0]
    box["origin"] = by[:len(box["size"])]
    for p in m.case["probes"]:
        if "point" in p:
            p["point"] = [a + b for a, b in zip(p["point"], by)]
    for e in m.case.get("cracks", []) + m.case.get("interfaces", []):
        for k in ("from", "to"):
            e[k] = [a + b for a, b in zip(e[k], by)]
    if model.judge["kind"] == "pull" and "weibull" not in case["cohesive"]:  # an initial strain is about the origin
        yield Check("move", close * 1e3, m)
    if not model.judge["breaks"]:
        m = model.copy()
        m.case["mesh"]["order"] = "curve"
        yield Check("curve", close, m)
        m = model.copy()
        for e in m.case.get("initial", []):
            e["strain"] = [2 * v for v in e["strain"]]
        for e in m.case["supports"]:
            if "velocity" in e:
                e["velocity"] = [2 * v for v in e["velocity"]]
        yield Check("double", close, m, factor={"kind u": 2.0, "kind f": 2.0})
        if not model.judge["solid"] and case["mesh"]["element"] == "tri3" and "triangle_pattern" not in case["mesh"]:
            yield Check("judge_numpy", 1e-6, figures=lambda: triangles.analyse(model, base), only=("u0", "u1"))
    if not model.judge["solid"]:
        m = model.copy()
        m.case["thickness"] *= 3
        yield Check("thickness", close, m, factor={"kind f": 3.0})
