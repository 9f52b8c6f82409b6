# A powder bed from a path file is that of the hatch it was written from, bit for bit; several lasers, each with a
# path; what is refused is said.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$1"; exit 1; }
cp "$SOURCE/tests/cli/small/powder.yaml" hatch.yaml
{
  echo "movie: {layer: 2, frames: 3}"
  echo "map: {min: [0, 0, 0], max: [0.4 mm, 0.2 mm, 80 um], format: vti}"
} >>hatch.yaml
"$INGOT" path convert hatch.yaml one.csv >said 2>&1 || fail "the path is not written: $(cat said)"
grep -v hatch hatch.yaml >files.yaml
"$INGOT" run files.yaml -q >said 2>&1 && fail "a bed without lines runs"
grep -q "needs one of hatch and paths" said || fail "no lines: $(cat said)"
echo "paths: {file: one.csv}" >>files.yaml
"$INGOT" run files.yaml -q >said 2>&1 && fail "layers of no height run"
grep -q "need \`layer_height\`" said || fail "no height: $(cat said)"
echo "layer_height: 40 um" >>files.yaml
"$INGOT" run hatch.yaml -q -o hatch -t 1 || exit 1
"$INGOT" run files.yaml -q -o files -t 1 >said 2>&1 || fail "$(cat said)"
grep -q 'no event' said && fail "a case without events: $(cat said)"
[ "$(find hatch -name 'snap_*.vtkhdf' | wc -l)" = 3 ] || fail "the film has other than 3 frames"
"$INGOT" result extremes hatch >said 2>&1 || fail "frames are not read: $(cat said)"
# 20 x 10 x 4 cells of 17 bytes, five sizes of 8, a head and an end
size=$(wc -c <hatch/solidification.vti) head=$(grep -a -b -o 'encoding="raw">_' hatch/solidification.vti | cut -d: -f1)
[ "$size" = $((head + 16 + 800 * 17 + 40 + 27)) ] || fail "an image of $size bytes, its head of $head"
# the bed is cut around the parts there and around the lines here: both are 0.3 mm about it
figures() { sed -n '/"result"/,/}/p' "$1/summary.json" | grep -E 'source|born|T_max|fine_steps|melt_depth'; }
figures hatch >a
figures files >b
[ -s a ] && cmp a b || fail "the same lines from a file give something else"
# a bed cut short, and lines too far apart to melt the part, are said
"$INGOT" check hatch.yaml -s duration=1ms >/dev/null 2>said
grep -qE "ends the case at 0.001 s, before its path: 1 of 2 layers are not spread" said || fail "cut short: $(cat said)"
"$INGOT" run hatch.yaml -q -o apart -t 1 -s 'hatch.spacing=0.2 mm' >said 2>&1
grep -qE 'lack of fusion: in [12] of 2 layers less than 95 %' apart/summary.json || fail "lack of fusion: $(cat said)"
sed 's/speed: 1 m/lasers: 2, speed: 1 m/' hatch.yaml >two.yaml
"$INGOT" run two.yaml -q -o two -t 1 || exit 1
"$INGOT" path convert two.yaml first.csv --beam 1 >/dev/null && "$INGOT" path convert two.yaml second.csv --beam 2 >/dev/null || fail "paths of two lasers"
sed 's/one.csv}/first.csv}, {file: second.csv}]/; s/paths: /paths: [/' files.yaml >both.yaml
"$INGOT" run both.yaml -q -o both -t 1 || exit 1
figures two >a
figures both >b
cmp a b || fail "two lasers from files give something else"
# a line of two speeds: lines.csv has means over its pieces, by time, of those of each speed alone; the ground ahead
# is a little warmer where the beam is slow
cat >keyhole.yaml <<'EOF'
physics: powder
precision: double
initial_temperature: 300 K
materials: {name: IN718, file: IN718}
beam: {radius: 50 um, keyhole: {absorptivity: 0.3}}
grid: {cell: 20 um, ratio: 4, margin: 0.2 mm, plate: 0.4 mm}
paths: {file: line.csv}
layer_height: 40 um
output: {count: 0}
EOF
line() { # ROWS: the columns normalised_enthalpy, source_depth, keyhole_absorptivity
  printf 't,x,y,z,power\n%b' "$1" >line.csv
  "$INGOT" run keyhole.yaml -q -o keyhole -t 1 >said 2>&1 || fail "a line from a file: $(cat said)"
  tail -1 keyhole/lines.csv | cut -d, -f16,17,19 | tr , ' '
}
fast=$(line '0,0,0,4e-5,285\n2e-4,2e-4,0,4e-5,0\n')
slow=$(line '0,0,0,4e-5,285\n4e-4,2e-4,0,4e-5,0\n')
both=$(line '0,0,0,4e-5,285\n2e-4,2e-4,0,4e-5,285\n6e-4,4e-4,0,4e-5,0\n')
echo "$fast $slow $both" | awk '{ for (i = 1; i <= 3; i++) { m = ($i + 2 * $(i + 3)) / 3; if (!(m > 0) || (m / $(i + 6) - 1) ^ 2 > 1e-6) exit 1 } }' ||
  fail "a line of two speeds: $both, each alone: $fast; $slow"
