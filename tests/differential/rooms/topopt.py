"""Designs on small grids and meshes: stiffness, heat."""
import copy

from engine import Check
from judges import calculix, simp
from model import Model
from rooms.common import FACES, free_mesh, places, ways, with_keys

NAME = "topopt"


def face(axis, end, size):
    """A slab that holds the nodes of one side of a box that begins at the origin."""
    low, high = [-1e-9 - 0.01 * s for s in size], [1.01 * s for s in size]
    d = "xyz".index(axis)
    (high if end == "-" else low)[d] = 0.01 * size[d] if end == "-" else 0.99 * size[d]
    return {"min": low[:3], "max": high[:3]}


def whole(rng):
    """Free meshes that are solid everywhere: the objective is the compliance."""
    mesh, _ = free_mesh(rng)
    case = {"physics": "topopt", "mesh": {"data": mesh}, "iterations": 0, "volume": 1.0, "filter": {"kind": "none"},
            "solver": {"tolerance": 1e-10}, "output": {"count": 0},
            "materials": [{"name": "m", "young": rng.choice([1e9, 2.1e11]), "poisson": rng.choice([0.3, 0.0, 0.2, 0.4])}],
            "supports": rng.choice([[{"set": "zmin_n"}], [{"set": "xmin_n", "fix": "x"}, {"set": "ymin_n", "fix": "y"}, {"set": "zmin_n", "fix": "z"}]]),
            "loads": [{"set": s + "_n", "force": [round(rng.uniform(-100, 100), 1) for _ in range(3)]} for s in rng.sample(FACES + ("zmax",), rng.randint(1, 2))]}
    return Model(case, {"objective": "c"}, heat=False, flat=False, plain=False, whole=True, extra=None)


def generate(rng):
    if rng.random() < 0.25:
        return whole(rng)
    flat = rng.random() < 0.35
    n = [rng.randint(4, 10), rng.randint(4, 8), 0 if flat else rng.randint(2, 5)]
    h = rng.choice([1e-3, 1.0, 5e-3])
    size = [n[0] * h, n[1] * h, h if flat else n[2] * h]
    heat = rng.random() < 0.3
    case = {"physics": "topopt", "problem": "heat" if heat else "stiffness", "grid": {"elements": n, "size": size},
            "iterations": rng.randint(1, 6), "change": 0, "volume": rng.choice([0.3, 0.5, 0.7]), "penalty": rng.choice([3, 2.5]),
            "solver": {"tolerance": 1e-10}, "output": {"count": 0}}
    side = rng.choice(["x-", "y-"])
    box = face(side[0], side[1], size)
    load = face(side[0], "+", size)
    if flat:
        box = {k: v[:2] for k, v in box.items()}
        load = {k: v[:2] for k, v in load.items()}
    if heat:
        case["materials"] = [{"name": "m", "conductivity": rng.choice([1.0, 100.0])}]
        case["supports"] = [{"box": box}]
        case["loads"] = [{"box": load, "heat": rng.choice([1.0, 10.0])}]
        if rng.random() < 0.5:
            case["source"] = 1e4
    else:
        case["materials"] = [{"name": "m", "young": rng.choice([1e9, 2.1e11]), "poisson": rng.choice([0.3, 0.2, 0.4])}]
        case["supports"] = [{"box": box}]
        force = [0.0, 0.0, 0.0]
        force[rng.choice([0, 1] if flat else [0, 1, 2])] = rng.choice([-100.0, 50.0])
        case["loads"] = [{"box": load, "force": force}]
    radius = min(rng.choice([1.5, 2.2, 3.0]), 0.45 * max(n)) * h  # more than half the body is refused
    case["filter"] = {"kind": rng.choice(["sensitivity", "density"]), "radius": radius}
    if rng.random() < 0.3:
        case["optimiser"] = {"method": "mma"}
    else:
        case["optimiser"] = {"method": "oc", "move_limit": rng.choice([0.2, 0.1])}
    if rng.random() < 0.2 and not flat:
        case["combine"] = "sum"
        other = copy.deepcopy(case["loads"][0])
        other["load_case"] = 2
        if heat:
            other["heat"] *= 2
        else:
            other["force"] = [other["force"][1], other["force"][2], other["force"][0]]
        case["loads"].append(other)
    extra = None
    if rng.random() < 0.4 and not heat and case.get("combine") is None:  # what else a design may have to do
        extra = rng.choice(["projection", "passive", "symmetry", "overhang", "draw_direction", "pattern", "helmholtz", "sequence", "gray", "ramp", "milling", "warm"])
        if extra == "projection":
            case["filter"]["kind"] = "density"
            case["projection"] = {"beta": 2.0, "every": 2}
            case["optimiser"] = {"method": "mma"}
        elif extra == "passive":
            box = {"min": [0.3 * size[0], 0.0], "max": [0.7 * size[0], 0.5 * size[1]]}
            case["passive"] = [{"box": {k: v + ([] if flat else [0.0 if k == "min" else size[2]]) for k, v in box.items()}, "as": rng.choice(["solid", "void"])}]
            case["iterations"] = max(case["iterations"], 10)  # it starts above its volume, and a step takes `move` off at most
        elif extra == "symmetry":
            case["symmetry"] = ["y-" if side[0] == "x" else "x-"]
            case["loads"][0]["force"] = [v if i == "xy".index(side[0]) else 0.0 for i, v in enumerate([50.0, 50.0, 0.0])]
        elif extra == "warm":  # what is warm may do harm, which optimality criteria do not know
            case["optimiser"] = {"method": "mma"}
            case["materials"][0]["mechanical"] = {"expansion": 1e-5}
            case["temperature_change"] = rng.choice([-1e-4, 1e-4]) * 2.1e11 / case["materials"][0]["young"]
        elif extra in ("overhang", "draw_direction", "milling"):
            case["filter"]["kind"] = "density"
            case["optimiser"] = {"method": "mma"}
            case["iterations"] = max(case["iterations"], 10)  # the volume is not linear in the design: it comes to its bound step by step
            case[extra] = {"overhang": {"direction": rng.choice(["x+", "y+"])}, "draw_direction": {"direction": "x+"},
                           "milling": {"directions": rng.choice([["x+"], ["x+", "y+"], ["y-", "x-"]])}}[extra]
        elif extra == "pattern":
            case["pattern"] = {"mirror": ["y"]}
        elif extra == "helmholtz":
            case["filter"]["kind"] = "helmholtz"
        elif extra == "sequence":
            case["sequence"] = {"grids": 1, "iterations": 2}
        elif extra == "gray":
            case["optimiser"] = {"method": "oc", "gray_exponent": 1.5}
        else:
            case["penalty_ramp"] = {"hold": 1, "factor": 1.5}
    figures = {"objective": "c", "volume": "n"}
    plain = extra is None and flat and not heat and case["optimiser"]["method"] == "oc" and len(case["loads"]) == 1
    return Model(case, figures, heat=heat, flat=flat, plain=plain, extra=extra)


