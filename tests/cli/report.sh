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
supports: {set: xmin, fix: all}
loads: {set: xmax, force: [0, 0, -10 N]}
analysis: {duration: 5 us}
output: {count: 3}
END
cat >strip.yaml <<'END'
physics: stress
mesh: {boxes: {name: part, size: [8 mm, 2 mm, 2 mm], cells: [8, 2, 4]}}
materials: {name: steel, young: 200 GPa, poisson: 0.3, yield: 400 MPa, hardening: 2 GPa}
inherent: {strain: [-0.003, -0.003, -0.003]}
supports: {set: zmin, fix: all}
phases:
  - {name: build, kind: build, set: part, height: 1 mm}
probes: {name: tip, point: [8 mm, 1 mm, 2 mm], quantity: uz}
output: {count: 4}
END
run() { "$INGOT" run "$1" --backend cpu --threads 1 --quiet --out "$2" >log 2>&1 || { cat log; fail "$2 does not run"; }; }
for room in topopt fracture; do run "$SOURCE/tests/cli/small/$room.yaml" $room; done
run strip.yaml strip
for conductivity in 20 40; do
  for flux in 1e6 2e6; do
    "$INGOT" run wall.yaml --backend cpu --threads 1 --quiet --out "runs/k$conductivity-q$flux" --set output.count=1 \
      --set "materials.conductivity=$conductivity W/m/K" --set "boundary[0].flux=$flux W/m2" || fail "a run of the sweep fails"
  done
done
run "$SOURCE/tests/cli/chain.yaml" chain
"$INGOT" run wall.yaml --backend cpu --threads 1 --quiet --out wall --report || fail "the wall does not run"
"$INGOT" run bar.yaml --backend cpu --threads 1 --quiet --out bar || fail "the bar does not run"
[ "$("$INGOT" report bar)" = bar/report.html ] || fail "report does not say what it wrote"
"$INGOT" report wall --frames 2 -o two.html >/dev/null || fail "no report of two frames"
[ "$(stat -c %s wall/report.html)" -lt 3000000 ] || fail "the page is too large"

