/* The report page: plots and the 3D view, on top of a page that reads without them. Everything it
   needs is in the page: the numbers in #data, Chart.js and three.js above, where they were installed
   when the report was written. The files common.js, plot.js, view.js, sweep.js and report.js become one script
   (cmake/web.cmake); this one has what the others share. */

const data = JSON.parse(document.getElementById("data").textContent);
const errors = [];
window.addEventListener("error", (e) => errors.push(String(e.message)));
window.addEventListener("unhandledrejection", (e) => errors.push(String(e.reason)));

const COLORS = ["#1f6feb", "#d1472f", "#2e9e52", "#a855c7", "#c98a12", "#13949c", "#7a7f87", "#d23f8f"];
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const make = (tag, attributes, text) => {
  const e = document.createElement(tag);
  Object.assign(e, attributes || {});
  if (text !== undefined) e.textContent = text;
  return e;
};
const short = (v) => {
  if (!Number.isFinite(v)) return "";
  const six = +v.toPrecision(6), size = Math.abs(six);
  return (six && (size < 1e-3 || size >= 1e7) ? six.toExponential() : String(six)).replace("e+", "e");
};
/* Round numbers within a range, about five. */
const round = (low, high) => {
  const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw)), m = raw / power;
  const step = power * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10), list = [];
  if (!Number.isFinite(step) || !(step > 0)) return [low];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 * step && list.length < 12; n++) list.push(n * step);
  return list;
};

/* Temperatures are read in kelvins or degrees Celsius: a switch of the whole page. What has a key `celsius`, the
   shift from K (0 of differences), is one. `renewals` are called when the switch is turned. */
let celsius = !!data.celsius;
const renewals = [];
const in_celsius = (f) => celsius && f.celsius !== undefined;
const unit_of = (f) => (in_celsius(f) ? "°C" : f.shown);
const read = (f, v) => (in_celsius(f) ? v + f.celsius : f.factor * v);
const unread = (f, v) => (in_celsius(f) ? v - f.celsius : v / f.factor);
function celsius_set(on) {
  celsius = on;
  document.querySelectorAll("td[data-kelvin]").forEach((td) => {
    td.textContent = String(+(+td.dataset.kelvin + (on ? +td.dataset.shift : 0)).toPrecision(6));
    td.nextElementSibling.textContent = on ? "°C" : "K";
  });
  renewals.forEach((act) => act());
}

/* --- unpacking: base64 of deflated byte planes of zig-zag differences (see src/report/surface.c) */
async function unpack(text, bytes, Type) {
  const raw = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("deflate"));
  const plane = new Uint8Array(await new Response(stream).arrayBuffer());
  const n = plane.length / bytes, out = new Type(n);
  let last = 0;
  for (let i = 0; i < n; i++) {
    let z = 0;
    for (let b = bytes - 1; b >= 0; b--) z = z * 256 + plane[b * n + i];
    last += z % 2 ? -(z + 1) / 2 : z / 2;
    out[i] = last;
  }
  return out;
}
