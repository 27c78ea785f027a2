/* The state: the settings of the reader. page.html puts this file and those after it into one function. Ids and texts come
   from users: they enter the page only through escaped() or textContent. */

const $ = (id) => document.getElementById(id);
const select = (selector) => [...document.querySelectorAll(selector)];
const data = await cumgain.read(JSON.parse($("data").textContent));
const calculator = new cumgain.Calculator(data);
const {isDiscounted, isNormalised, keyOf, minus} = cumgain;
const discounts = new Map(data.discounts.map((discount) => [discount.name, discount]));
const everyRun = [...data.names.keys()];

// ---- numbers and texts ------------------------------------------------------------------------------

const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
const withBreaks = (html) => html.replace(/[-_.]/g, "$&<wbr>"); // it may break after signs
const isolated = (text) => `\u2068${text}\u2069`; // the direction of a name ends with the name
/** 100% and 0% are exact. */
const percent = (share) => Number.isNaN(share) ? "–"
  : share > 0.99 && share < 1 ? "> 99%" : share > 0 && share < 0.01 ? "< 1%" : `${(100 * share).toFixed(0)}%`;
/** A text of at most n characters, cut in the middle, as texts are told apart by their ends. */
const short = (text, n) =>
  (text.length > n ? `${text.slice(0, Math.floor(n / 2))}…${text.slice(-Math.ceil(n / 2) + 1)}` : text);
// names in tables and menus: whole if some would be alike when they are cut
const cut = data.names.map((name) => short(name, 28));
data.short = new Set(cut).size < data.runs ? data.names : cut;
const rounded = (x) => Number(x.toPrecision(3));

/** How many decimals the values need. */
function decimals(values) {
  const largest = Math.max(0, ...values.map(Math.abs).filter(Number.isFinite));
  return largest < 10 ? 3 : largest < 100 ? 2 : largest < 10000 ? 1 : 0;
}

function fixed(x, digits) {
  const text = x.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

const signed = (x, digits) => (x > 0 && Number(x.toFixed(digits)) ? "+" : "") + fixed(x, digits);
/** A positive number in a sentence. */
const amount = (x, digits) => (Number(x.toFixed(digits)) ? fixed(x, digits) : `less than ${fixed(10 ** -digits, digits)}`);
const between = (low, high, digits) =>
  (Number.isFinite(low) ? `[${fixed(low, digits)}, ${fixed(high, digits)}]` : "–");

// ---- the state --------------------------------------------------------------------------------------

const positive = [...data.levels.keys()].filter((l) => data.levels[l] > 0);
/** The choices of levels that span a map, as text: all, or three of more. */
const SPANS = positive.length < 4 ? [positive.join("_")] : positive.flatMap((a, i) =>
  positive.slice(i + 1).flatMap((b, j) => positive.slice(i + j + 2).map((c) => [a, b, c].join("_"))));
const defaults = {
  mapped: positive.length < 4 ? SPANS[0] : [0, positive.length >> 1, positive.length - 1].map((i) => positive[i]).join("_"),
  ...data.first, topic: null, sort: "place", sorttopics: "difference",
  ideal: true, shown: everyRun.map(() => true), top: 0,
};
const NAMES = {
  measure: ["measure", ["CG", "DCG", "nCG", "nDCG"]],
  discount: ["discount", [...discounts.keys()]],
  ties: ["rule for ties", Object.keys(data.ties)],
  sort: ["order", ["place", "name", "mean", "difference", "judged"].flatMap((key) => [key, `-${key}`])],
  mapped: ["levels", SPANS],
};
const hasBase = (of) => isDiscounted(of) && discounts.get(of.discount).base;
/** The largest base with which the ideal ranking is the best one; Infinity if there is no limit. */
const largestBase = (of) => (of.measure === "nDCG" ? discounts.get(of.discount).upTo : null) ?? Infinity;

/** A valid state: unknown names are refused, numbers brought into their range. */
function allowed(wished) {
  const next = {...defaults, ...wished};
  for (const [key, [noun, names]] of Object.entries(NAMES))
    if (!names.includes(next[key])) throw new Error(`the page does not know the ${noun} ${next[key]}`);
  const whole = (x, low, high, other) => (Number.isFinite(x) ? Math.min(Math.max(Math.round(x), low), high) : other);
  if (!(next.base > 1 && next.base < 1e9)) next.base = data.defaults.base;
  next.base = Math.min(next.base, largestBase(next));
  next.k = whole(next.k, 1, data.depth, defaults.k);
  next.gains = data.levels.map((_, l) => {
    const gain = Math.abs(next.gains[l]) < 1e100 ? next.gains[l] : defaults.gains[l];
    return isNormalised(next) ? Math.max(gain, 0) : gain;
  });
  const sliderTop = 10 ** Math.ceil(Math.log10(Math.max(...next.gains.map(Math.abs), 10)) - 1e-9);
  next.top = Math.max(next.top < 1e100 ? next.top : 0, sliderTop);
  next.baseline = whole(next.baseline, 0, data.runs - 1, 0);
  next.system = whole(next.system, 0, data.runs - 1, 0);
  if (next.system === next.baseline && data.runs > 1) next.system = next.baseline ? 0 : 1;
  if (next.topic !== null) next.topic = whole(next.topic, 0, data.count - 1, null);
  if (!next.shown.includes(true)) next.shown = everyRun.map((run) => run === next.baseline);
  return next;
}

let state = allowed(defaults);
const asWritten = state;
/** Whether the numbers are those for which the page was written. */
const isWritten = () => keyOf(state, [], state.shown) === keyOf(asWritten, [], asWritten.shown);
const shownRuns = () => everyRun.filter((run) => state.shown[run]);

/** The weighting as ir-measures' text has it: nothing, 'level', 'exp', a scheme, or a mapping. */
function gainsText(gains) {
  const pairs = data.levels.map((level, l) => [level, gains[l]]);
  if (pairs.every(([level, gain]) => gain === Math.max(level, 0))) return data.levels.every(Number.isInteger) ? "" : "level";
  if (pairs.every(([level, gain]) => gain === 2 ** Math.max(level, 0) - 1)) return "exp";
  const highest = data.levels.at(-1);
  const isScheme = pairs.every(([level, gain]) => (level >= 0 || gain === 0)
    && Number.isInteger(level) && gain >= 0 && !String(gain).includes("e"));
  if (isScheme && highest >= 1 && highest <= 12)
    return Array.from({length: highest + 1}, (_, level) => gains[data.levels.indexOf(level)] ?? 0).join("-");
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

const measureText = (of = state) => `${uncutText(of)}@${of.k}`;

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

// ---- scales of sliders and axes ---------------------------------------------------------------------

/** How the values of a control are spread over its slider; those of a strip, one by one. */
function scaleOf(control) {
  if (control === "k") return {xs: data.ranks, to: (k) => k, from: (k) => k};
  if (control === "base") {
    const low = 1.1, span = Math.log(Math.min(20, largestBase(state)) / low);
    const from = (p) => low * Math.exp(p * span);
    return {xs: Array.from({length: 41}, (_, i) => from(i / 40)), to: (x) => Math.log(x / low) / span, from};
  }
  return {to: (gain) => gain / state.top, from: (p) => p * state.top};
}

/** The whole numbers on the axis of a chart: the first, and how many. */
const axisOf = (name) => (name === "topics" ? {first: 0, count: topicRows.length} : {first: 1, count: data.depth});
