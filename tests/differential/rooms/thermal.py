"""Transient heat: boxes with boundary conditions, births, beams, temperature-dependent materials."""
from engine import Check
from judges import calculix, heat
from model import Model, in_file, scaled, welded
from rooms.common import FACES, boxes, corner, free_mesh, geometry, inside, places, ways, with_keys, with_mesh

NAME = "thermal"


def table(rng, value):
    """A constant, or a table that rises or falls over temperature."""
    return value if rng.random() < 0.6 else [[300, value], [1500, value * rng.choice([0.7, 1.5])]]


def steady(rng):
    """Free meshes until nothing changes any more."""
    mesh, parts = free_mesh(rng)
    k, capacity = rng.choice([8.0, 20.0, 150.0]), 7900.0 * 500.0
    case = {"physics": "thermal", "mesh": {"data": mesh}, "output": {"count": 0}, "initial_temperature": rng.choice([300.0, 500.0]),
            "materials": [{"name": "m", "density": 7900.0, "specific_heat": 500.0, "conductivity": k}]}
    length = max(b["size"][d] for b in parts for d in range(3))
    case["duration"] = 15 * length * length * capacity / k
    sides = rng.sample(FACES + ("zmin", "zmax"), 3)
    case["boundary"] = [{"set": sides[0] + "_f", "temperature": rng.choice([300.0, 700.0])},
                        {"set": sides[1] + "_f", "flux": rng.choice([1e5, -2e4, 1e6]) * k / 20}]
    if rng.random() < 0.5:
        case["boundary"].append({"set": sides[2] + "_f", "temperature": 400.0} if set(sides[0][0]) == set(sides[2][0]) else
                                {"set": sides[2] + "_f", "flux": 3e5 * k / 20})
    if rng.random() < 0.5:
        case["body_source"] = rng.choice([1e7, 1e8]) * k / 20
    nodes = [rng.choice(mesh.points) for _ in range(3)]
    case["probes"] = [{"name": "p%d" % i, "point": p} for i, p in enumerate(nodes)]
    # what is stored may be nothing beside what flows
    figures = {"p0": "T", "p1": "T", "p2": "T", "T_max": "T", "T_min": "T", "stored": "e", "held": "e", "flux": "e", "body": "e"}
    return Model(case, figures, offset={"T": case["boundary"][0]["temperature"]}, scale={"T": 1.0}, plain=False, steady=True)


