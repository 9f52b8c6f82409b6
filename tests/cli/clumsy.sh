# Mistakes a newcomer makes, room by room: one error line that says where and what to do, exit code 2,
# no folder left behind; and what is valid but silly is told.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
checked=0 failed=0

cat >thermal.yaml <<'END'
physics: thermal
mesh: {boxes: {size: [8 mm, 4 mm, 4 mm], cells: [8, 4, 4]}}
materials: {name: steel, density: 7850 kg/m3, conductivity: 45 W/(m K), specific_heat: 500 J/(kg K)}
boundary:
  - {set: xmin, temperature: 500 K}
duration: 0.1 s
END
cat >dynamics.yaml <<'END'
physics: dynamics
mesh: {boxes: {size: [8 mm, 2 mm, 2 mm], cells: [8, 2, 2]}}
materials: {name: steel, density: 7850 kg/m3, young: 210 GPa, poisson: 0.3}
supports: {set: xmin, fix: xyz}
loads: {set: xmax, force: [0, 0, -1 N]}
analysis: {duration: 2 us}
END
cat >fracture.yaml <<'END'
physics: fracture
mesh: {element: tri6, triangle_pattern: crossed, boxes: {size: [16 mm, 4 mm], cells: [16, 4]}}
materials: {name: PMMA, density: 1190 kg/m^3, young: 3.24 GPa, poisson: 0.35, fracture_energy: 352 J/m^2, cohesive_strength: 324 MPa}
initial: {strain: [0, 0.015, 0]}
supports: {set: ymin, fix: all}
duration: 0.5 us
END
cat >topopt.yaml <<'END'
physics: topopt
grid: {elements: [16, 8, 8]}
volume: 0.3
supports: {box: {max: [0, 8, 8]}}
loads: {box: {min: [16, 0, 0], max: [16, 8, 0]}, force: [0, 0, -1]}
iterations: 2
END

cat >stress.yaml <<'END'
physics: stress
mesh: {boxes: {name: block, size: [4 mm, 4 mm, 2 mm], cells: [2, 2, 2]}}
materials: {name: steel, young: 210 GPa, poisson: 0.3, mechanical: {expansion: 1e-5}}
supports: {set: zmin, fix: all}
phases:
  - {name: warm, temperature: 400 K}
END
cat >powder.yaml <<'END'
physics: powder
materials: {name: steel, density: 7800, specific_heat: 500, conductivity: 20, powder_conductivity: 0.3, solidus: 1600 K, liquidus: 1700 K, absorptivity: 0.4}
beam: {radius: 50 um}
grid: {cell: 20 um, plate: 0.16 mm, margin: 0.1 mm}
hatch: {parts: {min: [0, 0, 0], max: [0.3 mm, 0.1 mm, 0.04 mm]}, layer_height: 40 um, spacing: 0.1 mm, power: 100 W, speed: 1 m/s}
END

judge() { # what, words expected on standard error, exit code expected
  checked=$((checked + 1))
  local problem=
  [ "$code" = "$3" ] || problem="exit $code, expected $3"
  [ "$(grep -c '^ingot: error: ' stderr)" = $(($3 != 0)) ] || problem="$problem; not one error line"
  grep -qF -- "$2" stderr || problem="$problem; lacks '$2'"
  [ "$3" = 0 ] || [ ! -e out ] || problem="$problem; left a folder behind"
  rm -rf out
  [ -z "$problem" ] && return
  failed=$((failed + 1))
  echo "--- $1: ${problem#; }"
  head -c 1000 stderr
}
# ROOM, change to its case (sed), words expected
no() {
  sed "$2" "$1.yaml" >case.yaml
  cmp -s "$1.yaml" case.yaml && { failed=$((failed + 1)); echo "--- $1: '$2' changes nothing"; }
  timeout 60 "$INGOT" run case.yaml --backend cpu --threads 1 --out out >stdout 2>stderr
  code=$?
  judge "$1: $2" "$3" 2
  grep -q '^ingot: error: case.yaml:[0-9]*:[0-9]*: ' stderr || { failed=$((failed + 1)); echo "--- $1: $2: does not say where"; head -c 500 stderr; }
  # what `run` refuses `check` refuses, in the same words
  grep '^ingot: error: ' stderr >refused
  timeout 60 "$INGOT" check case.yaml --backend cpu --threads 1 >stdout 2>stderr
  code=$?
  checked=$((checked + 1))
  [ $code = 2 ] && grep '^ingot: error: ' stderr | cmp -s refused - && return
  failed=$((failed + 1))
  echo "--- $1: $2: check gives exit $code and other words than run"
  head -c 500 stderr
}
# the same for what runs, with a warning
told() {
  sed "$2" "$1.yaml" >case.yaml
  timeout 60 "$INGOT" run case.yaml --backend cpu --threads 1 --out out >stdout 2>stderr
  code=$?
  judge "$1: $2" "$3" 0
}

