/* The values under the pointer. */

let isTouched = false; // then Bokeh says at once that the pointer has left

/** Set the reading of a chart: the index of one of its values; NaN is none. */
function point(name, index) {
  pointer[name] = Math.max(Math.min(index, axisOf(name).count - 1), 0);
  read(name);
}

function pointed(name, event, x, y) {
  if (event === "mouseleave") {
    if (!isTouched) point(name, NaN);
    light(null);
  } else {
    point(name, Math.round(x) - axisOf(name).first);
    if (event === "tap" && name === "topics") openRead();
    const {plot: {y_range: {start, end}}, lines} = models[name];
    if (lines) {
      const gaps = lines.means.map((means) => Math.abs(means[pointer[name]] - y)), least = Math.min(...gaps);
      light(least < 0.03 * (end - start) ? lines.runs[gaps.indexOf(least)] : null);
    }
  }
}

/** Open the topic that is read, if any is listed. */
function openRead() {
  if (topicRows.length) openTopic(topicRows[pointer.topics].topic);
}

/** The values of a topic. */
function readTopic({id, text, value, base, difference}) {
  const digits = decimals([value, base]);
  return `<b><bdi>${escaped(short(id, 60))}</bdi></b> <bdi class="text">${escaped(short(text, 90))}</bdi><br>`
    + `${signed(difference, digits)}: ${fixed(value, digits)}, baseline ${fixed(base, digits)}`;
}

/** The values of a chart at a rank, the highest first. */
function readCurves(name, i) {
  const {systems, ideal} = shownCurves(name);
  const rows = shownRuns().map((run) => ({run, value: systems[run].mean[i], low: systems[run].low[i], high: systems[run].high[i]}));
  rows.sort((a, b) => b.value - a.value);
  const digits = decimals(rows.map(({value}) => value));
  const lines = rows.slice(0, 12).map(({run, value, low, high}) =>
    `<div class="name">${swatch(run)}<bdi>${escaped(data.short[run])}</bdi> ${fixed(value, digits)}`
    + `${Number.isFinite(low) ? ` ${between(low, high, digits)}` : ""}</div>`);
  if (rows.length > lines.length) lines.push(`and ${rows.length - lines.length} below`);
  if (ideal) lines.push(`<div>ideal ${fixed(ideal[i], decimals([ideal[i]]))}</div>`);
  return `<b>rank ${i + 1}</b>${lines.join("")}`;
}

/** Show the values where the pointer is. */
function read(name) {
  const box = $(`${name}-readout`), at = pointer[name], {first, count} = axisOf(name), reader = $(`${name}-reader`);
  [reader.min, reader.max] = [first, first + count - 1];
  box.hidden = !(at < count);
  part(name, "pointed")?.setv({visible: !box.hidden, location: at + 1});
  if (box.hidden) {
    reader.value = name === "topics" ? first : state.k; // where reading begins
    reader.removeAttribute("aria-valuetext"); // it was of another rank or measure
    return;
  }
  box.innerHTML = name === "topics" ? readTopic(topicRows[at]) : readCurves(name, at);
  reader.value = first + at;
  reader.setAttribute("aria-valuetext", box.innerText.replaceAll("\n", ", "));
  const {plot: {x_range: {start, end}, y_range}, view, lines} = models[name], {left, right, top, bottom, width} = view.frame.bbox;
  const ys = lines ? lines.means.map((means) => means[at]) : [topicRows[at].difference];
  const isHigh = ys.reduce((sum, y) => sum + y, 0) / ys.length > (y_range.start + y_range.end) / 2;
  box.style.top = `${isHigh ? bottom - box.offsetHeight - 8 : top + 8}px`; // away from the lines
  const x = left + (width * (first + at - start)) / (end - start), wide = box.offsetWidth + 12;
  box.style.left = `${at > count / 2 ? Math.max(x - wide, left + 2) : Math.min(x + 12, right - wide)}px`;
}
