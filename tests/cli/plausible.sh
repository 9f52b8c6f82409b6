#!/bin/bash
# Values that are allowed and unusual, mostly for want of a unit: `check` and `run` warn of each once,
# with its place and what may be meant; the run goes on and its summary has the warnings.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0
fail() { echo "FAIL: $*"; bad=1; }
small=$SOURCE/tests/cli/small
warned() { # words, command…
  local words=$1
  shift
  "$@" >stdout 2>stderr || fail "$*: exit $?: $(cat stderr)"
  [ "$(grep -cF -- "$words" stderr)" = 1 ] || fail "$*: not once '$words': $(cat stderr)"
}
sed 's/210 GPa/210/' "$small/dynamics.yaml" >e.yaml
words="e.yaml:3:54: 'materials.young' is 210 Pa, usual is 1e6 to 1.5e12 Pa: a number without a unit is in Pa; did you mean '210 GPa'?"
warned "$words" "$INGOT" check e.yaml
warned "$words" "$INGOT" run e.yaml -q -t 1 --out e --set 'loads.total=[0, 0, -1e-9]'
grep -qF "'materials.young' is 210 Pa" e/summary.json || fail "no warning in the summary"
check() { warned "$2" "$INGOT" check "$small/$1.yaml" --set "$3"; }
check thermal "'initial_temperature' is 20 K, usual is 100 to 20000 K: a number without a unit is in K; did you mean '20 degC'?" initial_temperature=20
check thermal "'materials.conductivity' has a row that is 20 K, usual is 100 K or more" 'materials.conductivity=[[20, 14], [500, 20]]'
check thermal "'materials.density' is 7.85 kg/m^3, usual is 15 to 30000 kg/m^3: a number without a unit is in kg/m^3; did you mean '7.85 g/cm^3'?" materials.density=7.85
check thermal "'materials.density' is 7.85e-09 kg/m^3, usual is 15 to 30000 kg/m^3: a number without a unit is in kg/m^3; did you mean '7.85e-9 t/mm^3'?" materials.density=7.85e-9
check dynamics "'mesh.boxes.size' has 100 beside 10 mm: a number without a unit is in m; give all of them a unit, or none" 'mesh.boxes.size=[10 mm, 100, 0.1 mm]'
check thermal "'materials.specific_heat' is 0.5 J/(kg K), usual is" materials.specific_heat=0.5
check powder "'materials.latent_heat' is 270 J/kg, usual is 1000 to 1e8 J/kg: a number without a unit is in J/kg; did you mean '270 kJ/kg'?" materials.latent_heat=270
check thermal "'materials.conductivity' is 20000 W/(m K), usual is 0.001 to 10000 W/(m K): look at the unit" 'materials.conductivity=200 W/(cm K)'
check stress "'materials.mechanical.expansion' is 12 1/K, usual is" materials.mechanical.expansion=12
check stress "the yield stress 4e+11 Pa is more than a tenth of Young's modulus" 'materials.yield=400 GPa'
check powder "'hatch.spacing' is 1e-09 m, usual is 1e-6 to 1 m: look at the unit" 'hatch.spacing=1 nm'
check powder "a beam of 1e-05 m radius in cells of 2e-05 m is as wide as the cells make it: take grid.cell of at most 5e-06 m" 'beam.radius=10 um'
narrow="thermal.yaml:5:8: a beam of 0.0009 m radius is narrower than the elements of 0.001 m under it (at 24 of 24 places of its path, as ("
check thermal "$narrow" 'beams.radius=0.9 mm'
warned "$narrow" "$INGOT" run "$small/thermal.yaml" -q -t 1 --out narrow --set 'beams.radius=0.9 mm' --set 'duration=1 ms'
"$INGOT" check "$small/thermal.yaml" 2>&1 | grep -q narrower && fail "a beam of an element: $("$INGOT" check "$small/thermal.yaml" 2>&1)"
check stress "usual is -0.001 to 0.001 1/K: a number without a unit is in 1/K; did you mean '12 um/m/K'?" materials.mechanical.expansion=12
# a number that is refused is as often one without its unit
"$INGOT" check "$small/thermal.yaml" --set 'beams.radius=1.5' 2>stderr && fail "a beam of 1.5 m"
grep -qF "expected more than 0 m, at most 1 m; a number without a unit is in m; did you mean '1.5 mm'?" stderr || fail "$(cat stderr)"
"$INGOT" help beams.radius | grep -qF 'at most 1 m, usual 1e-6 to 1 m' || fail "more is usual than allowed: $("$INGOT" help beams.radius)"
check dynamics "'materials.poisson' is -0.9, usual is 0 to 0.4999: look at the value" materials.poisson=-0.9
check structure "'contacts.friction' is 30, usual is 0 to 2: look at the value" contacts.friction=30
check thermal "'boundary[0].convection' is 1e+08 W/(m^2 K), usual is 0.01 to 1e6 W/(m^2 K)" 'boundary=[{set: zmin, convection: 1e8}]'
check dynamics "this load never acts: its \`history\` is 0 until the case ends at" 'loads.history=[[1, 0], [2, 1]]'
check structure "this load never acts: its \`history\` is 0 until the case ends at" 'loads.history=[[10, 0], [20, 1]]'
# on held nodes: forces, and pressures, here on a plane of symmetry
held='the whole of this load acts on nodes that supports hold or lead along it'
check static "$held" loads.set=xmin
check static "$held" 'loads={set: xmin, pressure: 1}'
check structure "$held" 'loads={set: zmin, total: [1, 0, 0]}'
check structure "$held" 'loads={set: top, force: [1, 1, 0]}'
check stress "$held" 'loads={set: zmin, pressure: 1}'
check fracture "$held" 'loads={set: ymin, pressure: 1}'
# a component of it, and one load of two
grid='grid={elements: [12, 6, 0]}'
for load in '{box: {min: [12, 0]}, force: [1, 0, 0]}, {box: {max: [0, 6]}, pressure: 1}|the whole of this load' \
  '{box: {min: [12, 0], max: [12, 0]}, force: [1, -1, 0]}|what this load has along y acts on nodes that supports or planes of symmetry hold'; do
  warned "${load#*|}" "$INGOT" check "$small/topopt.yaml" --set "$grid" --set 'surface={}' --set 'symmetry=[y-]' --set "loads=[${load%|*}]"
