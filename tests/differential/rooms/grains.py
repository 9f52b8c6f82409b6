"""Grains in a small box of melt: from seeds, a substrate or nuclei, in a field or by events of melting."""
import math

from engine import Check
from model import Model
from rooms.common import ways, with_keys

NAME = "grains"
UM = 1e-6
QUARTER = math.pi / 2
FIGURES = {"grains": "n", "solidified_volume": "v", "liquid_fraction": "f", "nucleated_grains": "n", "misorientation_mean": "a", "undercooling_mean": "T"}


def law(rng):
    """Speed of tips: of an alloy, or one of ours."""
    if rng.random() < 0.5:
        return {"law": rng.choice(["in625", "in718"])}
    return {"law": "custom", "linear": 1e-3, "quadratic": rng.choice([0.0, 1e-4]), "limit": rng.choice([50.0, 100.0])}


def field(rng, number, cell):
    """Everything is liquid: cooled evenly, along z, or kept at one undercooling."""
    case = {"grid": {"cell": cell, "size": [n * cell for n in number]}, "periodic": rng.random() < 0.5}
    kind = rng.choice(["gradient", "even", "still"])
    if kind == "gradient":
        case["field"] = {"gradient": rng.choice([1e6, 4e6]), "speed": rng.choice([0.1, 0.4])}
    elif kind == "even":
        case["field"] = {"cooling_rate": rng.choice([1e5, 1e6]), "undercooling": rng.choice([0.0, 5.0])}
    else:
        case["field"] = {"undercooling": rng.choice([10.0, 30.0])}
    return case


def seeds(rng, number, cell):
    """Grains at cells that are not the same, turned any way."""
    found = {}
    for _ in range(rng.randint(1, 5)):
        at = tuple(rng.randrange(n) for n in number)
        found[at] = {"point": [(i + 0.5) * cell for i in at], "euler": [round(rng.uniform(0, 3), 3) for _ in range(3)]}
    return list(found.values())


def pool(rng, cell):
    """Events of a pool that goes once or twice along x."""
    rows = []
    n = [rng.randint(6, 14), rng.randint(5, 8), rng.randint(3, 5)]
    for turn in range(rng.choice([1, 1, 2])):
        for i in range(n[0]):
            for j in range(n[1]):
                for k in range(n[2]):
                    deep = 1 - ((j - n[1] / 2) / (n[1] / 2 + 0.5)) ** 2 - ((n[2] - 1 - k) / n[2]) ** 2
                    if deep > 0:
                        melt = 4e-4 * turn + i * 1e-6 + 1e-5 * (1 - math.sqrt(deep))
                        rows.append([i * cell, j * cell, k * cell, melt, melt + 3e-5 * math.sqrt(deep), rng.choice([1e6, 1e6, 2e6])])
    rng.shuffle(rows)
    return rows


def single(rng, cell):
    """One grain, turned any way, that is stopped before it reaches a side."""
    tip, under = rng.choice([6.0, 7.5]), rng.choice([10.0, 30.0])
    speed = under * (1e-3 + under * 1e-4)
    case = {"physics": "grains", "output": {"count": 0}, "grid": {"cell": cell, "size": [17 * cell] * 3}, "periodic": False,
            "growth": {"law": "custom", "linear": 1e-3, "quadratic": 1e-4, "limit": 100.0}, "field": {"undercooling": under},
            "seeds": [{"point": [8.5 * cell] * 3, "euler": [round(rng.uniform(0, 3), 3) for _ in range(3)]}], "duration": tip * cell / speed}
    return Model(case, dict(FIGURES), scale={"a": 0.1, "T": 1.0, "f": 1.0}, tip=tip)


def generate(rng):
    cell = rng.choice([1, 2]) * UM
    if rng.random() < 0.15:
        return single(rng, cell)
    number = [rng.randint(6, 16) for _ in range(3)]
    case = {"physics": "grains", "growth": law(rng), "output": {"count": rng.choice([0, 1])}}
    if rng.random() < 0.4:
        case.update({"grid": {"cell": cell}, "events": [{"data": pool(rng, cell)}], "substrate": {"grain_size": rng.choice([2, 4]) * cell}})
        if rng.random() < 0.3:
            case["substrate"]["top"] = 2 * cell
    else:
        case.update(field(rng, number, cell))
        if rng.random() < 0.5:
            case["substrate"] = {"grain_size": rng.choice([2, 3, 5]) * cell}
            number = [number[0], number[1], 0]
        else:
            case["seeds"] = seeds(rng, number, cell)
    if rng.random() < 0.4:
        case["nucleation"] = {"density": 0.005 / cell**3, "mean": rng.choice([8.0, 20.0]), "deviation": rng.choice([0.0, 3.0])}
    if rng.random() < 0.3:
        case["random_seed"] = rng.randint(2, 10**6)
    return Model(case, dict(FIGURES), scale={"a": 0.1, "T": 1.0, "f": 1.0})


def may_fail(text):
    return False


def most_cells(case):
    """Cells that melt."""
    if "events" in case:
        return len({tuple(r[:3]) for r in case["events"][0]["data"]})
    return math.prod(round(s / case["grid"]["cell"]) for s in case["grid"]["size"])


