# The report page: whole without scripts; in a browser, plots with points, the part's pixels in 3D,
# a time slider that changes them; pictures where there is no WebGL; no error of any script.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*"; exit 1; }
cat >wall.yaml <<'END'
physics: thermal
title: a <small> wall & its "plate"
mesh: {boxes: {size: [10 mm, 4 mm, 4 mm], cells: [20, 8, 8]}}
materials: {name: steel, density: 7800 kg/m3, specific_heat: 500 J/kg/K, conductivity: 20 W/m/K, liquidus: 1700 K, solidus: 1600 K}
initial_temperature: 300 K
boundary: [{set: zmax, flux: 2e6 W/m2}]
duration: 0.4 s
output: {count: 4}
END
cat >bar.yaml <<'END'
physics: dynamics
mesh: {boxes: {size: [8 mm, 2 mm, 2 mm], cells: [8, 2, 2]}}
materials: {name: steel, density: 7850 kg/m3, young: 210 GPa, poisson: 0.3}
supports: {set: xmin}
loads: {set: xmax, force: [0, 0, -10 N]}
analysis: {duration: 5 us}
output: {count: 3}
END
"$INGOT" run wall.yaml --backend cpu --threads 1 --quiet --out wall --report || fail "the wall does not run"
"$INGOT" run bar.yaml --backend cpu --threads 1 --quiet --out bar || fail "the bar does not run"
[ "$("$INGOT" report bar)" = bar/report.html ] || fail "report does not say what it wrote"
"$INGOT" report wall --frames 2 -o two.html >/dev/null || fail "no report of two frames"
[ "$(stat -c %s wall/report.html)" -lt 3000000 ] || fail "the page is too large"

# what anybody reads without scripts: the title escaped, figures with units, plots, a picture
grep -q 'a &lt;small&gt; wall &amp; its &quot;plate&quot;' wall/report.html || fail "the title is not escaped"
grep -q '<td>T_max</td><td class="number">' wall/report.html || fail "figures are missing"
grep -q '<svg viewBox' wall/report.html || fail "plots are missing"
grep -q 'src="data:image/png;base64,iVBOR' wall/report.html || fail "the picture is missing"
grep -Eq '(src|href)="(https?:|//)' wall/report.html && fail "the page asks the network"

# a folder that is no result; a next run removes the page of the former one
"$INGOT" report . >log 2>&1 && fail "a folder without a result was accepted"
grep -q 'holds no summary.json' log || fail "the message does not say what is missing: $(cat log)"
"$INGOT" run bar.yaml --backend cpu --threads 1 --quiet --out bar || fail "the bar does not run again"
[ ! -e bar/report.html ] || fail "the former run's report is still there"
"$INGOT" report bar >/dev/null || fail "no second report"

command -v chromium >/dev/null || { echo "Chromium is not installed"; exit 77; }
grep -q 'THREE' wall/report.html || { echo "three.js was not there when Ingot was built"; exit 77; }
flags="--headless --no-sandbox --disable-quic --no-first-run --disable-background-networking --disable-component-update
  --disable-sync --disable-dev-shm-usage --user-data-dir=$work/browser"
# a browser that cannot start here says nothing about the page
# shellcheck disable=SC2086
timeout 100 chromium $flags --dump-dom 'data:text/html,<p>alive</p>' 2>browser.log | grep -q alive ||
  { echo "Chromium does not start here"; exit 77; }
browse() { # page, more options
  local page=$1
  shift
  # shellcheck disable=SC2086
  timeout 200 chromium $flags "$@" --virtual-time-budget=30000 --dump-dom "file://$work/$page#selftest" 2>browser.log |
    grep -o 'data-selftest="[^"]*"\|data-errors="[^"]*"' | sed 's/&quot;/"/g'
}
look() { # result, expression of Python over r
  python3 - "$1" "$2" <<'END' || fail "$1: not $2"
import json, sys
r = json.loads(sys.argv[1].split("=", 1)[1][1:-1])
sys.exit(not eval(sys.argv[2]))
END
}
software="--use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader"
for page in wall/report.html bar/report.html; do
  # shellcheck disable=SC2086
  r=$(browse $page $software)
  [ -n "$r" ] || fail "$page: no answer; $(tail -n 3 browser.log)"
  look "$r" 'r["errors"] == []'
  look "$r" 'len(r["plots"]) >= 1 and min(r["plots"]) >= 4'
  look "$r" 'r["views"][0]["frames"] >= 4 and r["views"][0]["last"]["count"] > 5000'
  look "$r" 'r["views"][0]["last"]["sum"] != r["views"][0]["first"]["sum"]'
done
r=$(browse wall/report.html --disable-3d-apis)
look "$r" 'r["errors"] == [] and r["views"] == [None] and r["pictures"] == 1 and min(r["plots"]) >= 4'
echo "reports read"