done
check fracture 'what this load has along y' 'loads={set: ymin, traction: [1, 1]}'
# supports that differ where they meet
moved='supports=[{box: {max: [0, 6]}, fix: x, displacement: [0.1, 0, 0]}, {box: {max: [0, 6]}}]'
warned 'some nodes there are held at another value by a support before' "$INGOT" check "$small/topopt.yaml" --set "$grid" --set 'surface={}' --set 'loads=[{box: {min: [12, 0]}, force: [1, 0, 0]}]' --set "$moved"
check stress "nodes of 'xmax' are held or led along x by the support of line" 'supports=[{set: zmin, fix: all}, {set: xmax, components: x, displacement: [1 um, 0, 0]}]'
for free in "static loads.set=xmax" "structure loads={set: top, force: [0, 0, 1]}" "stress loads={set: xmax, pressure: 1}" "fracture loads={set: ymax, traction: [1, 1]}" "topopt supports=[{set: xmin, fix: x}, {set: xmin}]"; do
  "$INGOT" check "$small/${free%% *}.yaml" --set "${free#* }" >stdout 2>stderr && ! grep -q 'this load\|another value' stderr || fail "$free: $(cat stderr)"
done
check grains "\`duration\` 1e-12 s is shorter than one step" duration=1e-12
check stress "\`temperature\` 3000 K is above 1600 K, where a material of the case is molten" temperature=3000
check stress "\`temperature\` comes to 5000 K, above 1600 K" 'phases[1].temperature=[[0, 353], [600, 5000]]'
warned "\`duration\` 1e-15 s is shorter than one step" "$INGOT" run "$small/dynamics.yaml" -q -t 1 --out brief --set 'analysis[1].duration=1e-15'
# St. Venant and Kirchhoff's law at 0.8 of the length: 0.8 (1 + 0.8) / 2 of Young's modulus; at 0.91, or plastic: nothing
cat >block.yaml <<'END'
physics: structure
mesh: {boxes: {size: [10 mm, 10 mm, 10 mm], cells: [1, 1, 1]}}
materials: {name: m, young: 1 GPa, poisson: 0}
supports: [{set: zmin, fix: z}, {set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmax, components: z, displacement: [0, 0, -2 mm]}]
analysis: {kind: static, large: true}
output: {count: 0}
END
warned "element 1 is stretched to 0.80 of its length along some direction: the law of elastic materials in large displacements, St. Venant and Kirchhoff's, bears 0.72 of" "$INGOT" run block.yaml -q -t 1 --out block
for quiet in 'supports[3].displacement=[0, 0, -0.9 mm]' 'materials.yield=1 MPa'; do
  "$INGOT" run block.yaml -q -t 1 --force --out block --set "$quiet" 2>stderr && ! grep -q stretched stderr || fail "$quiet: $(cat stderr)"
