#!/bin/bash
# First contact: cases that `ingot new` writes run as they are and say nothing on standard error; every
# material is offered where it is complete; help on rooms and keys.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0
fail() { echo "FAIL: $*"; bad=1; }
figure() { awk -v key="\"$2\":" '$1 == key { gsub(",", "", $2); print $2; exit }' "$1/summary.json"; }
# command that must fail with code 2 and these words
refused() {
  local words=$1
  shift
  "$@" >stdout 2>stderr </dev/null
  local code=$?
  [ $code = 2 ] || fail "$*: exit $code"
  grep -qF -- "$words" stderr || fail "$*: not '$words': $(cat stderr)"
}

kinds=$("$INGOT" new --list | awk '{ print $1 }')
for room in thermal powder grains stress topopt fracture dynamics structure; do
  "$INGOT" new --list | awk -v r=$room '$2 == r { found = 1 } END { exit !found }' || fail "no kind of $room"
done
[ "$(echo "$kinds" | wc -l)" -ge 8 ] || fail "kinds: $kinds"
for kind in $kinds; do
  "$INGOT" new "$kind" -q </dev/null || fail "new $kind"
  "$INGOT" run "$kind.yaml" -q -t 1 --out "$kind-out" >/dev/null 2>said || fail "$kind: $(cat said)"
  [ -s said ] && fail "$kind says: $(cat said)"
  "$INGOT" new "$kind" -o odd.yaml --force -q --size 33x7.3x5.1mm </dev/null || fail "new $kind of another size"
  [ "$kind" = powder ] || [ "$kind" = grains ] || "$INGOT" check odd.yaml >/dev/null 2>said || fail "$kind, 33x7.3x5.1mm: $(cat said)"
  room=$("$INGOT" new --list | awk -v k="$kind" '$1 == k { print $2 }')
  cmp -s <("$INGOT" new "$kind" -o - </dev/null | sed "s/$kind/KIND/g") <("$INGOT" new "$room" -o - </dev/null | sed "s/$kind/KIND/g") ||
    [ "$kind" = impact ] || fail "$room is not another name of $kind"
done
# F L^3 / (3 E I) and the shear's part, 1.2 F L / (G A)
awk -v u="$(figure statics-out tip)" 'BEGIN { w = -100 * 1e-3 / (3 * 210e9 * 1e-8 / 12) - 1.2 * 100 * 0.1 / (210e9 / 2.6 * 1e-4); exit !(u / w > 0.985 && u / w < 1.01) }' ||
  fail "statics: tip $(figure statics-out tip)"
# of a plate clamped at one end: 1.875^2 / (2 pi L^2) sqrt(E I / (rho A)), 3 % stiffer for its width
awk -v f="$(figure vibration-out mode_1)" 'BEGIN { w = 3.516 / (2 * 3.14159265 * 0.01) * sqrt(70e9 * 9e-6 / 12 / 2700); exit !(f / w > 0.99 && f / w < 1.05) }' ||
  fail "vibration: $(figure vibration-out mode_1)"