grep -q 'a keyhole brings light' said && fail "a keyhole within its plate: $(cat said)"
"$INGOT" run keyhole.yaml -q -o keyhole -t 1 -s 'grid.plate=80 um' >said 2>&1
grep -q 'keyhole.yaml:6:7: a keyhole brings light .* make grid.plate thicker' said || fail "a keyhole through its plate: $(cat said)"
# events: read back, as text and binary; as many of each cell as it has meltings
grep -v -e movie -e ^map hatch.yaml | sed 's/window: [^]]*\], //; s/recoating: 3 ms/recoating: 30 ms/; s/power: 100 W/power: 250 W/; s/powder_conductivity: 0.5/powder_conductivity: 2/' >events.yaml
echo 'duration: 70 ms' >>events.yaml
for key in map events; do echo "$key: {min: [0, 0, 0], max: [0.4 mm, 0.2 mm, 80 um]}"; done >>events.yaml
"$INGOT" check events.yaml >said 2>&1
grep -q 'events .*20 x 10 x 4 cells of 2e-05 m in 2 layers; about 90 bytes an event, 0.072 MB a layer' said || fail "sizes of events: $(cat said)"
"$INGOT" run events.yaml -q -o text -t 1 >said 2>&1 || fail "events: $(cat said)"
"$INGOT" run events.yaml -q -o binary -t 2 -s events.format=catemp >said 2>&1 || fail "events: $(cat said)"
for layer in 0001 0002; do
  od -A n -v -t f8 -w48 binary/exaca-$layer.catemp >numbers
  tail -n +2 text/exaca-$layer.csv | tr , ' ' | paste -d ' ' - numbers >pairs
  awk 'function off(a, b) { a = a - b; return (a < 0 ? -a : a) > 1e-8 * (b < 0 ? -b : b) }
    { for (i = 1; i <= 6; i++) if (off($i, $(i + 6))) exit bad = 1; if (!($5 > $4 && $4 >= 0 && $6 > 0)) exit bad = 1 }
    END { exit bad || NR < 50 }' pairs || fail "events as text and binary of layer $layer: $(head -3 pairs)"
done
tail -q -n +2 text/exaca-*.csv | cut -d, -f1-3 | sort | uniq -c | awk '{ print $2 "," $1 }' | sort >counts
tail -n +2 text/solidification.csv | awk -F, '$8 > 0 { printf "%.9g,%.9g,%.9g,%d\n", $1, $2, $3, $8 }' | sort >melts
cmp counts melts || fail "events and meltings"
# none where nothing melts: files without a row, with a word
"$INGOT" run events.yaml -q -o none -t 1 -s 'duration=1 ms' -s 'events.min=[0, 0, -60 um]' -s 'events.max=[0.4 mm, 0.2 mm, -40 um]' >said 2>&1 || fail "no events: $(cat said)"
grep -q 'events.yaml:.*: no event: none of the 20 x 10 x 1 cells .* melted in layers 1 to 2 of 2 until 0.001 s: move `min`' said || fail "no events: $(cat said)"
# the room of grains reads all of them, from either file
for kind in text/exaca-%s.csv binary/exaca-%s.catemp; do
  printf 'physics: grains\ngrid: {cell: 20 um}\nsubstrate: {grain_size: 60 um}\ngrowth: {law: in718}\nevents: [{file: '"$kind}, {file: $kind"', start_time: 31 ms}]\n' 0001 0002 >grains.yaml
  "$INGOT" check grains.yaml >said 2>&1 || fail "grains: $(cat said)"
  grep -qE "events +$(awk -F, '{ n += $4 } END { print n }' counts), 0 outside" said || fail "grains: $(cat said)"