done
warned "T_max is 5.69e+05 K: every metal boils before" "$INGOT" run "$small/thermal.yaml" -q -t 1 --out hot --set 'beams.raster.power=1 MW'
# 1e12 steps, counted and not begun
check powder "beams are on for 1.37e+11 fine steps of 1.16e-05 s: about 16 days at 1e5 steps a second; take larger cells" 'hatch.speed=1 nm/s'
warned "evaporation: a fine step of 5.82e-05 s is 16 times the time in which vapour cools a topmost cell at 5259 K" "$INGOT" check "$SOURCE/cases/powder/track-in718.yaml" \
  --set evaporation=true --set 'grid.cell=50 um' --set 'hatch.layer_height=50 um' --set 'hatch.parts=[{min: [0, 0, 0], max: [1 mm, 0.1 mm, 50 um]}]'
check dynamics "the mesh is 8000 m long, usual is 1e-6 to 100 m: a length without a unit is in m" 'mesh.boxes.size=[8000, 2000, 2000]'
# of two supports on one component of a node the last one counts
warned "nodes of 'xmin' are held or led along y by another support too: this one counts there" "$INGOT" run "$small/fracture.yaml" -q -t 1 --out two \
  --set 'supports=[{set: ymin, fix: y}, {set: xmin, components: y, velocity: [0, 1]}]'
