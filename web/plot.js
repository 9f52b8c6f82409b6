/* Plots of the history, and of values along a line. */

const charts = [];
const bare = (name) => name.replace(/ \[[^\]]*\]$/, "");
const named = (name, unit) => name + (unit ? " [" + unit + "]" : "");

/* Text as a cell of a CSV table (RFC 4180); an apostrophe before what a spreadsheet would compute. */
const plain = (text) => (/^'*[=+@-]/.test(text) ? "'" + text : text);
const cell = (text) => (/[",\r\n]/.test(text) ? '"' + plain(text).replace(/"/g, '""') + '"' : plain(text));
/* A table of columns; what is not a number stays empty. */
function csv(names, columns) {
  const rows = columns[0].map((_, i) => columns.map((c) => (Number.isFinite(c[i]) ? String(c[i]) : "")).join());
  return names.map(cell).join() + "\n" + rows.join("\n") + "\n";
}

/* Offers a file to the reader. `content`: a data URL, or the text of a CSV table. */
function save(name, content) {
  const url = content.startsWith("data:") ? content : "data:text/csv;charset=utf-8," + encodeURIComponent(content);
  const link = make("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}
const file_name = (text) => text.replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^[-.]+|-+$/g, "") || "plot";

/* A chart of curves in a figure, with buttons that save it. series: [{label, data: [{x, y}]}]; table():
   names and columns of its CSV file. */
function line_chart(figure, title, series, x_title, y_title, table) {
  const box = make("div", { className: "box" }), canvas = make("canvas"), tools = make("div", { className: "saves" });
  const button = (text, act) => {
    const b = make("button", { type: "button", title: "save " + title + " as " + text }, text);
    b.addEventListener("click", act);
    tools.append(b);
  };
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", title + " over " + x_title);
  box.append(canvas);
  button("CSV", () => save(file_name(title) + ".csv", csv(...table())));
  const old = figure.querySelector("svg");
  if (old) old.replaceWith(box);
  else figure.append(box);
  figure.append(tools);
  if (typeof Chart === "undefined") return null;
  const axis = (text) => ({ type: "linear", title: { display: !!text, text: text, color: css("--soft") },
    ticks: { color: css("--soft"), maxRotation: 0, callback: (v) => short(v) }, grid: { color: css("--line") } });
  const chart = new Chart(canvas, {
    type: "line",
    data: { datasets: series.map((s, k) => Object.assign({ borderColor: COLORS[k % COLORS.length],
      backgroundColor: COLORS[k % COLORS.length], borderWidth: 1.6, pointRadius: 0, spanGaps: false }, s)) },
    options: { animation: false, responsive: true, maintainAspectRatio: false, parsing: false,
      interaction: { mode: "nearest", axis: "x", intersect: false },
      plugins: { legend: { labels: { color: css("--ink"), boxWidth: 12 } } },
      scales: { x: axis(x_title), y: axis(y_title) } }
  });
  button("PNG", () => save(file_name(title) + ".png", chart.toBase64Image()));
  zoom(canvas, chart);
  return chart;
}

function draw_plot(figure, run, plot) {
  const xf = plot.x_factor || 1, f = { factor: plot.factor || 1, shown: plot.unit, celsius: plot.celsius };
  const points = (t, y) => t.map((u, i) => ({ x: u === null ? null : xf * u, y: y[i] === null ? null : read(f, y[i]) }));
  const series = (h) => plot.columns.map((c) => ({ label: plot.unit ? bare(h.names[c]) : h.names[c], data: points(h.columns[plot.x], h.columns[c]) }));
  let history = run.history;
  const table = () => { /* as history.csv has them, in SI or degrees Celsius; rows of the span that is shown */
    const list = [plot.x, ...plot.columns], x = chart.scales.x;
    const inside = history.columns[plot.x].map((t) => t !== null && xf * t >= x.min && xf * t <= x.max);
    const hot = (c) => in_celsius(f) && / \[K\]$/.test(history.names[c]);
    return [list.map((c) => (hot(c) ? named(bare(history.names[c]), "°C") : history.names[c])),
      list.map((c) => history.columns[c].filter((_, i) => inside[i]).map((v) => (hot(c) && v !== null ? +read(f, v).toPrecision(12) : v)))];
  };
  const chart = line_chart(figure, plot.title, series(history), named(bare(history.names[plot.x]), plot.x_unit), unit_of(f), table);
  charts.push(chart);
  chart.renew = (again) => {
    history = again.history;
    series(history).forEach((s, k) => { chart.data.datasets[k].data = s.data; });
    chart.options.scales.y.title.text = unit_of(f);
    chart.update();
  };
  chart.run = run.id;
  if (plot.celsius !== undefined) renewals.push(() => chart.renew({ history: history }));
}

/* Drag across a plot to zoom in on that span of time; double-click to see all of it again. */
function zoom(canvas, chart) {
  let from = null;
  const value = (e) => chart.scales.x.getValueForPixel(e.clientX - canvas.getBoundingClientRect().left);
  canvas.addEventListener("pointerdown", (e) => { from = value(e); });
  canvas.addEventListener("pointerup", (e) => {
    if (from === null) return;
    const to = value(e), span = chart.scales.x.max - chart.scales.x.min;
    if (Math.abs(to - from) > 0.02 * span) {
      chart.options.scales.x.min = Math.min(from, to);
      chart.options.scales.x.max = Math.max(from, to);
      chart.update();
    }
    from = null;
  });
  canvas.addEventListener("dblclick", () => {
    delete chart.options.scales.x.min;
    delete chart.options.scales.x.max;
    chart.update();
  });
}

function plots(section, run) {
  if (typeof Chart === "undefined" || !run.history) return;
  section.querySelectorAll(".plot").forEach((figure, k) => draw_plot(figure, run, run.plots[k]));
  const pick = section.querySelector(".more select");
  if (!pick) return;
  pick.parentElement.parentElement.classList.remove("hidden");
  pick.addEventListener("change", () => {
    const c = +pick.value;
    if (c < 0) return;
    const figure = make("figure", { className: "plot" });
    figure.append(make("figcaption", {}, run.history.names[c]));
    section.querySelector(".plots").append(figure);
    const like = run.plots[0] || {};
    draw_plot(figure, run, { title: run.history.names[c], x: run.x, x_unit: like.x_unit, x_factor: like.x_factor, columns: [c], unit: "" });
    pick.value = "-1";
  });
}
