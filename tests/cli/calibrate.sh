# Calibrations: a linear problem against the closed form, a twin in `thermal`, bounds, keys that are
# not determined, runs that fail, units, several cases, resuming, interruption, mistakes.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "calibrate test: $*"; cat log 2>/dev/null; exit 1; }
# value NAME MEMBER FOLDER: a member of a key or figure in calibration.json
value() { awk -v name="\"$1\"" -v member="\"$2\":" '$2 == name "," { on = 1 } on && $1 == member { sub(/,$/, "", $2); print $2; exit }' "$3/calibration.json"; }
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && a != "null" && d <= t) }'; }
cal() { "$INGOT" calibrate "$@" -t 1 -b cpu >log 2>&1; }

cat >bar.yaml <<'EOF'
physics: stress
mesh: {boxes: {size: [4 mm, 1 mm, 1 mm], cells: [4, 1, 1]}}
materials: {name: m, young: 200 GPa, poisson: 0}
supports: [{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]
loads: [{set: xmax, pressure: 0 Pa}, {set: ymax, pressure: 0 Pa}]
phases: {name: pull}
solver: {tolerance: 1e-12}
probes: [{name: ux, set: xmax, quantity: ux}, {name: uy, set: ymax, quantity: uy}]
output: {count: 0}
EOF

# linear in the two pressures: ux = -p * 2e-14 m/Pa, uy = -q * 5e-15 m/Pa. The weighted mean of ux is
# (2/0.02^2 + 2.2/0.04^2) / (1/0.02^2 + 1/0.04^2) = 2.04 um, its variance 1 / 3125 um^2
cat >linear.yaml <<'EOF'
case: bar.yaml
keys:
  - {key: 'loads[0].pressure', from: -1 GPa, to: 1e9, start: 1 MPa}
  - {key: 'loads[1].pressure', from: -1 GPa, to: 1 GPa, start: 1000 kPa}
figures:
  - {figure: ux, value: 2 um, uncertainty: 0.02 um}
  - {figure: ux, value: 2.2e-6, uncertainty: 4e-8}
  - {figure: uy, value: 1e-4 mm, uncertainty: 2 %}
EOF
cal linear.yaml -o linear || fail "a linear problem"
near "$(value 'loads[0].pressure' value linear)" -102 1e-8 || fail "p: $(value 'loads[0].pressure' value linear)"
near "$(value 'loads[1].pressure' value linear)" -20000 1e-5 || fail "q in kPa: $(value 'loads[1].pressure' value linear)"
near "$(value 'loads[0].pressure' standard_error linear)" 0.8944271909999159 1e-8 || fail "error of p"
near "$(value 'loads[1].pressure' standard_error linear)" 400 1e-5 || fail "error of q"
near "$(value ux residual linear)" 2 1e-8 || fail "residual of ux"
grep -q 'not met within their uncertainties' log || fail "no word on a sum of squares of 20"
[ "$(value linear.yaml status linear)" = '"converged"' ] || fail "status"

# the noise of the figures is measured: double precision here
{ cat linear.yaml; echo 'noise: measure'; } >noise.yaml
cal noise.yaml -o noise || fail "measured noise"
near "$(value 'loads[0].pressure' value noise)" -102 1e-6 || fail "p with measured noise: $(value 'loads[0].pressure' value noise)"
awk '$1 == "\"noise\":" { exit !($2 + 0 < 1e-10) }' noise/calibration.json || fail "$(grep '"noise"' noise/calibration.json)"

# a figure that is 0 but for rounding has no noise
cat >zero.yaml <<'EOF'
case: bar.yaml
keys: [{key: 'loads[0].pressure', from: -1 GPa, to: 1 GPa, start: -10 MPa}]
figures: [{figure: ux, value: 2 um, uncertainty: 0.1 um}, {figure: uy, value: 0 um, uncertainty: 0.1 um}]
noise: measure
EOF
cal zero.yaml -o zero || fail "a figure of 0"
awk '$1 == "\"noise\":" { exit !($2 + 0 < 1e-10) }' zero/calibration.json || fail "rounding is noise: $(grep '"noise"' zero/calibration.json)"
# a figure that was measured twice is resumed
{ cal linear.yaml -o linear --resume && grep -q '^runs  *0, ' log; } || fail "runs with a figure measured twice were made again"

# without uncertainties errors follow from the residuals: relative deviations, one degree of freedom
sed 's/, uncertainty[^}]*//' linear.yaml >plain.yaml
cal plain.yaml -o plain || fail "a problem without uncertainties"
# least squares of (u/2 - 1)^2 + (u/2.2 - 1)^2: u = (1/2 + 1/2.2) / (1/4 + 1/4.84), here by awk
awk -v p="$(value 'loads[0].pressure' value plain)" -v s="$(value 'loads[0].pressure' standard_error plain)" 'BEGIN {
  w = 1 / 4 + 1 / 4.84; u = (1 / 2 + 1 / 2.2) / w; sum = (u / 2 - 1) ^ 2 + (u / 2.2 - 1) ^ 2
  e = -50 * u; d = 50 * sqrt(sum / w); exit !((p - e) ^ 2 < 1e-14 && (s - d) ^ 2 < 1e-14) }' || fail "errors from residuals"