# the same of two motions that differ in their histories alone, and nothing of two that do not
lead="physics: dynamics
mesh: {boxes: [{name: a, size: [1, 1, 1], cells: [2, 2, 2]}, {name: b, origin: [1.00001, 0, 0], size: [1, 1, 1], cells: [2, 2, 2]}], sets: [{name: under, of: faces, box: {min: [0.9, 0, 0], max: [1.000001, 1, 1]}}, {name: on, box: {min: [1.000009, 0, 0], max: [1.1, 1, 1]}}]}
materials: {name: m, young: 1e6, poisson: 0.3, density: 1000}
analysis: {kind: static}
supports: [{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}"
printf '%s, {set: xmax, components: x, displacement: [1 mm, 0, 0], history: [[0, 0], [1, 1]]}, {set: b, components: x, displacement: [2 mm, 0, 0], history: [[0, 0], [1, 0.5]]}]\n' "$lead" >alike.yaml
"$INGOT" run alike.yaml -q -t 1 --out alike >stdout 2>stderr && ! grep -q another stderr || fail "alike: $(cat stderr)"
sed 's/1, 0.5\]/0.2, 0.5], [1, 0.5]/' alike.yaml >unlike.yaml
warned "nodes of 'b' are held or led along x by another support too: this one counts there" "$INGOT" run unlike.yaml -q -t 1 --out unlike
# a tied node goes with what carries it: a support says the same, as on planes of symmetry, or is refused
printf '%s]\nties: {set: on, to: under, distance: 1 mm}\nloads: {set: xmax, pressure: -1 kPa}\n' "$lead" >tied.yaml
"$INGOT" run tied.yaml -q -t 1 --out tied >stdout 2>stderr || fail "tied: $(cat stderr)"
[ -s stderr ] && fail "tied: $(cat stderr)"
refused() { # words, case
  "$INGOT" run "$2" -q -t 1 --out no >stdout 2>stderr && fail "$2 runs"
  grep -qF -- "$1" stderr || fail "$2: not '$1': $(cat stderr)"
}
sed 's/{set: zmin, fix: z}/&, {set: on, fix: x}/' tied.yaml >held.yaml
refused "of 'on' is tied, so that this support does nothing there" held.yaml
printf 'bodies: {set: b, components: x, velocity: [1 mm/s, 0, 0]}\n' | cat <(sed /ties:/d tied.yaml) - >body.yaml
refused "is part of a rigid body, so that this support does nothing there" body.yaml
# a motion that positions in single precision do not show
warned "positions are in single precision; take \`precision: mixed\` or \`double\`" "$INGOT" run "$small/dynamics.yaml" -q -t 1 --out single \
  --set precision=single --set 'loads.total=[0, 0, -1 uN]'
"$INGOT" run "$small/dynamics.yaml" -q -t 1 --out mixed --set precision=mixed --set 'loads.total=[0, 0, -1 uN]' >stdout 2>stderr
grep -q 'single precision' stderr && fail "$(cat stderr)"
# small rotations, and a strip whose end turns by F L^2 / (2 E I) = 0.366 rad
strip='mesh: {boxes: {size: [20 mm, 1 mm, 0.5 mm], cells: [20, 1, 1]}}
materials: {name: steel, young: 210 GPa, poisson: 0.3}
supports: {set: xmin, fix: all}'
printf 'physics: structure\n%s\nloads: {set: xmax, force: [0, 0, 1 N]}\nanalysis: {large: false}\n' "$strip" >turn.yaml
warned 'turn.yaml:6:11: element 20 turns by 21 degrees, too much for the theory of small displacements' "$INGOT" run turn.yaml -q -t 1 --out turn
grep -q 'turns by 21 degrees' turn/summary.json || fail 'no warning in the summary'
"$INGOT" run turn.yaml -q -t 1 --out turned --set analysis.large=true >stdout 2>stderr && ! grep -q turn stderr || fail "$(cat stderr)"
printf 'physics: stress\n%s\nloads: {set: xmax, total: [0, 0, 4 N]}\nphases: {name: a, steps: 4}\n' "$strip" >turn.yaml
warned 'elements turn by more than 6 degrees, one by 21: too much for small rotations' "$INGOT" run turn.yaml -q -t 1 --out turn
"$INGOT" run turn.yaml -q -t 1 --out turned --set rotations=finite >stdout 2>stderr && ! grep -q turn stderr || fail "$(cat stderr)"
# a file in millimetres that names no unit
printf '*NODE\n1,0,0,0\n2,120,0,0\n3,120,40,0\n4,0,40,0\n5,0,0,20\n6,120,0,20\n7,120,40,20\n8,0,40,20\n*ELEMENT,TYPE=C3D8,ELSET=ALL\n1,1,2,3,4,5,6,7,8\n' >part.inp
printf 'physics: thermal\nmesh: {file: part.inp}\nmaterials: {name: a, density: 7850, conductivity: 20, specific_heat: 500}\nduration: 1 s\nboundary: {set: all, flux: 1}\n' >part.yaml
"$INGOT" check part.yaml >stdout 2>stderr
grep -q 'part.yaml:2:7: the mesh is 120 m long.*is a unit missing, such as mesh.unit: 1 mm?' stderr || fail "$(cat stderr)"
"$INGOT" check part.yaml --set 'mesh.unit=1 mm' >stdout 2>stderr
grep -q 'm long' stderr && fail "$(cat stderr)"
# a chain: what its stages share once, and what a stage says that waits for others
warned "'materials.young' is 200 Pa" "$INGOT" check "$small/chain.yaml" --set materials.young=200
warned "'temperature' is 20 K" "$INGOT" check "$small/chain.yaml" --set stages.warp.temperature=20
# nothing of what is usual, and nothing of what the case does not say
for room in thermal dynamics static fracture topopt stress powder structure grains; do
  "$INGOT" check "$small/$room.yaml" >stdout 2>stderr || fail "$room: $(cat stderr)"
  grep -q 'usual\|never acts\|whole of this load\|shorter than one step\|molten' stderr && fail "$room: $(cat stderr)"
done
# layers that are lower than an element would be empty, or hold tetrahedra without their neighbours
cat >low.yaml <<'END'
physics: stress
mesh: {boxes: [{name: wall, size: [4 mm, 2 mm, 4 mm], cells: [4, 2, 4]}]}
materials: {name: m, young: 200 GPa, poisson: 0.3}
supports: [{set: zmin, fix: all}]
inherent: [{set: wall, strain: [-1e-3, -1e-3, 0]}]
phases: {name: build, kind: build, set: wall, height: 0.5 mm}
END
for element in hex8 tet10; do
  "$INGOT" check low.yaml --set mesh.element=$element >stdout 2>stderr && fail "low layers of $element are taken"
  grep -q "low.yaml:6:9: layers of 0.0005 m are lower than the elements of 'wall', which are 0.001 m high .*give \`height: 0.001 m\` or more" stderr || fail "$(cat stderr)"
done
"$INGOT" check low.yaml --set 'phases.height=1 mm' >stdout 2>stderr || fail "$(cat stderr)"
grep -q 'lower than' stderr && fail "$(cat stderr)"
# a chain whose later stages wait: what their rooms refuse is found by check, on the mesh that an earlier stage will make
cat >later.yaml <<'END'
stages:
  heat:
    physics: thermal
    mesh: {boxes: [{size: [4 mm, 4 mm, 1 mm], cells: [4, 4, 1]}]}
    materials: {name: m, density: 7850, conductivity: 20, specific_heat: 500}
    initial: [{set: xmin, temperature: 400}]
    duration: 1 s
    time_step: 0.01 s
    output: {count: 2}
  warp:
    physics: stress
    mesh: {from: heat}
    materials: {name: m, young: 200 GPa, poisson: 0.3, mechanical: {expansion: 1e-5}}
    supports: [{set: zmin, fix: all}]
    phases: [{name: a, kind: heat, from: heat}]
    output: {count: 1}
END
"$INGOT" check later.yaml >stdout 2>stderr && grep -q 'stage warp  *waits' stdout || fail "$(cat stderr)"
later() { # change, message
  sed "$1" later.yaml >wrong.yaml
  "$INGOT" check wrong.yaml >stdout 2>stderr && fail "later stages: $1"
  grep -q "$2" stderr || fail "$1: $(cat stderr)"
}
later 's/kind: heat, from: heat/kind: cut/' 'wrong.yaml:15:14: this phase needs its `set`'
later 's/zmin, fix: all/nowhere, fix: all/' "wrong.yaml:14:16: the mesh has no set 'nowhere'"
later 's/name: a, kind/steps: 3, kind/' 'wrong.yaml:15:14: `steps` has no effect in a phase of kind heat'
# a shorter duration: the stage starts anew, as every stage whose case has changed does
"$INGOT" run later.yaml -q -t 1 --out later >stdout 2>stderr || fail "$(cat stderr)"
"$INGOT" run later.yaml -q -t 1 --out later --set 'stages.heat.duration=0.5 s' >stdout 2>stderr || fail "$(cat stderr)"
grep -q 'holds a run of another case (it is at 1 s, this one ends at 0.5 s): starting anew' stderr || fail "$(cat stderr)"
sed -n '/physics: thermal/,/count: 2/s/^    //p' later.yaml >alone.yaml
"$INGOT" run alone.yaml -q -t 1 --out alone --set 'duration=0.2 s' --restart later/heat/checkpoint.h5 >stdout 2>stderr && fail 'a checkpoint beyond the end'
grep -q 'the checkpoint is at 0.5 s, the case ends at 0.2 s: give a longer `duration`, or leave out --restart to start anew' stderr || fail "$(cat stderr)"
# heat of evaporation per mole or in kJ
"$INGOT" check "$SOURCE/cases/powder/track-in718.yaml" --set evaporation=true --set 'materials.evaporation_heat=6300 J/kg' >stdout 2>stderr
grep -q "'materials.evaporation_heat' is 6300 J/kg, usual is 200000 to 1e8 J/kg" stderr || fail "$(cat stderr)"
grep -q -- '-[0-9.]* times' stderr && fail "$(cat stderr)"
# a run that would not end in years
timeout 20 "$INGOT" run "$small/dynamics.yaml" -q -t 1 --out long --set analysis.duration=1e6 >stdout 2>stderr &
for _ in $(seq 100); do
  grep -q 'about 9.*e+12 steps of 1.*e-07 s to the end at 1e+06 s: look at the units' stderr 2>/dev/null && break
  sleep 0.1
done
kill -TERM $! 2>/dev/null
wait $!
grep -q 'about 9.*e+12 steps of 1.*e-07 s to the end at 1e+06 s: look at the units' stderr || fail "$(cat stderr)"
# absurd: refused
"$INGOT" check "$small/dynamics.yaml" --set 'materials.young=1e-308 GPa' >stdout 2>stderr && fail 'a modulus of nothing'
grep -q "'materials\[0\].young' is '1e-308 GPa': expected 1e-60 to 1e15 Pa" stderr || fail "$(cat stderr)"
"$INGOT" check "$small/thermal.yaml" --set 'mesh.boxes[0].cells=[1e5, 1e5, 1e5]' >stdout 2>stderr && fail '1e15 cells'
grep -q '1e+15 cells are more than one mesh can number' stderr || fail "$(cat stderr)"
# load factors of flat elements are too high, on the unsafe side
cat >flat.yaml <<'END'
physics: topopt
volume: 1
grid: {elements: [20, 4, 4], size: [80 mm, 8 mm, 2 mm]}
materials: {name: m, young: 200 GPa, poisson: 0.3}
supports: {set: xmin}
loads: {set: xmax, force: [-100 N, 0, 0], spread: faces}
constraints: [{buckling: 5}]
filter: {kind: density, radius: 3 mm}
iterations: 1
output: {count: 0}
END
"$INGOT" run flat.yaml -b cpu -o flat >stdout 2>stderr || fail "$(cat stderr)"
grep -q 'elements are 8.0 times as long as high: what bends is too stiff' stderr || fail "$(cat stderr)"
sed 's/\[20, 4, 4\], size: \[80 mm, 8 mm, 2 mm\]/[16, 4, 1], size: [32 mm, 8 mm, 2 mm]/' flat.yaml >thin.yaml
sed 's/\[20, 4, 4\], size: \[80 mm, 8 mm, 2 mm\]/[16, 4, 4], size: [32 mm, 8 mm, 8 mm]/' flat.yaml >cubes.yaml
sed 's/^grid: {elements: \(.*\), size: \(.*\)}$/mesh: {boxes: {size: \2, cells: \1}}/' thin.yaml >thin-mesh.yaml
sed 's/^grid: {elements: \(.*\), size: \(.*\)}$/mesh: {boxes: {size: \2, cells: \1}}/' cubes.yaml >cubes-mesh.yaml
for run in thin cubes thin-mesh cubes-mesh; do
  "$INGOT" check $run.yaml -b cpu >stdout 2>stderr || fail "$(cat stderr)"
  case $run in thin*) grep -q 'about 3[89] % too high' stderr ;; *) ! grep -q 'too stiff' stderr ;; esac || fail "$run: $(cat stderr)"
