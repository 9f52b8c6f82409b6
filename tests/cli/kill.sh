# A run killed at 20 random moments always goes on from its checkpoint, to the same files byte for byte;
# and every room killed a few times. LIVES=50 kill.sh (make campaign): that many times each.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/kill.yaml" <<'END'
physics: thermal
title: killed again and again
backend: cpu
threads: 2
mesh:
  boxes:
    - {size: [20 mm, 20 mm, 4 mm], cells: [40, 40, 8]}
  sets:
    - {name: spot, of: faces, box: {min: [5 mm, 5 mm, 3.9 mm], max: [10 mm, 10 mm, 4.1 mm]}}
materials:
  - {name: steel, density: 7955, conductivity: [[300 K, 13.96], [1400 K, 31.24]], specific_heat: 500}
duration: 2 s
boundary:
  - {set: spot, flux: 2 MW/m^2}
  - {set: surface, convection: 20 W/(m^2 K), emissivity: 0.4}
output: {count: 10, history_every: 20, checkpoint_every: 0.02 s}
END
cd "$work"
start=$(date +%s%N)
"$INGOT" run kill.yaml -q -o whole || { echo "the whole run fails"; exit 1; }
length=$((($(date +%s%N) - start) / 1000000)) # ms

go() { # starts or goes on, in the background
  if [ -e cut/checkpoint.h5 ]; then
    resumed=$((resumed + 1))
    "$INGOT" run kill.yaml -q -o cut -r cut/checkpoint.h5 2>errors &
  else
    "$INGOT" run kill.yaml -q -o cut 2>errors &
  fi
  pid=$!
}
RANDOM=${SEED:-4711}
kills=0 finished=0 resumed=0
while [ $kills -lt 20 ] || { [ $resumed -lt 5 ] && [ $kills -lt 60 ]; }; do
  # mostly early in what is left, so that twenty lives fit into one run; at any moment while there is
  # no checkpoint yet, and now and then
  if [ -e cut/checkpoint.h5 ] && [ $((kills % 5)) != 4 ]; then span=$((length / 3)); else span=$length; fi
  go
  wait_ms=$((RANDOM % (span + 50)))
  sleep "$(printf '%d.%03d' $((wait_ms / 1000)) $((wait_ms % 1000)))"
  if kill -9 $pid 2>/dev/null; then
    wait $pid 2>/dev/null
    kills=$((kills + 1))
  else
    wait $pid || { echo "after $kills kills: $(cat errors)"; exit 1; }
    finished=$((finished + 1))
    rm -rf cut # it came to its end: from the start again
  fi
  if [ -s errors ]; then
    echo "after $kills kills: $(cat errors)"
    exit 1
  fi
done
go
wait $pid || { echo "the last life fails: $(cat errors)"; exit 1; }
count=0
for file in whole/snap_*.vtkhdf whole/snap.*.series whole/history.csv; do
  cmp "$file" "cut/$(basename "$file")" || exit 1
  count=$((count + 1))
done
[ "$(ls whole | wc -l)" = "$(ls cut | wc -l)" ] || { echo "left behind:"; diff <(ls whole) <(ls cut); exit 1; }

# all rooms with every assembly, and a chain: each killed a few times, then let go to its end; all files are compared
cp "$SOURCE"/tests/cli/small/*.yaml .
. "$SOURCE/tests/cli/lib/same.bash"
for room in $trials_of_rooms; do
  options=$(room_options "$room")
  case $room in chain) ;; *) options="$options --resume" ;; esac # a chain goes on by itself
  start=$(date +%s%N)
  # shellcheck disable=SC2086 # options are words
  "$INGOT" run "${room%,*}.yaml" -q -b cpu -t 1 -o "whole-$room" $options 2>errors || { echo "$room: $(cat errors)"; exit 1; }
  length=$((($(date +%s%N) - start) / 1000000))
  # killed after the last checkpoint and before the summary: goes on from the end
  if [ -e "whole-$room/checkpoint.h5" ]; then
    cp -r "whole-$room" "last-$room"
    rm "last-$room/summary.json"
    # shellcheck disable=SC2086
    "$INGOT" run "${room%,*}.yaml" -q -b cpu -t 1 -o "last-$room" $options 2>errors || { echo "$room, killed before its summary: $(cat errors)"; exit 1; }
    differs=$(same "whole-$room" "last-$room") || { echo "$room, killed before its summary: $differs differs"; exit 1; }
  fi
  lives=${LIVES:-3}
  case $room in *,*) lives=$(((lives + 2) / 3)) ;; esac # they differ in state only
  for life in $(seq "$lives"); do
    # shellcheck disable=SC2086
    "$INGOT" run "${room%,*}.yaml" -q -b cpu -t 1 -o "cut-$room" $options 2>errors &
    pid=$!
    wait_ms=$((RANDOM % length))
    sleep "$(printf '%d.%03d' $((wait_ms / 1000)) $((wait_ms % 1000)))"
    kill -9 $pid 2>/dev/null && kills=$((kills + 1))
    wait $pid 2>/dev/null
  done
  # shellcheck disable=SC2086
  "$INGOT" run "${room%,*}.yaml" -q -b cpu -t 1 -o "cut-$room" $options 2>errors || { echo "$room: $(cat errors)"; exit 1; }
  differs=$(same "whole-$room" "cut-$room") || { echo "$room: $differs differs after $kills kills"; exit 1; }
  count=$((count + $(find "whole-$room" -type f | wc -l)))
done
echo "$kills kills, $resumed lives began at a checkpoint, $finished runs came to their end before, $count files the same"
[ $resumed -ge 5 ]
