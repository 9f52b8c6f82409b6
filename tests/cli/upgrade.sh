# Renamed keys: an old one gives an error that names the new one; `ingot upgrade` rewrites cases, chains and sweeps
# and changes nothing but these words; a second time it changes nothing.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "upgrade test: $*"; cat log 2>/dev/null; exit 1; }
same() { cmp -s "$1" "$2" || { diff "$1" "$2"; fail "$3"; }; }

# comments, quotes, flow style, aliases, merges, characters of several bytes before a word
cat >old.yaml <<'END'
# start and travel in a comment stay
physics: dynamics   # 'along' here, too
title: "µ: start, travel, update"
mesh:
  boxes: [{size: [10 mm, 1 mm, 1 mm], cells: [5, 1, 1]}]
  sets: [{name: start, plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]
materials: [{name: steel, density: 8000, young: 210 GPa, poisson: 0.3}]
supports:
  - {set: start, fix: all}
  - &pull {set: xmax, "along": x, velocity: [1, 0, 0]}   # é along
  - {<<: *pull, set: ymax}
tools: {shape: plane, point: [0, 0, 5 mm], axis: [0, 0, -1], 'travel': [0, 0, -1 um], history: [[0 s, 0], [1 s, 1]]}
analysis: [{duration: 1 us, update: 20, least_step: 1 ns}]
output: {count: 1}
END
sed -e '10s/"along"/"components"/' -e "12s/'travel'/'displacement'/" -e '13s/update/step_update_every/' \
  -e '13s/least_step/mass_scaling_step/' old.yaml >new.yaml

"$INGOT" check old.yaml >log 2>&1 && fail "an old key is taken"
grep -q "^ingot: error: old.yaml:10:23: unknown key 'along' in 'supports\[1\]': it is called 'components' now, and 'ingot upgrade' rewrites" log ||
  fail "the error does not name the new key"
"$INGOT" upgrade --check old.yaml >log; [ $? = 1 ] || fail "--check should exit with 1"
[ "$(wc -l <log)" = 4 ] && grep -q "^old.yaml:10:23: 'along' is called 'components' now$" log || fail "--check prints"
cp old.yaml case.yaml
"$INGOT" upgrade old.yaml -o made.yaml -q || fail "--out"
same made.yaml new.yaml "the copy"
same old.yaml case.yaml "--out changes the file itself"
chmod 640 case.yaml
ln -s case.yaml link.yaml
"$INGOT" upgrade link.yaml -q || fail "in place"
same case.yaml new.yaml "in place"
[ -L link.yaml ] && [ "$(stat -c %a case.yaml)" = 640 ] || fail "the link or the permissions are gone"
before=$(stat -c %i%y case.yaml)
"$INGOT" upgrade case.yaml >log || fail "the second time"
[ ! -s log ] && [ "$before" = "$(stat -c %i%y case.yaml)" ] || fail "the second time changes something"
"$INGOT" upgrade --check case.yaml || fail "--check of a new case"
"$INGOT" check case.yaml >log 2>&1 || fail "the rewritten case is refused"

# carriage returns, a byte order mark and no newline at the end stay
{ printf '\357\273\277'; sed 's/$/\r/' old.yaml | head -c -2; } >dos.yaml
{ printf '\357\273\277'; sed 's/$/\r/' new.yaml | head -c -2; } >dos_new.yaml
"$INGOT" upgrade dos.yaml -q || fail "carriage returns"
same dos.yaml dos_new.yaml "carriage returns"

# --set: the message names the new key; a chosen value that was renamed
"$INGOT" check case.yaml --set 'analysis[0].update=3' >log 2>&1 && fail "an old key of --set is taken"
grep -q "^ingot: error: --set analysis\[0\].update: unknown key 'update'.*it is called 'step_update_every' now" log ||
  fail "--set: the message"

# a chain: every stage by its own room, what stands beside the stages too
cat >chain.yaml <<'END'
materials: [{name: steel, density: 8000, conductivity: 20, specific_heat: 500, young: 210 GPa, poisson: 0.3}]
stages:
  design: # draw and start
    physics: topopt
    grid: {elements: [8, 4, 0]}
    draw: {direction: y+}
    penalty_ramp: {start: 1}
    optimiser:
      move: 0.1
  shape: {physics: shape, from: design, voxel: 1 mm, raster: {power: 100, speed: 1, hatch: 1 mm, travel: 2, start: 1}}
  warp:
    physics: stress
    mesh: {from: shape}
    phases: [{kind: build, set: part, height: 1 mm, newborn: follow, born: 900 K}, {kind: cut, set: part, along: y}]
END
sed -e 's/draw: {/draw_direction: {/; s/{start: 1/{initial_value: 1/; s/move: 0.1/move_limit: 0.1/; s/hatch: 1/spacing: 1/' \
  -e 's/travel: 2, start/jump_speed: 2, start_time/; s/newborn: follow, born/new_nodes: deformed, stress_free_temperature/' \
  -e 's/along: y/direction: y/' chain.yaml >chain_new.yaml
"$INGOT" upgrade chain.yaml >log || fail "a chain"
same chain.yaml chain_new.yaml "a chain"
grep -q "chain.yaml:14:.*'follow' is called 'deformed' now" log || fail "a value"

# a sweep: its keys are paths into the case, or into a stage of the chain
mkdir sub
cat >sub/sweep.yaml <<'END'
case: ../case.yaml # update
set: {"analysis[0].update": 5}
vary:
  supports[1].along: [x, y]
runs:
  - {name: a, set: {'tools[0].travel': [0, 0, 1 um]}}
  - {name: b, case: ../chain.yaml, set: {"stages.warp.phases[0].newborn": [follow], stages.shape.raster.start: 2}}
END
sed -e 's/\[0\].update/[0].step_update_every/; s/\.along/.components/; s/\.travel/.displacement/' \
  -e 's/newborn": \[follow/new_nodes": [deformed/; s/raster.start/raster.start_time/' sub/sweep.yaml >sweep_new.yaml
"$INGOT" upgrade sub/sweep.yaml -q || fail "a sweep"
same sub/sweep.yaml sweep_new.yaml "a sweep"

# what cannot be rewritten is an error with its place, and nothing is written
sed 's/"along"/"\\x61long"/' old.yaml >escaped.yaml
sed 's/"along": x/&, components: y/' old.yaml >twice.yaml
printf 'a: 1\n' >other.yaml
for name in escaped twice other; do
  cp $name.yaml kept
  "$INGOT" upgrade $name.yaml -q >log 2>&1; [ $? = 2 ] || fail "$name: exit code"
  [ "$(wc -l <log)" = 1 ] && grep -q "^ingot: error: $name.yaml:[0-9]*:[0-9]*: " log || fail "$name: the message"
  same $name.yaml kept "$name is written"
done
"$INGOT" upgrade old.yaml case.yaml -o x.yaml 2>log && fail "--out with two files"
"$INGOT" upgrade "$SOURCE"/materials/*.yaml -c >log 2>&1 || fail "material files"
find "$SOURCE/cases" -name '*.yaml' -exec "$INGOT" upgrade --check {} + >log 2>&1 || fail "shipped cases have old words"
