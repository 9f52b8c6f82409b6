"""Explicit dynamics and statics of solids of hexahedra."""
import math

from engine import Check
from judges import calculix, explicit
from model import Model, in_file, moved, scaled
from rooms.common import FACES, boxes, corner, free_mesh, geometry, places, ways, with_keys, with_mesh

NAME = "dynamics"


ROLLERS = [{"set": "xmin_n", "fix": "x"}, {"set": "ymin_n", "fix": "y"}, {"set": "zmin_n", "fix": "z"}]


def statics(rng):
    """Free meshes with loads so small that the body hardly turns: linear elasticity."""
    mesh, parts = free_mesh(rng)
    material = {"name": "m", "young": rng.choice([2e11, 7e10]), "poisson": rng.choice([0.3, 0.0, 0.2, 0.4]), "density": 7850.0}
    case = {"physics": "dynamics", "mesh": {"data": mesh}, "materials": [material], "output": {"count": 0},
            "supports": rng.choice([[{"set": "zmin_n", "fix": "all"}], ROLLERS, [{"set": "xmax_n", "fix": "all"}, {"set": "zmin_n", "fix": "z"}]]),
            "loads": [], "analysis": [{"kind": "static", "tolerance": 1e-6, **rng.choice([{}, {"method": "relaxation"}])}]}
    if len(mesh.cells[0]) == 8:
        case["sections"] = [{"integration": "full"}]
    stress = 1e4
    for name in rng.sample(FACES + ("zmax",), rng.randint(1, 3)):
        if rng.random() < 0.5:
            area = parts[0]["size"][0] * parts[0]["size"][1]
            case["loads"].append({"set": name + "_n", "total": [round(rng.uniform(-1, 1), 3) * stress * area for _ in range(3)]})
        else:
            case["loads"].append({"set": name + "_f", "pressure": round(rng.uniform(-1, 1), 3) * stress})
    if rng.random() < 0.5 and len(mesh.cells[0]) == 4:  # a node has an eighth of a distorted hexahedron here, more or less in CalculiX
        case["gravity"] = {"acceleration": [round(rng.uniform(-1, 1), 2) * 1e3 for _ in range(3)]}
    nodes = [rng.choice(mesh.points) for _ in range(3)]
    case["probes"] = [{"name": "u%d" % i, "point": nodes[i], "quantity": q} for i, q in enumerate(("ux", "uy", "uz"))]
    size = 1e-2 * stress / material["young"] * parts[0]["size"][2]
    return Model(case, {"u0": "u", "u1": "u", "u2": "u"}, kind="free static", plastic=False, scale={"u": size})


STEEL = {"name": "m", "young": 2e11, "poisson": 0.3, "density": 7850.0}
SPEED = (STEEL["young"] / STEEL["density"]) ** 0.5


