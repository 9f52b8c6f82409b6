"""Couples the plate to another solver: water that flows under it and warms up on its way.

Every step the two exchange a field: the plate gives the temperatures of its underside, the water
gives back the heat that it took from each node. What the water gains is what the plate loses.
"""
import numpy as np

import ingot
from plate import plate

DENSITY, HEAT = 7950.0, 600.0  # of the plate
COLD, FLOW, EXCHANGE = 293.0, 2e-4, 8000.0  # water: K at the inlet, kg/s, W/(m2 K)
WATER = 4180.0  # J/(kg K)


class Channel:
    """Steady flow along x; heat goes from the wall into the water."""

    def __init__(self, x, area):
        self.stations, self.at = np.unique(x.round(9), return_inverse=True)
        self.area = area
        self.gained = 0.0

    def step(self, wall, dt):
        """Heat taken from each wall node in this time, J."""
        water, heat = COLD, np.zeros(len(wall))
        for k in range(len(self.stations)):
            here = self.at == k
            rate = EXCHANGE * self.area[here]
            # the water's temperature in this slice follows from what it takes up here
            mean = (FLOW * WATER * water + rate @ wall[here]) / (FLOW * WATER + rate.sum())
            heat[here] = rate * (wall[here] - mean) * dt
            water = mean
        self.gained += heat.sum()
        self.outlet = water
        return heat


case = plate(duration=0.3)
del case["boundary"]  # the water replaces it
case["initial_temperature"] = 293.0
with ingot.Simulation(case) as s:
    mesh = s.mesh()
    size = mesh.measures()
    volume = np.zeros(len(mesh.points))
    for _, nodes in mesh.cells:
        np.add.at(volume, nodes, size[:, None] / 8)
    bottom = np.flatnonzero(mesh.points[:, 2] < 1e-9)
    channel = Channel(mesh.points[bottom, 0], volume[bottom] / (0.5 * 0.25e-3))
    capacity = DENSITY * HEAT * volume
    changed = 0.0
    for s in s.every(1):
        if s.ended:
            break
        temperature = s["T"].copy()
        before = temperature.copy()
        temperature[bottom] -= channel.step(temperature[bottom], s.dt) / capacity[bottom]
        s["T"] = temperature
        changed += capacity @ (s["T"] - before)
    figures = s.finish()
print(f"the water leaves at {channel.outlet:.1f} K with {channel.gained:.3f} J from the plate")
print(f"taken from the plate: {-changed:.3f} J; the hottest point at the end has {figures['T_max']:.0f} K")
assert channel.gained > 1 and abs(channel.gained + changed) < 1e-9 * channel.gained
