"""A process map: width of the melt pool over power and speed, as text and as a drawing.

The drawing is process-map.svg in this folder, or the file named on the command line.
"""
import sys

import numpy as np

import ingot
from plate import plate

powers = [60, 100, 140, 180]        # W
speeds = [0.02, 0.04, 0.08]         # m/s
width = np.zeros((len(powers), len(speeds)))
for i, power in enumerate(powers):
    for j, speed in enumerate(speeds):
        case = plate(power=power, speed=speed, duration=4e-3 / speed)
        width[i, j] = ingot.run(case)["melt_width_max"]

print("width of the melt pool, mm")
print("  power   " + "".join(f"{1e3 * s:7.0f} mm/s" for s in speeds))
for power, row in sorted(zip(powers, width), key=lambda p: -p[0]):
    print(f"{power:5d} W    " + "".join(f"{1e3 * w:12.2f}" for w in row))


def drawing(cell=120):
    """The map as SVG: a rectangle per run, blue where the pool is narrow, red where it is wide."""
    share = (width - width.min()) / (width.max() - width.min())
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="14" text-anchor="middle" '
             f'viewBox="0 0 {cell * len(speeds) + 90} {40 * len(powers) + 60}">',
             f'<text x="{90 + cell * len(speeds) / 2}" y="16">width of the melt pool, mm</text>']
    for i, power in enumerate(powers):
        y = 24 + 40 * (len(powers) - 1 - i)
        parts.append(f'<text x="45" y="{y + 25}">{power} W</text>')
        for j in range(len(speeds)):
            color = f"rgb({60 + 170 * share[i, j]:.0f},{90 - 30 * share[i, j]:.0f},{200 - 150 * share[i, j]:.0f})"
            parts.append(f'<rect x="{90 + cell * j}" y="{y}" width="{cell - 2}" height="38" fill="{color}"/>'
                         f'<text x="{90 + cell * (j + 0.5)}" y="{y + 25}" fill="white">{1e3 * width[i, j]:.2f}</text>')
    for j, speed in enumerate(speeds):
        parts.append(f'<text x="{90 + cell * (j + 0.5)}" y="{40 * len(powers) + 48}">{1e3 * speed:.0f} mm/s</text>')
    return "\n".join(parts + ["</svg>", ""])


with open(sys.argv[1] if len(sys.argv) > 1 else "process-map.svg", "w", encoding="utf-8") as f:
    f.write(drawing())
# more power: wider; faster: narrower
assert (np.diff(width, axis=0) >= 0).all() and (np.diff(width, axis=1) <= 0).all()
assert width.max() > width.min()