def lines(rng):
    """Bars and beams along x, pulled, bent or struck."""
    cells, length = rng.randint(2, 8), rng.choice([20.0, 50.0]) * 1e-3
    radius = rng.choice([1e-3, 2e-3])
    kind = rng.choice(["bar", "beam", "beam", "cable"])
    section = {"line": kind, "area": math.pi * radius ** 2} if kind != "beam" else rng.choice([
        {"profile": "circle", "radius": radius}, {"profile": "tube", "radius": radius, "wall": 0.3 * radius},
        {"profile": "rectangle", "width": radius, "height": 1.5 * radius, "up": [0.0, 0.0, 1.0]}])
    static = kind == "beam" and rng.random() < 0.4
    case = {"physics": "dynamics", "mesh": {"beam_line": {"x": [0.0, length], "cells": cells}}, "materials": [dict(STEEL)], "sections": [section],
            "supports": [{"set": "start", "fix": "all" if kind != "beam" else "x y z rx ry rz"}], "output": {"count": 1}}
    if kind != "beam":
        case["mesh"]["sets"] = [{"name": "every", "box": {"min": [-1, -1, -1], "max": [1, 1, 1]}}]
        case["supports"].append({"set": "every", "fix": "y z"})
    pull = round(rng.uniform(0.2, 1), 3) * math.pi * radius ** 2 * 1e6 * (0.01 if static else 1)
    across = [round(rng.uniform(-1, 1), 3) * 1e-3 * pull for _ in range(2)] if kind == "beam" else [0.0, 0.0]
    case["loads"] = [{"set": "end", "force": [pull if not static else 0.0, *across]}]
    steps = 8 * cells * rng.randint(1, 4)
    case["analysis"] = [{"kind": "static", "tolerance": 1e-6}] if static else [{"duration": steps * 0.1 * length / cells / SPEED, "time_step": 0.1 * length / cells / SPEED}]
    case["probes"] = [{"name": "u0", "point": [length, 0, 0], "quantity": "ux"}, {"name": "u1", "point": [length, 0, 0], "quantity": "uy"},
                      {"name": "u2", "point": [length, 0, 0], "quantity": "uz"}, {"name": "fx", "set": "start", "quantity": "fx"}]
    return Model(case, {"u0": "u", "u1": "u", "u2": "u", "fx": "f"}, kind="lines", line=kind, static=static, plastic=False, radius=radius, cells=cells,
                 length=length, scale={"u": 1e-7 * length, "f": 1e-2 * pull})


def shells(rng):
    """A plate of shell elements, held at one edge."""
    n = [rng.randint(2, 6), rng.randint(2, 4)]
    h = rng.choice([1e-3, 4e-3])
    case = {"physics": "dynamics", "mesh": {"shell": True, "element": rng.choice(["quad4", "tri3"]), "boxes": [{"name": "a", "origin": [0.0, 0.0], "size": [n[0] * h, n[1] * h], "cells": n}]},
            "materials": [dict(STEEL)], "sections": [{"thickness": rng.choice([0.1, 0.3]) * h}], "supports": [{"set": "xmin", "fix": "all"}],
            "contact": {"on": rng.random() < 0.3}, "output": {"count": 1}}
    if rng.random() < 0.4:
        case["materials"][0].update({"yield": 2e8, "hardening": 1e9})
    force = 1e5 * case["sections"][0]["thickness"] ** 2
    case["loads"] = [{"set": "xmax", "total": [round(rng.uniform(-1, 1), 3) * force for _ in range(3)]}]
    if rng.random() < 0.3:
        case["loads"].append({"set": "a", "pressure": round(rng.uniform(-1, 1), 3) * 1e4})
    case["analysis"] = [{"duration": rng.randint(2, 10) * n[0] * h / SPEED}]
    at = [[n[0] * h, n[1] * h * rng.randint(0, 1), 0.0] for _ in range(3)]
    case["probes"] = [{"name": "u%d" % i, "point": at[i], "quantity": q} for i, q in enumerate(("ux", "uy", "uz"))]
    return Model(case, {"u0": "u", "u1": "u", "u2": "u", "internal": "e"}, kind="shells", plastic=True, scale={"u": 1e-9})


