/* The order of drawing, and the colours. The charts come from Bokeh. */

// ---- colours ----------------------------------------------------------------------------------------

const isPaper = () => document.documentElement.classList.contains("printing");
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
  for (const name of CURVES) if (visible.has(name) && models[name].lines) drawLines(name, models[name].lines);
  markLit();
}

function markLit() {
  for (const one of select("[data-run]")) one.classList.toggle("lit", one.dataset.run === String(lit));
}

let colours = new Map(); // of the systems that have one

/** A colour for each system; of more than there are colours, for the two that are compared and the best others. */
function assignColours() {
  const own = (run) => data.colours[run], free = new Set(data.colours);
  if (data.runs <= data.coloured) return new Map(everyRun.map((run) => [run, own(run)]));
  const runs = [...new Set([state.baseline, state.system, ...inOrder()])].slice(0, data.coloured);
  return new Map(runs.sort((a, b) => values.means[b] - values.means[a]).map((run) => {
    const colour = free.has(own(run)) || !free.size ? own(run) : [...free].at(-1);
    free.delete(colour);
    return [run, colour];
  }));
}

/** The colour of a system, the same in all views, with a contrast of 3:1 with the ground; grey if it has none. */
function colourOf(run) {
  if (!colours.has(run)) return theme.grey;
  let colour = colours.get(run) === "#000000" ? theme.ink : colours.get(run);
  while (contrast(colour, theme.paper) < 3) colour = mixed(colour, theme.ink, 0.1);
  return colour;
}

/** Colour and dashes of a system, as in the figures. */
function style(run) {
  const isMarked = run === state.baseline || run === state.system, isLit = run === lit, alpha = lit === null || isLit ? 1 : 0.3;
  if (!colours.has(run))
    return {color: isLit ? theme.ink : theme.grey, dash: [], width: isLit ? 4 : 1, alpha: Math.min(alpha, isLit ? 1 : 0.6)};
  const dash = data.dashes[run].map((length) => 2 * length);
  return {color: colourOf(run), dash, width: isLit ? 4 : isMarked ? 2.6 : 1.6, alpha};
}

const stroke = ({color, width, dash}) => `stroke="${color}" stroke-width="${width}" stroke-dasharray="${dash.join(" ")}"`;
const swatch = (run) =>
  `<svg viewBox="0 0 26 10" aria-hidden="true"><line x1="0" x2="26" y1="5" y2="5" ${stroke(style(run))}/></svg>`;
const named = (run) =>
  `<span>${swatch(run)}<bdi title="${escaped(data.names[run])}">${withBreaks(escaped(data.short[run]))}</bdi></span>`;

const channels = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
/** A colour between two others. */
const mixed = (from, to, share) => "#" + channels(from).map((a, i) => Math.round(a + (channels(to)[i] - a) * share))
  .map((channel) => channel.toString(16).padStart(2, "0")).join("");

/** A colour for each level: the higher, the farther from the paper; 0 and below are grey. */
function levelColour(l) {
  const place = positive.indexOf(l), share = positive.length > 1 ? place / (positive.length - 1) : 1;
  return place < 0 ? theme.zero : mixed(theme.low, theme.high, share);
}

/** The relative luminance, and the contrast of two colours, as WCAG 2 defines them. */
const luminance = (colour) => channels(colour).map((c) => (c > 10 ? ((c / 255 + 0.055) / 1.055) ** 2.4 : c / 3294.6))
  .reduce((sum, c, i) => sum + [0.2126, 0.7152, 0.0722][i] * c, 0);
function contrast(colour, other) {
  const [dark, light] = [luminance(colour), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const inkOn = (colour) => (contrast(colour, "#000000") > contrast(colour, "#ffffff") ? "#000000" : "#ffffff");

// ---- the views --------------------------------------------------------------------------------------

const pointer = {}; // the index of the value that is read on a chart
let values = null; // of the present state
const written = calculator.values(asWritten);
const stale = new Set();
const visible = new Set();
let resting = 0;
let frame = 0; // in which the present state will be drawn

/** Draw the parts that have changed, once per frame at most. What the reader moves, or reads, stays in its place. */
function refresh() {
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    const read = select("#answer, section").find((one) => one.getBoundingClientRect().bottom > 0);
    const top = () => ($("main").contains(document.activeElement) ? document.activeElement : read).getBoundingClientRect().top;
    const before = top();
    render();
    scrollBy(0, top() - before);
  });
}

/** Compute and draw. Parts out of sight wait until they are seen, or until nothing moves. */
function render(everything = false) {
  values = calculator.values(state);
  topicRows = filteredTopics();
  colours = assignColours();
  syncControls();
  writeAnswer();
  for (const name of Object.keys(views)) stale.add(name);
  clearTimeout(resting);
  resting = setTimeout(() => {
    resting = 0;
    remember();
    for (const name of ["map", ...CURVES]) stale.add(name); // drawn with fewer points, and before charts were laid out
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
  map: drawMap, strips: () => { drawStrip("k"); drawStrip("base"); }, differences: () => drawCurves("differences"), curves: () => drawCurves("curves"), order: drawOrder, topics: drawTopics,
  "topics-table": drawTopicsTable, ranking: drawRanking, pair: drawPair,
};

const part = (chart, name) => models[chart].plot.document.get_model_by_name(`${chart}-${name}`);

function setAxes(name, ys, ylabel) {
  const {plot} = models[name], {first, count} = axisOf(name), margin = first ? 0 : 0.7;
  plot.height = !isPaper() ? 360 : first ? 185 : 180;
  [plot.x_range.start, plot.x_range.end] = [first - margin, first + Math.max(count - 1, first) + margin];
  const room = 0.04 * (ys[1] > ys[0] ? ys[1] - ys[0] : 1);
  [plot.y_range.start, plot.y_range.end] = [ys[0] === 0 ? 0 : ys[0] - room, ys[1] + room];
  for (const [axis, text] of [[plot.below[0], name === "topics" ? "topic" : "rank"], [plot.left[0], ylabel]])
    axis.setv({axis_label: text, axis_label_text_color: theme.quiet, major_label_text_color: theme.quiet, major_label_text_font_size: isPaper() ? "12px" : "11px",
               axis_line_color: theme.quiet, major_tick_line_color: theme.quiet});
  for (const grid of plot.center) if ("grid_line_color" in grid) grid.grid_line_color = theme.line;
}

/** Draw a line for each run, thick ones last, and mark the present rank. */
function drawLines(name, {runs, means}) {
  const xs = data.ranks;
  models[name].lines = {runs, means};
  const lines = runs.map((run, i) => ({...style(run), xs, ys: means[i]})).sort((a, b) => a.width - b.width);
  part(name, "lines").data = Object.fromEntries(["xs", "ys", "color", "dash", "width", "alpha"].map((key) =>
    [key, lines.map((line) => line[key])]));
  part(name, "present").location = state.k;
  read(name);
}

/** Round numbers between two, about n. */
function ticksOf(low, high, n) {
  const raw = (high - low) / n, unit = 10 ** Math.floor(Math.log10(raw)), step = unit * ([1, 2, 5].find((one) => one * unit >= raw) ?? 10);
  return Array.from({length: Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) + 1}, (_, i) => (Math.ceil(low / step - 1e-9) + i) * step);
}

/** The smallest and the largest number, or 0 if it is beyond them. */
const extent = (arrays) => [Math.min, Math.max].map((end) => end(0, ...arrays.map((array) => end(...array))));
