/* The part in 3D: its surface colored by a field, with what one needs to read numbers off it.

   Coordinates of the scene are those of the model minus the middle of the box that the part takes up.
   `fill` spreads a frame over triangle corners (three per triangle, two per rod); the same arrays are
   drawn, and searched when a reader picks a point. */

const VERTEX = `
  attribute float value, test; attribute vec3 moved; uniform float warp;
  varying float v, s; varying vec3 p; varying vec3 q;
  void main() {
    vec3 at = position + warp * moved;
    v = value; s = test; q = at; vec4 e = modelViewMatrix * vec4(at, 1.0); p = e.xyz;
    gl_Position = projectionMatrix * e;
  }`;
/* Colors of melt, from solidus to the hottest. */
const MELT = [[0.8, 0.12, 0.05], [1.0, 0.9, 0.6]], GLSL = (c) => c.map((x) => x.toFixed(3)).join();
const FRAGMENT = `
  uniform sampler2D palette; uniform float low, high, keep_low, keep_high, clip_at, melt; uniform vec3 clip; uniform int kind;
  varying float v, s; varying vec3 p; varying vec3 q;
  void main() {
    if (s < keep_low || s > keep_high || dot(clip, q) > clip_at) discard;
    if (kind == 2) { gl_FragColor = vec4(0.1, 0.1, 0.1, 1.0); return; }
    float at = high > low ? (v - low) / (high - low) : 0.5;
    vec3 c = v == v && v > -1e29 ? texture2D(palette, vec2(clamp(at, 0.002, 0.998), 0.5)).rgb : vec3(0.6);
    if (v == v && v > melt) c = mix(vec3(${GLSL(MELT[0])}), vec3(${GLSL(MELT[1])}), high > melt ? clamp((v - melt) / (high - melt), 0.0, 1.0) : 1.0);
    if (v == v && melt < 1e37 && abs(v - melt) < 0.8 * fwidth(v)) c = vec3(0.05);
    float light = 1.0;
    if (kind == 0) { vec3 n = normalize(cross(dFdx(p), dFdy(p))); light = 0.8 + 0.2 * abs(n.z); }
    gl_FragColor = vec4(c * light, 1.0);
  }`;
const LOAD_COLORS = ["#d1291f", "#1f6feb", "#a855c7", "#c98a12", "#13949c", "#d23f8f"]; /* of load cases */
const COARSE = 12000; /* triangles while the part is turned, where drawing is slow */
const NOTHING = -1e30; /* the value where a field has none; drawn gray. Perspective divides it by small lengths: far from overflow */
const KEYS = "arrow keys turn, + and - zoom, 0 resets, x y z look along an axis, space plays, " +
  "p reads the value in the middle, m that of the largest value, n that of the smallest, e shows element edges";