def meeting(rng):
    """Two blocks that meet: contact, a tie, a tool or a rigid body."""
    h = 1e-3
    n = [[rng.randint(1, 3) for _ in range(3)] for _ in range(2)]
    gap = rng.choice([0.02, 0.2]) * h
    case = {"physics": "dynamics", "materials": [dict(STEEL)], "output": {"count": 1}, "mesh": {"boxes": [
        {"name": "a", "origin": [0.0, 0.0, 0.0], "size": [h * v for v in n[0]], "cells": n[0]},
        {"name": "b", "origin": [round(rng.uniform(-0.3, 0.3), 2) * h, round(rng.uniform(-0.3, 0.3), 2) * h, n[0][2] * h + gap], "size": [h * v for v in n[1]], "cells": n[1]}]}}
    way = rng.choice(["contact", "contact", "tool", "body", "tie"])
    case["contact"] = {"on": True, "thickness": min(0.05 * h, gap)} if way in ("contact", "tool") else {"on": False}
    if rng.random() < 0.5 and way == "contact":
        case["contact"]["friction"] = rng.choice([0.2, 0.6])
    case["supports"] = [{"set": "zmin", "fix": "all"}]
    case["initial"] = [{"set": "b", "velocity": [round(rng.uniform(-5, 5), 2), round(rng.uniform(-5, 5), 2), -round(rng.uniform(5, 20), 2)]}]
    if way == "tool":
        case["tools"] = [{"point": [0.0, 0.0, (n[0][2] + n[1][2]) * h + 1.5 * gap], "axis": [0.0, 0.0, -1.0], "velocity": [0.0, 0.0, -round(rng.uniform(1, 10), 2)]}]
    if way == "body":
        case["bodies"] = [{"set": "zmax"}]
    if way == "tie":
        case["mesh"]["sets"] = [{"name": "low", "box": {"min": [-1, -1, n[0][2] * h + 0.5 * gap], "max": [1, 1, n[0][2] * h + 1.5 * gap]}},
                                {"name": "up", "box": {"min": [-1, -1, n[0][2] * h - 0.1 * gap], "max": [1, 1, n[0][2] * h + 0.1 * gap]}}]
        case["ties"] = [{"set": "low", "to": "up", "distance": 0.5 * h}]
    case["analysis"] = [{"duration": rng.uniform(1, 4) * 5e-6}]
    top = [o + s for o, s in zip(case["mesh"]["boxes"][1]["origin"], case["mesh"]["boxes"][1]["size"])]
    case["probes"] = [{"name": "u%d" % i, "point": top, "quantity": q} for i, q in enumerate(("ux", "uy", "uz"))] + [{"name": "fz", "set": "zmin", "quantity": "fz"}]
    return Model(case, {"u0": "u", "u1": "u", "u2": "u", "fz": "f"}, kind="meeting", plastic=False, way=way, scale={"u": 1e-9, "f": 1.0})


def generate(rng):
    kind = rng.random()
    if kind < 0.25:
        return statics(rng)
    if kind < 0.5:
        return rng.choice([lines, shells, meeting])(rng)
    parts = boxes(rng, most=2, cells=(2, 4))
    e, rho = rng.choice([(2e11, 7850.0), (7e10, 2700.0)])
    material = {"name": "m", "young": e, "poisson": rng.choice([0.3, 0.0, 0.25]), "density": rho}
    plastic = rng.random() < 0.3
    if plastic:
        material.update({"yield": 2e8, "hardening": 1e9})
    case = {"physics": "dynamics", "mesh": {"boxes": parts}, "materials": [material], "output": {"count": 1}}
    if rng.random() < 0.3:
        case["sections"] = [{"integration": rng.choice(["bbar", "full", "single"])}]
    kind = rng.choice(["step", "free", "static"])
    area = parts[0]["size"][0] * parts[0]["size"][1]
    height = sum(b["size"][2] for b in parts)
    speed = (e / rho) ** 0.5
    duration = rng.uniform(1, 4) * height / speed
    small = not plastic and rng.random() < 0.6  # so small that the dense judge's linear theory holds
    f = rng.uniform(0.02, 0.3) * (1e5 if small else 1e8 if not plastic else 4e8) * area
    force = [round(rng.uniform(-0.2, 0.2) * f, 4), round(rng.uniform(-0.2, 0.2) * f, 4), round(rng.uniform(-1, 1) * f, 4)]
    if kind == "free":
        fast = 5e-3 if small else 5.0
        case["initial"] = [{"velocity": [round(rng.uniform(-fast, fast), 5) for _ in range(3)]},
                           {"set": "zmax", "velocity": [round(rng.uniform(-fast, fast), 5) for _ in range(3)]}]
        case["analysis"] = [{"kind": "dynamic", "duration": duration}]
    else:
        case["supports"] = [{"set": "zmin", "fix": "all"}]
        case["loads"] = [{"set": "zmax", "total": force}]
        if rng.random() < 0.3:
            case["loads"].append({"set": rng.choice(FACES), "pressure": round(rng.uniform(-0.1, 0.1) * (1e5 if small else 1e8))})
        if rng.random() < 0.3:
            case["gravity"] = {"acceleration": [0, 0, -9.81 * (10 if small else 1e4)]}
        if kind == "static":
            case["analysis"] = [{"kind": "static", "tolerance": 1e-6}]
            # relaxation and the judge have no incompatible modes, which statics take by default
            case.setdefault("sections", [{"integration": "bbar"}])
            material.pop("yield", None)
            material.pop("hardening", None)
            plastic = False
        else:
            case["analysis"] = [{"kind": "dynamic", "duration": duration}]
            if rng.random() < 0.3:
                case["loads"][0]["history"] = [[0, 0], [0.3 * duration, 1], [0.6 * duration, 0]]
    case["probes"] = [{"name": "u%d" % i, "point": corner(rng, parts), "quantity": ["ux", "uy", "uz"][i]} for i in range(3)]
    figures = {"u0": "u", "u1": "u", "u2": "u"}
    if kind != "free":
        case["probes"] += [{"name": "f" + a, "set": "zmin", "quantity": "f" + a} for a in "xyz"]
        figures.update(fx="f", fy="f", fz="f")
    if kind == "step":
        figures["internal"] = "e"
    if kind != "static":
        # a step of ours, of which the duration is a whole number
        edge = min(b["size"][d] / b["cells"][d] for b in parts for d in range(3))
        number = int(duration / (0.25 * edge / speed)) + 1
        case["analysis"][0]["time_step"] = duration / number
    scale = {"u": 1e-3 * f / area / e * height, "f": 1e-2 * f}
    return Model(case, figures, kind=kind, plastic=plastic, scale=scale, small=small)


