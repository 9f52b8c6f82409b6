# Assimilation: the mean of a closed form, the power of a beam found by thermometers of a twin, the
# same bits however members are spread, localisation, mistakes.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "assimilate test: $*"; cat log 2>/dev/null; exit 1; }
refused() { # words, file
  "$INGOT" assimilate "$2" -q -b cpu -o never >log 2>&1 && fail "accepted: $1"
  grep -q -- "$1" log || fail "another message than '$1'"
  [ "$(wc -l <log)" = 1 ] || fail "more than one line"
  [ ! -e never ] || fail "$1: something was written"
}

# Nothing conducts in or out: the state is one number, and the mean after one reading y of
# uncertainty r is m + s^2 / (s^2 + r^2) (y - m), of the mean m and deviation s of the members.
cat >plate.yaml <<'END'
physics: thermal
mesh: {boxes: {size: [20 mm, 10 mm, 2 mm], cells: [20, 10, 2]}}
materials: {name: m, density: 8000, specific_heat: 500, conductivity: 20}
initial: {temperature: 400 K}
duration: 10 s
output: {count: 2}
END
"$INGOT" sample plate.yaml -k 'initial.temperature=400+-20 K' -n 12 --method random --seed 5 -o members.yaml -q 2>log || fail "sample"
printf '{ensemble: members.yaml, data: one.csv, uncertainty: 5 K}\n' >one.yaml
printf 'time [s],x [mm],y [mm],z [mm],T [degC]\n2,10,5,1,150\n' >one.csv
"$INGOT" assimilate one.yaml -q -b cpu -o one >log 2>&1 || fail "one reading"
/usr/bin/python3 - <<'END' || fail "not the closed form"
import csv, json, re, statistics
T = [float(t) for t in re.findall(r"initial.temperature': '([0-9.]+)", open("members.yaml").read())]
m, s, y = statistics.mean(T), statistics.stdev(T), 423.15
right = m + s * s / (s * s + 25) * (y - m)
row = next(csv.DictReader(open("one/history.csv")))
summary = json.load(open("one/summary.json"))["result"]
fit = (y - m) ** 2 / (s * s + 25)
assert len(T) == 12 and abs(summary["T_max"] - right) < 1e-9 * right, (summary["T_max"], right)
assert abs(float(row["before [K]"]) - abs(y - m)) < 1e-9 * y and abs(float(row["after [K]"]) - abs(y - right)) < 1e-9 * y
assert abs(float(row["fit"]) - fit) < 1e-9 * fit and abs(float(row["spread_before [K]"]) - s) < 1e-9 * s
assert 0 < summary["T_max_deviation"] < 5
END

# A twin: its beam has 1.2 times the power of the case. Readings of three thermometers find it, and
# with it a temperature where nothing is measured.
cat >wall.yaml <<'END'
physics: thermal
mesh: {boxes: {size: [16 mm, 8 mm, 2 mm], cells: [16, 8, 2]}}
materials: {name: m, density: 8000, specific_heat: 500, conductivity: 20, absorptivity: 0.5}
initial: {temperature: 300 K}
beams: {model: gaussian, radius: 2 mm, depth: 1 mm, raster: {power: 40 W, speed: 8 mm/s, spacing: 2 mm, base: 2 mm, layer_height: 1 mm, layers: 1, regions: {min: [2 mm, 2 mm], max: [14 mm, 6 mm]}}}
boundary: {set: zmin, convection: 200 W/(m^2 K)}
duration: 6 s
probes:
  - {name: a, point: [4 mm, 4 mm, 2 mm]}
  - {name: b, point: [12 mm, 4 mm, 2 mm]}
  - {name: c, point: [8 mm, 8 mm, 0]}
