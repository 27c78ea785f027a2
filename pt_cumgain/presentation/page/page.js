/* What the reader sees and changes: the controls, the tables, the charts (drawn by Bokeh), and the
   fragment of the address, which holds the state. The arithmetic is in cumgain.js. Ids and texts come
   from users: they enter the page only through escaped() or textContent. */
"use strict";

globalThis.page = (() => {
  const $ = (id) => document.getElementById(id);
  const select = (selector) => [...document.querySelectorAll(selector)];
  const embedded = (id) => JSON.parse($(id).textContent);
  const data = cumgain.read(embedded("data"));
  const calculator = new cumgain.Calculator(data);
  const {isDiscounted, isNormalised, dividesMeans} = cumgain;
  const discounts = new Map(data.discounts.map((discount) => [discount.name, discount]));
  const everyRun = [...data.names.keys()];
  const COLOURED = data.colours.length * data.dashes.length; // systems that can be told apart
  const LISTED = 100; // rows of a table, unless the reader asks for all
  const BANDS = 6; // more bands would hide each other

  // ---- numbers and texts ------------------------------------------------------------------------

  const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
  const isolated = (text) => `\u2068${text}\u2069`; // the direction of a name ends with the name
  const percent = (share) => (Number.isNaN(share) ? "–" : `${(100 * share).toFixed(0)}%`);
  const short = (text, n = 24) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);
  const rounded = (x) => Number(x.toPrecision(3));

  /** How many decimals the values need. */
  function decimals(values) {
    const largest = Math.max(0, ...values.map(Math.abs).filter(Number.isFinite));
    return largest < 10 ? 3 : largest < 100 ? 2 : largest < 10000 ? 1 : 0;
  }

  function fixed(x, digits) {
    if (!Number.isFinite(x)) return "–";
    const text = x.toFixed(digits);
    return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
  }

  const signed = (x, digits) => (x > 0 && Number(x.toFixed(digits)) ? "+" : "") + fixed(x, digits);
  const between = (low, high, digits) =>
    (Number.isFinite(low) ? `[${fixed(low, digits)}, ${fixed(high, digits)}]` : "–");

  // ---- the state --------------------------------------------------------------------------------

  const positive = [...data.levels.keys()].filter((l) => data.levels[l] > 0);
  const defaults = {
    ...data.first, system: 0, topic: null, control: String(data.levels.length - 1),
    log: false, ideal: true, shown: everyRun.map(() => true), top: 0,
  };
  const NAMES = {
    measure: ["measure", ["CG", "DCG", "nCG", "nDCG"]],
    discount: ["discount", [...discounts.keys()]],
    ties: ["rule for ties", Object.keys(data.ties)],
    average: ["average", ["topics", "vectors"]],
    control: ["control", ["k", "base", ...data.levels.map((_, l) => String(l))]],
  };
  const hasBase = (of) => isDiscounted(of) && discounts.get(of.discount).base;
  /** The largest base with which the ideal ranking is the best one; Infinity if there is no limit. */
  function largestBase(of) {
    const {upTo} = discounts.get(of.discount);
    return isNormalised(of) && isDiscounted(of) && upTo !== null ? upTo : Infinity;
  }

  /** A valid state: unknown names are refused, numbers brought into their range. */
  function allowed(wished) {
    const next = {...defaults, ...wished};
    for (const [key, [noun, names]] of Object.entries(NAMES))
      if (!names.includes(next[key])) throw new Error(`the page does not know the ${noun} ${next[key]}`);
    const whole = (x, low, high, other) =>
      (Number.isFinite(x) ? Math.min(Math.max(Math.round(x), low), high) : other);
    if (!(next.base > 1 && next.base < 1e9)) next.base = data.defaults.base;
    next.base = Math.min(next.base, largestBase(next));
    next.k = whole(next.k, 1, data.depth, defaults.k);
    next.gains = data.levels.map((_, l) => {
      const gain = Number.isFinite(next.gains[l]) ? next.gains[l] : defaults.gains[l];
      return isNormalised(next) ? Math.max(gain, 0) : gain;
    });
    next.top = Math.max(next.top, sliderTop(next.gains));
    next.baseline = whole(next.baseline, 0, data.runs - 1, 0);
    next.system = whole(next.system, 0, data.runs - 1, 0);
    if (next.system === next.baseline && data.runs > 1) next.system = next.baseline ? 0 : 1;
    if (next.topic !== null) next.topic = whole(next.topic, 0, data.count - 1, null);
    if (next.control === "base" && !hasBase(next)) next.control = defaults.control;
    if (!next.shown.includes(true)) next.shown = everyRun.map((run) => run === next.baseline);
    return next;
  }

  let state = allowed(defaults);
  const shownRuns = () => everyRun.filter((run) => state.shown[run]);

  /** The weighting as ir-measures' text has it: nothing, 'exp', a scheme, or a mapping. */
  function gainsText(gains) {
    const pairs = data.levels.map((level, l) => [level, gains[l]]);
    if (pairs.every(([level, gain]) => gain === Math.max(level, 0))) return "";
    if (pairs.every(([level, gain]) => gain === 2 ** Math.max(level, 0) - 1)) return "exp";
    const highest = data.levels[data.levels.length - 1];
    const isScheme = pairs.every(([level, gain]) => (level >= 0 || gain === 0)
      && Number.isInteger(level) && gain >= 0 && !String(gain).includes("e"));
    if (isScheme && highest >= 1 && highest <= 12) {
      const gainOf = new Map(pairs);
      return Array.from({length: highest + 1}, (_, level) => gainOf.get(level) ?? 0).join("-");
    }
    return pairs.filter(([level, gain]) => gain !== Math.max(level, 0))
      .map(([level, gain]) => `${level}:${gain}`).join(",");
  }

  /** The measure without its cutoff, as ir-measures parses it. */
  function uncutText({measure, gains, discount, base, ties}) {
    const weights = gainsText(gains), options = [];
    if (weights) options.push(`gains='${weights}'`);
    if (isDiscounted({measure}) && discount !== data.defaults.discount) options.push(`discount='${discount}'`);
    if (hasBase({measure, discount}) && base !== data.defaults.base) options.push(`base=${base}`);
    if (ties !== data.defaults.ties) options.push(`ties='${ties}'`);
    return measure + (options.length ? `(${options.join(",")})` : "");
  }

  const measureText = (of) => `${uncutText(of)}@${of.k}`;

  function toFragment({measure, gains, shown, top, ...rest}) {
    const hidden = everyRun.filter((run) => !shown[run]);
    const lists = {gains: gains.join("_"), hidden: hidden.join("_")};
    return new URLSearchParams({measure, ...lists, ...rest}).toString();
  }

  function fromFragment(text) {
    const settings = Object.fromEntries(new URLSearchParams(text.replace(/^#/, "")));
    if (!settings.measure) return null;
    const listed = (key) => (settings[key] || "").split("_").map((x) => (x ? Number(x) : NaN));
    const hidden = new Set(listed("hidden"));
    const wished = {gains: listed("gains"), shown: everyRun.map((run) => !hidden.has(run))};
    for (const [key, value] of Object.entries(settings)) {
      if (!Object.hasOwn(defaults, key) || key in wished) continue;
      const kind = typeof defaults[key];
      wished[key] = kind === "string" ? value : kind === "boolean" ? value === "true" : Number(value);
    }
    return allowed({...data.defaults, ...wished});
  }

  /** The state in the address; null if there is none, or none that this page can show. */
  function addressedState() {
    $("copied").textContent = "";
    try {
      return fromFragment(location.hash);
    } catch (error) {
      $("copied").textContent = `This link cannot be shown: ${error.message}.`;
      return null;
    }
  }

  // ---- scales of sliders and axes ----------------------------------------------------------------

  function sliderTop(gains) {
    return 10 ** Math.max(1, Math.ceil(Math.log10(Math.max(...gains, 1)) - 1e-9));
  }

  const even = (n) => Array.from({length: n + 1}, (_, i) => i / n);

  /** How the values of a control are spread over its slider, and over an axis. */
  function scaleOf(control) {
    if (control === "k") {
      const xs = Array.from({length: data.depth}, (_, i) => i + 1);
      const ticks = [...new Set(even(5).map((p) => Math.max(1, Math.round(p * data.depth))))];
      return {xs, ticks, range: [1, Math.max(data.depth, 2)], to: (k) => k, from: (k) => k};
    }
    const range = [0, 1];
    if (control === "base") {
      const low = 1.1, high = Math.min(20, largestBase(state)), span = Math.log(high / low);
      const ticks = [1.1, 1.2, 1.5, 2, 3, 5, 7, 10, 15, 20].filter((b) => b <= high);
      const from = (p) => low * Math.exp(p * span);
      return {xs: even(40).map(from), ticks, range, to: (x) => Math.log(x / low) / span, from};
    }
    const {top, log, gains} = state;
    const span = Math.log1p(10 * top); // 0 has a place on the logarithmic scale
    const to = (x) => (log ? Math.log1p(10 * Math.max(x, 0)) / span : x / top);
    const from = (p) => (log ? Math.expm1(p * span) / 10 : p * top);
    const ticks = log
      ? [0, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000].filter((x) => x <= top) : even(5).map(from);
    const others = gains.filter((gain, l) => String(l) !== control && gain > 0 && gain < top);
    const xs = [...new Set([...even(40).map(from), ...others])].sort((a, b) => a - b);
    return {xs, ticks, range, to, from};
  }

  /** The axis of a chart: its scale, what it shows, and the present value. */
  function axisOf(name) {
    const {control, k, base, gains} = state;
    if (name === "curves") return {...scaleOf("k"), label: "rank", present: k};
    if (name === "topics") {
      const xs = [...data.topics.keys()];
      return {xs, range: [-0.7, xs.length - 0.3], to: (x) => x, label: "topic", present: 0};
    }
    const label = {k: "rank k", base: "base b"}[control] ?? `gain of level ${data.levels[control]}`;
    return {...scaleOf(control), label, present: {k, base}[control] ?? gains[control]};
  }

  // ---- colours ----------------------------------------------------------------------------------

  const darkMode = matchMedia("(prefers-color-scheme: dark)");
  const theme = {};

  /** Read the colours from page.css. */
  function readTheme() {
    const css = getComputedStyle(document.documentElement);
    for (const name of ["paper", "ink", "quiet", "line", "grey", "zero", "low", "high"])
      theme[name] = css.getPropertyValue(`--${name}`).trim();
  }

  /** Colour and dashes of a system, as in the figures. If there are too many systems to tell apart,
      all but the baseline and the chosen one are grey. */
  function style(run) {
    const isMarked = run === state.baseline || run === state.system;
    let place = run;
    if (data.runs > COLOURED) {
      const shown = shownRuns();
      place = shown.length > COLOURED ? [state.baseline, state.system].indexOf(run) : shown.indexOf(run);
    }
    if (place < 0) return {color: theme.grey, dash: [], width: 1, grey: true};
    const color = data.colours[place % data.colours.length];
    const dash = data.dashes[place % data.dashes.length].map((length) => 2 * length);
    return {color: color === "#000000" ? theme.ink : color, dash, width: isMarked ? 2.6 : 1.6, grey: false};
  }

  const stroke = ({color, width, dash}) =>
    `stroke="${color}" stroke-width="${width}" stroke-dasharray="${dash.join(" ")}"`;
  const swatch = (run) =>
    `<svg viewBox="0 0 26 10" aria-hidden="true"><line x1="0" x2="26" y1="5" y2="5" ${stroke(style(run))}/></svg>`;
  const named = (run) =>
    `<span>${swatch(run)}<bdi title="${escaped(data.names[run])}">${escaped(data.names[run])}</bdi></span>`;

  const channels = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));

  /** A colour for each level: the higher, the farther from the paper; 0 and below are grey. */
  function levelColour(l) {
    const place = positive.indexOf(l);
    if (place < 0) return theme.zero;
    const share = positive.length > 1 ? place / (positive.length - 1) : 1;
    const high = channels(theme.high);
    const mixed = channels(theme.low).map((low, i) => Math.round(low + (high[i] - low) * share));
    return "#" + mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("");
  }

  function inkOn(colour) {
    const [r, g, b] = channels(colour);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 115 ? "#000000" : "#ffffff";
  }

  // ---- the controls -----------------------------------------------------------------------------

  // An element with data-key controls that part of the state, with data-index one element of a list.

  function buildControls() {
    const addOptions = (id, options) =>
      $(id).append(...options.map(([value, text]) => new Option(text, value)));
    addOptions("preset", [["", "as set below"], ...data.presets.map(({label}, i) => [i, label])]);
    addOptions("discount", data.discounts.map(({name, text}) => [name, `${name}: ${text}`]));
    addOptions("ties", Object.keys(data.ties).map((name) => [name, name]));
    for (const id of ["baseline", "system"])
      addOptions(id, data.names.map((name, run) => [run, short(name, 60)]));
    addOptions("control", data.levels.map((level, l) => [l, `the gain of level ${level}`]).reverse());
    addOptions("control", [["base", "the base of the discount"], ["k", "the rank k"]]);
    const rows = data.levels.map((level, l) => `<div class="slider">`
      + `<label for="gain-${l}"><span class="chip" data-level="${l}"></span>level ${level}</label>`
      + `<input type="range" id="gain-slider-${l}" data-key="gains" data-index="${l}" min="0" max="1" step="0.005" aria-label="Gain of level ${level}, slider">`
      + `<input type="number" id="gain-${l}" data-key="gains" data-index="${l}" step="any" required></div>`);
    const rest = rows.filter((_, l) => !positive.includes(l));
    const isOpen = rest.some((_, l) => state.gains[l] !== 0) ? " open" : "";
    $("gains").innerHTML = positive.map((l) => rows[l]).join("")
      + (rest.length ? `<details${isOpen}><summary>Levels of 0 and below</summary>${rest.join("")}</details>` : "");
    $("shown").innerHTML = everyRun.map((run) =>
      `<li><label><input type="checkbox" data-key="shown" data-index="${run}"><span class="name" data-run="${run}"></span></label></li>`).join("");
    $("k").max = $("k-slider").max = data.depth;
    if (matchMedia("(max-width: 60rem)").matches)
      select("#controls > details").forEach((part, i) => { part.open = i === 0 || i === 2; });
  }

  const sliderScale = (key) => scaleOf(key === "gains" ? "" : key);

  /** Change the state as a control says. */
  function changeBy(control) {
    const {key, index} = control.dataset;
    if (!control.validity.valid) return; // as while a number is being typed
    let {value} = control;
    if (control.type === "checkbox") value = control.checked;
    else if (control.type === "range") value = rounded(sliderScale(key).from(Number(value)));
    else if (index !== undefined || typeof state[key] === "number") value = Number(value);
    change({[key]: index === undefined ? value
      : state[key].map((old, i) => (i === Number(index) ? value : old))});
  }

  /** Write the state into the controls, but not into the one that is being typed in. */
  function syncControls() {
    for (const control of select("[data-key]")) {
      const {key, index} = control.dataset;
      const value = index === undefined ? state[key] : state[key][index];
      if (control.type === "checkbox") control.checked = value;
      else if (control.type === "range") {
        control.value = sliderScale(key).to(value);
        control.setAttribute("aria-valuetext", String(value));
      } else if (control.type !== "number" || document.activeElement !== control) control.value = value;
      if (control.type === "number" && key === "gains") control.min = isNormalised(state) ? 0 : "";
    }
    const preset = data.presets.findIndex(({gains}) => gains.every((gain, l) => gain === state.gains[l]));
    $("preset").value = preset < 0 ? "" : preset;
    for (const chip of select("#gains .chip")) chip.style.background = levelColour(Number(chip.dataset.level));
    for (const label of select("#shown .name")) label.innerHTML = named(Number(label.dataset.run));
    const {text, source, name, beyond} = discounts.get(state.discount);
    $("discount").disabled = !isDiscounted(state);
    $("base").disabled = $("base-slider").disabled = !hasBase(state);
    $("control").querySelector("[value=base]").disabled = !hasBase(state);
    $("average").disabled = !isNormalised(state);
    $("formula").textContent = isDiscounted(state)
      ? `The gain at rank i is divided by d(i) = ${text} (${source}).` : "CG has no discount.";
    const limit = largestBase(state);
    $("limit").textContent = hasBase(state) && Number.isFinite(limit)
      ? `The base can be at most ${limit}: with a larger one, ${name} ${beyond.split(";")[0]}.` : "";
    $("tied").textContent = `Documents of equal score are ranked: ${data.ties[state.ties]}.`;
    $("averaged").textContent = !isNormalised(state) ? "" : dividesMeans(state)
      ? "The mean vector divided by the mean ideal vector (TOIS 2002, section 3.3): topics with more to gain weigh more. The page has no interval for this ratio."
      : "The mean of the measure itself: every topic has the same weight.";
  }

  const actions = { // of a button, by its data attribute
    topic: (topic) => openTopic(Number(topic), true),
    system: (run) => change({system: Number(run)}),
    show: (which) => change({shown: everyRun.map((run) => which === "all" || run === state.baseline)}),
    more: (table) => { listed[table] = Infinity; render(); },
    csv: (name) => save(`${name}.csv`, "text/csv", csv(name)),
    svg: (name) => ready.then(() => save(`${name}.svg`, "image/svg+xml", svg(name))),
    copy: (which) => copy(which === "link"
      ? `${location.href.split("#")[0]}#${toFragment(state)}` : measureText(state)),
  };

  function bind() {
    $("controls").addEventListener("submit", (event) => event.preventDefault());
    $("controls").addEventListener("focusout", () => syncControls());
    $("preset").addEventListener("change", ({target}) => {
      if (target.value !== "") change({gains: data.presets[target.value].gains, top: 0});
    });
    document.addEventListener("input", ({target}) => { if (target.dataset.key) changeBy(target); });
    document.addEventListener("click", ({target}) => {
      const button = target.closest("button");
      for (const [action, value] of Object.entries(button ? button.dataset : {})) actions[action](value);
    });
    for (const name of ["curves", "sweep", "topics"]) {
      $(name).addEventListener("keydown", (event) => {
        const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
        if (!step) return;
        event.preventDefault();
        const {xs, present} = axisOf(name);
        const at = name in pointer ? pointer[name] + step : xs.findIndex((x) => x >= present);
        pointer[name] = Math.min(Math.max(at, 0), xs.length - 1);
        read(name);
      });
      $(name).addEventListener("blur", () => pointed(name, "mouseleave"));
    }
    addEventListener("hashchange", () => {
      const next = addressedState();
      if (next && toFragment(next) !== toFragment(state)) { state = next; render(); }
    });
    darkMode.addEventListener("change", () => { readTheme(); render(); });
    addEventListener("beforeprint", () => { printAs(true); drawPrinted(); });
    addEventListener("afterprint", () => printAs(false));
  }

  function change(settings) {
    $("copied").textContent = "";
    state = allowed({...state, ...settings});
    render();
  }

  const hasAddress = location.protocol !== "about:"; // else in the frame of a notebook

  function remember() {
    if (!hasAddress) return;
    try {
      history.replaceState(null, "", "#" + toFragment(state));
    } catch { /* some frames may not change their address */ }
  }

  // ---- the views --------------------------------------------------------------------------------

  const listed = {topics: LISTED, ranking: LISTED}; // how many rows
  const pointer = {}; // the index of the value that is read on a chart
  let values = null; // of the present state
  const stale = new Set();
  const visible = new Set();
  let resting = 0;

  /** Compute and draw. What is out of sight waits until it is seen, or until nothing moves. */
  function render(everything = false) {
    values = calculator.values(state);
    syncControls();
    $("text").textContent = measureText(state);
    $("sentence").textContent = `${sentence(state)}.`;
    for (const name of Object.keys(views)) stale.add(name);
    drawStale(everything);
    clearTimeout(resting);
    resting = setTimeout(() => {
      resting = 0;
      remember();
      drawStale(true);
    }, 250);
  }

  function drawStale(everything) {
    for (const name of [...stale])
      if (everything || visible.has(name)) { stale.delete(name); views[name](); }
  }

  function sweep() {
    const runs = shownRuns(), {xs} = axisOf("sweep");
    const key = JSON.stringify({...state, topic: 0, system: 0, baseline: 0, ideal: 0});
    const means = calculator.remember(key, () => calculator.sweep(state, state.control, xs, runs));
    return {runs, means};
  }

  // The charts come from Bokeh without data; these functions fill them

  const models = {};
  const views = {
    curves: drawCurves, "curves-table": drawCurvesTable, order: drawOrder, sweep: drawSweep,
    topics: drawTopics, "topics-table": drawTopicsTable, ranking: drawRanking,
  };

  const part = (chart, name) => models[chart].document.get_model_by_name(`${chart}-${name}`);

  function setAxes(name, ys, ylabel) {
    const {plot} = models[name], {range, label} = axisOf(name);
    [plot.x_range.start, plot.x_range.end] = range;
    const room = 0.04 * (ys[1] > ys[0] ? ys[1] - ys[0] : 1);
    [plot.y_range.start, plot.y_range.end] = [ys[0] === 0 ? 0 : ys[0] - room, ys[1] + room];
    for (const [axis, text] of [[plot.below[0], label], [plot.left[0], ylabel]])
      axis.setv({axis_label: text, axis_label_text_color: theme.quiet, major_label_text_color: theme.quiet,
                 axis_line_color: theme.quiet, major_tick_line_color: theme.quiet});
    for (const grid of plot.center) if ("grid_line_color" in grid) grid.grid_line_color = theme.line;
  }

  function setTicks(name, places, labels) {
    const [axis] = models[name].plot.below, key = JSON.stringify([places, labels]);
    if (models[name].ticks === key) return; // setting them lays out the chart again
    models[name].ticks = key;
    axis.ticker.ticks = places;
    axis.major_label_overrides = new Map(places.map((at, i) => [at, labels[i]]));
  }

  /** Draw a line for each run, thick ones last, and mark the present value of the control. */
  function drawLines(name, runs, means) {
    const {xs, to, present} = axisOf(name), places = xs.map(to);
    const lines = runs.map((run, i) => ({...style(run), ys: means[i]})).sort((a, b) => a.width - b.width);
    const column = (key) => lines.map((line) => line[key]);
    part(name, "lines").data = {
      xs: lines.map(() => places), ys: column("ys"), color: column("color"), dash: column("dash"),
      width: column("width"), alpha: lines.map(({grey}) => (grey ? 0.6 : 1)),
    };
    part(name, "present").location = to(present);
    read(name);
  }

  /** The smallest and the largest number, or the bound if it is beyond them. */
  function extent(arrays, bound = 0) {
    let low = bound, high = bound;
    for (const array of arrays)
      for (const x of array) if (x < low) low = x; else if (x > high) high = x;
    return [low, high];
  }

  function drawCurves() {
    const runs = shownRuns(), {systems, ideal} = calculator.curves(state), {xs} = axisOf("curves");
    const means = runs.map((run) => systems[run].mean);
    const hasIntervals = data.count > 1 && !dividesMeans(state);
    const bands = !hasIntervals ? [] : runs.length <= BANDS ? runs
      : runs.filter((run) => run === state.baseline || run === state.system);
    const drawn = [...means, ...bands.flatMap((run) => [systems[run].low, systems[run].high])];
    setAxes("curves", extent(state.ideal ? [...drawn, ideal] : drawn), state.measure);
    part("curves", "ideal").data = state.ideal ? {x: xs, y: ideal} : {x: [], y: []};
    part("curves", "bands").data = {
      xs: bands.map(() => [...xs, ...[...xs].reverse()]),
      ys: bands.map((run) => [...systems[run].low, ...[...systems[run].high].reverse()]),
      color: bands.map((run) => style(run).color),
    };
    drawLines("curves", runs, means);
    $("curves").setAttribute("aria-label", `Chart: ${uncutText(state)} of ${counted(runs.length, "system")} at the ranks 1 to ${data.depth}; the arrow keys read the values`);
    const notes = [`The dotted line marks rank ${state.k}.`];
    if (state.ideal) notes.push("The dashed grey line is the ideal.");
    notes.push(data.count < 2 ? "A single topic has no interval." : !hasIntervals ? "The page has no interval for a ratio of means."
      : `Bands are ${percent(data.confidence)} intervals of the means over topics${bands.length < runs.length ? ", of the baseline and the chosen system only" : ""}.`);
    if (runs.length > COLOURED)
      notes.push(`Colours can tell ${COLOURED} systems apart; there are more, so all but the baseline and the chosen system are grey. Show fewer systems to see colours.`);
    $("curves-note").textContent = notes.join(" ");
  }

  function drawSweep() {
    const {runs, means} = sweep(), {to, ticks, label} = axisOf("sweep");
    setAxes("sweep", extent(means, means[0][0]), `mean ${state.measure}`);
    setTicks("sweep", ticks.map(to), ticks.map((x) => String(rounded(x))));
    drawLines("sweep", runs, means);
    $("sweep").setAttribute("aria-label", `Chart: means of ${counted(runs.length, "system")} by ${label}; the arrow keys read the values`);
    $("sweep-note").textContent = "All other settings stay as they are. The dotted line marks the present value.";
  }

  /** A table in HTML. A column has a head and, if page.css has rules for it, a kind. */
  function table(columns, rows) {
    const kinds = columns.map(([, kind]) => (kind ? ` class="${kind}"` : ""));
    const head = columns.map(([text], i) => `<th scope="col"${kinds[i]}>${text}</th>`).join("");
    const body = rows.map(({cells, isChosen}) => {
      const row = cells.map((html, i) => (columns[i][1] === "name"
        ? `<th scope="row"${kinds[i]}>${html}</th>` : `<td${kinds[i]}>${html}</td>`));
      return `<tr${isChosen ? ' class="chosen"' : ""}>${row.join("")}</tr>`;
    });
    return `<table><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table>`;
  }

  const more = (name, all) => (listed[name] < all
    ? `<p class="buttons">The first ${listed[name]} of ${all.toLocaleString("en")}. <button type="button" data-more="${name}">List all</button></p>` : "");

  function drawCurvesTable() {
    const {systems, ideal} = calculator.curves(state), digits = decimals(ideal);
    const ranks = [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000].filter((k) => k <= data.depth);
    const row = (head, means) => ({cells: [head, ...ranks.map((k) => fixed(means[k - 1], digits))]});
    $("curves-table").innerHTML = table([["system", "name"], ...ranks.map((k) => [`rank ${k}`])],
      [...inOrder().map((run) => row(named(run), systems[run].mean)), row("ideal", ideal)]);
  }

  function inOrder() {
    const {systems} = values;
    return shownRuns().sort((a, b) => systems[b].mean - systems[a].mean);
  }

  const weightedLevels = () => [...data.levels.keys()].filter((l) => state.gains[l] !== 0);

  function drawOrder() {
    const {systems} = values, order = inOrder(), levels = weightedLevels();
    const digits = decimals(order.map((run) => systems[run].mean)), scale = barScale(order, 180);
    $("order-k").textContent = `at rank ${state.k}`;
    $("order-note").textContent = `${measureText(state)}: means over ${counted(data.count, "topic")}`
      + (data.count > 1 && !dividesMeans(state) ? ` with ${percent(data.confidence)} t intervals` : "")
      + `; the difference from ${isolated(short(data.names[state.baseline], 60))} over the same topics; the share of the top ${state.k} documents that is judged; and what each relevance level contributes, which the bars show. Click a system's name to compare it with the baseline by topic, below.`;
    const columns = [
      ["#"], ["system", "name"], ["mean"], ["interval"], ["contributions, interval", "bar"],
      ["difference"], ["its interval"], ["judged"],
      ...levels.map((l) => [`<span class="chip" style="background:${levelColour(l)}"></span>level ${data.levels[l]}`]),
    ];
    $("order").innerHTML = table(columns, order.map((run, place) => {
      const {mean, low, high, difference, least, most, judged, parts} = systems[run];
      const differs = run === state.baseline
        ? ["baseline", ""] : [signed(difference, digits), between(least, most, digits)];
      const button = `<button type="button" class="plain" data-system="${run}">${named(run)}</button>`;
      const bar = `<svg viewBox="0 0 180 22" preserveAspectRatio="none" aria-hidden="true">${drawBar(systems[run], scale)}</svg>`;
      return {isChosen: run === state.system, cells: [
        place + 1, button, fixed(mean, digits), between(low, high, digits), bar, ...differs,
        percent(judged), ...levels.map((l) => fixed(parts[l], digits)),
      ]};
    }));
  }

  /** The function that places a value on bars of this width. */
  function barScale(order, width) {
    const ends = order.map((run) => values.systems[run]).flatMap(({low, high, parts}) =>
      [low, high, ...[-1, 1].map((sign) => parts.reduce((sum, x) => sum + (x * sign > 0 ? x : 0), 0))]);
    const [low, high] = extent([ends]);
    return (x) => ((x - low) / (high - low || 1)) * (width - 2) + 1;
  }

  /** A bar in SVG: what each level contributes, and the interval across it. */
  function drawBar({parts, low, high}, scale) {
    const sums = {losses: 0, gains: 0};
    const boxes = weightedLevels().map((l) => {
      const side = parts[l] < 0 ? "losses" : "gains", from = sums[side];
      sums[side] += parts[l];
      const [left, right] = [scale(from), scale(sums[side])].sort((a, b) => a - b);
      return `<rect x="${left.toFixed(1)}" y="4" width="${(right - left).toFixed(1)}" height="14" fill="${levelColour(l)}"/>`;
    });
    if (!Number.isFinite(low)) return boxes.join("");
    const [a, b] = [low, high].map((end) => scale(end).toFixed(1));
    const line = ([colour, width]) => `<path d="M${a} 11H${b}M${a} 7v8M${b} 7v8" fill="none" stroke="${colour}" stroke-width="${width}"/>`;
    return boxes.join("") + [[theme.paper, 4], [theme.ink, 1.5]].map(line).join("");
  }

  /** The topics, the largest difference first. */
  function differences() {
    const [system, baseline] = [state.system, state.baseline].map((run) => values.topics[run]);
    const rows = data.topics.map(({id, text}, topic) => ({
      id, text, topic, value: system[topic], base: baseline[topic], difference: system[topic] - baseline[topic],
    }));
    return rows.sort((a, b) => b.difference - a.difference || a.topic - b.topic);
  }

  function drawTopics() {
    const rows = differences(), tops = rows.map(({difference}) => difference);
    const colours = [data.colours[1], theme.grey, data.colours[0]];
    setAxes("topics", extent([tops]), `difference of ${state.measure}`);
    part("topics", "bars").data = {
      x: [...rows.keys()], top: tops, color: tops.map((top) => colours[1 + Math.sign(top)]),
      alpha: rows.map(({topic}) => (state.topic === null || state.topic === topic ? 1 : 0.45)),
    };
    const labelled = rows.length <= 40 && $("topics").clientWidth > 16 * rows.length ? rows : [];
    setTicks("topics", [...labelled.keys()], labelled.map(({id}) => short(id, 10)));
    models.topics.plot.below[0].major_label_orientation = labelled.some(({id}) => id.length > 3) ? "vertical" : "horizontal";
    $("topics").setAttribute("aria-label", "Chart: the differences of the topics, sorted; the table below lists them");
    read("topics");
  }

  function drawTopicsTable() {
    const rows = differences(), {system, baseline, k} = state;
    const {difference: mean, least, most} = values.systems[system];
    const digits = decimals(rows.flatMap(({value, base}) => [value, base]));
    const count = (sign) => rows.filter(({difference}) => Math.sign(difference) === sign).length;
    $("versus").textContent = data.names[baseline];
    $("topics-note").textContent = data.runs < 2 ? "There is only one system, so there is no difference."
      : `Better for ${counted(count(1), "topic")}, worse for ${count(-1)}, equal for ${count(0)}; mean difference ${signed(mean, digits)}`
        + `${Number.isFinite(least) ? `, ${percent(data.confidence)} interval ${between(least, most, digits)}` : ""}. Click a topic to see its rankings.`;
    const hasTexts = data.topics.some(({text}) => text);
    const columns = [["topic", "name"], ...(hasTexts ? [["text", "text"]] : []),
      ["difference"], ["value"], ["baseline"], ["R"], ["judged"], ["judged, baseline"]];
    const body = rows.slice(0, listed.topics).map(({id, text, topic, value, base, difference}) => ({
      isChosen: topic === state.topic,
      cells: [
        `<button type="button" class="plain" data-topic="${topic}" title="${escaped(id)}"><bdi>${escaped(short(id, 40))}</bdi></button>`,
        ...(hasTexts ? [`<bdi>${escaped(text)}</bdi>`] : []),
        signed(difference, digits), fixed(value, digits), fixed(base, digits), values.recall[topic],
        ...[system, baseline].map((run) => percent(calculator.judgedOf(run, topic, k))),
      ],
    }));
    $("topics-table").innerHTML = table(columns, body) + more("topics", rows.length);
  }

  function openTopic(topic, focus) {
    change({topic});
    drawStale(true);
    if (focus) $("ranking-h").focus();
  }

  /** The rankings of a topic, as rows of levels: what is at which rank. */
  function drawRanking() {
    const {topic} = state;
    if (topic === null) {
      for (const id of ["ranking-h", "ranking-note", "ranking"]) $(id).textContent = "";
      return;
    }
    const depth = Math.min(data.depth, Math.max(state.k, 20)), {id, text} = data.topics[topic];
    const valueOf = (run) => values.topics[run][topic];
    const runs = shownRuns().sort((a, b) => valueOf(b) - valueOf(a));
    const digits = decimals(runs.map(valueOf));
    $("ranking-h").textContent = `Topic ${isolated(id)}${text ? `: ${isolated(text)}` : ""}`;
    $("ranking-note").textContent = `R = ${values.recall[topic]}. The cells show relevance levels; · is not judged. Beside the names: ${measureText(state)}. `
      + "Documents of equal score are in descending order of id; they are underlined if one of them is judged.";
    const cell = (l, isTied) => {
      const colour = levelColour(l);
      return `<span class="level${isTied ? " tied" : ""}" style="background:${colour};color:${inkOn(colour)}">${data.levels[l]}</span>`;
    };
    const {begin, level} = calculator.rankings(state).ideals;
    const best = [...level.subarray(begin[topic], begin[topic + 1])].slice(0, depth);
    const ideal = isNormalised(state) ? Number(values.ideal[topic] > 0) : values.ideal[topic];
    const row = (run) => {
      const at = run * data.count + topic;
      const cells = Array.from({length: depth}, (_, i) => (i < data.lengths[at] ? "·" : ""));
      for (let hit = data.begin[at]; hit < data.begin[at + 1]; hit++)
        if (data.rank[hit] <= depth) cells[data.rank[hit] - 1] = cell(data.level[hit], data.last[hit] - data.above[hit] > 1);
      return {cells: [named(run), fixed(valueOf(run), digits), ...cells]};
    };
    const columns = [["system", "name"], ["", "value"], ...Array.from({length: depth}, (_, i) => [i + 1])];
    const rows = [{cells: ["ideal", fixed(ideal, digits), ...best.map((l) => cell(l))]}, ...runs.slice(0, listed.ranking).map(row)];
    $("ranking").innerHTML = table(columns, rows) + more("ranking", runs.length);
  }

  // ---- values under the pointer ------------------------------------------------------------------

  function pointed(name, event, x) {
    if (event === "mouseleave") delete pointer[name];
    else {
      const {xs, to} = axisOf(name), away = xs.map((one) => Math.abs(to(one) - x));
      pointer[name] = away.indexOf(Math.min(...away));
      if (event === "tap" && name === "topics") openTopic(differences()[pointer[name]].topic);
    }
    read(name);
  }

  const readings = { // what a chart shows at the index of one of its values
    curves(i) {
      const {systems, ideal} = calculator.curves(state);
      const rows = shownRuns().map((run) => ({run, value: systems[run].mean[i], low: systems[run].low[i], high: systems[run].high[i]}));
      return `<b>rank ${i + 1}</b>${readSystems(rows)}<div>ideal ${fixed(ideal[i], decimals([ideal[i]]))}</div>`;
    },
    sweep(i) {
      const {runs, means} = sweep(), {label, xs} = axisOf("sweep");
      return `<b>${label} ${rounded(xs[i])}</b>` + readSystems(runs.map((run, row) => ({run, value: means[row][i]})));
    },
    topics(i) {
      const {id, text, value, base, difference} = differences()[i], digits = decimals([value, base]);
      return `<b><bdi>${escaped(short(id, 60))}</bdi></b> <bdi class="text">${escaped(short(text, 90))}</bdi><br>`
        + `${signed(difference, digits)}: ${fixed(value, digits)}, baseline ${fixed(base, digits)}`;
    },
  };

  function readSystems(rows) {
    rows.sort((a, b) => b.value - a.value);
    const digits = decimals(rows.map(({value}) => value));
    const lines = rows.slice(0, 12).map(({run, value, low, high}) =>
      `<div class="name">${swatch(run)}<bdi>${escaped(short(data.names[run], 40))}</bdi> ${fixed(value, digits)}`
      + `${Number.isFinite(low) ? ` ${between(low, high, digits)}` : ""}</div>`);
    if (rows.length > lines.length) lines.push(`and ${rows.length - lines.length} below`);
    return lines.join("");
  }

  /** Show the values where the pointer is. */
  function read(name) {
    const box = $(`${name}-readout`), at = pointer[name], {xs, to, range} = axisOf(name);
    box.hidden = !(at < xs.length);
    if (box.hidden) return;
    box.innerHTML = readings[name](at);
    const isRight = to(xs[at]) > (range[0] + range[1]) / 2;
    box.style.left = isRight ? "72px" : "auto";
    box.style.right = isRight ? "auto" : "20px";
  }

  // ---- files, the clipboard, words ---------------------------------------------------------------

  const tables = {
    curves() {
      const {systems, ideal} = calculator.curves(state), {xs} = axisOf("curves"), text = uncutText(state);
      return [["name", "measure", "rank", "value", "low", "high", "ideal"], ...shownRuns().flatMap((run) => {
        const {mean, low, high} = systems[run];
        return xs.map((rank, i) => [data.names[run], text, rank, mean[i], low[i], high[i], ideal[i]]);
      })];
    },
    order() {
      const levels = weightedLevels(), text = measureText(state);
      const head = ["name", "measure", "mean", "low", "high", "difference", "difference_low", "difference_high", "judged"];
      return [[...head, ...levels.map((l) => `level ${data.levels[l]}`)], ...inOrder().map((run) => {
        const {mean, low, high, difference, least, most, judged, parts} = values.systems[run];
        const differs = run === state.baseline ? [NaN, NaN, NaN] : [difference, least, most];
        return [data.names[run], text, mean, low, high, ...differs, judged, ...levels.map((l) => parts[l])];
      })];
    },
    topics() {
      const {system, baseline, k} = state;
      const compared = [measureText(state), data.names[system], data.names[baseline]];
      const head = ["qid", "query", "measure", "name", "baseline", "difference", "value", "baseline_value", "R", "judged", "baseline_judged"];
      return [head, ...differences().map(({id, text, topic, value, base, difference}) =>
        [id, text, ...compared, difference, value, base, values.recall[topic],
         ...[system, baseline].map((run) => calculator.judgedOf(run, topic, k))])];
    },
  };

  function csv(name) {
    const quoted = (x) => (/[",\r\n]/.test(x) ? `"${x.replaceAll('"', '""')}"` : x);
    const lines = tables[name]().map((row) => row.map((x) => quoted(Number.isNaN(x) ? "" : String(x))).join(","));
    return lines.join("\r\n") + "\r\n";
  }

  /** In print the colours are those of paper, whatever the screen's. */
  function printAs(printing) {
    document.documentElement.classList.toggle("printing", printing);
    readTheme();
    render(true);
  }

  /** On paper the charts are pictures, which fit its width and name their lines. */
  function drawPrinted() {
    for (const name of Object.keys(models)) $(`${name}-printed`).innerHTML = svg(name);
  }

  /** A view as a picture: a chart as Bokeh exports it, with a legend, or the bars of the systems. */
  function svg(name) {
    drawStale(true);
    if (name === "order") return orderSvg();
    const [view] = models[name].views;
    const exported = view.export("svg").ctx.get_serialized_svg(true);
    const chart = new DOMParser().parseFromString(exported, "image/svg+xml").documentElement;
    const [width, height] = ["width", "height"].map((side) => Number(chart.getAttribute(side)));
    const room = 230, columns = Math.max(Math.floor((width - 64) / room), 1);
    const runs = name === "topics" ? [] : shownRuns().filter((run) => !style(run).grey);
    const keys = runs.map((run, i) => {
      const x = 64 + (i % columns) * room, y = height + 16 + Math.floor(i / columns) * 18;
      return `<line x1="${x}" x2="${x + 26}" y1="${y - 4}" y2="${y - 4}" ${stroke(style(run))}/>`
        + svgText(x + 32, y, short(data.names[run], 28));
    });
    const [system, baseline] = [state.system, state.baseline].map((run) => isolated(short(data.names[run], 40)));
    const title = (name === "topics" ? `${system} − ${baseline}: ` : "") + measureText(state);
    const below = height + 28 + Math.ceil(runs.length / columns) * 18;
    return asSvg(width, below + 8, new XMLSerializer().serializeToString(chart) + keys.join("") + svgText(64, below, title));
  }

  function orderSvg() {
    const {systems} = values, runs = inOrder(), scale = barScale(runs, 360), below = 30 + 22 * runs.length;
    const digits = decimals(runs.map((run) => systems[run].mean));
    const rows = runs.map((run, i) => {
      const {mean, low, high} = systems[run], y = 30 + 22 * i;
      return svgText(8, y + 15, short(data.names[run], 30))
        + `<g transform="translate(225 ${y})">${drawBar(systems[run], scale)}</g>`
        + svgText(600, y + 15, `${fixed(mean, digits)} ${between(low, high, digits)}`);
    });
    const keys = weightedLevels().map((l, i) =>
      `<rect x="${225 + 90 * i}" y="${below + 10}" width="12" height="12" fill="${levelColour(l)}"/>`
      + svgText(242 + 90 * i, below + 20, `level ${data.levels[l]}`));
    return asSvg(800, below + 34, svgText(8, 18, measureText(state)) + rows.join("") + keys.join(""));
  }

  const svgText = (x, y, text) => `<text x="${x}" y="${y}">${escaped(text)}</text>`;
  const asSvg = (width, height, inside) => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`
    + `<rect width="100%" height="100%" fill="${theme.paper}"/><g font-family="sans-serif" font-size="12" fill="${theme.ink}">${inside}</g></svg>\n`;

  function save(name, type, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], {type}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      $("copied").textContent = "Copied.";
    } catch { // the browser does not let this page copy
      $("copied").textContent = `Copy this text: ${text}`;
    }
  }

  /** The measure in words, put together as description.phrases() says. */
  function sentence({measure, gains, discount, base, ties, k}) {
    const {phrases} = data, discounted = isDiscounted({measure});
    const fill = (phrase, places) =>
      Object.entries(places).reduce((text, [key, value]) => text.replaceAll(`{${key}}`, value), phrase);
    const number = (x) => { // as Python writes it
      const isFar = x && (Math.abs(x) < 1e-4 || Math.abs(x) >= 1e16);
      return (isFar ? x.toExponential() : String(x)).replace(/e([+-])(\d)$/, "e$10$2");
    };
    const numbers = (text, mark) => text.split(mark).map((part) => number(Number(part)));
    const weighting = () => {
      const text = gainsText(gains);
      if (text === "" || text === "exp") return phrases.gains[text || "level"].words;
      if (!text.includes(":")) return fill(phrases.gains.scheme.words, {weights: numbers(text, "-").join(", ")});
      const pairs = text.split(",").map((pair) => {
        const [level, gain] = numbers(pair, ":");
        return fill(phrases.gains.pair, {gain, level});
      });
      return fill(phrases.gains.mapping.words, {pairs: pairs.join(", ")});
    };
    const entry = phrases.discounts[discount];
    const parts = discounted ? [fill(entry.words, {base: number(base)}), weighting()] : [weighting()];
    const clauses = phrases.unsaid.includes(ties) ? [] : [phrases.clauses.ties[ties]];
    if (discounted && entry.up_to_base && k <= base) clauses.push(entry.up_to_base);
    const joined = (two) => two.join(two[0].includes(",") ? ", and " : " and ");
    const text = fill(phrases.sentence, {place: fill(phrases.places.cutoff, {cutoff: k}), parts: joined(parts)})
      + (clauses.length ? `, where ${joined(clauses)}` : "");
    const {narrative, parenthetical} = phrases.references[phrases.measures[measure]];
    const isCited = text.includes(narrative) || text.includes(parenthetical);
    return fill(text, {measure: isCited ? measure : `${measure} (${parenthetical})`});
  }

  function writeWords() {
    $("about").textContent = "Change a gain, the discount or the rank, and all views follow. Treat what you find this way as exploration, not as evidence: "
      + "choose a measure for your users before you look, and test it on other topics. "
      + (data.count > 1 ? `Intervals are ${percent(data.confidence)} t intervals over topics. None of them allows for the number of systems and settings that were tried, so the page has no p-values.`
        : "A single topic has no intervals.");
    $("foot").textContent = [counted(data.runs, "system"), counted(data.count, "topic"), counted(data.judgments, "judgment"),
      `ranks 1 to ${data.depth}`, `pt_cumgain ${data.version}`, data.date].join(" · ");
  }

  // ---- start -------------------------------------------------------------------------------------

  async function start() {
    state = addressedState() || state;
    readTheme();
    writeWords();
    $("link").hidden = !hasAddress;
    buildControls();
    await Promise.all(Object.entries(embedded("figures")).map(embed));
    bind();
    const watch = new IntersectionObserver((entries) => {
      for (const {target, isIntersecting} of entries)
        if (isIntersecting) visible.add(target.id); else visible.delete(target.id);
      drawStale();
    });
    Object.keys(views).forEach((name) => watch.observe($(name)));
    render();
  }

  async function embed([name, item]) {
    const views = await Bokeh.embed.embed_item({...item, target_id: name});
    const plot = [...views][0].model;
    models[name] = {plot, views, document: plot.document};
  }

  Object.defineProperty(cumgain, "state", {get: () => state, set: change});
  const changed = (settings) => allowed({...state, ...settings});
  Object.assign(cumgain, { // of the state, or of the state with other settings
    values: (settings) => calculator.values(changed(settings)),
    curves: (settings) => calculator.curves(changed(settings)),
    sweep: (control, xs, settings) => calculator.sweep(changed(settings), control, xs, everyRun),
    text: (settings) => measureText(changed(settings)),
    sentence: (settings) => sentence(changed(settings)),
  });
  const ready = start();
  return {ready, pointed, get isResting() { return resting === 0; }};
})();
