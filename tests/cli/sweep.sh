# Sweeps: all combinations run once, the table has what the runs have, a second call runs nothing,
# a stopped one goes on, mistakes are told before anything is written.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "sweep test: $*"; cat log 2>/dev/null; exit 1; }
cat >bar.yaml <<'END'
physics: thermal
backend: cpu
mesh: {boxes: [{size: [10 mm, 1 mm, 1 mm], cells: [20, 2, 2]}]}
materials: [{name: steel, density: 8000, conductivity: 20, specific_heat: 500}]
duration: 2 s
initial_temperature: 300 K
boundary: [{set: xmin, temperature: 400 K}]
output: {count: 1}
END
cat >sweep.yaml <<'END'
case: bar.yaml
set: {precision: double}
vary:
  materials[0].conductivity: [10, 20, 40]
  boundary[0].temperature: [400 K, 500 K]
figures: [T_max, stored]
END

"$INGOT" sweep sweep.yaml -o out -j 2 -b cpu >table 2>log || fail "the sweep fails"
[ "$(ls -d out/run-*/ | wc -l)" = 6 ] || fail "not six runs"
[ "$(wc -l <out/results.csv)" = 7 ] || fail "results.csv has not seven lines"
head -1 out/results.csv | grep -q '^run,status,materials\[0\].conductivity,boundary\[0\].temperature,T_max \[K\],stored \[J\],' ||
  fail "headings: $(head -1 out/results.csv)"
grep -q '^run-004,complete,20,500 K,500,' out/results.csv || fail "row 4: $(sed -n 5p out/results.csv)"
grep -q 'run-006 .*complete' table || fail "no table is printed"
grep -q 'held \[J\]' table && ! grep -q 'beam \[J\]' table || fail "the table has figures that are the same in all runs: $(head -1 table)"
# the same bits as a run of its own
"$INGOT" run bar.yaml -q -t 1 -b cpu -s precision=double -s 'materials[0].conductivity=20' \
  -s 'boundary[0].temperature=500 K' -o alone || fail "the run alone fails"
cmp alone/history.csv out/run-004/history.csv || fail "a run of the sweep is not the run alone"

# threads of one process, as with GPUs: the same files, logs and messages
"$INGOT" sweep sweep.yaml -o threads -j 3 -b cpu --each thread --report >table 2>log || fail "the sweep of threads fails"
cmp out/results.csv threads/results.csv 2>/dev/null || { # but for times
  for run in 1 2 3 4 5 6; do cmp "out/run-00$run/history.csv" "threads/run-00$run/history.csv" || fail "threads: run $run"; done
}
grep -q '100 %' threads/run-001.log || fail "threads: no progress in the log"
[ -e threads/run-006/report.html ] || fail "threads: no report"
[ "$(grep -c ' of 6: .* done' log)" = 6 ] || fail "threads: the end of a run is not told"

# a second call keeps what is done
before=$(stat -c %Y%y out/run-001/summary.json)
"$INGOT" sweep sweep.yaml -o out -q -b cpu || fail "the second call fails"
[ "$before" = "$(stat -c %Y%y out/run-001/summary.json)" ] || fail "a finished run was run again"

# other values: the old results are not taken for theirs
timeout 60 "$INGOT" sweep sweep.yaml -o out -q -b cpu -j 1 -s 'duration=100000 s' -s safety=0.01 2>log &
pid=$!
for _ in $(seq 200); do grep -qs . out/run-001.log && break; sleep 0.05; done
sleep 0.5
kill -TERM $pid
wait $pid && fail "a stopped sweep should exit with 1"
grep -q 'goes on from here' log || fail "no word on how to go on"
grep -q '^run-002,not run,' out/results.csv || fail "old results count: $(sed -n 3p out/results.csv)"

timeout 60 "$INGOT" sweep sweep.yaml -o stopped -q -b cpu -j 2 --each thread -s 'duration=100000 s' -s safety=0.01 2>log &
pid=$!
for _ in $(seq 200); do grep -qs . stopped/run-002.log && break; sleep 0.05; done
kill -TERM $pid
wait $pid && fail "a stopped sweep of threads should exit with 1"
grep -q 'goes on from here' log || fail "threads: no word on how to go on"
grep -q '^run-003,not run,' stopped/results.csv || fail "threads: a run began after the signal"

# a run that fails does not stop the others
cat >mixed.yaml <<'END'
case: bar.yaml
runs:
  - {name: good}
  - {name: bad, set: {time_step: 1000 s}}
END
"$INGOT" sweep mixed.yaml -o mixed -b cpu >table 2>log && fail "a failed run should end in exit 1"
grep -q '^good,complete' mixed/results.csv || fail "the good run is lost"
grep -q 'bad failed' log || fail "the failure is not told"
"$INGOT" sweep mixed.yaml -o mixed-threads -b cpu --each thread >table 2>log && fail "threads: a failed run should end in exit 1"
grep -q '^good,complete' mixed-threads/results.csv || fail "threads: the good run is lost"
grep -q 'bad failed after .*: .*time_step' log || fail "threads: the failure is not told"