done
# what leaves a column as vapour, light at its surface: in powder and in thermal 61.4 % (explicit finite differences with
# half a cell at the surface, cells of 1.25 um); of second order in the cells
printf 'time,x,y,z,power\n0,0,0,20e-6,96\n1e-4,0,0,20e-6,0\n' >stand.csv
boils='materials: [{name: m, density: 7600, specific_heat: 720, conductivity: 30, absorptivity: 1, solidus: 1500, liquidus: 1600, latent_heat: 250e3, boiling: 3000, evaporation_heat: 6e6, molar_mass: 0.056}]
initial_temperature: 300
duration: 0.1 ms
output: {count: 1}'
for ratio in 4 8; do
  printf 'physics: powder\nevaporation: true\n%s\nbeam: {radius: 10 mm}\ngrid: {cell: %d um, ratio: %d, margin: 40 um, plate: 160 um}\nlayer_height: 20 um\npaths: {file: stand.csv}\n' "$boils" $((40 / ratio)) $ratio >column.yaml
  "$INGOT" run column.yaml -q -o column$ratio -t 1 >said 2>&1 || fail "a column of powder: $(cat said)"
done
printf 'physics: thermal\nprecision: double\n%s\nmesh: {boxes: [{size: [10 um, 10 um, 0.2 mm], cells: [1, 1, 20]}]}\nboundary: [{set: zmax, flux: 1.5e10, evaporation: true}]\n' "$boils" >surface.yaml
"$INGOT" run surface.yaml -q -o surface -t 1 >said 2>&1 || fail "a column of thermal: $(cat said)"
vapour() { sed -n 's/.*"evaporated": \([0-9.e+-]*\).*/\1/p' $1/summary.json; }
awk -v a="$(vapour column4)" -v b="$(vapour column8)" -v c="$(vapour surface)" 'function off(x, y) { x = x / y - 1; return x < 0 ? -x : x }
  BEGIN { a /= 9.6e-3; b /= 9.6e-3; c /= 1.5e-4; exit off(c, 0.614) > 0.01 || off(a, 0.614) > 0.01 || off(b, 0.614) > 0.004 }' ||
  fail "vapour of a column: $(vapour column4) $(vapour column8) of 9.6e-3, $(vapour surface) of 1.5e-4 J"
# T_max is that of the surface, as thermal has it, and not that of the topmost cell, which is up to 500 K colder
hottest() { sed -n 's/.*"T_max": \([0-9.e+-]*\),*$/\1/p' $1/summary.json; }
awk -v a="$(hottest column4)" -v b="$(hottest column8)" -v c="$(hottest surface)" 'function off(x, y) { x = x / y - 1; return x < 0 ? -x : x }
  BEGIN { exit !(c > 4000) || off(a, c) > 2e-3 || off(b, c) > 2e-3 }' || fail "surface of a column: $(hottest column4) $(hottest column8) $(hottest surface) K"
sed -i 's/,96/,40/' stand.csv
"$INGOT" run column.yaml -q -o weak -t 1 >said 2>&1 || fail "a weak beam: $(cat said)"
awk -v T="$(hottest weak)" 'BEGIN { exit !(T > 3000 && T < 3900) }' || fail "a weak beam: $(hottest weak) K"
grep -q "the melt's surface reached .* K and boils at 3000 K, .* % of the absorbed light left as vapour: a keyhole forms" said || fail "a melt that boils: $(cat said)"
# pools: melt that the line before left beside them, with solid between, is none of theirs; each laser has its own
# highest temperature
cat >pools.yaml <<'EOF'
physics: powder
initial_temperature: 300
materials: {name: m, density: 7600, specific_heat: 720, conductivity: 30, powder_conductivity: 0.5, absorptivity: 0.5, solidus: 1500, liquidus: 1600, latent_heat: 250e3}
beam: {radius: 30 um}
grid: {cell: 10 um, ratio: 4, margin: 0.2 mm, plate: 0.2 mm}
layer_height: 20 um
paths: [{file: long.csv}]
output: {count: 1}
EOF
head='t,x,y,z,power\n' back='0.00102,1e-3,1.6e-4,2e-5,150\n0.00135,0.67e-3,1.6e-4,2e-5,0\n' on='0,0,0,2e-5,150\n1e-3,1e-3,0,2e-5,0\n'
printf "$head$on$back" >long.csv
printf "$head$back" | sed '2s/^/0,0,0,2e-5,0\n/' >alone.csv
printf "$head$on" >first.csv
printf "$head$on" | sed 's/,0,2e-5/,3e-4,2e-5/' >beside.csv
for kind in long alone; do
  sed "s/long.csv/$kind.csv/" pools.yaml >pool.yaml
  "$INGOT" run pool.yaml -q -o "$kind" -t 1 >said 2>&1 || fail "$kind: $(cat said)"
