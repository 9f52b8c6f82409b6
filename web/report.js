/* Puts plots and views into the page; follows a run that is still going; tests itself on request. */

async function view(section, run) {
  const figure = section.querySelector(".part");
  if (typeof THREE === "undefined" || !figure || !run.view || typeof DecompressionStream === "undefined") return null;
  let v;
  try {
    const probe = document.createElement("canvas");
    if (!probe.getContext("webgl") && !probe.getContext("webgl2")) return null;
    v = new View(figure, run, null);
  } catch (e) {
    figure.querySelector(".picture").classList.remove("hidden");
    return null; /* no WebGL here: the pictures stay */
  }
  v.resize();
  v.limits();
  await v.show(v.frame);
  return v;
}

/* Tables of runs: a click on a heading sorts by that column, a second one backwards. */
function sorting(table) {
  table.querySelectorAll("th").forEach((th, column) => {
    const button = make("button", { type: "button", title: "sort" }, th.textContent);
    let turn = 1;
    th.replaceChildren(button);
    button.addEventListener("click", () => {
      const text = (row) => row.cells[column].textContent;
      const order = (a, b) => (Number.isFinite(parseFloat(text(a))) && Number.isFinite(parseFloat(text(b))) ?
        parseFloat(text(a)) - parseFloat(text(b)) : text(a).localeCompare(text(b)));
      table.tBodies[0].append(...[...table.tBodies[0].rows].sort((a, b) => turn * order(a, b)));
      turn = -turn;
    });
  });
}

function several(table) {
  sorting(table);
  responses(table);
}

/* Served by `ingot watch`: ask every second whether there is more, and take it in. A page that
   got another shape is loaded anew. */
async function follow(views, change) {
  const state = await (await fetch("/state")).json();
  if (state.change !== change) {
    const again = new DOMParser().parseFromString(await (await fetch("/")).text(), "text/html");
    const news = JSON.parse(again.getElementById("data").textContent);
    const shape = (d) => JSON.stringify(d.runs.map((r) => [r.id, r.history && r.history.names, !!r.view,
      r.view && r.view.fields.map((f) => f.name), r.view && r.view.frames.length > 1]));
    if (shape(news) !== shape(data)) { location.reload(); return; }
    if (!news.runs.length) { /* a sweep: tables, maps and pictures, nothing that is drawn here */
      document.querySelector("main").replaceWith(document.adoptNode(again.querySelector("main")));
      document.querySelectorAll(".runs").forEach(several);
    }
    data.runs = news.runs;
    for (const [k, run] of news.runs.entries()) {
      charts.filter((c) => c.run === run.id).forEach((c) => c.renew(run));
      if (views[k]) await views[k].renew(run.view);
      const to = document.getElementById(run.id), from = again.getElementById(run.id);
      [".head", ".tables"].forEach((part) => to.querySelector(part).replaceWith(from.querySelector(part)));
    }
    document.body.dataset.updates = 1 + +(document.body.dataset.updates || 0);
  }
  document.body.dataset.following = state.running;
  if (state.running || state.change !== change) setTimeout(() => follow(views, state.change).catch(ended), 1000);
}
function ended() { document.body.dataset.following = false; } /* the server has gone with the run */

async function start() {
  document.querySelectorAll(".runs").forEach(several);
  const views = [];
  for (const run of data.runs) {
    const section = document.getElementById(run.id);
    plots(section, run);
    views.push(await view(section, run));
  }
  if (location.protocol === "http:") follow(views, null).catch(ended);
  if (location.hash === "#selftest") await selftest(views);
}

async function selftest(views) {
  const result = { plots: charts.map((c) => c.data.datasets.reduce((n, d) => n + d.data.filter((p) => Number.isFinite(p.y)).length, 0)), views: [] };
  for (const v of views) {
    if (!v) { result.views.push(null); continue; }
    const last = v.pixels();
    await v.show(0);
    const first = v.pixels();
    result.views.push({ frames: v.data.frames.length, last: last, first: first });
  }
  const view = views.find((v) => v);
  if (view) {
    const press = (key) => { view.canvas.dispatchEvent(new KeyboardEvent("keydown", { key: key })); return view.pixels(); };
    const home = view.pixels(), turned = press("ArrowLeft"), near = press("+");
    result.keys = { turns: turned.sum !== home.sum, zooms: near.count > turned.count, resets: press("0").sum === home.sum };
  }
  const runs = document.querySelector(".runs");
  if (runs) {
    runs.querySelectorAll("th button")[runs.rows[0].cells.length - 1].click();
    const last = [...runs.tBodies[0].rows].map((r) => parseFloat(r.cells[r.cells.length - 1].textContent));
    result.sorted = last.every((v, k) => k === 0 || !(v < last[k - 1]));
  }
  result.sideways = document.documentElement.scrollWidth - window.innerWidth;
  result.pictures = [...document.images].filter((i) => i.complete && i.naturalWidth > 0).length;
  result.errors = errors;
  document.body.dataset.selftest = JSON.stringify(result);
}

start().catch((e) => { errors.push(String(e)); document.body.dataset.errors = JSON.stringify(errors); });
