/* The sentence, the table of the systems, and their curves. */

const CURVES = ["differences", "curves"];

/** The lines of a chart; of the differences, that of the chosen system has an interval. */
function shownCurves(name) {
  const {systems, ideal} = calculator.curves(state), {baseline, system} = state, zero = systems[baseline].mean;
  if (name === "curves") return {systems, ideal};
  const [chosen] = calculator.curves(state, baseline, [system]).systems;
  const difference = ({mean}, run) => (run === system ? chosen : {mean: minus(mean, zero), low: [], high: []});
  return {systems: systems.map(difference)};
}

/** Draw the differences from the baseline, with the band of the chosen system; or the means. */
function drawCurves(name) {
  const runs = shownRuns(), {systems, ideal} = shownCurves(name), xs = data.ranks;
  const means = runs.map((run) => systems[run].mean), isDifference = name === "differences";
  const bands = calculator.hasTest ? runs.filter((run) => data.runs === 1 || (isDifference && run === state.system)) : [];
  const drawn = [...means, ...bands.flatMap((run) => [systems[run].low, systems[run].high])];
  const isShown = !isDifference && !isNormalised(state) && state.ideal;
  setAxes(name, extent(isShown ? [...drawn, ideal] : drawn), `${isDifference ? "difference of " : ""}${state.measure}`);
  nameEnds(name, runs, means); // before the data: a new layout paints the old ones
  part(name, "ideal").data = isShown ? {x: xs, y: ideal} : {x: [], y: []};
  part(name, "bands").data = {
    xs: bands.map(() => [...xs, ...[...xs].reverse()]),
    ys: bands.map((run) => [...systems[run].low, ...[...systems[run].high].reverse()]),
    color: bands.map((run) => style(run).color),
  };
  drawLines(name, {runs, means});
  const what = isDifference ? `differences of ${uncutText(state)} from ${data.short[state.baseline]}` : uncutText(state);
  $(name).setAttribute("aria-label", `Chart: ${what} of ${counted(runs.length, "system")} at the ranks 1 to ${data.depth}`);
  const [run] = bands, kind = isDifference ? "mean difference" : "mean";
  if (!calculator.hasTest) $(`${name}-note`).textContent = `The page has no interval for ${topicsText()}.`;
  else $(`${name}-note`).textContent = run === undefined ? "" : `The band is the ${data.confidence} interval of the ${kind} over topics, of ${isolated(data.short[run])}.`;
}

/** Names at the ends of the lines that have colours, if there is room for all; else a legend below. */
function nameEnds(name, runs, means) {
  const {plot, view} = models[name], {start, end} = plot.y_range, coloured = runs.filter((run) => colours.has(run));
  const height = view.frame.bbox.height || 300, room = 42 + 7.5 * Math.max(...coloured.map((run) => data.short[run].length));
  const fit = coloured.length * 14 <= height && $(name).clientWidth > 270 + room;
  plot.min_border_right = fit ? room : 16;
  const placeOfLast = (values) => (height * (end - values.at(-1))) / (end - start);
  const ends = coloured.map((run) => ({run, at: placeOfLast(means[runs.indexOf(run)])})).sort((a, b) => a.at - b.at);
  ends.forEach((one, i) => { one.at = Math.max(one.at, i ? ends[i - 1].at + 14 : 7); });
  for (let i = ends.length - 1, limit = height - 7; i >= 0; i--, limit -= 14) ends[i].at = Math.min(ends[i].at, limit);
  const box = $(`${name}-legend`);
  Object.assign(models[name], {ends, fit});
  box.className = fit ? "ends" : "legend";
  box.style.width = fit ? `${plot.min_border_right - 4}px` : "auto";
  box.innerHTML = ends.map(({run, at}) =>
    `<li class="name" data-run="${run}" style="top:${view.frame.bbox.top + at - 9}px">${named(run)}</li>`).join("");
}

const listed = {order: [14, 0], "topics-table": [7, 7]}; // rows at the beginning and the end, until the reader asks for all

