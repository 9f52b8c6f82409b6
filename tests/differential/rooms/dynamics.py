"""Explicit dynamics and statics of solids of hexahedra."""
from engine import Check
from judges import explicit
from model import Model, in_file, scaled
from rooms.common import FACES, boxes, corner, geometry, stepped, with_keys

NAME = "dynamics"


def generate(rng):
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
    # Newton's method ends where its residual is small, not at a given state
    close = 2e-5 if static else 1e-8 if not judge["plastic"] else 1e-6
    yield from geometry(model, rng, program, name, close)
    yield Check("output", 1e-12, with_keys(model, output={"count": 4, "history_every": 3}))
    yield Check("threads", 1e-12, model, threads=2)
    yield Check("assembly", close, with_keys(model, assembly=rng.choice(["atomic", "color", "gather", "cluster"])))
    if not static:
        yield Check("precision", 0.05, with_keys(model, precision=rng.choice(["single", "mixed"])))
        if "history" in case.get("loads", [{}])[0]:  # a load that begins suddenly excites all modes of the mesh
            m = model.copy()
            m.case["analysis"][0]["time_step"] *= 0.5
            yield Check("half_step", 0.05, m)
    else:
        m = model.copy()
        m.case["analysis"][0]["method"] = "relaxation"
        # strains are added up along the path: two paths to one load differ by the order of the strain
        yield Check("relaxation", 2e-3, m)
    yield Check("debug", 1e-12, with_keys(model, backend="debug"))
    yield Check("python", 1e-12, follow=lambda p, n: stepped(p, n, model, rng.randint(3, 20)))
    yield Check("turn_any", {"u": 1e-6 if not static else 1e-4, "f": 1e-6 if not static else 1e-4, "e": 1e-6},
                in_file(model, program.folder, name + "-turn_any", angle=rng.uniform(0.2, 1.3)), only=("u2", "fz", "internal"))
    s = rng.choice([1e-2, 10.0])
    yield Check("scale", close * 10, resized(model, s), factor={"kind u": s, "kind f": s * s, "kind e": s ** 3})
    if not judge["plastic"] and case.get("sections", [{"integration": "bbar"}])[0]["integration"] == "bbar":
        found = explicit.analyse(model, int(base["#steps"]))
        if found:
            yield Check("judge_numpy", 1e-2, figures=found, only=tuple(found))


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
