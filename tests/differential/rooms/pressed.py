"""Blocks of `structure` that are pressed onto each other or by a rigid tool, with and without friction."""
from engine import Check
from model import Model
from rooms.common import ways, with_keys

H = 1e-3
SUMS = ("contact_force_x", "contact_force_y", "contact_force_z", "reaction_x", "reaction_y", "reaction_z")


def box(name, low, size, cells):
    return {"name": name, "origin": low, "size": size, "cells": cells}


def slab(name, z, within):
    """Faces between two heights, wherever they are along x and y."""
    return {"name": name, "of": "faces", "box": {"min": [-1.0, -1.0, z - within], "max": [1.0, 1.0, z + within]}}


def generate(rng):
    """Without Poisson's effect stress is uniform, and known; with it, or where one block is wider, only relations hold."""
    way = rng.choice(["blocks", "blocks", "slide", "plane", "plane", "sphere", "cylinder"])
    h = H * rng.choice([0.5, 1.0, 2.0])
    n = [rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 2)]
    young = rng.choice([2e9, 70e9, 210e9])
    low = {"name": "m", "young": young, "poisson": rng.choice([0.0, 0.0, 0.3, 0.45]), "density": 7800.0}
    gap = rng.choice([0.01, 0.02, 0.05]) * h
    size = [2 * h, 2 * h, h * n[2]]
    parts = [box("a", [0.0, 0.0, 0.0], size, n)]
    press = rng.uniform(0.01, 0.03) * h
    case = {"physics": "structure", "mesh": {"boxes": parts}, "materials": [low], "supports": [{"set": "zmin", "fix": "all"}], "output": {"count": 1},
            "sections": [{"integration": rng.choice(["full", "incompatible"])}], "analysis": [{"first_step": 0.5, "large": False}]}
    contact = {"penetration": rng.choice([1e-4, 1e-5])}
    wide, friction = False, 0.0
    if way in ("blocks", "slide"):
        wide = rng.random() < 0.4
        other = [rng.randint(1, 3) for _ in range(3)]
        over = 0.25 * h if wide else 0.0
        top = [2 * h - 2 * over, 2 * h - 2 * over, h * other[2]]
        parts.append(box("b", [over, over, size[2] + gap], top, other))
        case["mesh"]["sets"] = [slab("up", size[2], 0.2 * gap), slab("under", size[2] + gap, 0.2 * gap)]
        contact.update(set="under", to="up")
        motion = [0.0, 0.0, -gap - press]
        if way == "slide":
            friction = rng.choice([0.1, 0.3])
            contact["friction"] = friction
            motion[rng.choice([0, 1])] = rng.choice([-1, 1]) * 0.2 * h
        case["supports"].append({"set": "zmax", "components": "xyz", "displacement": motion})
        if rng.random() < 0.3:
            case["materials"].append(dict(low, name="stiff", set="b", young=3 * young))
    else:
        axis = {"plane": [0.0, 0.0, -1.0], "sphere": [0.0, 0.0, 1.0], "cylinder": [1.0, 0.0, 0.0]}[way]
        tool = {"name": "die", "shape": way, "point": [h, h, size[2] + gap], "axis": axis, "displacement": [0.0, 0.0, -gap - press]}
        if way != "plane":
            tool["radius"] = rng.choice([5.0, 20.0]) * h
            tool["point"][2] += tool["radius"]
        case["tools"] = [tool]
        contact.update(set="zmax", to="die")
        if rng.random() < 0.3:
            friction = contact["friction"] = 0.2
    case["contacts"] = [contact]
    area = size[0] * size[1]
    uniform = low["poisson"] == 0 and not wide and way in ("blocks", "plane")
    figures = dict({k: "f" for k in SUMS}, displacement_max="u")
    return Model(case, figures, kind="pressed", way=way, friction=friction, uniform=uniform, press=press, gap=gap, area=area, h=h, scale={"f": 1e-3 * young * area * press / size[2], "u": press})


