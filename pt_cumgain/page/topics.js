/* The topics, and the rankings of one. */

let topicRows = []; // the topics that are listed

/** The topics that pass the filter, sorted as the reader has chosen. */
function filteredTopics() {
  const [system, baseline] = [state.system, state.baseline].map((run) => values.topics[run]);
  const sought = $("find").value.toLowerCase();
  const rows = [...data.topics.keys()].map((topic) => ({
    ...data.topics[topic], topic, value: system[topic], base: baseline[topic], difference: system[topic] - baseline[topic],
    recall: values.recall[topic], judged: calculator.judgedOf(state.system, topic, state.k),
  })).filter(({id, text}) => `${id} ${text}`.toLowerCase().includes(sought));
  const key = state.sorttopics.replace("-", ""), of = (row) => (key === "topic" ? -row.topic : row[key] || 0);
  rows.sort((a, b) => of(b) - of(a) || a.topic - b.topic);
  return state.sorttopics.startsWith("-") ? rows.reverse() : rows;
}

function drawTopics() {
  const rows = topicRows, tops = rows.map(({difference}) => difference);
  const [better, worse] = [state.system, state.baseline].map(colourOf), colours = [worse === better ? theme.quiet : worse, theme.grey, better];
  setAxes("topics", extent([tops]), `difference of ${state.measure}`);
  part("topics", "bars").data = {
    x: [...rows.keys()], top: tops, color: tops.map((top) => colours[1 + Math.sign(top)]),
    alpha: rows.map(({topic}) => (state.topic === null || state.topic === topic ? 1 : 0.45)),
  };
  const plot = models.topics.plot, wide = $("topics").clientWidth - 80; // no bar is wider than 40 px
  plot.renderers[0].glyph.width = {value: Math.min(0.8, (40 * (rows.length + 0.4)) / Math.max(wide, 40))};
  const labelled = rows.length <= 40 && $("topics").clientWidth > 16 * rows.length ? rows : [];
  const [axis] = plot.below, ids = labelled.map(({id}) => short(id, 10));
  axis.ticker.ticks = [...ids.keys()];
  axis.major_label_overrides = new Map(ids.entries());
  axis.major_label_orientation = labelled.some(({id}) => id.length > 3) ? "vertical" : "horizontal";
  $("topics").setAttribute("aria-label", "Chart: the differences of the topics, in the order of the table below");
  read("topics");
}

function drawTopicsTable() {
  const rows = topicRows, {system, baseline, k} = state;
  const {difference: mean, least, most} = values.systems[system], filtered = rows.length < data.count;
  $("unfilter").hidden = !filtered;
  const digits = decimals(rows.flatMap(({value, base}) => [value, base]));
  const count = (sign) => rows.filter(({difference}) => Math.sign(difference) === sign).length;
  $("versus").textContent = data.short[baseline];
  $("topics-note").textContent = data.runs < 2 ? "There is only one system, so there is no difference."
    : `${filtered ? `${rows.length} of ${counted(data.count, "topic")} listed: better` : "Better"} for ${count(1)}, worse for ${count(-1)}, equal for ${count(0)}. `
      + `Mean difference${filtered ? " of all" : ""}: ${signed(mean, digits)}`
      + `${Number.isFinite(least) ? `, ${data.confidence} interval ${between(least, most, digits)}` : ""}. R is the number of documents with a gain.`;
  const hasTexts = data.topics.some(({text}) => text);
  const [first, second] = [system, baseline].map((run) => `<bdi>${withBreaks(escaped(short(data.short[run], 14)))}</bdi>`);
  const columns = [["topic", "name", "topic"], ...(hasTexts ? [["text", "text"]] : []),
    ["difference", "", "difference"], [first, "", "value"], [second, "", "base"],
    ["R", "", "recall"], [`judged, ${first}`, "", "judged"], [`judged, ${second}`]];
  const row = ({id, text, topic, value, base, difference, recall, judged}) => ({
    isChosen: topic === state.topic,
    cells: [
      `<button type="button" class="plain" data-topic="${topic}" title="${escaped(id)}"><bdi>${escaped(short(id, 40))}</bdi></button>`,
      ...(hasTexts ? [`<bdi>${escaped(text)}</bdi>`] : []),
      signed(difference, digits), fixed(value, digits), fixed(base, digits), recall,
      percent(judged), percent(calculator.judgedOf(baseline, topic, k)),
    ],
  });
  fill("topics-table", table("topics-table", columns, rows, row, "sorttopics"));
}

