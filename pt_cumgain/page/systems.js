/* The sentence, the table of the systems, and their curves. */

const CURVES = ["differences", "curves"];

/** The lines of a chart; of the differences, that of the chosen system has an interval. */
function shownCurves(name) {
  const {systems, ideal} = calculator.curves(state), {baseline, system} = state, zero = systems[baseline].mean;
  if (name === "curves") return {systems, ideal};
  const [chosen] = calculator.curves(state, baseline, [system]).systems;
  const difference = ({mean}, run) => (run === system ? chosen : {mean: mean.map((value, i) => value - zero[i]), low: [], high: []});
  return {systems: systems.map(difference)};
}

/** Draw the differences from the baseline, with the band of the chosen system; or the means. */
function drawCurves(name) {
  const runs = shownRuns(), {systems, ideal} = shownCurves(name), xs = data.ranks;
  const means = runs.map((run) => systems[run].mean), isDifference = name === "differences";
  const hasIdeal = !isDifference && !isNormalised(state);
  const bands = hasTest() ? runs.filter((run) => data.runs === 1 || (isDifference && run === state.system)) : [];
  const drawn = [...means, ...bands.flatMap((run) => [systems[run].low, systems[run].high])];
  const isShown = hasIdeal && state.ideal;
  setAxes(name, extent(isShown ? [...drawn, ideal] : drawn), `${isDifference ? "difference of " : ""}${state.measure}`);
  nameEnds(name, runs, means); // before the data: a new layout paints the old ones
  if (!isDifference) $("with-ideal").hidden = !hasIdeal;
  part(name, "ideal").data = isShown ? {x: xs, y: ideal} : {x: [], y: []};
  part(name, "bands").data = {
    xs: bands.map(() => [...xs, ...[...xs].reverse()]),
    ys: bands.map((run) => [...systems[run].low, ...[...systems[run].high].reverse()]),
    color: bands.map((run) => style(run).color),
  };
  drawLines(name, {runs, means});
  const what = isDifference ? `differences of ${uncutText(state)} from ${data.short[state.baseline]}` : uncutText(state);
  $(name).setAttribute("aria-label", `Chart: ${what} of ${counted(runs.length, "system")} at the ranks 1 to ${data.depth}`);
  const notes = [`The dotted line marks rank ${state.k}.`];
  if (isShown) notes.push("The dashed grey line is the ideal.");
  if (size() < 2) notes.push("A single topic has no interval.");
  else if (!hasTest()) notes.push(`The page has no interval for ${dividesMeans(state) ? "a ratio of means" : topicsText()}.`);
  else for (const run of bands)
    notes.push(`The band is the ${data.confidence} interval of the mean${isDifference ? " difference" : ""} over topics, of ${isolated(data.short[run])}.`);
  if (runs.length > data.coloured && !isDifference)
    notes.push(`With more than ${data.coloured} systems, only the eight with the highest means and the two compared have colours.`);
  $(`${name}-note`).textContent = notes.join(" ");
}

/** Names at the lines' ends, if there is room for all; else a legend below. */
function nameEnds(name, runs, means) {
  const {plot, view} = models[name], {start, end} = plot.y_range;
  const height = view.frame.bbox.height || 300, room = 42 + 9 * Math.max(...runs.map((run) => data.short[run].length));
  const fit = runs.length * 14 <= height && $(name).clientWidth > 300 + room;
  plot.min_border_right = fit ? room : 16;
  const last = data.depth - 1, to = (y) => (height * (end - y)) / (end - start);
  const ends = runs.map((run, i) => ({run, at: to(means[i][last])})).sort((a, b) => a.at - b.at);
  ends.forEach((one, i) => { one.at = Math.max(one.at, i ? ends[i - 1].at + 14 : 7); });
  for (let i = ends.length - 1, limit = height - 7; i >= 0; i--, limit -= 14) ends[i].at = Math.min(ends[i].at, limit);
  const box = $(`${name}-legend`);
  Object.assign(models[name], {ends, fit});
  box.className = fit ? "ends" : "legend";
  box.style.width = fit ? `${plot.min_border_right - 4}px` : "auto";
  box.innerHTML = ends.filter(({run}) => fit || !style(run).grey).map(({run, at}) =>
    `<li class="name" data-run="${run}" style="top:${view.frame.bbox.top + at - 9}px">${named(run)}</li>`).join("");
}

/** How many rows a table has at its beginning and its end, until the reader asks for all. */
const listed = {order: [14, 0], "topics-table": [7, 7]};