# a bound that holds one key
sed 's/from: -1 GPa, to: 1e9/from: -90 MPa, to: 1e9/' linear.yaml >bound.yaml
cal bound.yaml -o bound || fail "a bound"
near "$(value 'loads[0].pressure' value bound)" -90 0 || fail "not at the bound"
near "$(value 'loads[1].pressure' value bound)" -20000 1e-5 || fail "the other key"
grep -q "at the bound 'from'" log || fail "no word on the bound"

# keys that only act together, and one that does not act
cat >loose.yaml <<'EOF'
case: bar.yaml
set: {'loads[0].pressure': -100 MPa}
keys:
  - {key: materials.young, from: 50 GPa, to: 400 GPa}
  - {key: 'loads[0].pressure', from: -300 MPa, to: -10 MPa}
  - {key: 'loads[1].pressure', from: -3 MPa, to: 3 MPa}
figures: [{figure: ux, value: 4 um, uncertainty: 1 %}]
EOF
cal loose.yaml -o loose || fail "keys that are not determined"
[ "$(grep -c 'not determined by the figures' log)" = 3 ] || fail "three keys are not determined"
[ "$(grep -c '^ *undetermined' log)" = 2 ] || fail "two directions"
[ "$(value 'loads[1].pressure' value loose)" = 0 ] || fail "a key without effect has moved"
# a prior determines one, and the data the other: E = p / u * 4 mm
sed 's/-10 MPa}/-10 MPa, prior: {mean: -150 MPa, deviation: 3 MPa}}/; /loads.1/d' loose.yaml >prior.yaml
cal prior.yaml -o prior || fail "a prior"
near "$(value 'loads[0].pressure' value prior)" -150 1e-3 || fail "a prior's mean"
near "$(value 'loads[0].pressure' standard_error prior)" 3 1e-3 || fail "a prior's deviation"
near "$(value materials.young value prior)" 150 1e-2 || fail "the modulus with a prior"
near "$(value materials.young standard_error prior)" 3.354 2e-2 || fail "its error: $(value materials.young standard_error prior)"

# two elastic constants; the first difference of Poisson's ratio is above 0.5: a run that fails
cat >elastic.yaml <<'EOF'
case: bar.yaml
set: {'loads[0].pressure': -100 MPa}
keys:
  - {key: materials.young, start: 900 GPa, scale: log}
  - {key: materials.poisson, start: 0.4998}
figures: [{figure: ux, value: 2 um}, {figure: uy, value: -0.1 um}]
EOF
cal elastic.yaml -o elastic || fail "two elastic constants"
near "$(value materials.young value elastic)" 200 1e-4 || fail "E: $(value materials.young value elastic)"
near "$(value materials.poisson value elastic)" 0.2 1e-6 || fail "nu: $(value materials.poisson value elastic)"
grep -q ',failed,' elastic/runs.csv || fail "no run has failed on the way"

