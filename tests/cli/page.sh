# Reading numbers off the report page in a browser: a click, the largest value, a line, clip planes, thresholds and
# times give what NumPy reads from the snapshots; plots are saved as tables; nothing is written to the console.
set -u
command -v chromium >/dev/null || { echo "Chromium is not installed"; exit 77; }
python=/usr/bin/python3
$python -c 'import h5py, numpy' 2>/dev/null || { echo "h5py is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*"; exit 1; }
cat >wall.yaml <<'END'
physics: thermal
mesh: {boxes: {size: [10 mm, 4 mm, 4 mm], cells: [20, 8, 8]}}
materials: {name: steel, density: 7800 kg/m3, specific_heat: 500 J/kg/K, conductivity: 20 W/m/K, liquidus: 1700 K, solidus: 1600 K}
initial_temperature: 300 K
boundary: [{set: zmax, flux: 2e6 W/m2}]
duration: 0.4 s
output: {count: 4}
END
"$INGOT" run wall.yaml --backend cpu --threads 1 --quiet --out wall --report || fail "the wall does not run"
grep -q 'THREE' wall/report.html || { echo "three.js was not there when Ingot was built"; exit 77; }

# text that can be read: at least 4.5 to 1 (WCAG 2.1, 1.4.3), light and dark
$python - wall/report.html <<'END' || fail "colors of the page have too little contrast"
import re, sys
style = re.search(r"<style>(.*?)</style>", open(sys.argv[1], encoding="utf-8").read(), re.S)[1]
def light(rgb):
    part = [int(rgb[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    part = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in part]
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2]
sets = re.findall(r":root \{([^}]*)\}", style)
assert len(sets) == 2
for one in sets:
    color = dict(re.findall(r"--(\w+): (#\w{6})", one))
    for ink in ("ink", "soft", "accent", "good", "bad"):
        for paper in ("paper", "panel"):
            a, b = sorted((light(color[ink]), light(color[paper])))
            assert (b + 0.05) / (a + 0.05) >= 4.5, (ink, paper, (b + 0.05) / (a + 0.05))
END

# a page of several runs stays small, too: three stages with two fields of noise share its size
cat >plate.yaml <<'END'
physics: thermal
mesh: {boxes: {size: [60 mm, 60 mm, 4 mm], cells: [60, 60, 4]}}
materials: {name: steel, density: 7800, specific_heat: 500, conductivity: 20, solidus: 1600, liquidus: 1700}
initial_temperature: 300 K
boundary: {set: xmin, flux: 1e6}
time_step: 1 ms
duration: 24 ms
output: {every: 1, fields: [T, T_peak, melts]}
END
"$INGOT" run plate.yaml -q -b cpu -t 1 --out stages/a || fail "the plate does not run"
$python - <<'END' || fail "cannot write noise"
import glob, h5py, numpy as np
random = np.random.default_rng(1)
for name in glob.glob("stages/a/snap_*.vtkhdf"):
    with h5py.File(name, "r+") as f:
        for field in ("T_peak", "melts"):
            one = f["VTKHDF/CellData/" + field]
            one[...] = random.random(one.shape)
    with open(name, "r+b") as f:
        f.write(bytes(8))  # not as Ingot wrote it: without its checksum
END
for stage in b c; do cp -r stages/a stages/$stage; done
echo '{"chain": "three", "status": "complete", "stages": {"a": {"status": "complete"}, "b": {"status": "complete"}, "c": {"status": "complete"}}}' >stages/summary.json
"$INGOT" report stages >/dev/null || fail "no page of three stages"
[ "$(grep -o '"view": {' stages/report.html | wc -l)" = 3 ] || fail "a stage has no view"
[ "$(stat -c %s stages/report.html)" -lt 3000000 ] || fail "the page of three stages is too large: $(stat -c %s stages/report.html)"

# a script is admitted like ours, by its hash
inject() { # page, script, new page
  $python - "$@" <<'END'
import base64, hashlib, sys
page, script = (open(name, encoding="utf-8").read() for name in sys.argv[1:3])
digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
page = page.replace("script-src", "script-src 'sha256-%s'" % digest, 1).replace("</body>", "<script>%s</script></body>" % script)
open(sys.argv[3], "w", encoding="utf-8").write(page)
END
}
inject wall/report.html "$SOURCE/tests/cli/page.js" wall/read.html
flags="--headless --no-sandbox --disable-quic --no-first-run --disable-background-networking --disable-component-update
  --disable-sync --disable-dev-shm-usage --enable-logging=stderr --user-data-dir=$work/browser"
echo '<p>alive</p>' >alive.html # a snap sees no file here
# shellcheck disable=SC2086
timeout 250 chromium $flags --dump-dom "file://$work/alive.html" 2>browser.log | grep -q '<p>alive' ||
  { echo "Chromium does not start here"; exit 77; }
browse() { # page
  # shellcheck disable=SC2086
  timeout 400 chromium $flags --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader --window-size=1300,1000 \
    --virtual-time-budget=60000 --dump-dom "file://$work/$1" 2>browser.log >dom.html
  grep 'CONSOLE' browser.log | grep -v 'GPU stall due to ReadPixels' && fail "$1 writes to the console"
}
browse wall/read.html
$python - <<'END' || fail "the page does not say what NumPy reads"
import csv, glob, html, io, json, re
import h5py, numpy as np
found = re.search(r'data-read="([^"]*)"', open("dom.html", encoding="utf-8").read())
assert found, "no answer"
r = json.loads(html.unescape(found[1]))
assert "error" not in r, r["error"]
class Snap:
    def __init__(self, path):
        f = h5py.File(path)["VTKHDF"]
        self.p, self.T, self.peak = f["Points"][:], f["PointData/T"][:], f["CellData/T_peak"][:]
        self.corner = f["Connectivity"][:].reshape(-1, 8)
        self.time = f["FieldData/TimeValue"][0]
snaps = [Snap(n) for n in sorted(glob.glob("wall/snap_*.vtkhdf"))]
last = snaps[-1]
span = max(s.T.max() for s in snaps) - min(s.T.min() for s in snaps)
step, size = span / 65534, 0.01 / 65535
def same(s, snap, cells=False):
    node, cell = int(s["node"]), int(s["cell"])
    xyz = np.array([float(s[c]) for c in "xyz"])
    assert np.abs(xyz - snap.p[node]).max() <= size, (s, snap.p[node])
    assert node in snap.corner[cell], s
    value = snap.peak[cell] if cells else snap.T[node]
    tolerance = snaps[-1].peak.max() / 65534 if cells else step
    assert abs(float(s["value"]) - value) <= tolerance, (s, value)
    return xyz
assert len(r["clicks"]) > 20
for s in r["clicks"]:
    same(s, last)
# what is seen from the front, right and above lies on those faces
on = [same(s, last) for s in r["clicks"]]
assert all(abs(x[1]) < 1e-6 or abs(x[0] - 0.01) < 1e-6 or abs(x[2] - 0.004) < 1e-6 for x in on)
one = r["clicks"][0]
assert re.fullmatch(r"T = [\d.]+ K; node \d+: [\d.]+ K; cell \d+; at \([\d., e-]+\) mm; t = 400 ms", one["text"]), one["text"]
assert abs(float(r["largest"]["value"]) - last.T.max()) <= step and abs(float(r["smallest"]["value"]) - last.T.min()) <= step
same(r["largest"], last), same(r["smallest"], last), same(r["middle"], last)
assert "node" not in r["outside"] and "Click" in r["outside"]["text"]
assert r["times"] == "t = 400 ms" and abs(snaps[-1].time - 0.4) < 1e-9

# the line: temperatures depend on z alone, linearly between nodes
zs = np.unique(last.p[:, 2])
Ts = np.array([last.T[last.p[:, 2] == z].mean() for z in zs])
rows = list(csv.DictReader(io.StringIO(r["line"])))
assert len(rows) == 101 and list(rows[0]) == ["distance [m]", "x [m]", "y [m]", "z [m]", "T [K]"]
for row in rows:
    assert abs(np.interp(float(row["z [m]"]), zs, Ts) - float(row["T [K]"])) <= 5 * step, row
d = np.array([float(row["distance [m]"]) for row in rows])
assert abs(d[0]) < 1e-12 and np.all(np.diff(d) > 0)
ends = [np.array([float(rows[k][c + " [m]"]) for c in "xyz"]) for k in (0, -1)]
assert abs(np.linalg.norm(ends[1] - ends[0]) - d[-1]) < 1e-8
assert r["plotted"]
# plots: the table of the history, and a picture, of each
tables = {f["name"]: f for f in r["saved"]}
assert {f["kind"] for f in r["saved"]} == {"data:text/csv;c", "data:image/png;"}, tables.keys()
history = list(csv.reader(open("wall/history.csv", newline="")))
table = list(csv.reader(io.StringIO(tables["Temperature.csv"]["text"])))
columns = [history[0].index(name) for name in table[0]]
assert len(table) == len(history) and len(columns) >= 2
for a, b in zip(table[1:], history[1:]):
    assert np.allclose([float(v) for v in a], [float(b[c]) for c in columns], rtol=1e-6)
# degrees Celsius: fields, what is read, tables, the line and the plots; then kelvins again
c = r["celsius"]
assert c["fields"] == ["T [°C]", "T_peak [°C]"] and c["back"]["text"] == r["largest"]["text"], c
kelvins, degrees = (float(re.match(r"T = ([\d.]+) ", s["text"])[1]) for s in (r["largest"], c["largest"]))
assert abs(kelvins - 273.15 - degrees) < 0.1 and c["largest"]["text"].count("°C") == 1 and " K" not in c["largest"]["text"], c["largest"]
figures = {name: (float(value), unit) for name, value, unit in c["figures"]}
summary = json.load(open("wall/summary.json"))["result"]
assert figures["T_max"][1] == "°C" and abs(figures["T_max"][0] - (summary["T_max"] - 273.15)) < 0.01, figures
again = list(csv.reader(io.StringIO(c["saved"])))
assert [n.replace("°C", "K") for n in again[0]] == table[0] and "T_max [°C]" in again[0]
k = table[0].index("T_max [K]")
assert all(abs(float(a[k]) - 273.15 - float(b[k])) < 1e-3 for a, b in zip(table[1:], again[1:]))
line = list(csv.DictReader(io.StringIO(c["line"])))
assert abs(float(line[0]["T [°C]"]) + 273.15 - float(rows[0]["T [K]"])) < 1e-6
assert r["pictures"] == {"png": True, "edges": True, "palette": True, "back": True}, r["pictures"]

# clip planes: no point that is read lies beyond (its nearest node at most half a cell)
assert r["clip_at"] == "5 mm" and r["clip_free_at"].endswith(" mm")
assert len(r["clip_x"]) > 5 and all(same(s, last)[0] <= 0.005 + 1e-6 for s in r["clip_x"])
assert len(r["clip_x"]) < len(r["clicks"]) or {s["node"] for s in r["clip_x"]} != {s["node"] for s in r["clicks"]}
n = np.array([0, -np.cos(np.pi / 6), np.sin(np.pi / 6)])
edge = float(r["clip_free_at"].split()[0]) / 1000
assert len(r["clip_free"]) > 5 and max(same(s, last) @ n for s in r["clip_free"]) <= edge + 0.0005
assert max(x @ n for x in on) > edge + 0.0005
# the threshold, a field per cell, an earlier time
assert float(r["kept"]["value"]) >= 400 - step and float(r["kept"]["value"]) < 400 + 0.2 * span
assert r["fields"] == ["T [K]", "T_peak [K]"] and len(r["cells"]) > 20
for s in r["cells"]:
    same(s, last, cells=True)
assert len(r["earlier"]) > 20 and r["earlier_time"].startswith("t = ") and abs(float(r["earlier_time"].split()[2]) - 1e3 * snaps[1].time) < 0.01
for s in r["earlier"]:
    same(s, snaps[1])
assert r["second"] == {"views": 2, "follows": True, "field": "1", "time": ["t = 0 ms"] * 2, "closed": True}, r["second"]
assert r["unnamed"] == [], r["unnamed"]
END

# a surface of more triangles than are asked for is drawn with fewer; every one of its corners is a node of the part
"$INGOT" report wall --triangles 300 -o few.html >/dev/null || fail "no report with few triangles"
grep -q 'The surface is drawn with [0-9]* of its 1536 triangles' few.html || fail "the page does not say that the surface is reduced"
$python - <<'END' || fail "the reduced surface is wrong"
import base64, glob, json, re, zlib
import h5py, numpy as np
def unpack(text, size):
    plane = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8).astype(np.int64).reshape(size, -1)
    z = sum(plane[b] << 8 * b for b in range(size))
    return np.cumsum(np.where(z % 2, -(z + 1) // 2, z // 2))
for name, most in (("wall/report.html", 1536), ("few.html", 300)):
    view = json.loads(re.search(r'id="data">(.*?)</script>', open(name, encoding="utf-8").read(), re.S)[1])["runs"][0]["view"]
    g = view["geometries"][view["frames"][-1]["geometry"]]
    corner, node, cell = unpack(g["corner"], 5).reshape(-1, 3), unpack(g["node"], 5), unpack(g["cell"], 5)
    f = h5py.File(sorted(glob.glob("wall/snap_*.vtkhdf"))[-1])["VTKHDF"]
    p = f["Points"][:][node]
    q = np.array([view["low"][c] + (view["high"][c] - view["low"][c]) * unpack(t, 3) / 65535 for c, t in enumerate(g["position"])]).T
    assert np.abs(p - q).max() <= 0.01 / 65535
    assert 100 < len(corner) <= most and len(cell) == len(corner) and corner.max() < len(node), (name, len(corner))
    # the eight corners of the part are still there; so is its surface, within a cell of the grid
    for k in range(8):
        at = np.array([0.01 * (k & 1), 0.004 * (k >> 1 & 1), 0.004 * (k >> 2)])
        assert np.linalg.norm(p - at, axis=1).min() < 1e-9, at
    a, b, c = (q[corner[:, i]] for i in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
    assert abs(area / 192e-6 - 1) < 0.02, (name, area)
END

# a folder of runs: means over the levels of each key, and the runs that no other beats
for conductivity in 20 40 60; do
  for flux in 1e6 2e6; do
    "$INGOT" run wall.yaml --backend cpu --threads 1 --quiet --out "runs/k$conductivity-q$flux" --set output.count=0 --set 'mesh.boxes.cells=[5, 2, 4]' \
      --set "materials.conductivity=$conductivity W/m/K" --set "boundary[0].flux=$flux W/m2" || fail "a run of the sweep fails"
  done
done
# one that failed has no figures: it is left out, and the others are drawn
cp -r runs/k20-q1e6 runs/k30-q1e6
sed -i 's/20 W\/m\/K/30 W\/m\/K/' runs/k30-q1e6/case.yaml
$python - <<'END'
import json
s = json.load(open("runs/k30-q1e6/summary.json"))
s["status"], s["result"] = "failed", {}
json.dump(s, open("runs/k30-q1e6/summary.json", "w"))
END
"$INGOT" report runs >/dev/null || fail "no report of the runs"
cat >runs.js <<'END'
(async function () {
  const all = (selector) => [...document.querySelectorAll(selector)], choose = (s, name) => {
    const e = document.querySelector(s);
    e.value = [...e.options].findIndex((o) => o.textContent.startsWith(name));
    e.dispatchEvent(new Event("change"));
  };
  for (let k = 0; k < 50 && !all(".response").length; k++) await new Promise((r) => setTimeout(r, 100));
  choose(".response", "T_max");
  choose(".against", "T_min");
  const goals = all(".responses select");
  goals[3].value = "1"; /* hot where it is coldest is good */
  goals[3].dispatchEvent(new Event("change"));
  document.body.dataset.read = JSON.stringify({ effects: all(".effect").map((e) => Object.assign({}, e.dataset)),
    best: all(".best").map((e) => e.dataset.run), rest: all(".rest").map((e) => e.dataset.run), lines: all(".run").length,
    text: document.querySelector(".front").textContent, left: document.querySelector(".left").textContent });
})();
END
inject runs/report.html runs.js runs/read.html
browse runs/read.html
$python - <<'END' || fail "response plots are wrong"
import glob, html, json, os, re
import numpy as np
r = json.loads(html.unescape(re.search(r'data-read="([^"]*)"', open("dom.html", encoding="utf-8").read())[1]))
runs = {}
for name in glob.glob("runs/*/summary.json"):
    result = json.load(open(name))["result"]
    if not result:
        continue
    k, q = re.fullmatch(r"k(\d+)-q(\w+)", os.path.basename(os.path.dirname(name))).groups()
    runs["k%s-q%s" % (k, q)] = (float(k), float(q), result["T_max"], result["T_min"])
assert len(runs) == 6 and r["lines"] == 6 and len(r["effects"]) == 5
for e in r["effects"]:
    column = 0 if "conductivity" in e["key"] else 1
    mean = np.mean([v[2] for v in runs.values() if v[column] == float(e["level"])])
    assert abs(float(e["mean"]) - mean) < 1e-3, (e, mean)
front = {n for n, v in runs.items() if not any(w[2] <= v[2] and w[3] >= v[3] and w != v for w in runs.values())}
assert set(r["best"]) == front and set(r["rest"]) == set(runs) - front and 0 < len(front) < 6, (r["best"], front)
assert all(n in r["text"] for n in front)
assert r["left"] == "Without these figures, and left out: k30-q1e6.", r["left"]
END
echo "numbers read off the page"