class View {
  /* twin: a view of the same run beside which this one stands; NULL: it is the first. */
  constructor(figure, run, twin) {
    this.run = run;
    this.data = run.view;
    this.figure = figure;
    this.twin = twin;
    this.geometry = twin ? twin.geometry : [];
    this.frame = twin ? twin.frame : this.data.first;
    this.field = twin && this.data.fields.length > 1 ? (twin.field + 1) % this.data.fields.length : 0;
    this.colors = twin ? twin.colors : null; /* the palette that the reader chose */
    this.range = [null, null]; /* colors by the reader's limits */
    this.ends = null; /* of the line to probe */
    this.probing = false;
    this.picked = null;
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true });
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "The part in 3D: drag to turn, scroll to zoom, click to read a value; " + KEYS);
    this.over = make("canvas", { className: "over" });
    this.over.setAttribute("aria-hidden", "true");
    this.scene = new THREE.Scene();
    const [low, high] = this.box_of_all();
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
    this.orbit.addEventListener("change", () => this.moved());
    this.texture = new THREE.DataTexture(new Uint8Array(96), 32, 1, THREE.RGBFormat);
    this.texture.magFilter = this.texture.minFilter = THREE.LinearFilter;
    const uniform = { palette: { value: this.texture }, low: { value: 0 }, high: { value: 1 }, keep_low: { value: -3e38 },
      keep_high: { value: 3e38 }, clip: { value: new THREE.Vector3(1, 0, 0) }, clip_at: { value: 3e38 }, warp: { value: 0 },
      melt: { value: 3e38 } };
    const material = (kind) => new THREE.ShaderMaterial({ uniforms: Object.assign({ kind: { value: kind } }, uniform),
      vertexShader: VERTEX, fragmentShader: FRAGMENT, side: THREE.DoubleSide, extensions: { derivatives: true },
      polygonOffset: kind === 0, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    this.uniform = uniform;
    this.part = new THREE.Mesh(new THREE.BufferGeometry(), material(0));
    this.rods = new THREE.LineSegments(new THREE.BufferGeometry(), material(1));
    this.edges = new THREE.LineSegments(new THREE.BufferGeometry(), material(2));
    this.edges.visible = twin ? twin.edges.visible : false;
    this.coarse = new THREE.Mesh(new THREE.BufferGeometry(), this.part.material);
    this.coarse.visible = false;
    /* the undeformed shape, beside the deformed one */
    this.outline = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x8a8f98 }));
    [this.part, this.rods, this.edges, this.coarse, this.outline].forEach((m) => { m.frustumCulled = false; this.scene.add(m); });
    this.controls();
    this.pointer();
    this.keys();
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.canvas.parentElement);
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.later());
  }

  /* The box of the part, wide enough for the arrows of loads. */
  box_of_all() {
    const low = [...this.data.box_low], high = [...this.data.box_high], marks = this.data.marks;
    const middle = low.map((l, c) => (l + high[c]) / 2), size = Math.hypot(...low.map((l, c) => high[c] - l));
    if (marks) this.arrows = marks.list.filter((m) => m[6] > 0 && !marks.heat).map((m) => {
      const into = middle.reduce((s, x, c) => s + (x - m[c]) * m[3 + c], 0) > 0;
      const way = [0, 1, 2].map((c) => (0.14 * size * m[3 + c]) / marks.most);
      const ends = [m.slice(0, 3).map((x, c) => x - (into ? way[c] : 0)), m.slice(0, 3).map((x, c) => x + (into ? 0 : way[c]))];
      ends.forEach((e) => e.forEach((x, c) => { low[c] = Math.min(low[c], x); high[c] = Math.max(high[c], x); }));
      return { ends: ends, kind: m[6] };
    });
    return [low, high];
  }

  /* Loads and supports of the model, over the part: arrows, of heat flows dots; triangles where all components are
     held, rings where some are. Below them what they mean, with the sum of each load case. */
  draw_marks(ink, w, h, text) {
    const { list, most, total, heat } = this.data.marks, at = (p) => {
      const q = new THREE.Vector3(...p.map((x, c) => x - this.centre[c])).project(this.camera);
      return [((q.x + 1) / 2) * w, ((1 - q.y) / 2) * h];
    };
    const line = (color, width, ...points) => {
      ink.beginPath();
      points.forEach((p) => ink.lineTo(...p));
      ink.strokeStyle = color;
      ink.lineWidth = width;
      ink.stroke();
    };
    const color = (k) => LOAD_COLORS[(k - 1) % LOAD_COLORS.length];
    const arrow = (p, q, k) => {
      const d = Math.hypot(q[0] - p[0], q[1] - p[1]), n = d > 0 ? Math.min(0.4 * d, 9) / d : 0, [x, y] = [q[0] - p[0], q[1] - p[1]];
      const heads = [-0.5, 0.5].map((s) => [q[0] - n * (x + s * y), q[1] - n * (y - s * x)]);
      [["#fff", 4.5], [color(k), 2.2]].forEach(([c, width]) => { line(c, width, p, q); line(c, width, heads[0], q, heads[1]); });
    };
    const round_mark = (p, r, fill, edge) => {
      ink.beginPath();
      ink.arc(...p, r, 0, 2 * Math.PI);
      ink.lineWidth = 1.6;
      ink.fillStyle = fill;
      ink.fill();
      ink.strokeStyle = edge;
      ink.stroke();
    };
    const support = (p, all) => {
      if (!all) { round_mark(p, 3.2, "#fff", "#222"); return; }
      ink.beginPath();
      [[0, 0], [-5, 9], [5, 9]].forEach(([x, y]) => ink.lineTo(p[0] + x, p[1] + y));
      ink.closePath();
      ink.lineWidth = 2.4;
      ink.strokeStyle = "#fff";
      ink.stroke();
      ink.fillStyle = "#222";
      ink.fill();
    };
    const held = list.filter((m) => m[6] === 0), kinds = [true, false].filter((all) => held.some((m) => (m[7] === 7) === all));
    held.forEach((m) => support(at(m.slice(0, 3)), m[7] === 7));
    if (heat) list.filter((m) => m[6] > 0).forEach((m) => round_mark(at(m.slice(0, 3)), 3 + 6 * Math.sqrt(Math.abs(m[3]) / most), color(m[6]), "#fff"));
    this.arrows.forEach((a) => arrow(at(a.ends[0]), at(a.ends[1]), a.kind));
    let x = w - 12;
    const y = h - 14, put = (t, draw, wide) => {
      text(t, x, y, "right");
      x -= ink.measureText(t).width + 8;
      draw();
      x -= wide + 10;
    };
    kinds.reverse().forEach((all) => put(all ? (heat ? "prescribed" : "support") : "held in part", () => support([x - 5, y - (all ? 5 : 0)], all), 10));
    total.map((t, k) => k + 1).reverse().forEach((k) => put("load " + (total.length > 1 ? k + ": " : "") + total[k - 1],
      () => (heat ? round_mark([x - 5, y], 4, color(k), "#fff") : arrow([x - 24, y], [x, y], k)), 24));
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

  /* --- controls */

  controls() {
    const scene = make("div", { className: "scene" }), panel = make("div", { className: "controls" });
    const label = (to, text, ...items) => { const l = make("label", {}, text); l.append(...items); to.append(l); return l; };
    const slider = (low, high, step, value, act) => {
      const s = make("input", { type: "range", min: low, max: high, step: step, value: value });
      s.addEventListener("input", () => act(+s.value));
      return s;
    };
    const choice = (names, act) => {
      const s = make("select");
      names.forEach((n, k) => s.append(make("option", { value: k }, n)));
      s.addEventListener("change", () => act(+s.value));
      return s;
    };
    const number = (act) => {
      const n = make("input", { type: "number", step: "any" });
      n.addEventListener("input", () => act(n.value === "" ? null : +n.value));
      return n;
    };
    const check = (value, act) => {
      const c = make("input", { type: "checkbox", checked: value });
      c.addEventListener("change", () => act(c.checked));
      return c;
    };
    const button = (to, text, title, act) => {
      const b = make("button", { type: "button", title: title }, text);
      b.addEventListener("click", act);
      to.append(b);
      return b;
    };
    const group = (text, ...names) => {
      const g = make("fieldset", { className: names.join(" ") });
      g.append(make("legend", {}, text));
      return g;
    };
    const fields = this.data.fields.map((f) => named(f.name, unit_of(f)));
    scene.append(this.canvas, this.over);
    this.figure.querySelector(".picture").classList.add("hidden");
    let both = this.figure.querySelector(".views");
    if (!both) this.figure.append((both = make("div", { className: "views" })));
    this.box = make("div", { className: "view" });
    this.box.append(scene, panel);
    both.append(this.box);

    this.play_button = make("button", { type: "button" }, "Play");
    this.play_button.addEventListener("click", () => this.play());
    this.slider = slider(0, this.data.frames.length - 1, 1, this.frame, (k) => this.show(k));
    this.slider.className = "frames";
    this.time = make("span", { className: "time" });
    if (this.data.frames.length > 1) { panel.append(this.play_button); label(panel, this.data.state ? "state, modes" : this.data.modes ? "mode" : "time", this.slider); }
    panel.append(this.time);
    const palettes = Object.keys(data.palettes);
    const palette = choice(palettes, (k) => { this.colors = palettes[k]; this.limits(); });
    if (fields.length) {
      this.color_by = (k) => { this.field = k; this.range = [null, null]; numbers.forEach((n) => { n.value = ""; }); palette.value = palettes.indexOf(this.palette); pick.value = k; this.limits(); };
      const pick = choice(fields, (k) => { this.color_by(k); this.show(this.frame); });
      pick.value = this.field;
      pick.className = "field";
      label(panel, "color", pick);
    }
    palette.value = palettes.indexOf(this.palette);
    palette.className = "palette";
    label(panel, "palette", palette);
    this.edge_box = check(this.edges.visible, (on) => { this.edges.visible = on; this.later(); });
    this.edge_box.className = "edges";
    label(panel, "edges", this.edge_box);
    if (this.data.fields.some((f) => f.cells)) {
      this.smooth_box = check(this.twin && this.twin.smooth_box ? this.twin.smooth_box.checked : true, () => this.show(this.frame, true));
      this.smooth_box.className = "smooth";
      label(panel, "smooth", this.smooth_box);
    }
    if (this.data.fields.some((f) => f.celsius !== undefined)) {
      const box = check(celsius, (on) => celsius_set(on));
      box.className = "celsius";
      label(panel, "°C", box);
      this.renewal = () => {
        box.checked = celsius;
        [...this.box.querySelectorAll("select.field option")].forEach((o, k) => { o.textContent = named(this.data.fields[k].name, unit_of(this.data.fields[k])); });
        numbers.forEach((n, k) => { n.value = this.range[k] === null ? "" : short(read(this.data.fields[this.field], this.range[k])); });
        this.renew_threshold();
        this.line_field = -1; /* the axis of a probe line has another unit now */
        if (this.ends && this.ends.length === 2) this.sample();
        this.say();
        this.later();
      };
      renewals.push(this.renewal);
    }
    if (this.data.marks) {
      this.marks_box = check(this.twin ? this.twin.marks_box.checked : true, () => this.later());
      this.marks_box.className = "marks";
      label(panel, "loads", this.marks_box);
    }
    if (this.data.warp) {
      const amount = number((v) => { this.uniform.warp.value = v || 0; this.later(); });
      amount.value = this.uniform.warp.value = this.data.warp.scale;
      label(panel, "deformed ×", amount);
    }

    const numbers = [0, 1].map((k) => number((v) => { const f = this.data.fields[this.field]; this.range[k] = v === null || !f ? null : unread(f, v); this.limits(); }));
    const more = make("details", { className: "tools" });
    more.append(make("summary", {}, "Limits, threshold, clip"));
    const colors = group("colors", "limits");
    label(colors, "from", numbers[0]);
    label(colors, "to", numbers[1]);
    more.append(colors, this.threshold(group, label, slider, choice, number, fields), this.clipper(group, label, slider, choice, check, button));

    const reads = make("div", { className: "reads" });
    if (fields.length) {
      button(reads, "largest", "read the largest value of the field (m)", () => this.extreme(1)).className = "largest";
      button(reads, "smallest", "read the smallest value of the field (n)", () => this.extreme(-1)).className = "smallest";
      this.line_button = button(reads, "probe line", "then click two points of the part", () => this.probe(!this.probing));
      this.line_button.className = "line";
      this.line_button.setAttribute("aria-pressed", "false");
    }
    button(reads, "picture", "save this view as a PNG file", () => save(file_name(this.time.textContent || "part") + ".png", this.picture())).className = "png";
    if (this.twin) button(reads, "close", "close this view", () => this.close());
    else if (fields.length > 1) this.second = button(reads, "second view", "another field beside this one, seen from the same place", () => this.pair());
    if (this.second) this.second.className = "second";
    this.readout = make("output", { className: "readout" }, fields.length ? "Click on the part to read a value." : "");
    reads.append(this.readout);
    this.box.append(reads, more);
  }

  /* Shows only where a field, which need not be the one of the colors, is within limits. */
  threshold(group, label, slider, choice, number, fields) {
    const g = group("show where", "threshold"), sides = [0, 1];
    this.kept = -1;
    const sliders = sides.map((k) => slider(0, 1, 0.005, k, () => take(k, null)));
    const numbers = sides.map((k) => number((v) => take(k, v)));
    const take = (k, typed) => {
      const f = this.data.fields[this.kept], all = sliders.every((s, i) => +s.value === i);
      if (!f) return;
      const span = f.high - f.low;
      if (typed !== null) sliders[k].value = span > 0 ? (unread(f, typed) - f.low) / span : k;
      const at = typed !== null ? unread(f, typed) : f.low + span * +sliders[k].value;
      if (typed === null) numbers[k].value = short(read(f, at));
      /* The ends include all: values are rounded to steps of their range. */
      this.uniform[k ? "keep_high" : "keep_low"].value = typed === null && +sliders[k].value === k ? (k ? 3e38 : -3e38) : at;
      if (!all) this.unpick();
      this.later();
    };
    const what = choice(["all", ...fields], (k) => {
      this.kept = k - 1;
      this.uniform.keep_low.value = -3e38;
      this.uniform.keep_high.value = 3e38;
      const f = this.data.fields[this.kept];
      sides.forEach((i) => { sliders[i].value = i; numbers[i].value = f ? short(read(f, i ? f.high : f.low)) : ""; });
      this.show(this.frame);
    });
    this.renew_threshold = () => {
      [...what.options].slice(1).forEach((o, k) => { o.textContent = named(this.data.fields[k].name, unit_of(this.data.fields[k])); });
      const f = this.data.fields[this.kept], u = this.uniform;
      if (f) [u.keep_low.value, u.keep_high.value].forEach((v, i) => { numbers[i].value = short(read(f, Math.abs(v) > 1e37 ? (i ? f.high : f.low) : v)); });
    };
    label(g, "field", what);
    label(g, "from", numbers[0], sliders[0]);
    label(g, "to", numbers[1], sliders[1]);
    return g;
  }

  /* Cuts away what lies beyond a plane, of any direction. */
  clipper(group, label, slider, choice, check, button) {
    const g = group("clip", "clip");
    let kind = 0, flipped = false;
    const turn = [slider(-180, 180, 1, 0, () => set()), slider(-90, 90, 1, 0, () => set())];
    const at = slider(0, 1, 0.002, 0.5, () => set()), where = make("output");
    const set = () => {
      const [a, b] = turn.map((t) => (+t.value * Math.PI) / 180), u = this.uniform, n = u.clip.value;
      tilt.forEach((t) => t.classList.toggle("hidden", kind !== 4));
      u.clip_at.value = 3e38;
      where.textContent = "";
      if (kind === 4) n.set(Math.cos(a) * Math.cos(b), Math.sin(a) * Math.cos(b), Math.sin(b));
      else n.set(+(kind === 1), +(kind === 2), +(kind === 3));
      if (kind) {
        const reach = this.half.reduce((sum, h, c) => sum + h * Math.abs(n.getComponent(c)), 0), d = (2 * +at.value - 1) * reach;
        const origin = this.centre.reduce((sum, x, c) => sum + x * n.getComponent(c), 0);
        where.textContent = short(+(this.data.length_factor * (d + origin)).toPrecision(4)) + " " + this.data.length;
        if (flipped) n.negate();
        u.clip_at.value = flipped ? -d : d;
      }
      this.unpick();
      this.later();
    };
    label(g, "plane", choice(["none", "x", "y", "z", "free"], (k) => { kind = k; set(); })).firstElementChild.className = "plane";
    label(g, "position", at, where);
    const tilt = [label(g, "azimuth °", turn[0]), label(g, "elevation °", turn[1])];
    tilt.push(button(g, "from here", "normal of the plane towards the eye", () => {
      const d = this.camera.position.clone().sub(this.orbit.target).normalize();
      turn[0].value = (Math.atan2(d.y, d.x) * 180) / Math.PI;
      turn[1].value = (Math.asin(d.z) * 180) / Math.PI;
      set();
    }));
    tilt.forEach((t) => t.classList.add("hidden"));
    label(g, "other side", check(false, (on) => { flipped = on; set(); }));
    return g;
  }

  keys() {
    this.canvas.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.altKey || e.metaKey) return;
      const near = { "+": 0.9, "=": 0.9, "-": 1 / 0.9 }[e.key], axis = "xyz".indexOf(e.key);
      const turn = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[e.key];
      const eye = this.camera.position, target = this.orbit.target;
      const act = {
        " ": () => this.play(), p: () => this.pick(this.canvas.clientWidth / 2, this.canvas.clientHeight / 2),
        m: () => this.extreme(1), n: () => this.extreme(-1), l: () => this.line_button && this.probe(!this.probing),
        e: () => { this.edges.visible = this.edge_box.checked = !this.edges.visible; },
        0: () => { this.touched = false; target.set(0, 0, 0); eye.copy(this.home); }
      }[e.key];
      if (!act && !near && !turn && axis < 0) return;
      e.preventDefault();
      if (act) { act(); this.moved(); return; }
      this.touched = true;
      const p = eye.clone().sub(target);
      if (near) p.multiplyScalar(near);
      else if (axis >= 0) {
        const d = p.length();
        p.set(+(axis === 0), -(axis === 1), +(axis === 2)).multiplyScalar(d);
        if (axis === 2 && !this.flat) p.y = -1e-3 * d; /* `up` is z */
      } else {
        p.applyAxisAngle(this.camera.up, turn[0]);
        p.applyAxisAngle(new THREE.Vector3().crossVectors(this.camera.up, p).normalize(), turn[1]);
      }
      eye.copy(p.add(target));
      this.moved();
    });
  }

  /* A click that was no drag reads the value there. */
  pointer() {
    let from = null;
    this.canvas.addEventListener("pointerdown", (e) => { from = [e.clientX, e.clientY]; });
    this.canvas.addEventListener("click", (e) => {
      const box = this.canvas.getBoundingClientRect();
      if (from && Math.hypot(e.clientX - from[0], e.clientY - from[1]) < 5) this.pick(e.clientX - box.left, e.clientY - box.top);
    });
  }

  /* --- the second view */

  async pair() {
    if (this.other) return;
    this.second.disabled = true;
    this.other = new View(this.figure, this.run, this);
    this.figure.querySelector(".views").classList.add("two");
    this.other.touched = this.touched;
    this.other.orbit.target.copy(this.orbit.target);
    this.other.camera.position.copy(this.camera.position);
    this.resize();
    this.other.resize();
    this.other.limits();
    await this.other.show(this.frame);
  }

  close() {
    this.watcher.disconnect();
    if (this.renewal) renewals.splice(renewals.indexOf(this.renewal), 1);
    this.box.remove();
    this.figure.querySelector(".views").classList.remove("two");
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.twin.other = null;
    this.twin.second.disabled = false;
    this.twin.resize();
  }

  /* The eye has moved: the other view follows. */
  moved() {
    const peer = this.other || this.twin;
    this.hurry();
    if (!peer || peer.camera.position.equals(this.camera.position)) return;
    peer.touched = this.touched;
    peer.camera.position.copy(this.camera.position);
    peer.orbit.target.copy(this.orbit.target);
    peer.hurry();
  }

  /* --- what is drawn */

  get palette() {
    const f = this.data.fields[this.field];
    return this.colors || (f && f.palette) || Object.keys(data.palettes)[0];
  }

  limits() {
    const f = this.data.fields[this.field] || { low: 0, high: 1 }, u = this.uniform;
    let low = f.low, high = f.high;
    if (this.palette === "coolwarm" && low < 0 && high > 0) { high = Math.max(high, -low); low = -high; } /* white is zero */
    u.low.value = this.range[0] === null ? low : this.range[0];
    u.high.value = this.range[1] === null ? high : this.range[1];
    /* melt has a band of its own: of temperatures, where some is there */
    u.melt.value = this.run.solidus && f.unit === "K" && f.high > this.run.solidus ? this.run.solidus : 3e38;
    const colors = data.palettes[this.palette];
    this.texture.image.data.set(colors.flatMap((c) => c));
    this.texture.needsUpdate = true;
    this.later();
  }

  async shape(k) {
    if (this.geometry[k]) return this.geometry[k];
    const g = this.data.geometries[k], low = this.data.low, high = this.data.high;
    const axis = await Promise.all(g.position.map((t) => unpack(t, 3, Uint16Array)));
    return (this.geometry[k] = {
      corner: await unpack(g.corner, 5, Uint32Array), rod: await unpack(g.rod, 5, Uint32Array),
      node: await unpack(g.node, 5, Uint32Array), cell: await unpack(g.cell, 5, Uint32Array),
      edges: await unpack(g.edges, 1, Uint8Array),
      at: axis.map((a, c) => Float32Array.from(a, (q) => low[c] + ((high[c] - low[c]) * q) / 65535 - this.centre[c]))
    });
  }

  /* value, test: {list, first}, where `first` is the first of this mesh's values per cell, -1 where they
     are per point. */
  fill(mesh, list, per, shape, value, test, moved) {
    const n = list.length, at = new Float32Array(3 * n), v = new Float32Array(n), d = new Float32Array(3 * n);
    const t = test ? new Float32Array(n) : v;
    const read = (f, i) => (f ? f.list[f.first >= 0 ? f.first + Math.floor(i / per) : list[i]] : NOTHING);
    for (let i = 0; i < n; i++) {
      for (let c = 0; c < 3; c++) {
        at[3 * i + c] = shape.at[c][list[i]];
        if (moved) d[3 * i + c] = moved[c][list[i]];
      }
      v[i] = read(value, i);
      if (test) t[i] = read(test, i);
    }
    const g = mesh.geometry;
    g.setAttribute("position", new THREE.BufferAttribute(at, 3));
    g.setAttribute("value", new THREE.BufferAttribute(per === 3 && value && value.smooth ? this.smooth(list, at, v) : v, 1));
    g.setAttribute("test", new THREE.BufferAttribute(t, 1));
    g.setAttribute("moved", new THREE.BufferAttribute(d, 3));
    return { at: at, value: v, test: t, moved: d, list: list, per: per };
  }

  /* Values of elements as they are drawn: at each node the mean of the triangles around it, by their areas. What is
     read stays the value of the element. Nodes of two sides of a crack are two: nothing is smeared across. */
  smooth(list, at, v) {
    const points = list.reduce((m, p) => Math.max(m, p), -1) + 1, sum = new Float64Array(points), weight = new Float64Array(points);
    for (let i = 0; i < list.length; i += 3) {
      const [a, b, c] = [0, 1, 2].map((d) => at[3 * i + 3 + d] - at[3 * i + d]), [d, e, f] = [0, 1, 2].map((k) => at[3 * i + 6 + k] - at[3 * i + k]);
      const area = Math.hypot(b * f - c * e, c * d - a * f, a * e - b * d);
      if (v[i] === v[i] && v[i] > NOTHING / 2) for (let k = 0; k < 3; k++) { sum[list[i + k]] += area * v[i + k]; weight[list[i + k]] += area; }
    }
    return Float32Array.from(v, (x, i) => (x === x && x > NOTHING / 2 && weight[list[i]] > 0 ? sum[list[i]] / weight[list[i]] : x));
  }

  async values(frame, k) {
    const f = this.data.fields[k];
    if (!f || !frame.values[k]) return null;
    const q = await unpack(frame.values[k], 3, Uint16Array);
    return Float32Array.from(q, (u) => (u === 65535 ? NaN : f.low + ((f.high - f.low) * u) / 65534));
  }

  async show(k, alone) {
    this.frame = k;
    this.slider.value = k;
    /* a loaded state and shapes of modes have no field in common */
    const known = this.data.frames[k].values.findIndex((v) => v);
    if (this.data.state && known >= 0 && !this.data.frames[k].values[this.field]) this.color_by(known);
    const frame = this.data.frames[k], shape = await this.shape(frame.geometry), f = this.data.fields[this.field];
    this.slider.setAttribute("aria-valuetext", frame.label);
    const value = await this.values(frame, this.field);
    const test = this.kept >= 0 && this.kept !== this.field ? await this.values(frame, this.kept) : null;
    let moved = null;
    if (this.data.warp && frame.moved) {
      const m = this.data.warp;
      moved = await Promise.all(frame.moved.map(async (t, c) =>
        Float32Array.from(await unpack(t, 3, Uint16Array), (u) => m.low[c] + ((m.high[c] - m.low[c]) * u) / 65535)));
    }
    if (this.frame !== k) return; /* another one was asked for meanwhile */
    const triangles = shape.corner.length / 3, g = this.data.fields[this.kept];
    /* a quantity with a unit, or a strain, is continuous; others (density, a material's number) are drawn as they are */
    const of = (list, field, first) => list && { list: list, first: field.cells ? first : -1,
      smooth: field.cells && this.smooth_box && this.smooth_box.checked && (!!field.shown || /strain/.test(field.name)) };
    if (this.shown !== shape) this.unpick();
    this.shown = shape;
    this.has = !!value;
    this.corners = this.fill(this.part, shape.corner, 3, shape, of(value, f, 0), of(test, g, 0), moved);
    this.ends_of_rods = this.fill(this.rods, shape.rod, 2, shape, of(value, f, triangles), of(test, g, triangles), moved);
    this.edge_lines(shape);
    this.moves = !!moved;
    if (moved) this.outline.geometry.setAttribute("position", this.outline_of(shape));
    this.time.textContent = frame.label;
    this.say();
    if (this.ends && this.ends.length === 2 && !this.playing) this.sample();
    const peer = this.other || this.twin;
    if (peer && !alone) await peer.show(k, true);
    this.render();
    this.pace();
  }

  /* Edges of elements: pairs of corners of the triangles. */
  edge_lines(shape) {
    if (!shape.pairs) {
      const list = [];
      for (let t = 0; t < shape.edges.length; t++)
        for (let i = 0; i < 3; i++) if ((shape.edges[t] >> i) & 1) list.push(3 * t + i, 3 * t + ((i + 1) % 3));
      shape.pairs = new THREE.BufferAttribute(new Uint32Array(list), 1);
    }
    const g = this.edges.geometry;
    g.setIndex(shape.pairs);
    ["position", "value", "test", "moved"].forEach((a) => g.setAttribute(a, this.part.geometry.attributes[a]));
  }

  /* Edges where the undeformed surface ends or turns by more than 30 degrees. Points at one place are one: cracks of
     the undeformed shape are closed. */
  outline_of(shape) {
    if (shape.outline) return shape.outline;
    const { corner, at } = shape, places = new Map(), sides = new Map(), list = [];
    const point = (p) => { const key = at[0][p] + "," + at[1][p] + "," + at[2][p]; if (!places.has(key)) places.set(key, p); return places.get(key); };
    for (let t = 0; t < corner.length; t += 3) {
      const p = [0, 1, 2].map((i) => point(corner[t + i])), v = p.map((k) => new THREE.Vector3(at[0][k], at[1][k], at[2][k]));
      const n = new THREE.Vector3().crossVectors(v[1].sub(v[0]), v[2].sub(v[0])).normalize();
      for (let i = 0; i < 3; i++) {
        const a = Math.min(p[i], p[(i + 1) % 3]), b = Math.max(p[i], p[(i + 1) % 3]), key = a + "," + b, side = sides.get(key);
        if (!side) sides.set(key, { a: a, b: b, n: n, ends: true });
        else Object.assign(side, { ends: false, turns: Math.abs(side.n.dot(n)) < Math.cos(Math.PI / 6) });
      }
    }
    sides.forEach((s) => { if (s.ends || s.turns) [s.a, s.b].forEach((k) => list.push(at[0][k], at[1][k], at[2][k])); });
    return (shape.outline = new THREE.BufferAttribute(new Float32Array(list), 3));
  }

  /* The same run, with more snapshots: who looked at the last one sees the new last one. */
  async renew(view) {
    const last = this.frame === this.data.frames.length - 1;
    for (const v of [this, this.other].filter((x) => x)) {
      v.data = view;
      v.slider.max = view.frames.length - 1;
      v.limits();
    }
    this.geometry.length = 0;
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
    this.over.width = w * window.devicePixelRatio;
    this.over.height = h * window.devicePixelRatio;
    this.camera.aspect = w / h;
    this.fit();
    this.render();
  }

  /* Draws before the next frame of the screen, once. A part that is being turned rests some time after its last frame was
     drawn, not after it was asked for: drawing all triangles in between would stop the turning. */
  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.render();
      if (!this.turning) return;
      clearTimeout(this.rest);
      this.rest = setTimeout(() => { this.turning = false; this.thin(false); this.later(); }, Math.min(1500, Math.max(300, this.slow)));
    });
  }

  /* How long a drawing of all triangles takes, in ms, if that is too long for turning: found once, by waiting for it. */
  pace() {
    if (this.slow !== undefined || !this.corners || this.corners.list.length <= 3 * COARSE) return;
    const from = performance.now(), gl = this.renderer.getContext();
    this.render();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    const took = performance.now() - from;
    this.slow = took > 60 ? took : 0;
    if (this.slow) setTimeout(() => this.few(this.shown), 0);
  }

  /* The part is being turned: where drawing is slow, with few triangles until it rests. */
  hurry() {
    if (this.slow) {
      this.turning = true;
      clearTimeout(this.rest);
      this.thin(true);
    }
    this.later();
  }

  /* Few triangles and, as software draws pixels slowly too, half as many pixels a side. */
  thin(on) {
    const ratio = (on ? 0.5 : 1) * window.devicePixelRatio;
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
    if (on) {
      const g = this.coarse.geometry;
      g.setIndex(this.few(this.shown));
      ["position", "value", "test", "moved"].forEach((a) => g.setAttribute(a, this.part.geometry.attributes[a]));
    }
    this.coarse.visible = on;
    this.part.visible = !on;
    this.edges.visible = !on && this.edge_box.checked;
    this.canvas.dataset.triangles = on ? this.coarse.geometry.index.count / 3 : this.corners.list.length / 3;
  }

  /* Corners of about COARSE triangles: points are clustered on a grid, each cluster is drawn at its first point. */
  few(shape) {
    if (shape.few) return shape.few;
    const { corner, at } = shape, n = corner.length, first = new Int32Array(at[0].length).fill(-1), stands = new Uint32Array(at[0].length);
    const [x, y, z] = at;
    let area = 0, list = [];
    for (let i = 0; i < n; i += 3) {
      const p = corner[i], q = corner[i + 1], r = corner[i + 2];
      const a = x[q] - x[p], b = y[q] - y[p], c = z[q] - z[p], d = x[r] - x[p], e = y[r] - y[p], f = z[r] - z[p];
      area += Math.sqrt((b * f - c * e) ** 2 + (c * d - a * f) ** 2 + (a * e - b * d) ** 2) / 2;
    }
    for (let i = 0; i < n; i++) if (first[corner[i]] < 0) first[corner[i]] = i;
    for (let h = Math.sqrt((2 * area) / COARSE), tries = 0; tries < 12; h *= 1.3, tries++) {
      const cluster = new Map();
      for (let p = 0; p < stands.length; p++) {
        const key = ((Math.floor(x[p] / h) + 32768) * 65536 + Math.floor(y[p] / h) + 32768) * 65536 + Math.floor(z[p] / h) + 32768;
        if (!cluster.has(key)) cluster.set(key, p);
        stands[p] = cluster.get(key);
      }
      list = [];
      for (let i = 0; i < n; i += 3) {
        const a = stands[corner[i]], b = stands[corner[i + 1]], c = stands[corner[i + 2]];
        if (a !== b && b !== c && c !== a) list.push(first[a], first[b], first[c]);
      }
      if (list.length < 3.6 * COARSE) break;
    }
    return (shape.few = new THREE.BufferAttribute(new Uint32Array(list), 1));
  }

  render() {
    this.camera.lookAt(this.orbit.target);
    this.outline.visible = !!this.moves && this.uniform.warp.value !== 0;
    this.renderer.render(this.scene, this.camera);
    const ink = this.over.getContext("2d"), scale = window.devicePixelRatio;
    ink.setTransform(scale, 0, 0, scale, 0, 0);
    ink.clearRect(0, 0, this.over.width, this.over.height);
    this.write(ink, this.over.width / scale, this.over.height / scale);
  }

  /* Color bar, axes, frame, marks: over the part, and in its picture. */
  write(ink, w, h) {
    const f = this.data.fields[this.field], small = "12px system-ui, sans-serif", color = css("--ink"), paper = css("--panel");
    const text = (t, x, y, align) => {
      ink.textAlign = align;
      ink.textBaseline = "middle";
      ink.lineWidth = 4;
      ink.strokeStyle = paper;
      ink.strokeText(t, x, y);
      ink.fillStyle = color;
      ink.fillText(t, x, y);
    };
    ink.lineJoin = "round";
    ink.font = small;
    const warp = this.data.warp && this.uniform.warp.value;
    text(this.time.textContent + (warp && warp !== 1 && (!this.data.modes || (this.data.state && this.frame === 0)) ? ", deformed × " + short(warp) : ""), 8, 12, "left");
    if (f && this.has) {
      const low = this.uniform.low.value, high = this.uniform.high.value, span = high - low, x = w - 30;
      const narrow = w < 500, top = 32, height = Math.min(narrow ? 120 : 224, 0.6 * h); /* above the part on a phone */
      const colors = data.palettes[this.palette], paint = ink.createLinearGradient(0, top + height, 0, top);
      colors.forEach((c, k) => paint.addColorStop(k / (colors.length - 1), "rgb(" + c.join() + ")"));
      ink.fillStyle = paint;
      ink.fillRect(x, top, 16, height);
      const melt = this.uniform.melt.value, rgb = (c) => "rgb(" + c.map((v) => Math.round(255 * v)).join() + ")";
      if (melt > low && melt < high) {
        const y = top + height * (1 - (melt - low) / span), hot = ink.createLinearGradient(0, y, 0, top);
        MELT.forEach((c, k) => hot.addColorStop(k, rgb(c)));
        ink.fillStyle = hot;
        ink.fillRect(x, top, 16, y - top);
        ink.fillStyle = color;
        ink.fillRect(x - 4, y - 1, 24, 2);
        this.solidus_at = y;
      } else this.solidus_at = -1;
      ink.strokeStyle = css("--line");
      ink.lineWidth = 1;
      ink.strokeRect(x, top, 16, height);
      (span > 0 ? round(read(f, low), read(f, high)) : [read(f, low)]).filter((v, k) => !narrow || k % 2 === 0).forEach((v) => {
        const y = top + height * (span > 0 ? 1 - (unread(f, v) - low) / span : 0.5);
        if (this.solidus_at < 0 || Math.abs(y - this.solidus_at) > 12) text(short(v), x - 6, y, "right");
      });
      if (this.solidus_at >= 0) text("solidus " + short(+read(f, melt).toPrecision(4)), x - 6, this.solidus_at, "right");
      ink.font = "600 " + small;
      text(named(f.name, unit_of(f)), w - 12, 14, "right");
      ink.font = small;
    }
    /* the axes, nearest last */
    const back = this.camera.quaternion.clone().conjugate(), origin = [40, h - 40];
    [0, 1, 2].map((c) => ({ c: c, d: new THREE.Vector3(+(c === 0), +(c === 1), +(c === 2)).applyQuaternion(back) }))
      .sort((a, b) => a.d.z - b.d.z).forEach(({ c, d }) => {
        ink.strokeStyle = ["#d1472f", "#2e9e52", "#1f6feb"][c];
        ink.lineWidth = 2.5;
        ink.beginPath();
        ink.moveTo(...origin);
        ink.lineTo(origin[0] + 26 * d.x, origin[1] - 26 * d.y);
        ink.stroke();
        text("xyz"[c], origin[0] + 35 * d.x, origin[1] - 35 * d.y, "center");
      });
    if (this.data.marks && this.marks_box.checked) this.draw_marks(ink, w, h, text);
    const on = (p) => { const q = p.clone().project(this.camera); return [((q.x + 1) / 2) * w, ((1 - q.y) / 2) * h]; };
    const dot = (x, y) => {
      ink.beginPath();
      ink.arc(x, y, 5, 0, 2 * Math.PI);
      ink.lineWidth = 3;
      ink.strokeStyle = "#fff";
      ink.stroke();
      ink.lineWidth = 1.5;
      ink.strokeStyle = "#000";
      ink.stroke();
    };
    if (this.ends && this.ends.length) {
      const at = this.ends.map(on);
      [["#fff", 4], ["#000", 1.5]].forEach(([c, width]) => {
        ink.strokeStyle = c;
        ink.lineWidth = width;
        ink.beginPath();
        at.forEach((p) => ink.lineTo(...p));
        ink.stroke();
      });
      at.forEach((p, k) => { dot(...p); text("AB"[k], p[0] + 12, p[1] - 10, "left"); });
    }
    if (this.picked) {
      const { from, corner, at } = this.picked, sum = new THREE.Vector3();
      if (at) at.b.forEach((b, i) => sum.addScaledVector(this.place(from, at.i + i), b));
      const [x, y] = on(at ? sum : this.place(from, corner));
      dot(x, y);
      text(this.picked.short || "", x + 10, y - 12, "left");
    }
  }

  /* The view as a PNG file, with its color bar, as a data URL. */
  picture() {
    const copy = make("canvas", { width: this.canvas.width, height: this.canvas.height }), ink = copy.getContext("2d");
    if (this.turning) this.thin(false);
    this.render();
    ink.fillStyle = css("--panel");
    ink.fillRect(0, 0, copy.width, copy.height);
    ink.drawImage(this.canvas, 0, 0);
    ink.drawImage(this.over, 0, 0, copy.width, copy.height);
    return copy.toDataURL("image/png");
  }

  /* --- reading values */

  /* Where a corner of a triangle or an end of a rod is drawn. */
  place(from, i) {
    const w = this.uniform.warp.value;
    return new THREE.Vector3(...[0, 1, 2].map((c) => from.at[3 * i + c] + w * from.moved[3 * i + c]));
  }

  hidden(x, y, z, test) {
    const u = this.uniform, n = u.clip.value;
    return test < u.keep_low.value || test > u.keep_high.value || n.x * x + n.y * y + n.z * z > u.clip_at.value;
  }

  /* The first triangle that a ray from `o` along `d` meets and that is shown: {i: its first corner, b: weights
     of its corners, p: the place}; null: none. Möller and Trumbore 1997. */
  cast(o, d) {
    const { at, moved, test } = this.corners, w = this.uniform.warp.value, n = at.length, box = new Float64Array(9);
    let best = Infinity, hit = null;
    for (let j = 0; j < n; j += 9) {
      for (let c = 0; c < 9; c++) box[c] = at[j + c] + w * moved[j + c];
      const ex = box[3] - box[0], ey = box[4] - box[1], ez = box[5] - box[2], fx = box[6] - box[0], fy = box[7] - box[1], fz = box[8] - box[2];
      const px = d.y * fz - d.z * fy, py = d.z * fx - d.x * fz, pz = d.x * fy - d.y * fx, det = ex * px + ey * py + ez * pz;
      if (det === 0) continue;
      const sx = o.x - box[0], sy = o.y - box[1], sz = o.z - box[2], u = (sx * px + sy * py + sz * pz) / det;
      if (!(u >= -1e-9 && u <= 1 + 1e-9)) continue;
      const qx = sy * ez - sz * ey, qy = sz * ex - sx * ez, qz = sx * ey - sy * ex, v = (d.x * qx + d.y * qy + d.z * qz) / det;
      if (!(v >= -1e-9 && u + v <= 1 + 1e-9)) continue;
      const t = (fx * qx + fy * qy + fz * qz) / det;
      if (!(t > 0 && t < best)) continue;
      const i = j / 3, x = o.x + t * d.x, y = o.y + t * d.y, z = o.z + t * d.z;
      if (this.hidden(x, y, z, (1 - u - v) * test[i] + u * test[i + 1] + v * test[i + 2])) continue;
      best = t;
      hit = { i: i, b: [1 - u - v, u, v], p: new THREE.Vector3(x, y, z) };
    }
    return hit;
  }

  /* The rod whose middle line is at most 8 pixels away from a place of the canvas. */
  rod_near(x, y) {
    const rods = this.ends_of_rods, w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    let best = 8, hit = null;
    for (let i = 0; i < rods.list.length; i += 2) {
      const [a, b] = [0, 1].map((k) => this.place(rods, i + k)), [p, q] = [a, b].map((e) => e.clone().project(this.camera));
      const px = ((p.x + 1) / 2) * w, py = ((1 - p.y) / 2) * h, dx = ((q.x + 1) / 2) * w - px, dy = ((1 - q.y) / 2) * h - py;
      const s = Math.min(1, Math.max(0, ((x - px) * dx + (y - py) * dy) / (dx * dx + dy * dy || 1))), away = Math.hypot(x - px - s * dx, y - py - s * dy);
      const at = a.lerp(b, s), test = (1 - s) * rods.test[i] + s * rods.test[i + 1];
      if (!(away < best) || this.hidden(at.x, at.y, at.z, test)) continue;
      best = away;
      hit = { i: i, b: [1 - s, s], p: at, rod: true };
    }
    return hit;
  }

  pick(x, y) {
    if (!this.corners) return;
    this.camera.lookAt(this.orbit.target);
    this.camera.updateMatrixWorld();
    const o = this.camera.position, w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    const d = new THREE.Vector3((2 * x) / w - 1, 1 - (2 * y) / h, 0.5).unproject(this.camera).sub(o).normalize();
    const hit = this.cast(o, d) || this.rod_near(x, y);
    if (hit && this.probing) {
      this.ends.push(hit.p);
      this.readout.textContent = "The line begins here: click on its other end.";
      if (this.ends.length === 2) { this.eye = o.clone(); this.probe(false); this.sample(); }
    } else if (hit) {
      const from = hit.rod ? this.ends_of_rods : this.corners, nearest = hit.b.indexOf(Math.max(...hit.b));
      this.picked = { from: from, corner: hit.i + nearest, at: hit, rod: !!hit.rod };
      this.say();
    } else {
      this.unpick();
    }
    this.later();
  }

  unpick() {
    this.picked = null;
    if (this.readout) this.say();
  }

  /* The corner with the largest or smallest value among those that are shown. */
  extreme(sign) {
    let best = null;
    [this.corners, this.ends_of_rods].forEach((from) => {
      if (!from) return;
      const w = this.uniform.warp.value;
      for (let i = 0; i < from.list.length; i++) {
        const v = from.value[i];
        if (!(v > -1e29) || (best && !(sign * v > sign * best.value))) continue;
        const [x, y, z] = [0, 1, 2].map((c) => from.at[3 * i + c] + w * from.moved[3 * i + c]);
        if (!this.hidden(x, y, z, from.test[i])) best = { value: v, from: from, corner: i };
      }
    });
    if (best) this.picked = { from: best.from, corner: best.corner, at: null, rod: best.from === this.ends_of_rods };
    this.say();
    this.later();
  }

  /* What is known of the picked point: the value, element and node, where it lies undeformed. Numbers count from
     zero, as Python and ParaView count them. */
  say() {
    const k = this.picked, f = this.data.fields[this.field], set = this.readout.dataset;
    Object.keys(set).forEach((name) => delete set[name]);
    if (!k) {
      this.readout.textContent = f ? "Click on the part to read a value." : "";
      return;
    }
    k.from = k.rod ? this.ends_of_rods : this.corners; /* of this frame */
    const { from, corner, at, rod } = k, shape = this.shown, first = corner - (corner % from.per);
    const element = shape.cell[(rod ? shape.corner.length / 3 : 0) + first / from.per];
    const node = shape.node[from.list[corner]], length = this.data.length_factor;
    const xyz = this.centre.map((x, c) => x + from.at[3 * corner + c]);
    const step = 10 ** Math.floor(Math.log10(length * this.size) - 4); /* places have 16 bits */
    const shown = (v) => (v > -1e29 ? +read(f, v).toPrecision(5) + (unit_of(f) ? " " + unit_of(f) : "") : "no value");
    const words = [];
    if (f) {
      const v = from.value[corner];
      k.short = f.cells || !at ? shown(v) : shown(at.b.reduce((s, b, i) => s + b * from.value[first + i], 0));
      words.push(f.name + " = " + k.short, f.cells ? "" : at ? "node " + node + ": " + shown(v) : "");
      set.value = v;
    }
    words.push("cell " + element, (f && !f.cells && at ? "" : "node " + node + " ") + "at (" +
      xyz.map((x) => short(step * Math.round((length * x) / step))).join(", ") + ") " + this.data.length, this.time.textContent);
    Object.assign(set, { node: node, cell: element, x: xyz[0], y: xyz[1], z: xyz[2] });
    this.readout.textContent = words.filter((t) => t).join("; ");
  }

  /* --- values along a line on the surface */

  probe(on) {
    this.probing = on;
    if (on) {
      this.ends = [];
      this.unpick();
      this.readout.textContent = "Click on two points of the part.";
      if (this.line_figure) this.line_figure.remove();
      this.line_figure = this.line_chart = null;
    }
    this.line_button.setAttribute("aria-pressed", String(on));
    this.later();
  }

  /* The straight line from A to B, seen from the place where it was drawn: values on the surface below it, over
     the distance from A along the line. */
  sample() {
    const [a, b] = this.ends, along = b.clone().sub(a), reach = along.length(), f = this.data.fields[this.field];
    const many = 101, columns = [[], [], [], [], []], length = this.data.length_factor;
    along.normalize();
    for (let k = 0; k < many; k++) {
      const to = a.clone().addScaledVector(along, (reach * k) / (many - 1)), hit = this.cast(this.eye, to.sub(this.eye).normalize());
      const row = hit ? [hit.p.clone().sub(a).dot(along), ...hit.p.toArray().map((x, c) => x + this.centre[c]),
        hit.b.reduce((s, w, i) => s + w * this.corners.value[hit.i + i], 0)] : [(reach * k) / (many - 1), NaN, NaN, NaN, NaN];
      row.forEach((v, c) => columns[c].push(c === 4 && !(v > -1e29) ? NaN : v));
    }
    this.line = columns;
    const points = columns[0].map((s, i) => ({ x: length * s, y: Number.isFinite(columns[4][i]) ? read(f, columns[4][i]) : null }));
    if (this.line_figure && this.line_field === this.field && this.line_chart) {
      this.line_chart.data.datasets[0].data = points;
      this.line_chart.update();
      return;
    }
    if (this.line_figure) this.line_figure.remove();
    this.line_field = this.field;
    this.line_figure = make("figure", { className: "plot along" });
    this.line_figure.append(make("figcaption", {}, f.name + " from A to B"));
    this.box.append(this.line_figure);
    this.line_chart = line_chart(this.line_figure, f.name + " along a line", [{ label: f.name, data: points }],
      named("distance", this.data.length), unit_of(f), () => [["distance [m]", "x [m]", "y [m]", "z [m]", named(f.name, in_celsius(f) ? "°C" : f.unit)],
        this.line.map((c, k) => (k === 4 && in_celsius(f) ? c.map((v) => read(f, v)) : c))]);
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