def may_fail(text):
    # blocks that meet at speed with a step or a penalty that does not do: the message says so, with the remedy
    return "take a smaller step" in text


def sound(model, base):
    return []


def relations(model, base, rng, program, name):
    case, judge = model.case, model.judge
    static = judge["kind"] == "static"
    # Newton and relaxation end where an error is small, not at a given state
    if judge["kind"] == "free static":
        close = 5e-5
        turns = not any("gravity" in case or e.get("fix", "all") not in ("all", "z") for e in case["supports"])
        yield from (c for c in places(model, rng, close, only=("u2",)) if turns or c.name != "turn_any")
        yield from ways(model, base, rng, 1e-12, ranks=case["analysis"][0].get("method") == "relaxation")
        yield Check("assembly", close, with_keys(model, assembly=rng.choice(["atomic", "color", "gather", "cluster"])))
        yield Check("half", close, halved(model), factor={"kind u": 0.5})
        yield Check("judge_calculix", 2e-4, follow=lambda p, n: calculix.motions(p, n, model))
        return
    if judge["kind"] in ("lines", "shells", "meeting"):
        yield from ways(model, base, rng, 1e-12, ranks=case["analysis"][0].get("kind") != "static")
        yield from other_parts(model, base, rng)
        return
    close = 2e-5 if static else 1e-5 if judge["small"] else 1e-8 if not judge["plastic"] else 1e-6
    yield from geometry(model, rng, program, name, close)
    yield from ways(model, base, rng, 1e-12, ranks=not static)  # Newton's method: one rank
    yield Check("assembly", close, with_keys(model, assembly=rng.choice(["atomic", "color", "gather", "cluster"])))
    if not static and not judge["small"]:  # positions in single precision have no such small displacements
        precision = rng.choice(["single", "mixed"])
        yield Check("precision", {"u": 0.05 + (rounding(model, base, 2.0 ** -25) if precision == "single" else 0), "f": 0.05, "e": 0.05},
                    with_keys(model, precision=precision))
        if "history" in case.get("loads", [{}])[0]:  # a load that begins suddenly excites all modes of the mesh
            m = model.copy()
            m.case["analysis"][0]["time_step"] *= 0.5
            # the error is that of the wave, whose force is the load's; what is left where it has passed may be far less
            peak = max(map(abs, case["loads"][0]["total"])) / max(abs(base[k]) for k in ("fx", "fy", "fz"))
            yield Check("half_step", {"u": 0.05, "f": 0.05 * max(1.0, peak), "e": 0.05}, m)
    if static:
        m = model.copy()
        m.case["analysis"][0]["method"] = "relaxation"
        # strains are added up along the path: two paths to one load differ by the order of the strain, and by what a rotation of that
        # order makes of the largest displacement
        size = max([abs(base[k]) for k, kind in model.figures.items() if kind == "u"] + [judge.get("scale", {}).get("u", 0.0)])
        path = {"u": 2e-3 * max(1.0, base["displacement_max"] / size), "f": 2e-3, "e": 2e-3}
        yield Check("relaxation", path, m)
        m = m.copy()
        m.case["analysis"][0]["relaxation"] = "kinetic"
        yield Check("kinetic", path, m)
    angle = rng.uniform(0.2, 1.3)
    yield Check("turn_any", {"u": 1e-6 if not static and not judge["small"] else 1e-4, "f": 1e-6 if not static and not judge["small"] else 1e-4, "e": 1e-6 if not judge["small"] else 1e-4},
                lambda: in_file(model, angle=angle), only=("u2", "fz", "internal"))
    s = rng.choice([1e-2, 10.0])
    yield Check("scale", close * 10, lambda: resized(model, s), factor={"kind u": s, "kind f": s * s, "kind e": s ** 3})
    if not judge["plastic"] and case.get("sections", [{"integration": "bbar"}])[0]["integration"] == "bbar":
        # linear theory leaves out displacements of second order: a rotation of u / height moves what has moved by u
        height = sum(b["size"][2] for b in model.boxes())
        size = max([abs(base[k]) for k, kind in model.figures.items() if kind == "u"] + [judge.get("scale", {}).get("u", 0.0)])
        second = base["displacement_max"] ** 2 / height / size if size else 0.0
        turn = base["displacement_max"] / height
        # what is pulled along z bends less: u = F L^3 / 3 E I is lower by 1.2 P u / F L
        force = [abs(sum(load.get("total", [0.0] * 3)[d] for load in case.get("loads", []))) for d in range(3)]
        second += 1.5 * turn * force[2] / max(force[0], force[1]) if max(force[:2]) > 0 else 0.0
        # pressure follows the surface that turns
        tolerance = {"u": 1e-4 + second, "f": 1e-4, "e": 1e-4} if judge["small"] else {"u": 5e-2 + second, "f": 5e-2 + (turn if any("pressure" in load for load in case.get("loads", [])) else 0.0), "e": 5e-2}
        yield Check("judge_numpy", tolerance, figures=lambda: explicit.analyse(model, int(base["#steps"])))