# a sweep's keys are those it varied, not all values of a material's file; figures without rounding, curves by words
cat >rod.yaml <<'END'
physics: dynamics
mesh: {boxes: {size: [50 mm, 10 mm, 10 mm], cells: [5, 1, 1]}}
materials: {name: a, file: S355}
supports: {set: xmin, fix: xyz}
loads: {set: xmax, total: [100 N, 0, 0]}
analysis: {kind: static}
output: {count: 0}
END
"$INGOT" sweep rod.yaml -q -b cpu --out rods --vary 'mesh.boxes[0].size[2]=8 mm, 10 mm' --vary 'materials[0].file=Al6061-T6, S355' 2>log || fail "the sweep of rods fails"
"$INGOT" report rods >/dev/null || fail "no report of rods"
grep -q '<p class="verdict">4 runs, 2 keys differ' rods/report.html || fail "keys of a sweep: $(grep -o '<p class="verdict">[^<]*' rods/report.html)"
grep -q '<th>mesh.boxes\[0\].size\[2\]</th><th>materials\[0\].file</th>' rods/report.html || fail "columns of a sweep: $(grep -o '<table class="runs".*' rods/report.html)"
grep -q '<td>run-001</td><td>complete</td><td>8 mm</td><td>Al6061-T6</td>' rods/report.html || fail "values of a sweep"
grep -q '<th class="aside">static_error</th>' rods/report.html || fail "a figure of the computation is not marked"
grep -qE '<th[^>]*>load_x' rods/report.html && fail "a figure that differs by rounding"
grep '<figcaption>displacement_max' rods/report.html | grep -q 'Al6061-T6.*S355' || fail "no curve for each material"
mkdir rods/another && cp rods/run-001/*.* rods/another && "$INGOT" report rods >/dev/null || fail "a run beside the sweep's"
grep -q '5 runs, 8 keys differ' rods/report.html || fail "a run beside the sweep's: cases are not compared"

# modes of a loaded part: its stresses come first, then the shapes; without loads the shapes alone
cat >modes.yaml <<'END'
physics: structure
mesh: {boxes: {size: [10 mm, 10 mm, 50 mm], cells: [1, 1, 4]}}
materials: {name: steel, density: 7850 kg/m3, young: 210 GPa, poisson: 0.3}
supports: {set: zmin, fix: xyz}
loads: {set: zmax, pressure: 1 MPa}
analysis: [{kind: static}, {kind: frequency, modes: 2}]
END
run modes.yaml modes && "$INGOT" report modes >/dev/null || fail "no report of modes"
[ "$(grep -o '"label": "[^"]*' modes/report.html | cut -d'"' -f4 | cut -c1-12 | paste -sd,)" = 'loaded state,mode 1: 3341,mode 2: 3341' ] || fail "states and modes: $(grep '"label"' modes/report.html)"
for name in nodal_von_mises 'mode shape'; do grep -q "\"name\": \"$name\"" modes/report.html || fail "no $name beside modes"; done
"$INGOT" run modes.yaml -q -o bare -s 'analysis=[{kind: frequency, modes: 2}]' -s loads=[] --report || fail "no frequencies"
grep -q '"label": "loaded state' bare/report.html && fail "a state without loads"
grep -q '"name": "mode shape"' bare/report.html || fail "no modes without loads"

# what anybody reads without scripts: the title escaped, figures with units, plots, a picture
grep -q 'a &lt;small&gt; wall &amp; its &quot;plate&quot;' wall/report.html || fail "the title is not escaped"
grep -q '<td>T_max</td><td class="number"[^>]*>' wall/report.html || fail "figures are missing"
grep -q '<svg viewBox' wall/report.html || fail "plots are missing"
grep -q 'src="data:image/png;base64,iVBOR' wall/report.html || fail "the picture is missing"
grep -Eq '(src|href)="(https?:|//)' wall/report.html && fail "the page asks the network"

# what was run: the case with its defaults, mesh, material, energies and the gap of their balance
for words in 'The case, with defaults' '# precision: double' '<td>material</td><td>steel</td>' '<td>mesh</td><td>boxes</td>' \
  '<td>E_stored \[J\]</td>' '<td>balance is off by \[J\]</td>' '<td>stamp</td>'; do
  grep -q -- "$words" wall/report.html || fail "the page does not say: $words"
done
# warnings, in their words; a page of each room, of a chain with its stages side by side, of several runs
grep -q '"warned": \[' topopt/summary.json && grep -q 'pieces' topopt/summary.json || fail "the summary does not hold the warnings"
for page in topopt fracture strip chain runs; do
  "$INGOT" report $page >/dev/null || fail "no report of $page"
  [ "$(stat -c %s $page/report.html)" -lt 3000000 ] || fail "the page of $page is too large"
done
grep -q '<ul class="warned"><li>the part is in' topopt/report.html || fail "the warning is not in the page"
[ "$(grep -o '<figure class="stage">' chain/report.html | wc -l)" = 5 ] || fail "the stages are not side by side"
[ "$(grep -o '<section id="run-' chain/report.html | wc -l)" = 5 ] || fail "stages are missing"
# figures of the chain and of its stages are in units for reading: grams and cubic millimetres of a part of centimetres
grep -Eq '<td>mass</td><td>[0-9.]+ m?g</td>' chain/report.html && grep -Eq '<td>design_volume</td><td>[0-9.]+ mm\^3</td>' chain/report.html ||
  fail "figures of a chain are in SI: $(grep -Eo '<td>(mass|design_volume)[^/]*/td><td>[^<]*' chain/report.html)"
[ "$(grep -o '<figure class="stage">' runs/report.html | wc -l)" = 4 ] || fail "runs have no pictures"
grep -q '<th>materials\[0\].conductivity</th><th>boundary\[0\].flux</th>' runs/report.html || fail "the keys that differ are not found"
grep -q 'aria-label="Map of T_max"' runs/report.html || fail "there is no map"
# hot where the flux is high and the conductivity low: the value stands in its cell
grep -q '<title>k20-q2e6: 461.46' runs/report.html || fail "the map is wrong"
# a run that was killed has no summary: its page says so
cp -r wall killed && rm killed/summary.json && "$INGOT" report killed >/dev/null && grep -q '<b class="running">' killed/report.html ||
  fail "no page of a run without a summary"

# names with commas and quotes stay with their columns, in the page and for other readers of the table
cat >names.yaml <<'END'
physics: thermal
mesh: {boxes: {size: [4 mm, 4 mm, 4 mm], cells: [2, 2, 2]}}
materials: {name: steel, density: 7800 kg/m3, specific_heat: 500 J/kg/K, conductivity: 20 W/m/K}
initial_temperature: 300 K
boundary: [{set: zmin, temperature: 400 K}]
duration: 2 s
probes: [{name: 'left, "low"', point: [0, 0, 0]}, {name: right, point: [4 mm, 4 mm, 4 mm]}]
output: {count: 1, history_every: 5}
END
run names.yaml names
"$INGOT" report names >/dev/null || fail "no report of odd names"
python3 - <<'END' || fail "columns with odd names are mixed up"
import csv, json, re
rows = list(csv.reader(open("names/history.csv", newline="")))
data = json.loads(re.search(r'id="data">(.*?)</script>', open("names/report.html", encoding="utf-8").read(), re.S)[1])
history = data["runs"][0]["history"]
assert history["names"] == rows[0] and 'left, "low" [K]' in rows[0], history["names"]
for c, name in enumerate(rows[0]):
    assert len(history["columns"][c]) == len(rows) - 1
    assert abs(history["columns"][c][-1] - float(rows[-1][c])) <= 1e-6 * abs(float(rows[-1][c])), name
