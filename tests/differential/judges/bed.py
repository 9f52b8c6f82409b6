"""Heat of a powder bed on one grid by finite differences, from docs/explanation/powder.md: heat per volume in cubic cells, harmonic means of
conductivities, a beam with any profile, explicit steps of its own length."""
import math

import numpy as np

STEFAN_BOLTZMANN = 5.670374419e-8


def at(value, t):
    """A material value, constant or rows over temperature."""
    if isinstance(value, list):
        rows = np.array(value, dtype=float)
        return np.interp(t, rows[:, 0], rows[:, 1])
    return np.full_like(np.asarray(t, dtype=float), value)


class Content:
    """Heat per volume over temperature, with the latent heat between solidus and liquidus."""

    def __init__(self, m):
        self.t = np.linspace(200.0, 12000.0, 11801)
        c = m["density"] * at(m["specific_heat"], self.t)
        h = np.concatenate([[0.0], np.cumsum(0.5 * (c[1:] + c[:-1]) * np.diff(self.t))])
        share = np.clip((self.t - m["solidus"]) / (m["liquidus"] - m["solidus"]), 0, 1)
        self.h = h + m["density"] * m["latent_heat"] * share

    def of(self, t):
        return np.interp(t, self.t, self.h)

    def temperature(self, h):
        return np.interp(h, self.h, self.t)


def erf(x):
    return np.array([math.erf(v) for v in x])


def intensity(beam, r):
    """Over the distance from the axis, but for a factor."""
    a = beam["radius"]
    if "profile" in beam:
        rows = np.array(beam["profile"], dtype=float)
        return np.interp(r, rows[:, 0], rows[:, 1], right=0.0)
    if "ring" in beam:
        ring = beam["ring"]
        at_radius = np.linspace(0, ring["radius"] + 5 * ring["width"], 20001)
        around = np.exp(-2 * ((at_radius - ring["radius"]) / ring["width"]) ** 2)
        area = 2 * math.pi * np.sum(at_radius * around) * at_radius[1]
        return ((1 - ring["share"]) * np.exp(-2 * (r / a) ** 2) * 2 / (math.pi * a * a)
                + ring["share"] / area * np.exp(-2 * ((r - ring["radius"]) / ring["width"]) ** 2))
    return np.exp(-2 * (r / a) ** beam.get("order", 2.0))


def columns_of(beam, edges, spot):
    """Shares of the light: a Gaussian is a product of two, others are sums over 10 x 10 points of each column."""
    if not any(k in beam for k in ("profile", "ring", "order")):
        part = [0.5 * np.diff(erf(math.sqrt(2) * (edges[a] - spot[a]) / beam["radius"])) for a in range(2)]
        return np.outer(part[0] / part[0].sum(), part[1] / part[1].sum())
    points = 10
    d = edges[0][1] - edges[0][0]
    at_points = [(e[:-1, None] + d * (np.arange(points) + 0.5) / points).ravel() - spot[a] for a, e in enumerate(edges)]
    all_of_it = intensity(beam, np.hypot(at_points[0][:, None], at_points[1][None, :]))
    shares = all_of_it.reshape(len(edges[0]) - 1, points, len(edges[1]) - 1, points).sum(axis=(1, 3))
    return shares / shares.sum()


def analyse(model):
    case, path = model.case, model.judge["path"]
    m, d = case["materials"][0], case["grid"]["cell"]
    content = Content(m)
    x = np.array([p[1:3] for p in path])
    low = x.min(axis=0) - case["grid"]["margin"]
    n = np.rint((x.max(axis=0) + case["grid"]["margin"] - low) / d).astype(int)
    layer = int(round(case["layer_height"] / d))
    plate = int(round(case["grid"]["plate"] / d))
    heights = sorted({p[3] for p in path})
    nz = plate + layer * len(heights)
    h = np.full((n[0], n[1], nz), content.of(case["initial_temperature"]))
    solid = np.zeros(h.shape, dtype=bool)
    solid[:, :, :plate] = True
    spread = 0
    begin = [min(p[0] for p in path if p[3] == z) for z in heights]
    edges = [low[a] + d * np.arange(n[a] + 1) for a in range(2)]
    time, end = 0.0, path[-1][0]
    capacity = m["density"] * np.min(at(m["specific_heat"], content.t))
    mixed = case.get("liquid_conductivity", 1.0)

    def conducts(t):
        return at(m["conductivity"], t) * (1 + (mixed - 1) * np.clip((t - m["solidus"]) / (m["liquidus"] - m["solidus"]), 0, 1))
    k_most = max(np.max(conducts(content.t)), m["powder_conductivity"])
    dt = 0.3 * d * d * capacity / (6 * k_most)
    bottom = case.get("plate_temperature")
    absorbed = 0.0
    while time < end - 1e-12:
        while spread < len(heights) and time >= begin[spread] - 1e-12:
            spread += 1
        top = plate + layer * spread
        marks = [b for b in begin + [p[0] for p in path] if b > time + 1e-12]
        step = min(dt, min(marks) - time)
        t = content.temperature(h[:, :, :top])
        k = np.where(solid[:, :, :top], conducts(t), m["powder_conductivity"])
        rate = np.zeros_like(t)
        for axis in range(3):
            a = [slice(None)] * 3
            b = [slice(None)] * 3
            a[axis], b[axis] = slice(0, -1), slice(1, None)
            a, b = tuple(a), tuple(b)
            q = 2 * k[a] * k[b] / (k[a] + k[b]) * (t[b] - t[a]) / d
            rate[a] += q
            rate[b] -= q
        if bottom is not None:
            rate[:, :, 0] += k[:, :, 0] * (bottom - t[:, :, 0]) / (0.5 * d)
        surface = t[:, :, -1]
        ambient = case.get("ambient", 300.0)
        rate[:, :, -1] -= case.get("convection", 0.0) * (surface - ambient)
        rate[:, :, -1] -= case.get("emissivity", 0.0) * STEFAN_BOLTZMANN * (surface ** 4 - ambient ** 4)
        h[:, :, :top] += step / d * rate
        # the beam, in the middle of the step
        when = time + 0.5 * step
        i = max(j for j in range(len(path) - 1) if path[j][0] <= when)
        power = path[i][4] * (1 - case["beam"].get("loss", 0.0))
        if power > 0:
            share = (when - path[i][0]) / (path[i + 1][0] - path[i][0])
            spot = x[i] + share * (x[i + 1] - x[i])
            columns = columns_of(case["beam"], edges, spot)
            taken = np.where(solid[:, :, top - 1], at(m["absorptivity"], surface), case["beam"].get("powder_absorptivity", m["absorptivity"]))
            heat = power * step * columns * taken
            absorbed += heat.sum()
            if "depth" in case["beam"]:
                below = np.diff(erf(math.sqrt(2) * d * np.arange(top + 1) / case["beam"]["depth"]))
                h[:, :, :top] += heat[:, :, None] * (below / below.sum())[::-1] / d ** 3
            else:
                h[:, :, top - 1] += heat / d ** 3
        solid[:, :, :top] |= content.temperature(h[:, :, :top]) >= m["liquidus"]
        time += step
    base = heights[0] - case["layer_height"]
    t = content.temperature(h)
    out = {"source": float(absorbed)}
    for p in case["probes"]:
        c = [int(math.floor((p["point"][a] - low[a]) / d)) for a in range(2)]
        out[p["name"]] = float(t[c[0], c[1], int(math.floor((p["point"][2] - base) / d)) + plate])
    return out