def sound(model, base):
    cells, most = base["solidified_volume"] / model.case["grid"]["cell"] ** 3, most_cells(model.case)
    if not 0 < cells < most + 1e-6 or ("events" in model.case and base["liquid_fraction"] == 0 and cells < most - 1e-6):
        yield "%g cells solidified of %d" % (cells, most)
    if base["nucleated_grains"] > base["grains"] or not 0 <= base["misorientation_mean"] <= 0.9554:
        yield "%g of %g grains nucleated, misorientation %g" % (base["nucleated_grains"], base["grains"], base["misorientation_mean"])
    if "nucleation" not in model.case and base["nucleated_grains"]:
        yield "grains nucleated where none can"


def relations(model, base, rng, program, name):
    case = model.case
    yield from ways(model, base, rng)
    if "events" in case:
        yield from of_events(model, rng)
    if "field" in case:
        yield from of_field(model, base, rng)
    # Tips are as far in the end whatever the steps are, but cells are captured at whole steps: a front is up to a step late, which is
    # 0.2 cells (`safety`). A grain that has grown from a point to tips of L cells has 4/3 L^3 cells. Which of two grains has a cell is
    # decided at whole steps. Beside solid a cell of an event is captured at once: its undercooling is what it cools in a step
    cells = base["solidified_volume"] / case["grid"]["cell"] ** 3
    tip = max(1.0, (0.75 * cells / max(1.0, base["grains"])) ** (1 / 3))
    late = 1 - (1 - 0.2 / tip) ** 3
    late += (late / cells) ** 0.5 if cells else 0  # the cells of a thin shell are a number that scatters by its root
    yield Check("half_step", dict({"v": late, "f": late * cells / most_cells(case)}, **({} if "events" in case else {"T": 0.1})), with_keys(model, safety=0.1))


def of_events(model, rng):
    case = model.case
    rows = case["events"][0]["data"]

    def other(entries):
        return with_keys(model, events=entries)
    shuffled = list(rows)
    rng.shuffle(shuffled)
    yield Check("order", 1e-300, other([{"data": shuffled}]))
    yield Check("two_files", 1e-300, other([{"data": rows[::2]}, {"data": rows[1::2]}]))
    yield Check("binary", 1e-300, other([{"data": rows, "binary": True}]))
    by = [rng.randint(-9, 9) * model.case["grid"]["cell"] for _ in range(2)] + [0.0]
    here = [[r[0] - by[0], r[1] - by[1], *r[2:]] for r in rows]
    # a substrate is numbered from the lowest corner, which the shift brings back
    yield Check("shift", 1e-6, other([{"data": here, "shift": by}]))
    yield Check("columns", 1e-300, other([{"data": rows, "order": rng.sample(range(6), 6)}]))


def of_field(model, base, rng):
    case = model.case
    cell = case["grid"]["cell"]
    size = case["grid"]["size"]
    if case["growth"]["law"] == "custom":
        # twice the length in the same time: growth is twice as fast, gradients are half as steep
        m = model.copy()
        m.case["grid"] = {"cell": 2 * cell, "size": [2 * s for s in size]}
        m.case["growth"].update({k: 2 * m.case["growth"][k] for k in ("linear", "quadratic")})
        f = m.case["field"]
        f.update({k: f[k] * b for k, b in (("gradient", 0.5), ("speed", 2.0)) if k in f})
        for s in m.case.get("seeds", []):
            s["point"] = [2 * x for x in s["point"]]
        if "substrate" in m.case:
            m.case["substrate"]["grain_size"] *= 2
        if "nucleation" in m.case:
            m.case["nucleation"]["density"] /= 8
        yield Check("scale", 1e-5, m, factor={"kind v": 8.0})
    if "substrate" in case or "nucleation" in case or "seeds" not in case:
        return
    # what one grain has at a tie depends on numbers and on rounding: a cell or two
    loose = {"n": 1e-300, "v": 0.02, "f": 0.02, "T": 0.05}
    m = model.copy()
    m.case["seeds"].reverse()
    yield Check("renumber", loose, m)
    m = model.copy()  # x to y, y to -x
    m.case["grid"]["size"] = [size[1], size[0], size[2]]
    for s in m.case["seeds"]:
        x, y, z = s["point"]
        s["point"] = [size[1] - y, x, z]
        s["euler"][0] += QUARTER
    # in a box of few cells what grows on from such a cell is a part of the grain, and so of the mean over cells
    weighed = 0.02 + 70.0 / most_cells(case)
    yield Check("turn", dict(loose, a=weighed), m)
    m = model.copy()  # x to -x: a cubic crystal is its own mirror image, its angles about z change their sign
    for s in m.case["seeds"]:
        s["point"][0] = size[0] - s["point"][0]
        s["euler"] = [-s["euler"][0], s["euler"][1], -s["euler"][2]]
    yield Check("mirror", dict(loose, a=weighed), m)
    if case["periodic"]:
        m = model.copy()
        by = [rng.randint(1, 5) * cell for _ in range(2)]
        for s in m.case["seeds"]:
            for d in range(2):
                s["point"][d] = (s["point"][d] + by[d]) % size[d]
        yield Check("move", dict(loose, a=0.02), m)
    if "tip" in model.judge:
        # a grain that has not reached a side is an octahedron of half diagonal L = speed times time, to half a cell
        volume = 4 / 3 * (model.judge["tip"] * cell) ** 3
        yield Check("judge_exact", {"v": 0.25}, figures=lambda: {"solidified_volume": volume})
