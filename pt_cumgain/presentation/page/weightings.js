/* The map of weightings, and the strips of ranks and bases: which system has the highest mean where. */

const WIDE = 400, MARGIN = 46, SIDE = WIDE - 2 * MARGIN, UP = Math.sqrt(3) / 2;
const spanned = (of = state) => of.mapped.split("_").map(Number);
const isTriangle = () => spanned().length === 3;
const mapHeight = () => (isTriangle() ? SIDE * UP + 2 * MARGIN - 10 : 92);

/** Where a mixture of thresholds is in the picture: the first left, the last right, the other above. */
function placeOf(point) {
  if (!isTriangle()) return [MARGIN + SIDE * point[1], 40];
  return [MARGIN + SIDE * (point[2] + point[1] / 2), MARGIN - 10 + SIDE * UP * (1 - point[1])];
}

function pointAt(x, y) {
  const across = (x - MARGIN) / SIDE;
  if (!isTriangle()) return [1 - across, across];
  const above = 1 - (y - MARGIN + 10) / (SIDE * UP), last = across - above / 2;
  return [1 - above - last, above, last];
}

const isInside = (x, y) => pointAt(x, y).every((part) => part >= 0);

/** The mixture that a weighting is: the addition of each level, as a share of the highest gain. Null if
    it tells apart levels that the map does not. */
function mixtureOf(gains) {
  const levels = spanned(), top = gains[gains.length - 1];
  const below = (l) => levels.filter((one) => one <= l).pop();
  if (!(top > 0) || gains.some((gain, l) => gain !== (gains[below(l)] ?? 0))) return null;
  return levels.map((l, j) => (gains[l] - (gains[levels[j - 1]] ?? 0)) / top);
}

const OUTSIDE = "This weighting gives a lower level more gain than a higher one, so it lies outside the map.";
const isOutside = () => state.gains.some((gain, l) => gain < state.gains[l - 1]);

/** The weighting at a point; the highest level keeps its gain. */
function gainsAt(point) {
  const levels = spanned(), highest = state.gains[state.gains.length - 1];
  const top = highest > 0 ? highest : data.levels[data.levels.length - 1];
  let sum = 0;
  const sums = point.map((part) => { sum += part; return rounded(top * sum); });
  return data.levels.map((_, l) => {
    const j = levels.filter((one) => one <= l).length - 1;
    return j < 0 ? 0 : j === levels.length - 1 ? top : sums[j];
  });
}

/** The nearest point of the map. */
function clamped(point) {
  const parts = point.map((part) => Math.max(part, 0)), sum = parts.reduce((a, b) => a + b);
  return parts.map((part) => part / sum);
}

/** Rows of a lattice on the map, as stretches of points at which the same run has the highest mean, with a lead
    that is significant or not. */
function regions() {
  const runs = shownRuns(), levels = spanned();
  const cost = (runs.length + 2) * size() * levels.length, budget = resting && !isPaper() ? 3e6 : 3e7;
  const steps = isTriangle() ? Math.round(Math.min(Math.max(Math.sqrt((2 * budget) / cost), 16), 120)) : 400;
  return calculator.remember(keyOf(state, ["gains"], "map", levels, runs, steps), () => {
    const rows = isTriangle() ? Array.from({length: steps + 1}, (_, i) => i / steps) : [0];
    const lattice = rows.flatMap((above, row) => Array.from({length: steps + 1 - row}, (_, i) => {
      const across = i / steps;
      return isTriangle() ? [Math.max(1 - above - across, 0), above, across] : [1 - across, across];
    }));
    const leads = calculator.leadsAt(state, levels, lattice, runs), stretches = [];
    lattice.forEach((to, at) => {
      const {best, isPale} = leads[at], run = runs[best], row = isTriangle() ? to[1] : 0, last = stretches.at(-1);
      if (last?.row === row && last.run === run && last.isPale === isPale) Object.assign(last, {to, points: last.points + 1});
      else stretches.push({row, run, isPale, from: to, to, points: 1});
    });
    return {stretches, step: SIDE / steps, size: lattice.length};
  });
}

