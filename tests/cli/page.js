/* Uses the report page as a reader does, by events alone, and leaves what it read in the attribute data-read of the
   body. Injected by page.sh. */
"use strict";
(async function () {
  const wait = (ms) => new Promise((r) => setTimeout(r, ms));
  const saved = [], read = { clicks: [] };
  HTMLAnchorElement.prototype.click = function () { saved.push({ name: this.download, url: this.href }); };
  const one = (selector) => document.querySelector(selector);
  const text = (file) => decodeURIComponent(file.url.slice(file.url.indexOf(",") + 1));
  const said = () => Object.assign({ text: one(".readout").textContent }, one(".readout").dataset);
  const settled = async () => { for (let k = 0; k < 3; k++) await wait(100); };
  const change = async (e, value) => {
    if (e.type === "checkbox") e.click();
    else { e.value = value; e.dispatchEvent(new Event(e.tagName === "SELECT" ? "change" : "input", { bubbles: true })); }
    await settled();
  };
  const click = (x, y) => { /* parts of the canvas */
    const c = one(".scene canvas"), b = c.getBoundingClientRect();
    const o = { clientX: b.left + x * b.width, clientY: b.top + y * b.height, bubbles: true };
    c.dispatchEvent(new PointerEvent("pointerdown", o));
    c.dispatchEvent(new MouseEvent("click", o));
    return said();
  };
  const many = () => {
    const list = [];
    for (let i = 1; i < 16; i++) for (let j = 1; j < 16; j++) list.push(click(i / 16, j / 16));
    return list.filter((s) => s.node !== undefined);
  };
  const key = (k) => one(".scene canvas").dispatchEvent(new KeyboardEvent("keydown", { key: k }));
  const picture = (k) => { document.querySelectorAll(".png")[k || 0].click(); return saved.pop().url; };

  for (let k = 0; k < 100 && !(one(".time") && one(".time").textContent); k++) await wait(100);
  await settled();
  read.times = one(".frames") && one(".frames").getAttribute("aria-valuetext");
  read.clicks = many();
  one(".largest").click();
  read.largest = said();
  one(".smallest").click();
  read.smallest = said();
  click(0.02, 0.02);
  read.outside = said();
  key("p");
  read.middle = said();

  /* a line, its plot and table */
  one(".line").click();
  click(0.45, 0.5);
  click(0.55, 0.55);
  await settled();
  read.plotted = !!one(".along canvas");
  one(".along .saves button").click();
  read.line = text(saved.pop());
  document.querySelectorAll(".plots .plot .saves button").forEach((b) => b.click());
  read.saved = saved.splice(0).map((f) => ({ name: f.name, kind: f.url.slice(0, 15), text: f.name.endsWith(".csv") ? text(f) : "" }));

  /* degrees Celsius everywhere, and back */
  await change(one(".celsius"));
  one(".largest").click();
  read.celsius = { largest: said(), fields: [...one("select.field").options].map((o) => o.textContent),
    figures: [...document.querySelectorAll("td[data-kelvin]")].map((t) => [t.previousElementSibling.textContent, t.textContent, t.nextElementSibling.textContent]) };
  document.querySelectorAll(".plots .plot .saves button").forEach((b) => b.click());
  read.celsius.saved = saved.splice(0).filter((f) => f.name === "Temperature.csv").map(text)[0];
  one(".along .saves button").click();
  read.celsius.line = text(saved.pop());
  await change(one(".celsius"));
  one(".largest").click();
  read.celsius.back = said();

  /* pictures: edges and palettes change them */
  const plain = picture();
  await change(one(".edges"));
  const edges = picture();
  const usual = one(".palette").value;
  await change(one(".palette"), 1);
  const cividis = picture();
  await change(one(".palette"), usual);
  await change(one(".edges"));
  read.pictures = { png: plain.startsWith("data:image/png;base64,iVBOR"), edges: edges !== plain, palette: cividis !== edges, back: picture() === plain };

  /* a clip plane, straight and tilted */
  const clip = one(".clip"), plane = clip.querySelector(".plane"), [at, azimuth, elevation] = clip.querySelectorAll("input[type=range]");
  await change(plane, 1);
  read.clip_x = many();
  read.clip_at = clip.querySelector("output").textContent;
  await change(plane, 4);
  await change(azimuth, -90);
  await change(elevation, 30);
  await change(at, 0.6);
  read.clip_free = many();
  read.clip_free_at = clip.querySelector("output").textContent;
  await change(plane, 0);

  /* only where the field is large */
  const threshold = one(".threshold"), from = threshold.querySelector("input[type=number]");
  await change(threshold.querySelector("select"), 1);
  await change(from, 400);
  one(".smallest").click();
  read.kept = said();
  await change(threshold.querySelector("select"), 0);

  /* another field, per cell */
  const fields = one("select.field");
  read.fields = [...fields.options].map((o) => o.textContent);
  if (fields.options.length > 1) {
    await change(fields, 1);
    read.cells = many();
    await change(fields, 0);
  }

  /* an earlier time */
  await change(one(".frames"), 1);
  read.earlier = many();
  read.earlier_time = one(".time").textContent;

  /* a second view, which follows the first */
  if (one(".second")) {
    one(".second").click();
    await settled();
    await settled();
    const before = picture(1);
    key("ArrowLeft");
    await settled();
    read.second = { views: document.querySelectorAll(".scene").length, follows: picture(1) !== before,
      field: document.querySelectorAll("select.field")[1].value };
    await change(one(".frames"), 0);
    read.second.time = [...document.querySelectorAll(".time")].map((t) => t.textContent);
    document.querySelectorAll(".scene")[1].parentElement.querySelectorAll(".reads button").forEach((b) => { if (b.textContent === "close") b.click(); });
    await settled();
    read.second.closed = document.querySelectorAll(".scene").length === 1;
  }
  /* everything can be reached with the tab key, and has a name */
  const named = (e) => e.closest("label") || e.textContent.trim() || e.getAttribute("aria-label") || e.title;
  read.unnamed = [...document.querySelectorAll("button, select, input, canvas[tabindex]")].filter((e) => !named(e) || e.tabIndex < 0).map((e) => e.outerHTML.slice(0, 80));
  document.body.dataset.read = JSON.stringify(read);
})().catch((e) => { document.body.dataset.read = JSON.stringify({ error: String(e) + e.stack }); });