done
paste -d , <(tail -1 long/lines.csv) <(tail -1 alone/lines.csv) |
  awk -F, '{ for (i = 9; i <= 14; i++) if (!($i > 0) || ($i / $(i + 17) - 1) ^ 2 > 0.01) exit 1 }' ||
  fail "a pool beside another line's: $(tail -1 long/lines.csv), alone: $(tail -1 alone/lines.csv)"
# a run that is cut and goes on: warnings of the case and of the end of the first piece are not those of the whole
"$INGOT" run pools.yaml -q -o piece -t 1 -s 'duration=1.1 ms' >said 2>&1 || fail "a piece: $(cat said)"
grep -q 'ends the case at 0.0011 s, before its path' piece/summary.json || fail "a run that is cut: $(cat said)"
grep -q 'line 2 of layer 1 is cut at 0.0011 s, after 24 % of it: .* where its pool was still growing' said || fail "a line that is cut: $(cat said)"
tail -1 piece/lines.csv | awk -F, '{ exit ($NF * 330 / 80 - 1) ^ 2 > 1e-9 }' || fail "drawn: $(tail -1 piece/lines.csv)"
grep -q 'not as deep as a layer' said && fail "a line that is cut is shallow: $(cat said)"
"$INGOT" run pools.yaml -q -o piece -t 1 --restart piece/checkpoint.h5 --force >said 2>&1 || fail "the rest: $(cat said)"
grep -q 'ends the case at' piece/summary.json && fail "warnings of a first piece: $(grep -A9 '"warned"' piece/summary.json)"
sed 's/{file: long.csv}/{file: first.csv}, {file: beside.csv}/' pools.yaml >lasers.yaml
"$INGOT" run lasers.yaml -q -o lasers -t 1 >said 2>&1 || fail "two lasers side by side: $(cat said)"
# the highest temperature of a weak laser beside the melt of a strong one, in one window, is its own; also where it melts
# nothing, and where surfaces boil
for power in 20 4; do
  printf "$head"'0.7e-3,0.3e-3,1.6e-4,2e-5,%d\n1.1e-3,0.7e-3,1.6e-4,2e-5,0\n' $power >weak.csv
  for evaporation in true false; do
    for of in first.csv weak.csv; do
      sed "s/long.csv/$of/; s/latent_heat: 250e3/&, boiling: 3000, evaporation_heat: 6e6, molar_mass: 0.056/" pools.yaml >pool.yaml
      [ $of = weak.csv ] || sed -i 's/{file: first.csv}/&, {file: weak.csv}/' pool.yaml
      "$INGOT" run pool.yaml -q -o "of-$of" -t 1 -s evaporation=$evaporation >said 2>&1 || fail "a weak laser: $(cat said)"
    done
    tail -qn 1 of-first.csv/lines.csv of-weak.csv/lines.csv | cut -d, -f14 | paste -s -d ' ' |
      awk '{ exit !($2 > 1000 && ($1 / $2 - 1) ^ 2 < 1e-4) }' || fail "a weak laser of $power W, evaporation $evaporation: $(tail -n 1 of-*/lines.csv)"
  done
