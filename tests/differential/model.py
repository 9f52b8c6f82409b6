"""What a generator makes: a case whose mesh is boxes, and the figures that relations compare."""
import copy
import math

from mesh import Mesh, turned

SIDES = ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax")
# a quarter turn about z takes x to y and y to -x
TURN = {"xmin": "ymin", "xmax": "ymax", "ymin": "xmax", "ymax": "xmin"}
MIRROR = {"xmin": "xmax", "xmax": "xmin"}
# the component that a quarter turn makes of one, but for the sign
QUARTER = {"ux": "uy", "uy": "ux", "vx": "vy", "vy": "vx", "fx": "fy", "fy": "fx", "sxx": "syy", "syy": "sxx", "syz": "szx", "szx": "syz",
           "exx": "eyy", "eyy": "exx", "eyz": "ezx", "ezx": "eyz"}
VECTORS = ("force", "total", "displacement", "velocity", "traction", "acceleration")
LISTS = ("supports", "loads", "boundary", "initial")


class Model:
    """case: the case; figures: {name: kind}, kind one of T u v f s e n (temperature, displacement, velocity, force, stress, energy,
    number); judge: data that a judge wants to know."""

    def __init__(self, case, figures, **judge):
        self.case = case
        self.figures = figures
        self.judge = judge

    def copy(self):
        return copy.deepcopy(self)

    def boxes(self):
        return self.case["mesh"]["boxes"]

    def mesh(self):
        """The mesh, made here; where it is no mesh of boxes the case holds it (`data`) and Program.write writes it."""
        return self.case["mesh"].get("data") or Mesh(self.boxes())


def entries(case):
    """All entries of a case that name a set."""
    for key in LISTS + ("probes",):
        found = case.get(key, [])
        yield from ((key, e) for e in (found if isinstance(found, list) else [found]))


def moved(model, by):
    m = model.copy()
    for b in m.boxes():
        b["origin"] = [o + d for o, d in zip(b.get("origin", [0, 0, 0]), by)]
    for _, e in entries(m.case):
        for key in ("point", "to"):
            if key in e:
                e[key] = [o + d for o, d in zip(e[key], by)]
    return m


def scaled(model, s):
    """Lengths times s; times, loads and materials are the caller's."""
    m = model.copy()
    for b in m.boxes():
        b["size"] = [s * v for v in b["size"]]
        b["origin"] = [s * v for v in b["origin"]]
    for p in m.case["probes"]:
        if "point" in p:
            p["point"] = [s * v for v in p["point"]]
    return m


def quarter_turn(model):
    """Everything turned by 90 degrees about z; returns the model and the figures' factors."""
    m = model.copy()

    def vector(v):
        return [-v[1], v[0], v[2]]
    for b in m.boxes():
        o, s, c = b.get("origin", [0, 0, 0]), b["size"], b["cells"]
        b.update(origin=[-o[1] - s[1], o[0], o[2]], size=[s[1], s[0], s[2]], cells=[c[1], c[0], c[2]])
    factor = {}
    swap = {"x": "y", "y": "x"}
    for key, e in entries(m.case):
        if e.get("set") in TURN:
            e["set"] = TURN[e["set"]]
        for k in VECTORS + ("point", "to"):
            if k in e:
                e[k] = vector(e[k])
        if "fix" in e and e["fix"] != "all":
            e["fix"] = " ".join(swap.get(c, c) for c in e["fix"].split())
        if "components" in e and key == "supports":
            e["components"] = " ".join(swap.get(c, c) for c in e["components"].split())
        if key == "probes" and "quantity" in e:
            q = e["quantity"]
            e["quantity"] = QUARTER.get(q, q)
            if q in ("uy", "vy", "fy", "sxy", "syz", "exy", "eyz"):
                factor[e["name"]] = -1.0  # the new x component is minus the old y component
    for e in m.case.get("inherent", []):
        e["angle"] = e.get("angle", 0) + math.pi / 2
    for e in m.case.get("phases", []):
        if e.get("kind") == "cut":  # the line that cuts goes along x unless the case says otherwise
            e["direction"] = swap.get(e.get("direction", "x"), "z")
    return m, factor


def mirrored(model):
    """Everything mirrored at the plane x = 0."""
    m = model.copy()
    for b in m.boxes():
        o = b.get("origin", [0, 0, 0])
        b["origin"] = [-o[0] - b["size"][0], o[1], o[2]]
    factor = {}
    for key, e in entries(m.case):
        if e.get("set") in MIRROR:
            e["set"] = MIRROR[e["set"]]
        for k in VECTORS + ("point", "to"):
            if k in e:
                e[k] = [-e[k][0]] + e[k][1:]
        if key == "probes" and e.get("quantity") in ("ux", "vx", "fx", "sxy", "szx"):
            factor[e["name"]] = -1.0
    for e in m.case.get("inherent", []):
        e["angle"] = -e.get("angle", 0)
        e["rotation"] = -e.get("rotation", 0)
    for e in m.case.get("phases", []):
        if e.get("kind") == "cut":
            e["back"] = not e.get("back", False)
    return m, factor


def in_file(model, angle=0.0, shuffle=None, move=None, scale=1.0):
    """The same mesh from a file: scaled, turned about z, moved, its nodes and elements renumbered."""
    m = model.copy()
    mesh = model.mesh()
    turn, by = turned(angle), move or [0.0, 0.0, 0.0]

    def place(p):
        return [scale * x + d for x, d in zip(turn(p), by)]
    if angle or move or scale != 1.0:
        mesh = mesh.mapped(place)
    if shuffle is not None:
        mesh = mesh.shuffled(shuffle)
    rest = {k: v for k, v in m.case["mesh"].items() if k not in ("boxes", "element", "data")}
    m.case["mesh"] = dict(rest, data=mesh)
    for key, e in entries(m.case):
        if e.get("set") in SIDES:
            e["set"] = set_in_file(key, e)
        for k in ("point", "to"):
            if k in e:
                e[k] = place(e[k])
        for k in VECTORS:
            if k in e and angle:
                e[k] = turn(e[k])
    for e in m.case.get("inherent", []):
        if angle:
            e["angle"] = e.get("angle", 0) + angle
    return m


def set_in_file(key, entry):
    """A side's name in a file: its faces or its nodes."""
    faces = key == "boundary" or any(k in entry for k in ("pressure", "traction", "total"))
    return entry["set"] + ("_f" if faces else "_n")


def welded(model):
    """The first box cut in two that share nodes: the same mesh."""
    m = model.copy()
    out = []
    for i, b in enumerate(m.boxes()):
        n = b["cells"][0]
        if i or n < 2:
            out.append(b)
            continue
        k, h, o = n // 2, b["size"][0] / n, b.get("origin", [0, 0, 0])
        out.append(dict(b, size=[k * h] + b["size"][1:], cells=[k] + b["cells"][1:]))
        out.append(dict(b, origin=[o[0] + k * h] + o[1:], size=[b["size"][0] - k * h] + b["size"][1:],
                        cells=[n - k] + b["cells"][1:]))
    m.case["mesh"]["boxes"] = out
    return m
