/* What the reader sees and moves: the controls, the tables, the charts (drawn by Bokeh), and the
   fragment of the address, which holds the state. cumgain.js has the arithmetic. Ids and texts come
   from users: they enter the page through escaped() or textContent only. */
"use strict";

globalThis.page = (() => {
  const $ = (id) => document.getElementById(id);
  const written = (id) => JSON.parse($(id).textContent);
  const data = cumgain.read(written("data"));
  const calculator = new cumgain.Calculator(data);
  const discounts = new Map(data.discounts.map((d) => [d.name, d]));
  const everyRun = data.names.map((_, run) => run);
  const COLOURED = data.colours.length * data.dashes.length; // systems that can be told apart
  const LISTED = 100; // topics that the table lists unless all are asked for
  const ATONCE = 40; // rows of a table that are written while something moves
  const BANDS = 6; // more bands would hide each other

  // ---- numbers and texts ------------------------------------------------------------------------

  const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  const counted = (n, one, many = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
  const isolated = (text) => `\u2068${text}\u2069`; // the direction of a name ends with the name
  const percent = (share) => (Number.isNaN(share) ? "–" : `${(100 * share).toFixed(0)}%`);
  const short = (text, n = 24) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);

  function places(values) {
    const top = Math.max(0, ...values.map(Math.abs).filter(Number.isFinite));
    return top < 10 ? 3 : top < 100 ? 2 : top < 10000 ? 1 : 0;
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

  const positive = data.levels.map((level, l) => [level, l]).filter(([level]) => level > 0);
  const highest = positive.length ? positive[positive.length - 1][1] : data.levels.length - 1;
  const first = {
    ...data.first, system: data.first.baseline === 0 ? 1 : 0, topic: null, control: String(highest),
    log: false, ideal: true, shown: data.names.map(() => true),
  };
  let state = allowed(first);
  let top = sliderTop(state.gains);

  /** A state whose settings go together: values that do not are replaced, unknown names refused. */
  function allowed(wished) {
    const next = {...first, ...wished};
    const whole = (x, low, high, other) =>
      (Number.isFinite(x) ? Math.min(Math.max(Math.round(x), low), high) : other);
    if (!discounts.has(next.discount)) throw new Error(`the page does not know the discount ${next.discount}`);
    if (!Object.hasOwn(data.ties, next.ties)) throw new Error(`the page does not know the rule for ties ${next.ties}`);
    const {upTo} = discounts.get(next.discount);
    if (!(next.base > 1 && next.base < 1e9)) next.base = data.defaults.base;
    if (next.normalised && next.discounted && upTo !== null) next.base = Math.min(next.base, upTo);
    next.k = whole(next.k, 1, data.depth, first.k);
    next.gains = data.levels.map((_, l) => {
      const gain = Number.isFinite(next.gains[l]) ? next.gains[l] : first.gains[l];
      return next.normalised ? Math.max(gain, 0) : gain;
    });
    if (next.average !== "vectors") next.average = "topics";
    next.baseline = whole(next.baseline, 0, data.runs - 1, 0);
    next.system = whole(next.system, 0, data.runs - 1, 0);
    if (next.system === next.baseline && data.runs > 1) next.system = next.baseline ? 0 : 1;
    if (next.topic !== null) next.topic = whole(next.topic, 0, data.count - 1, null);
    const levels = data.levels.map((_, l) => String(l));
    if (!["k", "base", ...levels].includes(next.control)) next.control = first.control;
    if (!next.shown.includes(true)) next.shown = everyRun.map((run) => run === next.baseline);
    return next;
  }

  const hasBase = () => state.discounted && discounts.get(state.discount).base;
  const normalisedBy = () => (state.normalised && state.average === "vectors" ? "vectors" : "topics");
  const shownRuns = () => everyRun.filter((run) => state.shown[run]);

  /** The weighting as ir-measures' text has it: nothing, 'exp', a scheme, or a mapping. */
  function gainsText(gains) {
    const pairs = data.levels.map((level, l) => [level, gains[l]]);
    if (pairs.every(([level, gain]) => gain === Math.max(level, 0))) return "";
    if (pairs.every(([level, gain]) => gain === 2 ** Math.max(level, 0) - 1)) return "exp";
    const last = data.levels[data.levels.length - 1];
    const scheme = pairs.every(([level, gain]) => (level >= 0 || gain === 0)
      && Number.isInteger(level) && gain >= 0 && !String(gain).includes("e"));
    if (scheme && last >= 1 && last <= 12) {
      const weights = Array.from({length: last + 1}, (_, level) => {
        const pair = pairs.find(([one]) => one === level);
        return pair ? pair[1] : 0;
      });
      return weights.join("-");
    }
    const named = pairs.filter(([level, gain]) => gain !== Math.max(level, 0));
    return named.map(([level, gain]) => `${level}:${gain}`).join(",");
  }

  /** The measure as ir-measures parses it. */
  function measureText({gains, discounted, normalised, discount, base, ties, k}) {
    const given = [];
    const weights = gainsText(gains), entry = discounts.get(discount);
    if (weights) given.push(`gains='${weights}'`);
    if (discounted && discount !== data.defaults.discount) given.push(`discount='${discount}'`);
    if (discounted && entry.base && base !== data.defaults.base) given.push(`base=${base}`);
    if (ties !== data.defaults.ties) given.push(`ties='${ties}'`);
    const name = (normalised ? "n" : "") + (discounted ? "DCG" : "CG");
    return `${name}${given.length ? `(${given.join(",")})` : ""}@${k}`;
  }

  const measureName = () => (state.normalised ? "n" : "") + (state.discounted ? "DCG" : "CG");
  const family = () => measureText(state).replace(/@\d+$/, "");

  function toFragment(of) {
    const hidden = everyRun.filter((run) => !of.shown[run]);
    const shown = everyRun.filter((run) => of.shown[run]);
    const all = {
      measure: (of.normalised ? "n" : "") + (of.discounted ? "DCG" : "CG"),
      gains: of.gains.join("_"), discount: of.discount, base: of.base, k: of.k, ties: of.ties,
      average: of.average, baseline: of.baseline, system: of.system, control: of.control,
      topic: of.topic === null ? "" : of.topic, scale: of.log ? "log" : "linear",
      ideal: of.ideal ? "yes" : "no",
      ...(hidden.length <= shown.length ? {hidden: hidden.join("_")} : {shown: shown.join("_")}),
    };
    return new URLSearchParams(all).toString();
  }

  function fromFragment(text) {
    const given = new URLSearchParams(text.replace(/^#/, ""));
    if (!given.has("measure")) return null;
    const number = (name) => (given.get(name) ? Number(given.get(name)) : NaN);
    const listed = (name) => new Set((given.get(name) || "").split("_").filter(Boolean).map(Number));
    const [hidden, shown] = [listed("hidden"), listed("shown")];
    return allowed({
      normalised: given.get("measure").startsWith("n"),
      discounted: given.get("measure").endsWith("DCG"),
      gains: (given.get("gains") || "").split("_").map((gain) => (gain ? Number(gain) : NaN)),
      discount: given.get("discount") || data.defaults.discount, base: number("base"), k: number("k"),
      ties: given.get("ties") || data.defaults.ties, average: given.get("average"), baseline: number("baseline"),
      system: number("system"), control: given.get("control"), log: given.get("scale") === "log",
      topic: given.get("topic") ? number("topic") : null, ideal: given.get("ideal") !== "no",
      shown: everyRun.map((run) => (given.has("shown") ? shown.has(run) : !hidden.has(run))),
    });
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

  // ---- scales of sliders and of the view of one control ------------------------------------------

  function sliderTop(gains) {
    return 10 ** Math.max(1, Math.ceil(Math.log10(Math.max(...gains, 1)) - 1e-9));
  }

  /** Where a weight stands on its slider, from 0 to 1, and back. */
  function gainScale() {
    if (!state.log) return {to: (x) => x / top, from: (p) => p * top};
    const low = 0.1, room = 0.05, span = Math.log(top / low);
    return {
      to: (x) => (x <= low ? (room * Math.max(x, 0)) / low : room + ((1 - room) * Math.log(x / low)) / span),
      from: (p) => (p <= room ? (p / room) * low : low * Math.exp(((p - room) / (1 - room)) * span)),
    };
  }

  function baseScale() {
    const entry = discounts.get(state.discount);
    const low = 1.1, high = state.normalised && entry.upTo !== null ? Math.min(20, entry.upTo) : 20;
    const span = Math.log(high / low);
    return {low, high, to: (x) => Math.log(x / low) / span, from: (p) => low * Math.exp(p * span)};
  }

  const rounded = (x) => Number(x.toPrecision(3));

  /** What a control goes through: its values, where they stand, ticks, words. */
  function controlled() {
    const {control} = state, even = (n) => Array.from({length: n + 1}, (_, i) => i / n);
    if (control === "k") {
      const xs = Array.from({length: data.depth}, (_, i) => i + 1);
      const step = niceStep(data.depth / 8, true);
      const ticks = [1, ...xs.filter((k) => k % step === 0 && k > 1)];
      return {xs, to: (k) => k, ticks, here: state.k, range: [1, Math.max(data.depth, 2)], words: "rank k"};
    }
    if (control === "base") {
      const {low, high, to, from} = baseScale();
      const ticks = [1.1, 1.2, 1.5, 2, 3, 5, 7, 10, 15, 20].filter((b) => b >= low && b <= high);
      return {xs: even(60).map(from), to, ticks, here: state.base, range: [0, 1], words: "base b"};
    }
    const {to, from} = gainScale();
    const others = state.gains.filter((gain, l) => String(l) !== control && gain > 0 && gain < top);
    const xs = [...new Set([...even(60).map(from), ...others])].sort((a, b) => a - b);
    const ticks = state.log
      ? [0, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000].filter((x) => x <= top)
      : even(5).map((p) => p * top);
    return {xs, to, ticks, here: state.gains[control], range: [0, 1],
            words: `gain of level ${data.levels[control]}`};
  }

  function niceStep(rough, whole) {
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((f) => f * power >= rough);
    return whole ? Math.max(Math.round(step), 1) : step;
  }

  // ---- colours ----------------------------------------------------------------------------------

  const darkMode = matchMedia("(prefers-color-scheme: dark)");
  let printing = false;
  const dark = () => darkMode.matches && !printing;
  const ink = () => (dark() ? "#e9e9e9" : "#1b1b1b");

  /** Colour and dashes of a system: as in the figures; where there are too many, of two only. */
  function style(run) {
    const shown = shownRuns();
    let place = run;
    if (data.runs > COLOURED) {
      place = shown.indexOf(run);
      if (shown.length > COLOURED || place < 0) place = run === state.baseline ? 0 : run === state.system ? 1 : -1;
    }
    if (place < 0) return {color: dark() ? "#70757b" : "#b0b4b8", dash: [], width: 1, grey: true};
    const color = data.colours[place % data.colours.length];
    const marked = run === state.baseline || run === state.system;
    const dash = data.dashes[place % data.dashes.length].map((length) => 2 * length);
    return {color: color === "#000000" ? ink() : color, width: marked ? 2.6 : 1.6, dash, grey: false};
  }

  function swatch(run) {
    const {color, dash, width} = style(run);
    return `<svg viewBox="0 0 26 10" aria-hidden="true"><line x1="0" x2="26" y1="5" y2="5" stroke="${color}" `
      + `stroke-width="${width + 0.6}" stroke-dasharray="${dash.join(" ")}"/></svg>`;
  }

  const named = (run) =>
    `<span>${swatch(run)}<bdi title="${escaped(data.names[run])}">${escaped(data.names[run])}</bdi></span>`;

  const mix = (from, to, p) => "#" + [1, 3, 5].map((i) => {
    const [a, b] = [from, to].map((colour) => parseInt(colour.slice(i, i + 2), 16));
    return Math.round(a + (b - a) * p).toString(16).padStart(2, "0");
  }).join("");

  /** A colour for each level: the higher the farther from the paper; 0 and below are grey. */
  function levelColour(l) {
    const place = positive.findIndex(([, one]) => one === l);
    if (place < 0) return dark() ? "#45494e" : "#dfe1e3";
    const p = positive.length > 1 ? place / (positive.length - 1) : 1;
    return dark() ? mix("#2c5a85", "#d9ecfb", p) : mix("#a9d0ee", "#08306b", p);
  }

  function inkOn(colour) {
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.45 ? "#000000" : "#ffffff";
  }

  // ---- the controls -----------------------------------------------------------------------------

  function option(value, text) {
    const made = document.createElement("option");
    made.value = value;
    made.textContent = text;
    return made;
  }

  function buildControls() {
    $("preset").append(option("", "as set below"),
      ...data.presets.map(({label}, i) => option(i, label)));
    const rows = data.levels.map((level, l) => {
      const row = document.createElement("div");
      row.className = "slider";
      row.innerHTML = `<label for="gain-${l}"><span class="chip" data-level="${l}"></span>level ${level}</label>`
        + `<input type="range" id="gain-slider-${l}" min="0" max="1" step="0.005" aria-label="Gain of level ${level}, slider">`
        + `<input type="number" id="gain-${l}" step="any">`;
      return [level, row];
    });
    $("gains").append(...rows.filter(([level]) => level > 0).map(([, row]) => row));
    const rest = rows.filter(([level]) => level <= 0).map(([, row]) => row);
    if (rest.length) {
      const more = document.createElement("details");
      more.innerHTML = "<summary>Levels of 0 and below</summary>";
      more.open = data.levels.some((level, l) => level <= 0 && state.gains[l] !== 0);
      more.append(...rest);
      $("gains").append(more);
    }
    $("discount").append(...data.discounts.map(({name, text}) => option(name, `${name}: ${text}`)));
    $("ties").append(...Object.keys(data.ties).map((name) => option(name, name)));
    $("baseline").append(...data.names.map((name, run) => option(run, short(name, 60))));
    $("system").append(...data.names.map((name, run) => option(run, short(name, 60))));
    $("control").append(...[...data.levels.keys()].reverse().map((l) => option(l, `the gain of level ${data.levels[l]}`)),
      option("base", "the base of the discount"), option("k", "the rank k"));
    $("k").max = $("k-slider").max = data.depth;
    $("shown").innerHTML = everyRun.map((run) =>
      `<li><label title="${escaped(data.names[run])}"><input type="checkbox" data-run="${run}"><span class="swatch" data-run="${run}"></span>`
      + `<bdi>${escaped(data.names[run])}</bdi></label></li>`).join("");
    if (matchMedia("(max-width: 60rem)").matches)
      document.querySelectorAll("#controls > details").forEach((part, i) => { part.open = i === 0 || i === 2; });
  }

  function bind() {
    const on = (id, kind, act) => $(id).addEventListener(kind, act);
    $("controls").addEventListener("submit", (event) => event.preventDefault());
    data.levels.forEach((_, l) => {
      on(`gain-slider-${l}`, "input", (event) =>
        change(cumgain.set(state, l, rounded(gainScale().from(Number(event.target.value))))));
      on(`gain-${l}`, "input", (event) => {
        if (event.target.value === "" || !Number.isFinite(event.target.valueAsNumber)) return;
        change(cumgain.set(state, l, event.target.valueAsNumber));
        top = Math.max(top, sliderTop(state.gains));
      });
    });
    on("preset", "change", (event) => {
      if (event.target.value === "") return;
      const {gains} = data.presets[event.target.value];
      top = sliderTop(gains);
      change({gains});
    });
    document.getElementsByName("scale").forEach((radio) =>
      radio.addEventListener("change", () => change({log: radio.value === "log"})));
    document.getElementsByName("discounted").forEach((radio) =>
      radio.addEventListener("change", () => change({discounted: radio.value === "yes"})));
    on("normalised", "change", (event) => change({normalised: event.target.checked}));
    on("discount", "change", (event) => change({discount: event.target.value}));
    on("base-slider", "input", (event) => change({base: rounded(baseScale().from(Number(event.target.value)))}));
    on("base", "input", (event) => { if (event.target.valueAsNumber > 1) change({base: event.target.valueAsNumber}); });
    on("k-slider", "input", (event) => change({k: event.target.valueAsNumber}));
    on("k", "input", (event) => { if (event.target.valueAsNumber >= 1) change({k: event.target.valueAsNumber}); });
    for (const id of ["ties", "average", "control"])
      on(id, "change", (event) => change({[id]: event.target.value}));
    on("baseline", "change", (event) => change({baseline: Number(event.target.value)}));
    on("system", "change", (event) => change({system: Number(event.target.value)}));
    on("ideal", "change", (event) => change({ideal: event.target.checked}));
    on("shown", "change", (event) => {
      const shown = [...state.shown];
      shown[event.target.dataset.run] = event.target.checked;
      change({shown});
    });
    on("all", "click", () => change({shown: everyRun.map(() => true)}));
    on("none", "click", () => change({shown: everyRun.map((run) => run === state.baseline)}));
    $("controls").addEventListener("focusout", () => syncControls());
    document.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      if (button.dataset.topic) openTopic(Number(button.dataset.topic), true);
      if (button.dataset.system) change({system: Number(button.dataset.system)});
      if (button.dataset.more) { everything[button.dataset.more] = true; render(); }
      if (button.dataset.csv) save(button.dataset.csv, "csv", csv(button.dataset.csv));
      if (button.dataset.svg) ready.then(() => save(button.dataset.svg, "svg", svg(button.dataset.svg)));
    });
    on("copy", "click", () => copy(measureText(state), "the measure"));
    on("link", "click", () => { remember(); copy(location.href.split("#")[0] + "#" + toFragment(state), "the link"); });
    for (const name of ["curves", "sweep"]) {
      on(name, "keydown", (event) => {
        const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
        if (!step) return;
        event.preventDefault();
        const xs = name === "curves" ? ranks() : controlled().xs;
        const now = pointer[name] === undefined ? xs.findIndex((x) => x >= (name === "curves" ? state.k : controlled().here)) : pointer[name] + step;
        pointer[name] = Math.min(Math.max(now, 0), xs.length - 1);
        read(name);
      });
      on(name, "blur", () => { pointer[name] = undefined; read(name); });
    }
    addEventListener("hashchange", () => {
      const next = addressedState();
      if (next && toFragment(next) !== toFragment(state)) { state = next; top = sliderTop(state.gains); render(); }
    });
    darkMode.addEventListener("change", () => render());
    addEventListener("beforeprint", () => { printing = true; render(true); print(); });
    addEventListener("afterprint", () => { printing = false; render(true); });
  }

  const swatches = [];

  /** Write the state into the controls, but not into the one that is being typed in. */
  function syncControls() {
    const write = (id, value) => {
      const at = $(id);
      if (document.activeElement === at && at.type === "number") return;
      if (at.value !== String(value)) at.value = value;
    };
    const scale = gainScale(), base = baseScale();
    data.levels.forEach((level, l) => {
      write(`gain-${l}`, state.gains[l]);
      write(`gain-slider-${l}`, scale.to(Math.min(state.gains[l], top)));
      $(`gain-slider-${l}`).setAttribute("aria-valuetext", String(state.gains[l]));
      if (state.normalised) $(`gain-${l}`).min = 0; else $(`gain-${l}`).removeAttribute("min");
    });
    document.querySelectorAll("#gains .chip").forEach((chip) => {
      const colour = levelColour(Number(chip.dataset.level));
      if (chip.dataset.colour !== colour) chip.style.background = chip.dataset.colour = colour;
    });
    const preset = data.presets.findIndex(({gains}) => gains.every((gain, l) => gain === state.gains[l]));
    write("preset", preset < 0 ? "" : preset);
    document.getElementsByName("scale").forEach((radio) => { radio.checked = (radio.value === "log") === state.log; });
    document.getElementsByName("discounted").forEach((radio) => { radio.checked = (radio.value === "yes") === state.discounted; });
    $("normalised").checked = state.normalised;
    const entry = discounts.get(state.discount);
    write("discount", state.discount);
    $("discount").disabled = !state.discounted;
    $("formula").textContent = state.discounted
      ? `The gain at rank i is divided by d(i) = ${entry.text} (${entry.source}).` : "CG has no discount.";
    for (const id of ["base", "base-slider"]) $(id).disabled = !hasBase();
    write("base", state.base);
    write("base-slider", base.to(Math.min(Math.max(state.base, base.low), base.high)));
    $("base-slider").setAttribute("aria-valuetext", String(state.base));
    $("limit").textContent = hasBase() && state.normalised && entry.upTo !== null
      ? `The base is ${entry.upTo} at most: with a larger one ${entry.name} ${entry.beyond.split(";")[0]}.` : "";
    write("k", state.k);
    write("k-slider", state.k);
    write("ties", state.ties);
    $("tied").textContent = `Documents of equal score rank: ${data.ties[state.ties]}.`;
    write("average", state.average);
    $("average").disabled = !state.normalised;
    $("averaged").textContent = !state.normalised ? ""
      : state.average === "vectors"
        ? "The average vector divided by the average ideal vector (TOIS 2002, section 3.3): topics with more to gain weigh more. A ratio of averages has no interval here."
        : "What the measure itself gives: every topic weighs the same.";
    write("baseline", state.baseline);
    write("system", state.system);
    write("control", state.control);
    $("control").querySelector("[value=base]").disabled = !hasBase();
    $("ideal").checked = state.ideal;
    document.querySelectorAll("#shown input").forEach((box) => { box.checked = state.shown[box.dataset.run]; });
    document.querySelectorAll("#shown .swatch").forEach((at, run) => {
      const look = swatch(run);
      if (swatches[run] !== look) at.innerHTML = swatches[run] = look;
    });
  }

  let waiting = false;

  /** Browsers report moves once a frame; Bokeh paints at the end of the frame in which data change. */
  function change(part) {
    state = allowed({...state, ...part});
    if (waiting) return;
    waiting = true;
    queueMicrotask(() => { waiting = false; render(); });
  }

  const addressed = location.protocol !== "about:"; // else in the frame of a notebook
  let remembering = 0;
  function remember() {
    clearTimeout(remembering);
    if (!addressed) return;
    try {
      history.replaceState(null, "", "#" + toFragment(state));
    } catch { /* some frames may not change their address */ }
  }

  // ---- the views --------------------------------------------------------------------------------

  const everything = {}; // the tables that list all they have
  const pointer = {}; // the place of the pointer on a chart's axis
  const ranks = () => Array.from({length: data.depth}, (_, i) => i + 1);
  let now = {}; // what the views show
  const stale = new Set();
  const visible = new Set();
  const cut = new Set(); // tables that lack rows while something moves
  let moving = false;

  /** The rows to write now: while something moves, not more than fit on a screen. */
  function rowsNow(name, rows) {
    if (!moving || rows.length <= ATONCE) return rows;
    cut.add(name);
    return rows.slice(0, ATONCE);
  }

  /** Compute and draw; what is out of sight, and the ends of long tables, wait until they are seen
      or nothing moves. */
  function render(all = false) {
    const began = performance.now();
    moving = !all;
    if (state.control === "base" && !hasBase()) state = {...state, control: first.control};
    now = {values: calculator.values(state), text: measureText(state)};
    syncControls();
    $("text").textContent = now.text;
    $("sentence").textContent = `${sentence(state)}.`;
    for (const name of Object.keys(views)) stale.add(name);
    drawStale(all);
    clearTimeout(remembering);
    timing.resting = false;
    remembering = setTimeout(() => {
      moving = false;
      for (const name of cut) stale.add(name);
      cut.clear();
      remember();
      drawStale(true);
      timing.resting = true;
    }, 250);
    timing.last = performance.now() - began;
  }

  const timing = {last: 0, ready: 0, resting: false}; // for those who measure or test

  function drawStale(all) {
    for (const name of [...stale])
      if ((all || visible.has(name)) && !coming.has(name)) { stale.delete(name); views[name](); }
  }

  /** The curves of this state; the rank k and what is shown play no part. */
  function curves() {
    const {gains, discounted, normalised, discount, base, ties} = state;
    const key = JSON.stringify([gains, discounted, normalised, discount, base, ties, normalisedBy()]);
    return calculator.keep("drawn curves", key, () => calculator.curves(state));
  }

  function sweep() {
    const runs = shownRuns(), {xs} = controlled();
    const key = JSON.stringify([{...state, topic: 0, system: 0, baseline: 0, ideal: 0}, top]);
    return calculator.keep("drawn sweep", key, () => {
      const means = state.control === "k"
        ? runs.map((run) => curves().systems[run].mean) : calculator.sweep(state, state.control, xs, runs);
      return {runs, xs, means};
    });
  }

  // charts: Bokeh's models are empty when they come; these functions fill them

  const models = {}, coming = new Set(); // charts that are there, that are not there yet
  const views = {
    curves: drawCurves, "curves-table": drawCurvesTable, order: drawOrder, sweep: drawSweep,
    topics: drawTopics, "topics-table": drawTopicsTable, ranking: drawRanking,
  };

  const source = (name, part) => models[name].document.get_model_by_name(`${name}-${part}`);

  function setAxes(name, xs, ys, xlabel, ylabel) {
    const {plot} = models[name];
    [plot.x_range.start, plot.x_range.end] = xs;
    const room = 0.04 * (ys[1] > ys[0] ? ys[1] - ys[0] : 1);
    [plot.y_range.start, plot.y_range.end] = [ys[0] === 0 ? 0 : ys[0] - room, ys[1] + room];
    const quiet = dark() ? "#a9adb2" : "#595959", line = dark() ? "#3a3f45" : "#dddddd";
    for (const [axis, label] of [[plot.below[0], xlabel], [plot.left[0], ylabel]])
      axis.setv({axis_label: label, axis_label_text_color: quiet, major_label_text_color: quiet, axis_line_color: quiet,
                 major_tick_line_color: quiet, minor_tick_line_color: null, axis_label_text_font_style: "normal"});
    for (const grid of plot.center) if ("grid_line_color" in grid) grid.grid_line_color = line;
  }

  function setTicks(name, places, labels) {
    const [axis] = models[name].plot.below, key = JSON.stringify([places, labels]);
    if (models[name].ticks === key) return; // new ones lay the chart out anew
    models[name].ticks = key;
    axis.ticker.ticks = places;
    axis.major_label_overrides = new Map(places.map((at, i) => [at, labels[i]]));
  }

  const here = (name, at) => { models[name].document.get_model_by_name(`${name}-here`).location = at; };

  function lines(name, runs, xs, of) {
    const styles = runs.map(style);
    const order = runs.map((_, i) => i).sort((a, b) => styles[a].width - styles[b].width);
    source(name, "lines").data = {
      xs: order.map(() => xs), ys: order.map((i) => of(i)), color: order.map((i) => styles[i].color),
      dash: order.map((i) => styles[i].dash), width: order.map((i) => styles[i].width),
      alpha: order.map((i) => (styles[i].grey ? 0.6 : 1)),
    };
  }

  /** The least and the largest number; 0, or what `from` is, is among them. */
  function extent(arrays, from = 0) {
    let low = from, high = from;
    for (const array of arrays)
      for (const x of array) if (x < low) low = x; else if (x > high) high = x;
    return [low, high];
  }

  function drawCurves() {
    const runs = shownRuns(), {systems, ideal} = curves(), xs = ranks();
    const spread = normalisedBy() === "topics" && data.count > 1;
    const bands = spread && runs.length <= BANDS ? runs : [];
    const ends = spread && runs.length > BANDS
      ? runs.filter((run) => !style(run).grey) : [];
    const drawn = runs.map((run) => systems[run].mean);
    if (state.ideal) drawn.push(ideal);
    for (const run of [...bands, ...ends]) drawn.push(systems[run].low, systems[run].high);
    setAxes("curves", [data.depth > 1 ? 1 : 0, Math.max(data.depth, 2)], extent(drawn), "rank", measureName());
    lines("curves", runs, xs, (i) => systems[runs[i]].mean);
    source("curves", "ideal").data = state.ideal ? {x: xs, y: ideal} : {x: [], y: []};
    source("curves", "bands").data = {
      xs: bands.map(() => [...xs, ...[...xs].reverse()]),
      ys: bands.map((run) => [...systems[run].low, ...[...systems[run].high].reverse()]),
      color: bands.map((run) => style(run).color),
    };
    const at = {x: [], low: [], high: [], color: []};
    const step = Math.max(Math.floor(data.depth / 8), 1);
    ends.forEach((run, i) => {
      for (let r = Math.floor(((i + 0.5) * step) / ends.length); r < data.depth; r += step) {
        at.x.push(r + 1);
        at.low.push(systems[run].low[r]);
        at.high.push(systems[run].high[r]);
        at.color.push(style(run).color);
      }
    });
    source("curves", "ends").data = at;
    here("curves", state.k);
    $("curves").setAttribute("aria-label", `Chart: ${family()} of ${counted(runs.length, "system")} at the ranks 1 to ${data.depth}; the arrow keys read the values`);
    const level = percent(data.confidence);
    const how = !spread ? (data.count > 1 ? "There is no interval of a ratio of averages." : "One topic has no interval.")
      : bands.length ? `Bands: ${level} intervals of the means over topics.`
        : ends.length < runs.length ? `Upright lines: ${level} intervals of the baseline and of the chosen system.`
          : `Upright lines, at some ranks: ${level} intervals of the means over topics.`;
    $("curves-note").textContent = `${state.ideal ? "Dashed grey: the ideal. " : ""}${how} The dotted line is at rank ${state.k}.`
      + (data.runs > COLOURED && runs.length > COLOURED ? ` More than ${COLOURED} systems cannot be told apart by colour: grey, but for the baseline and the chosen one. Show fewer for colours.` : "");
    read("curves");
  }

  function drawSweep() {
    const {runs, xs, means} = sweep(), {to, ticks, here: at, range, words} = controlled();
    const places = xs.map(to);
    setAxes("sweep", range, extent(means, means[0][0]), words, `mean ${measureName()}`);
    setTicks("sweep", ticks.map(to), ticks.map((x) => String(rounded(x))));
    lines("sweep", runs, places, (i) => means[i]);
    here("sweep", at === undefined ? null : to(at));
    $("sweep").setAttribute("aria-label", `Chart: means of ${counted(runs.length, "system")} by ${words}; the arrow keys read the values`);
    $("sweep-note").textContent = "All other settings stay as they are. The dotted line is at the present value.";
    read("sweep");
  }

  const more = (name, listed, all) => (listed < all
    ? `<p class="buttons">The first ${listed} of ${all.toLocaleString("en")}. <button type="button" data-more="${name}">List all</button></p>` : "");

  function inOrder() {
    const {systems} = now.values;
    return shownRuns().sort((a, b) => systems[b].mean - systems[a].mean);
  }

  const gaining = () => data.levels.map((_, l) => l).filter((l) => state.gains[l] !== 0);

  function drawOrder() {
    const {systems} = now.values, order = inOrder(), levels = gaining();
    const digits = places(order.map((run) => systems[run].mean));
    const scale = barScale(order, 180);
    $("order").classList.toggle("tall", order.length > ATONCE);
    $("order-k").textContent = `at rank ${state.k}`;
    $("order-note").textContent = `${now.text}, mean over ${counted(data.count, "topic")}`
      + (data.count > 1 && normalisedBy() === "topics" ? ` with ${percent(data.confidence)} t intervals` : "")
      + `; the difference to ${isolated(short(data.names[state.baseline], 60))}, over the same topics; the share of the first ${state.k} documents that is judged; what each relevance level contributes, of which the bar is made. A system's name chooses it for the topics below.`;
    $("order").innerHTML = `<table><thead><tr><th scope="col">#</th><th scope="col" class="name">system</th><th scope="col">mean</th><th scope="col">interval</th>`
      + `<th scope="col" class="text">parts by level, interval</th><th scope="col">difference</th><th scope="col">its interval</th><th scope="col">judged</th>`
      + levels.map((l) => `<th scope="col"><span class="chip" style="background:${levelColour(l)}"></span>level ${data.levels[l]}</th>`).join("")
      + "</tr></thead><tbody>"
      + rowsNow("order", order).map((run, place) => {
        const one = systems[run], base = run === state.baseline;
        return `<tr${run === state.system ? ' class="chosen"' : ""}><td>${place + 1}</td>`
          + `<th scope="row" class="name"><button type="button" class="plain" data-system="${run}">${named(run)}</button></th><td>${fixed(one.mean, digits)}</td><td>${between(one.low, one.high, digits)}</td>`
          + `<td class="bar">${bar(one, scale)}</td>`
          + (base ? "<td>baseline</td><td></td>" : `<td>${signed(one.difference, digits)}</td><td>${between(one.least, one.most, digits)}</td>`)
          + `<td>${percent(one.judged)}</td>${levels.map((l) => `<td>${fixed(one.parts[l], digits)}</td>`).join("")}</tr>`;
      }).join("") + "</tbody></table>";
  }

  function barScale(order, width) {
    const {systems} = now.values;
    const ends = order.map((run) => [systems[run].low, systems[run].high].filter(Number.isFinite));
    const sums = order.map((run) => [total(systems[run].parts, -1), total(systems[run].parts, 1)]);
    const [low, high] = extent([...ends, ...sums]);
    return {width, to: (x) => ((x - low) / (high - low || 1)) * (width - 2) + 1};
  }

  const total = (parts, sign) => parts.reduce((sum, x) => sum + (x * sign > 0 ? x : 0), 0);

  /** A bar that its levels make, and the interval as a line across it. */
  function bar(one, {width, to}, y = 0) {
    const sums = [0, 0];
    const boxes = gaining().map((l) => {
      const side = one.parts[l] < 0 ? 0 : 1, from = sums[side];
      sums[side] += one.parts[l];
      const [a, b] = [to(from), to(sums[side])].sort((p, q) => p - q);
      return `<rect x="${a.toFixed(1)}" y="${y + 4}" width="${Math.max(b - a, 0).toFixed(1)}" height="14" fill="${levelColour(l)}"/>`;
    });
    const paper = dark() ? "#15171a" : "#ffffff", path = (low, high) =>
      `M${to(low).toFixed(1)} ${y + 11}H${to(high).toFixed(1)}M${to(low).toFixed(1)} ${y + 7}v8M${to(high).toFixed(1)} ${y + 7}v8`;
    const line = Number.isFinite(one.low)
      ? [[paper, 4], [ink(), 1.5]].map(([stroke, w]) => `<path d="${path(one.low, one.high)}" fill="none" stroke="${stroke}" stroke-width="${w}"/>`).join("") : "";
    const inside = boxes.join("") + line;
    return y ? inside : `<svg viewBox="0 0 ${width} 22" preserveAspectRatio="none" aria-hidden="true">${inside}</svg>`;
  }

  /** The topics, the largest difference first. */
  function differences() {
    const {topics} = now.values;
    const rows = data.topics.map((_, topic) => ({
      topic, value: topics[state.system][topic], base: topics[state.baseline][topic],
      difference: topics[state.system][topic] - topics[state.baseline][topic],
    }));
    return rows.sort((a, b) => b.difference - a.difference || a.topic - b.topic);
  }

  function drawTopics() {
    const rows = differences(), n = rows.length;
    const colours = [data.colours[1], dark() ? "#70757b" : "#b0b4b8", data.colours[0]];
    setAxes("topics", [-0.7, n - 0.3], extent([rows.map(({difference}) => difference)]), "topic", `difference of ${measureName()}`);
    source("topics", "bars").data = {
      x: rows.map((_, i) => i), top: rows.map(({difference}) => difference),
      color: rows.map(({difference}) => colours[1 + Math.sign(difference)]),
      alpha: rows.map(({topic}) => (state.topic === null || state.topic === topic ? 1 : 0.45)),
    };
    const named = n <= 40 && $("topics").clientWidth > 16 * n ? rows : [];
    setTicks("topics", named.map((_, i) => i), named.map(({topic}) => short(data.topics[topic].id, 10)));
    models.topics.plot.below[0].major_label_orientation = Math.max(0, ...named.map(({topic}) => data.topics[topic].id.length)) > 3 ? "vertical" : "horizontal";
    $("topics").setAttribute("aria-label", "Chart: the differences of the topics, sorted; the table below has them");
    read("topics");
  }

  function drawTopicsTable() {
    const rows = differences(), {recall, systems} = now.values, one = systems[state.system];
    const digits = places(rows.flatMap(({value, base}) => [value, base]));
    const signs = [1, -1, 0].map((sign) => rows.filter(({difference}) => Math.sign(difference) === sign).length);
    $("versus").textContent = data.names[state.baseline];
    $("topics-note").textContent = data.runs < 2 ? "There is one system only, so there is no difference."
      : `Better for ${counted(signs[0], "topic")}, worse for ${signs[1]}, equal for ${signs[2]}; mean difference ${signed(one.difference, digits)}`
        + `${Number.isFinite(one.least) ? `, ${percent(data.confidence)} interval ${between(one.least, one.most, digits)}` : ""}. A topic opens its rankings.`;
    const listed = everything.topics ? rows : rows.slice(0, LISTED);
    const texts = data.topics.some(({text}) => text);
    $("topics-table").innerHTML = `<table><thead><tr><th scope="col" class="name">topic</th>${texts ? '<th scope="col" class="text">text</th>' : ""}`
      + `<th scope="col">difference</th><th scope="col">value</th><th scope="col">baseline</th><th scope="col">R</th><th scope="col">judged</th><th scope="col">of baseline</th></tr></thead><tbody>`
      + rowsNow("topics-table", listed).map(({topic, value, base, difference}) => {
        const {id, text} = data.topics[topic];
        return `<tr${topic === state.topic ? ' class="chosen"' : ""}><th scope="row" class="name"><button type="button" class="plain" data-topic="${topic}" title="${escaped(id)}"><bdi>${escaped(short(id, 40))}</bdi></button></th>`
          + (texts ? `<td class="text"><bdi>${escaped(text)}</bdi></td>` : "")
          + `<td>${signed(difference, digits)}</td><td>${fixed(value, digits)}</td><td>${fixed(base, digits)}</td><td>${recall[topic]}</td>`
          + `<td>${percent(calculator.judgedOf(state.system, topic, state.k))}</td><td>${percent(calculator.judgedOf(state.baseline, topic, state.k))}</td></tr>`;
      }).join("") + `</tbody></table>${more("topics", listed.length, rows.length)}`;
  }

  function openTopic(topic, focus) {
    state = {...state, topic};
    render(true);
    if (focus) $("ranking-h").focus();
  }

  /** The rankings of a topic as rows of levels: what stands at which rank. */
  function drawRanking() {
    const {topic} = state;
    if (topic === null) {
      for (const id of ["ranking-h", "ranking-note", "ranking"]) $(id).textContent = "";
      return;
    }
    const depth = Math.min(data.depth, Math.max(state.k, 20)), {topics, recall, ideal} = now.values;
    const {id, text} = data.topics[topic], digits = places(topics.map((values) => values[topic]));
    const runs = shownRuns().sort((a, b) => topics[b][topic] - topics[a][topic]);
    const listed = everything.ranking ? runs : runs.slice(0, 40);
    $("ranking-h").textContent = `Topic ${isolated(id)}${text ? `: ${isolated(text)}` : ""}`;
    $("ranking-note").textContent = `R = ${recall[topic]}. The numbers are relevance levels; · is not judged. Beside the names: ${now.text}. `
      + "Documents of equal score stand by descending id; those are underlined, where a judged one is among them.";
    const cell = (l, tied) => {
      const colour = levelColour(l);
      return `<td${tied ? ' class="tied"' : ""} style="background:${colour};color:${inkOn(colour)}">${data.levels[l]}</td>`;
    };
    const head = Array.from({length: depth}, (_, i) => `<th scope="col">${i + 1}</th>`).join("");
    const best = [];
    for (const l of state.gains.map((_, l) => l).filter((l) => state.gains[l] > 0).sort((a, b) => state.gains[b] - state.gains[a]))
      for (let n = data.base[topic * data.levels.length + l]; n && best.length < depth; n--) best.push(cell(l));
    const body = rowsNow("ranking", listed).map((run) => {
      const cells = Array(depth).fill("<td>·</td>"), at = run * data.count + topic;
      for (let i = data.lengths[at]; i < depth; i++) cells[i] = "<td></td>";
      for (let hit = data.begin[at]; hit < data.begin[at + 1]; hit++)
        if (data.rank[hit] <= depth) cells[data.rank[hit] - 1] = cell(data.level[hit], data.last[hit] - data.above[hit] > 1);
      return `<tr><th scope="row" class="name">${named(run)}</th><th scope="row">${fixed(topics[run][topic], digits)}</th>${cells.join("")}</tr>`;
    }).join("");
    const ofIdeal = fixed(state.normalised ? Number(ideal[topic] > 0) : ideal[topic], digits);
    $("ranking").innerHTML = `<table><thead><tr><th scope="col" class="name">system</th><th scope="col"></th>${head}</tr></thead><tbody>`
      + `<tr><th scope="row" class="name">ideal</th><th scope="row">${ofIdeal}</th>${best.join("")}</tr>${body}</tbody></table>`
      + more("ranking", listed.length, runs.length);
  }

  function drawCurvesTable() {
    if (!document.querySelector("details.table").open) return void stale.add("curves-table");
    const {systems, ideal} = curves(), at = [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000].filter((k) => k <= data.depth);
    const digits = places([...ideal]);
    const row = (head, values) => `<tr><th scope="row" class="name">${head}</th>${at.map((k) => `<td>${fixed(values[k - 1], digits)}</td>`).join("")}</tr>`;
    $("curves-table").innerHTML = `<table><thead><tr><th scope="col" class="name">system</th>${at.map((k) => `<th scope="col">rank ${k}</th>`).join("")}</tr></thead>`
      + `<tbody>${inOrder().map((run) => row(named(run), systems[run].mean)).join("")}${row("ideal", ideal)}</tbody></table>`;
  }

  // ---- values under the pointer -------------------------------------------------------------------

  const readouts = {};

  function pointed(name, event, x, y) {
    if (event === "mouseleave") pointer[name] = undefined;
    else if (name === "curves") pointer[name] = Math.min(Math.max(Math.round(x), 1), data.depth) - 1;
    else if (name === "sweep") {
      const {xs, to} = controlled();
      pointer[name] = xs.reduce((best, one, i) => (Math.abs(to(one) - x) < Math.abs(to(xs[best]) - x) ? i : best), 0);
    } else {
      const at = Math.round(x);
      pointer[name] = at >= 0 && at < data.count ? at : undefined;
      if (event === "tap" && pointer[name] !== undefined) openTopic(differences()[at].topic);
    }
    read(name);
  }

  /** Show what stands where the pointer is. */
  function read(name) {
    const at = pointer[name], box = readouts[name];
    if (!box) return;
    box.hidden = at === undefined;
    if (box.hidden) return;
    let share; // of the chart's width, where the pointer is
    if (name === "topics") {
      const rows = differences(), {topic, value, base, difference} = rows[at], digits = places([value, base]);
      const {id, text} = data.topics[topic];
      box.innerHTML = `<b><bdi>${escaped(short(id, 60))}</bdi></b> <bdi class="text">${escaped(short(text, 90))}</bdi><br>${signed(difference, digits)}: ${fixed(value, digits)}, baseline ${fixed(base, digits)}`;
      share = at / rows.length;
    } else {
      const {runs, xs, means} = name === "sweep" ? sweep() : {runs: shownRuns(), xs: ranks()};
      const value = (i) => (name === "sweep" ? means[i][at] : curves().systems[runs[i]].mean[at]);
      const order = runs.map((_, i) => i).sort((a, b) => value(b) - value(a));
      const digits = places(order.map(value));
      const rows = order.slice(0, 12).map((i) => {
        const ends = name === "curves" ? curves().systems[runs[i]] : null;
        return `<div class="name">${swatch(runs[i])}<bdi>${escaped(short(data.names[runs[i]], 40))}</bdi> ${fixed(value(i), digits)}`
          + `${ends && Number.isFinite(ends.low[at]) ? ` ${between(ends.low[at], ends.high[at], digits)}` : ""}</div>`;
      });
      if (order.length > rows.length) rows.push(`and ${order.length - rows.length} below`);
      if (name === "curves") rows.push(`<div>ideal ${fixed(curves().ideal[at], digits)}</div>`);
      const {words, to, range} = name === "sweep" ? controlled() : {words: "rank"};
      box.innerHTML = `<b>${escaped(words)} ${rounded(xs[at])}</b>${rows.join("")}`;
      share = name === "sweep" ? (to(xs[at]) - range[0]) / (range[1] - range[0]) : at / xs.length;
    }
    box.style.left = share > 0.5 ? "72px" : "auto";
    box.style.right = share > 0.5 ? "auto" : "20px";
  }

  // ---- files, the clipboard, words ---------------------------------------------------------------

  function csv(name) {
    const {values} = now, rows = [];
    if (name === "curves") {
      const {systems, ideal} = curves();
      rows.push(["name", "measure", "rank", "value", "low", "high", "ideal"]);
      for (const run of shownRuns())
        for (const k of ranks())
          rows.push([data.names[run], family(), k, ...["mean", "low", "high"].map((part) => systems[run][part][k - 1]), ideal[k - 1]]);
    } else if (name === "order") {
      const levels = gaining();
      rows.push(["name", "measure", "mean", "low", "high", "difference", "difference_low", "difference_high", "judged", ...levels.map((l) => `level ${data.levels[l]}`)]);
      for (const run of inOrder()) {
        const one = values.systems[run], differs = run === state.baseline ? [NaN, NaN, NaN] : [one.difference, one.least, one.most];
        rows.push([data.names[run], now.text, one.mean, one.low, one.high, ...differs, one.judged, ...levels.map((l) => one.parts[l])]);
      }
    } else {
      rows.push(["qid", "query", "measure", "name", "baseline", "difference", "value", "baseline_value", "R", "judged", "baseline_judged"]);
      for (const {topic, value, base, difference} of differences())
        rows.push([data.topics[topic].id, data.topics[topic].text, now.text, data.names[state.system], data.names[state.baseline], difference, value, base,
                   values.recall[topic], ...[state.system, state.baseline].map((run) => calculator.judgedOf(run, topic, state.k))]);
    }
    const quoted = (x) => (/[",\r\n]/.test(x) ? `"${x.replaceAll('"', '""')}"` : x);
    return rows.map((row) => row.map((x) => quoted(Number.isNaN(x) ? "" : String(x))).join(",")).join("\r\n") + "\r\n";
  }

  /** On paper the charts are pictures, which fit its width and have the names of their lines. */
  function print() {
    for (const name of Object.keys(models)) $(`${name}-printed`).innerHTML = svg(name);
  }

  /** A chart as Bokeh exports it, with the names of its lines below; the order as it is. */
  function svg(name) {
    const runs = name === "order" ? inOrder() : shownRuns();
    if (name === "order") return orderSvg(runs);
    drawStale(true);
    const [view] = [...models[name].views];
    const drawn = view.export("svg").ctx.get_serialized_svg(true);
    const parsed = new DOMParser().parseFromString(drawn, "image/svg+xml").documentElement;
    const [width, height] = ["width", "height"].map((side) => Number(parsed.getAttribute(side)));
    const column = 230, columns = Math.max(Math.floor((width - 64) / column), 1);
    const keys = name === "topics" ? [] : runs.filter((run) => !style(run).grey);
    const entries = keys.map((run, i) => {
      const {color, dash, width: stroke} = style(run), x = 64 + (i % columns) * column, y = height + 16 + Math.floor(i / columns) * 18;
      return `<line x1="${x}" x2="${x + 26}" y1="${y - 4}" y2="${y - 4}" stroke="${color}" stroke-width="${stroke}" stroke-dasharray="${dash.join(" ")}"/>`
        + `<text x="${x + 32}" y="${y}">${escaped(short(data.names[run], 28))}</text>`;
    });
    const title = name === "topics" ? `${isolated(short(data.names[state.system], 40))} − ${isolated(short(data.names[state.baseline], 40))}: ${now.text}` : now.text;
    const below = height + 28 + Math.ceil(keys.length / columns) * 18;
    return wrapped(width, below + 8, new XMLSerializer().serializeToString(parsed) + entries.join("")
      + `<text x="64" y="${below}">${escaped(title)}</text>`);
  }

  function orderSvg(runs) {
    const {systems} = now.values, digits = places(runs.map((run) => systems[run].mean)), scale = barScale(runs, 360);
    const rows = runs.map((run, i) => `<text x="8" y="${45 + 22 * i}">${escaped(short(data.names[run], 30))}</text>`
      + `<g transform="translate(225 0)">${bar(systems[run], scale, 30 + 22 * i)}</g>`
      + `<text x="600" y="${45 + 22 * i}">${fixed(systems[run].mean, digits)} ${between(systems[run].low, systems[run].high, digits)}</text>`);
    const keys = gaining().map((l, i) => `<rect x="${225 + 90 * i}" y="${40 + 22 * runs.length}" width="12" height="12" fill="${levelColour(l)}"/>`
      + `<text x="${242 + 90 * i}" y="${50 + 22 * runs.length}">level ${data.levels[l]}</text>`);
    return wrapped(800, 64 + 22 * runs.length, `<text x="8" y="18">${escaped(now.text)}</text>${rows.join("")}${keys.join("")}`);
  }

  const wrapped = (width, height, inside) => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`
    + `<rect width="100%" height="100%" fill="${dark() ? "#15171a" : "#ffffff"}"/><g font-family="sans-serif" font-size="12" fill="${ink()}">${inside}</g></svg>\n`;

  function save(name, kind, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], {type: kind === "svg" ? "image/svg+xml" : "text/csv"}));
    link.download = `${name}.${kind}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  async function copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // where the clipboard is closed to pages from disk
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    $("copied").textContent = `Copied ${what}.`;
    setTimeout(() => { $("copied").textContent = ""; }, 4000);
  }

  /** The measure in words, put together as description.phrases() says. */
  function sentence({gains, discounted, normalised, discount, base, ties, k}) {
    const said = data.phrases, name = (normalised ? "n" : "") + (discounted ? "DCG" : "CG");
    const fill = (phrase, values) =>
      Object.entries(values).reduce((text, [key, value]) => text.replaceAll(`{${key}}`, value), phrase);
    const far = (x) => x && (Math.abs(x) < 1e-4 || Math.abs(x) >= 1e16);
    const number = (x) => // as Python writes it
      (far(x) ? x.toExponential() : String(x)).replace(/e([+-])(\d)$/, "e$10$2");
    const weights = gainsText(gains), numbers = (text, mark) => text.split(mark).map(Number).map(number);
    const [kind, values] = ["", "exp"].includes(weights) ? [weights || "level", {}]
      : weights.includes(":") ? ["mapping", {pairs: weights.split(",").map((pair) => {
        const [level, gain] = numbers(pair, ":");
        return fill(said.gains.pair, {gain, level});
      }).join(", ")}] : ["scheme", {weights: numbers(weights, "-").join(", ")}];
    const entry = said.discounts[discount], worth = fill(said.gains[kind].words, values);
    const parts = discounted ? [fill(entry.words, {base: number(base)}), worth] : [worth];
    const clauses = said.unsaid.includes(ties) ? [] : [said.clauses.ties[ties]];
    if (discounted && entry.up_to_base && k <= base) clauses.push(entry.up_to_base);
    const joined = (two) => two.join(two[0].includes(",") ? ", and " : " and ");
    const text = fill(said.sentence, {place: fill(said.places.cutoff, {cutoff: k}), parts: joined(parts)})
      + (clauses.length ? `, where ${joined(clauses)}` : "");
    const {narrative, parenthetical} = said.references[said.measures[name]];
    const cited = text.includes(narrative) || text.includes(parenthetical);
    return fill(text, {measure: cited ? name : `${name} (${parenthetical})`});
  }

  function words() {
    const level = percent(data.confidence);
    $("about").textContent = "Move a gain, the discount or the rank, and all views follow. What is chosen by sliding is exploratory: it says what could be "
      + "concluded, not what is; choose a measure for your user before you look, and test it on other topics. "
      + (data.count > 1 ? `Intervals are ${level} t intervals over topics, each for itself; none allows for how many systems and settings were tried, and so there are no p-values.`
        : "One topic has no intervals.");
    $("foot").textContent = [counted(data.runs, "system"), counted(data.count, "topic"), counted(data.judgments, "judgment"),
      `ranks to ${data.depth}`, `pt_cumgain ${data.version}`, data.date].join(" · ");
  }

  // ---- beginning ---------------------------------------------------------------------------------

  async function begin() {
    state = addressedState() || state;
    top = sliderTop(state.gains);
    words();
    $("link").hidden = !addressed;
    buildControls();
    bind();
    const [first, ...rest] = Object.entries(written("figures"));
    for (const [name] of rest) coming.add(name);
    await embed(first);
    const watch = new IntersectionObserver((entries) => {
      for (const {target, isIntersecting} of entries)
        if (isIntersecting) visible.add(target.id); else visible.delete(target.id);
      drawStale();
    });
    Object.keys(views).forEach((name) => watch.observe($(name)));
    render();
    timing.ready = performance.now();
    for (const figure of rest) { // these stand farther below
      await embed(figure);
      coming.delete(figure[0]);
      drawStale();
    }
  }

  async function embed([name, item]) {
    const views = await Bokeh.embed.embed_item({...item, target_id: name});
    const plot = [...views][0].model;
    models[name] = {plot, views, document: plot.document};
    readouts[name] = document.createElement("div");
    readouts[name].className = "readout";
    readouts[name].hidden = true;
    readouts[name].setAttribute("aria-live", "polite");
    $(name).append(readouts[name]);
  }

  Object.defineProperty(cumgain, "state", {
    get: () => state,
    set(next) { state = allowed({...state, ...next}); top = sliderTop(state.gains); render(); },
  });
  const wished = (given) => allowed({...state, ...given});
  Object.assign(cumgain, { // of the state, or of settings that are given
    values: (given) => calculator.values(wished(given)),
    curves: (given) => calculator.curves(wished(given)),
    sweep: (control, xs, given) =>
      calculator.sweep(wished(given), control, xs, everyRun).map((means) => [...means]),
    text: (given) => measureText(wished(given)),
    sentence: (given) => sentence(wished(given)),
  });
  const ready = begin();
  return {ready, pointed, render, timing, toFragment, fromFragment, csv, svg};
})();
