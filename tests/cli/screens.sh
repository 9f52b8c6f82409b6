# Screenshots of pages in Chromium against recorded ones (screens.txt): a heated wall at the size of a desk and of a
# telephone, a bent bar, a melt pool, a design, a cracked strip. --record writes them anew; look at the pictures before.
set -u
command -v chromium >/dev/null || { echo "Chromium is not installed"; exit 77; }
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo "no NumPy"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "$*"; exit 1; }
cat >wall.yaml <<'END'
physics: thermal
title: a wall
mesh: {boxes: {size: [10 mm, 4 mm, 4 mm], cells: [20, 8, 8]}}
materials: {name: steel, density: 7800 kg/m3, specific_heat: 500 J/kg/K, conductivity: 20 W/m/K}
initial_temperature: 300 K
boundary: [{set: zmax, flux: 2e6 W/m2}]
duration: 0.4 s
output: {count: 4}
END
"$INGOT" run wall.yaml -b cpu -t 1 -q -o wall --report || fail "the wall does not run"
grep -q 'THREE' wall/report.html || { echo "three.js was not there when Ingot was built"; exit 77; }
cat >bar.yaml <<'END'
physics: dynamics
mesh: {boxes: {size: [60 mm, 10 mm, 10 mm], cells: [12, 2, 2]}}
materials: {name: steel, density: 7850 kg/m3, young: 210 GPa, poisson: 0.3}
supports: {set: xmin, fix: all}
loads: {set: xmax, force: [0, 0, -10 N]}
analysis: {kind: static}
END
"$INGOT" run bar.yaml -b cpu -t 1 -q -o bar --report || fail "the bar does not run"
cat >track.yaml <<'END'
physics: thermal
title: a track
mesh: {boxes: {size: [6 mm, 4 mm, 1 mm], cells: [24, 16, 4]}}
materials: {name: steel, density: 7950, conductivity: 25, specific_heat: 600, solidus: 1658 K, liquidus: 1723 K, latent_heat: 260 kJ/kg, absorptivity: 0.8}
boundary: [{set: zmin, convection: 2 kW/(m^2 K)}]
beams: [{model: surface, radius: 0.5 mm, raster: {power: 150 W, speed: 20 mm/s, spacing: 1 mm, layer_height: 1 mm, layers: 1, regions: {min: [1 mm, 2 mm], max: [5 mm, 2.5 mm]}}}]
duration: 0.2 s
output: {count: 2}
END
"$INGOT" run track.yaml -b cpu -t 1 -q -o track --report || fail "the track does not run"
grep -q '"solidus": *1658' track/report.html || fail "the page does not know the solidus"
for room in topopt fracture; do
  "$INGOT" run "$SOURCE/tests/cli/small/$room.yaml" -b cpu -t 1 -q -o $room --report 2>/dev/null || fail "$room does not run"
done
flags="--headless --no-sandbox --disable-quic --no-first-run --disable-background-networking --disable-component-update
  --disable-sync --disable-dev-shm-usage --user-data-dir=$work/browser --hide-scrollbars --force-device-scale-factor=1
  --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader --virtual-time-budget=20000"
echo '<p>alive</p>' >alive.html # a snap sees no file here
silent() { # page; a browser that cannot start here says nothing about it
  # shellcheck disable=SC2086
  timeout 250 chromium $flags --dump-dom "file://$work/alive.html" 2>browser.log | grep -q '<p>alive' ||
    { echo "Chromium does not start here"; exit 77; }
  fail "no picture of $1"
}
shot() { # page, size, name
  # shellcheck disable=SC2086
  timeout 250 chromium $flags --window-size="$2" --screenshot="$work/$3.png" "file://$work/$1/report.html" 2>browser.log
  [ -s "$3.png" ] || silent "$1"
}
shot wall 1300,1000 desk
shot wall 390,844 phone
shot bar 1300,1000 bar # bent, its outline beside it, stress smoothed
shot track 1300,1000 track # melt in colors of its own
shot topopt 1300,1000 design
shot fracture 1300,1000 crack
if [ "${1:-}" = --record ] && [ -d "${2:-}" ]; then cp ./*.png "$2"; fi
/usr/bin/python3 "$SOURCE/tests/cli/screens.py" ${1:+"$1"} "$SOURCE/tests/cli/screens.txt" desk=desk.png phone=phone.png bar=bar.png track=track.png design=design.png crack=crack.png ||
  fail "pages look other than recorded"
# what the test is for: a page whose part is missing is noticed
/usr/bin/python3 "$SOURCE/tests/cli/screens.py" "$SOURCE/tests/cli/screens.txt" desk=design.png >/dev/null && fail "another page is taken for this one"
exit 0