def printed(rng):
    """A beam over a plate on which beads or layers are born: paths, sources and births."""
    h = 1e-3
    n = [rng.randint(4, 7), rng.randint(2, 4)]
    layers = rng.randint(1, 2)
    case = {"physics": "thermal", "output": {"count": rng.choice([0, 2])}, "ambient": 300.0, "initial_temperature": rng.choice([300.0, 500.0]),
            "mesh": {"boxes": [{"name": "a", "origin": [0.0, 0.0, -2 * h], "size": [n[0] * h, n[1] * h, 2 * h], "cells": [n[0], n[1], 2]},
                               {"name": "b", "origin": [0.0, 0.0, 0.0], "size": [n[0] * h, n[1] * h, layers * h], "cells": [n[0], n[1], layers]}]},
            "materials": [{"name": "m", "density": 7900.0, "specific_heat": table(rng, 500.0), "conductivity": table(rng, 20.0), "solidus": 1670.0, "liquidus": 1720.0,
                           "latent_heat": rng.choice([0.0, 2.6e5]), "absorptivity": rng.choice([0.4, [[300, 0.3], [1700, 0.5]]])}],
            "boundary": [{"set": "zmin", "temperature": 300.0}, {"set": "surface", "convection": 20.0}]}
    if rng.random() < 0.3:
        case["materials"][0]["powder_conductivity"] = 0.5
    model = rng.choice(["surface", "gaussian", "goldak", "cylinder"])
    speed = rng.choice([0.02, 0.05])
    raster = {"power": rng.choice([200.0, 800.0]), "speed": speed, "jump_speed": 1.0, "spacing": h, "layer_height": h, "layers": layers, "angle": rng.choice([0.0, 0.3]),
              "rotation": rng.choice([0.0, 1.5707963267948966]), "regions": [{"min": [0.0, 0.0], "max": [n[0] * h, n[1] * h]}]}
    if rng.random() < 0.3:
        raster.update(rng.choice([{"one_way": True}, {"contour": True}, {"island": 2 * h}, {"dwell": 0.05}]))
    beam = {"model": model, "radius": rng.choice([0.8, 1.5]) * h, "raster": raster}
    if rng.random() < 0.2 and model == "surface":
        beam["ring"] = {"radius": 1.2 * h, "width": 0.6 * h, "share": 0.5}
    if rng.random() < 0.2:
        beam["normalise"] = False
    if rng.random() < 0.25:
        case["materials"][0].update(boiling=3100.0, evaporation_heat=6.3e6, molar_mass=0.056)
        case["boundary"].append({"set": "surface", "evaporation": True})
        if model == "gaussian" and rng.random() < 0.6:
            beam.update(radius=0.3 * h, depth=0.1 * h, absorptivity=0.35, keyhole=rng.choice([{}, {"depth_factor": 0.5}, {"transition": 0.3}]))
    case["beams"] = [beam]
    way = rng.choice(["bead", "layers", "none"])
    if way == "bead":
        case["birth"] = {"by": "bead", "set": "b", "width": 1.2 * h, "height": h, "lead": rng.choice([0.0, h])}
    elif way == "layers":
        case["birth"] = {"by": "layers", "set": "b", "height": h}
    if way != "none" and rng.random() < 0.6:
        case["birth"]["temperature"] = rng.choice(["ambient", "melt", "inherited"])
    case["duration"] = round(layers * (n[0] * n[1] * h / speed) * rng.uniform(0.4, 1.1), 4)
    if rng.random() < 0.3 and "boiling" not in case["materials"][0]:
        case["dwell_change"] = 5.0
    if rng.random() < 0.3:
        case["exaca"] = rng.choice([True, "catemp"])
        if rng.random() < 0.3:
            case["track_every"] = rng.choice([2, 10])
    case["probes"] = [{"name": "p0", "point": [0.5 * n[0] * h, 0.5 * n[1] * h, -h]}, {"name": "p1", "point": [1.5 * h, 0.5 * h, -0.5 * h]}]
    figures = {"p0": "T", "p1": "T", "T_max": "T", "stored": "e", "beam": "e", "born": "e", "convected": "e", "held": "e"}
    # 1e-3 J: what is stored up to 300 K is 100 J, and its rounding counts where the beam misses and nothing happens
    return Model(case, figures, offset={"T": case["initial_temperature"]}, scale={"T": 1.0, "e": 1e-3}, plain=False, printed=True)


