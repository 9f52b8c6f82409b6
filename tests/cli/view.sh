# ingot view: cuts, arrows, outlines, two results beside each other, their difference, movies, print.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*"; cat log 2>/dev/null; exit 1; }
for flux in 1e6 2e6; do
  cat >wall.yaml <<END
physics: thermal
mesh: {boxes: {size: [10 mm, 4 mm, 4 mm], cells: [10, 4, 4]}}
materials: {name: steel, density: 7800 kg/m3, specific_heat: 500 J/kg/K, conductivity: 20 W/m/K}
initial_temperature: 300 K
boundary: [{set: zmax, flux: $flux W/m2}]
duration: 0.4 s
output: {count: 4}
END
  "$INGOT" run wall.yaml --backend cpu --threads 1 --quiet --out "q$flux" || fail "the wall does not run"
done
"$INGOT" run "$SOURCE/tests/cli/small/dynamics.yaml" --backend cpu --threads 1 --quiet --out bar || fail "the bar does not run"
small="--width 160 --height 100"
# shellcheck disable=SC2086
draw() { "$INGOT" view "$@" $small --quiet >log 2>&1 || fail "not drawn: $*"; }
draw q1e6 -o a.png
draw q1e6 --clip y=2mm -o clip.png
draw q1e6 --slice "y=2 mm" -o slice.png
draw q1e6 q2e6 -o two.png
draw q1e6 q2e6 --difference -o difference.png
draw q1e6 q1e6 --difference -o same.png
draw bar --arrows displacement -o arrows.png
draw bar --warp displacement --scale 1e4 --outline -o outline.png
draw bar --warp displacement --scale 1e4 -o warped.png
for one in clip slice two difference arrows outline; do
  cmp -s a.png $one.png && fail "$one.png is the plain picture"
done
cmp -s outline.png warped.png && fail "the outline is not drawn"
# where nothing is asked for: a design is its surface, a cracked body is open, displacements are seen
"$INGOT" new design -q --size 12mm </dev/null && "$INGOT" run design.yaml -q -t 1 --set iterations=6 --out design || fail "no design"
draw design -o design.png
draw design/part.stl -o surface.png
cmp -s design.png surface.png || fail "a design is not drawn as its surface"
snap=$(ls design/snap_*.vtkhdf | tail -n 1)
draw "$snap" -o voxels.png
draw "$snap" --field density -o block.png
cmp -s voxels.png block.png && fail "a design is drawn with its void"
"$INGOT" new crack -q --size 20x5x5mm </dev/null && "$INGOT" run crack.yaml -q -t 1 --out crack || fail "no crack"
draw crack -o open.png
draw crack --warp none --threshold block --keep 0:0 -o closed.png
cmp -s open.png closed.png && fail "a cracked body is drawn closed"
draw crack --field crack_opening -o opening.png # what is shown if nothing is asked for
draw bar -o usual.png
draw bar --elementwise -o elements.png
cmp -s usual.png elements.png && fail "stresses are not averaged at the nodes"
# loads and supports of the model, which sum up to those of the case, are drawn with the design
awk -F, 'NR > 1 {force += $7; held += $8 + $9 + $10 == 3} END {exit !(force > -1000.01 && force < -999.99 && held > 50)}' design/loads.csv ||
  fail "loads.csv has other loads than the case"
cat >press.yaml <<'END'
physics: structure
mesh: {boxes: {size: [60 mm, 10 mm, 10 mm], cells: [12, 2, 2]}}
materials: {name: steel, density: 7850 kg/m3, young: 210 GPa, poisson: 0.3}
supports: {set: xmin, fix: xyz}
loads: [{set: zmax, pressure: 1 MPa}, {set: xmax, force: [0, 10 N, 0]}]
analysis: {kind: static}
END
"$INGOT" run press.yaml -b cpu -t 1 -q --out press || fail "no structure"
awk -F, 'NR > 1 {y += $6; z += $7; held += $8 + $9 + $10 == 3} END {exit !(y > 89.99 && y < 90.01 && z > -600.01 && z < -599.99 && held == 9)}' press/loads.csv ||
  fail "loads.csv of structure: expected 1 MPa on 600 mm2, 10 N at each of nine nodes, nine nodes held"
