"""A few scan lines in a small powder bed."""
from engine import Check
from judges import bed
from model import Model
from rooms.common import ways, with_keys

NAME = "powder"
UM = 1e-6


def vapour(rng, case):
    """Evaporation and keyholes, under a beam that makes them."""
    case["materials"][0].update(boiling=3100.0, evaporation_heat=6.3e6, molar_mass=0.056)
    case["evaporation"] = True
    case["grid"]["plate"] = 480 * UM  # a keyhole that goes through the plate loses its heat: the run says that the balance is open
    case["beam"].pop("depth", None)
    if rng.random() < 0.7:
        case["beam"]["keyhole"] = rng.choice([{}, {"depth_factor": 0.5}, {"transition": 0.3}, {"absorptivity": 0.3}])


def single(rng):
    """A bed of fine cells alone under a path of our own: what bed.py computes, too."""
    cell, layer = 20 * UM, 40 * UM
    material = {"name": "steel", "density": 7800.0, "specific_heat": rng.choice([600.0, [[300, 480], [1600, 700]]]),
                "conductivity": rng.choice([20.0, [[300, 14], [1600, 30]]]), "powder_conductivity": rng.choice([0.3, 1.0, 5.0]), "solidus": 1670.0,
                "liquidus": 1720.0, "latent_heat": rng.choice([0.0, 2.7e5]), "absorptivity": rng.choice([0.35, 0.5])}
    case = {"physics": "powder", "materials": [material], "initial_temperature": rng.choice([300.0, 500.0]), "layer_height": layer, "safety": 0.3,
            "beam": {"radius": rng.choice([40, 50, 70]) * UM}, "output": {"count": 0},
            "grid": {"cell": cell, "ratio": 1, "margin": 160 * UM, "plate": rng.choice([120, 200]) * UM, "window": [0.1, 0.1, 0.1]}}
    if rng.random() < 0.5:
        case["beam"]["depth"] = rng.choice([40, 60]) * UM
    if rng.random() < 0.5:
        case["beam"]["powder_absorptivity"] = 0.6
    if rng.random() < 0.5:
        case["plate_temperature"] = case["initial_temperature"]
    if rng.random() < 0.5:
        case.update(convection=1e4, emissivity=0.4, ambient=rng.choice([300.0, 400.0]))
    path, time = [], 0.0
    for number in range(rng.choice([1, 1, 2])):
        z = layer * (number + 1)
        here = [rng.randint(0, 6) * 2 * cell, rng.randint(0, 6) * 2 * cell]
        for _ in range(rng.randint(1, 3)):
            there = list(here)
            along = rng.choice([0, 1])
            there[along] += rng.choice([-1, 1]) * rng.choice([80, 160, 240]) * UM
            path.append([time, *here, z, rng.choice([20.0, 40.0, 80.0])])
            time += abs(there[along] - here[along]) / rng.choice([0.5, 0.8, 1.5])
            here = there
        path.append([time, *here, z, 0.0])
        time += rng.choice([5e-5, 2e-4])
    path.append([time, *here, z, 0.0])
    case["paths"] = [{"data": path}]
    boils = rng.random() < 0.3
    if boils:
        vapour(rng, case)
        for row in path:
            row[4] *= 2.0
    if not boils and rng.random() < 0.6:
        case["beam"].update(rng.choice([{"order": 4.0}, {"order": 1.5}, {"ring": {"radius": 60 * UM, "width": 20 * UM, "share": 0.7}},
                                        {"profile": [[0, 1.0], [30 * UM, 0.8], [90 * UM, 0.0]]}]))
    if not boils and rng.random() < 0.3:
        case["beam"]["loss"] = 0.2
    if not boils and rng.random() < 0.3:
        case["liquid_conductivity"] = rng.choice([0.5, 2.5])
    spot = rng.choice(path)
    case["probes"] = [{"name": "p%d" % i, "point": [spot[1] + 0.5 * cell, spot[2] + 0.5 * cell, (k + 0.5) * cell]} for i, k in enumerate((-2, 0, 1))]
    figures = {"p0": "T", "p1": "T", "p2": "T", "source": "e", "stored": "e"}
    return Model(case, figures, offset={"T": case["initial_temperature"]}, scale={"T": 100.0}, path=path, vapour=boils)


def generate(rng):
    if rng.random() < 0.3:
        return single(rng)
    material = {"name": "steel", "density": 7800.0, "specific_heat": rng.choice([600.0, [[300, 480], [1600, 700]]]),
                "conductivity": rng.choice([20.0, [[300, 14], [1600, 30]]]), "powder_conductivity": rng.choice([0.3, 1.0]), "solidus": 1670.0,
                "liquidus": 1720.0, "latent_heat": rng.choice([0.0, 2.7e5]), "absorptivity": rng.choice([0.35, 0.5])}
    ratio = rng.choice([2, 4])
    cell = 20 * UM
    width, depth = rng.choice([160, 240]) * UM, rng.choice([160, 320]) * UM
    layers = rng.choice([1, 2])
    case = {"physics": "powder", "materials": [material], "initial_temperature": rng.choice([300.0, 353.0]),
            "beam": {"radius": rng.choice([40, 50]) * UM},
            "grid": {"cell": cell, "ratio": ratio, "margin": 160 * UM, "plate": 160 * UM},
            "hatch": {"parts": [{"min": [0, 0, 0], "max": [depth, width, layers * 40 * UM]}], "layer_height": 40 * UM, "spacing": 80 * UM,
                      "power": rng.choice([60.0, 120.0]), "speed": rng.choice([0.8, 1.5]), "rotation": rng.choice([0.0, 1.5707963267948966]),
                      "recoating": rng.choice([0.0, 1e-4])},
            "output": {"count": 1}}
    if rng.random() < 0.5:
        case["beam"]["depth"] = 40 * UM
    if rng.random() < 0.5:
        case["beam"]["powder_absorptivity"] = 0.6
    if rng.random() < 0.5:
        case["plate_temperature"] = case["initial_temperature"]
    if rng.random() < 0.4:
        case["packing"] = rng.choice([0.5, 0.8])
    if rng.random() < 0.5:
        case.update(convection=20.0, emissivity=0.4)
    if rng.random() < 0.3:
        case["hatch"]["contour"] = {"offset": 20 * UM}
    if rng.random() < 0.2:
        vapour(rng, case)
    case["probes"] = [{"name": "p0", "point": [depth / 2 + 10 * UM, width / 2 + 10 * UM, -50 * UM]}, {"name": "p1", "point": [depth / 2 + 10 * UM, width / 2 + 10 * UM, 30 * UM]}]
    figures = {"p0": "T", "p1": "T", "stored": "e", "source": "e", "melt_depth_max": "l", "melt_width_max": "l"}
    return Model(case, figures, offset={"T": case["initial_temperature"]}, scale={"T": 1.0}, depth=depth, width=width)


