"""A controller: keeps the molten volume constant while it prints, by changing the power.

At constant power the pool grows as the plate warms up. The controller looks at the temperatures
after each 4 steps and sets the beam's power from how far the molten volume is from the wanted one.
"""
import numpy as np

import ingot
from plate import LIQUIDUS, SOLIDUS, plate


def node_volumes(mesh):
    """An eighth of each hexahedron belongs to each of its nodes."""
    volumes = np.zeros(len(mesh.points))
    (_, cells), = mesh.cells
    np.add.at(volumes, cells, mesh.measures()[:, None] / 8)
    return volumes


def build(wanted=None):
    """Molten volume over time, at constant power or under control."""
    molten, factors = [], []
    with ingot.Simulation(plate()) as s:
        volumes = node_volumes(s.mesh())
        factor = 1.0
        for s in s.every(4):
            liquid = np.clip((s["T"] - SOLIDUS) / (LIQUIDUS - SOLIDUS), 0, 1)
            molten.append(float(volumes @ liquid))
            if wanted and s.time > 0.04:
                factor = min(max(factor + 0.1 * (1 - molten[-1] / wanted), 0.3), 1.5)
                s.load(0, factor)
            factors.append(factor)
    return np.array(molten), np.array(factors)


free, _ = build()
wanted = free[len(free) // 3]
held, factors = build(wanted)
late = slice(len(free) // 3, None)
spread = lambda v: np.abs(v[late] - wanted).mean() / wanted
print(f"wanted: {1e9 * wanted:.4f} mm3")
print(f"constant power: {100 * spread(free):.0f} % away on average, at the end {1e9 * free[-1]:.4f} mm3")
print(f"controlled:     {100 * spread(held):.0f} % away on average, at the end {1e9 * held[-1]:.4f} mm3, "
      f"power {100 * factors[late].min():.0f} to {100 * factors[late].max():.0f} %")
assert spread(held) < 0.5 * spread(free)
