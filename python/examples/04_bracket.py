"""Optimises a bracket, keeps the elements that are dense, and loads that part in another room."""
import numpy as np

import ingot

size = np.array([24e-3, 8e-3, 12e-3])
design = {
    "physics": "topopt",
    "mesh": {"boxes": [{"size": list(size), "cells": [12, 4, 6]}]},
    "materials": [{"name": "aluminium", "young": "70 GPa", "poisson": 0.3}],
    "volume": 0.4,
    "filter": {"kind": "density", "radius": "3 mm"},
    "supports": {"set": "xmin"},
    "loads": {"box": {"min": [24e-3, 0, 0], "max": [24e-3, 8e-3, 2e-3]}, "force": [0, 0, -500]},
    "iterations": 15,
}
with ingot.Simulation(design) as s:
    s.run()
    density = s["density"].copy()
    mesh = s.mesh()
part = mesh.keep(density > 0.5)
print(f"{len(part)} of {len(mesh)} elements stay: {part}")


def sag(mesh):
    """How far the loaded edge sinks: dynamics, static."""
    x = mesh.points
    mesh = ingot.Mesh(x, mesh.cells, node_sets={
        "wall": np.flatnonzero(x[:, 0] < 1e-9),
        "tip": np.flatnonzero((x[:, 0] > size[0] - 1e-9) & (x[:, 2] < 2.1e-3))})
    with ingot.Simulation({
            "physics": "dynamics",
            "mesh": mesh,
            "materials": [{"name": "aluminium", "density": 2700, "young": "70 GPa", "poisson": 0.3}],
            "supports": [{"set": "wall", "fix": "xyz"}],
            "loads": [{"set": "tip", "total": [0, 0, -500]}],
            "analysis": [{"kind": "static", "tolerance": 1e-3}]}) as s:
        s.run()
        return -s["displacement"][mesh.node_sets["tip"], 2].mean()


whole, light = sag(mesh), sag(part)
print(f"the block sinks by {1e6 * whole:.2f} um, the part by {1e6 * light:.2f} um "
      f"with {100 * len(part) / len(mesh):.0f} % of the material")
assert 0 < whole < light < 10 * whole
