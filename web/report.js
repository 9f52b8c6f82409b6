/* The report page: plots and the 3D view, on top of a page that reads without them. Everything it
   needs is in the page: the numbers in #data, Chart.js and three.js above, where they were installed
   when the report was written. */
"use strict";
(function () {
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
  const short = (v) => (Number.isFinite(v) ? String(+v.toPrecision(6)).replace("e+", "e") : "");
  /* Round numbers within a range, about five. */
  const round = (low, high) => {
    const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw)), m = raw / power;
    const step = power * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10), list = [];
    if (!Number.isFinite(step) || !(step > 0)) return [low];
    for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 * step && list.length < 12; n++) list.push(n * step);
    return list;
  };

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

  /* --- plots */
  const charts = [];
  function draw_plot(figure, run, plot) {
    const x = run.history.columns[plot.x];
    const box = make("div", { className: "box" }), canvas = make("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", plot.title + " over " + run.history.names[plot.x]);
    box.append(canvas);
    const old = figure.querySelector("svg");
    if (old) old.replaceWith(box);
    else figure.append(box);
    const xf = plot.x_factor || 1, yf = plot.factor || 1;
    const bare = (name) => name.replace(/ \[[^\]]*\]$/, "");
    const points = (t, y) => t.map((u, i) => ({ x: u === null ? null : xf * u, y: y[i] === null ? null : yf * y[i] }));
    const series = plot.columns.map((c, k) => ({
      label: plot.unit ? bare(run.history.names[c]) : run.history.names[c],
      data: points(x, run.history.columns[c]),
      borderColor: COLORS[k % COLORS.length], backgroundColor: COLORS[k % COLORS.length],
      borderWidth: 1.6, pointRadius: 0, spanGaps: false
    }));
    const axis = (title) => ({ type: "linear", title: { display: !!title, text: title, color: css("--soft") },
      ticks: { color: css("--soft"), maxRotation: 0, callback: (v) => short(v) }, grid: { color: css("--line") } });
    const chart = new Chart(canvas, {
      type: "line", data: { datasets: series },
      options: { animation: false, responsive: true, maintainAspectRatio: false, parsing: false,
        interaction: { mode: "nearest", axis: "x", intersect: false },
        plugins: { legend: { labels: { color: css("--ink"), boxWidth: 12 } } },
        scales: { x: axis(bare(run.history.names[plot.x]) + (plot.x_unit ? " [" + plot.x_unit + "]" : "")), y: axis(plot.unit) } }
    });
    charts.push(chart);
    chart.renew = (again) => {
      const t = again.history.columns[plot.x];
      plot.columns.forEach((c, k) => { chart.data.datasets[k].data = points(t, again.history.columns[c]); });
      chart.update();
    };
    chart.run = run.id;
    zoom(canvas, chart);
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

  /* --- the 3D view */
  const VERTEX = `
    attribute float value; attribute vec3 moved; uniform float warp;
    varying float v; varying vec3 p; varying vec3 q;
    void main() {
      vec3 at = position + warp * moved;
      v = value; q = at; vec4 e = modelViewMatrix * vec4(at, 1.0); p = e.xyz;
      gl_Position = projectionMatrix * e;
    }`;
  const FRAGMENT = `
    uniform sampler2D palette; uniform float low, high, keep_low, keep_high, clip_at; uniform vec3 clip; uniform bool lines;
    varying float v; varying vec3 p; varying vec3 q;
    void main() {
      if (v < keep_low || v > keep_high || dot(clip, q) > clip_at) discard;
      float s = high > low ? (v - low) / (high - low) : 0.5;
      vec3 c = v == v && v > -1e37 ? texture2D(palette, vec2(clamp(s, 0.002, 0.998), 0.5)).rgb : vec3(0.6);
      float light = 1.0;
      if (!lines) { vec3 n = normalize(cross(dFdx(p), dFdy(p))); light = 0.8 + 0.2 * abs(n.z); }
      gl_FragColor = vec4(c * light, 1.0);
    }`;

  class View {
    constructor(figure, run) {
      this.run = run;
      this.data = run.view;
      this.figure = figure;
      this.geometry = [];
      this.frame = this.data.frames.length - 1;
      this.field = 0;
      this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true });
      this.canvas = this.renderer.domElement;
      this.canvas.tabIndex = 0;
      this.canvas.setAttribute("role", "img");
      this.canvas.setAttribute("aria-label", "The part in 3D: drag to turn, scroll to zoom; arrow keys turn, + and - zoom, 0 resets, space plays");
      this.scene = new THREE.Scene();
      const low = this.data.box_low, high = this.data.box_high;
      this.centre = low.map((l, c) => (l + high[c]) / 2);
      this.half = low.map((l, c) => (high[c] - l) / 2);
      this.size = 2 * Math.hypot(...this.half) || 1;
      this.flat = this.half[2] < 1e-9 * this.size;
      this.camera = new THREE.PerspectiveCamera(30, 1, 0.01 * this.size, 20 * this.size);
      this.camera.up.set(0, this.flat ? 1 : 0, this.flat ? 0 : 1);
      this.from = this.flat ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(0.72, -1.1, 0.64).normalize();
      this.home = this.from.clone();
      this.touched = false;
      this.fit();
      this.orbit = new THREE.OrbitControls(this.camera, this.canvas);
      this.orbit.enableKeys = false;
      this.orbit.addEventListener("start", () => { this.touched = true; });
      this.orbit.addEventListener("change", () => this.render());
      this.texture = new THREE.DataTexture(new Uint8Array(data.palette.flatMap((c) => c)), data.palette.length, 1, THREE.RGBFormat);
      this.texture.magFilter = this.texture.minFilter = THREE.LinearFilter;
      this.texture.needsUpdate = true;
      const uniform = { palette: { value: this.texture }, low: { value: 0 }, high: { value: 1 }, keep_low: { value: -3e38 },
        keep_high: { value: 3e38 }, clip: { value: new THREE.Vector3(1, 0, 0) }, clip_at: { value: 3e38 }, warp: { value: 0 } };
      const material = (lines) => new THREE.ShaderMaterial({ uniforms: Object.assign({ lines: { value: lines } }, uniform),
        vertexShader: VERTEX, fragmentShader: FRAGMENT, side: THREE.DoubleSide, extensions: { derivatives: true } });
      this.uniform = uniform;
      this.part = new THREE.Mesh(new THREE.BufferGeometry(), material(false));
      this.rods = new THREE.LineSegments(new THREE.BufferGeometry(), material(true));
      [this.part, this.rods].forEach((m) => { m.frustumCulled = false; this.scene.add(m); });
      this.controls();
      new ResizeObserver(() => this.resize()).observe(this.canvas.parentElement);
      window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.render());
    }

    /* The nearest place in the direction `from` at which the whole box is seen, beside the color bar. */
    fit() {
      const right = new THREE.Vector3().crossVectors(this.camera.up, this.from).normalize();
      const up = new THREE.Vector3().crossVectors(this.from, right), tan = Math.tan((this.camera.fov * Math.PI) / 360);
      let away = 0.1 * this.size;
      for (let k = 0; k < 8; k++) {
        const p = new THREE.Vector3(...this.half.map((h, c) => (k & (1 << c) ? h : -h)));
        away = Math.max(away, p.dot(this.from) + Math.abs(p.dot(right)) / (0.84 * tan * this.camera.aspect), p.dot(this.from) + Math.abs(p.dot(up)) / (0.92 * tan));
      }
      this.home.copy(this.from).multiplyScalar(away);
      if (!this.touched) this.camera.position.copy(this.home);
      this.camera.near = 0.01 * this.size;
      this.camera.far = 20 * this.size + away;
      this.camera.updateProjectionMatrix();
    }

    controls() {
      const scene = make("div", { className: "scene" }), panel = make("div", { className: "controls" });
      this.bar = make("div", { className: "bar" });
      scene.append(this.canvas, this.bar);
      this.figure.querySelector(".picture").classList.add("hidden");
      this.figure.append(scene, panel);
      const label = (text, ...items) => { const l = make("label", {}, text); l.append(...items); panel.append(l); return l; };
      const slider = (max, step, value, act) => {
        const s = make("input", { type: "range", min: 0, max: max, step: step, value: value });
        s.addEventListener("input", () => act(+s.value));
        return s;
      };
      this.play_button = make("button", { type: "button" }, "Play");
      this.play_button.addEventListener("click", () => this.play());
      this.slider = slider(this.data.frames.length - 1, 1, this.frame, (k) => this.show(k));
      this.slider.className = "frames";
      this.time = make("span", { className: "time" });
      if (this.data.frames.length > 1) { panel.append(this.play_button); label("time", this.slider); }
      panel.append(this.time);
      const pick = make("select");
      this.data.fields.forEach((f, k) => pick.append(make("option", { value: k }, f.name + (f.shown ? " [" + f.shown + "]" : ""))));
      pick.addEventListener("change", () => { this.field = +pick.value; this.limits(); this.show(this.frame); });
      label("color", pick);
      this.keep = [slider(1, 0.005, 0, () => this.limits()), slider(1, 0.005, 1, () => this.limits())];
      label("show from", this.keep[0]);
      label("to", this.keep[1]);
      const along = make("select");
      ["no", "x", "y", "z"].forEach((a) => along.append(make("option", { value: a }, a)));
      this.cut = slider(1, 0.005, 0.5, () => this.clip(along.value));
      along.addEventListener("change", () => this.clip(along.value));
      label("clip", along, this.cut);
      if (this.data.warp) {
        const amount = make("input", { type: "number", value: this.data.warp.scale, step: "any", style: "width:6rem" });
        amount.addEventListener("input", () => { this.uniform.warp.value = +amount.value || 0; this.render(); });
        this.uniform.warp.value = this.data.warp.scale;
        label("deformed ×", amount);
      }
      this.canvas.addEventListener("keydown", (e) => {
        const near = { "+": 0.9, "=": 0.9, "-": 1 / 0.9 }[e.key];
        if (near || e.key === "0" || e.key === " ") {
          e.preventDefault();
          this.touched = e.key !== "0" && (this.touched || !!near);
          if (e.key === " ") this.play();
          else if (near) this.camera.position.multiplyScalar(near);
          else this.camera.position.copy(this.home);
          this.render();
          return;
        }
        const turn = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[e.key];
        if (!turn) return;
        e.preventDefault();
        this.touched = true;
        const p = this.camera.position.clone().applyAxisAngle(this.camera.up, turn[0]);
        const side = new THREE.Vector3().crossVectors(this.camera.up, p).normalize();
        this.camera.position.copy(p.applyAxisAngle(side, turn[1]));
        this.camera.lookAt(0, 0, 0);
        this.render();
      });
    }

    limits() {
      const f = this.data.fields[this.field] || { low: 0, high: 1 }, span = f.high - f.low;
      this.uniform.low.value = f.low;
      this.uniform.high.value = f.high;
      const a = +this.keep[0].value, b = +this.keep[1].value;
      this.uniform.keep_low.value = a > 0 ? f.low + a * span : -3e38;
      this.uniform.keep_high.value = b < 1 ? f.low + b * span : 3e38;
      this.bar.style.background = "linear-gradient(to top," + data.palette.map((c) => "rgb(" + c.join() + ")").join() + ")";
      const factor = f.factor || 1, unit = f.shown !== undefined ? f.shown : f.unit;
      const label = make("b", {}, f.name ? f.name + (unit ? " [" + unit + "]" : "") : "");
      const ticks = span > 0 ? round(factor * f.low, factor * f.high) : [factor * f.low];
      this.bar.replaceChildren(label, ...ticks.map((v) => {
        const t = make("span", {}, short(v));
        t.style.top = 100 * (span > 0 ? 1 - (v / factor - f.low) / span : 0.5) + "%";
        return t;
      }));
      this.render();
    }

    clip(axis) {
      const k = "xyz".indexOf(axis);
      this.uniform.clip_at.value = 3e38;
      if (k >= 0) {
        this.uniform.clip.value.set(k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0);
        const low = this.data.low[k], high = this.data.high[k];
        this.uniform.clip_at.value = low + (high - low) * +this.cut.value - this.centre[k];
      }
      this.render();
    }

    async shape(k) {
      if (this.geometry[k]) return this.geometry[k];
      const g = this.data.geometries[k], low = this.data.low, high = this.data.high;
      const axis = await Promise.all(g.position.map((t) => unpack(t, 3, Uint16Array)));
      return (this.geometry[k] = {
        corner: await unpack(g.corner, 5, Uint32Array), rod: await unpack(g.rod, 5, Uint32Array),
        at: axis.map((a, c) => Float32Array.from(a, (q) => low[c] + ((high[c] - low[c]) * q) / 65535 - this.centre[c]))
      });
    }

    /* `first`: the first of this mesh's values per cell; -1: they are per point. */
    fill(mesh, list, per, shape, value, first, moved) {
      const n = list.length, at = new Float32Array(3 * n), v = new Float32Array(n), d = new Float32Array(3 * n);
      for (let i = 0; i < n; i++) {
        for (let c = 0; c < 3; c++) {
          at[3 * i + c] = shape.at[c][list[i]];
          if (moved) d[3 * i + c] = moved[c][list[i]];
        }
        v[i] = value ? value[first >= 0 ? first + Math.floor(i / per) : list[i]] : -2e38; /* no value: gray */
      }
      const g = mesh.geometry;
      g.setAttribute("position", new THREE.BufferAttribute(at, 3));
      g.setAttribute("value", new THREE.BufferAttribute(v, 1));
      g.setAttribute("moved", new THREE.BufferAttribute(d, 3));
    }

    async show(k) {
      this.frame = k;
      this.slider.value = k;
      const frame = this.data.frames[k], shape = await this.shape(frame.geometry), f = this.data.fields[this.field];
      let value = null;
      if (f && frame.values[this.field]) {
        const q = await unpack(frame.values[this.field], 3, Uint16Array);
        value = Float32Array.from(q, (u) => (u === 65535 ? NaN : f.low + ((f.high - f.low) * u) / 65534));
      }
      let moved = null;
      if (this.data.warp && frame.moved) {
        const m = this.data.warp;
        moved = await Promise.all(frame.moved.map(async (t, c) =>
          Float32Array.from(await unpack(t, 3, Uint16Array), (u) => m.low[c] + ((m.high[c] - m.low[c]) * u) / 65535)));
      }
      if (this.frame !== k) return; /* another one was asked for meanwhile */
      const cell = f && f.cells;
      this.fill(this.part, shape.corner, 3, shape, value, cell ? 0 : -1, moved);
      this.fill(this.rods, shape.rod, 2, shape, value, cell ? shape.corner.length / 3 : -1, moved);
      this.bar.classList.toggle("hidden", !value);
      this.time.textContent = frame.label;
      this.render();
    }

    /* The same run, with more snapshots: who looked at the last one sees the new last one. */
    async renew(view) {
      const last = this.frame === this.data.frames.length - 1;
      this.data = view;
      this.geometry = [];
      this.slider.max = view.frames.length - 1;
      this.limits();
      await this.show(last ? view.frames.length - 1 : Math.min(this.frame, view.frames.length - 1));
    }

    async play() {
      if (this.playing) { this.playing = false; return; }
      this.playing = true;
      this.play_button.textContent = "Stop";
      for (let k = this.frame === this.data.frames.length - 1 ? 0 : this.frame; this.playing && k < this.data.frames.length; k++) {
        await this.show(k);
        await new Promise((r) => setTimeout(r, 150));
      }
      this.playing = false;
      this.play_button.textContent = "Play";
    }

    resize() {
      const w = this.canvas.parentElement.clientWidth, h = this.canvas.clientHeight || 480;
      if (!w) return;
      this.renderer.setPixelRatio(window.devicePixelRatio);
      this.renderer.setSize(w, h, false);
      this.camera.aspect = w / h;
      this.fit();
      this.render();
    }

    render() {
      this.camera.lookAt(0, 0, 0);
      this.renderer.render(this.scene, this.camera);
    }

    /* For the test of this page: pixels that show the part, and a sum that changes with them. */
    pixels() {
      this.render();
      const gl = this.renderer.getContext(), w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
      const rgba = new Uint8Array(4 * w * h);
      gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
      let count = 0, sum = 0;
      for (let i = 0; i < rgba.length; i += 4)
        if (rgba[i + 3] > 0) { count++; sum = (sum * 31 + rgba[i] + 7 * rgba[i + 1] + 13 * rgba[i + 2] + i) % 1000000007; }
      return { count: count, sum: sum };
    }
  }

  async function view(section, run) {
    const figure = section.querySelector(".part");
    if (typeof THREE === "undefined" || !figure || !run.view || typeof DecompressionStream === "undefined") return null;
    let v;
    try {
      const probe = document.createElement("canvas");
      if (!probe.getContext("webgl") && !probe.getContext("webgl2")) return null;
      v = new View(figure, run);
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
        document.querySelectorAll(".runs").forEach(sorting);
      }
      data.runs = news.runs;
      for (const [k, run] of news.runs.entries()) {
        charts.filter((c) => c.run === run.id).forEach((c) => c.renew(run));
        if (views[k]) await views[k].renew(run.view);
        const to = document.getElementById(run.id), from = again.getElementById(run.id);
        [".verdict", ".tables"].forEach((part) => to.querySelector(part).replaceWith(from.querySelector(part)));
      }
      document.body.dataset.updates = 1 + +(document.body.dataset.updates || 0);
    }
    document.body.dataset.following = state.running;
    if (state.running || state.change !== change) setTimeout(() => follow(views, state.change).catch(ended), 1000);
  }
  function ended() { document.body.dataset.following = false; } /* the server has gone with the run */

  async function start() {
    document.querySelectorAll(".runs").forEach(sorting);
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
})();
