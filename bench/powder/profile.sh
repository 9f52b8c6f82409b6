#!/bin/sh
# Where the time of the bridge goes on a GPU: parts of a coarse step, fine steps alone in windows of
# several sizes, then layers of its legs and of its deck, pauses included. Eight layers fill the
# coarse cells of the top once; the first ones take the most coarse steps. With LEGS=8 DECK=4, the
# defaults, about 60 s on an H200 (3.6 and 5.3 s a layer), with DECK=8 about 85 s.
#   [LEGS=8] [DECK=4] bench/powder/profile.sh build/ingot [FOLDER]
set -eu
ingot=$1
case=$(dirname "$0")/../../cases/powder/bridge.yaml
out=${2:-$(mktemp -d)}
mkdir -p "$out"
"$ingot" bench powder --backend cuda
command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=clocks.sm --format=csv,noheader
for at in "121 4.8mm ${LEGS:-8}" "401 10.4mm ${DECK:-4}"; do
  layer=${at%% *} layers=${at##* } plate=${at#* }
  "$ingot" run "$case" -b cuda -o "$out/$layer" -s hatch.first_layer="$layer" -s hatch.layers="$layers" \
    -s grid.plate="${plate% *}" -s duration="$(awk "BEGIN { print ($layers - 1) * 52.15 + 5 }")s" \
    -s output.history_every=1000000 -s output.count=1 >"$out/log-$layer" 2>&1 || { cat "$out/log-$layer"; exit 1; }
  echo "layers $layer to $((layer + layers - 1)):"
  grep -E '^(time|rate|T_max|melt_length_max|melt_width_mean|melt_depth_mean|energy_gap|fine_steps|coarse_steps|window_moves)' "$out/log-$layer"
done