# several cases with one set of keys: two loads; a list of keys gets one value
cat >two.yaml <<'EOF'
cases:
  - {name: low, case: bar.yaml, set: {'loads[0].pressure': -100 MPa}}
  - {name: high, case: bar.yaml, set: {'loads[0].pressure': -200 MPa}}
keys: [{key: [materials.young, materials.youngs], from: 50 GPa, to: 400 GPa}]
figures:
  - {case: low, figure: ux, value: 4 um, weight: 1}
  - {case: high, figure: ux, value: 8 um, weight: 4}
EOF
cal two.yaml -o two && fail "a key that no case has"
grep -q 'two.yaml:4:14: .*materials' log || fail "not located"
[ ! -e two ] || fail "a refused calibration has written"
sed -i 's/\[materials.young, materials.youngs\]/materials.young/' two.yaml
cal two.yaml -o two || fail "two cases"
near "$(value materials.young value two)" 100 1e-4 || fail "two cases: $(value materials.young value two)"

# the twin: conductivity, film and absorptivity from three thermocouples with noise of 0.5 K
cat >plate.yaml <<'EOF'
physics: thermal
precision: double
mesh: {boxes: [{size: [20 mm, 4 mm, 2 mm], cells: [20, 4, 2]}]}
materials: [{name: steel, density: 8000, conductivity: 20, specific_heat: 500, absorptivity: 0.4}]
duration: 10 s
boundary: [{set: surface, convection: 300 W/(m^2 K)}]
beams:
  - radius: 1 mm
    raster: {power: 10 W, speed: 0.4 mm/s, spacing: 4 mm, layer_height: 2 mm, regions: [{min: [1 mm, 0 mm], max: [5 mm, 4 mm]}]}
probes:
  - {name: near, point: [3 mm, 2 mm, 2 mm]}
  - {name: middle, point: [8 mm, 2 mm, 2 mm]}
  - {name: far, point: [19 mm, 2 mm, 2 mm]}
time_step: 20 ms
output: {count: 0, history_every: 10}
EOF
"$INGOT" run plate.yaml -q -t 1 -b cpu -o plate >log 2>&1 || fail "the plate does not run"
{
  cat <<'EOF'
title: a plate under a slow beam
case: plate.yaml
keys:
  - {key: 'materials[0].conductivity', from: 5, to: 60, start: 10, scale: log}
  - {key: 'boundary[0].convection', from: 20 W/(m^2 K), to: 2000 W/(m^2 K), start: 100 W/(m^2 K), scale: log}
  - {key: 'materials[0].absorptivity', from: 0.05, to: 1, start: 0.7}
figures:
EOF
  awk -F, 'BEGIN { n = split("0.31 -0.62 0.18 -0.27 0.71 0.05 -0.44 0.36 -0.58 0.49 -0.12 0.22", noise, " ") }
    NR == 1 { for (i = 1; i <= NF; i++) { split($i, w, " "); c[w[1]] = i } }
    NR > 1 { for (t = 4; t <= 10; t += 2) if ($1 > t - 1e-6 && $1 < t + 1e-6) {
      for (k = 1; k <= 3; k++) { p = k == 1 ? "near" : k == 2 ? "middle" : "far"
        printf "  - {figure: %s, time: %g s, value: %.9g K, uncertainty: 0.5 K}\n", p, t, $c[p] + noise[++used] } } }' plate/history.csv
} >twin.yaml
[ "$(grep -c figure: twin.yaml)" = 12 ] || fail "the twin has not twelve figures: $(cat twin.yaml)"
cal twin.yaml -o twin -j 2 || fail "the twin"
while read -r key true; do
  x=$(value "$key" value twin) e=$(value "$key" standard_error twin)
  near "$x" "$true" "$(awk -v e="$e" 'BEGIN { print 2 * e }')" || fail "the twin's $key: $x, error $e"
  awk -v e="$e" -v t="$true" 'BEGIN { exit !(e > 0 && e < 0.1 * t) }' || fail "the twin's $key has an error of $e"