/** A table in HTML. A column has a head; a kind, if page.css has rules for it; and a key, if it
    can be sorted by. */
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
    const {cells, isChosen, run} = rowOf(item);
    const row = columns.map(([, kind], i) => (kind === "name"
      ? `<th scope="row"${kinds[i]}>${cells[i]}</th>` : `<td${kinds[i]}>${cells[i] ?? ""}</td>`));
    return `<tr${isChosen ? ' class="chosen"' : ""}${run === undefined ? "" : ` data-run="${run}"`}>${row.join("")}</tr>`;
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

/** The runs, the highest mean first; those with equal means in their own order. */
const inOrder = () => shownRuns().sort((a, b) => values.means[b] - values.means[a]);
/** The places of the shown runs among each other; equal means share one. */
const placesIn = ({means}) => new Map(shownRuns().map((run, _, all) => [run, 1 + all.filter((other) => means[other] > means[run]).length]));
const ordinal = (n) => n + (["th", "st", "nd", "rd"][Math.floor(n / 10) % 10 === 1 ? 0 : n % 10] ?? "th");

/** Names, all with a share; else of more than four the first three, and how many others there are. */
function inWords(runs, shareOf) {
  const all = runs.map((run) => isolated(data.names[run]) + (shareOf?.(run) ?? "")), some = [...all.slice(0, 3), `${all.length - 3} others`];
  return new Intl.ListFormat("en-GB").format(all.length > 4 && !shareOf ? some : all);
}

/** A share of judged documents; what is below the limit does not print as the limit. */
const judgedText = (share) => (share < data.judged && percent(share) === percent(data.judged) ? "< " : "") + percent(share);

/** A text in which names break after their signs only, as HTML. */
const breakable = (text) => escaped(text).replace(/\u2068[^\u2069]*/g, withBreaks);

/** What proof.py says of all weightings, and that on other topics one of the others could win. */
function proved(first, others) {
  if (!data.proof) return "";
  const {verdict, rival, gains} = data.proof;
  const claim = {
    leads: () => `${inWords([first])} leads under every weighting of the levels`,
    holds: () => "No other system has a higher mean under any weighting of the levels",
    depends: () => `Under the gains ${gains}, ${inWords([rival])} has a higher mean`,
    open: () => "No weighting is known to put another system first (not proved)",
  }[verdict]();
  if (!others.length) return ` ${claim}.`;
  const who = others.length > 1 ? "one of them" : inWords(others);
  return ` ${claim}, ${verdict === "depends" ? "and" : "but"} on other topics ${who} could win.`;
}

/** Which systems may be best. What is proved for all weightings appears for its own setting only. */
function answer() {
  const isUnchanged = isWritten() && state.baseline === asWritten.baseline;
  const shown = inOrder(), {systems} = values, count = shown.length;
  const [order, without] = [false, true].map((isUnmet) => shown.filter((run) => data.unmet.includes(run) === isUnmet));
  const unmet = without.length ? ` On this page, no document of ${inWords(without)} is judged.` : "";
  if (!order.length) return unmet.trim();
  const [first, second] = order;
  const digits = decimals(systems.map(({mean}) => mean)), {mean, low, high} = systems[first];
  const text = `${isUnchanged ? data.text : measured()} ${fixed(mean, digits)}`;
  const around = (a, b) => (Number.isFinite(a) ? ` ${between(a, b, digits)}` : "");
  const some = count === data.runs ? "" : count > 1 ? `of the ${count} systems shown` : "the only system shown";
  const limits = [some, state.subset ? `on ${topicsText()}` : ""].filter(Boolean).join(", ");
  const among = limits ? `${limits[0].toUpperCase()}${limits.slice(1)}: ` : "";
  const few = order.filter((run) => systems[run].judged < data.judged).sort((a, b) => systems[a].judged - systems[b].judged);
  const unjudged = few.length ? ` Down to rank ${state.k}, fewer than ${percent(data.judged)} of the documents are judged for ${inWords(few, (run) => ` (${judgedText(systems[run].judged)})`)}.${unmet}` : unmet;
  if (second === undefined) return `${among}${inWords(order)}: ${text}${around(low, high)}.${unjudged}`;
  const equal = order.filter((run) => values.means[run] === values.means[first]), {baseline} = state;
  const candidates = calculator.candidates(state, values, order), others = candidates.filter((run) => !equal.includes(run));
  const behind = ([difference, least, most]) => `${amount(difference, digits)} below ${inWords([first])}${around(least, most)}`;
  const based = equal.includes(baseline) || baseline === second || !order.includes(baseline) ? ""
    : `; ${inWords([baseline])} is ${behind(calculator.compare(state, values, first, baseline))}`;
  const rest = `${others.length ? `; ${inWords(others)} may also be best` : ""}${based}.`;
  if (equal.length > 1) return `${among}${inWords(equal)} share the highest mean (${text})${rest}${unjudged}`;
  const [difference, least, most] = calculator.compare(state, values, first, second), by = amount(difference, digits);
  const lead = candidates.length === 1 ? `is best, ${by} above ${inWords([second])}${around(least, most)}`
    : `leads ${inWords([second])} by ${by}${others.includes(second) ? ", which is not significant" : ""}`;
  return `${among}${inWords([first])} ${lead} (${text})${rest}${isUnchanged ? proved(first, others) : ""}${unjudged}`;
}

