/* The values under the pointer. */

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
