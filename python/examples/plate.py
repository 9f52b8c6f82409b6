"""A steel plate under a moving laser: the case that three examples share."""
LIQUIDUS, SOLIDUS = 1723.0, 1658.0


def plate(power="150 W", speed="20 mm/s", duration=0.2):
    return {
        "physics": "thermal",
        "mesh": {"boxes": [{"size": ["6 mm", "4 mm", "1 mm"], "cells": [24, 16, 4]}]},
        "materials": [{"name": "steel", "density": 7950, "conductivity": 25, "specific_heat": 600,
                       "solidus": SOLIDUS, "liquidus": LIQUIDUS, "latent_heat": "260 kJ/kg",
                       "absorptivity": 0.8}],
        "boundary": [{"set": "zmin", "convection": "2 kW/(m^2 K)"}],
        "beams": [{"model": "surface", "radius": "0.5 mm",
                   "raster": {"power": power, "speed": speed, "spacing": "1 mm",
                              "layer_height": "1 mm", "base": 0, "layers": 1, "rotation": 0,
                              "regions": {"min": ["1 mm", "2 mm"], "max": ["5 mm", "2.5 mm"]}}}],
        "time_step": "1 ms",
        "duration": duration,
        "output": {"count": 4, "history_every": 5},
    }