END

# a result of somebody else: whatever its files say is text, links in it are not followed, and the
# page's policy admits no script but ours
cp -r wall hostile && python3 - <<'END' || fail "cannot make the hostile folder"
import json, os
evil = "<script>document.title='pwned'</script><img src=x onerror=alert(1)>\" ' \u2028</script>"
s = json.load(open("hostile/summary.json"))
def spoil(v):
    if isinstance(v, dict):
        return {(evil + k if k not in ("result", "units", "seconds", "total", "status", "title", "physics", "message", "warned", "rate", "T_max") else k): spoil(x) for k, x in v.items()}
    return [spoil(x) for x in v] if isinstance(v, list) else evil
json.dump(spoil(s), open("hostile/summary.json", "w"))
h = open("hostile/history.csv").read().split("\n", 1)
open("hostile/history.csv", "w").write(h[0] + ',"' + evil.replace('"', '""') + ' [K]"\n' + "\n".join(l + ",1" if l else l for l in h[1].split("\n")))
c = open("hostile/case.yaml").read()
open("hostile/case.yaml", "w").write(c + "\n# " + evil.replace("\u2028", "") + "\n")
os.makedirs("hostiles", exist_ok=True)
os.system("cp -r hostile hostiles/a; cp -r wall hostiles/b")
u = json.load(open("hostiles/b/summary.json"))
u["units"] = {k: evil for k in u["result"]}
json.dump(u, open("hostiles/b/summary.json", "w"))
os.makedirs("linked")
open("secret", "w").write("title: keep this to yourself\n")
os.symlink("../secret", "linked/case.yaml")
os.symlink("../wall/summary.json", "linked/summary.json")
END
for page in hostile hostiles; do
  "$INGOT" report $page >/dev/null || fail "no report of $page"
done
"$INGOT" report linked >log 2>&1 && fail "links out of a result folder are followed"
python3 - hostile/report.html hostiles/report.html wall/report.html <<'END' || fail "a result writes into the page"
import base64, hashlib, html.parser, sys
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.policy, self.inside, self.found = "", None, []
    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        assert not any(k.startswith("on") or k == "style" for k in a), (tag, a)
        assert tag != "img" or a["src"].startswith("data:image/png;base64,"), a
        assert tag in ("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "b", "ul", "li", "figure", "figcaption",
                       "div", "img", "svg", "path", "text", "rect", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "pre",
                       "section", "script", "select", "option", "label", "a"), tag
        if a.get("http-equiv") == "Content-Security-Policy": self.policy = a["content"]
        if tag in ("script", "style"): self.inside = (tag, a.get("type")); self.found.append([tag, a.get("type"), ""])
    def handle_data(self, text):
        if self.inside: self.found[-1][2] += text
    def handle_endtag(self, tag):
        if tag in ("script", "style"): self.inside = None
for name in sys.argv[1:]:
    p = Page()
    p.feed(open(name, encoding="utf-8", newline="").read())
    assert "unsafe" not in p.policy, p.policy
    executed = [f for f in p.found if f[1] is None]
    assert 2 <= len(executed) <= 5 and len([f for f in p.found if f[1]]) == 1, [f[:2] for f in p.found]
    for tag, _, text in executed:
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in p.policy, tag
END

# a picture that lies beside the page is not the page's to replace
echo mine >mine.html.png
"$INGOT" report wall -o mine.html >/dev/null && [ "$(cat mine.html.png)" = mine ] || fail "the report took the name of another file"
[ "$(ls mine.html* | wc -l)" = 2 ] || fail "the report leaves files beside the page: $(ls mine.html*)"

# a damaged last snapshot: the one before is shown, and the page and the log say so
cp -r wall torn && truncate -s 700 torn/snap_000004.vtkhdf
"$INGOT" report torn >/dev/null 2>log || fail "a damaged snapshot ends the report"
grep -q "torn: the last snapshot, snap_000004.vtkhdf, cannot be read" log || fail "the log does not name the damaged snapshot"
grep -q 'The last snapshot, snap_000004.vtkhdf, cannot be read. The picture is of snap_000003.vtkhdf' torn/report.html ||
  fail "the page does not say that a snapshot is damaged"