for room in thermal dynamics fracture topopt stress powder; do
  told $room '' "$room" # as it stands it is good
  no $room 's/^physics: .*/&\ncolour: red/' "unknown key 'colour'"
done

# names that were, or that other programs have
no thermal 's/set: xmin/on: xmin/' "unknown key 'on'"
no thermal 's/^mesh: {/mesh: {tag: {name: hot, box: {max: [1, 1, 1]}}, /' "unknown key 'tag'"
no thermal 's/name: steel/name: steel, tags: all/' "unknown key 'tags'"
no dynamics 's/^supports/constraints/' "unknown key 'constraints'"
no fracture 's/^supports/motions/' "unknown key 'motions'"
no fracture 's/^duration: .*/time: {end: 1 us}/' "unknown key 'time'"
no topopt 's/supports: {box: {max: .*/supports: {where: {from: [0, 0, 0], to: [0, 8, 8]}}/' "unknown key 'where'"

# sets
no thermal 's/set: xmin/set: xmni/' "did you mean 'xmin'?"
no dynamics 's/set: xmin/set: xmni/' "did you mean 'xmin'?"
no dynamics 's/set: xmax/set: tip/' "tip"
no fracture 's/set: ymin/set: ymni/' "did you mean 'ymin'?"
no thermal 's/^mesh: {/mesh: {sets: {name: hot, box: {min: [1, 1, 1], max: [2, 2, 2]}, of: nodes}, /' "empty"
no thermal 's/^mesh: {/mesh: {remove: {box: {min: [-1, -1, -1]}}, /' "nothing is left"
no topopt 's/min: \[16, 0, 0\], max: \[16, 8, 0\]/min: [99, 0, 0]/' "no node"

# meshes that a room does not take
no dynamics 's/^mesh: {/mesh: {element: tri6, /' "tri6"
no thermal 's/^mesh: {/conduction: stencil\nmesh: {element: tet4, /' "needs hexahedra"
no thermal 's/^mesh: .*/mesh: {boxes: {size: [1, 1], cells: [2, 2]}, element: quad4}/' "quad4"
no fracture 's/element: tri6, triangle_pattern: crossed/element: quad4/' "quad4"
no thermal 's/^mesh: .*/mesh: {file: nope.msh}/' "nope.msh"
no thermal 's/^mesh: .*//' "missing key 'mesh'"

# materials
no thermal 's/, specific_heat: [^}]*//' "specific_heat"
no dynamics 's/, young: [^,]*//' "young"
no fracture 's/, fracture_energy: [^,]*//' "fracture_energy"
no dynamics 's/poisson: 0.3/poisson: 0.5/' "poisson"
no thermal 's/name: steel.*/name: steel, file: nope.yaml}/' "nope.yaml"

# numbers
no thermal 's/duration: .*/duration: 1 kg/' "expected a time"
no thermal 's/duration: .*/duration: 0,1 s/' "expected a time"
no thermal 's/duration: .*/duration: .nan/' "expected a time"
no thermal 's/duration: .*/duration: -1 s/' "more than 0"
no thermal 's/500 K}/500 C}/' "degC"
no thermal 's/8, 4, 4/-8, 4, 4/' "expected 1 to"
no thermal 's/8, 4, 4/100000, 100000, 100000/' "more than one mesh can number"
no topopt 's/volume: 0.3/volume: 1.5/' "at most 1"

# steps beyond what is stable, bodies that nothing moves
no thermal 's/^duration/time_step: 1 s\n&/' "critical"
no fracture 's/^duration/time_step: 1 us\n&/' "critical"
no topopt 's/^supports: .*//' "support"
no topopt 's/force: \[0, 0, -1\]/force: [0, 0, 0]/' "nothing acts"
no dynamics 's/duration: 2 us/duration: 2 us, time_step: 1 ms/' "critical"
told thermal 's/^boundary:.*//; s/^  - .*//' "nothing"
told thermal 's/cells: \[8, 4, 4\]}/&, sets: {name: late, of: elements, box: {min: [4 mm, 0, 0], max: [1, 1, 1]}}/; s/conductivity: 45/conductivity: 0.001/; s/^duration.*/duration: 2 s\nbirth: {by: list, timing: step, list: {set: late, time: 1 s}}/' "due within the last step"
told dynamics 's/^loads: .*//' "nothing"
told fracture 's/^initial: .*//' "nothing"