def generate(rng):
    kind = rng.random()
    if kind < 0.2:
        return steady(rng)
    if kind < 0.4:
        return printed(rng)
    parts = boxes(rng)
    case = {"physics": "thermal", "mesh": {"boxes": parts}, "output": {"count": rng.choice([0, 1, 3])}}
    if rng.random() < 0.2:
        material = {"name": "m", "file": rng.choice(["SS316L", "IN625", "Ti-6Al-4V", "IN718"]), "conductivity": 25.0}
        constant = False
    else:
        material = {"name": "m", "density": rng.choice([7900.0, 4400.0]), "specific_heat": table(rng, 500.0),
                    "conductivity": table(rng, rng.choice([8.0, 20.0, 150.0]))}
        constant = not isinstance(material["specific_heat"], list) and not isinstance(material["conductivity"], list)
        if rng.random() < 0.2:
            material.update(solidus=600.0, liquidus=650.0, latent_heat=5e4)
            constant = False
    case["materials"] = [material]
    if len(parts) > 1 and rng.random() < 0.3:
        case["materials"].append({"name": "other", "set": "b", "density": 8900.0, "specific_heat": 390.0, "conductivity": 60.0})
    start = rng.choice([300.0, 293.15, 500.0])
    case["initial_temperature"] = start
    case["ambient"] = rng.choice([300.0, 350.0])
    # a time in which heat crosses a few cells
    h = max(b["size"][d] / b["cells"][d] for b in parts for d in range(3))
    case["duration"] = round(rng.uniform(2, 20) * h * h / 5e-6, 6)
    t = case["duration"]
    case["boundary"] = []
    if rng.random() < 0.8:
        case["boundary"].append({"set": "zmin", "temperature": rng.choice([300.0, 700.0, [[0, start], [0.5 * t, start + 300]]])})
    if rng.random() < 0.8:
        case["boundary"].append({"set": rng.choice(FACES), "flux": rng.choice([1e5, 1e6, [[0, 0], [0.3 * t, 1e6], [0.4 * t, 0]]])})
    if rng.random() < 0.7:
        case["boundary"].append({"set": "surface", "convection": rng.choice([20.0, 2000.0])})
    if rng.random() < 0.3:
        case["boundary"].append({"set": "zmax", "emissivity": 0.6})
    if rng.random() < 0.4 or not case["boundary"]:
        case["body_source"] = rng.choice([1e8, 1e9])
    born = len(parts) > 1 and rng.random() < 0.4
    if born:
        case["birth"] = {"by": "list", "list": [{"set": "b", "time": round(rng.uniform(0.05, 0.9) * t, 6)}]}
        if rng.random() < 0.5:
            case["birth"]["temperature"] = rng.choice(["ambient", "inherited"])
    if rng.random() < 0.25:
        case["surface"] = rng.choice(["switch", "branch", "lumped"])
    if rng.random() < 0.25:
        case["latent"] = rng.choice(["enthalpy", "apparent"])
    case["probes"] = [{"name": "p%d" % i, "point": inside(rng, parts if not born else parts[:1])} for i in range(2)]
    case["probes"].append({"name": "n", "point": corner(rng, parts[:1])})
    figures = {"p0": "T", "p1": "T", "n": "T", "T_max": "T", "T_min": "T", "stored": "e", "held": "e", "flux": "e", "convected": "e",
               "radiated": "e", "body": "e", "born": "e"}
    plain = (constant and len(case["materials"]) == 1 and not born and case.get("surface", "lumped") == "lumped"
             and not any(isinstance(v, list) for b in case["boundary"] for v in b.values()))
    least = 400.0 * sum(volume(b) for b in parts)  # the heat of 1e-4 K: where nothing happens energies are rounding
    return Model(case, figures, offset={"T": start}, scale={"T": 1.0, "e": least}, plain=plain)


def may_fail(text):
    return False


def volume(box):
    return box["size"][0] * box["size"][1] * box["size"][2]


def slender(model):
    """Whether elements of a box are longer than 1.5 times their thickness."""
    edges = [[s / n for s, n in zip(b["size"], b["cells"])] for b in model.case["mesh"].get("boxes", [])]
    return any(max(e) > 1.5 * min(e) for e in edges)


def sound(model, base):
    """The energy balance closes, and without sources temperatures stay within what was given."""
    size = sum(abs(base.get(k, 0.0)) for k in ("stored", "held", "flux", "convected", "radiated", "body", "born", "beam"))
    rounding = 1e-13 * 4e6 * sum(volume(b) for b in model.boxes()) * base["T_max"] if "boxes" in model.case["mesh"] else 1e-9
    if abs(base["energy_gap"]) > 1e-9 * size + rounding and model.case.get("latent") != "apparent":
        yield "energy balance open by %g of %g J" % (base["energy_gap"], size)
    case = model.case
    if model.judge.get("printed"):
        return
    if not model.judge.get("steady") and not case.get("body_source") and not any("flux" in b for b in case["boundary"]) and "birth" not in case:
        given = [case["initial_temperature"], case["ambient"]]
        for b in case["boundary"]:
            v = b.get("temperature")
            given += [v] if isinstance(v, float) else [r[1] for r in v or []]
        # trilinear elements longer than sqrt(2) times their thickness have no maximum principle (docs/explanation/thermal.md)
        beyond = 1e-6 + (0.05 * (max(given) - min(given)) if slender(model) else 0)
        if base["T_max"] > max(given) + beyond or base["T_min"] < min(given) - beyond:
            yield "temperatures %g to %g beyond those given, %g to %g" % (base["T_min"], base["T_max"], min(given), max(given))


