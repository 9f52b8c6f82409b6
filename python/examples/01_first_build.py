"""Runs a case into a folder and reads the result back.

    PYTHONPATH=build/python python3 python/examples/01_first_build.py [FOLDER]
"""
import sys
import tempfile

import ingot
from plate import plate


def main(folder):
    result = ingot.run(plate(), out=folder)
    print(result)
    history = result.history
    for row in history[::8]:
        print(f"{row['time']:.3f} s: at most {row['T_max']:.0f} K, "
              f"melt pool {1e3 * row['melt_length']:.2f} x {1e3 * row['melt_width']:.2f} mm")
    print("energy that is missing:", result["energy_gap"], result.units["energy_gap"])
    assert history["melt_length"].max() > 0
    assert abs(result["energy_gap"]) < 1e-6 * result["source"]
    result.snapshots[-1].view(f"{folder}/last.png", field="T", palette="inferno", width=800, height=500)
    print("picture:", f"{folder}/last.png")


if len(sys.argv) > 1:
    main(sys.argv[1])
else:
    with tempfile.TemporaryDirectory() as temporary:
        main(temporary + "/out")
