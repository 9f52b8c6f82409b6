# What a user does with results in ParaView: open the series by its name, play it, threshold, warp.
# Skipped where there is no pvpython.
set -u
command -v pvpython >/dev/null || { echo "ParaView is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >bar.yaml <<'END'
physics: dynamics
mesh: {boxes: {size: [8 mm, 2 mm, 2 mm], cells: [8, 2, 2]}}
materials: {name: steel, density: 7850 kg/m3, young: 210 GPa, poisson: 0.3}
initial: {velocity: [10 m/s, 0, 0]}
analysis: {duration: 5 us}
output: {count: 5}
END
"$INGOT" run bar.yaml --backend cpu --threads 1 --quiet --out bar || exit 1
cat >look.py <<'END'
import sys
from paraview.simple import OpenDataFile, Threshold, WarpByVector

series = OpenDataFile("bar/snap.hdf.series")
series.UpdatePipelineInformation()
times = list(series.TimestepValues)
if len(times) != 6 or times[0] != 0 or abs(times[-1] / 5e-6 - 1) > 0.1:
    sys.exit(f"times are {times}")
series.UpdatePipeline(times[-1])
fields = {a.Name: a for a in series.PointData.values()}
low, high = fields["displacement"].GetRange(0)
if low < 40e-6 or high > 60e-6:
    sys.exit(f"displacement is in {low} to {high}, expected 50e-6")
if series.GetDataInformation().GetNumberOfCells() != 32:
    sys.exit("cells are missing")
warped = WarpByVector(Input=series, Vectors=["POINTS", "displacement"], ScaleFactor=100)
warped.UpdatePipeline(times[-1])
x = warped.GetDataInformation().GetBounds()
if abs(x[0] - 5e-3) > 1e-3:
    sys.exit(f"the warped bar begins at {x[0]}")
kept = Threshold(Input=series, Scalars=["POINTS", "displacement"], LowerThreshold=1, UpperThreshold=2)
kept.UpdatePipeline(times[-1])
if kept.GetDataInformation().GetNumberOfCells() != 0:
    sys.exit("the threshold keeps what it should not")
print("ParaView reads the series")
END
run=
[ -n "${DISPLAY:-}" ] || ! command -v xvfb-run >/dev/null || run="xvfb-run -a"
timeout 200 $run pvpython look.py 2>&1 | grep -v QStandardPaths
exit "${PIPESTATUS[0]}"