/** A function that writes a text at the first of some places at which it hides nothing, if it must across the
    outline, or nowhere. */
function labelsAround(taken, em) {
  return (words, places, anchor, mayCross = [false]) => {
    const wide = em * words.length, left = {start: 0, middle: wide / 2, end: wide};
    for (const [x, y, side = anchor, allowed] of mayCross.flatMap((allowed) => places.map(([x, y, side]) => [x, y, side, allowed]))) {
      const box = [x - left[side], y - 1.4 * em, x - left[side] + wide, y + 0.4 * em];
      const hides = taken.some((one) => one[0] < box[2] && box[0] < one[2] && one[1] < box[3] && box[1] < one[3]);
      const crosses = isInside(box[0], y - 4) !== isInside(box[2], y - 4); // the outline
      if (hides || (crosses && !allowed) || box[0] < 0 || box[2] > WIDE) continue;
      taken.push(box);
      return `<text paint-order="stroke" stroke="${theme.paper}" stroke-width="3" stroke-linejoin="round" x="${x}" y="${y}" text-anchor="${side}">${escaped(words)}</text>`;
    }
    return "";
  };
}

/** The colour in which a run's areas are drawn: pale where its lead is not significant. */
const drawnAs = (run, isPale) => mixed(theme.paper, areaOf(run), isPale ? 0.3 : 0.75);
/** A chip with the colours in which a run is drawn on some stretches. */
function chipOf(run, stretches) {
  const [one, other = one] = [false, true].filter((isPale) => stretches.some((of) => of.run === run && of.isPale === isPale)).map((isPale) => drawnAs(run, isPale));
  return `<span class="chip" style="background:linear-gradient(90deg,${one} 50%,${other} 50%)"></span>`;
}
const paleChip = (key) => key && `<span class="chip" style="background:${mixed(theme.paper, theme.ink, 0.2)}"></span>${key}`;
const paleKey = (stretches) => (stretches.some(({isPale}) => isPale) ? `pale: lead p ≥ ${data.alpha}` : "");