# found by the room once the mesh is there
no dynamics 's/analysis: {duration: 2 us}/analysis: {kind: dynamic}/' "duration"
no dynamics 's/^analysis/probes: {name: tip, set: tpi, quantity: ux}\n&/' "tpi"
no dynamics 's/^analysis/probes: {name: tip, quantity: ux}\n&/' "probe"
no thermal 's/^duration/probes: {name: far, point: [1 m, 1 m, 1 m]}\n&/' "probe"
no fracture 's/^duration/cracks: {from: [1 m, 0], to: [2 m, 0]}\n&/' "crack"

# what would do nothing is not passed over
beam='s/^mesh: .*/mesh: {beam_line: {x: [0, 1 m], cells: 4}}/; s/xmin/start/; s/xmax/end/'
plate='s/^mesh: .*/mesh: {plate: {size: [1, 1], cells: [2, 2]}, shell: true}\nsections: {thickness: 1 cm}/'
no dynamics 's/, fix: xyz//' "holds nothing"
no dynamics 's/fix: xyz/fix: xyz, spin: [1, 0, 0]/' "\`spin\` leads nodes of beams"
no dynamics 's/fix: xyz/fix: xyz, history: [[0, 0], [1, 1]]/' "without a motion"
told dynamics 's/^supports: .*/supports: [{set: xmin, fix: xyz}, {set: xmin, components: x, velocity: [1, 0, 0]}]/' "led along x by another support"
no dynamics 's/, force: .*/}/' "pushes nothing"
no dynamics 's/force: .*/pressure: 1 MPa, total: [0, 0, 1 N]}/' "either \`pressure\` or forces"
no dynamics 's/force: .*/moment: [0, 1 N m, 0]}/' "does not turn"
no dynamics "$plate; s/force: .*/pressure: 1 MPa}/" "'xmax' is a set of edges of shells"
no dynamics 's/^analysis/tools: {point: [0, 0, -1], displacement: [0, 0, 1 mm]}\n&/' "without a \`history\` moves nothing"
no dynamics 's/^analysis/tools: {point: [0, 0, -1], velocity: [0, 0, 1], history: [[0, 0], [1, 1]]}\n&/' "that of its \`displacement\`"
no dynamics "$beam; s/^analysis/sections: {radius: 1 cm, wall: 1 mm}\n&/" "\`wall\` is no size of a section with \`profile: circle\`"
no dynamics "$beam; s/^analysis/sections: {radius: 1 cm, iy: 1 cm^4}\n&/" "\`iy\` is no size"
no dynamics "$beam; s/^analysis/sections: {radius: 1 cm, area: 1 cm^2, iy: 1 cm^4}\n&/" "with \`area\`"
no dynamics "$beam; s/^analysis/sections: {area: 1 cm^2}\n&/" "needs \`iy\`"
no dynamics "$plate; s/sections: {[^}]*}/sections: [{thickness: 1 cm}, {thickness: 2 cm}]/" "one alone takes all"
no dynamics 's/^materials: \(.*\)/materials: [\1, \1]/; s/name: steel/name: iron/' "one alone takes all"
no dynamics 's/poisson: 0.3/&, yield: 1 MPa, tangent: 1 GPa, hardening: 1 GPa/' "take one"
no dynamics 's/poisson: 0.3/&, yield: 1 MPa, hardening_curve: [[0, 2 MPa], [1, 3 MPa]]/' "stands instead of"
no dynamics 's/poisson: 0.3/&, hardening: 1 GPa/' "has no \`yield\`"
no dynamics 's/duration/kind: static, &/' "a static analysis has no \`duration\`"
# given, and of no effect: said, not passed over
scan='raster: {power: 10 W, speed: 10 mm\/s, spacing: 2 mm, layer_height: 4 mm, regions: {min: [2 mm, 1 mm], max: [6 mm, 3 mm]}}}'
no thermal "s/^duration/beams: {radius: 1 mm, absorptivity: 0.5, depth: 1 mm, $scan\n&/" "has no \`depth\`"
no thermal "s/^duration/beams: {model: gaussian, radius: 1 mm, absorptivity: 0.5, rear: 2 mm, $scan\n&/" "are for model: goldak"
no thermal "s/^duration/beams: {model: cylinder, radius: 1 mm, absorptivity: 0.5, reach: 2 mm, $scan\n&/" "is for model: surface"
no thermal 's/^  - {set.*/&\n  - {set: xmin, temperature: 400 K}/' "is held at a temperature already"
no thermal 's/temperature: 500 K/&, ambient: 600 K/' "no exchange with it"
told thermal 's/name: steel/&, emissivity: 0.4/' "nothing radiates"
no thermal 's/^materials: \(.*\)/materials: [\1, {name: tin, density: 7300, conductivity: 60, specific_heat: 230}]/' "one alone takes all"
no thermal 's/^duration/probes: [{name: a, point: [0, 0, 0]}, {name: a, point: [1 mm, 0, 0]}]\n&/' "a second probe is named 'a'"
no thermal 's/^mesh: {/mesh: {rotate: [0, 0, 90 deg], /' "is for a part from \`stl\`"
for key in 'height: 1 mm' 'stress_free_temperature: 900 K'; do
  no stress "s/temperature: 400 K/&, $key/" "are for phases of kind build"
