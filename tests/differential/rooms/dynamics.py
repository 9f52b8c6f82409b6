"""Explicit dynamics and statics of solids of hexahedra."""
from engine import Check
from judges import calculix, explicit
from model import Model, in_file, scaled
from rooms.common import FACES, boxes, corner, free_mesh, geometry, places, ways, with_keys

NAME = "dynamics"


ROLLERS = [{"set": "xmin_n", "fix": "x"}, {"set": "ymin_n", "fix": "y"}, {"set": "zmin_n", "fix": "z"}]


def statics(rng):
    """Free meshes with loads so small that the body hardly turns: linear elasticity."""
    mesh, parts = free_mesh(rng)
    material = {"name": "m", "young": rng.choice([2e11, 7e10]), "poisson": rng.choice([0.3, 0.0, 0.2, 0.4]), "density": 7850.0}
    case = {"physics": "dynamics", "mesh": {"data": mesh}, "materials": [material], "output": {"count": 0},
            "supports": rng.choice([[{"set": "zmin_n", "fix": "all"}], ROLLERS, [{"set": "xmax_n", "fix": "all"}, {"set": "zmin_n", "fix": "z"}]]),
            "loads": [], "analysis": [{"kind": "static", "tolerance": 1e-6}]}
    if len(mesh.cells[0]) == 8:
        case["sections"] = [{"integration": "full"}]
    stress = 1e4
    for name in rng.sample(FACES + ("zmax",), rng.randint(1, 3)):
        if rng.random() < 0.5:
            area = parts[0]["size"][0] * parts[0]["size"][1]
            case["loads"].append({"set": name + "_n", "total": [round(rng.uniform(-1, 1), 3) * stress * area for _ in range(3)]})
        else:
            case["loads"].append({"set": name + "_f", "pressure": round(rng.uniform(-1, 1), 3) * stress})
    if rng.random() < 0.3:
        case["gravity"] = {"acceleration": [round(rng.uniform(-1, 1), 2) * 1e3 for _ in range(3)]}
    nodes = [rng.choice(mesh.points) for _ in range(3)]
    case["probes"] = [{"name": "u%d" % i, "point": nodes[i], "quantity": q} for i, q in enumerate(("ux", "uy", "uz"))]
    size = 1e-2 * stress / material["young"] * parts[0]["size"][2]
    return Model(case, {"u0": "u", "u1": "u", "u2": "u"}, kind="free static", plastic=False, scale={"u": size})


def generate(rng):
    if rng.random() < 0.3:
        return statics(rng)
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
    f = rng.uniform(0.02, 0.3) * (1e8 if not plastic else 4e8) * area
    force = [round(rng.uniform(-0.2, 0.2) * f, 4), round(rng.uniform(-0.2, 0.2) * f, 4), round(rng.uniform(-1, 1) * f, 4)]
    if kind == "free":
        case["initial"] = [{"velocity": [round(rng.uniform(-5, 5), 2) for _ in range(3)]},
                           {"set": "zmax", "velocity": [round(rng.uniform(-5, 5), 2) for _ in range(3)]}]
        case["analysis"] = [{"kind": "dynamic", "duration": duration}]
    else:
        case["supports"] = [{"set": "zmin", "fix": "all"}]
        case["loads"] = [{"set": "zmax", "total": force}]
        if rng.random() < 0.3:
            case["loads"].append({"set": rng.choice(FACES), "pressure": round(rng.uniform(-0.1, 0.1) * 1e8)})
        if rng.random() < 0.3:
            case["gravity"] = {"acceleration": [0, 0, -9.81 * 1e4]}
        if kind == "static":
            case["analysis"] = [{"kind": "static", "tolerance": 1e-6}]
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
    return Model(case, figures, kind=kind, plastic=plastic, scale=scale)


def may_fail(text):
    return False


def sound(model, base):
    return []


def relations(model, base, rng, program, name):
    case, judge = model.case, model.judge
    static = judge["kind"] == "static"
    # relaxation ends where its error is small, not at a given state
    if judge["kind"] == "free static":
        close = 5e-5
        turns = not any("gravity" in case or e.get("fix", "all") not in ("all", "z") for e in case["supports"])
        yield from (c for c in places(model, rng, close, only=("u2",)) if turns or c.name != "turn_any")
        yield from ways(model, base, rng, 1e-12, ranks=True)
        yield Check("assembly", close, with_keys(model, assembly=rng.choice(["atomic", "color", "gather", "cluster"])))
        yield Check("half", close, halved(model), factor={"kind u": 0.5})
        yield Check("judge_calculix", 2e-4, follow=lambda p, n: calculix.motions(p, n, model))
        return
    close = 2e-5 if static else 1e-8 if not judge["plastic"] else 1e-6
    yield from geometry(model, rng, program, name, close)
    yield from ways(model, base, rng, 1e-12, ranks=True)
    yield Check("assembly", close, with_keys(model, assembly=rng.choice(["atomic", "color", "gather", "cluster"])))
    if not static:
        yield Check("precision", 0.05, with_keys(model, precision=rng.choice(["single", "mixed"])))
        if "history" in case.get("loads", [{}])[0]:  # a load that begins suddenly excites all modes of the mesh
            m = model.copy()
            m.case["analysis"][0]["time_step"] *= 0.5
            yield Check("half_step", 0.05, m)
    else:
        m = model.copy()
        m.case["analysis"][0]["relaxation"] = "kinetic"
        # strains are added up along the path: two paths to one load differ by the order of the strain
        yield Check("kinetic", 2e-3, m)
    angle = rng.uniform(0.2, 1.3)
    yield Check("turn_any", {"u": 1e-6 if not static else 1e-4, "f": 1e-6 if not static else 1e-4, "e": 1e-6},
                lambda: in_file(model, angle=angle), only=("u2", "fz", "internal"))
    s = rng.choice([1e-2, 10.0])
    yield Check("scale", close * 10, lambda: resized(model, s), factor={"kind u": s, "kind f": s * s, "kind e": s ** 3})
    if not judge["plastic"] and case.get("sections", [{"integration": "bbar"}])[0]["integration"] == "bbar":
        yield Check("judge_numpy", 1e-2, figures=lambda: explicit.analyse(model, int(base["#steps"])))


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