/** The map as SVG, and the list of the systems that have the highest mean somewhere on it. */
function paintMap() {
  const {stretches, step, size: all} = regions(), areas = new Map();
  const em = isPaper() ? 9 : 7; // of a letter at most
  for (const {run, isPale, from, to, points} of stretches) {
    const [x, y] = placeOf(from), [end] = placeOf(to), high = isTriangle() ? step * UP : 30;
    const area = areas.get(run) ?? {paths: ["", ""], rows: [], count: 0};
    area.paths[Number(isPale)] += `M${(x - step / 2).toFixed(1)} ${(y - high / 2).toFixed(1)}H${(end + step / 2).toFixed(1)}v${(high + 0.3).toFixed(1)}H${(x - step / 2).toFixed(1)}z`;
    area.count += points;
    area.rows.push({points, x: (x + end) / 2, y, room: end - x});
    areas.set(run, area);
  }
  const winners = [...areas].sort(([, a], [, b]) => b.count - a.count);
  const corners = spanned().map((_, j) => spanned().map((_, i) => Number(i === j)));
  const outline = isTriangle() ? `M${corners.map((corner) => placeOf(corner).join(" ")).join("L")}z`
    : `M${MARGIN} 25h${SIDE}v30h-${SIDE}z`;
  const filled = winners.flatMap(([run, {paths}]) => paths.map((bars, isPale) =>
    bars && `<path${isPale ? ' class="pale"' : ""} d="${bars}" fill="${drawnAs(run, isPale)}" data-run="${run}"/>`));
  const feet = corners.map((corner, j) => {
    const [x, y] = placeOf(corner), isTop = isTriangle() && j === 1;
    return {x, y: isTriangle() ? y + (isTop ? -8 : 18) : 72, words: gainsText(gainsAt(corner).map((gain) => Number(gain > 0)))};
  });
  const dots = dotsOnMap(), taken = [...dots.map(({x, y}) => [x - 5, y - 5, x + 5, y + 5]),
    ...feet.map(({x, y, words}) => [x - (em * words.length) / 2, y - 10, x + (em * words.length) / 2, y + 3])];
  const mixture = mixtureOf(state.gains);
  const marker = mixture ? placeOf(mixture).map((at, i) => Math.min(Math.max(at, 9), (i ? mapHeight() : WIDE) - 9)) : null;
  if (marker) taken.push([marker[0] - 11, marker[1] - 11, marker[0] + 11, marker[1] + 11]);
  const text = labelsAround(taken, em);
  const schemes = dots.map(({label, gains, x, y}) => text(data.levels[0] < 0 ? label.split(" (")[0] : gainsText(gains) || gains.join("-"),
    isTriangle() ? [[x + 7, y + 4, "start"], [x - 7, y + 4, "end"], ...[-10, 18, -24, 32].flatMap((up) => ["middle", "start", "end"].map((side) => [x, y + up, side]))]
      : [20, 8, 68].flatMap((at) => ["middle", "start", "end"].map((side) => [x, at, side])), "middle", [false, true]));
  const names = winners.map(([run, {rows, count}]) => { // as near to the middle of its region as there is room
    const name = data.short[run], middle = rows.reduce((sum, {points, y}) => sum + points * y, 0) / count;
    const wide = rows.filter(({room}) => room > em * name.length);
    return text(name, wide.sort((a, b) => Math.abs(a.y - middle) - Math.abs(b.y - middle)).map(({x, y}) => [x, y + 4]), "middle");
  });
  const ends = feet.map(({x, y, words}) => `<text x="${x}" y="${y}" text-anchor="middle">${escaped(words)}</text>`);
  const circles = dots.map(({label, x, y}) =>
    `<circle cx="${x}" cy="${y}" r="3.5" fill="${theme.paper}" stroke="${theme.ink}"><title>${escaped(label)}</title></circle>`);
  const point = marker ? `<circle cx="${marker[0]}" cy="${marker[1]}" r="8" fill="none" stroke="${theme.paper}" stroke-width="5"/>`
    + `<circle id="point" cx="${marker[0]}" cy="${marker[1]}" r="8" fill="${theme.ink}" fill-opacity="0.15" stroke="${theme.ink}" stroke-width="2.5"/>` : "";
  const legend = winners.map(([run, {count}]) => `<li data-run="${run}">${chipOf(run, stretches)}`
    + `<bdi title="${escaped(data.names[run])}">${escaped(data.short[run])}</bdi> ${percent(count / all)}</li>`);
  const key = paleKey(stretches);
  if (key) legend.push(`<li>${paleChip(key)}</li>`);
  const picture = `<defs><clipPath id="inside"><path d="${outline}"/></clipPath></defs><g clip-path="url(#inside)">${filled.join("")}</g>`
    + `<path d="${outline}" fill="none" stroke="${theme.ink}"/>${circles.join("")}${names.join("")}${schemes.join("")}${ends.join("")}${point}`;
  return {picture, legend: legend.join(""), key};
}

/** The weightings of the papers that are on the map. */
function dotsOnMap() {
  const dots = new Map(); // one for each place
  for (const {label, gains} of data.presets) {
    const mixture = mixtureOf(gains);
    if (!mixture || mixture.some((part) => part < 0 || part === 1)) continue; // corners have a name
    const [x, y] = placeOf(mixture);
    dots.set(String(mixture.map((part) => part.toFixed(9))), {label, gains, x, y});
  }
  return [...dots.values()];
}

function drawMap() {
  if (positive.length < 2) return;
  const {picture, legend} = paintMap();
  $("map").innerHTML = `<svg viewBox="0 0 ${WIDE} ${mapHeight()}" aria-hidden="true">${picture}</svg>`;
  $("map-legend").innerHTML = legend;
  $("map-hint").innerHTML = `Each point is a weighting. Left: all relevant levels count equally; ${isTriangle() ? "top: all but the lowest; " : ""}right: only the highest level counts. Circles: weightings from papers.`
    + ' <span class="todo">Click, or drag the point.</span>';
  $("map-note").innerHTML = mapNote();
}