/** A table in HTML. A column has a head, a kind if page.css has rules for it, and a key if it sorts. */
function table(id, columns, items, rowOf, sort = "sort") {
  const kinds = columns.map(([, kind]) => (kind ? ` class="${kind}"` : ""));
  const sorted = state[sort], isUp = sorted.startsWith("-") !== ["place", "name", "topic"].includes(sorted.replace("-", ""));
  const head = columns.map(([text, , key], i) => (key && !isPaper() // which has no buttons
    ? `<th scope="col"${kinds[i]}${sorted.replace("-", "") === key ? ` aria-sort="${isUp ? "ascending" : "descending"}"` : ""}><button type="button" class="plain" data-${sort}="${key}">${text}</button></th>`
    : `<th scope="col"${kinds[i]}>${text}</th>`)).join("");
  const [first, last] = isPaper() ? [100, 0] : listed[id] ?? [Infinity, 0], hides = items.length > first + last + 1;
  const words = `${first + last} of ${items.length.toLocaleString("en")}`;
  const gap = `<tr><td class="gap" colspan="${columns.length}">${isPaper() ? words : `<button type="button" data-more="${id}">${words}, show all</button>`}</td></tr>`;
  const body = items.map((item, i) => {
    if (hides && i >= first && i < items.length - last) return i === first ? gap : "";
    const {cells, isChosen, mayBeBest, run} = rowOf(item), kind = [isChosen && "chosen", mayBeBest && "may"].filter(Boolean).join(" ");
    const row = columns.map(([, kind], i) => (kind === "name"
      ? `<th scope="row"${kinds[i]}>${cells[i]}</th>` : `<td${kinds[i]}>${cells[i] ?? ""}</td>`));
    return `<tr${kind && ` class="${kind}"`}${run === undefined ? "" : ` data-run="${run}"`}>${row.join("")}</tr>`;
  });
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table>`;
}

/** Write HTML into an element; the control with the focus there keeps it. */
function fill(id, html) {
  const box = $(id), focused = box.contains(document.activeElement) && document.activeElement;
  const [[key, value] = []] = focused ? Object.entries(focused.dataset) : [];
  box.innerHTML = html;
  if (key) box.querySelector(`[data-${key}="${CSS.escape(value)}"]`)?.focus({preventScroll: true});
}

const inOrder = () => shownRuns().sort((a, b) => values.means[b] - values.means[a]); // those with equal means in their own order
/** The place of a run among those that are shown; equal means share one. */
const placeOfRun = (run, {means}) => 1 + shownRuns().filter((other) => means[other] > means[run]).length;
const ordinal = (n) => n + (["th", "st", "nd", "rd"][Math.floor(n / 10) % 10 === 1 ? 0 : n % 10] ?? "th");

/** Names, with more if it is asked for; of more than four the first three, and how many others there are. */
function inWords(runs, more = () => "") {
  const all = runs.map((run) => isolated(data.names[run]) + more(run));
  return new Intl.ListFormat("en-GB").format(all.length > 4 ? [...all.slice(0, 3), `${all.length - 3} others`] : all);
}

/** A share of judged documents, rounded down, so that nothing prints as a limit that it misses. */
const judgedText = (share) => percent(Math.floor(100 * share + 1e-6) / 100);

/** A text in which names break after their signs only, as HTML. */
const breakable = (text) => escaped(text).replace(/\u2068[^\u2069]*/g, withBreaks);

/** What proof.py says of all weightings, for the setting with which the page was written. */
function proved(first) {
  if (!data.proof || !isWritten()) return "";
  const {verdict, rival, gains} = data.proof;
  return {
    leads: ` On these topics, ${inWords([first])} leads under every weighting of the levels.`,
    holds: " On these topics, no other system has a higher mean under any weighting of the levels.",
    depends: ` Under the gains ${gains}, ${inWords([rival])} has a higher mean.`,
    open: " No weighting is known to put another system first (not proved).",
  }[verdict];
}

/** Whether report.py found which systems the unjudged documents could put above the first. */
const hasPool = () => isWritten() && data.couldLead;

/** The systems that unjudged documents could put above the first, or those of which few are judged. */
function couldLead([first, ...others]) {
  const isFew = (run) => values.systems[run].judged < data.judged;
  return others.filter((run) => (hasPool() ? data.couldLead.includes(run) : isFew(run) || isFew(first)));
}

/** Which systems have few judged documents: by name up to three, of more the best or those that may be. */
function fewJudged({order, candidates}) {
  const judgedOf = (run) => values.systems[run].judged, share = (run) => ` (${judgedText(judgedOf(run))})`, limit = percent(data.judged);
  const few = order.filter((run) => judgedOf(run) < data.judged).sort((a, b) => judgedOf(a) - judgedOf(b));
  if (!few.length) return "";
  if (few.length < 4) return ` Down to rank ${state.k}, fewer than ${limit} of the documents are judged for ${inWords(few, share)}.`;
  const many = ` Down to rank ${state.k}, ${few.length} of ${order.length} systems have under ${limit} judged (the lowest ${judgedText(judgedOf(few[0]))})`;
  const best = few.filter((run) => candidates.includes(run));
  if (!best.length) return `${many}.`;
  if (candidates.length === 1) return `${many}; ${inWords(best)} has ${judgedText(judgedOf(best[0]))}.`;
  return `${many}; of those that may be best, ${inWords(best, share)}.`;
}

/** The shown systems with a judged document, the highest mean first; those that share it, may be best, and may also be best. */
function rivals() {
  const order = inOrder().filter((run) => !data.unmet.includes(run));
  const candidates = calculator.remember(keyOf(state, [], "candidates", order), () => calculator.candidates(values, order));
  const equal = order.filter((run) => values.means[run] === values.means[order[0]]);
  return {order, equal, candidates, others: candidates.filter((run) => !equal.includes(run))};
}

const meanDigits = () => decimals(values.systems.map(({mean}) => mean));
const around = (low, high) => (Number.isFinite(low) ? ` ${between(low, high, meanDigits())}` : "");

/** Which system leads, and by how much; `mean` follows its name. */
function lead({order, equal, candidates, others}, mean = "") {
  const [first, second] = order;
  if (equal.length > 1) return `${inWords(equal)} ${data.lead.shared}${mean}`;
  const [difference, least, most] = calculator.compare(state, values, first, second), by = amount(difference, meanDigits());
  const isKnown = state.ties === data.defaults.ties && order.every((run) => !(values.systems[run].judged < 1));
  const isWhole = order.length === inOrder().length; // nothing is known of systems without a judged document
  const as = isWhole && (hasPool() ? !couldLead(order).length : isKnown) ? data.lead.best : data.lead.judged;
  if (candidates.length === 1) return `${inWords([first])}${mean} ${as}, ${by} above ${inWords([second])}${around(least, most)}`;
  const isConstant = most - least <= 1e-9 * difference, doubt = isConstant ? ", which cannot be tested" : ", which is not significant";
  return `${inWords([first])}${mean} leads ${inWords([second])} by ${by}${others.includes(second) ? doubt : ""}`;
}

/** Which systems may be best. */
function answer() {
  const found = rivals(), {order, equal, others} = found, [first, second] = order, {baseline} = state, count = shownRuns().length;
  const without = inOrder().filter((run) => data.unmet.includes(run));
  const unmet = without.length ? ` On this page, no document of ${inWords(without)} is judged.` : "";
  if (!order.length) return unmet.trim();
  const {mean, low, high} = values.systems[first], value = fixed(mean, meanDigits());
  const some = count > 1 ? `of the ${count} systems shown` : "the only system shown";
  const among = count < data.runs ? `${some[0].toUpperCase()}${some.slice(1)}: ` : "";
  const above = couldLead(order);
  const depends = above.length ? ` ${data.lead.depends} ${inWords(above)} ${hasPool() ? "could" : "may"} have a higher mean.` : "";
  const end = `.${equal.length > 1 ? "" : proved(first)}${depends}${fewJudged(found)}${unmet}`;
  if (second === undefined) return `${among}${inWords(order)}: mean ${value}${around(low, high)}${end}`;
  const isSaid = others.length === 1 && others[0] === second && equal.length === 1; // by the doubt about the lead
  const also = others.length && !isSaid ? `; ${inWords(others)} ${data.lead.also}` : "";
  const [difference, least, most] = calculator.compare(state, values, first, baseline);
  const isApart = order.includes(baseline) && baseline !== second && !equal.includes(baseline);
  const based = isApart ? `; ${inWords([baseline])} is ${amount(difference, meanDigits())} below ${inWords([first])}${around(least, most)}` : "";
  return `${among}${lead(found, ` (${equal.length > 1 ? "" : "mean "}${value})`)}${also}${based}${end}`;
}

const topicsText = () => counted(data.count, "topic");

function writeAnswer() {
  $("text").textContent = measureText();
  $("answer").innerHTML = breakable(answer());
  $("reset").hidden = toFragment(state) === toFragment(asWritten);
}

const weightedLevels = () => [...data.levels.keys()].filter((l) => state.gains[l] !== 0);

/** The shown runs in the order of the column that the reader has chosen. */
function sortedRuns() {
  const key = state.sort.replace("-", ""), {systems} = values; // equal ones stay in the order of their means
  const by = (a, b) => (key === "name" ? data.names[a].localeCompare(data.names[b], "en")
    : (systems[b][key] || 0) - (systems[a][key] || 0));
  const runs = inOrder().sort(by);
  return state.sort.startsWith("-") ? runs.reverse() : runs;
}

/** What levels contribute to a run's mean, of at most so much, as one bar; what is below 0 in words only. */
function levelBar(run, levels, most, digits) {
  const {parts} = values.systems[run], words = levels.map((l) => `level ${data.levels[l]}: ${fixed(parts[l], digits)}`).join(", ");
  let end = 0;
  const bars = levels.map((l) => {
    const wide = (80 * Math.max(parts[l], 0)) / (most || 1);
    return `<rect x="${((end += wide) - wide).toFixed(1)}" width="${wide.toFixed(1)}" height="10" fill="${levelColour(l)}"/>`;
  });
  return `<svg class="bar levels" viewBox="0 0 80 10" role="img" aria-label="${words}"><title>${words}</title>${bars.join("")}</svg>`;
}

/** What the bars of the table show: differences, whose intervals decide, or the one mean. */
function barOf(run) {
  const {mean, low, high, difference, least, most} = values.systems[run];
  return data.runs < 2 ? [mean, low, high] : [difference, least, most];
}

function drawOrder() {
  const {systems} = values, runs = sortedRuns(), levels = weightedLevels(), candidates = data.runs > 1 ? rivals().candidates : [];
  const digits = decimals(runs.map((run) => systems[run].mean));
  $("order-k").textContent = `at rank ${state.k}`;
  $("order-note").textContent = `Means over ${topicsText()}${data.runs < 2 ? "" : `, and differences from ${isolated(data.short[state.baseline])}`}`
    + `${calculator.hasTest ? ` with ${data.confidence} t intervals, each by itself` : ""}.`;
  $("marks").hidden = !candidates.length;
  const ends = [0, ...runs.slice(0, isPaper() ? Infinity : listed.order[0]).flatMap(barOf).filter(Number.isFinite)];
  const least = Math.min(...ends), span = Math.max(...ends) - least || 1, at = (x) => (12 + (76 * (x - least)) / span).toFixed(1);
  const ticks = [2, 4].map((n) => ticksOf(least, least + span, n)).find(({length}) => length > 1) ?? [0];
  $("order").style.setProperty("--zero", `${at(0)}px`); // of the line through all rows
  const axis = `<svg class="bar axis" viewBox="0 0 100 14" role="img" aria-label="scale of the bars">${ticks.map((x) =>
    `<text x="${at(x)}" y="11" text-anchor="middle">${String(rounded(x)).replace("-", "−")}</text>`).join("")}</svg>`;
  const key = levels.map((l) => `<span><span class="chip" style="background:${levelColour(l)}"></span>${data.levels[l]}</span>`).join(" ");
  const columns = [["#", "place", "place"], ["system", "name", "name"], ["mean", "", "mean"], [axis, "interval"],
    ...(data.runs < 2 ? [] : [["difference", "", "difference"]]), ["interval"], ["judged", "", "judged"], [`levels<br>${key}`, "levels"]];
  const most = Math.max(...runs.map((run) => levels.reduce((sum, l) => sum + Math.max(systems[run].parts[l], 0), 0)));
  const row = (run) => {
    const {mean, judged} = systems[run], {color} = style(run), [middle, low, high] = barOf(run), isBase = data.runs > 1 && run === state.baseline;
    const line = Number.isFinite(low) && !isBase ? `<path d="M${at(low)} 5H${at(high)}"/>` : "";
    const bar = `<svg class="bar" viewBox="0 0 100 10" aria-hidden="true" stroke="${color}" fill="${color}">${line}<circle cx="${at(middle)}" cy="5" r="3"/></svg>`;
    const [place, before] = [values, written].map((all) => placeOfRun(run, all)), was = place === before ? "" : ` <small>was ${ordinal(before)}</small>`;
    const button = `<button type="button" class="plain" data-system="${run}">${named(run)}</button>`;
    const difference = isBase ? "baseline" : signed(middle, digits);
    return {run, isChosen: run === state.system, mayBeBest: candidates.includes(run), cells: [
      place + was, button, fixed(mean, digits), bar, ...(data.runs < 2 ? [] : [difference]), isBase ? "" : between(low, high, digits),
      escaped(judgedText(judged)), levelBar(run, levels, most, digits),
    ]};
  };
  fill("order", table("order", columns, runs, row));
}
