#!/bin/bash
# Numbers that a stage of a chain takes from another: factor * figure + sum, checked against the range
# and the unit of the key that they stand for, when they are known.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0
fail() { echo "FAIL: $*"; bad=1; }
design='grid: {elements: [8, 4, 0]}
    supports: {set: xmin}
    loads: {set: xmax, force: [0, -1, 0], spread: nodes}
    iterations: 2'
chain() { # the number
  cat >chain.yaml <<END
output: {compression: 0, every: 1, history_every: 1}
stages:
  one:
    physics: topopt
    volume: 0.5
    $design
    output: {count: 1}
  two:
    physics: topopt
    $design
    $1
END
  rm -rf out
  "$INGOT" run chain.yaml -q -t 1 --out out >said 2>&1
}
volume() { sed -n 's/^volume: //p' out/two/case.yaml; }
works() { # key, its value in the second stage
  chain "$1" || fail "$1: $(cat said)"
  awk -v a="$(volume)" -v b="$2" 'BEGIN { d = a - b; exit !(d < 1e-6 && -d < 1e-6) }' || fail "$1: $(volume) instead of $2"
}
refused() { # key, words of the message, whether the first stage ran
  chain "$1" && fail "$1 was taken"
  grep -qF -- "$2" said || fail "$1: $(cat said)"
  grep -q 'chain.yaml:1[0-9]:' said || fail "$1: no place: $(cat said)"
  [ -e out/one/summary.json ] && ran=yes || ran=no
  [ $ran = "$3" ] || fail "$1: the first stage ran: $ran"
}
works 'volume: {from: one, figure: volume, times: 0.5}' 0.25
works 'volume: {from: one, figure: volume, plus: 0.1}' 0.6
works 'volume: {from: one, figure: volume, times: 200 %, plus: -60 %}' 0.4
refused 'volume: {from: one, figure: volume, plus: 0.6}' "'volume' becomes 1.1 (figure 'volume' of stage 'one' is 0.49" yes
# a figure that no run of the stage gives is refused before the first stage; one that this run does not give, when it is wanted
refused 'volume: {from: one, figure: valume}' "stage 'one' gives no figure 'valume' that is a number: did you mean 'volume'?" no
refused 'volume: {from: one, figure: stopped}' "gives no figure 'stopped' that is a number: see \`ingot help topopt\`" no
refused 'volume: {from: one, figure: max_stress}' "stage 'one' has left no figure 'max_stress'" yes
"$INGOT" check chain.yaml >said 2>&1 || fail "a figure that a stage may give: $(cat said)"
sed -i 's/max_stress/maxx_stress/' chain.yaml
"$INGOT" check chain.yaml >said 2>&1 && fail 'check takes a figure that no run gives'
grep -q "chain.yaml:1[0-9]:[0-9]*: stage 'one' gives no figure 'maxx_stress' that is a number: did you mean 'max_stress'" said || fail "check: $(cat said)"
printf 'report: {stage: one, figure: masss, name: m}\n' >>chain.yaml
sed -i 's/maxx_stress/max_stress/' chain.yaml
"$INGOT" check chain.yaml >said 2>&1 && fail 'check takes a report of a figure that no run gives'
grep -q "chain.yaml:[0-9]*:[0-9]*: stage 'one' gives no figure 'masss' that is a number: did you mean 'mass'" said || fail "report: $(cat said)"
refused 'volume: {from: one, figure: volume, plus: 1 mm}' "plus '1 mm': that is a length" no
refused 'volume: {from: one, figure: volume, time: 0.5}' "did you mean 'times'?" no
refused 'filter: {radius: {from: one, figure: nothing, pluss: 1}}' "did you mean 'plus'?" no
# keys of `output` beside the stages hold one by one; of every, interval, count and times a stage has one
works 'volume: {from: one, figure: volume}' 0.5
grep -q '^  compression: 0' out/one/case.yaml && grep -q '^  history_every: 1' out/one/case.yaml &&
  grep -q '^  count: 1' out/one/case.yaml && ! grep -q '^  every' out/one/case.yaml || fail "output: $(cat out/one/case.yaml)"
exit $bad