/** The answer, if it has scrolled out of view, and a sentence about the point. */
function mapNote() {
  if (state.gains.every((gain) => gain === 0)) return "No level has a gain, so all systems are equal.";
  const other = "This weighting is not on the map: it gives a gain to a level of 0 or below, or distinguishes levels that the map does not.";
  return `<span class="again">${escaped($("answer").textContent)} </span>${isOutside() ? OUTSIDE : mixtureOf(state.gains) ? "" : other}`;
}

function bindMap() {
  const map = $("map");
  const move = ({clientX, clientY}) => {
    const {left, top, width} = map.getBoundingClientRect(), scale = WIDE / width;
    const x = (clientX - left) * scale, y = (clientY - top) * scale;
    const dot = dotsOnMap().find((one) => Math.hypot(one.x - x, one.y - y) <= 8 * scale);
    change(dot ? {gains: dot.gains, top: 0} : {gains: gainsAt(clamped(pointAt(x, y)))});
  };
  map.addEventListener("click", move);
  map.addEventListener("pointerdown", (event) => { // a finger drags the point; elsewhere it scrolls the page
    if (event.pointerType !== "touch" || event.target.id === "point") map.setPointerCapture(event.pointerId);
  });
  map.addEventListener("pointermove", (event) => { if (map.hasPointerCapture(event.pointerId)) move(event); });
  map.addEventListener("keydown", (event) => {
    const step = {ArrowLeft: [-6, 0], ArrowRight: [6, 0], ArrowUp: [0, -6], ArrowDown: [0, 6]}[event.key];
    if (!step) return;
    event.preventDefault();
    const mixture = mixtureOf(state.gains), [x, y] = placeOf(clamped(mixture ?? spanned().map(() => 1)));
    change({gains: gainsAt(clamped(pointAt(x + step[0], y + step[1])))});
  });
}

/** Along the rank, and along the base, which system has the highest mean. */
function drawStrips() {
  const runs = shownRuns();
  for (const control of ["k", "base"]) {
    const svg = $(`strip-${control}`), strip = svg.closest(".strip");
    strip.hidden = control === "base" ? !hasBase(state) : data.runs < 2;
    if (strip.hidden) continue;
    const {xs, range, to} = scaleOf(control);
    const leads = calculator.remember(keyOf(state, [control], "strip", runs), () => calculator.leadsAlong(state, control, xs, runs));
    const place = (x) => (WIDE * (to(x) - range[0])) / (range[1] - range[0]);
    const edge = (i) => (i < 0 ? 0 : i >= xs.length - 1 ? WIDE : (place(xs[i]) + place(xs[i + 1])) / 2);
    const stretch = (...keys) => leads.flatMap((lead, i) => (keys.some((key) => lead[key] !== leads[i - 1]?.[key]) ? [{...lead, run: runs[lead.best], first: i}] : []))
      .map((one, i, all) => ({...one, last: (all[i + 1]?.first ?? xs.length) - 1}));
    const drawn = stretch("best", "isPale"), line = strip.querySelector("p");
    svg.innerHTML = drawn.map(({run, isPale, first, last}) =>
      `<rect x="${edge(first - 1)}" width="${edge(last) - edge(first - 1)}" y="4" height="20" fill="${drawnAs(run, isPale)}" data-run="${run}"/>`).join("");
    const words = stretch("best").map(({run, first, last}) =>
      `<span data-run="${run}">${chipOf(run, drawn.filter((one) => one.first >= first && one.last <= last))}<bdi>${escaped(data.short[run])}</bdi> ${rounded(xs[first])}${first === last ? "" : `–${rounded(xs[last])}`}</span>`);
    for (let n = 6; n === 6 || (n >= 0 && line.scrollHeight > line.clientHeight + 4); n--) // as many as there is room for
      line.querySelector(".hint").innerHTML = [paleChip(paleKey(drawn)), ...words.slice(0, n), words.length > n && `and ${words.length - n} more`].filter(Boolean).join(", ");
  }
}