def rounding(model, base, share):
    """What rounding of positions by a share in each step adds up to, over the largest displacement compared."""
    place = max(abs(v) for p in model.case["probes"] for v in p.get("point", [0.0]))
    if "boxes" in model.case["mesh"]:
        place = max(abs(o) + s for b in model.boxes() for o, s in zip(b["origin"], b["size"]))
    size = max([abs(base[k]) for k, kind in model.figures.items() if kind == "u"] + [model.judge.get("scale", {}).get("u", 0.0)])
    return share * place * base["#steps"] ** 0.5 / size


def other_parts(model, base, rng):
    case, judge = model.case, model.judge
    close = 1e-6
    yield Check("assembly", close, with_keys(model, assembly=rng.choice(["atomic", "color", "gather", "cluster"])))
    yield Check("curve", close, lambda: with_mesh(model, order="curve"))
    if judge["kind"] == "meeting" and judge["way"] != "tie":
        # contact cuts each quadrilateral in two triangles, so that turns and mirror images are other surfaces
        yield Check("far", close, lambda: moved(model, [0.128, -0.064, 0.0]))
    if judge["kind"] == "lines":
        if judge["static"]:
            yield Check("judge_exact", 1e-3, figures=lambda: cantilever(model), only=("u1", "u2"))
        elif case["sections"][0].get("profile") != "tube":
            yield Check("judge_numpy", 1e-3, figures=lambda: chain(model, int(base["#steps"])), only=("u0",))
    if judge["kind"] == "shells" and case["mesh"]["element"] == "quad4":  # triangles are cut along one diagonal
        yield Check("mirror", close, lambda: other_side(model), factor={"u1": -1.0})


