/* The values under the pointer. */

let isTouched = false; // then Bokeh says at once that the pointer has left

/** Set what is read on a chart: the index of one of its values, or nothing. */
function point(name, index) {
  const last = axisOf(name).count - 1;
  if (index === null || last < 0) delete pointer[name];
  else pointer[name] = Math.min(Math.max(index, 0), last);
  read(name);
}

function pointed(name, event, x, y) {
  if (event === "mouseleave") {
    if (!isTouched) point(name, null);
    light(null);
  } else {
    point(name, Math.round(x) - axisOf(name).first);
    if (event === "tap" && name in pointer && name === "topics") openTopic(topicRows[pointer[name]].topic);
    const {plot: {y_range: {start, end}}, lines} = models[name];
    if (lines) {
      const gaps = lines.means.map((means) => Math.abs(means[pointer[name]] - y)), least = Math.min(...gaps);
      light(least < 0.03 * (end - start) ? lines.runs[gaps.indexOf(least)] : null);
    }
  }
}

const readings = { // what a chart shows at the index of one of its values
  curves(i) {
    const {systems, ideal} = shownCurves();
    const rows = shownRuns().map((run) => ({run, value: systems[run].mean[i], low: systems[run].low[i], high: systems[run].high[i]}));
    return `<b>rank ${i + 1}</b>${readSystems(rows)}`
      + (state.curve === "values" ? `<div>ideal ${fixed(ideal[i], decimals([ideal[i]]))}</div>` : "");
  },
  topics(i) {
    const {id, text, value, base, difference} = topicRows[i], digits = decimals([value, base]);
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
  const box = $(`${name}-readout`), at = pointer[name], {count} = axisOf(name);
  box.hidden = !(at < count);
  if (box.hidden) return;
  box.innerHTML = readings[name](at);
  const isRight = at > count / 2;
  box.style.left = isRight ? "72px" : "auto";
  box.style.right = isRight ? "auto" : "20px";
}
