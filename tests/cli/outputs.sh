#!/bin/bash
# What a result folder holds beside snapshots: the case as it was run, snapshots at given times.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*" >&2; exit 1; }
stamp() { grep '"stamp"' "$1/summary.json"; }

# the case that is kept reads to the same case, from any folder
mkdir there
for room in thermal dynamics fracture topopt; do
  cp "$SOURCE/tests/cli/small/$room.yaml" there
  "$INGOT" run "there/$room.yaml" -q -t 1 --out "$room" >/dev/null 2>&1
  mkdir -p elsewhere
  mv "$room/case.yaml" "elsewhere/$room.yaml"
  (cd elsewhere && "$INGOT" run "$room.yaml" -q -t 1 --out again >/dev/null 2>&1)
  [ "$(stamp "$room")" = "$(stamp elsewhere/again)" ] || fail "$room: another case"
  rm -r elsewhere
done

# a design that is written has to be analysed first: that is no output
awk -F'[:,]' '/^ *"seconds": *\{/ { in_seconds = 1 } in_seconds && /"solve"/ { all = $2; in_seconds = 0 } /"seconds_solve"/ && !systems { systems = $2 }
  END { exit !(systems > 0 && systems <= all) }' topopt/summary.json ||
  fail "topopt: systems took longer than all steps: $(grep -E '"(solve|output|seconds_solve)"' topopt/summary.json)"

# every column and figure has a unit, or docs/how-to/files.md says that it has none
cp "$SOURCE/tests/cli/small/stress.yaml" there
"$INGOT" run there/stress.yaml -q -t 1 --out stress >/dev/null 2>&1
sed -n '/<!-- dimensionless -->/,/<!-- end of dimensionless -->/p' "$SOURCE/docs/how-to/files.md" | grep -o '`[^`]*`' | tr -d '`' >none
for table in */*.csv; do
  case $table in */exaca.csv | */path.csv) continue ;; esac
  head -1 "$table" | tr ',' '\n' | grep -v ' \[[^]]*\]$' | sed 's/^constraint [0-9]*$/constraint N/' >bare || true
  if grep -vxF -f none bare >unknown; then fail "$table: columns without a unit that docs/how-to/files.md does not name: $(cat unknown)"; fi
done
for summary in */summary.json; do
  awk '/^ *"result": \{/ { in_result = 1; next } /^ *"units": \{/ { in_result = 0; in_units = 1; next }
    in_result && !/: "/ { split($0, p, "\""); if (p[2] != "") figure[p[2]] } in_units { split($0, p, "\""); unit[p[2]] }
    END { for (f in figure) if (!(f in unit)) print f }' "$summary" >bare
  if grep -vxF -f none bare >unknown; then fail "$summary: figures without a unit that docs/how-to/files.md does not name: $(cat unknown)"; fi
done

# the number of colors, where there are some: eight triangles meet at a node of a crossed pattern
"$INGOT" run there/fracture.yaml -q -t 1 -b cpu --set assembly=color --set duration='0.2 us' --out colored
grep -q '"colors": 8' colored/summary.json || fail "$(grep colors colored/summary.json)"

# a case of the user's with that name stays
cp there/thermal.yaml thermal/case.yaml
"$INGOT" run there/thermal.yaml -q -t 1 --out thermal 2>said
grep -q "case.yaml' is not Ingot's" said || fail "no warning: $(cat said)"
cmp -s there/thermal.yaml thermal/case.yaml || fail 'a case of the user was replaced'

# changed settings are in it, and defaults are comments
"$INGOT" run there/thermal.yaml -q -t 1 --set duration='0.9 s' --set output='{times: [0.25 s, 0.5 s]}' --out set
grep -q '^duration: 0.9 s' set/case.yaml || fail '--set is not in case.yaml'
grep -q '^# precision: double' set/case.yaml || fail 'defaults are not in case.yaml'
grep -c '"time"' set/snap.hdf.series | grep -qx 4 || fail 'output.times: start, two times, end'

# times that fall, and times beside another rhythm
for bad in '{times: [2 s, 1 s]}' '{times: 1 s, every: 3}' '{times: 0 s}'; do
  if "$INGOT" check there/thermal.yaml --set output="$bad" >/dev/null 2>said; then fail "$bad: taken"; fi
done