# mistakes
wrong() {
  local words=$1
  shift
  "$INGOT" sweep "$@" -o nothing 2>log && fail "$* should fail"
  [ $? = 2 ] || fail "$*: exit code"
  grep -qF -- "$words" log || fail "$*: '$words' is not said"
  [ -e nothing ] && fail "$*: something was written"
}
wrong 'nothing varies' bar.yaml
wrong 'expected KEY=V1' bar.yaml --vary duration
wrong "unknown key 'durtion'" bar.yaml --vary 'durtion=1 s, 2 s'
wrong 'varies twice' bar.yaml --vary duration=1,2 --vary duration=3,4
wrong 'more than 100000 runs' bar.yaml --vary "duration=$(seq -s, 400)" --vary "ambient=$(seq -s, 400)"
printf 'case: bar.yaml\nvarry: {duration: [1 s]}\n' >w.yaml
wrong "did you mean 'vary'" w.yaml
printf 'case: bar.yaml\nruns: [{name: a/b}]\n' >w.yaml
wrong 'is to be a folder' w.yaml
printf 'case: bar.yaml\nruns: [{name: a}, {name: a}]\n' >w.yaml
wrong "two runs are named 'a'" w.yaml
printf 'case: bar.yaml\nruns: [{name: a}, {name: a.log}]\n' >w.yaml
wrong "w.yaml:2:19: the run 'a.log' has the name of the log of run 'a'" w.yaml
printf 'case: bar.yaml\nruns:\n  - {name: a}\n  - {name: b, set: {duration: 3 m}}\n' >w.yaml
wrong "w.yaml:4:31: 'duration' is '3 m'" w.yaml
printf 'case: bar.yaml\nvary:\n  duration: [1 s, 2 kg]\n' >w.yaml
wrong "w.yaml:3:19: 'duration' is '2 kg'" w.yaml
wrong "--vary duration: 'duration' is '2 kg'" bar.yaml --vary 'duration=1 s, 2 kg'
printf 'case: none.yaml\nvary: {duration: [1 s, 2 s]}\n' >w.yaml
wrong "w.yaml:1:7: 'case': cannot read 'none.yaml'" w.yaml

# an analysis that ends elsewhere is run again, in a sweep too: of what has ended nothing goes on
for physics in structure dynamics; do
  [ $physics = structure ] && analyses='[{kind: static, duration: 1 s}, {kind: static, duration: 1 s}]' ||
    analyses='[{duration: 2 us}, {duration: 2 us}]'
  cat >block.yaml <<END
physics: $physics
mesh: {boxes: {size: [20 mm, 20 mm, 10 mm], cells: [2, 2, 1]}}
materials: {name: s, density: 8000, young: 200 GPa, poisson: 0.3}
supports: {set: zmin, fix: x y z}
loads: {set: zmax, force: [0, 0, -10 kN], history: [[0, 0], [10, 10]]}
analysis: $analyses
output: {count: 1, checkpoint_every: 0}
END
  [ $physics = structure ] || sed -i 's/fix: x y z/fix: xyz/' block.yaml
  length=$([ $physics = structure ] && echo '3 s' || echo '6 us')
  for which in 0 1; do
    rm -rf one two
    "$INGOT" run block.yaml -q -b cpu -o one >log 2>&1 || fail "$physics runs"
    "$INGOT" run block.yaml -q -b cpu -o one --resume -s "analysis[$which].duration=$length" >log 2>&1 || fail "$physics goes on"
    "$INGOT" run block.yaml -q -b cpu -o two -s "analysis[$which].duration=$length" >log 2>&1 || fail "$physics anew"
    cmp -s one/history.csv two/history.csv || fail "$physics: analysis $which ends where the old run ended it"
  done
done

# a table made without running again does not show old results as those of other durations
printf 'case: bar.yaml\nvary: {duration: [1 s, 2 s]}\n' >ends.yaml
"$INGOT" sweep ends.yaml -q -b cpu -o ends >log 2>&1 || fail "two durations"
sed -i 's/1 s, 2 s/3 s, 4 s/' ends.yaml
"$INGOT" dataset ends.yaml -o ends --tables >log 2>&1
grep -q 'complete' ends/results.csv && fail "results of 1 s and 2 s stand beside 3 s and 4 s"
"$INGOT" sweep ends.yaml -q -b cpu -o ends >log 2>&1 || fail "two other durations"
[ "$(grep -c complete ends/results.csv)" = 2 ] || fail "other durations are not run"

# copies started by a launcher do not all write into one folder
PMI_SIZE=4 "$INGOT" run bar.yaml -o copies 2>log && fail "four copies run"
grep -q '4 copies of this case' log || fail "the launcher is not named"
echo "sweep test: good"