function openTopic(topic) {
  change({topic});
  render(true);
  $("ranking-h").focus();
}

const rankingDepth = () => Math.min(data.depth, Math.max(state.k, 20));

/** A relevance level on its colour; of a document that is not judged, a dot. */
function levelCell({level, isTied}) {
  const colour = level !== undefined && levelColour(level);
  return `<span class="level${isTied ? " tied" : ""}"${colour ? ` style="background:${colour};color:${inkOn(colour)}"` : ""}>${data.levels[level] ?? "·"}</span>`;
}

/** The rankings of a topic, as rows of levels. */
function drawRanking() {
  const {topic} = state;
  $("of-topic").hidden = topic === null;
  if (topic === null) return;
  const depth = rankingDepth(), {id, text} = data.topics[topic];
  const valueOf = (run) => values.topics[run][topic];
  const runs = shownRuns().sort((a, b) => valueOf(b) - valueOf(a)), digits = decimals(runs.map(valueOf));
  const ofRun = (run) =>
    ({run, cells: [named(run), fixed(valueOf(run), digits), ...calculator.ranked(run, topic).slice(0, depth).map(levelCell)]});
  $("ranking-h").textContent = `Topic ${isolated(id)}${text ? `: ${isolated(text)}` : ""}`;
  $("ranking-note").textContent = `R = ${values.recall[topic]}. Cells show relevance levels (· means not judged); the line follows rank ${state.k}. The numbers beside the names are values of ${measureText()}. `
    + `Documents with equal scores are in descending order of id, and underlined if one of them is judged${state.ties === data.defaults.ties ? "" : "; their values follow the rule for ties"}.`;
  const {begin, level} = calculator.rankings(state).ideals;
  const best = level.slice(begin[topic], begin[topic + 1]).slice(0, depth).map((l) => ({level: l}));
  const ideal = isNormalised(state) ? Number(values.ideal[topic] > 0) : values.ideal[topic];
  const columns = [["system", "name"], ["value", "value"], ...Array.from({length: depth}, (_, i) => [i + 1, i + 1 === state.k ? "last" : ""])];
  const ofIdeal = {cells: ["ideal", fixed(ideal, digits), ...best.map(levelCell)]};
  fill("ranking", table("ranking", columns, [ofIdeal, ...runs.map(ofRun)], (row) => row));
}

/** The documents of the chosen system and of the baseline, joined where both have them. */
function drawPair() {
  const {topic, system, baseline} = state;
  const lists = topic === null ? [] : [system, baseline].map((run) => calculator.ranked(run, topic)), depth = rankingDepth();
  $("pair").hidden = !data.documents || data.runs < 2 || !lists.flat().length;
  if ($("pair").hidden) return;
  const rankIn = lists.map((list) => new Map(list.map(({place}, i) => [place, i + 1])));
  const rows = Array.from({length: Math.min(depth, Math.max(...lists.map((list) => list.length)))}, (_, i) => i);
  const room = Math.floor((Math.max($("pair").clientWidth, 600) - 280) / 15); // characters of an id
  const describe = (side, i) => {
    if (i >= lists[side].length) return "";
    const {place} = lists[side][i], id = data.documents.ids[topic][place];
    const there = `<small>${rankIn[1 - side].get(place) ?? "–"}</small>`;
    const cells = [`<bdi title="${escaped(id)}">${escaped(short(id, room))}</bdi>`, levelCell(lists[side][i]), there];
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
    + rows.map((i) => `<tr${i + 1 === state.k ? ' class="last"' : ""}><th scope="row">${i + 1}</th><td>${describe(0, i)}</td>${i ? "" : joined}<td>${describe(1, i)}</td></tr>`).join("")
    + `</tbody></table><p class="hint">The number beside an id is the document’s rank in the other ranking; – means that it is not among the first ${data.depth} there.</p>`;
}