# what is solved shows how far it is: load and residual
"$INGOT" run statics.yaml -t 1 --out relaxed --set mesh.element=hex8 --set analysis.method=relaxation 2>said >/dev/null || fail "relaxation: $(cat said)"
grep -q 'relaxation step [0-9]*, load factor [0-9.]*, residual [0-9.e-]*' said || fail "relaxation shows no residual: $(cat said)"
"$INGOT" run statics.yaml -t 1 --out newton 2>said >/dev/null || fail "newton: $(cat said)"
grep -q 'load factor [0-9.]*, residual' said || fail "statics show no residual: $(cat said)"
"$INGOT" run distortion.yaml -t 1 --out grown 2>said >/dev/null || fail "distortion: $(cat said)"
grep -q 'layer 1 of 4, [0-9]* iterations, residual' said || fail "stress shows no residual: $(cat said)"
# sizes: grids that match, whole cells, a path that ends in time, a notch between elements
sized() {
  "$INGOT" new "$1" -o sized.yaml --force -q --size "$2" </dev/null || fail "new $1 --size $2"
  "$INGOT" check sized.yaml >/dev/null 2>said || fail "new $1 --size $2: $(cat said)"
  grep -q 'case ends' said && fail "new $1 --size $2: $(cat said)"
}
for size in 5mm 8mm 20mm 50mm 100mm 120mm 30x20x10mm 1000x1x1mm 100x20x30mm 1x1x1000mm; do sized print $size; done
for size in 10um 20x10x5um 40x15x10um 17x11x7um 33x7.3x5.1um 1x0.1x0.02mm; do sized grains $size; done
for size in 30x20x10mm 50x10x10mm 100x20x30mm 10mm 1x1x1mm 50x1x10mm; do sized crack $size; done
grep -q 'size: \[0.06 mm, 0.06 mm, 0.09 mm\]' grains.yaml || fail "grains: $(grep size: grains.yaml)"
# what is pulled breaks: the section at the notch is 70 mm^2
for material in S355 Al6061-T6 IN718; do
  "$INGOT" new crack -m $material -o pulled.yaml --force -q </dev/null
  "$INGOT" run pulled.yaml -q -t 1 --out pulled --set output.count=0 >/dev/null 2>said || fail "crack of $material: $(cat said)"
  awk -v a="$(figure pulled crack_area)" 'BEGIN { exit !(a > 69e-6) }' || fail "crack of $material: area $(figure pulled crack_area)"
done
# one length keeps the proportions
"$INGOT" new statics -o - --size 5cm </dev/null | grep -q 'size: \[50 mm, 5 mm, 5 mm\]' || fail "one length"

refused "did you mean 'crack'" "$INGOT" new crak
refused "which kind of case" "$INGOT" new
refused "it is there; --force replaces it" "$INGOT" new statics
# every material in every kind of case: right as it is, or refused by one sentence with the reason and the materials that work
for kind in $kinds; do
  for material in $("$INGOT" materials --list); do
    "$INGOT" new $kind --material $material -o any.yaml --force -q </dev/null >said 2>&1
    case $? in
    0)
      "$INGOT" check any.yaml >said 2>&1 || fail "new $kind --material $material: $(cat said)"
      grep -q warning said && fail "new $kind --material $material: $(cat said)"
      ;;
    2)
      [ "$(wc -l <said)" = 1 ] && grep -qE "^ingot: error: material '$material' (is not for [a-z]+: .{20,}; complete are|lacks [a-z_]+, which .* or take one of) .*IN718" said ||
        fail "new $kind --material $material: $(cat said)"
      echo "$kind" >>"refused-$material"
      ;;
    *) fail "new $kind --material $material: $(cat said)" ;;
    esac
  done