def sound(model, base):
    """Tangential forces of a pair are at most friction times the normal ones, and they are that where it slides, but for what
    pressure on a tilted face takes off: a block that slides towards an edge tilts the face under it by a share of the indentation."""
    judge = model.judge
    normal = abs(base["contact_force_z"])
    if judge["way"] in ("sphere", "cylinder"):
        return
    tangential = (base["contact_force_x"] ** 2 + base["contact_force_y"] ** 2) ** 0.5
    if tangential > judge["friction"] * normal * (1 + 1e-3) + 1e-6 * judge["scale"]["f"]:
        yield "friction %g of a normal force of %g at a coefficient of %g" % (tangential, normal, judge["friction"])
    if judge["way"] == "slide" and tangential < normal * (judge["friction"] * (1 - 1e-2) - 0.1 * judge["press"] / judge["h"]):
        yield "sliding with %g of a normal force of %g at a coefficient of %g" % (tangential, normal, judge["friction"])


def placed(model, by):
    """Everything moved."""
    m = model.copy()
    for b in m.case["mesh"]["boxes"]:
        b["origin"] = [p + d for p, d in zip(b["origin"], by)]
    for s in m.case["mesh"].get("sets", []):
        for end in ("min", "max"):
            s["box"][end] = [p + d for p, d in zip(s["box"][end], by)]
    for t in m.case.get("tools", []):
        t["point"] = [p + d for p, d in zip(t["point"], by)]
    return m


def resized(model, s):
    m = model.copy()
    for b in m.case["mesh"]["boxes"]:
        b["origin"], b["size"] = [s * v for v in b["origin"]], [s * v for v in b["size"]]
    for e in m.case["mesh"].get("sets", []):
        e["box"] = {k: [s * v for v in x] for k, x in e["box"].items()}
    for t in m.case.get("tools", []):
        t.update({k: [s * v for v in t[k]] for k in ("point", "displacement")})
        if "radius" in t:
            t["radius"] *= s
    for e in m.case["supports"]:
        if "displacement" in e:
            e["displacement"] = [s * v for v in e["displacement"]]
    return m


def mirrored(model):
    """At the plane x = 0."""
    m = model.copy()
    for b in m.case["mesh"]["boxes"]:
        b["origin"][0] = -b["origin"][0] - b["size"][0]
    for t in m.case.get("tools", []):
        t["point"][0] *= -1
    for e in m.case["supports"]:
        if "displacement" in e:
            e["displacement"][0] *= -1
    return m


def stress_of(model):
    """The force of uniform compression: blocks and springs one after the other."""
    case, judge = model.case, model.judge
    parts = case["mesh"]["boxes"]
    young = [m["young"] for m in case["materials"]] * 2
    give = sum(b["size"][2] / e for b, e in zip(parts, young if len(case["materials"]) > 1 else [young[0]] * 2))
    return {"contact_force_z": judge["press"] * judge["area"] / give}


def relations(model, base, rng):
    judge, case = model.judge, model.case
    yield from ways(model, base, rng)
    # contact is found and lost point by point, and pressures are added until none is deeper than `penetration`
    depth = case["contacts"][0]["penetration"] * 2 ** 1.5 * judge["h"] / judge["press"]
    close = {"f": 1e-6 + depth, "u": 1e-6 + depth}
    by = [0.5 * H * rng.randint(-9, 9) for _ in range(3)]
    yield Check("move", close, placed(model, by))
    s = rng.choice([0.5, 4.0])
    yield Check("scale", close, resized(model, s), factor={"kind f": s * s, "kind u": s})
    yield Check("mirror", close, mirrored(model), factor={"contact_force_x": -1.0, "reaction_x": -1.0})
    m = model.copy()
    for e in m.case["materials"]:
        e["young"] *= 3.0
    yield Check("stiffer", close, m, factor={"kind f": 3.0})
    if judge["way"] != "slide":  # a point keeps the face it meets through a step, and meets another when the next analysis begins
        yield Check("two_analyses", close, with_keys(model, analysis=[dict(case["analysis"][0]), dict(case["analysis"][0])]), only=("contact_force_z", "reaction_z"))
    if judge["uniform"]:
        yield Check("judge_exact", close, figures=lambda: {k: abs(v) * (1 if base[k] > 0 else -1) for k, v in stress_of(model).items()})