done
# a probe is read in the middle of its cell; one on the surface is in the topmost cell, not in the air above
sed 's/^output/probes: [{name: on, point: [0.19 mm, 0.09 mm, 80 um]}, {name: in, point: [0.19 mm, 0.09 mm, 70 um]}, {name: beside, point: [0.195 mm, 0.085 mm, 62 um]}]\n&/' hatch.yaml >probes.yaml
"$INGOT" run probes.yaml -q -o probes -t 1 >said 2>&1 || fail "probes: $(cat said)"
sed -n 's/^ *"\(on\|in\|beside\)_peak": \([0-9.]*[.][0-9]*\),*$/\2/p' probes/summary.json | uniq >peaks
[ "$(wc -l <peaks)" = 1 ] && awk '{ exit !($1 > 2000) }' peaks || fail "probes in one cell: $(cat peaks)"
# all light of a laser that comes on in the window of another one, here the whole bed: 0.5 x 150 W x 2 ms by hand
sed 's/^0,/2e-4,/; s/^1e-3,/12e-4,/' beside.csv >late.csv
sed 's/beside/late/' lasers.yaml >late.yaml
for window in '9 mm, 9 mm, 9 mm' '1.2 mm, 0.6 mm, 0.2 mm'; do
  "$INGOT" run late.yaml -q -o late -t 1 -s "grid.window=[$window]" >said 2>&1 || fail "a laser that comes late: $(cat said)"
  sed -n 's/.*"source": \([0-9.e+-]*\),*$/\1/p' late/summary.json | awk '{ exit ($1 / 0.15 - 1) ^ 2 > 1e-16 }' || fail "light of a laser that comes late: $(grep '"source"' late/summary.json)"
done
awk -F, 'NR > 1 { T[NR] = $14 } END { exit !(T[2] > 1600 && (T[3] / T[2] - 1) ^ 2 < 1e-12) }' lasers/lines.csv || fail "two lasers: $(cut -d, -f14 lasers/lines.csv)"
# pauses are crossed in long steps: a long one is no sign of a wrong unit, and how many steps it takes is not guessed
"$INGOT" run hatch.yaml -o pause -t 1 -s duration=100000s >said 2>&1 &
pid=$!
for _ in $(seq 600); do [ -s pause/history.csv ] && break; sleep 0.05; done
kill -INT $pid
wait $pid
grep -q 'interrupted at step [0-9]*; it can be continued' said || fail "interrupted: $(cat said)"
grep -q 'steps of .* to the end' said && fail "a guess at the number of steps: $(cat said)"
# a camera sees an even cooling as it is, whatever its frames
if command -v python3 >/dev/null; then
  mkdir -p even
  awk 'BEGIN { print "time [s],p [K]"; for (i = 0; i <= 100; i++) printf "%g,%g\n", i * 1e-4, 3000 - i * 20 }' >even/history.csv
  python3 "$SOURCE/scripts/camera" even p >said 2>&1 || fail "camera: $(cat said)"
  grep -qx 'history 2e+05 K/s' said && grep -qx 'camera  2e+05 K/s, 2e+05 to 2e+05, 400 of 400 phases' said || fail "camera: $(cat said)"
fi
# a day's pause costs no more than a minute's once the bed is at rest: what flows through it goes on, as many J per s
for pause in 50 86400; do
  grep -v -e movie -e '^map' hatch.yaml | sed "s/recoating: 3 ms/recoating: $pause s/" >pause.yaml
  printf 'convection: 100 W/(m^2 K)\nambient: 500 K\n' >>pause.yaml
  "$INGOT" run pause.yaml -q -t 1 -o pause-$pause >said 2>&1 || fail "a pause: $(cat said)"
  figure() { sed -n "/\"result\"/,/}/s/^ *\"$1\": *\([-0-9.e+]*\),*\$/\1/p" pause-$pause/summary.json; }
  awk -v n="$(figure coarse_steps)" -v lost="$(figure lost)" -v held="$(figure held)" -v gap="$(figure energy_gap)" -v t=$pause '
    BEGIN { print lost / t; exit !(n > 0 && n < 60000 && gap * gap < 1e-18 * held * held) }' >rate-$pause || fail "a pause of $pause s: $(grep -A20 result pause-$pause/summary.json)"
done
awk -v a="$(cat rate-50)" -v b="$(cat rate-86400)" 'BEGIN { exit !(a < 0 && (a / b - 1) ^ 2 < 1e-6) }' || fail "the rate of loss: $(cat rate-50 rate-86400)"
sed 's/ conductivity: 25 [^,]*,/ conductivity: 0,/' hatch.yaml >still.yaml
"$INGOT" check still.yaml >/dev/null 2>said && fail "no conductivity is taken"
grep -q 'needs one above 0' said || fail "no conductivity: $(cat said)"
echo "paths from files and from a hatch agree; events are all meltings"
