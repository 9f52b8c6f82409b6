# Limits of figures (`accept`): the summary, the terminal and the page say whether the result keeps them; the run ends
# well in any case.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*"; cat log 2>/dev/null; exit 1; }
cat >case.yaml <<'END'
physics: thermal
mesh: {boxes: {size: [4 mm, 4 mm, 4 mm], cells: [2, 2, 2]}}
materials: {name: steel, density: 7800 kg/m3, specific_heat: 500 J/kg/K, conductivity: 20 W/m/K}
initial_temperature: 300 K
boundary: [{set: zmin, temperature: 400 K}]
duration: 60 s
output: {count: 1}
END
run() { # folder, more keys of the case, as text
  cat case.yaml - >"$1.yaml" <<<"$2"
  "$INGOT" run "$1.yaml" --backend cpu --threads 1 --out "$1" >log 2>&1 || fail "$1 does not run"
  "$INGOT" report "$1" >/dev/null || fail "no page of $1"
}
# the block takes the temperature of its boundary, 400 K; a quarter of its mass is at the nodes of zmin, hot from the
# beginning; the rest stores 0.75 x 7800 x 500 x 6.4e-8 x 100 = 18.72 J
run kept 'accept: [{figure: T_min, min: 120 degC, max: 0.4001 kK}, {figure: stored, min: 18 J, max: 19}]'
grep -q '"accepted": "yes"' kept/summary.json && grep -Eq '^accepted +yes' log || fail "a result within its limits is not accepted"
grep -q '"warnings": 0' kept/summary.json || fail "limits that are kept cause warnings"
[ "$(grep -c '<td class="pass">pass</td>' kept/report.html)" = 2 ] || fail "the page does not say that limits are kept"
run broken 'accept: [{figure: T_max, max: 126 degC}, {figure: T_min, min: 350 K}, {figure: stored, min: 19.5 J}]'
grep -q '"accepted": "no"' broken/summary.json && grep -Eq '^accepted +no' log || fail "limits that are exceeded are not noticed"
grep -q 'broken.yaml:8:10: not accepted: T_max = 400 K is above 126 degC' log || fail "the log does not say which limit, and where it stands"
grep -q 'not accepted: stored = 18.72 J is below 19.5 J' broken/summary.json || fail "the summary does not name the limit"
[ "$(grep -c '<td class="fail">fail</td>' broken/report.html) $(grep -c '<td class="pass">pass</td>' broken/report.html)" = "2 1" ] ||
  fail "the page does not say which limits are kept"
grep -q '<b class="fail">not accepted</b>' broken/report.html && grep -q '<b class="pass">accepted</b>' kept/report.html ||
  fail "the first line of the page does not say whether the result is accepted"
grep -q '<td class="number">18.72 J</td>' broken/report.html || fail "the table has no value"
# values are in units for reading, as limits have them
cat >press.yaml <<'END'
physics: structure
mesh: {boxes: {size: [10 mm, 10 mm, 10 mm], cells: [1, 1, 1]}}
materials: {name: steel, young: 200 GPa, poisson: 0}
supports: {set: zmin, fix: xyz}
loads: {set: zmax, pressure: 300 MPa}
analysis: {kind: static}
accept: [{figure: nodal_von_mises_max, max: 200 MPa}, {figure: displacement_max, max: 20 um}]
END
"$INGOT" run press.yaml --out press --report >log 2>&1 || fail "the block is not pressed"
grep -q 'not accepted: nodal_von_mises_max = 300 MPa is above 200 MPa' log || fail "the value is not in a unit for reading"
grep -q '<td class="number">300 MPa</td>' press/report.html && grep -q '<td class="number">15 um</td>' press/report.html ||
  fail "the values in the table are not in units for reading"
# a unit of another kind, and a figure that is not there, are not accepted
run odd 'accept: [{figure: T_max, max: 3 mm}]'
grep -q '"accepted": "no"' odd/summary.json && grep -q "T_max is in K: '3 mm' cannot be compared with it" log || fail "kelvin are compared with mm"
run none 'accept: {figure: melt_depth_max, max: 1 mm}'
grep -q '"accepted": "no"' none/summary.json && grep -q "the run has no figure 'melt_depth_max'" log || fail "a figure that is not there is accepted"
grep -q '<td>melt_depth_max</td><td class="number">not given</td>' none/report.html || fail "the page does not say that a figure is missing"
# other limits do not change what can be continued; without limits nothing is said
run free ''
grep -q accepted free/summary.json log && fail "a case without limits is judged"
refused() { # keys, words of the message
  cat case.yaml - >bad.yaml <<<"$1"
  "$INGOT" run bad.yaml --backend cpu --out bad >log 2>&1
  [ $? = 2 ] && [ "$(wc -l <log)" = 1 ] && grep -qF "$2" log && [ ! -e bad ] || fail "not refused as it should be: $1"
}
refused 'accept: [{figure: T_max}]' "bad.yaml:8:10: accept: the limit of 'T_max' has neither 'min' nor 'max'"
refused 'accept: [{figure: T_max, max: hot}]' "accept.max: expected a number with its unit, not 'hot'"
refused 'accept: [{figure: T_max, min: 3 furlong}]' "unknown unit 'furlong'"
refused 'accept: [{figure: T_max, min: 127 degC, max: 399 K}]' "bad.yaml:8:10: accept: the least value of 'T_max', 127 degC, is above the largest, 399 K"
refused 'accept: [{figure: T_max, min: 2, max: 1}]' "is above the largest, 1: no result would be accepted"
refused 'accept: [{figure: T_max, min: 3 mm, max: 400 K}]' "'T_max' cannot have limits in mm and in K"
refused 'accept: {figure: T_mox, max: 500 K}' "bad.yaml:8:9: accept: the run gives no figure 'T_mox' that is a number: did you mean 'T_max'?"
refused 'accept: {figure: finished_stress, max: 3 MPa}' "bad.yaml:8:9: accept: 'finished_stress' is a figure of the finished part, which is made after the run is judged"
refused 'accept: [{max: 3 K}]' "missing key 'figure'"
echo "limits of figures"