# fields at a point, extremes in a set, one file with the mesh stored once
"$INGOT" result probe thermal --at 4mm,2mm,4mm --field T >probe.csv
head -1 probe.csv | grep -qx 'time \[s\],x \[m\],y \[m\],z \[m\],T \[K\]' || fail "$(head -1 probe.csv)"
[ "$(wc -l <probe.csv)" = "$(($(grep -c '"time"' thermal/snap.hdf.series) + 1))" ] || fail 'a row a snapshot'
"$INGOT" result extremes elsewhere 2>/dev/null && fail 'a folder that is not there was read'
"$INGOT" result extremes set --of zmin >extremes
grep -qE '^T \[K\] +max +300 ' extremes || fail "held at 300 K: $(cat extremes)"
"$INGOT" result extremes set >all
grep -qE '^T \[K\] +max +[345][0-9][0-9]' all || fail "$(cat all)"
"$INGOT" result join set all.vtkhdf
"$INGOT" run there/thermal.yaml -q -t 1 --set duration='0.9 s' --set output='{times: [0.25 s, 0.5 s]}' --out set --join
cmp set/run.vtkhdf all.vtkhdf || fail '--join writes another file'
cp set/run.vtkhdf flag.vtkhdf
"$INGOT" run there/thermal.yaml -q -t 1 --set duration='0.9 s' --set output='{times: [0.25 s, 0.5 s], one_file: true}' --out set
cmp set/run.vtkhdf flag.vtkhdf || fail 'output.one_file writes another file than --join'
python=$(command -v /usr/bin/python3 || command -v python3) || python=false
code=0
"$python" "$SOURCE/tests/cli/steps_check.py" all.vtkhdf set/snap_*.vtkhdf || code=$?
[ $code = 0 ] || [ $code = 77 ] || [ "$python" = false ] || fail 'the joined file is not as VTKHDF describes it'
"$INGOT" run there/thermal.yaml -q -t 1 --set duration='0.9 s' --set output='{times: [0.25 s, 0.5 s]}' --out set
[ ! -e set/run.vtkhdf ] || fail 'a file of the former run stayed'
"$INGOT" mesh info all.vtkhdf >joined
"$INGOT" mesh info "set/$(ls set | grep snap_ | tail -1)" >last
cmp joined last || fail 'the last step of the joined file is not the last snapshot'
[ "$(stat -c %s all.vtkhdf)" -lt "$(cat set/snap_*.vtkhdf | wc -c)" ] || fail 'the mesh is stored again'
"$INGOT" result join set all.vtu 2>/dev/null && fail 'a file that is no .vtkhdf was written'

# ExaCA: elements that melted and froze, in order, cooling
printf 't,x,y,z,power\n0,0.4e-3,0.2e-3,0.4e-3,400\n2e-3,1.6e-3,0.2e-3,0.4e-3,0\n' >line.csv
cat >melt.yaml <<'END'
physics: thermal
mesh: {boxes: [{size: [2 mm, 0.4 mm, 0.4 mm], cells: [20, 4, 4]}]}
materials: {name: steel, density: 7850 kg/m3, conductivity: 30, specific_heat: 600 J/(kg K), solidus: 1650 K, liquidus: 1700 K, latent_heat: 270 kJ/kg, absorptivity: 0.5}
beams: {model: gaussian, radius: 0.1 mm, depth: 0.1 mm, path: {file: line.csv}}
duration: 6 ms
time_step: 5 us
track_every: 1
exaca: true
output: {count: 2}
END
"$INGOT" run melt.yaml -q -t 1 --out melt
head -1 melt/exaca.csv | grep -qx 'x,y,z,tm,tl,cr' || fail 'no exaca.csv'
awk -F, 'NR > 1 { n++; if (!($5 > $4 && $6 > 0 && $4 > 0 && $5 < 6e-3)) bad++;
    # the middle of the track melts as the beam comes, at 0.6 m/s
    if ($2 > 0.1e-3 && $2 < 0.3e-3 && $3 > 0.3e-3 && $1 > 0.7e-3 && $1 < 1.4e-3) {
      m++; at = 0.4e-3 + 0.6 * $4; if (at < $1 - 0.35e-3 || at > $1 + 0.05e-3) bad++ } }
  END { exit n < 10 || m < 5 || bad }' melt/exaca.csv || fail "$(cat melt/exaca.csv)"
