# Decks of LS-DYNA (tests/decks/dyna) against exact figures and against cases written by hand; what is not understood is
# refused with its line.
set -u
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 1
cp "$SOURCE"/tests/decks/dyna/*.k .
export OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
python=/usr/bin/python3
run() { "$INGOT" run "$@" --quiet --threads 1 || { echo "run $*: exit $?"; exit 1; }; }

for deck in bar-wave wall cantilever plate push; do run $deck.k --out $deck; done

# in SI a deck in mm, t, s gives metres; an imported case the same history as the deck
run cantilever.k --unit mm-t-s --out si
for deck in bar-wave cantilever plate push; do
  "$INGOT" import $deck.k -o $deck.yaml || exit 1
  run $deck.yaml --out $deck-yaml
  cmp $deck/history.csv $deck-yaml/history.csv || exit 1
done
grep -q '"warnings": 0' plate-yaml/summary.json || { echo "an imported case warns"; exit 1; }

# the shipped Taylor bar as a deck: its mesh by the program, the deck by a few lines
cat >taylor.py <<'P'
import re, sys
nodes, cells, block = [], [], ""
for line in open("taylor.inp"):
    if line.startswith("*"):
        block = line.strip().upper()
    elif block.startswith("*NODE") and "," in line:
        nodes.append(line.strip().split(","))
    elif block.startswith("*ELEMENT"):
        cells.append([v for v in re.split(r"[,\s]+", line.strip()) if v])
with open("taylor.k", "w") as k:
    k.write("*KEYWORD\n*NODE\n")
    for n in nodes:
        k.write(",".join(v.strip() for v in n) + "\n")
    k.write("*ELEMENT_SOLID\n")
    for c in cells:
        k.write(",".join([c[0], "1"] + c[1:]) + "\n")
    k.write("*PART\nbar\n1,1,1\n*SECTION_SOLID\n1,2\n*MAT_PLASTIC_KINEMATIC\n"
            "1,8930.,117.e9,0.35,0.4e9,%r,1.\n" % (117e9 * 0.1e9 / (117e9 + 0.1e9)) +
            "*INITIAL_VELOCITY\n0\n0.,0.,-227.\n*RIGIDWALL_PLANAR\n0\n0.,0.,0.,0.,0.,1.\n"
            "*CONTROL_TERMINATION\n2.e-5\n*CONTROL_TIMESTEP\n0.,0.8\n*END\n")
P
sed 's/duration: 80 us/duration: 20 us/' "$SOURCE/cases/dynamics/taylor-bar.yaml" >taylor.yaml
"$INGOT" mesh new taylor.yaml taylor.inp --quiet || exit 1
$python taylor.py || exit 1
# viscosity as every deck has it; the step is computed again as often
run taylor.yaml --set sections.bulk_linear=0.06 --set "sections.bulk_quadratic=1.224744871391589" --out shipped
run taylor.k --set "analysis[0].step_update_every=50" --out taylor

cat >check.py <<'P'
import csv, json
def last(name): return list(csv.DictReader(open(name + "/history.csv")))[-1]
def near(what, value, exact, share):
    if not abs(value - exact) <= share * abs(exact):
        raise SystemExit("%s is %g, expected %g within %g" % (what, value, exact, share))
# a bar thrown at its fixed end: its free end moves on for L / c and is back after 2 L / c, with the other velocity
rows = list(csv.DictReader(open("bar-wave/history.csv")))
near("largest displacement of the bar", min(float(r["set 1 ux [m]"]) for r in rows), -2e-4, 0.03)
t = float(rows[-1]["time [s]"])
near("velocity of the bar at the end", float(rows[-1]["set 1 vx [m/s]"]), 1, 0.05)
near("way back", float(rows[-1]["set 1 ux [m]"]) + 2e-4, t - 2e-4, 0.02)
# off the wall with the velocity it came with, but for what rings in it
near("velocity after the wall", float(last("wall")["set 7 vx [m/s]"]), 10, 0.06)
# tip of a cantilever, F L^3 / (3 E I)
tip = -100 * 1000**3 / (3 * 2.1e5 * 20 * 40**3 / 12)
near("tip, mm", float(last("cantilever")["node 11 uz [m]"]), tip, 2e-3)
near("tip, m", float(last("si")["node 11 uz [m]"]), 1e-3 * tip, 2e-3)
# pressure and weight: constant accelerations
r = last("push")
t = float(r["time [s]"])
near("cube", float(r["node 1 uz [m]"]), -(8e5 / (8000 * 0.1) + 9.81) * t * t / 2, 1e-4)
near("shell", float(r["node 17 uz [m]"]), (8e5 / (8000 * 0.01) - 9.81) * t * t / 2, 1e-5)
near("rigid cube", float(r["node 9 ux [m]"]), 1, 1e-9)
# the block has lost more than half of its velocity to the plate, which goes before it
r = last("plate")
gap = float(r["node 41 uz [m]"]) - float(r["node 104 uz [m]"])
if not (-20 < float(r["node 104 vz [m/s]"]) < 0 and gap < 1e-3):
    raise SystemExit("block on a plate: %s" % r)
a, b = (json.load(open(n + "/summary.json"))["result"] for n in ("shipped", "taylor"))
for key in ("plastic_strain_max", "displacement_max", "mass", "time_step"):
    near("Taylor bar, " + key, b[key], a[key], 1e-6)
P
$python check.py || exit 1

# included files, of which one has an *END of its own, give what the whole deck gives
sed -n '/^[*]NODE/,/^[*]PART/p' bar-wave.k | sed '$d' >included-mesh.k
echo '*END' >>included-mesh.k
sed -n '/^[*]PART/,/^[*]CONTROL_TERMINATION/p' bar-wave.k | sed '$d' >included-model.k
printf '*KEYWORD\n*INCLUDE\nincluded-mesh.k\nincluded-model.k\n*CONTROL_TERMINATION\n    4.0e-4\n' >included.k
run included.k --out included
cmp included/history.csv bar-wave/history.csv || exit 1

# failure at a plastic strain is Johnson and Cook's with D1 alone; rows of node velocities become one entry
sed '/7800/a\                                                 0.3' plate.k >fails.k
"$INGOT" import fails.k | grep -q 'name: mat_2.*law: johnson_cook.*n: 1, failure: .0.3, 0, 0, 0, 0' || { echo "no failure"; exit 1; }
sed '/^[*]INITIAL_VELOCITY/,+2d; s/^[*]MAT_ELASTIC/*INITIAL_VELOCITY_NODE\n161,0.,1.\n162,0.,1.\n163,0.,2.\n&/' bar-wave.k >rows.k
[ "$("$INGOT" import rows.k | grep -c 'velocity of line.*velocity: .0, [12], 0')" = 2 ] || { echo "rows of velocities"; exit 1; }

# bad decks: one line with its place, exit 2, nothing written; --lenient passes over what is not understood
refuses() { # file, line, words
  "$INGOT" run "$1" --out out >log 2>&1
  code=$?
  [ $code = 2 ] || { echo "$1: exit $code"; cat log; exit 1; }
  grep -q "$1:$2:.*$3" log || { echo "$1: expected line $2 and '$3'"; cat log; exit 1; }
  [ "$(grep -c error log)" = 1 ] && [ ! -e out ] || { echo "$1: wrote results, or several errors"; cat log; exit 1; }
}
bad() { # file, deck, sed, word whose line is named, words
  sed "$3" "$2" >"$1"
  refuses "$1" "$(grep -n -- "$4" "$1" | head -1 | cut -d: -f1)" "$5"
}
bad keyword.k push.k 's/^[*]LOAD_BODY_Z/*LOAD_THERMAL_LOAD_CURVE/' LOAD_THERMAL "not understood.*--lenient"
bad material.k push.k 's/^[*]MAT_ELASTIC/*MAT_OGDEN_RUBBER/' MAT_OGDEN "material is not understood"
bad number.k push.k 's/8[.]0e5/8.0x5/' 8.0x5 "field 3 is '8.0x5': expected a number"
bad curve.k push.k '/^[*]LOAD_SEGMENT_SET/,+1s/         1/         7/' 8.0e5 "no [*]DEFINE_CURVE 7"
bad short.k push.k 's/^                 1.0                 1.0/               0.001                 1.0/' 8.0e5 "before the run"
bad set.k cantilever.k 's/^         9         3/         8         3/' '^         8         3' "no [*]SET_NODE_LIST 8"
bad section.k push.k '/^[*]PART/,+2s/         1         1         1/         1         2         1/' '^         1         2         1' "SECTION_SHELL"
bad none.k push.k '/^[*]CONTROL_TERMINATION/,+1d' KEYWORD "no [*]CONTROL_TERMINATION"
bad twice.k push.k '/^[*]CONTROL_TERMINATION/{h;n;G;s/$/\n     1.234/}' '     1.234' "leave one of both"
bad parameter.k wall.k 's/-&speed/-\&sped/' sped "PARAMETER gives '-&sped'"
bad axes.k cantilever.k 's/^         1         0         1/         1         4         1/' '^         1         4' "local axes"
bad failure.k plate.k 's/1.2e8$/1.2e8                 0.0                0.35/' '0.35$' "failure needs a yield stress and a tangent"
bad touch.k plate.k 's/^                   1                   2                   3                   3/                   1                   1                   3                   3/' '^                   2                   2                   2$' "part 2 is in no contact"
bad released.k cantilever.k 's/^       1       3       1       2     100$/&       0       1/' KEYWORD "ends that are released"
"$INGOT" run keyword.k --lenient --threads 1 --out lenient >log 2>&1 || { cat log; exit 1; }
grep -q "keyword.k:.*LOAD_THERMAL_LOAD_CURVE is passed over" log || { cat log; exit 1; }
grep -q "LOAD_THERMAL" lenient/summary.json || { echo "summary does not warn"; exit 1; }
"$INGOT" run cantilever.k --unit mm-t --out out >log 2>&1
[ $? = 2 ] && grep -q "expected LENGTH-MASS-TIME" log || { cat log; exit 1; }
"$INGOT" run cantilever.yaml --unit mm-t-s --out out >log 2>&1
[ $? = 2 ] && [ ! -e out ] || { cat log; exit 1; }
exit 0
