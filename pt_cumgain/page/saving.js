/* Files, the clipboard, paper. */

const tables = {
  curves() {
    const {systems, ideal} = calculator.curves(state), text = uncutText(state);
    return [["name", "measure", "rank", "value", "low", "high", "ideal", "topics"], ...shownRuns().flatMap((run) => {
      const {mean, low, high} = systems[run];
      return data.ranks.map((rank, i) => [data.names[run], text, rank, mean[i], low[i], high[i], ideal[i], data.count]);
    })];
  },
  order() {
    const levels = weightedLevels(), text = measureText();
    const head = ["name", "measure", "mean", "low", "high", "baseline", "difference", "difference_low", "difference_high", "judged", "topics"];
    return [[...head, ...levels.map((l) => `level ${data.levels[l]}`)], ...sortedRuns().map((run) => {
      const {mean, low, high, difference, least, most, judged, parts} = values.systems[run];
      const differs = run === state.baseline ? [NaN, NaN, NaN] : [difference, least, most];
      return [data.names[run], text, mean, low, high, data.names[state.baseline], ...differs, judged, data.count, ...levels.map((l) => parts[l])];
    })];
  },
  topics() {
    const {system, baseline, k} = state;
    const compared = [measureText(), data.names[system], data.names[baseline]];
    const head = ["qid", "query", "measure", "name", "baseline", "difference", "value", "baseline_value", "R", "judged", "baseline_judged"];
    return [head, ...topicRows.map(({id, text, topic, value, base, difference, recall, judged}) =>
      [id, text, ...compared, difference, value, base, recall, judged, calculator.judgedOf(baseline, topic, k)])];
  },
};

function csv(name) {
  const quoted = (x) => (/[",\r\n]/.test(x) ? `"${x.replaceAll('"', '""')}"` : x);
  const plain = (x) => (/^([=+@\t\r]|-(?![\d.]))/.test(x) ? `'${x}` : x); // no program takes it for a formula
  const lines = tables[name]().map((row) => row.map((x) => quoted(Number.isNaN(x) ? "" : plain(String(x)))).join(","));
  return lines.join("\r\n") + "\r\n";
}

/** In print the colours are those of paper, and the charts are pictures, which fit its width and name their lines. */
function printAs(printing) {
  document.documentElement.classList.toggle("printing", printing);
  (printing ? $("listed") : document.body).append(...select("footer")); // on paper, never on a page of its own
  light(null);
  readTheme();
  render(true);
  for (const name of Object.keys(models).filter((name) => printing && !$(name).closest("[hidden]")))
    $(`${name}-printed`).innerHTML = svg(name);
}

/** A view as a picture: the map, or a chart as Bokeh exports it, with names at the lines' ends or below. */
function svg(name) {
  drawStale(true);
  if (name === "map") {
    const keys = ["map-legend", "map-dots"].map((id) => [...$(id).children].map(({textContent}) => textContent).join(", "));
    return asSvg(WIDE, ...below(8, mapHeight() + 14, WIDE, [...caption(), mergedText(), ...keys], paintMap().picture));
  }
  const {view} = models[name], chart = view.export("svg").ctx.get_serialized_svg(true);
  const [width, height] = ["width", "height"].map((side) => Number(chart.match(`${side}="([\\d.]+)"`)[1])); // the chart on the screen is hidden in print
  const room = 44 + 7 * Math.max(...everyRun.map((run) => data.short[run].length)), columns = Math.max(Math.floor((width - 64) / room), 1);
  const {fit, ends: named = []} = models[name];
  const keys = named.map(({run, at}, i) => {
    const x = fit ? width - models[name].plot.min_border_right + 4 : 64 + (i % columns) * room;
    const y = fit ? view.frame.bbox.top + at + 4 : height + 16 + Math.floor(i / columns) * 18;
    return `<line x1="${x}" x2="${x + 26}" y1="${y - 4}" y2="${y - 4}" ${stroke(style(run))}/>`
      + svgText(x + 32, y, data.short[run]);
  });
  const [system, baseline] = [state.system, state.baseline].map((run) => isolated(data.short[run]));
  const title = (name === "topics" ? `${system} − ${baseline}: ` : "") + caption(name).join(", ");
  const note = CURVES.includes(name) && !isPaper() ? $(`${name}-note`).textContent : "";
  const foot = height + 28 + (fit ? 0 : Math.ceil(named.length / columns) * 18);
  return asSvg(width, ...below(64, foot, width, [title, note], chart + keys.join("")));
}

/** The height of a picture with texts below it, in lines that fit its width; and both as SVG. */
function below(x, y, width, texts, picture) {
  const most = Math.floor((width - x) / 6.5), lines = texts.flatMap((text) => text.match(new RegExp(`(?:\\S{${most},}|.{1,${most}})(?:\\s|$)`, "g")) ?? []);
  return [y + 16 * lines.length - 6, picture + lines.map((line, i) => svgText(x, y + 16 * i, line)).join("")];
}

const caption = (name) => [CURVES.includes(name) ? `${uncutText(state)} at the ranks 1 to ${data.depth}` : measureText(), topicsText()];
const svgText = (x, y, text, more = "") => `<text x="${x}" y="${y}" ${more}>${escaped(text)}</text>`;
const asSvg = (width, height, inside) => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`
  + `<rect width="100%" height="100%" fill="${theme.paper}"/><g font-family="sans-serif" font-size="12" fill="${theme.ink}">${inside}</g></svg>\n`;

function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = `${document.title} ${name}`;
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
