#!/bin/bash
# Every shipped material runs in every room that it is complete for. Rooms that compute at one temperature take the values of
# the tables in `mechanical` at 293.15 K. Keys beside `file` keep the rest of the file.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0
fail() { echo "FAIL: $*"; bad=1; }
figure() { awk -v key="\"$2\":" '$1 == key { gsub(",", "", $2); print $2; exit }' "$1/summary.json"; }
near() { awk -v a="${1:-nan}" -v b="$2" -v t="$3" 'BEGIN { d = a - b; exit !(d < t && -d < t) }'; }

cube='mesh: {boxes: {name: bar, size: [1 mm, 1 mm, 1 mm], cells: [1, 1, 1]}}'
cat >thermal.yaml <<END
physics: thermal
$cube
duration: 1 ms
boundary: {set: zmax, flux: 1e6}
output: {count: 0}
END
cat >powder.yaml <<'END'
physics: powder
plate_temperature: 300 K
beam: {radius: 40 um}
grid: {cell: 40 um, window: [0.56 mm, 0.48 mm, 0.16 mm], margin: 0.3 mm, plate: 0.24 mm}
hatch: {parts: {min: [0, 0, 0], max: [0.2 mm, 0.1 mm, 40 um]}, layer_height: 40 um, spacing: 0.1 mm, power: 100 W, speed: 1 m/s, recoating: 1 ms}
output: {count: 0}
END
cat >stress.yaml <<END
physics: stress
$cube
temperature: 300 K
supports: [{set: xmin, fix: x}, {set: xmax, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]
phases: {name: heat, temperature: [[0 s, 300 K], [1 s, 811 K]], steps: 1}
probes: {name: s, set: bar, quantity: sxx}
output: {count: 0}
END
cat >topopt.yaml <<'END'
physics: topopt
grid: {elements: [6, 4, 0], size: [6 mm, 4 mm, 0]}
volume: 0.5
supports: {set: xmin}
loads: {set: xmax, force: [0, -1 N, 0]}
iterations: 2
output: {count: 0}
END
# one element pulled by 100 MPa, below the yield stress of all four: 1e5 / E longer
cat >dynamics.yaml <<END
physics: dynamics
$cube
supports: [{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]
loads: {set: xmax, total: [100 N, 0, 0]}
analysis: {kind: static, at_time: 1, tolerance: 1e-6}
probes: {name: u, set: xmax, quantity: ux}
output: {count: 0}
END
cat >fracture.yaml <<'END'
physics: fracture
mesh: {element: tet4, boxes: {size: [1 mm, 1 mm, 1 mm], cells: [2, 2, 2]}}
initial: {strain: [0, 0, 0.001, 0, 0, 0]}
duration: 20 ns
output: {count: 0}
END
cat >structure.yaml <<END
physics: structure
$cube
supports: [{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]
loads: {set: xmax, pressure: 1 MPa}
analysis: {kind: static}
output: {count: 0}
END
# each material in each room that `ingot materials` says it is complete for, and refused elsewhere
for file in "$SOURCE"/materials/*.yaml; do
  name=$(basename "$file" .yaml)
  rooms=$("$INGOT" materials "$name" | sed -n 's/.*enough for: //p')
  for room in thermal powder stress topopt dynamics structure fracture; do
    { cat $room.yaml; echo "materials: {file: $file}"; } >case.yaml
    "$INGOT" run case.yaml -q -t 1 --out "$name-$room" 2>said
    code=$?
    case " $rooms " in
    *" $room "*)
      [ $code = 0 ] || fail "$name in $room: $(cat said)"
      # the copy of the case beside the results, with the values of the file in it, is a case again
      [ $room != topopt ] || "$INGOT" check "$name-$room/case.yaml" >/dev/null 2>said || fail "case.yaml of $name: $(cat said)"
      ;;
    *)
      [ $code = 2 ] && [ "$(wc -l <said)" = 1 ] || fail "$name is not complete for $room: exit $code: $(cat said)"
      grep -q "material '$name' lacks '[a-z_]*', which .*$room needs: .*" said || fail "$name in $room, what is missing: $(cat said)"
      ;;
    esac
  done
done
# what a file leaves out it says, with the reason; numbers that cannot be are found
"$INGOT" materials >list || fail "the list of materials"
! grep "to be given in the case" list || fail "a material lacks values and its file does not say why"
[ "$(grep -c "enough for: thermal powder topopt dynamics structure stress fracture" list)" -ge 12 ] || fail "fewer than twelve materials are complete"
grep -q "Not for powder: silicon carbide does not melt" list || fail "why silicon carbide is not for powder: $(grep -A4 silicon-carbide list)"
grep -q "grains: growth: {law: in718}" list || fail "what grains takes is not said"
# the name of a shipped file leads to what it says; metal that cannot melt is said in powder
{ cat fracture.yaml; echo "materials: {file: copper-OFHC}"; } >case.yaml
"$INGOT" check case.yaml 2>&1 | grep -q "give it beside .file. ('ingot materials copper-OFHC' has what is known)" || fail "fracture of copper: no remedy"
{ cat powder.yaml; echo "materials: {file: silicon-carbide, absorptivity: 0.6}"; } >case.yaml
"$INGOT" check case.yaml 2>&1 | grep -q "warning: case.yaml:7.*'silicon-carbide' has no .solidus.: nothing melts" || fail "powder of what does not melt: no word"
mkdir own
printf '# own: a test.\n# Sources: none.\nname: own\nyoung: 1 GPa\npoisson: 0.3\n' >own/own.yaml
INGOT_MATERIALS=own "$INGOT" materials >list
grep -q "to be given in the case for thermal: density conductivity specific_heat; powder:" list || fail "what a material lacks: $(cat list)"
if command -v python3 >/dev/null; then
  python3 "$SOURCE/tests/cli/materials_check.py" "$SOURCE/materials" >said || fail "$(cat said)"
fi
# a material for impact has values without rates of strain: A + H e beyond yield in structure
sed 's/pressure: 1 MPa/pressure: -900 MPa/' structure.yaml >case.yaml
echo "materials: {file: $SOURCE/materials/AISI4340.yaml}" >>case.yaml
"$INGOT" run case.yaml -q -t 1 --out impact 2>said || fail "a Johnson-Cook material in structure: $(cat said)"
# strains 900 / 200e3 + (900 - 792) / 2800 along, 0.32 and half of the two across
near "$(figure impact displacement_max)" 5.2099e-5 1e-9 || fail "Johnson-Cook steel beyond yield: $(figure impact displacement_max) m"
sed -i 's/^materials:.*/materials: {name: m, young: 200 GPa, poisson: 0.3, density: 7800, yield: 1 GPa, johnson_cook: {b: 1 MPa}}/' case.yaml
"$INGOT" run case.yaml -q -t 1 --force --out impact 2>said && fail "a Johnson-Cook law alone runs in structure"
for pair in IN625:2.075e11 IN718:1.563e11 SS316L:1.956e11 Ti-6Al-4V:1.25e11 S355:2.1e11 alumina:4.16e11; do # at 293.15 K or the first row; strains of 1e-3 change E by as much
  u=$(figure "${pair%:*}-dynamics" u) || u=nan
  awk -v u="$u" -v e="${pair#*:}" 'BEGIN { r = u * e / 1e5; exit !(r > 0.998 && r < 1.002) }' || fail "${pair%:*}: $u m"
done

# keys beside `file` keep the others of their section; the same by --set, and from a folder above
stress_of() { # words of the material, options of the run
  { cat stress.yaml; echo "materials: {name: m, file: $1}"; } >case.yaml
  shift
  "$INGOT" run case.yaml -q -t 1 --force --out merged "$@" 2>said || fail "$(cat said)"
  figure merged s
}
ti=$SOURCE/materials/Ti-6Al-4V.yaml ss=$SOURCE/materials/SS316L.yaml
whole=$(stress_of "$ti")
near "$whole" -4.235e8 1e6 || fail "a bar of titanium between walls: $whole"
one=$(stress_of "$ti, mechanical: {expansion_mean: 1.12e-5, expansion_reference: 300 K}")
near "$one" "$whole" 1 || fail "the file's expansion at 811 K given by the case: $one"
given=$(stress_of "$ti" --set 'materials.mechanical.expansion_mean=1.12e-5')
near "$given" "$whole" 1 || fail "the same by --set: $given"
# steel, 430 MPa instead of the file's table; its tangent modulus 2.4 GPa is the file's
one=$(stress_of "$ss, mechanical: {yield: 430 MPa}")
near "$one" -4.456e8 1e6 || fail "one yield stress instead of a table: $one"
# a single value of the case stands instead of the file's table, as one in `mechanical` does
top=$(stress_of "$ss, yield: 430 MPa")
[ "$top" = "$one" ] || fail "yield beside file: $top, in mechanical: $one"
grep -q "case.yaml:8:.*'yield' holds at every temperature and replaces the table of" said || fail "no warning of a table replaced: $(cat said)"
# a support of a quarter of its volume: a quarter of the stress of the metal between walls, plastic too; four times as warm
# by a flux; a share that is given twice, or not at all, is refused
one=$(stress_of "$ss, homogenised: {share: 0.25}")
all=$(stress_of "$ss")
awk -v a="$one" -v b="$all" 'BEGIN { r = a / b; exit !(r > 0.249999 && r < 0.250001) }' || fail "a support of a quarter: $one Pa, the metal $all Pa"
for share in 1 0.25; do
  { cat thermal.yaml; echo "materials: {file: $ss, homogenised: {share: $share}}"; } >case.yaml
  "$INGOT" run case.yaml -q -t 1 --force --out "warm-$share" 2>said || fail "a homogenised support in thermal: $(cat said)"
done
awk -v a="$(figure warm-0.25 T_max)" -v b="$(figure warm-1 T_max)" 'BEGIN { r = (a - 300) / (b - 300); exit !(r > 3.9 && r < 4.1) }' || fail "a support of a quarter: $(figure warm-0.25 T_max) K, the metal $(figure warm-1 T_max) K"
for wrong in '' 'wall: 0.1 mm' 'share: 0.1, wall: 0.1 mm, spacing: 1 mm' 'wall: 2 mm, spacing: 1 mm'; do
  { cat stress.yaml; echo "materials: {file: $ss, homogenised: {perforation: 0.1, $wrong}}"; } >case.yaml
  "$INGOT" run case.yaml -q -t 1 --out wrong 2>said
  [ $? = 2 ] && grep -q "case.yaml:8:" said && [ ! -e wrong ] || fail "homogenised: {$wrong} is not refused: $(cat said)"
done
# one of several ways to give the same thing replaces the way of the file
one=$(stress_of "$ti, mechanical: {expansion: 0}")
near "$one" 0 1 || fail "no expansion: $one"
one=$(stress_of "$ss, mechanical: {yield: 430 MPa, hardening: 0}")
near "$one" -4.3e8 1e3 || fail "no hardening: $one"
exit $bad