done
for pair in 'alumina powder grains distortion' 'silicon-carbide powder grains distortion' 'copper-OFHC grains crack' 'IN625 crack' 'S355 grains'; do
  [ "$(sort "refused-${pair%% *}" | xargs)" = "$(echo "${pair#* }" | xargs -n 1 | sort | xargs)" ] || fail "${pair%% *} is refused for $(xargs <"refused-${pair%% *}")"
done
[ ! -e refused-IN718 ] && [ ! -e refused-SS316L ] || fail "IN718 and SS316L are for all: $(cat refused-IN718 refused-SS316L)"
refused "is not for powder: laser powder-bed fusion of alumina is research" "$INGOT" new powder --material alumina -o s.yaml
refused "lacks solidus, which 'distortion' of stress needs (new metal is without stress there)" "$INGOT" new distortion --material alumina -o s.yaml
# what the file says of a room whose value the case gives; dendrites keep up with the front that the case asks for
"$INGOT" new powder --material copper-OFHC -o any.yaml --force </dev/null | grep -q 'not for powder as it is: at 1.07 um' || fail "powder of copper without a word"
grep -q '^  # copper-OFHC is not for powder as it is' any.yaml || fail "powder of copper without a comment"
"$INGOT" new grains --material SS316L -o any.yaml --force -q </dev/null
"$INGOT" run any.yaml -q -t 1 --out grains-316 --set output.count=0 >/dev/null 2>said || fail "grains of SS316L: $(cat said)"
awk -v u="$(figure grains-316 undercooling_mean)" 'BEGIN { exit !(u > 20 && u < 26) }' || fail "grains of SS316L: undercooling $(figure grains-316 undercooling_mean)"
refused "expected LENGTHxWIDTHxHEIGHT" "$INGOT" new statics -o s.yaml --size 10x20
refused "expected LENGTHxWIDTHxHEIGHT" "$INGOT" new statics -o s.yaml --size 10parsec
refused "there is no material 'Unobtainium'" "$INGOT" new statics -o s.yaml --material Unobtainium
refused "complete are IN625, IN718, SS316L" "$INGOT" new grains -o s.yaml --material S355
refused "annealed copper necks instead of cracking; no plane-strain toughness is published; complete are 15-5PH, AISI304" "$INGOT" new crack -o s.yaml --material copper-OFHC
[ -e s.yaml ] && fail "a refused case was written"

# materials: twelve alloys and two ceramics at least, each with what it is, sources and rooms
names=$("$INGOT" materials --list)
[ "$(echo "$names" | wc -l)" -ge 14 ] || fail "materials: $names"
for name in $names; do
  "$INGOT" materials "$name" >one 2>&1 || fail "materials $name"
  for line in 'values ' 'enough for: ' 'sources: [A-Z]' "file: .*/$name.yaml"; do
    grep -qi -- "$line" one || fail "materials $name has no '$line'"
  done
done
refused "did you mean 'S355'" "$INGOT" materials S356
sed 's/file: S355/file: S335/' statics.yaml >slip.yaml
refused "no material file 'S335': did you mean 'S355'?" "$INGOT" check slip.yaml
sed '/^materials/d' statics.yaml >slip.yaml
"$INGOT" check slip.yaml 2>&1 | grep -q 'the case gives no material: add `materials`' || fail "a case without material"
mkdir own
cp "$SOURCE/materials/S355.yaml" own/mine.yaml
sed -i 's/^name: S355/name: mine/' own/mine.yaml
[ "$(INGOT_MATERIALS=own "$INGOT" materials --list)" = mine ] || fail 'INGOT_MATERIALS'
printf '# few: a test.\n# Sources: none.\nname: few\nyoung: 1 GPa\npoisson: 0.3\n' >own/few.yaml
INGOT_MATERIALS=own refused "material 'few' lacks density conductivity specific_heat, which 'print' of thermal needs: add" "$INGOT" new print -o s.yaml --material few

# help: rooms and keys
for room in thermal powder topopt fracture dynamics stress structure shape; do
  "$INGOT" help $room | grep -q "^physics: $room" || fail "help $room"
done
"$INGOT" help beams.radius >said 2>&1 || fail "help beams.radius"
grep -q '^beams\[\].radius  (physics: thermal)' said || fail "help beams.radius: $(cat said)"
grep -q 'number in m, required' said || fail "help beams.radius: $(cat said)"
"$INGOT" help 'materials[0].young' | grep -q "Young's modulus" || fail "help materials[0].young"
[ "$("$INGOT" help young | grep -c '^[a-z].*young  ')" -ge 2 ] || fail "help young: not every place"
# a section lists its keys
"$INGOT" help birth | grep -A1 '^      lead$' | grep -q 'elements are born; number in m' || fail "help birth"
"$INGOT" help loads >said 2>&1
for room in topopt fracture dynamics stress structure; do
  grep -q "^loads\[\]  (physics: $room)" said || fail "help loads: not of $room"
done
grep -q '^      load_case$' said || fail "help loads: a key is missing"
# a key of many sections: a line each, with the section; of one room alone, and of a section that is a command's name too
"$INGOT" help set >said 2>&1
grep -A1 '^supports\[\].set  (physics: fracture)' said | grep -q 'node set' || fail "help set"
grep -q '^[0-9]* sections have this key' said || fail "help set: how many"
[ "$("$INGOT" help structure.loads | grep -c '^[a-z].*(physics')" = 1 ] || fail "help structure.loads"
"$INGOT" help materials | grep -q '^materials\[\]  (every case)' || fail "help materials: not the section"
[ "$("$INGOT" help run | grep -c '(physics')" = 0 ] || fail "help run"
refused "did you mean 'duration'" "$INGOT" help duraton
refused "'start' is a key of earlier versions, now called 'start_angle' in annulus" "$INGOT" help start
exit $bad
