#!/bin/sh
# Where the time of the bridge goes on a GPU: parts of a coarse step, fine steps alone in windows of
# several sizes, then eight layers of its legs and of its deck, pauses included: eight layers fill
# the coarse cells of the top once. About 90 s on an H200.
#   bench/powder/profile.sh build/ingot [FOLDER]
set -eu
ingot=$1
case=$(dirname "$0")/../../cases/powder/bridge.yaml
out=${2:-$(mktemp -d)}
"$ingot" bench powder --backend cuda
command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=clocks.sm --format=csv,noheader
for at in "121 4.8mm" "401 10.4mm"; do
  layer=${at% *}
  "$ingot" run "$case" -b cuda -o "$out/$layer" -s hatch.first_layer="$layer" -s hatch.layers=8 \
    -s grid.plate="${at#* }" -s duration=370.05s -s output.history_every=1000000 \
    -s output.count=1 >"$out/log" 2>&1 || { cat "$out/log"; exit 1; }
  echo "layers $layer to $((layer + 7)):"
  grep -E '^(time|rate|T_max|melt_length_max|melt_width_mean|melt_depth_mean|energy_gap|fine_steps|coarse_steps|window_moves)' "$out/log"
done
