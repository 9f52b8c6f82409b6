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