grep -q "\"events\": $(($(wc -l <melt/exaca.csv) - 1))" melt/summary.json || fail 'events'
# the same in ExaCA's binary form, and from a checkpoint in the middle
"$INGOT" run melt.yaml -q -t 2 --out binary --set exaca=catemp
od -A n -v -t f8 -w48 binary/exaca.catemp | awk '{ printf "%.9g,%.9g,%.9g,%.12g,%.12g,%.9g\n", $1, $2, $3, $4, $5, $6 }' >numbers
tail -n +2 melt/exaca.csv | cmp - numbers || fail 'events as binary'
"$INGOT" run melt.yaml -q -t 1 --out half --set duration='3 ms' >said 2>&1
"$INGOT" run melt.yaml -q -t 1 --out rest --restart half/checkpoint.h5 --force && cmp rest/exaca.csv melt/exaca.csv || fail 'events after a restart'
# all meltings, by hand: temperatures that rise and fall linearly, 1700 K and 1500 K a ms; the second time above the
# liquidus follows one that ended above the solidus and is of the same event. Values are those of the middles of steps.
ramp='[[0, 300], [1e-3, 2000], [2e-3, 1550], [3e-3, 2000], [4e-3, 300], [5e-3, 1800], [6e-3, 300]]'
cat >ramp.yaml <<END
physics: thermal
precision: double
mesh: {boxes: [{size: [80 um, 20 um, 20 um], cells: [4, 1, 1]}]}
materials: {name: m, density: 7600, specific_heat: 720, conductivity: 30, solidus: 1500, liquidus: 1600, latent_heat: 250e3}
boundary: [{set: ymin, temperature: $ramp}, {set: ymax, temperature: $ramp}]
duration: 6 ms
time_step: 2 us
track_every: 1
exaca: true
output: {count: 2}
END
"$INGOT" run ramp.yaml -q -t 1 --out ramp
awk -F, 'function off(a, b, e) { a -= b; return (a < 0 ? -a : a) > e }
  NR > 1 { n++; bad += off($1, (2 * int((n - 1) / 2) + 1) * 1e-5, 1e-12) || off($2, 1e-5, 1e-12) || off($3, 1e-5, 1e-12)
    if (n % 2) bad += off($4, 1e-3 * 13 / 17 + 1e-6, 1e-9) || off($5, 3e-3 + 1e-3 * 4 / 17 + 1e-6, 1e-9) || off($6, 1.7e6, 1)
    else bad += off($4, 4e-3 + 1e-3 * 13 / 15 + 1e-6, 1e-9) || off($5, 5e-3 + 1e-3 * 2 / 15 + 1e-6, 1e-9) || off($6, 1.5e6, 1) }
  END { exit n != 8 || bad }' ramp/exaca.csv || fail "events of a ramp: $(cat ramp/exaca.csv)"
# left out, looks are in every step; a look now and then misses short meltings, which is said
sed '/^track_every/d' ramp.yaml >every.yaml
"$INGOT" run every.yaml -q -t 1 --out every >said 2>&1 && cmp every/exaca.csv ramp/exaca.csv || fail "events by default: $(cat said)"
"$INGOT" run ramp.yaml -q -t 1 --out seldom --set track_every=500 >said 2>&1 || fail "$(cat said)"
grep -q 'track_every' said || fail "looks now and then: $(cat said)"
"$INGOT" run ramp.yaml -q -t 1 --out now --set track_every=100 >said 2>&1 || fail "$(cat said)"
grep -qE 'track_every: events: 4 of 8 meltings lasted less than two looks, 0.0002 s apart \(100 steps\)' said || fail "short meltings: $(cat said)"
sed 's/\[5e-3, 1800\], \[6e-3, 300\]/[4.02e-3, 1800], [4.04e-3, 300]/g' every.yaml >brief.yaml
"$INGOT" run brief.yaml -q -t 1 --out coarse --set time_step='4 us' >said 2>&1 || fail "$(cat said)"
grep -q 'events: 4 of 8 meltings lasted less than two steps of 4e-06 s: .* give a shorter `time_step`' said || fail "long steps: $(cat said)"
# molten from the start: since time 0, frozen in the first step or later
sed 's/^duration.*/duration: 1 ms/; s/\[0, 300\], \[1e-3, 2000\], \[2e-3, 1550\], \[3e-3, 2000\]/[0, 1700], [1e-3, 300]/g; s/, \[4e-3, 300\][^]]*\][^]]*\]\]/]/g' every.yaml >molten.yaml
echo 'initial_temperature: 1700' >>molten.yaml
"$INGOT" run molten.yaml -q -t 1 --out molten >said 2>&1 || fail "$(cat said)"
awk -F, 'NR > 1 { n++; bad += $4 != 0 || ($5 - 1e-3 / 14) ^ 2 > 1e-11 } END { exit n != 4 || bad }' molten/exaca.csv || fail "molten from the start: $(cat molten/exaca.csv said)"
printf 'physics: grains\ngrid: {cell: 20 um}\nsubstrate: {grain_size: 20 um}\ngrowth: {law: in718}\nevents: {file: ramp/exaca.csv}\n' >grown.yaml
"$INGOT" check grown.yaml >said 2>&1 && grep -qE 'events +8, 0 outside' said || fail "grains read events: $(cat said)"
if "$INGOT" check melt.yaml --set track_every=0 2>said >/dev/null; then fail 'ExaCA without looks'; fi
grep -q 'track_every' said || fail "$(cat said)"