def may_fail(text):
    return False


def sound(model, base):
    # a design just after the projection was sharpened is on its way back to the bound
    if not model.judge.get("whole") and "projection" not in model.case and base["volume"] > model.case["volume"] * (1 + (1e-6 if not model.judge["extra"] else 0.05)):
        yield "volume %g of %g" % (base["volume"], model.case["volume"])
    if not base["objective"] > 0:
        yield "objective %g" % base["objective"]


def relations(model, base, rng, program, name):
    case = model.case
    tolerance = {"c": 1e-6, "n": 1e-6}
    m = model.copy()
    for load in m.case["loads"]:
        for k in ("force", "heat"):
            if k in load:
                load[k] = [2 * v for v in load[k]] if k == "force" else 2 * load[k]
    for k in ("source", "temperature_change"):
        if k in m.case:
            m.case[k] *= 2
    yield Check("double", tolerance, m, factor={"kind c": 4.0})
    m = model.copy()
    for k in ("young", "conductivity"):
        if k in m.case["materials"][0]:
            m.case["materials"][0][k] *= 10
    if "temperature_change" in m.case:
        m.case["temperature_change"] /= 10  # the same forces
    yield Check("stiffer", tolerance, m, factor={"kind c": 0.1})
    if model.judge.get("whole"):
        if len(case["supports"]) == 1:
            yield from places(model, rng, tolerance)
        else:
            yield from (c for c in places(model, rng, tolerance) if c.name != "turn_any")
        yield from ways(model, base, rng, 1e-12, ranks=True)
        yield Check("jacobi", tolerance, with_keys(model, solver={"tolerance": 1e-10, "preconditioner": "jacobi"}))
        yield Check("judge_calculix", 1e-4, follow=lambda p, n: calculix.compliance(p, n, model))
        return
    if not model.judge["extra"]:
        yield Check("swap", {"c": 1e-5, "n": 1e-5}, lambda: swapped(model))
    yield from ways(model, base, rng, 1e-12, ranks=True)
    yield Check("jacobi", tolerance, with_keys(model, solver={"tolerance": 1e-10, "preconditioner": "jacobi"}))
    if not model.judge["flat"] and not model.judge["heat"] and case["filter"]["kind"] == "sensitivity" and not model.judge["extra"]:
        yield Check("mesh", tolerance, lambda: on_mesh(model))
    if model.judge["plain"]:
        yield Check("judge_numpy", {"c": 1e-6, "n": 1e-6}, figures=lambda: simp.optimise(model), only=("objective", "volume"))


def swapped(model):
    """x and y exchanged."""
    m = model.copy()
    c = m.case

    def swap(v):
        return [v[1], v[0]] + v[2:]
    c["grid"]["elements"] = swap(c["grid"]["elements"])
    c["grid"]["size"] = swap(c["grid"]["size"])
    for e in c["supports"] + c["loads"]:
        e["box"] = {k: swap(v) for k, v in e["box"].items()}
        if "force" in e:
            e["force"] = swap(e["force"])
    return m


def on_mesh(model):
    """The same design space as a mesh of hexahedra."""
    m = model.copy()
    g = m.case.pop("grid")
    m.case["mesh"] = {"boxes": [{"name": "a", "size": g["size"], "cells": g["elements"]}]}
    return m
