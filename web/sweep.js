/* Several runs: how their figures answer to the keys that differ. Everything is read from the table of runs, so
   that what is drawn is what stands there: name and status, data-keys columns of keys, then figures. */

const SVG = "http://www.w3.org/2000/svg";
const shape = (parent, tag, attributes, text) => {
  const e = document.createElementNS(SVG, tag);
  Object.entries(attributes).forEach(([k, v]) => e.setAttribute(k, v));
  if (text !== undefined) e.textContent = text;
  parent.append(e);
  return e;
};
const span_of = (values) => {
  const low = Math.min(...values), high = Math.max(...values);
  return high > low ? [low, high] : [low - 0.5, high + 0.5];
};
/* A color of the usual palette, of a share of its range. */
const color_of = (share) => {
  const list = Object.values(data.palettes)[0];
  return "rgb(" + list[Math.round(Math.min(1, Math.max(0, share)) * (list.length - 1))].join() + ")";
};

/* Columns of the table: {name, number: whether they are numbers, values: those, NaN where a run has none as after a
   failure; or texts}. A unit that follows all numbers of a key goes to its name. */
function columns_of(table) {
  const cells = [...table.tHead.rows[0].cells], heads = cells.map((c) => c.textContent), rows = [...table.tBodies[0].rows];
  return heads.map((head, c) => {
    const texts = rows.map((r) => r.cells[c].textContent), said = texts.filter((t) => t !== "");
    const values = texts.map(parseFloat), number = said.length > 0 && said.every((t) => Number.isFinite(parseFloat(t)));
    const units = new Set(said.map((t) => t.replace(/^[-+\d.eE]+\s*/, ""))), unit = number && units.size === 1 ? [...units][0] : "";
    return { name: unit ? head + " [" + unit + "]" : head, number: number, values: number ? values : texts,
      aside: cells[c].classList.contains("aside"), levels: new Set(number ? values.filter(Number.isFinite) : said).size };
  });
}
/* The column in some of the rows. */
const rows_of = (column, rows) => Object.assign({}, column, { values: rows.map((i) => column.values[i]) });

