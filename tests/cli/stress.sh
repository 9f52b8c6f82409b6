# A print and its stress: a chain hands the heat over; a run that was stopped goes on to the same bits;
# what is wrong with a case is said.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0
fail() { echo "FAIL: $*"; bad=1; }
cat >chain.yaml <<'END'
title: print and stress
materials: {name: steel, density: 7900, conductivity: 25, specific_heat: 600, solidus: 1600 K, liquidus: 1650 K,
  young: 200 GPa, poisson: 0.3, yield: 400 MPa, hardening: 2 GPa, mechanical: {expansion: 1.5e-5}}
stages:
  print:
    physics: thermal
    mesh:
      boxes:
        - {name: plate, size: [8 mm, 4 mm, 2 mm], cells: [8, 4, 2]}
        - {name: wall, origin: [0, 1 mm, 2 mm], size: [8 mm, 2 mm, 2 mm], cells: [8, 2, 2]}
    initial_temperature: 300 K
    ambient: 300 K
    duration: 20 s
    time_step: 10 ms
    boundary: [{set: zmin, temperature: 300 K}]
    birth: {by: layers, set: wall, height: 1 mm}
    beams:
      - {model: gaussian, radius: 1 mm, depth: 1 mm, absorptivity: 0.4, raster: {power: 600 W, speed: 5 mm/s, hatch: 1 mm,
         layer_height: 1 mm, base: 2 mm, layers: 2, rotation: 0, dwell: 3 s, regions: {min: [0 mm, 1 mm], max: [8 mm, 3 mm]}}}
    output: {count: 8, fields: [T, T_peak]}
  warp:
    physics: stress
    mesh: {from: print}
    temperature: 300 K
    supports: {set: zmin, fix: all}
    phases:
      - {name: heat, kind: heat, from: print}
      - {name: cool, temperature: 293.15 K}
    probes: [{name: top, point: [4 mm, 2 mm, 3.5 mm], quantity: sxx}]
    floors: {hardening: 0.01}
END
"$INGOT" run chain.yaml -q -o out -t 1 || fail "the chain does not run"
# a solid that cooled from the melt on a stiff plate is at its yield stress or close to it
awk -F, 'NR > 1 { last = $NF } END { exit !(last > 150e6 && last < 600e6) }' out/warp/history.csv || fail "no residual stress: $(tail -1 out/warp/history.csv)"

cat >plain.yaml <<'END'
physics: stress
mesh:
  boxes:
    - {name: plate, size: [20 mm, 6 mm, 2 mm], cells: [20, 6, 2]}
    - {name: wall, origin: [0, 2 mm, 2 mm], size: [20 mm, 2 mm, 8 mm], cells: [20, 2, 8]}
materials: {name: steel, young: 200 GPa, poisson: 0.3, yield: 400 MPa, hardening: 2 GPa}
inherent: {set: wall, strain: [-0.004, -0.003, 0]}
supports:
  - {set: zmin, fix: all, until: release}
  - {set: xmin, fix: all, since: release}
phases:
  - {name: build, kind: build, set: wall, height: 1 mm, steps: 2}
  - {name: rest, steps: 2}
  - {name: release}
output: {count: 3, checkpoint_every: 0.001 s}
END
"$INGOT" run plain.yaml -q -o whole -t 1 || fail "the wall does not run"
timeout -s INT 1 "$INGOT" run plain.yaml -q -o parts -t 1 >/dev/null 2>&1
"$INGOT" run plain.yaml -q -o parts --resume -t 2 || fail "the wall does not go on"
cmp whole/history.csv parts/history.csv || fail "stopped and continued is not the same"

sed 's/fix: all, until: release/fix: z, until: release/' plain.yaml >loose.yaml
"$INGOT" run loose.yaml -q -o loose >said 2>&1 && fail "a loose part runs"
grep -q "free to move as a rigid body (3 of 6 motions held)" said || fail "a loose part: $(cat said)"
sed 's/young: 200 GPa, //' plain.yaml >soft.yaml
"$INGOT" run soft.yaml -q -o soft >said 2>&1 && fail "a material without a modulus runs"
grep -q "lacks 'young', which the stress room needs" said || fail "no modulus: $(cat said)"
[ ! -e soft ] || fail "a refused case has left a folder"
[ $bad = 0 ] && echo "a chain, a continued run, two refusals"
exit $bad