done <<'EOF'
materials[0].conductivity 20
boundary[0].convection 300
materials[0].absorptivity 0.4
EOF
# other numbers of jobs have the same bits; an earlier table saves the runs
cal twin.yaml -o alone -j 1 || fail "one job"
[ "$(value 'materials[0].conductivity' value alone)" = "$(value 'materials[0].conductivity' value twin)" ] || fail "jobs change the result"
cal twin.yaml -o twin --resume || fail "resuming"
grep -q '^runs  *0, ' log || fail "runs were made again: $(grep ^runs log)"
"$INGOT" report twin >log 2>&1 || fail "the report"
grep -q 'materials\[0\].conductivity' twin/report.html || fail "the report has no keys"

# a point at which a figure does not exist is a rejected step: no row at 9 s in a run of 8 s
cat >short.yaml <<'EOF'
case: plate.yaml
keys: [{key: duration, from: 5 s, to: 20 s, start: 10 s}]
figures:
  - {figure: middle, value: 330 K}
  - {figure: near, time: 9 s, value: 377 K}
EOF
cal short.yaml -o short || fail "a figure that is not always there"
near "$(value duration value short)" 9.2 0.2 || fail "duration: $(value duration value short)"
awk -F, 'NR > 1 && $5 < 9 && $7 == "" { n++ } END { exit !n }' short/runs.csv || fail "no run without the figure"

