# Around a run: other programs' files, closed descriptors, signals, odd environments, odd paths. What
# is the user's stays, and a run that can be kept is kept.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$INGOT" "$work/bin/ingot"
PATH=$work/bin:$PATH
cd "$work"
checked=0 failed=0
ok() { # words, command…
  local words=$1
  shift
  checked=$((checked + 1))
  "$@" && return
  failed=$((failed + 1))
  echo "--- $words"
  cat log 2>/dev/null
}
wait_for() { for _ in $(seq 600); do [ -e "$1" ] && return; sleep 0.05; done; echo "--- $1 does not appear"; failed=$((failed + 1)); }
cat >tiny.yaml <<'END'
physics: thermal
backend: cpu
threads: 1
mesh: {boxes: {size: [8 mm, 4 mm, 4 mm], cells: [8, 4, 4]}}
materials: {name: steel, density: 7850 kg/m3, conductivity: 45 W/(m K), specific_heat: 500 J/(kg K)}
boundary: {set: xmin, temperature: 500 K}
duration: 0.5 s
output: {count: 4, history_every: 1}
END
sed 's/duration: .*/duration: 1000000 s/; s/output: .*/output: {every: 20000, history_every: 20000}/' tiny.yaml >long.yaml
ok "tiny.yaml runs" ingot run tiny.yaml -q -o whole
same() { cmp "whole/$1" "$2/$1"; }

# --- files of other programs
for name in history.csv summary.json checkpoint.h5 snap_000003.vtkhdf; do
  mkdir foreign && echo mine >foreign/$name
  ingot run tiny.yaml -q -o foreign 2>log
  ok "foreign $name: exit 2" test $? = 2
  ok "foreign $name: stays" grep -qx mine foreign/$name
  ok "foreign $name: is named, with a remedy" grep -q "holds '$name'.*--out.*--force" log
  ok "foreign $name: nothing is added" test "$(ls -A foreign)" = $name
  ok "foreign $name: --force replaces it" ingot run tiny.yaml -q -o foreign --force
  ok "foreign $name: then it is a result" same history.csv foreign
  rm -rf foreign