done
no stress 's/temperature: 400 K/&, new_nodes: surface/' "is for phases of kind build and heat"
no stress 's/temperature: 400 K/&, newborn: drawn/' "it is called 'new_nodes' now"
no stress 's/temperature: 400 K/&, direction: z/' "are for phases of kind cut"
no stress 's/^  - .*/&\n&/' "two phases have the name 'warm'"
no stress 's/poisson: 0.3/&, hardening: 1 GPa/' "has no yield stress"
no stress 's/^phases/probes: {name: top, set: zmax, point: [0, 0, 0]}\n&/' "not both"
no stress 's/^phases/probes: {name: top, point: [4, 4, 2]}\n&/' "is the unit right?"
told stress 's/size: .*}/size: [40 mm, 4 mm, 2 mm], cells: [10, 2, 4]}}\nelement: bbar/' "2.54 times too stiff in bending"
told stress 's/^phases/inherent: {strain: [-0.001, -0.001, 0]}\n&/' "\`inherent\` has no effect: the case has no phase with \`kind: build\`"
no powder 's/^beam/layer_height: 60 um\n&/' "hatch has its own"
told powder 's/ powder_conductivity: 0.3,//' "conducts as the solid"
told powder 's/ solidus: 1600 K, liquidus: 1700 K,//' "never melts"
no dynamics 's/^analysis/probes: {name: u, set: all, quantity: axial}\n&/' "is a beam"
no dynamics 's/^analysis/probes: {name: u, set: all, quantity: mxx}\n&/' "is a shell"
no dynamics 's/^mesh: {/&unit: 1 mm, /' "unit applies to a mesh from a file, not to boxes"
no thermal 's/^mesh: {/&edge: 1 mm, /' "edge applies to a mesh from a file, not to boxes"

# the command line
run() { # words expected, exit code expected, arguments…
  local words=$1 expected=$2
  shift 2
  timeout 60 "$INGOT" "$@" >stdout 2>stderr
  code=$?
  judge "ingot $*" "$words" "$expected"
}
run "is a file" 2 run thermal.yaml --out topopt.yaml
mkdir full && echo mine >full/thesis.txt
run "thesis.txt" 2 run thermal.yaml --out full
run "expected KEY=VALUE" 2 run thermal.yaml --set duration --out out
run "did you mean 'duration'" 2 run thermal.yaml --set duraton=1 --out out
run "did you mean '--out'" 2 run thermal.yaml --ouput out
run "expected auto" 2 run thermal.yaml --backend gpu --out out
run "has no stages" 2 run thermal.yaml --stage print --out out
run "no snapshot in this folder" 2 view full
run "there is no stage 'prnt'" 2 run "$SOURCE/cases/chain/bracket.yaml" --stage prnt --out out
run "run 'design' first" 2 run "$SOURCE/cases/chain/bracket.yaml" --stage shape --out out

# Where OpenMP is told to keep its threads in their places, as on many clusters, there are as many as without.
threads() { "$INGOT" devices | sed -n 's/^cpu .*, \([0-9]*\) thread.*/\1/p'; }
checked=$((checked + 1))
plain=$(threads) bound=$(OMP_PROC_BIND=close threads)
[ -n "$plain" ] && [ "$plain" = "$bound" ] || { echo "$plain threads, but $bound with OMP_PROC_BIND=close"; failed=$((failed + 1)); }

echo "$checked mistakes, $failed not met as they should be"
[ "$failed" = 0 ]
