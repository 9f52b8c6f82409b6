# Samples: designs of all methods, distributions, units; indices of a product against exact ones;
# mistakes are told before anything is written.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "sample test: $*"; cat log 2>/dev/null; exit 1; }
cat >bar.yaml <<'END'
physics: stress
mesh: {boxes: {size: [4 mm, 1 mm, 1 mm], cells: [1, 1, 1]}}
materials: {name: m, young: 200 GPa, poisson: 0}
supports: [{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]
loads: [{set: xmax, pressure: -100 MPa}]
phases: {name: pull}
probes: [{name: ux, set: xmax, quantity: ux}]
output: {count: 0}
END
sample() { "$INGOT" sample "$@" >log 2>&1; }

# 16 points: one in each sixteenth of the range, by both methods; the same seed, the same points
for method in lhs sobol; do
  sample bar.yaml -k 'loads[0].pressure=-200 MPa..-40 MPa' --method $method -n 16 --seed 3 -o $method.yaml || fail "$method"
  grep -oE -- "-[0-9.]+ MPa" $method.yaml | awk '{ n[int(($1 + 200) / 10)]++ } END { for (i = 0; i < 16; i++) if (n[i] != 1) exit 1 }' || fail "$method: not one point in each interval"
  sample bar.yaml -k 'loads[0].pressure=-200..-40 MPa' --method $method -n 16 --seed 3 -o again.yaml --force || fail "$method again"
  cmp -s $method.yaml again.yaml || fail "$method: the same seed gives other points"
  sample bar.yaml -k 'loads[0].pressure=-200..-40 MPa' --method $method -n 16 --seed 4 -o again.yaml --force || fail "$method again"
  cmp -s $method.yaml again.yaml && fail "$method: another seed gives the same points"
done
# distributions: the median of a Latin hypercube, half of the points below it
sample bar.yaml -k 'materials.young=20..2000 GPa log' -n 100 -o log.yaml || fail "log"
[ "$(grep -oE "[0-9.]+ GPa" log.yaml | awk '$1 < 200' | wc -l)" = 50 ] || fail "a logarithm is not uniform"
sample bar.yaml -k 'materials.young=200+-10 GPa' -n 1000 -o normal.yaml || fail "normal"
grep -oE "[0-9.]+ GPa" normal.yaml | awk '{ s += $1; q += $1 * $1 } END { m = s / NR; d = sqrt(q / NR - m * m); exit !(m > 199.9 && m < 200.1 && d > 9.9 && d < 10.1) }' || fail "moments of a normal distribution"
# one bound at the mean: mean and deviation of half a normal distribution, 200 + 10 sqrt(2/pi) and
# 10 sqrt(1 - 2/pi)
sample bar.yaml -k 'materials.young=200+-10 in 200..400 GPa' -n 1000 -o half.yaml || fail "bounds"
grep -oE "[0-9.]+ GPa" half.yaml | awk '{ s += $1; q += $1 * $1; low += $1 < 200 } END { m = s / NR; d = sqrt(q / NR - m * m); exit !(!low && m > 207.9 && m < 208.06 && d > 5.9 && d < 6.1) }' || fail "moments of half a normal distribution"
"$INGOT" sweep sobol.yaml --list -q >list 2>log || fail "the sweep does not read"
[ "$(wc -l <list)" = 16 ] || fail "sixteen runs"
# a file elsewhere finds its case
mkdir there && sample bar.yaml -k 'loads[0].pressure=-200..-40 MPa' -n 2 -o there/two.yaml || fail "another folder"
(cd / && "$INGOT" sweep "$work/there/two.yaml" --list -q >/dev/null 2>"$work/log") || fail "the case is not found from there"

# ux = p L / E: shares of the variance of a product of independent factors, from their squared
# coefficients of variation: p 1/27; 1/E, E log-uniform from 100 to 400, 0.155250
sample bar.yaml -k 'loads[0].pressure=-200..-100 MPa' -k 'materials.young=100..400 GPa log' --method indices -n 32 -o design.yaml || fail "indices"
mkdir design
"$INGOT" sensitivity design.yaml -o design >log 2>&1 && fail "indices without results"
grep -q 'run the sweep first' log || fail "no word on what to do"
"$INGOT" sweep design.yaml -q -b cpu -o design >log 2>&1 || fail "the sweep fails"
"$INGOT" sensitivity design.yaml -o design -f ux >log 2>&1 || fail "sensitivity"
awk -F, 'NR == 1 { next } $2 ~ /pressure/ { f = 0.18702; t = 0.21606 } $2 ~ /young/ { f = 0.78394; t = 0.81298 }
  { n++; bad += !($4 < f && f < $5 && $7 < t && t < $8) + (($3 - f) ^ 2 > 0.02) } END { exit !(n == 2 && !bad) }' design/sensitivity.csv || fail "indices: $(cat design/sensitivity.csv)"
"$INGOT" report design >log 2>&1 && grep -q 'aria-label="Sobol indices"' design/report.html || fail "the report has no indices"
rm -r design/k1-0007
"$INGOT" sensitivity design.yaml -o design -f ux >log 2>&1 || fail "a run is missing"
grep -q '1 of 32 points are left out' log || fail "no word on a missing run"
"$INGOT" sensitivity sobol.yaml >log 2>&1 && fail "no design for indices"
grep -q 'ingot sample --method indices' log || fail "no remedy"

# mistakes
wrong() { # MESSAGE ARGUMENTS...
  local message=$1
  shift
  "$INGOT" sample "$@" -o wrong.yaml >log 2>&1
  [ $? = 2 ] || fail "exit code: $message"
  grep -qF -- "$message" log || fail "expected '$message'"
  [ ! -e wrong.yaml ] || fail "written all the same: $message"
}
wrong "'materials[0].young' is sampled twice" bar.yaml -k 'materials.young=1..2 GPa' -k 'materials[0].young=5..6 GPa'
wrong "--key loads[0].presure: unknown key 'presure'" bar.yaml -k 'loads[0].presure=1..2 MPa'
wrong "--n '0': expected a whole number from 1" bar.yaml -k 'materials.young=1..2 GPa' -n 0
wrong "that is a length" bar.yaml -k 'loads[0].pressure=1..2 mm'
wrong "expected KEY=A..B" bar.yaml -k 'loads[0].pressure=1'
wrong "the first number must be the smaller one" bar.yaml -k 'loads[0].pressure=3..2 MPa'
wrong "a logarithm needs numbers above 0" bar.yaml -k 'loads[0].pressure=-3..2 MPa log'
wrong "the same unit" bar.yaml -k 'loads[0].pressure=3 kPa..2 MPa'
wrong "the same unit" bar.yaml -k 'materials.young=200+-10 MPa in 1..2 GPa'
wrong "expected KEY=A..B" bar.yaml -k 'materials.young=200+-10 in 1 GPa'
wrong "a share of the distribution must lie between them" bar.yaml -k 'materials.young=200+-1 in 300..400 GPa'
wrong "is sampled twice" bar.yaml -k 'materials.young=1..2 GPa' -k 'materials.young=1..2 GPa'
wrong "give --key" bar.yaml
wrong "1 to 25000 points" bar.yaml -k 'materials.young=100..200 GPa' -k 'loads[0].pressure=1..2 MPa' -n 30000 --method indices
sample bar.yaml -k 'materials.young=1..2 GPa' -o sobol.yaml && fail "an existing file is replaced"
grep -q 'is there already' log || fail "an existing file"
echo good