/* The mean of a figure over all runs with one value of a key, with the least and largest of them, key by key. */
function main_effects(figure, keys, answer) {
  const width = 640, height = 260, top = 14, bottom = 210, left = 70, each = (width - left - 10) / keys.length;
  const [low, high] = span_of(answer.values), y = (v) => bottom - ((v - low) / (high - low)) * (bottom - top);
  const svg = shape(figure, "svg", { viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": "Main effects on " + answer.name });
  round(low, high).forEach((v) => {
    shape(svg, "path", { class: "axis", d: "M" + left + " " + y(v) + "H" + (width - 10) });
    shape(svg, "text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, short(v));
  });
  keys.forEach((key, k) => {
    const levels = [...new Set(key.values)].sort((a, b) => (key.number ? a - b : String(a).localeCompare(b)));
    const from = left + k * each + 22, room = each - 44, ends = span_of(key.number ? levels : levels.map((_, i) => i));
    const x = (l) => from + (((key.number ? l : levels.indexOf(l)) - ends[0]) / (ends[1] - ends[0])) * room;
    const means = levels.map((l) => {
      const list = answer.values.filter((_, i) => key.values[i] === l), mean = list.reduce((a, b) => a + b, 0) / list.length;
      shape(svg, "path", { d: "M" + x(l) + " " + y(Math.min(...list)) + "V" + y(Math.max(...list)), stroke: "var(--line)", "stroke-width": 5 });
      return mean;
    });
    shape(svg, "path", { class: "curve", stroke: COLORS[k % COLORS.length], d: "M" + levels.map((l, i) => x(l) + " " + y(means[i])).join("L") });
    levels.forEach((l, i) => {
      const dot = shape(svg, "circle", { class: "effect", cx: x(l), cy: y(means[i]), r: 4, fill: COLORS[k % COLORS.length],
        "data-key": key.name, "data-level": l, "data-mean": means[i] });
      shape(dot, "title", {}, key.name + " = " + l + ": mean " + short(means[i]));
      if (levels.length < 5 || i === 0 || i === levels.length - 1) shape(svg, "text", { x: x(l), y: bottom + 16, "text-anchor": "middle" }, key.number ? short(l) : l);
    });
    shape(svg, "text", { x: from + room / 2, y: bottom + 34, "text-anchor": "middle" }, key.name.length > each / 6 ? "…" + key.name.slice(-Math.floor(each / 6)) : key.name);
  });
}

/* A line for each run across the axes of keys and figures, colored by one of them. */
function parallel(figure, axes, answer, names) {
  const width = 640, height = 260, top = 30, bottom = 235, step = (width - 100) / Math.max(1, axes.length - 1);
  const svg = shape(figure, "svg", { viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": "Parallel coordinates" });
  const place = axes.map((a) => {
    const words = [...new Set(a.values)].sort(), list = a.number ? a.values : a.values.map((v) => words.indexOf(v)), [low, high] = span_of(list);
    return { at: list.map((v) => bottom - ((v - low) / (high - low)) * (bottom - top)),
      ends: a.number ? [short(low), short(high)] : [words[0], words[words.length - 1]] };
  });
  const [low, high] = span_of(answer.values);
  names.forEach((name, i) => {
    const line = shape(svg, "path", { class: "curve run", "data-run": name, stroke: color_of((answer.values[i] - low) / (high - low)),
      d: "M" + place.map((p, k) => 50 + k * step + " " + p.at[i]).join("L") });
    shape(line, "title", {}, name + ": " + axes.map((a) => bare(a.name) + " " + a.values[i]).join(", "));
  });
  axes.forEach((a, k) => {
    const x = 50 + k * step, most = Math.floor(step / 6.5);
    shape(svg, "path", { class: "axis", d: "M" + x + " " + top + "V" + bottom });
    /* names at the ends stay within the drawing */
    const anchor = k === 0 ? "start" : k === axes.length - 1 ? "end" : "middle", aside = k === 0 ? -48 : k === axes.length - 1 ? 48 : 0;
    shape(svg, "text", { x: x + aside, y: 12, "text-anchor": anchor }, a.name.length > most ? "…" + a.name.slice(-most) : a.name);
    shape(svg, "text", { x: x, y: 25, "text-anchor": "middle" }, place[k].ends[1]);
    shape(svg, "text", { x: x, y: bottom + 14, "text-anchor": "middle" }, place[k].ends[0]);
  });
}

/* Runs that no other one beats in both figures. sign: 1 where small is good, -1 where large is. */
function pareto(a, b, sign) {
  const better = (i, j) => {
    const p = sign[0] * (a.values[j] - a.values[i]), q = sign[1] * (b.values[j] - b.values[i]);
    return p >= 0 && q >= 0 && (p > 0 || q > 0);
  };
  const all = a.values.map((_, i) => i);
  return all.filter((i) => !all.some((j) => better(j, i))).sort((i, j) => a.values[i] - a.values[j]);
}

function trade(figure, a, b, sign, names) {
  const width = 640, height = 260, left = 70, bottom = 215, [xl, xh] = span_of(a.values), [yl, yh] = span_of(b.values);
  const x = (v) => left + 10 + ((v - xl) / (xh - xl)) * (width - left - 40), y = (v) => bottom - 10 - ((v - yl) / (yh - yl)) * (bottom - 34);
  const svg = shape(figure, "svg", { viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": b.name + " over " + a.name });
  round(yl, yh).forEach((v) => {
    shape(svg, "path", { class: "axis", d: "M" + left + " " + y(v) + "H" + (width - 10) });
    shape(svg, "text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, short(v));
  });
  round(xl, xh).forEach((v) => shape(svg, "text", { x: x(v), y: bottom + 16, "text-anchor": "middle" }, short(v)));
  shape(svg, "text", { x: width - 10, y: bottom + 34, "text-anchor": "end" }, a.name);
  shape(svg, "text", { x: left - 60, y: 12 }, b.name);
  const front = pareto(a, b, sign);
  shape(svg, "path", { class: "curve", stroke: COLORS[1], d: "M" + front.map((i) => x(a.values[i]) + " " + y(b.values[i])).join("L") });
  names.forEach((name, i) => {
    const on = front.includes(i);
    const dot = shape(svg, "circle", { class: on ? "best" : "rest", cx: x(a.values[i]), cy: y(b.values[i]), r: on ? 5 : 3.5, fill: on ? COLORS[1] : COLORS[6], "data-run": name });
    shape(dot, "title", {}, name + ": " + short(a.values[i]) + ", " + short(b.values[i]));
  });
  figure.append(make("p", { className: "front" }, "No other run is better in both: " + front.map((i) => names[i]).join(", ") + "."));
}

/* Puts the drawings behind the table; a reader chooses the figures. */
function responses(table) {
  const columns = columns_of(table), count = +table.dataset.keys, names = columns[0].values.map(String);
  const keys = columns.slice(2, 2 + count).filter((k) => k.levels > 1);
  const figures = columns.slice(2 + count).filter((f) => f.number && f.levels > 1);
  /* Runs that have a value of everything that is drawn; those that failed have none. */
  const having = (...list) => names.map((_, i) => i).filter((i) => list.every((c) => !c.number || Number.isFinite(c.values[i])));
  if (names.length < 3 || !keys.length || !figures.length) return;
  const box = make("div", { className: "responses" }), panel = make("div", { className: "controls" }), plots = make("div", { className: "plots" }), left = make("p", { className: "left" });
  const choice = (label, list, value) => {
    const s = make("select");
    list.forEach((n, k) => s.append(make("option", { value: k }, n)));
    s.value = value;
    s.addEventListener("change", draw);
    const l = make("label", {}, label);
    l.append(s);
    panel.append(l);
    return s;
  };
  const goals = ["small is good", "large is good"];
  /* figures of the part come before those of the computation */
  const main = [...figures.keys()].sort((i, j) => figures[i].aside - figures[j].aside || i - j);
  const first = choice("figure", figures.map((f) => f.name), main[0]), first_goal = choice("", goals, 0);
  first.className = "response";
  first_goal.setAttribute("aria-label", "goal of the figure");
  let second = null, second_goal = null;
  if (figures.length > 1) {
    second = choice("against", figures.map((f) => f.name), main[1]);
    second.className = "against";
    second_goal = choice("", goals, 0);
    second_goal.setAttribute("aria-label", "goal of the other figure");
  }
  function figure(title) {
    const f = make("figure");
    f.append(make("figcaption", {}, title));
    plots.append(f);
    return f;
  }
  function draw() {
    const a = figures[+first.value], b = second && figures[+second.value], sign = [first_goal, second_goal].map((g) => (g && g.value === "1" ? -1 : 1));
    const one = having(...keys, a), both = b ? having(...keys, a, b) : one, missing = names.filter((_, i) => !both.includes(i));
    const axes = [...keys, ...new Set([a, b].filter((f) => f))].slice(0, 9).map((c) => rows_of(c, both));
    plots.replaceChildren();
    main_effects(figure("Main effects on " + a.name + ": means, with the range over the other keys"), keys.map((k) => rows_of(k, one)), rows_of(a, one));
    parallel(figure("All runs: keys and figures, colored by " + a.name), axes, rows_of(a, both), both.map((i) => names[i]));
    if (b && b !== a)
      trade(figure("Trade-off between " + bare(a.name) + " and " + bare(b.name)), rows_of(a, both), rows_of(b, both), sign, both.map((i) => names[i]));
    left.textContent = missing.length ? "Without these figures, and left out: " + missing.join(", ") + "." : "";
  }
  box.append(panel, plots, left);
  table.parentElement.after(box);
  draw();
}