const size = () => calculator.topicsOf(state).length;
/** Whether means have intervals, and differences a test. */
const hasTest = () => calculator.hasTest(state);
const topicsText = () => (state.by ? "the " : "") + (state.subset ? `${size()} of ` : "") + counted(data.count, "topic")
  + (state.by ? ` that you chose by their ${state.by}` : "");

function writeAnswer() {
  $("part").hidden = !state.subset;
  $("part").innerHTML = `Everything is computed only for ${topicsText()}. <button type="button" data-alltopics="all">Use all topics</button>`;
  $("text").textContent = measured();
  $("answer").innerHTML = breakable(answer());
  [$("then").textContent, $("sentence").textContent] = origin(isWritten());
  $("reset").hidden = toFragment(state) === toFragment(asWritten);
}

/** The settings with which the page was written; they remain visible. */
const origin = (isNow) => (isNow ? [written.about, written.sentence]
  : [`When the page was written: ${written.answer}`, `The page was written with ${written.sentence}`]);

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
  const places = placesIn(values), before = placesIn(written.values), {k} = state;
  $("order-k").textContent = `at rank ${k}`;
  $("order-note").textContent = `Means over ${topicsText()}`
    + (hasTest() ? ` with ${data.confidence} t intervals` : "")
    + (data.runs > 1 ? `, differences from ${isolated(data.short[state.baseline])}` : "")
    + `. Judged: share of the first ${counted(k, "document")}. Levels: the part of the mean that documents of this level contribute.`
    + (data.runs > 1 ? " Yellow: the system whose topics are compared below." : "");
  const ranged = (first, second) => `<span class="ranged">${first} ${second}</span>`;
  const ends = runs.flatMap((run) => [systems[run].mean, systems[run].low, systems[run].high]).filter(Number.isFinite);
  const least = Math.min(...ends), span = Math.max(...ends) - least || 1, at = (x) => (14 + (112 * (x - least)) / span).toFixed(1);
  const axis = `<svg class="bar axis" viewBox="0 0 140 14" aria-hidden="true">${ticksOf(least, least + span, 3).map((x) =>
    `<path d="M${at(x)} 10v4" stroke="currentColor"/><text x="${at(x)}" y="8" text-anchor="middle">${rounded(x)}</text>`).join("")}</svg>`;
  const columns = [
    ["#", "place", "place"], ["system", "name", "name"], ["mean", "", "mean"], [ranged("interval", axis)],
    ["difference", "", "difference"], ["interval of difference"], ["judged", "", "judged"],
    ...levels.map((l) => [`<span class="chip" style="background:${levelColour(l)}"></span>level&nbsp;${data.levels[l]}`, "", `level${l}`]),
  ];
  const row = (run) => {
    const {mean, low, high, difference, least, most, judged, parts} = systems[run], {color} = style(run);
    const differs = run === state.baseline
      ? ["baseline", ""] : [signed(difference, digits), between(least, most, digits)];
    const line = Number.isFinite(low) ? `<path d="M${at(low)} 5H${at(high)}"/>` : "";
    const bar = `<svg class="bar" viewBox="0 0 140 10" aria-hidden="true" stroke="${color}" fill="${color}">${line}<circle cx="${at(mean)}" cy="5" r="3"/></svg>`;
    const button = `<button type="button" class="plain" data-system="${run}">${named(run)}</button>`;
    const was = before.get(run) === places.get(run) ? "" : ` <small>was ${ordinal(before.get(run))}</small>`;
    return {run, isChosen: run === state.system, cells: [
      places.get(run) + was, button, fixed(mean, digits), ranged(bar, between(low, high, digits)), ...differs,
      escaped(judgedText(judged)), ...levels.map((l) => fixed(parts[l], digits)),
    ]};
  };
  fill("order", table("order", columns, runs, row));
}