done
# Euler's load of a column one element thick, of cubes: 38 % too high where elements have no incompatible modes
for way in full auto; do
  cat >column.yaml <<END
physics: structure
mesh: {boxes: {size: [32 mm, 8 mm, 2 mm], cells: [16, 4, 1]}}
materials: {name: m, young: 200 GPa, poisson: 0}
sections: {integration: $way}
supports: {set: xmin, fix: all}
loads: {set: xmax, pressure: 1 MPa}
analysis: {kind: buckling}
output: {count: 0}
END
  "$INGOT" run column.yaml -b cpu -o column-$way >stdout 2>stderr || fail "$(cat stderr)"
  sed -n 's/^ *"mode_1": *\([0-9.e+]*\),*$/\1/p' column-$way/summary.json | head -n 1 >factor
  case $way in
  full) grep -q 'load factors are about 3[89] % too high' stderr && awk '{ exit !($1 / 160.6 > 1.3) }' factor ;;
  auto) ! grep -q 'too high' stderr && awk '{ exit !(($1 / 160.6 - 1)^2 < 1e-4) }' factor ;;
  esac || fail "column, $way: $(cat factor stderr)"
done
# loads that supports take have no factor; more modes than there are
cat >held.yaml <<END
physics: structure
mesh: {boxes: {size: [1 m, 0.1 m, 0.1 m], cells: [1, 1, 1]}}
materials: {name: m, young: 1 GPa, poisson: 0}
supports: {set: xmin, fix: all}
loads: {set: xmin, total: [-1 N, 0, 0]}
analysis: {kind: buckling, modes: 30}
output: {count: 0}
END
"$INGOT" run held.yaml -b cpu -o held >stdout 2>stderr && fail "a load that causes no stress has factors"
grep -q 'no stress that changes the stiffness' stderr || fail "no stress: $(cat stderr)"
sed 's/loads: {set: xmin/loads: {set: xmax/' held.yaml >few.yaml
"$INGOT" run few.yaml -b cpu -o few >stdout 2>stderr || fail "$(cat stderr)"
grep -q '30 are asked for, but 12 unknowns have 12' stderr || fail "more modes than unknowns: $(cat stderr)"
exit $bad