grep -q 'src="data:image/png;base64,iVBOR' torn/report.html || fail "the sound snapshots are not drawn"
[ "$(grep -c '"label": "t = ' torn/report.html)" = 4 ] || fail "the 3D view has not the sound snapshots"
for snapshot in torn/snap_*.vtkhdf; do truncate -s 300 "$snapshot"; done
"$INGOT" report torn >/dev/null 2>log && grep -q 'No snapshot can be read' torn/report.html || fail "nothing is said of damaged snapshots"

# a folder that is no result; a next run removes the page of the former one
mkdir empty
"$INGOT" report empty >log 2>&1 && fail "a folder without a result was accepted"
grep -q 'holds no summary.json' log || fail "the message does not say what is missing: $(cat log)"
"$INGOT" run bar.yaml --backend cpu --threads 1 --quiet --out bar || fail "the bar does not run again"
[ ! -e bar/report.html ] || fail "the former run's report is still there"
"$INGOT" report bar >/dev/null || fail "no second report"

command -v chromium >/dev/null || { echo "Chromium is not installed"; exit 77; }
grep -q 'THREE' wall/report.html || { echo "three.js was not there when Ingot was built"; exit 77; }
flags="--headless --no-sandbox --disable-quic --no-first-run --disable-background-networking --disable-component-update
  --disable-sync --disable-dev-shm-usage --user-data-dir=$work/browser"
echo '<p>alive</p>' >alive.html # a snap sees no file here
# a browser that cannot start here says nothing about the page
silent() { # page
  # shellcheck disable=SC2086
  timeout 250 chromium $flags --dump-dom "file://$work/alive.html" 2>browser.log | grep -q '<p>alive' ||
    { echo "Chromium does not start here"; exit 77; }
  fail "$1: no answer; $(tail -n 3 browser.log)"
}
browse() { # page, more options
  local page=$1
  shift
  # shellcheck disable=SC2086
  timeout 400 chromium $flags "$@" --virtual-time-budget=30000 --dump-dom "file://$work/$page#selftest" 2>browser.log |
    tee dom.html | grep -o 'data-selftest="[^"]*"\|data-errors="[^"]*"' | sed 's/&quot;/"/g'
}
look() { # result, expression of Python over r
  python3 - "$1" "$2" <<'END' || fail "$1: not $2"
import json, sys
r = json.loads(sys.argv[1].split("=", 1)[1][1:-1])
sys.exit(not eval(sys.argv[2]))
END
}
software="--use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader"
# the chain's page has a view of every kind of part: print, design, load, crack
for page in wall/report.html fracture/report.html chain/report.html; do
  # shellcheck disable=SC2086
  r=$(browse $page $software)
  [ -n "$r" ] || silent $page
  look "$r" 'r["errors"] == []'
  look "$r" 'len(r["plots"]) >= 1 and min(r["plots"]) >= 3'
  look "$r" 'len(r["views"]) == (5 if "chain" in "'$page'" else 1)'
  look "$r" 'r["views"][0]["frames"] >= 2 and all(v["last"]["count"] > 5000 for v in r["views"])'
  look "$r" 'r["views"][0]["last"]["sum"] != r["views"][0]["first"]["sum"]'
  [ $page != wall/report.html ] || look "$r" 'r["keys"] == {"turns": True, "zooms": True, "resets": True}'
done
r=$(browse wall/report.html --disable-3d-apis)
look "$r" 'r["errors"] == [] and r["views"] == [None] and r["pictures"] == 1 and min(r["plots"]) >= 4'
# a page written where the libraries are missing: the picture and the plots of Ingot itself, no error
python3 - <<'END' || fail "the libraries are not where they were"
import re
page = open("wall/report.html", encoding="utf-8").read()
bare = re.sub(r"<script>(?!\n)[^\0]*?</script>\n", "", page)
assert len(bare) < len(page) - 500000
open("wall/bare.html", "w", encoding="utf-8").write(bare)
END
r=$(browse wall/bare.html $software)
look "$r" 'r["errors"] == [] and r["views"] == [None] and r["pictures"] == 1 and r["plots"] == []'
grep -q '<svg viewBox' dom.html || fail "without libraries there are no plots"
# on paper: the picture and the plots
# shellcheck disable=SC2086
timeout 250 chromium $flags $software --virtual-time-budget=8000 --print-to-pdf="$work/wall.pdf" "file://$work/wall/report.html" 2>browser.log
[ "$(stat -c %s wall.pdf 2>/dev/null || echo 0)" -gt 50000 ] || fail "the page does not print"
# the sorted table of runs; no sideways scrolling on a telephone
r=$(browse runs/report.html)
look "$r" 'r["errors"] == [] and r["pictures"] == 4 and r["sorted"] is True'
r=$(browse wall/report.html $software --window-size=375,800)
look "$r" 'r["sideways"] <= 0'
echo "reports read"