output: {count: 1, history_every: 1}
END
"$INGOT" run wall.yaml -q -b cpu -o twin -s beams.raster.power=48 >log 2>&1 || fail "the twin"
"$INGOT" run wall.yaml -q -b cpu -o alone >log 2>&1 || fail "the case alone"
/usr/bin/python3 - <<'END' || fail "no readings"
import csv
at = {"a [K]": (4, 4, 2), "b [K]": (12, 4, 2), "c [K]": (8, 8, 0)}
off = [0.3, -0.4, 0.2, -0.1, 0.4, -0.3]
rows = list(csv.DictReader(open("twin/history.csv")))
n = 0
with open("readings.csv", "w") as f:
    f.write("time [s],x [mm],y [mm],z [mm],T [K],uncertainty [K]\n")
    for row in rows[len(rows) // 8::len(rows) // 8]:
        for name, x in at.items():
            n += 1
            f.write("%.12g,%g,%g,%g,%.9g,1\n" % (float(row["time [s]"]), *x, float(row[name]) + off[n % 6]))
END
"$INGOT" sample wall.yaml -k 'boundary.convection=200+-10 W/(m^2 K)' -n 24 -o wall-members.yaml -q 2>log || fail "sample"
cat >follow.yaml <<'END'
title: a beam that is too strong
ensemble: wall-members.yaml
data: readings.csv
factors: {load: 0, deviation: 0.2}
END
"$INGOT" assimilate follow.yaml -q -b cpu -j 2 -o follow >log 2>&1 || fail "the twin is not followed"
/usr/bin/python3 - <<'END' || fail "the twin is not found"
import csv, glob, h5py
rows = list(csv.DictReader(open("follow/history.csv")))
last = rows[-1]
factor, deviation = float(last["load_0_factor"]), float(last["load_0_deviation"])
assert len(rows) >= 7 and 0.001 < deviation < 0.05 and abs(factor - 1.2) < 3 * deviation + 0.02, (factor, deviation)
field = [h5py.File(sorted(glob.glob(f + "/snap_*.vtkhdf"))[-1])["VTKHDF/PointData/T"][:] for f in ("twin", "alone", "follow")]
off = [abs(f - field[0]).max() for f in field]
assert off[1] > 5 and off[2] < 0.05 * off[1], off
assert all(0.02 < float(r["fit"]) < 5 for r in rows), [r["fit"] for r in rows]
END
"$INGOT" assimilate follow.yaml -q -b cpu -j 1 -t 2 -o again >log 2>&1 || fail "again"
cmp -s follow/history.csv again/history.csv || fail "other bits with other jobs"
for kind in view report; do
  "$INGOT" $kind follow $([ $kind = view ] && echo "--field T_deviation -o follow.png") >log 2>&1 || fail "$kind of the result"
done

# localisation: beyond 3 mm a reading changes nothing
printf '{ensemble: members.yaml, data: corner.csv, uncertainty: 5 K, localisation: 3 mm}\n' >corner.yaml
printf 'time [s],x [mm],y [mm],z [mm],T [degC]\n10,0,0,0,150\n' >corner.csv
"$INGOT" assimilate corner.yaml -q -b cpu -o corner >log 2>&1 || fail "localisation"
/usr/bin/python3 - <<'END' || fail "localisation reaches elsewhere"
import h5py, re, statistics
T = [float(t) for t in re.findall(r"initial.temperature': '([0-9.]+)", open("members.yaml").read())]
f = h5py.File("corner/snap_000000.vtkhdf")["VTKHDF"]
for x, t in zip(f["Points"][:], f["PointData/T"][:]):
    far = (x ** 2).sum() ** 0.5
    if far >= 0.003:
        assert abs(t - statistics.mean(T)) < 1e-9, (x, t)
    elif far < 0.002:
        assert t - statistics.mean(T) > 0.1, (x, t)
END

# material that is not there yet, and readings after the end
sed 's/^output.*/birth: {by: layers, set: wall, height: 1 mm}/; s/^probes.*//; s/^  - .name.*//; s/^mesh.*/mesh: {boxes: [{name: plate, size: [16 mm, 8 mm, 2 mm], cells: [16, 8, 2]}, {name: wall, origin: [0, 0, 2 mm], size: [16 mm, 8 mm, 1 mm], cells: [16, 8, 1]}]}/; s/base: 2 mm/base: 2 mm, dwell: 1 s/; s/layers: 1,/layers: 2,/' wall.yaml >grow.yaml
"$INGOT" sample grow.yaml -k 'initial.temperature=300+-5 K' -n 4 -o grow-members.yaml -q 2>log || fail "sample of a growing part"
printf '{ensemble: grow-members.yaml, data: grow.csv, uncertainty: 5 K}\n' >grow.yaml.f
printf 'time [s],x [mm],y [mm],z [mm],T [K]\n0.01,8,4,0,301\n0.01,8,4,3,301\n100,8,4,0,300\n' >grow.csv
"$INGOT" assimilate grow.yaml.f -b cpu -o grow >log 2>&1 || fail "a growing part"
grep -q '1 measurements are later than the end' log || fail "no word of late readings"

# data that cannot change anything, and data in another unit than they say
"$INGOT" assimilate one.yaml -b cpu -o equal -s initial.temperature=350 >log 2>&1 || fail "equal members"
grep -q 'all members are equal' log || fail "no word of equal members"
sed 's/,150/,1500/' one.csv >far.csv; sed 's/one.csv/far.csv/' one.yaml >far.yaml
"$INGOT" assimilate far.yaml -b cpu -o far >log 2>&1 || fail "data far away"
grep -q 'look at units and places' log || fail "no word of data far away"
grep -q 'look at units' <("$INGOT" assimilate one.yaml -b cpu -o one --force 2>&1) && fail "a warning for good data"

# mistakes: one line, nothing is written
change() { sed "$1" one.yaml >bad.yaml; }
change 's/members.yaml/plate.yaml/'; refused 'nothing varies' bad.yaml
change 's/, uncertainty: 5 K//'; refused 'must be given once' bad.yaml
change 's/5 K/5 mm/'; refused "does not go with it" bad.yaml
change 's/one.csv/bad.csv/'
printf 'time [s],x [mm],y [mm],z [mm],P [degC]\n2,10,5,1,150\n' >bad.csv; refused "column 'P \[degC\]' is none of" bad.yaml
printf 'time [s],x [mm],y [mm],T [degC]\n2,10,5,150\n' >bad.csv; refused "no column 'z" bad.yaml
printf 'time [s],x [mm],y [mm],z [mm],T [degC]\n2,10,5,1,150\n3,10,5,150\n' >bad.csv; refused '1 of 2 rows' bad.yaml
printf 'time [s],x [mm],y [mm],z [mm],T [degC]\n2,10,5,1,hot\n' >bad.csv; refused 'bad.csv:2:.*no number' bad.yaml
printf 'time [s],x [kg],y [mm],z [mm],T [degC]\n2,10,5,1,150\n' >bad.csv; refused 'expected a unit like m' bad.yaml
printf 'time [s],x [mm],y [mm],z [mm],T [degC]\n2,10,5,100,150\n' >bad.csv
"$INGOT" assimilate bad.yaml -q -b cpu -o outside >log 2>&1 && fail "a reading outside of the part"
grep -q 'bad.csv:2: .* is outside of the part' log || fail "no place of a reading outside"
printf '{ensemble: members.yaml, data: bad.csv, uncertainty: 5 K, field: S}\n' >bad.yaml
sed 's/T \[degC/S [degC/' one.csv >bad.csv; refused "expected one of T" bad.yaml
printf '{ensemble: members.yaml, data: one.csv, uncertainty: 5 K, factors: {load: 0, support: 0, deviation: 0.1}}\n' >bad.yaml
refused "belongs to a 'load' or to a 'support'" bad.yaml
printf '{ensemble: members.yaml, data: one.csv, uncertainty: 5 K, inflate: 1.1}\n' >bad.yaml; refused "inflation" bad.yaml
printf '{ensemble: members.yaml, data: one.csv, uncertainty: 5 K, factors: {load: 3, deviation: 0.1}}\n' >bad.yaml
refused 'there is no beam 3' bad.yaml
echo "assimilate: passed"