def resized(model, s):
    """Lengths times s, times s^2, with fluxes and films so that temperatures are the same."""
    m = scaled(model, s)
    c = m.case
    c["duration"] *= s * s
    for e in c["boundary"]:
        if "flux" in e:
            e["flux"] = [[t * s * s, v / s] for t, v in e["flux"]] if isinstance(e["flux"], list) else e["flux"] / s
        if "convection" in e:
            e["convection"] /= s
        if isinstance(e.get("temperature"), list):
            e["temperature"] = [[t * s * s, v] for t, v in e["temperature"]]
    if "body_source" in c:
        c["body_source"] /= s * s
    for e in c.get("birth", {}).get("list", []):
        e["time"] *= s * s
    return m


def relations(model, base, rng, program, name):
    case = model.case
    close = {"T": 1e-8, "e": 1e-8}
    if model.judge.get("steady"):
        yield from places(model, rng, close)
        yield from ways(model, base, rng, ranks=True)
        yield Check("assembly", close, with_keys(model, assembly=rng.choice(["atomic", "color", "gather", "cluster"])))
        yield Check("half_step", {"T": 1e-6, "e": 1e-6}, with_keys(model, safety=0.45))
        yield Check("judge_calculix", {"T": 1e-4}, follow=lambda p, n: calculix.steady(p, n, model))
        return
    if model.judge.get("printed"):
        yield from ways(model, base, rng, ranks=True)
        yield Check("assembly", close, with_keys(model, assembly=rng.choice(["atomic", "color", "gather", "cluster"])))
        yield Check("curve", close, lambda: with_mesh(model, order="curve"))
        yield Check("welded", close, lambda: welded(model))
        yield Check("precision", {"T": 2e-2, "e": 2e-2}, with_keys(model, precision="mixed"))
        if "keyhole" not in case["beams"][0]:  # whose depth grows with the power
            m = model.copy()
            one = m.case["beams"][0]
            one["raster"]["power"] *= 0.5
            m.case["beams"].append(one)
            yield Check("two_beams", close, m)
        if case["birth"]["by"] != "bead" if "birth" in case else True:
            yield Check("half_step", {"T": 0.1, "e": 0.1}, with_keys(model, safety=0.45), only=("p0", "p1"))
        return
    yield from geometry(model, rng, program, name, close)
    yield from ways(model, base, rng, ranks=True)
    if not any("emissivity" in b for b in case["boundary"]):
        s = rng.choice([1e-3, 1e3, 0.37])
        yield Check("scale", close, lambda: resized(model, s), factor={"kind e": s ** 3})
    angle = rng.uniform(0.2, 1.3)
    yield Check("turn_any", close, lambda: in_file(model, angle=angle))
    yield Check("assembly", close, with_keys(model, assembly=rng.choice(["atomic", "color", "gather", "cluster"])))
    # temperatures of 300 K in single precision round heat by 1e-6 of what a body contains: seen where nothing else happens
    other = with_keys(model, precision=rng.choice(["single", "mixed"]))
    moved = max(abs(base[name]) for name, kind in model.figures.items() if kind == "e")
    yield Check("precision", {"T": 5e-3, "e": 5e-3} if moved > 10 * model.judge["scale"]["e"] else {"T": 5e-3}, other)
    yield Check("set", 1e-300, with_keys(model, duration=1.0), args=("--set", "duration=%r" % case["duration"]))
    if int(base["#steps"]) >= 10:  # two steps of a pulse are no discretisation of it
        # of heat that has nearly gone again the rest is an exponential, of which a step's error is a larger share
        faded = abs(base["stored"]) < 0.1 * abs(base.get("flux", 0.0))
        yield Check("half_step", {"T": 0.1 if faded else 0.05, "e": 0.1}, with_keys(model, safety=0.45))
    if not any(b["set"] in ("xmin", "xmax") for b in case["boundary"]) and "body_source" not in case and len(case["materials"]) == 1:
        yield Check("alone", close, lambda: beside(model), only=("p0", "p1", "n"))
    if model.judge["plain"]:
        yield Check("judge_numpy", {"T": 1e-9, "e": 1e-8}, figures=lambda: heat.explicit(model, int(base["#steps"])),
                    only=("p0", "p1", "n", "T_max", "T_min", "stored"))


def beside(model):
    """A second body that touches nothing."""
    m = model.copy()
    a = m.boxes()[0]
    far = [a["origin"][0] + 10 * max(a["size"]), a["origin"][1], a["origin"][2]]
    m.boxes().append({"name": "alone", "origin": far, "size": a["size"], "cells": a["cells"]})
    return m