# the same of other rooms; of an even load all arrows on the page are alike, and add up to it
cat >plank.yaml <<'END'
physics: dynamics
mesh: {boxes: {size: [120 mm, 60 mm, 5 mm], cells: [11, 7, 2]}}
materials: {name: steel, density: 7850 kg/m3, young: 210 GPa, poisson: 0.3}
supports: [{set: xmin, fix: all}, {set: xmax, fix: z}]
loads: [{set: zmax, pressure: 1 MPa}]
analysis: {kind: static}
END
sed -e 's/dynamics/stress/; s/^analysis.*/phases: [{kind: load}]/; s/fix: all/fix: xyz/' plank.yaml >board.yaml
for case in plank board; do
  "$INGOT" run $case.yaml -b cpu -t 1 -q --out $case --report || fail "no $case"
  awk -F, 'NR > 1 {z += $7; all += $8 + $9 + $10 == 3; part += $8 + $9 + $10 == 1} END {exit !(z > -7200.1 && z < -7197 && all == 24 && part == 24)}' $case/loads.csv ||
    fail "loads.csv of $case: expected 1 MPa on 7200 mm2, 24 nodes held and 24 in part"
  python3 - $case/report.html <<'END' || fail "arrows of $case"
import json, re, sys
data = json.loads(re.search(r'id="data">(.*?)</script>', open(sys.argv[1], encoding="utf-8").read(), re.S)[1])
marks = data["runs"][0]["view"]["marks"]
arrows = [m for m in marks["list"] if m[6] == 1]
assert len(arrows) > 20 and abs(sum(m[5] for m in arrows) + 7200) < 3, arrows
assert max(m[5] for m in arrows) < 0.92 * min(m[5] for m in arrows), arrows
assert {m[7] for m in marks["list"] if m[6] == 0} == {4, 7}
END
done
# a frequency analysis shows its first mode: of a slender cantilever (Euler, Bernoulli) 0.3395 of the tip at half of its length
cat >reed.yaml <<'END'
physics: structure
mesh: {element: hex20, boxes: {size: [100 mm, 4 mm, 2 mm], cells: [40, 1, 1]}}
materials: {name: steel, density: 7850 kg/m3, young: 210 GPa, poisson: 0.3}
supports: {set: xmin, fix: xyz}
analysis: {kind: frequency, modes: 3}
END
"$INGOT" run reed.yaml -b cpu -t 1 -q --out reed --report || fail "no reed"
"$INGOT" result probe reed --at 50mm,2mm,1mm --field mode_1 >middle.csv || fail "no probe"
python3 - <<'END' || fail "the first mode"
import csv, json, re
row = list(csv.DictReader(open("middle.csv")))[-1]
assert abs(abs(float(row["mode_1_z"])) - 0.3395) < 0.002, row
view = json.loads(re.search(r'id="data">(.*?)</script>', open("reed/report.html", encoding="utf-8").read(), re.S)[1])["runs"][0]["view"]
value = json.load(open("reed/summary.json"))["result"]
assert [f["label"] for f in view["frames"]] == ["mode %d: %.5g Hz" % (k, value["mode_%d" % k]) for k in (1, 2, 3)], view["frames"][0]["label"]
assert view["first"] == 0 and view["modes"]
END
draw reed -o mode.png
draw reed --warp mode_2 -o second.png
draw reed --field von_mises -o rest.png
cmp -s mode.png second.png && fail "modes are drawn alike"
cmp -s mode.png rest.png && fail "the first mode is not shown"
cp -r design unloaded && rm unloaded/loads.csv
draw unloaded -o unloaded.png
draw design --field density --loads -o density.png
# melt has colors of its own; temperatures in degrees Celsius have the same colors
"$INGOT" run wall.yaml -b cpu -t 1 -q --set 'materials.solidus=350 K' --set 'materials.liquidus=360 K' --set materials.latent_heat=1e5 --out melt || fail "no melt"
draw melt -o melt.png
draw q1e6 --range 300:400 -o kelvin.png
draw q1e6 --range 26.85:126.85 --celsius -o celsius.png
cmp -s kelvin.png celsius.png && fail "the bar of colors is in kelvins"
draw bar --warp none -o still.png
cmp -s usual.png still.png && fail "displacements are not shown"
# the difference of a result and itself is one color, that of the middle
python3 - <<'END' || fail "pixels are wrong"
import struct, sys, zlib
def pixels(name):
    data, at, raw = open(name, "rb").read(), 8, b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR": w, h = struct.unpack(">II", data[at + 8:at + 16])
        if kind == b"IDAT": raw += data[at + 8:at + 8 + n]
        at += n + 12
    raw, rows, before = zlib.decompress(raw), [], bytearray(3 * w)
    for y in range(h):
        kind, line = raw[y * (3 * w + 1)], bytearray(raw[y * (3 * w + 1) + 1:(y + 1) * (3 * w + 1)])
        for i in range(3 * w):
            a, b, c = line[i - 3] if i > 2 else 0, before[i], before[i - 3] if i > 2 else 0
            p = a + b - c
            near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[i] = (line[i] + (0, a, b, (a + b) // 2, near)[kind]) & 255
        rows.append(line)
        before = line
    return w, h, rows
w, h, rows = pixels("same.png")
middle = [tuple(rows[y][3 * x:3 * x + 3]) for y in range(h // 3, 2 * h // 3) for x in range(w // 4, 3 * w // 4)]
part = [p for p in middle if p != (255, 255, 255)]
assert len(part) > 1000 and all(max(p) - min(p) <= 3 and 180 <= p[0] <= 223 for p in part), set(part)
def count(name, rgb, wide=1.0):
    w, h, rows = pixels(name)
    return sum(max(abs(row[3 * x + c] - rgb[c]) for c in range(3)) < 40 for row in rows for x in range(int(wide * w)))
red = (209, 41, 31)  # of arrows, and where melt begins
assert count("design.png", red) > 20 and count("density.png", red) > 20 and count("unloaded.png", red) < 10  # the x axis is red
assert count("melt.png", red, 0.8) > 50 and count("a.png", red) < 10
assert count("open.png", (84, 8, 48), 0.8) > 20  # the widest opening
assert count("open.png", (222, 224, 227), 0.8) > 1000  # and light where nothing has opened
(w, h, a), (_, _, b) = pixels("kelvin.png"), pixels("celsius.png")
assert all(abs(u - v) <= 2 for p, q in zip(a[h // 4:], b[h // 4:]) for u, v in zip(p[:3 * (4 * w // 5)], q[:3 * (4 * w // 5)]))
w, h, rows = pixels("a.png")  # hot above, cold below: the ends of `steel`
top, low = rows[h // 5][3 * (w // 3):3 * (w // 3) + 3], rows[2 * h // 3][3 * (w // 3):3 * (w // 3) + 3]
assert max(top) < 160 and min(low) > 130 and low[2] > low[0], (list(top), list(low))
END
# print: 300 pixels an inch are said in the file, which is 16 cm wide then
"$INGOT" view q1e6 --dpi 300 -o print.png --quiet >log || fail "no picture for print"
python3 - <<'END' || fail "the resolution is not in the file"
import struct
data = open("print.png", "rb").read()
at = data.index(b"pHYs")
assert struct.unpack(">IIB", data[at + 4:at + 13]) == (11811, 11811, 1) and struct.unpack(">I", data[16:20]) == (1890,)
END
# a picture says which field, unit, time and analysis it shows, in the lines above it and as text in the file
cat >seq.yaml <<'END'
physics: structure
title: Ständer of two analyses
mesh: {boxes: {size: [60 mm, 10 mm, 10 mm], cells: [6, 1, 1]}}
materials: {name: steel, density: 7850 kg/m3, young: 210 GPa, poisson: 0.3}
supports: {set: xmin, fix: xyz}
loads: {set: zmax, pressure: 1 MPa}
analysis: [{kind: static}, {kind: frequency, modes: 2}]
END
"$INGOT" run seq.yaml -b cpu -t 1 -q --out seq || fail "no sequence of analyses"
draw seq/snap_000001.vtkhdf -o first.png
draw seq -o last.png
draw seq/snap_000001.vtkhdf --title Mine --field displacement.z -o mine.png
draw q1e6 --celsius -o degrees.png
draw seq/snap_000001.vtkhdf --bare -o bare.png
cmp -s first.png bare.png && fail "the lines above the picture are missing"
python3 - <<'END' || fail "the words of pictures"
import struct
def words(name):
    data, at, said = open(name, "rb").read(), 8, {}
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind in (b"tEXt", b"iTXt"):
            key, text = body.split(b"\0", 1)
            said[key.decode()] = text.lstrip(b"\0").decode()
        at += size + 12
    return said
first = words("first.png")
assert first["Title"] == "Stander of two analyses" and first["Software"].startswith("Ingot "), first
assert first["Description"] == "von Mises stress at nodes [MPa], t = 1 s, analysis 1 of 2: static", first
assert words("last.png")["Description"] == "mode 1, analysis 2 of 2: frequency", words("last.png")
mine = words("mine.png")
assert mine["Title"] == "Mine" and mine["Description"].startswith("displacement, z [um], t = 1 s"), mine
assert words("degrees.png")["Description"] == "temperature [\u00b0C], t = 400 ms", words("degrees.png")
assert words("surface.png")["Description"].startswith("surface, part.stl, "), words("surface.png")
assert words("two.png")["Description"] == "temperature [K]"
END
# errors say what to do
wrong() { local words=$1; shift; "$INGOT" view "$@" >log 2>&1; [ $? = 2 ] && grep -q -- "$words" log || fail "expected '$words': $*"; }
wrong "does not meet the part, which reaches from 0 to 0.01 m" q1e6 --slice x=5
wrong "expected an axis and a length" q1e6 --clip 3mm
wrong "two results on the same mesh are needed" q1e6 bar --difference
wrong "a difference needs two results" q1e6 --difference
wrong "it is no vector" q1e6 --arrows T
wrong "ends in .mp4" q1e6 --movie m.avi
wrong "expected 10 to 2400" q1e6 --dpi 1
# a movie; without ffmpeg numbered pictures, which are not written over others
mkdir bin && ln -s "$(command -v env)" bin/env
PATH=$work/bin "$INGOT" view q1e6 --movie m.mp4 --quiet $small >log 2>&1 || fail "no pictures of the movie"
[ "$(ls m_*.png | wc -l)" = 5 ] && grep -q "m_00000.png to m_00004.png" log || fail "the pictures are not five"
wrong "would replace it" q1e6 --movie m.mp4
rm m_*.png
if command -v ffmpeg >/dev/null; then
  "$INGOT" view q1e6 --movie m.mp4 --quiet $small >log 2>&1 || fail "no movie"
  [ -s m.mp4 ] && [ ! -e m_00000.png ] || fail "the movie is not there, or its pictures still are"
  [ "$(ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 m.mp4)" = 5 ] || fail "the movie has not five frames"
fi
"$INGOT" view q1e6 -o a.png 2>log >/dev/null && grep -q "was there and is replaced" log || fail "a picture is replaced without a word"
# a field that is constant to rounding is drawn, and its page written
"$INGOT" run "$SOURCE/cases/stress/cantilever.yaml" --backend cpu --threads 1 --quiet --out flat --report >log 2>&1 &
pid=$!
for _ in $(seq 600); do kill -0 $pid 2>/dev/null || break; sleep 0.1; done
kill -0 $pid 2>/dev/null && { kill -KILL $pid; fail "a page of a field constant to rounding does not end"; }
wait $pid || fail "no page of a field constant to rounding"
echo "drawn"