# power that lands beside the part: a gap of 2 mm in a path of 6 mm, less the beam's radius on each side
cat >gap.yaml <<'END'
physics: thermal
mesh: {boxes: [{size: [2 mm, 1 mm, 1 mm], cells: [8, 4, 4]}, {origin: [4 mm, 0, 0], size: [2 mm, 1 mm, 1 mm], cells: [8, 4, 4]}]}
materials: {name: steel, density: 7850 kg/m3, conductivity: 30, specific_heat: 600 J/(kg K), absorptivity: 0.5}
beams: {model: surface, radius: 0.1 mm, path: {file: gap.csv}}
duration: 6 ms
END
printf 't,x,y,z,power\n0,0,0.5e-3,1e-3,100\n6e-3,6e-3,0.5e-3,1e-3,0\n' >gap.csv
"$INGOT" check gap.yaml >/dev/null 2>said
grep -qE '0\.1[78][0-9]* J of this beam.s 0.6 J land beside the part or pass over it, first at \(0\.0021' said || fail "$(cat said)"
printf 't,x,y,z,power\n0,0,0.5e-3,1e-3,100\n2e-3,2e-3,0.5e-3,1e-3,0\n' >gap.csv
"$INGOT" check gap.yaml >/dev/null 2>said
if grep -q 'beside the part' said; then fail "$(cat said)"; fi
# nor a beam 1.5 mm over it
printf 't,x,y,z,power\n0,0,0.5e-3,2.5e-3,100\n2e-3,2e-3,0.5e-3,2.5e-3,0\n' >gap.csv
"$INGOT" check gap.yaml -s beams.reach=1.4mm >/dev/null 2>said
grep -q '0.2 J of this beam.s 0.2 J land beside the part or pass over it' said || fail "$(cat said)"

# a case that ends before its path and its build says what is missing, in check and in the run
cat >short.yaml <<'END'
physics: thermal
mesh: {boxes: [{name: plate, size: [8 mm, 2 mm, 1 mm], cells: [16, 4, 2]}, {name: wall, origin: [0, 0, 1 mm], size: [8 mm, 2 mm, 1 mm], cells: [16, 4, 2]}]}
materials: {name: steel, density: 7850 kg/m3, conductivity: 30, specific_heat: 600 J/(kg K), absorptivity: 0.5}
beams: {model: surface, radius: 0.5 mm, path: {file: short.csv}}
birth: {by: bead, set: wall, width: 2.1 mm, height: 1 mm}
duration: 0.5 s
output: {count: 1}
END
printf 't,x,y,z,power\n0,0,1e-3,2e-3,100\n1,8e-3,1e-3,2e-3,0\n' >short.csv
"$INGOT" check short.yaml >shown 2>said
grep -q '128 at the start, 8 births, 64 never' shown || fail "$(cat shown)"
grep -q 'short.yaml:6:11: the case ends at 0.5 s, before its build: 64 elements are due later' said || fail "$(cat said)"
"$INGOT" run short.yaml -q -o short >/dev/null 2>said
grep -q 'before its build: 64 elements are due later' short/summary.json || fail "$(cat short/summary.json)"
"$INGOT" run short.yaml -q -o short -s duration=1.01 >/dev/null 2>said
if grep -q 'the case ends' said; then fail "$(cat said)"; fi
grep -v birth short.yaml >still.yaml
"$INGOT" check still.yaml >/dev/null 2>said
grep -q 'before its path: beams are on until 1 s, and 50 J of 100 J are not sent' said || fail "$(cat said)"

# nodes, elements and sets survive .inp -> .vtkhdf -> .vtu -> .inp
"$INGOT" mesh convert "$SOURCE/tests/files/abaqus-assembly.inp" a.vtkhdf -q
"$INGOT" mesh convert a.vtkhdf b.vtu -q
"$INGOT" mesh convert b.vtu c.inp -q
"$INGOT" mesh info "$SOURCE/tests/files/abaqus-assembly.inp" 2>/dev/null | sort >before
"$INGOT" mesh info c.inp 2>/dev/null | sort >after
cmp before after || fail "$(diff before after)"
