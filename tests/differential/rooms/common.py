"""What generators and relations of several rooms share."""
import functools
import logging

from case import Refused
from engine import Check
from mesh import Mesh
from model import in_file, mirrored, moved, quarter_turn, welded

MM = 1e-3
STATELESS = "has no state to save"  # of what is one step: modes, a mesh with its facets inserted
FACES = ("xmin", "xmax", "ymin", "ymax")


def boxes(rng, most=3, cells=(2, 5), size=None):
    """One to three boxes, stacked or side by side, with cells that match."""
    n = [rng.randint(*cells), rng.randint(*cells), rng.randint(*cells)]
    h = [rng.choice([0.5, 1.0, 2.0, 0.7]) * (size or MM) for _ in range(3)]
    if rng.random() < 0.5:
        h = [h[0]] * 3
    o = [round(rng.uniform(-3, 3), 1) * (size or MM) for _ in range(3)]
    out = [{"name": "a", "origin": o, "size": [a * b for a, b in zip(n, h)], "cells": n}]
    number = rng.randint(1, most)
    if number > 1:  # on top
        k = rng.randint(1, 3)
        out.append({"name": "b", "origin": [o[0], o[1], o[2] + n[2] * h[2]], "size": [n[0] * h[0], n[1] * h[1], k * h[2]],
                    "cells": [n[0], n[1], k]})
    if number > 2:  # beside the first: the body is an L
        k = rng.randint(1, 3)
        out.append({"name": "c", "origin": [o[0] + n[0] * h[0], o[1], o[2]], "size": [k * h[0], n[1] * h[1], n[2] * h[2]],
                    "cells": [k, n[1], n[2]]})
    return out


def inside(rng, parts):
    b = rng.choice(parts)
    return [o + rng.uniform(0.13, 0.87) * s for o, s in zip(b["origin"], b["size"])]


def corner(rng, parts):
    """A node, for figures that are taken at the nearest one."""
    b = rng.choice(parts)
    return [o + s * rng.randint(0, n) / n for o, s, n in zip(b["origin"], b["size"], b["cells"])]


def geometry(model, rng, program, name, tolerance, turn=True, mirror=True, file=True):
    """Relations of place and numbering that hold for every field problem."""
    by = [round(rng.uniform(-50, 50)) * 1e-3 for _ in range(3)]
    yield Check("move", tolerance, lambda: moved(model, by))
    if turn:
        m, factor = quarter_turn(model)
        yield Check("turn", tolerance, m, factor=factor)
    if mirror:
        m, factor = mirrored(model)
        yield Check("mirror", tolerance, m, factor=factor)
    yield Check("welded", tolerance, lambda: welded(model))
    yield Check("curve", tolerance, lambda: with_mesh(model, order="curve"))
    if file:
        number = rng.randint(1, 999)
        yield Check("file", tolerance, lambda: in_file(model))
        yield Check("renumber", tolerance, lambda: in_file(model, shuffle=number))


def ways(model, base, rng, bits=1e-13, ranks=None, close=None, output=True):
    """Ways to run one case that give the same bits, or nearly: from files, in portions, from a checkpoint, by several threads and ranks."""
    steps = int(base["#steps"])
    portion, cut, number = rng.randint(1, max(1, steps // 3)), rng.randint(1, max(1, steps - 1)), rng.choice([2, 3, 4])
    yield Check("program", 1e-300, model, program=True)
    if package():
        yield Check("python", bits, follow=lambda p, n: stepped(p, n, model, portion), refusable=STATELESS)
    yield Check("stepped", bits, model, portion=portion, refusable=STATELESS)
    if steps > 1:
        yield Check("restart", bits, model, cut=cut, out=True)
    yield Check("threads", bits, model, threads=number)
    yield Check("debug", bits, lambda: with_keys(model, backend="debug"))
    if output:
        yield Check("output", bits, lambda: with_keys(model, output={"count": rng.choice([0, 2, 7]), "history_every": rng.choice([1, 3])}),
                    out=rng.random() < 0.5)
    if ranks:
        yield Check("ranks", close or bits, model, ranks=rng.choice([2, 3]))


def free_mesh(rng, most=1, cells=(1, 3)):
    """A mesh that is no grid: hexahedra with moved nodes, or tetrahedra; and the boxes it is made of."""
    parts = boxes(rng, most=most, cells=cells)
    mesh = Mesh(parts)
    if rng.random() < 0.4:
        mesh = mesh.tetrahedra()
    if rng.random() < 0.7:
        mesh = mesh.jittered(rng, 0.2 if len(mesh.cells[0]) == 8 else 0.1)
    return mesh, parts


def places(model, rng, tolerance, only=None):
    """Relations of place and numbering of a mesh from a file."""
    by = [round(rng.uniform(-50, 50)) * 1e-3 for _ in range(3)]
    number, angle = rng.randint(1, 999), rng.uniform(0.2, 1.3)
    yield Check("move", tolerance, lambda: in_file(model, move=by))
    yield Check("renumber", tolerance, lambda: in_file(model, shuffle=number))
    yield Check("curve", tolerance, lambda: with_mesh(model, order="curve"))
    yield Check("turn_any", tolerance, lambda: in_file(model, angle=angle), only=only)


def with_mesh(model, **keys):
    m = model.copy()
    m.case["mesh"].update(keys)
    return m


def with_keys(model, **keys):
    m = model.copy()
    m.case.update(keys)
    return m


@functools.lru_cache(None)
def package():
    """The Python package, or None where it does not load."""
    try:
        import ingot
    except ImportError:
        return None
    logging.getLogger("ingot").setLevel(logging.ERROR)
    return ingot


def stepped(program, name, model, portion):
    """The same run by another program: in portions, kept in the middle, advanced, brought back, and advanced again."""
    ingot = package()
    path = program.write(model.case, name)
    try:
        with ingot.Simulation(ingot.Case(path, threads=1)) as s:
            s.step(portion)
            state = s.save()
            if not s.ended:
                s.step(2 * portion)
            s.restore(state)
            while not s.ended:
                s.step(portion)
            return dict(s.finish())
    except ingot.IngotError as e:
        raise Refused(1, str(e))