# a chain: figures of its report
cat >chain.yaml <<'EOF'
report: [{name: stretch, stage: pull, figure: end}]
stages:
  pull:
    physics: stress
    mesh: {boxes: {size: [4 mm, 1 mm, 1 mm], cells: [4, 1, 1]}}
    materials: {name: m, young: 200 GPa, poisson: 0}
    supports: [{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]
    loads: {set: xmax, pressure: -100 MPa}
    phases: {name: pull}
    probes: {name: end, set: xmax, quantity: ux}
    output: {count: 0}
EOF
cat >chained.yaml <<'EOF'
case: chain.yaml
keys: [{key: stages.pull.materials.young, from: 50 GPa, to: 500 GPa}]
figures: [{figure: stretch, value: 4 um}]
EOF
cal chained.yaml -o chained || fail "a chain"
near "$(value stages.pull.materials.young value chained)" 100 1e-3 || fail "a chain's modulus"

# the contents of files count for --resume: a mesh of twice the length under the same name
mesh_write() { # LENGTH in mm
  cat >bar.inp <<EOF
*NODE
1, 0, 0, 0
2, $1e-3, 0, 0
3, $1e-3, 1e-3, 0
4, 0, 1e-3, 0
5, 0, 0, 1e-3
6, $1e-3, 0, 1e-3
7, $1e-3, 1e-3, 1e-3
8, 0, 1e-3, 1e-3
*ELEMENT, TYPE=C3D8
1, 1, 2, 3, 4, 5, 6, 7, 8
EOF
}
sed 's/^mesh: .*/mesh: {file: bar.inp}/' bar.yaml >filed.yaml
cat >file.yaml <<'EOF'
case: filed.yaml
set: {'loads[0].pressure': -100 MPa}
keys: [{key: materials.young, from: 50 GPa, to: 400 GPa}]
figures: [{figure: ux, value: 4 um}]
EOF
sed -i 's/mesh: {boxes.*/mesh: {file: bar.inp}/' chain.yaml
mesh_write 4
cal file.yaml -o file || fail "a mesh from a file"
near "$(value materials.young value file)" 100 1e-4 || fail "a mesh from a file: $(value materials.young value file)"
cal chained.yaml -o filechain || fail "a chain with a mesh from a file"
{ cal file.yaml -o file --resume && grep -q '^runs  *0, ' log; } || fail "runs of the same mesh were made again"
mesh_write 8
cal file.yaml -o file --resume || fail "another mesh"
near "$(value materials.young value file)" 200 1e-4 || fail "runs of another mesh were kept: $(value materials.young value file)"
# so do files that the mesh file includes
mesh_write 4 && mv bar.inp nodes.inp && echo '*INCLUDE, INPUT=nodes.inp' >bar.inp
cal file.yaml -o includes || fail "a mesh that includes another file"
{ cal file.yaml -o includes --resume && grep -q '^runs  *0, ' log; } || fail "runs of the same included mesh were made again"
sed -i 's/4e-3/8e-3/' nodes.inp
cal file.yaml -o includes --resume || fail "another included mesh"
near "$(value materials.young value includes)" 200 1e-4 || fail "runs of another included mesh were kept: $(value materials.young value includes)"
mesh_write 8
cal chained.yaml -o filechain --resume || fail "a chain with another mesh"
near "$(value stages.pull.materials.young value filechain)" 200 1e-3 || fail "runs of a chain with another mesh were kept: $(value stages.pull.materials.young value filechain)"
# a number of a chain's key in another unit is another value
sed 's/50 GPa/50 MPa/; s/500 GPa/500000 MPa/' chained.yaml >units.yaml
cal units.yaml -o filechain --resume || fail "a chain in MPa"
near "$(value stages.pull.materials.young value filechain)" 200000 1 || fail "MPa: $(value stages.pull.materials.young value filechain)"

# Ctrl-C keeps the best so far
cal twin.yaml -o stopped -j 1 -s time_step='1 ms' &
pid=$!
for _ in $(seq 600); do [ "$(grep -c complete stopped/runs.csv 2>/dev/null)" -ge 4 ] 2>/dev/null && break; sleep 0.05; done
child=$(pgrep -P $pid | head -1)
kill -INT "${child:-$pid}"
wait $pid && fail "an interrupted calibration should exit with 1"
grep -q '"status": "interrupted"' stopped/calibration.json || fail "nothing is kept of an interrupted calibration"

# mistakes: one located line, nothing written
wrong() { # MESSAGE SED
  sed "$2" linear.yaml >wrong.yaml
  cal wrong.yaml -o wrong && fail "not refused: $1"
  [ $? = 2 ] || true
  grep -q "error: wrong.yaml:[0-9]*:[0-9]*: .*$1" log || fail "expected '$1'"
  [ "$(grep -c error: log)" = 1 ] && [ ! -e wrong ] || fail "more than one line, or something written: $1"
}
wrong "does not go with the unit of this key, 'MPa'" 's/to: 1e9/to: 3 mm/'
wrong "'from' must be less than 'to'" 's/to: 1e9/to: -2 GPa/'
wrong "did you mean 'von_mises_max'" 's/figure: ux, value: 2 um/figure: von_mises_mx, value: 2 um/'
wrong "is measured in 'K', and is in 'm'" 's/value: 2 um, uncertainty: 0.02 um/value: 2 K, uncertainty: 1 K/'
wrong "others have an 'uncertainty'" 's/, uncertainty: 2 %//'
wrong "'start' 1 lies outside" 's/from: -1 GPa, to: 1e9/from: 2 MPa, to: 1e9/'
wrong "unknown key 'keyy'" 's/{key: .loads.1.[^,]*,/{keyy: a,/'
wrong "cannot read 'bra.yaml'" 's/bar.yaml/bra.yaml/'
wrong "is fitted twice" 's/loads\[1\]/loads[0]/'
wrong "'loads\[1\].pressure' is fitted twice" "s/key: 'loads\[0\].pressure'/key: ['loads[0].pressure', 'loads[1].pressure']/"
wrong "is fitted twice" "s/'loads\[0\].pressure'/materials.young/; s/'loads\[1\].pressure'/'materials[0].young'/"
wrong "unknown key 'pressur'" 's/loads\[1\].pressure/loads[1].pressur/'
# a case that its room refuses when it is opened: no run at the start
sed 's/bar.yaml/empty.yaml/' linear.yaml >wrong.yaml
sed 's/set: xmin, fix: x/set: nowhere, fix: x/' bar.yaml >empty.yaml
cal wrong.yaml -o wrong && fail "a set that is not there"
grep -q "error: the runs at the start failed: empty.yaml:.*nowhere" log && [ ! -e wrong ] || fail "a refused case"
cal bar.yaml && fail "a case alone"
grep -q "needs a file with 'keys' and 'figures'" log || fail "a case alone"
echo good
