# How fast the page turns a part of many triangles in Chromium without a GPU: frames per second of the view while
# an arrow key is held, each waited for. At least ten are asked for where the machine has a core to spare.
# A part of 760,000 triangles, too many for a drawing of all at every frame; LARGE=1: of three million.
set -u
command -v chromium >/dev/null || { echo "Chromium is not installed"; exit 77; }
work=$(mktemp -d)
browser=
trap '[ -z "$browser" ] || { kill "$browser"; wait "$browser"; } 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "$*"; exit 1; }
cells=500,370 frames=24
[ "${LARGE:-}" ] && cells=1000,740 frames=60
cat >sheet.yaml <<END
physics: thermal
mesh: {boxes: {size: [1 m, 0.7 m, 1 mm], cells: [$cells, 1]}}
materials: {name: steel, density: 7800, specific_heat: 500, conductivity: 20}
initial_temperature: 300 K
boundary: [{set: xmin, flux: 1e6 W/m2}]
duration: 1 ms
output: {count: 1}
END
"$INGOT" run sheet.yaml -b cpu -q --out sheet || fail "the sheet does not run"
"$INGOT" report sheet --triangles 3000000 --frames 1 >/dev/null || fail "no page"
grep -q 'THREE' sheet/report.html || { echo "three.js was not there when Ingot was built"; exit 77; }
cat >turn.js <<'END'
(async function () {
  const wait = (ms) => new Promise((r) => setTimeout(r, ms)), frame = () => new Promise(requestAnimationFrame);
  let view;
  for (let k = 0; k < 2000 && !(view && view.dataset.triangles); k++) {
    view = document.querySelector(".scene canvas");
    if (view) view.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft" }));
    await wait(100);
  }
  const gl = view.getContext("webgl2") || view.getContext("webgl"), pixel = new Uint8Array(4), times = [];
  for (let k = 0; k < FRAMES; k++) {
    const from = performance.now();
    view.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft" }));
    await frame();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    times.push(performance.now() - from);
  }
  times.sort((a, b) => a - b);
  console.log("TURNING " + (1000 / times[FRAMES / 2]).toFixed(1) + " frames/s with " + view.dataset.triangles + " triangles");
})();
END
/usr/bin/python3 - $frames <<'END'
import base64, hashlib, sys
page, script = (open(name, encoding="utf-8").read() for name in ("sheet/report.html", "turn.js"))
script = script.replace("FRAMES", sys.argv[1])
digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
page = page.replace("script-src", "script-src 'sha256-%s'" % digest, 1).replace("</body>", "<script>%s</script></body>" % script)
open("sheet/turn.html", "w", encoding="utf-8").write(page)
END
chromium --headless --no-sandbox --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync \
  --disable-dev-shm-usage --enable-logging=stderr --user-data-dir="$work/browser" --use-gl=angle --use-angle=swiftshader \
  --enable-unsafe-swiftshader --window-size=1300,1000 --remote-debugging-port=0 "file://$work/sheet/turn.html" >log 2>&1 &
browser=$!
for ((k = 0; k < 1200; k++)); do
  grep -q 'TURNING\|Uncaught' log 2>/dev/null && break
  sleep 0.2
done
said=$(grep -o 'TURNING [0-9.]* frames/s with [0-9]* triangles' log | head -1)
[ "$said" ] || { grep -q 'CONSOLE' log || { echo "Chromium does not start here"; exit 77; }; fail "the page does not turn: $(grep CONSOLE log | head -3)"; }
rate=$(cut -d' ' -f2 <<<"$said") few=$(cut -d' ' -f5 <<<"$said")
echo "${said#TURNING } drawn while turning"
[ "$few" -lt 20000 ] || [ "${rate%.*}" -ge 30 ] || fail "all triangles are drawn while the part is turned"
busy=$(awk -v n="$(nproc)" '{ print ($1 > n - 0.5) }' /proc/loadavg)
[ "${rate%.*}" -ge 10 ] || [ "$busy" = 1 ] || fail "expected at least 10 frames/s"
exit 0