done
cp -r whole copy && rm copy/.ingot
ok "a copy without its mark is run into again" ingot run tiny.yaml -q -o copy
rm copy/.ingot
ok "and resumed" ingot run tiny.yaml -q -o copy --resume
ingot run tiny.yaml -q -o linked && rm -rf linked/* && echo mine >target
rm linked/.ingot
for name in .ingot.part history.csv.part checkpoint.h5.part snap_000001.vtkhdf.part summary.json.part; do ln -s ../target linked/$name; done
ingot run tiny.yaml -q -o linked --force 2>log
ok "links named like our half-written files are not followed" grep -qx mine target
ok "and the run is whole" same snap_000001.vtkhdf linked
ln -s ../target linked.png.part
ingot view whole -o linked.png >log 2>&1
ok "nor when a picture is drawn" grep -qx mine target

# --- a chain: what can be known is found before anything is computed
cat >chain.yaml <<'END'
stages:
  one:
    physics: thermal
    mesh: {boxes: {size: [8 mm, 4 mm, 4 mm], cells: [8, 4, 4]}}
    materials: {name: steel, density: 7850 kg/m3, conductivity: 45 W/(m K), specific_heat: 500 J/(kg K)}
    boundary: {set: xmin, temperature: 500 K}
    duration: 0.1 s
    picture: {field: T, palette: gray, range: [300, 500]}
  two:
    physics: thermal
    mesh: {boxes: {size: [8 mm, 4 mm, 4 mm], cells: [8, 4, 4]}}
    materials: {name: steel, density: 7850 kg/m3, conductivity: 45 W/(m K), specific_heat: 500 J/(kg K)}
    boundary: {set: xmin, temperature: {from: one, figure: T_max}}
    duration: 0.1 s
report: [{name: hottest, stage: one, figure: T_max}]
END
ok "the chain runs" ingot run chain.yaml -q -b cpu -t 1 -o chain
for change in 's/palette: gray/palette: grey/' 's/field: T/field: temperature/' 's/field: T/field: T, warp: motion/' \
  's/\[300, 500\]/[500, 300]/' 's/field: T/field: T, threshold: T/' 's/figure: T_max}\]/figure: first_yield}]/' \
  's/figure: T_max}\]/figure: T_mxa}]/'; do
  sed "$change" chain.yaml >wrong.yaml
  for command in "run wrong.yaml -o wrong" "check wrong.yaml"; do
    ingot $command -b cpu >out 2>log
    ok "$change: $command: exit 2" test $? = 2
    ok "$change: $command: says where" grep -qE 'wrong.yaml:[0-9]+:[0-9]+: ' log
    ok "$change: nothing is written" test ! -e wrong
  done
done
mkdir notours && echo mine >notours/summary.json
ingot run chain.yaml -q -b cpu -o notours 2>log
ok "a chain leaves another program's summary.json alone" grep -qx mine notours/summary.json

# --- closed descriptors
ingot run tiny.yaml -o closed >&- 2>&-
ok "closed output: exit 0" test $? = 0
ok "closed output: the history is the same" same history.csv closed
ingot run tiny.yaml -o closed3 <&- >&- 2>&-
ok "all closed: the history is the same" same history.csv closed3

# --- signals
stopped() { # signals…: a run that gets them leaves a checkpoint to go on from
  rm -rf cut
  ingot run long.yaml -o cut >out 2>log &
  local pid=$!
  wait_for cut/snap_000001.vtkhdf
  kill -STOP $pid # all are there before it can move
  for s in "$@"; do kill -"$s" $pid; done
  kill -CONT $pid
  wait $pid
  ok "$*: exit 1" test $? = 1
  ok "$*: a checkpoint" test -s cut/checkpoint.h5
  ok "$*: the summary says so" grep -q '"interrupted"' cut/summary.json
}
stopped HUP
stopped INT TERM
stopped TERM HUP
nohup ingot run tiny.yaml -q -o nohup >out 2>&1
ok "under nohup" same history.csv nohup
mkfifo pipe.yaml
timeout 20 ingot check pipe.yaml >out 2>log &
pid=$!
sleep 0.5
kill -TERM $pid
wait $pid
ok "check ends at one SIGTERM" test $? != 124
ok "and promises no checkpoint" test -z "$(grep checkpoint log)"

# --- odd environments and paths
sed '/^threads/d' tiny.yaml >free.yaml
OMP_NUM_THREADS=100000 ingot run free.yaml -o many >out 2>log
ok "OMP_NUM_THREADS=100000" test $? = 0
ok "a small case takes one thread" grep -q ", 1 thread$" log
mkdir "a b'c" && cp long.yaml "a b'c/it's long.yaml"
ingot run "a b'c/it's long.yaml" -t 1 -s 'title=a "b" $HOME' -b cpu -o "a b'c/out" >out 2>log &
pid=$!
wait_for "a b'c/out/snap_000001.vtkhdf"
kill -INT $pid
wait $pid
advice=$(sed -n 's/^ingot: to go on: //p' log)
ok "the advice names the threads" grep -q -- '--threads 1' log
eval "$advice >out 2>log &"
pid=$!
sleep 1
kill -INT $pid
wait $pid
ok "advice with quotes works: $advice" grep -q 'to go on' log

# --- memory
cat >large.yaml <<'END'
physics: topopt
backend: cpu
grid: {elements: [200, 200, 200]}
volume: 0.3
supports: {box: {max: [0, 200, 200]}}
loads: {box: {min: [200, 0, 0], max: [200, 200, 0]}, force: [0, 0, -1]}
END
limited() { (ulimit -v 700000 && exec timeout 60 ingot "$@") >out 2>log; }
limited run large.yaml -q -t 1 -o large
ok "a grid beyond memory: exit 1" test $? = 1
ok "a grid beyond memory: how much is needed and left" grep -q 'GB are needed and .* left' log
limited check large.yaml -t 1 -s 'grid.elements=[800, 800, 800]'
ok "check warns of it" grep -q 'warning: .*cannot run here' log
sed 's/cells: .*/cells: [200, 200, 200]}}/' tiny.yaml >fine.yaml
limited check fine.yaml
ok "check of a mesh beyond memory: exit 1" test $? = 1
# what the machine leaves may be met first, or the limit itself
ok "check of a mesh beyond memory: how much is needed" grep -Eq 'GB are needed and .* left|no memory for [0-9.]+ GB' log

echo "$checked checks, $failed failed"
[ "$failed" = 0 ]
