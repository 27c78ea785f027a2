/* What the reader sees and changes: the controls, the tables, the charts (drawn by Bokeh), and the
   fragment of the address, which holds the state. The arithmetic is in cumgain.js. Ids and texts come
   from users: they enter the page only through escaped() or textContent. */
"use strict";

globalThis.page = {};
page.ready = (async () => {
  const $ = (id) => document.getElementById(id);
  const select = (selector) => [...document.querySelectorAll(selector)];
  const embedded = (id) => JSON.parse($(id).textContent);
  const data = await cumgain.read(embedded("data"));
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
  const cutInside = (text, n) =>
    (text.length > n ? `${text.slice(0, Math.floor(n / 2))}…${text.slice(-Math.ceil(n / 2) + 1)}` : text);
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
  /** The choices of levels that span a map, as text: all, or three of more. */
  const SPANS = positive.length < 4 ? [positive.join("_")] : positive.flatMap((a, i) =>
    positive.slice(i + 1).flatMap((b, j) => positive.slice(i + j + 2).map((c) => [a, b, c].join("_"))));
  const defaults = {
    mapped: positive.length < 4 ? SPANS[0] : [0, positive.length >> 1, positive.length - 1].map((i) => positive[i]).join("_"),
    ...data.first, subset: "", topic: null, sort: "place", sorttopics: "difference",
    curve: "values", ideal: true, shown: everyRun.map(() => true), top: 0,
  };
  const NAMES = {
    measure: ["measure", ["CG", "DCG", "nCG", "nDCG"]],
    discount: ["discount", [...discounts.keys()]],
    ties: ["rule for ties", Object.keys(data.ties)],
    average: ["average", ["topics", "vectors"]],
    mapped: ["levels", SPANS],
    curve: ["curves", ["values", "differences"]],
  };
  const hasBase = (of) => isDiscounted(of) && discounts.get(of.discount).base;
  /** The largest base with which the ideal ranking is the best one; Infinity if there is no limit. */
  function largestBase(of) {
    const {upTo} = discounts.get(of.discount);
    return isNormalised(of) && isDiscounted(of) && upTo !== null ? upTo : Infinity;
  }

  const topicKeys = { // by what the topics can be sorted, the largest first
    difference: (row) => row.difference, value: (row) => row.value, base: (row) => row.base,
    recall: ({topic}) => values.recall[topic],
    judged: ({topic}) => calculator.judgedOf(state.system, topic, state.k),
    topic: ({topic}) => -topic,
  };

  /** Topics as text, a hexadecimal number with a bit for each after the first; empty for all. */
  function subsetText(topics) {
    const chosen = new Set(topics);
    if (chosen.size === data.count) return "";
    const bits = data.topics.map((_, topic) => Number(chosen.has(topic))).join("");
    return BigInt(`0b1${bits}`).toString(16);
  }

  function isSubset(text) {
    if (!/^[0-9a-f]+$/.test(text)) return false;
    const bits = BigInt(`0x${text}`).toString(2).slice(1);
    return bits.length === data.count && bits.includes("1") && bits.includes("0");
  }

  const SORTED = ["place", "name", "mean", "difference", "judged", ...data.levels.map((_, l) => `level${l}`)];

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
    if (!SORTED.includes(next.sort.replace("-", ""))) next.sort = defaults.sort;
    if (!Object.hasOwn(topicKeys, next.sorttopics.replace("-", ""))) next.sorttopics = defaults.sorttopics;
    if (!isSubset(next.subset)) next.subset = "";
    if (!next.shown.includes(true)) next.shown = everyRun.map((run) => run === next.baseline);
    return next;
  }

  let state = allowed(defaults);
  const asWritten = state;
  /** Whether the numbers are those for which the page was written. */
  const isWritten = () => ["measure", "gains", "discount", "base", "k", "ties", "average", "shown", "subset"]
    .every((key) => String(state[key]) === String(asWritten[key]));
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
    return 10 ** Math.max(1, Math.ceil(Math.log10(Math.max(...gains.map(Math.abs), 1)) - 1e-9));
  }

  /** Where the slider of a level's gain begins: one of a level of 0 or below reaches both ways. */
  const lowest = (l) => (isNormalised(state) || positive.includes(Number(l)) ? 0 : -1);

  /** How the values of a control are spread over its slider; those of a strip, one by one. */
  function scaleOf(control) {
    if (control === "k") {
      const xs = Array.from({length: data.depth}, (_, i) => i + 1);
      return {xs, range: [1, Math.max(data.depth, 2)], to: (k) => k, from: (k) => k};
    }
    if (control === "base") {
      const low = 1.1, span = Math.log(Math.min(20, largestBase(state)) / low);
      const from = (p) => low * Math.exp(p * span);
      return {xs: Array.from({length: 41}, (_, i) => from(i / 40)), range: [0, 1], to: (x) => Math.log(x / low) / span, from};
    }
    return {to: (gain) => gain / state.top, from: (p) => p * state.top};
  }

  /** The axis of a chart: its scale, what it shows, and the present value. */
  function axisOf(name) {
    if (name === "curves") return {...scaleOf("k"), label: "rank", present: state.k};
    const xs = [...differences().keys()];
    return {xs, range: [-0.7, Math.max(xs.length, 1) - 0.3], to: (x) => x, label: "topic", present: 0};
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

  let lit = null; // the run that the reader points at

  /** Emphasise a run wherever it is shown. */
  function light(run) {
    if (run === lit) return;
    lit = run;
    if (visible.has("curves") && models.curves.lines) drawLines(models.curves.lines);
    markLit();
  }

  function markLit() {
    for (const one of select(".lit")) one.classList.remove("lit");
    if (lit !== null) for (const one of select(`[data-run="${lit}"]`)) one.classList.add("lit");
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
    const isLit = run === lit, alpha = lit === null || isLit ? 1 : 0.3;
    if (place < 0) return {color: isLit ? theme.ink : theme.grey, dash: [], width: isLit ? 4 : 1, alpha: Math.min(alpha, isLit ? 1 : 0.6), grey: true};
    const color = data.colours[place % data.colours.length];
    const dash = data.dashes[place % data.dashes.length].map((length) => 2 * length);
    return {color: color === "#000000" ? theme.ink : color, dash, width: isLit ? 4 : isMarked ? 2.6 : 1.6, alpha, grey: false};
  }

  const stroke = ({color, width, dash}) =>
    `stroke="${color}" stroke-width="${width}" stroke-dasharray="${dash.join(" ")}"`;
  const swatch = (run) =>
    `<svg viewBox="0 0 26 10" aria-hidden="true"><line x1="0" x2="26" y1="5" y2="5" ${stroke(style(run))}/></svg>`;
  const named = (run) =>
    `<span>${swatch(run)}<bdi title="${escaped(data.names[run])}">${escaped(data.short[run])}</bdi></span>`;

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
      addOptions(id, data.short.map((name, run) => [run, name]));
    addOptions("mapped", SPANS.map((span) => [span, span.split("_").map((l) => data.levels[l]).join(", ")]));
    $("where").hidden = data.runs < 2;
    for (const part of select(".weightings")) part.hidden = positive.length < 2;
    if (SPANS.length < 2) $("choice").hidden = true;
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
  }

  /** Change the state as a control says. */
  function changeBy(control) {
    const {key, index} = control.dataset;
    if (!control.validity.valid) return; // as while a number is being typed
    let {value} = control;
    if (control.type === "checkbox") value = control.checked;
    else if (control.type === "range") value = rounded(scaleOf(key).from(Number(value)));
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
        if (key === "gains") control.min = lowest(index);
        control.value = scaleOf(key).to(value);
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
    sort: (key) => change({sort: state.sort === key ? `-${key}` : key}),
    sorttopics: (key) => change({sorttopics: state.sorttopics === key ? `-${key}` : key}),
    take: () => {
      const subset = subsetText(differences().map(({topic}) => topic));
      clearFilter();
      change({subset});
    },
    unfilter: () => { clearFilter(); render(); },
    alltopics: () => change({subset: ""}),
    reset: () => change(asWritten),
    pair: (runs) => {
      const [baseline, system] = runs.split("_").map(Number);
      change({baseline, system});
      $("topics-h").scrollIntoView();
    },
    unfold: () => {
      const isOpen = $("controls").classList.toggle("unfolded");
      $("unfold").setAttribute("aria-expanded", isOpen);
    },
    show: (which) => change({shown: everyRun.map((run) => which === "all" || run === state.baseline)}),
    more: (table) => { listed[table] = Infinity; render(); },
    csv: (name) => save(`${name}.csv`, "text/csv", csv(name)),
    svg: (name) => save(`${name}.svg`, "image/svg+xml", svg(name)),
    copy: (which) => copy(which === "link"
      ? `${location.href.split("#")[0]}#${toFragment(state)}` : measureText(state)),
  };

  function bind() {
    $("controls").addEventListener("submit", (event) => event.preventDefault());
    $("controls").addEventListener("focusout", () => syncControls());
    $("preset").addEventListener("change", ({target}) => {
      if (target.value !== "") change({gains: data.presets[target.value].gains, top: 0});
    });
    document.addEventListener("input", ({target}) => {
      if (target.dataset.key) changeBy(target);
      if (target.dataset.filter) drawFiltered();
    });
    document.addEventListener("click", ({target}) => {
      const button = target.closest("button");
      for (const [action, value] of Object.entries(button ? button.dataset : {})) actions[action](value);
    });
    for (const name of ["curves", "topics"]) {
      $(name).addEventListener("keydown", (event) => {
        if (event.key === "Enter" && name === "topics" && pointer.topics >= 0)
          openTopic(differences()[pointer.topics].topic, true);
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
    bindMap();
    document.addEventListener("mouseover", ({target}) => {
      if (target.closest(".chart")) return; // which says itself what is under the pointer
      const row = target.closest("[data-run]");
      light(row ? Number(row.dataset.run) : null);
    });
    addEventListener("hashchange", () => {
      const next = addressedState();
      if (next && toFragment(next) !== toFragment(state)) { state = next; refresh(); }
    });
    darkMode.addEventListener("change", () => { readTheme(); render(); });
    addEventListener("beforeprint", () => { printAs(true); drawPrinted(); });
    addEventListener("afterprint", () => printAs(false));
  }

  function change(settings) {
    $("copied").textContent = "";
    state = allowed({...state, ...settings});
    refresh();
  }

  const hasAddress = location.protocol !== "about:"; // else in the frame of a notebook

  /** Write the state into the address, so that Back returns to the state before. */
  function remember() {
    const fragment = "#" + toFragment(state);
    if (!hasAddress || fragment === location.hash) return;
    try {
      history[location.hash ? "pushState" : "replaceState"](null, "", fragment);
    } catch { /* some frames may not change their address */ }
  }

  // ---- the views --------------------------------------------------------------------------------

  const listed = {topics: LISTED, ranking: LISTED}; // how many rows
  const pointer = {}; // the index of the value that is read on a chart
  let values = null; // of the present state
  const written = {answer: $("answer").textContent}; // with the places of the systems then
  const stale = new Set();
  const visible = new Set();
  let resting = 0;
  let frame = 0; // in which something was drawn
  let isBehind = false;

  /** Draw what has changed, once per frame at most. */
  function refresh() {
    isBehind = frame !== 0;
    if (isBehind) return;
    render();
    frame = requestAnimationFrame(() => {
      frame = 0;
      if (isBehind) refresh();
    });
  }

  /** Compute and draw. What is out of sight waits until it is seen, or until nothing moves. */
  function render(everything = false) {
    values = calculator.values(state);
    syncControls();
    writeAnswer();
    for (const name of Object.keys(views)) stale.add(name);
    clearTimeout(resting);
    resting = setTimeout(() => {
      resting = 0;
      remember();
      stale.add("map"); // it was drawn with fewer points
      if (models.curves.height !== [...models.curves.views][0].frame.bbox.height) stale.add("curves"); // it was not laid out
      drawStale(true);
    }, 250);
    drawStale(everything);
    markLit();
  }

  function drawStale(everything) {
    for (const name of [...stale]) {
      if (!everything && !visible.has(name)) continue;
      stale.delete(name);
      views[name]();
    }
  }

  // The charts come from Bokeh without data; these functions fill them

  const models = {};
  const views = {
    map: drawMap, strips: drawStrips, curves: drawCurves, order: drawOrder, topics: drawTopics,
    "topics-table": drawTopicsTable, ranking: drawRanking, pair: drawPair,
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

  /** Draw a line for each run, thick ones last, and mark the present rank. */
  function drawLines({runs, means}) {
    const {xs} = axisOf("curves");
    models.curves.lines = {runs, means};
    const lines = runs.map((run, i) => ({...style(run), xs, ys: means[i]})).sort((a, b) => a.width - b.width);
    part("curves", "lines").data = Object.fromEntries(["xs", "ys", "color", "dash", "width", "alpha"].map((key) =>
      [key, lines.map((line) => line[key])]));
    part("curves", "present").location = state.k;
    read("curves");
  }

  /** The smallest and the largest number, or the bound if it is beyond them. */
  function extent(arrays, bound = 0) {
    let low = bound, high = bound;
    for (const array of arrays)
      for (const x of array) if (x < low) low = x; else if (x > high) high = x;
    return [low, high];
  }

  // ---- the map of weightings ---------------------------------------------------------------------

  const WIDE = 400, MARGIN = 46, SIDE = WIDE - 2 * MARGIN, UP = Math.sqrt(3) / 2;
  const spanned = (of = state) => of.mapped.split("_").map(Number);
  const isTriangle = () => spanned().length === 3;
  const mapHeight = () => (isTriangle() ? SIDE * UP + 2 * MARGIN - 10 : 92);

  /** Where a mixture of thresholds is in the picture: the first left, the last right, the other above. */
  function placeOf(point) {
    if (!isTriangle()) return [MARGIN + SIDE * point[1], 40];
    return [MARGIN + SIDE * (point[2] + point[1] / 2), MARGIN - 10 + SIDE * UP * (1 - point[1])];
  }

  function pointAt(x, y) {
    const across = (x - MARGIN) / SIDE;
    if (!isTriangle()) return [1 - across, across];
    const above = 1 - (y - MARGIN + 10) / (SIDE * UP), last = across - above / 2;
    return [1 - above - last, above, last];
  }

  /** The mixture that a weighting is: what each level adds, as a share of the highest gain. Null if it
      tells apart what the map does not. */
  function mixtureOf(gains) {
    const levels = spanned(), top = gains[gains.length - 1];
    const below = (l) => levels.filter((one) => one <= l).pop();
    if (!(top > 0) || gains.some((gain, l) => gain !== (gains[below(l)] ?? 0))) return null;
    return levels.map((l, j) => (gains[l] - (gains[levels[j - 1]] ?? 0)) / top);
  }

  /** The weighting at a point; the highest level keeps its gain. */
  function gainsAt(point) {
    const levels = spanned(), highest = state.gains[state.gains.length - 1];
    const top = highest > 0 ? highest : data.levels[data.levels.length - 1];
    let sum = 0;
    const sums = point.map((part) => { sum += part; return rounded(top * sum); });
    return data.levels.map((_, l) => {
      const j = levels.filter((one) => one <= l).length - 1;
      return j < 0 ? 0 : j === levels.length - 1 ? top : sums[j];
    });
  }

  /** The nearest point of the map. */
  function clamped(point) {
    const parts = point.map((part) => Math.max(part, 0)), sum = parts.reduce((a, b) => a + b);
    return parts.map((part) => part / sum);
  }

  /** A colour for each run that is best somewhere: its own, or another if that one is taken. */
  function coloursOf(winners) {
    const taken = new Set();
    return new Map(winners.map((run) => {
      const {color, grey} = style(run);
      const free = data.colours.map((one) => (one === "#000000" ? theme.ink : one)).find((one) => !taken.has(one));
      const mine = grey || taken.has(color) ? free ?? theme.grey : color;
      taken.add(mine);
      return [run, mine];
    }));
  }

  /** Rows of a lattice on the map, as stretches of points at which the same run is best. */
  function regions() {
    const runs = shownRuns(), levels = spanned();
    const cost = runs.length * size() * levels.length, budget = resting ? 3e6 : 3e7;
    const steps = isTriangle() ? Math.round(Math.min(Math.max(Math.sqrt((2 * budget) / cost), 16), 120)) : 400;
    const {measure, discount, base, k, ties, average, subset} = state;
    const key = JSON.stringify(["map", measure, discount, base, k, ties, average, subset, levels, runs, steps]);
    return calculator.remember(key, () => {
      const rows = isTriangle() ? Array.from({length: steps + 1}, (_, i) => i / steps) : [0];
      const lattice = rows.flatMap((above, row) => Array.from({length: steps + 1 - row}, (_, i) => {
        const across = i / steps;
        return isTriangle() ? [Math.max(1 - above - across, 0), above, across] : [1 - across, across];
      }));
      const best = calculator.bestAt(state, levels, lattice, runs).map((place) => runs[place]);
      const stretches = [];
      let at = 0;
      rows.forEach((_, row) => {
        for (let i = 0, from = 0; i <= steps - row; i++, at++)
          if (i === steps - row || best[at + 1] !== best[at]) {
            stretches.push({run: best[at], from: lattice[at - (i - from)], to: lattice[at], points: i - from + 1});
            from = i + 1;
          }
      });
      return {stretches, step: SIDE / steps, points: lattice.length};
    });
  }

  function mapSvg() {
    const {stretches, step} = regions(), counts = new Map(), paths = new Map(), rows = new Map();
    for (const {run, from, to, points} of stretches) {
      const [x, y] = placeOf(from), [end] = placeOf(to), high = isTriangle() ? step * UP : 30;
      paths.set(run, `${paths.get(run) ?? ""}M${(x - step / 2).toFixed(1)} ${(y - high / 2).toFixed(1)}H${(end + step / 2).toFixed(1)}v${(high + 0.3).toFixed(1)}H${(x - step / 2).toFixed(1)}z`);
      counts.set(run, (counts.get(run) ?? 0) + points);
      rows.set(run, [...(rows.get(run) ?? []), {points, x: (x + end) / 2, y, room: end - x}]);
    }
    const winners = [...paths.keys()].sort((a, b) => counts.get(b) - counts.get(a)), colours = coloursOf(winners);
    const corners = spanned().map((_, j) => spanned().map((_, i) => Number(i === j)));
    const outline = isTriangle() ? `M${corners.map((corner) => placeOf(corner).join(" ")).join("L")}z`
      : `M${MARGIN} 25h${SIDE}v30h-${SIDE}z`;
    const areas = winners.map((run) => `<path d="${paths.get(run)}" fill="${colours.get(run)}" data-run="${run}"/>`);
    const dots = dotsOnMap(), taken = dots.map(({x, y}) => [x - 5, y - 5, x + 5, y + 5]);
    /** A text at the first of some places at which it hides nothing, or none. */
    const text = (words, places, anchor) => {
      const wide = 7 * words.length, left = {start: 0, middle: wide / 2, end: wide};
      for (const [x, y, side = anchor] of places) {
        const box = [x - left[side], y - 10, x - left[side] + wide, y + 3];
        if (box[0] < 0 || box[2] > WIDE || taken.some((one) => one[0] < box[2] && box[0] < one[2] && one[1] < box[3] && box[1] < one[3])) continue;
        taken.push(box);
        return `<text class="halo" x="${x}" y="${y}" text-anchor="${side}">${escaped(words)}</text>`;
      }
      return "";
    };
    const names = winners.map((run) => { // as near to the middle of its region as there is room
      const mine = rows.get(run), name = data.short[run];
      const middle = mine.reduce((sum, {points, y}) => sum + points * y, 0) / counts.get(run);
      const wide = mine.filter(({room}) => room > 7 * name.length);
      return text(name, wide.sort((a, b) => Math.abs(a.y - middle) - Math.abs(b.y - middle)).map(({x, y}) => [x, y + 4]), "middle");
    });
    const schemes = dots.map(({gains, x, y}) => text(data.levels[0] < 0 ? "" : gainsText(gains) || gains.join("-"),
      isTriangle() ? [[x + 7, y + 4, "start"], [x - 7, y + 4, "end"]] : [[x, 20, "middle"]]));
    const ends = corners.map((corner, j) => {
      const [x, y] = placeOf(corner), isTop = isTriangle() && j === 1;
      return `<text x="${x}" y="${isTriangle() ? y + (isTop ? -8 : 18) : 72}" text-anchor="middle">${escaped(gainsText(gainsAt(corner).map((gain) => Number(gain > 0))))}</text>`;
    });
    const circles = dots.map(({label, x, y}) =>
      `<circle cx="${x}" cy="${y}" r="3.5" fill="${theme.paper}" stroke="${theme.ink}"><title>${escaped(label)}</title></circle>`);
    const mixture = mixtureOf(state.gains);
    const marker = mixture ? placeOf(mixture).map((at, i) => Math.min(Math.max(at, 9), (i ? mapHeight() : WIDE) - 9)) : null;
    const point = marker ? `<circle cx="${marker[0]}" cy="${marker[1]}" r="8" fill="${theme.ink}" fill-opacity="0.15" stroke="${theme.paper}" stroke-width="5"/>`
      + `<circle id="point" cx="${marker[0]}" cy="${marker[1]}" r="8" fill="none" stroke="${theme.ink}" stroke-width="2.5"/>` : "";
    $("map-legend").innerHTML = winners.map((run) => `<li data-run="${run}"><span class="chip" style="background:${colours.get(run)}"></span>`
      + `<bdi title="${escaped(data.names[run])}">${escaped(data.short[run])}</bdi> ${aboutShare(counts.get(run) / regions().points)}</li>`).join("");
    return `<defs><clipPath id="inside"><path d="${outline}"/></clipPath></defs><g clip-path="url(#inside)" opacity="0.75">${areas.join("")}</g>`
      + `<path d="${outline}" fill="none" stroke="${theme.ink}"/>${circles.join("")}${names.join("")}${schemes.join("")}${ends.join("")}${point}`;
  }

  const aboutShare = (share) => (share > 0.99 && share < 1 ? "> 99%" : share < 0.01 ? "< 1%" : percent(share));

  /** The weightings of the papers that are on the map. */
  function dotsOnMap() {
    const dots = new Map(); // one for each place
    for (const {label, gains} of data.presets) {
      const mixture = mixtureOf(gains);
      if (!mixture || mixture.some((part) => part < 0 || part === 1)) continue; // corners have a name
      const [x, y] = placeOf(mixture);
      dots.set(String(mixture.map((part) => part.toFixed(9))), {label, gains, x, y});
    }
    return [...dots.values()];
  }

  function drawMap() {
    if (positive.length < 2) return;
    $("map").innerHTML = `<svg viewBox="0 0 ${WIDE} ${mapHeight()}" aria-hidden="true">${mapSvg()}</svg>`;
    $("map-hint").textContent = `Each point is a weighting that never values a lower level more; ${isTriangle() ? "at a corner" : "at an end"}, all levels from one on gain the same, and those below it nothing. `
      + "The colour is that of the best system; circles are weightings from the papers. Drag the point, or use the arrow keys or the sliders.";
    $("map-note").innerHTML = mapNote();
  }

  let border = null; // the runs that change places where the reader has clicked

  function mapNote() {
    const mixture = mixtureOf(state.gains), name = (run) => `<bdi>${escaped(data.short[run])}</bdi>`;
    if (border && border.gains === String(state.gains)) {
      const [a, b] = border.runs;
      return `On this border ${name(a)} and ${name(b)} change places. <button type="button" data-pair="${a}_${b}">Compare them by topic</button>`;
    }
    if (!mixture) return "The present weighting is not on the map: it values a level of 0 or below, or tells apart levels that the map does not.";
    if (mixture.some((part) => part < 0)) return "The present weighting values a lower level more, so it lies outside.";
    const [best, second] = inOrder();
    return `At the point ${name(best)} is best${second === undefined ? "" : `, then ${name(second)}`}.`;
  }

  /** The runs that are best around a place: two or more if it is at a border. */
  function bestAround(x, y) {
    const runs = shownRuns(), near = Array.from({length: 16}, (_, i) => (i * Math.PI) / 8)
      .map((angle) => pointAt(x + 7 * Math.cos(angle), y + 7 * Math.sin(angle)))
      .filter((point) => point.every((part) => part >= 0));
    return [...new Set(calculator.bestAt(state, spanned(), near, runs).map((place) => runs[place]))];
  }

  function bindMap() {
    const map = $("map");
    const placed = (event) => {
      const {left, top, width} = map.getBoundingClientRect();
      return [event.clientX - left, event.clientY - top].map((at) => (at * WIDE) / width);
    };
    const move = (event) => {
      const [x, y] = placed(event);
      const dot = event.type === "pointerdown" && dotsOnMap().find((one) => Math.hypot(one.x - x, one.y - y) < 7);
      const gains = dot ? dot.gains : gainsAt(clamped(pointAt(x, y)));
      const around = event.type === "pointerdown" && !dot ? bestAround(x, y) : [];
      border = around.length > 1 ? {runs: around, gains: String(gains)} : null;
      change({gains, ...(dot ? {top: 0} : {})});
    };
    map.addEventListener("pointerdown", (event) => {
      map.setPointerCapture(event.pointerId);
      move(event);
    });
    map.addEventListener("pointermove", (event) => { if (map.hasPointerCapture(event.pointerId)) move(event); });
    map.addEventListener("keydown", (event) => {
      const step = {ArrowLeft: [-6, 0], ArrowRight: [6, 0], ArrowUp: [0, -6], ArrowDown: [0, 6]}[event.key];
      if (!step) return;
      event.preventDefault();
      const mixture = mixtureOf(state.gains), [x, y] = placeOf(clamped(mixture ?? spanned().map(() => 1)));
      change({gains: gainsAt(clamped(pointAt(x + step[0], y + step[1])))});
    });
    const slide = ({target, clientX, buttons}) => {
      const strip = target.closest("[data-strip]");
      if (!strip || !buttons) return;
      const {left, width} = strip.getBoundingClientRect(), {range, from} = scaleOf(strip.dataset.strip);
      const share = Math.min(Math.max((clientX - left) / width, 0), 1);
      change({[strip.dataset.strip]: rounded(from(range[0] + share * (range[1] - range[0])))});
    };
    for (const event of ["pointerdown", "pointermove"]) $("strips").addEventListener(event, slide);
  }

  /** Along the rank, and along the base, which system is best. */
  function drawStrips() {
    const runs = shownRuns();
    $("strips").innerHTML = ["k", ...(hasBase(state) ? ["base"] : [])].map((control) => {
      const {xs, range, to} = scaleOf(control);
      const rows = calculator.remember(JSON.stringify(["strip", control, {...state, topic: 0, sort: ""}]),
        () => calculator.along(state, control, xs, runs));
      const best = cumgain.firstBest(rows, 1e-12 * Math.max(...rows.flat().map(Math.abs))).map((place) => runs[place]);
      const colours = coloursOf([...new Set(best)]);
      const place = (x) => (WIDE * (to(x) - range[0])) / (range[1] - range[0]);
      const stretches = best.flatMap((run, i) => (run === best[i - 1] ? [] : [{run, first: i}]))
        .map((one, i, all) => ({...one, last: (all[i + 1]?.first ?? xs.length) - 1}));
      const edge = (i) => (i < 0 ? 0 : i >= xs.length - 1 ? WIDE : (place(xs[i]) + place(xs[i + 1])) / 2);
      const bars = stretches.map(({run, first, last}) =>
        `<rect x="${edge(first - 1)}" width="${edge(last) - edge(first - 1)}" y="4" height="20" fill="${colours.get(run)}" opacity="0.75" data-run="${run}"/>`);
      const words = stretches.slice(0, 6).map(({run, first, last}) =>
        `<span class="chip" style="background:${colours.get(run)}"></span><bdi>${escaped(data.short[run])}</bdi> ${rounded(xs[first])}${first === last ? "" : `–${rounded(xs[last])}`}`);
      const more = stretches.length > 6 ? `, and ${stretches.length - 6} more` : "";
      return `<b>${control === "k" ? "Best at rank k" : "Best with base b"}</b>`
        + `<svg viewBox="0 0 ${WIDE} 28" preserveAspectRatio="none" data-strip="${control}" aria-hidden="true">${bars.join("")}<path d="M${place(state[control])} 0V28" stroke="${theme.ink}" stroke-width="2.5"/></svg>`
        + `<p class="hint">${words.join(", ")}${more}.</p>`;
    }).join("");
  }

  // ---- charts and tables -------------------------------------------------------------------------

  /** What the curves show: means, or differences from the baseline. */
  const shownCurves = () => calculator.curves(state, state.curve === "values" ? null : state.baseline);

  function drawCurves() {
    const runs = shownRuns(), {systems, ideal} = shownCurves(), {xs} = axisOf("curves");
    const means = runs.map((run) => systems[run].mean), isDifference = state.curve === "differences";
    const hasIntervals = size() > 1 && !dividesMeans(state), hasIdeal = !isDifference && !isNormalised(state);
    const marked = runs.filter((run) => run === state.system || (run === state.baseline && !isDifference));
    const bands = !hasIntervals ? [] : runs.length <= BANDS && !isDifference ? runs : marked;
    const drawn = [...means, ...bands.flatMap((run) => [systems[run].low, systems[run].high])];
    const isShown = hasIdeal && state.ideal;
    setAxes("curves", extent(isShown ? [...drawn, ideal] : drawn), `${isDifference ? "difference of " : ""}${state.measure}`);
    $("with-ideal").hidden = !hasIdeal;
    part("curves", "ideal").data = isShown ? {x: xs, y: ideal} : {x: [], y: []};
    part("curves", "bands").data = {
      xs: bands.map(() => [...xs, ...[...xs].reverse()]),
      ys: bands.map((run) => [...systems[run].low, ...[...systems[run].high].reverse()]),
      color: bands.map((run) => style(run).color),
    };
    nameEnds(runs, means);
    drawLines({runs, means});
    const what = isDifference ? `differences of ${uncutText(state)} from ${data.short[state.baseline]}` : uncutText(state);
    $("curves").setAttribute("aria-label", `Chart: ${what} of ${counted(runs.length, "system")} at the ranks 1 to ${data.depth}; the arrow keys read the values`);
    const notes = [`The dotted line marks rank ${state.k}.`];
    if (isShown) notes.push("The dashed grey line is the ideal.");
    notes.push(size() < 2 ? "A single topic has no interval." : !hasIntervals ? "The page has no interval for a ratio of means."
      : `${bands.length > 1 ? "Bands are" : "The band is the"} ${percent(data.confidence)} interval${bands.length > 1 ? "s" : ""} of the mean ${isDifference ? "difference" : ""} over topics${bands.length < runs.length ? `, of ${bands.map((run) => isolated(data.short[run])).join(" and ")} only` : ""}.`);
    if (runs.length > COLOURED)
      notes.push(`Colours can tell ${COLOURED} systems apart; there are more, so all but the baseline and the chosen system are grey. Show fewer systems to see colours.`);
    $("curves-note").textContent = notes.join(" ");
  }

  /** Names at the lines' ends, if there is room for all; else a legend below. */
  function nameEnds(runs, means) {
    const {plot, views: [view]} = models.curves, {start, end} = plot.y_range;
    models.curves.height = view.frame.bbox.height;
    const height = models.curves.height || 300, fit = runs.length * 14 <= height && $("curves").clientWidth > 640;
    plot.min_border_right = fit ? 42 + 8 * Math.max(...runs.map((run) => data.short[run].length)) : 16;
    const last = data.depth - 1, to = (y) => (height * (end - y)) / (end - start);
    const ends = runs.map((run, i) => ({run, at: to(means[i][last])})).sort((a, b) => (fit ? a.at - b.at : 0));
    ends.forEach((one, i) => { one.at = Math.max(one.at, i ? ends[i - 1].at + 14 : 7); });
    for (let i = ends.length - 1, limit = height - 7; i >= 0; i--, limit -= 14) ends[i].at = Math.min(ends[i].at, limit);
    const box = $("curves-legend");
    box.className = fit ? "ends" : "legend";
    box.style.width = fit ? `${plot.min_border_right - 4}px` : "auto";
    box.innerHTML = !fit && runs.length > COLOURED ? "" : ends.map(({run, at}) =>
      `<li class="name" data-run="${run}" style="top:${view.frame.bbox.top + at - 9}px">${named(run)}</li>`).join("");
  }

  /** A table in HTML. A column has a head; a kind, if page.css has rules for it; and a key, if it
      can be sorted by. */
  function table(columns, rows, sort = "sort") {
    const kinds = columns.map(([, kind]) => (kind ? ` class="${kind}"` : ""));
    const sorted = state[sort], isUp = sorted.startsWith("-") !== ["place", "name", "topic"].includes(sorted.replace("-", ""));
    const head = columns.map(([text, , key], i) => (key
      ? `<th scope="col"${kinds[i]}${sorted.replace("-", "") === key ? ` aria-sort="${isUp ? "ascending" : "descending"}"` : ""}><button type="button" class="plain" data-${sort}="${key}">${text}</button></th>`
      : `<th scope="col"${kinds[i]}>${text}</th>`)).join("");
    const body = rows.map(({cells, isChosen, run}) => {
      const row = cells.map((html, i) => (columns[i][1] === "name"
        ? `<th scope="row"${kinds[i]}>${html}</th>` : `<td${kinds[i]}>${html}</td>`));
      return `<tr${isChosen ? ' class="chosen"' : ""}${run === undefined ? "" : ` data-run="${run}"`}>${row.join("")}</tr>`;
    });
    return `<table><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table>`;
  }

  /** Write HTML into an element; what has the focus there keeps it. */
  function fill(id, html) {
    const box = $(id), focused = box.contains(document.activeElement) && document.activeElement;
    const [[key, value] = []] = focused ? Object.entries(focused.dataset) : [];
    box.innerHTML = html;
    if (key) box.querySelector(`[data-${key}="${CSS.escape(value)}"]`)?.focus({preventScroll: true});
  }

  const more = (name, all) => (listed[name] < all
    ? `<p class="buttons">The first ${listed[name]} of ${all.toLocaleString("en")}. <button type="button" data-more="${name}">List all</button></p>` : "");

  /** The runs, the best first; those whose means differ by rounding in their own order. */
  function ordered(runs, {systems}) {
    const largest = Math.max(...systems.map(({mean}) => Math.abs(mean))) || 1;
    const rounded = systems.map(({mean}) => Math.round((mean / largest) * 1e11));
    return [...runs].sort((a, b) => rounded[b] - rounded[a] || a - b);
  }

  const inOrder = () => ordered(shownRuns(), values);
  const placesIn = (of) => ordered(everyRun, of).reduce((places, run, i) => ({...places, [run]: i + 1}), {});
  const ordinal = (n) => n + (["th", "st", "nd", "rd"][Math.floor(n / 10) % 10 === 1 ? 0 : n % 10] ?? "th");

  /** Which system is best. What the package proved and resampled is said of its own setting only. */
  function answer() {
    const order = inOrder(), [best, second] = order, {systems} = values;
    const means = systems.map(({mean}) => mean), digits = decimals(means), {mean, low, high} = systems[best];
    const name = (run) => isolated(data.short[run]);
    const text = `${measureText(state)} ${fixed(mean, digits)}`;
    const around = (a, b) => (Number.isFinite(a) ? ` ${between(a, b, digits)}` : "");
    const among = order.length < data.runs ? `Of the ${counted(order.length, "system")} shown: ` : "";
    if (second === undefined) return `${among}${name(best)}: ${text}${around(low, high)}.`;
    const rounding = 1e-12 * Math.max(...means.map(Math.abs));
    const equal = order.filter((run) => mean - systems[run].mean <= rounding);
    if (equal.length > 1) {
      const [first, last] = equal.length > 4 ? [equal.slice(0, 3), `${equal.length - 3} others`] : [equal.slice(0, -1), name(equal[equal.length - 1])];
      return `${among}${first.map(name).join(", ")} and ${last} are best, with equal means: ${text}.`;
    }
    const [difference, least, most] = calculator.compare(state, values, best, second);
    return `${among}${name(best)} is best: ${text}, ${fixed(difference, digits)} above ${name(second)}${around(least, most)}.`;
  }

  const size = () => calculator.topicsOf(state).length;
  const topicsText = () => (state.subset ? `${size()} of ${counted(data.count, "topic")}` : counted(data.count, "topic"));

  function writeAnswer() {
    $("part").hidden = !state.subset;
    $("part").innerHTML = `Everything is computed for ${topicsText()} only. <button type="button" data-alltopics="all">Take all topics</button>`;
    $("text").textContent = measureText(state);
    $("sentence").hidden = measureText(state) !== measureText(asWritten);
    $("answer").textContent = isWritten() ? written.answer : answer();
    $("changed").textContent = isWritten() ? "" : `When the page was written: ${written.answer}`;
    $("reset").hidden = toFragment(state) === toFragment(asWritten);
  }

  const weightedLevels = () => [...data.levels.keys()].filter((l) => state.gains[l] !== 0);

  /** The shown runs in the order of the column that the reader has chosen. */
  function sortedRuns() {
    const runs = inOrder(), key = state.sort.replace("-", ""), {systems} = values;
    const by = (a, b) => (key === "name" ? data.names[a].localeCompare(data.names[b], "en")
      : key.startsWith("level") ? systems[b].parts[key.slice(5)] - systems[a].parts[key.slice(5)]
      : (systems[b][key] || 0) - (systems[a][key] || 0));
    if (key !== "place") runs.sort(by);
    return state.sort.startsWith("-") ? runs.reverse() : runs;
  }

  function drawOrder() {
    const {systems} = values, runs = sortedRuns(), levels = weightedLevels();
    const digits = decimals(runs.map((run) => systems[run].mean));
    const shownPlaces = new Map(inOrder().map((run, i) => [run, i + 1])), places = placesIn(values);
    $("order-k").textContent = `at rank ${state.k}`;
    $("order-note").textContent = `Means over ${topicsText()}`
      + (size() > 1 && !dividesMeans(state) ? ` with ${percent(data.confidence)} t intervals` : "")
      + `, differences from ${isolated(data.short[state.baseline])}, the share of the top ${state.k} documents that is judged, and what each relevance level contributes. Click a name to compare it by topic, below.`;
    const columns = [
      ["#", "place", "place"], ["system", "name", "name"], ["mean", "", "mean"], ["interval"],
      ["difference", "", "difference"], ["its interval"], ["judged", "", "judged"],
      ...levels.map((l) => [`<span class="chip" style="background:${levelColour(l)}"></span>level ${data.levels[l]}`, "", `level${l}`]),
    ];
    const row = (run) => {
      const {mean, low, high, difference, least, most, judged, parts} = systems[run];
      const differs = run === state.baseline
        ? ["baseline", ""] : [signed(difference, digits), between(least, most, digits)];
      const button = `<button type="button" class="plain" data-system="${run}">${named(run)}</button>`;
      const was = written.places[run] === places[run] ? "" : ` <small>was ${ordinal(written.places[run])}</small>`;
      return {run, isChosen: run === state.system, cells: [
        shownPlaces.get(run) + was, button, fixed(mean, digits), between(low, high, digits), ...differs,
        percent(judged), ...levels.map((l) => fixed(parts[l], digits)),
      ]};
    };
    fill("order", table(columns, runs.map(row)));
  }

  // ---- topics ------------------------------------------------------------------------------------

  let brushed = null; // the topics that the reader has chosen in the chart

  const filters = () => Object.fromEntries(select("[data-filter]").map(({dataset, value}) => [dataset.filter, value]));

  /** The topics that pass the filter, sorted as the reader has chosen. */
  function differences() {
    const [system, baseline] = [state.system, state.baseline].map((run) => values.topics[run]);
    const {text: words, least, most, judged} = filters(), sought = words.toLowerCase();
    const passes = (topic) => {
      const {id, text} = data.topics[topic], recall = values.recall[topic];
      return `${id} ${text}`.toLowerCase().includes(sought) && (brushed === null || brushed.has(topic))
        && recall >= (least || 0) && recall <= (most || Infinity)
        && (!judged || calculator.judgedOf(state.system, topic, state.k) >= judged / 100);
    };
    const rows = calculator.topicsOf(state).filter(passes).map((topic) => ({
      ...data.topics[topic], topic, value: system[topic], base: baseline[topic], difference: system[topic] - baseline[topic],
    }));
    const of = topicKeys[state.sorttopics.replace("-", "")];
    rows.sort((a, b) => (of(b) || 0) - (of(a) || 0) || a.topic - b.topic);
    return state.sorttopics.startsWith("-") ? rows.reverse() : rows;
  }

  function clearFilter() {
    brushed = null;
    for (const input of select("[data-filter]")) input.value = "";
  }

  function drawFiltered() {
    for (const name of ["topics", "topics-table"]) stale.add(name);
    drawStale(true);
  }

  /** Choose the topics of the bars that the reader has drawn across. */
  function brush({x0, x1}) {
    const rows = differences().filter((_, i) => i > x0 - 0.4 && i < x1 + 0.4);
    if (rows.length) brushed = new Set(rows.map(({topic}) => topic));
    drawFiltered();
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
    const [axis] = models.topics.plot.below, ids = labelled.map(({id}) => short(id, 10));
    if (String(ids) !== models.topics.ids) { // setting them lays out the chart again
      models.topics.ids = String(ids);
      axis.ticker.ticks = [...ids.keys()];
      axis.major_label_overrides = new Map(ids.entries());
    }
    axis.major_label_orientation = labelled.some(({id}) => id.length > 3) ? "vertical" : "horizontal";
    $("topics").setAttribute("aria-label", "Chart: the differences of the topics, in the order of the table below");
    read("topics");
  }

  function drawTopicsTable() {
    const rows = differences(), {system, baseline, k} = state;
    const {difference: mean, least, most} = values.systems[system], filtered = rows.length < size();
    $("take").hidden = !filtered || !rows.length;
    $("take").textContent = `Compute everything for these ${counted(rows.length, "topic")}`;
    $("unfilter").hidden = !filtered;
    const digits = decimals(rows.flatMap(({value, base}) => [value, base]));
    const count = (sign) => rows.filter(({difference}) => Math.sign(difference) === sign).length;
    $("versus").textContent = data.short[baseline];
    $("topics-note").textContent = data.runs < 2 ? "There is only one system, so there is no difference."
      : `${filtered ? `Of the ${rows.length} listed: better` : "Better"} for ${counted(count(1), "topic")}, worse for ${count(-1)}, equal for ${count(0)}; mean difference${filtered ? ` of all ${size()}` : ""} ${signed(mean, digits)}`
        + `${Number.isFinite(least) ? `, ${percent(data.confidence)} interval ${between(least, most, digits)}` : ""}. Click a topic to see its rankings; draw across the bars to choose topics.`;
    const hasTexts = data.topics.some(({text}) => text);
    const columns = [["topic", "name", "topic"], ...(hasTexts ? [["text", "text"]] : []),
      ["difference", "", "difference"], ["value", "", "value"], ["baseline", "", "base"],
      ["R", "", "recall"], ["judged", "", "judged"], ["judged, baseline"]];
    const body = rows.slice(0, listed.topics).map(({id, text, topic, value, base, difference}) => ({
      isChosen: topic === state.topic,
      cells: [
        `<button type="button" class="plain" data-topic="${topic}" title="${escaped(id)}"><bdi>${escaped(short(id, 40))}</bdi></button>`,
        ...(hasTexts ? [`<bdi>${escaped(text)}</bdi>`] : []),
        signed(difference, digits), fixed(value, digits), fixed(base, digits), values.recall[topic],
        ...[system, baseline].map((run) => percent(calculator.judgedOf(run, topic, k))),
      ],
    }));
    fill("topics-table", table(columns, body, "sorttopics") + more("topics", rows.length));
  }

  function openTopic(topic, focus) {
    change({topic});
    render(true);
    if (focus) $("ranking-h").focus();
  }

  const rankingDepth = () => Math.min(data.depth, Math.max(state.k, 20));

  /** A relevance level on its colour; of a document that is not judged, a dot. */
  function levelCell(l, isTied = false) {
    if (l === undefined) return `<span class="level">·</span>`;
    const colour = levelColour(l);
    return `<span class="level${isTied ? " tied" : ""}" style="background:${colour};color:${inkOn(colour)}">${data.levels[l]}</span>`;
  }

  /** The rankings of a topic, as rows of levels: what is at which rank. */
  function drawRanking() {
    const {topic} = state;
    $("ranking").hidden = topic === null;
    if (topic === null) {
      for (const id of ["ranking-h", "ranking-note", "ranking"]) $(id).textContent = "";
      return;
    }
    const depth = rankingDepth(), {id, text} = data.topics[topic];
    const valueOf = (run) => values.topics[run][topic];
    const runs = shownRuns().sort((a, b) => valueOf(b) - valueOf(a));
    const digits = decimals(runs.map(valueOf));
    $("ranking-h").textContent = `Topic ${isolated(id)}${text ? `: ${isolated(text)}` : ""}`;
    $("ranking-note").textContent = `R = ${values.recall[topic]}. The cells show relevance levels; · is not judged. Beside the names: ${measureText(state)}. `
      + "Documents of equal score are in descending order of id; they are underlined if one of them is judged.";
    const {begin, level} = calculator.rankings(state).ideals;
    const best = [...level.subarray(begin[topic], begin[topic + 1])].slice(0, depth);
    const ideal = isNormalised(state) ? Number(values.ideal[topic] > 0) : values.ideal[topic];
    const row = (run) => {
      const at = run * data.count + topic;
      const cells = Array.from({length: depth}, (_, i) => (i < data.lengths[at] ? "·" : ""));
      for (let hit = data.begin[at]; hit < data.begin[at + 1]; hit++)
        if (data.rank[hit] <= depth) cells[data.rank[hit] - 1] = levelCell(data.level[hit], data.last[hit] - data.above[hit] > 1);
      return {cells: [named(run), fixed(valueOf(run), digits), ...cells]};
    };
    const columns = [["system", "name"], ["value", "value"], ...Array.from({length: depth}, (_, i) => [i + 1])];
    const rows = [{cells: ["ideal", fixed(ideal, digits), ...best.map((l) => levelCell(l))]}, ...runs.slice(0, listed.ranking).map(row)];
    fill("ranking", table(columns, rows) + more("ranking", runs.length));
  }

  /** The documents of the chosen system and of the baseline, joined where both have them. */
  function drawPair() {
    const {topic, system, baseline} = state;
    $("pair").hidden = topic === null || !data.documents || data.runs < 2;
    if ($("pair").hidden) return;
    const lists = [system, baseline].map((run) => calculator.documents(run, topic)), depth = rankingDepth();
    const rankIn = lists.map((list) => new Map(list.map(({place}, i) => [place, i + 1])));
    const rows = Array.from({length: Math.min(depth, Math.max(...lists.map((list) => list.length)))}, (_, i) => i);
    const room = Math.floor((Math.max($("pair").clientWidth, 600) - 280) / 15); // characters of an id
    const document = (side, i) => {
      if (i >= lists[side].length) return "";
      const {place, level} = lists[side][i], id = data.documents.ids[topic][place];
      const there = `<small>${rankIn[1 - side].get(place) ?? "–"}</small>`;
      const cells = [`<bdi title="${escaped(id)}">${escaped(cutInside(id, room))}</bdi>`, levelCell(level), there];
      return `<div>${(side ? cells.reverse() : cells).join("")}</div>`;
    };
    const lines = rows.flatMap((i) => {
      const {place, level} = lists[0][i] ?? {}, there = rankIn[1].get(place);
      if (!(there <= rows.length)) return [];
      const colour = level === undefined || data.levels[level] <= 0 ? theme.grey : levelColour(level);
      return `<path d="M0 ${24 * i + 12}L80 ${24 * there - 12}" stroke="${colour}" stroke-width="${state.gains[level] > 0 ? 3 : 1}"/>`;
    });
    const joined = `<td rowspan="${rows.length}"><svg width="80" height="${24 * rows.length}" aria-hidden="true">${lines.join("")}</svg></td>`;
    const [left, right] = [system, baseline].map((run) => `<th scope="col" class="name">${named(run)}</th>`);
    $("pair").innerHTML = `<table><thead><tr><th scope="col">rank</th>${left}<td></td>${right}</tr></thead><tbody>`
      + rows.map((i) => `<tr><th scope="row">${i + 1}</th><td>${document(0, i)}</td>${i ? "" : joined}<td>${document(1, i)}</td></tr>`).join("")
      + `</tbody></table><p class="hint">Beside each id is its rank in the other ranking; – means that it is not among the first ${data.depth} there.</p>`;
  }

  // ---- values under the pointer ------------------------------------------------------------------

  function pointed(name, event, x, y) {
    if (event === "mouseleave") {
      delete pointer[name];
      light(null);
    } else {
      const {xs, to} = axisOf(name), away = xs.map((one) => Math.abs(to(one) - x));
      pointer[name] = away.indexOf(Math.min(...away));
      if (event === "tap" && name === "topics" && pointer[name] >= 0) openTopic(differences()[pointer[name]].topic);
      const {plot: {y_range: {start, end}}, lines} = models[name];
      if (lines) {
        const gaps = lines.means.map((means) => Math.abs(means[pointer[name]] - y)), least = Math.min(...gaps);
        light(least < 0.03 * (end - start) ? lines.runs[gaps.indexOf(least)] : null);
      }
    }
    read(name);
  }

  const readings = { // what a chart shows at the index of one of its values
    curves(i) {
      const {systems, ideal} = shownCurves();
      const rows = shownRuns().map((run) => ({run, value: systems[run].mean[i], low: systems[run].low[i], high: systems[run].high[i]}));
      return `<b>rank ${i + 1}</b>${readSystems(rows)}`
        + (state.curve === "values" ? `<div>ideal ${fixed(ideal[i], decimals([ideal[i]]))}</div>` : "");
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
      `<div class="name">${swatch(run)}<bdi>${escaped(data.short[run])}</bdi> ${fixed(value, digits)}`
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
      return [["name", "measure", "rank", "value", "low", "high", "ideal", "topics"], ...shownRuns().flatMap((run) => {
        const {mean, low, high} = systems[run];
        return xs.map((rank, i) => [data.names[run], text, rank, mean[i], low[i], high[i], ideal[i], size()]);
      })];
    },
    order() {
      const levels = weightedLevels(), text = measureText(state);
      const head = ["name", "measure", "mean", "low", "high", "difference", "difference_low", "difference_high", "judged", "topics"];
      return [[...head, ...levels.map((l) => `level ${data.levels[l]}`)], ...sortedRuns().map((run) => {
        const {mean, low, high, difference, least, most, judged, parts} = values.systems[run];
        const differs = run === state.baseline ? [NaN, NaN, NaN] : [difference, least, most];
        return [data.names[run], text, mean, low, high, ...differs, judged, size(), ...levels.map((l) => parts[l])];
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

  /** A view as a picture: the map, or a chart as Bokeh exports it, with a legend. */
  function svg(name) {
    drawStale(true);
    if (name === "map") return asSvg(WIDE, mapHeight() + 20, mapSvg() + svgText(8, mapHeight() + 14, caption()));
    const [view] = models[name].views;
    const exported = view.export("svg").ctx.get_serialized_svg(true);
    const chart = new DOMParser().parseFromString(exported, "image/svg+xml").documentElement;
    const [width, height] = ["width", "height"].map((side) => Number(chart.getAttribute(side)));
    const room = 230, columns = Math.max(Math.floor((width - 64) / room), 1);
    const runs = name === "topics" ? [] : shownRuns().filter((run) => !style(run).grey);
    const keys = runs.map((run, i) => {
      const x = 64 + (i % columns) * room, y = height + 16 + Math.floor(i / columns) * 18;
      return `<line x1="${x}" x2="${x + 26}" y1="${y - 4}" y2="${y - 4}" ${stroke(style(run))}/>`
        + svgText(x + 32, y, data.short[run]);
    });
    const [system, baseline] = [state.system, state.baseline].map((run) => isolated(data.short[run]));
    const title = (name === "topics" ? `${system} − ${baseline}: ` : "") + caption();
    const below = height + 28 + Math.ceil(runs.length / columns) * 18;
    return asSvg(width, below + 8, new XMLSerializer().serializeToString(chart) + keys.join("") + svgText(64, below, title));
  }

  const caption = () => measureText(state) + (state.subset ? `, ${topicsText()}` : "");
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
    written.places = placesIn(calculator.values(asWritten));
    state = addressedState() || state;
    readTheme();
    writeWords();
    $("link").hidden = !hasAddress;
    buildControls();
    await Promise.all(Object.entries(embedded("figures")).map(embed));
    bind();
    select(".skip").forEach((link) => link.addEventListener("click", (event) => {
      event.preventDefault(); // the address holds the state
      $("main").focus();
    }));
    const watch = new IntersectionObserver((entries) => {
      for (const {target, isIntersecting} of entries)
        if (isIntersecting) visible.add(target.id); else visible.delete(target.id);
      drawStale();
    });
    Object.keys(views).filter((name) => name !== "strips").forEach((name) => watch.observe($(name)));
    render();
  }

  async function embed([name, item]) {
    const views = await Bokeh.embed.embed_item({...item, target_id: name});
    const [view] = views, plot = view.model;
    for (const inner of [view.canvas_view, view.canvas]) if (inner?.el) inner.el.tabIndex = -1; // the chart is one stop
    models[name] = {plot, views, document: plot.document};
  }

  Object.defineProperty(cumgain, "state", {get: () => state, set: change});
  const changed = (settings) => allowed({...state, ...settings});
  const onMap = (what, points, of) => calculator[what](of, spanned(of), points, everyRun);
  Object.assign(cumgain, { // of the state, or of the state with other settings
    values: (settings) => calculator.values(changed(settings)),
    curves: (settings, baseline) => calculator.curves(changed(settings), baseline),
    along: (control, xs, settings) => calculator.along(changed(settings), control, xs, everyRun),
    mixtures: (points, settings) => onMap("mixtures", points, changed(settings)),
    best: (points, settings) => onMap("bestAt", points, changed(settings)),
    text: (settings) => measureText(changed(settings)),
  });
  Object.assign(page, {pointed, brush, isResting: () => resting === 0});
  await start();
})();