def other_side(model):
    """Mirrored at the plane y = 0."""
    m = model.copy()
    box = m.boxes()[0]
    box["origin"] = [box["origin"][0], -box["origin"][1] - box["size"][1]]
    for e in m.case["loads"]:
        if "total" in e:
            e["total"][1] *= -1
    for p in m.case["probes"]:
        p["point"][1] *= -1
    return m


def area(section):
    if "area" in section:
        return section["area"]
    return section["width"] * section["height"] if section["profile"] == "rectangle" else math.pi * section["radius"] ** 2


def chain(model, steps):
    """Motion of the end of a bar of lumped masses and springs, by central differences."""
    case, n, h = model.case, model.judge["cells"], model.judge["length"] / model.judge["cells"]
    a = area(case["sections"][0])
    k = STEEL["young"] * a / h
    mass = [STEEL["density"] * a * h] * n
    mass[-1] *= 0.5
    dt, force = case["analysis"][0]["time_step"], case["loads"][0]["force"][0]
    u, v = [0.0] * (n + 1), [0.0] * (n + 1)
    for step in range(steps):
        f = [0.0] * (n + 1)
        f[n] = force
        for i in range(n):
            pull = k * (u[i + 1] - u[i])
            f[i] += pull
            f[i + 1] -= pull
        for i in range(1, n + 1):
            v[i] += (0.5 if step == 0 else 1.0) * dt * f[i] / mass[i - 1]  # velocities stand half a step behind
            u[i] += dt * v[i]
    return {"u0": u[n]}


def cantilever(model):
    """The end of an Euler-Bernoulli beam under forces across it."""
    s, length = model.case["sections"][0], model.judge["length"]
    if s["profile"] == "rectangle":
        high, wide = s["width"] * s["height"] ** 3 / 12, s["height"] * s["width"] ** 3 / 12
    else:
        hole = s["radius"] - s.get("wall", s["radius"])
        high = wide = math.pi * (s["radius"] ** 4 - hole ** 4) / 4
    force = model.case["loads"][0]["force"]
    return {"u1": force[1] * length ** 3 / (3 * STEEL["young"] * wide), "u2": force[2] * length ** 3 / (3 * STEEL["young"] * high)}


def halved(model):
    """Half of every load."""
    m = model.copy()
    for e in m.case["loads"]:
        for k in ("total", "pressure"):
            if k in e:
                e[k] = [0.5 * v for v in e[k]] if k == "total" else 0.5 * e[k]
    if "gravity" in m.case:
        m.case["gravity"]["acceleration"] = [0.5 * v for v in m.case["gravity"]["acceleration"]]
    return m


def resized(model, s):
    """Lengths and times times s, forces times s^2: the same stresses and velocities."""
    m = scaled(model, s)
    c = m.case
    for e in c.get("loads", []):
        if "total" in e:
            e["total"] = [s * s * v for v in e["total"]]
        if "history" in e:
            e["history"] = [[t * s, v] for t, v in e["history"]]
    if "gravity" in c:
        c["gravity"]["acceleration"] = [v / s for v in c["gravity"]["acceleration"]]
    for a in c["analysis"]:
        if "duration" in a:
            a["duration"] *= s
            a["time_step"] *= s
    return m