def may_fail(text):
    return False


def nearby(model):
    """The same under a beam of 0.5 and 1 % less and more power. Powder that has melted conducts heat twenty times better: where a
    cell is just at the liquidus, half a step decides whether it melts, and temperatures around it differ by a fifth. Half a step
    changes temperatures under the beam by about 1 %, as 1 % of its power does, and relations to which this applies allow 2 % or more."""
    for share in (0.99, 0.995, 1.005, 1.01):
        m = model.copy()
        if "hatch" in m.case:
            m.case["hatch"]["power"] *= share
        else:
            for row in m.case["paths"][0]["data"]:
                row[4] *= share
        yield m


def sound(model, base):
    size = abs(base["source"]) + abs(base["stored"])
    if abs(base["energy_gap"]) > 1e-9 * size:
        yield "energy balance open by %g of %g J" % (base["energy_gap"], size)


def relations(model, base, rng, program, name):
    case = model.case
    yield from ways(model, base, rng)
    if "path" in model.judge:
        yield Check("turn", {"T": 1e-5, "e": 1e-6}, lambda: on_path(model, lambda x, y: (-y, x)))
        yield Check("mirror", {"T": 1e-5, "e": 1e-6}, lambda: on_path(model, lambda x, y: (-x, y)))
        by = [40 * UM * rng.randint(-9, 9) for _ in range(2)]
        yield Check("move", {"T": 1e-5, "e": 1e-6}, lambda: on_path(model, lambda x, y: (x + by[0], y + by[1])))
        yield Check("half_step", {"T": 0.03, "e": 0.02}, with_keys(model, safety=0.15))
        if not model.judge["vapour"]:
            # its steps are its own, and half a step changes as much (`half_step`)
            yield Check("judge_numpy", {"T": 0.03, "e": 0.01}, figures=lambda: bed.analyse(model), only=("p0", "p1", "p2", "source"))
        return
    big = with_keys(model, grid=dict(case["grid"], window=[0.1, 0.1, 0.1]))
    if not any("touched a side of its window" in t for t in base["#texts"]):  # else the run itself says that it is not right
        yield Check("whole_bed_fine", {"T": 0.03, "e": 0.02, "l": 0.1}, big)
    m = model.copy()
    by = [8 * case["grid"]["cell"] * case["grid"]["ratio"] * k for k in (1, -2)] + [0.0]
    part = m.case["hatch"]["parts"][0]
    part["min"] = [a + b for a, b in zip(part["min"], by)]
    part["max"] = [a + b for a, b in zip(part["max"], by)]
    for p in m.case["probes"]:
        p["point"] = [a + b for a, b in zip(p["point"], by)]
    # Cells melt, and windows move, at whole steps: rounding shifts these choices, and the hottest cell with them.
    # A pool is measured once in a coarse step: where that moment is the end of a line, rounding decides which of two lines it belongs to.
    yield Check("move", {"T": 1e-3, "e": 1e-4, "l": 1e-2}, m)
    # A place that a window has left is known by its coarse cell alone.
    yield Check("half_step", {"T": 0.15, "e": 0.05}, with_keys(model, safety=0.4), only=("p0", "stored", "source"))
    if "contour" not in case["hatch"]:  # a contour begins at the corner with the lowest coordinates, turned or not
        # Windows are boxes of whole coarse cells, which a turn rounds to other ones; see `single` for exact turns.
        yield Check("turn", {"T": 0.1, "e": 2e-2}, turned(model), only=("p0", "p1", "stored", "source"))


def on_path(model, place):
    """The path and the probes at other places."""
    m = model.copy()
    for r in m.case["paths"][0]["data"]:
        r[1:3] = place(*r[1:3])
    for p in m.case["probes"]:
        p["point"] = [*place(*p["point"][:2]), p["point"][2]]
    return m


def turned(model):
    """Everything turned by a quarter about z."""
    m = model.copy()

    def turn(v):
        return [-v[1], v[0], v[2]]
    part = m.case["hatch"]["parts"][0]
    low, high = part["min"], part["max"]
    part["min"], part["max"] = [-high[1], low[0], low[2]], [-low[1], high[0], high[2]]
    m.case["hatch"]["angle"] = 1.5707963267948966
    for p in m.case["probes"]:
        p["point"] = turn(p["point"])
    return m
