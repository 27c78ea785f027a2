/* The map of weightings, and the strips of ranks and bases: which system has the highest mean where. */

const WIDE = 400, MARGIN = 46, SIDE = WIDE - 2 * MARGIN, UP = Math.sqrt(3) / 2;
const spanned = () => cumgain.spanned(state);
const isTriangle = () => spanned().length === 3;
const footOf = () => (isTriangle() ? MARGIN - 10 + SIDE * UP : 40); // the height of its lower side, or of the strip's middle
const mapHeight = () => footOf() + (isTriangle() ? MARGIN : 52);

/** Where a mixture of thresholds is in the picture: the first left, the last right, the other above. */
function placeOf(point) {
  const above = isTriangle() ? point[1] : 0;
  return [MARGIN + SIDE * (point.at(-1) + above / 2), footOf() - SIDE * UP * above];
}

function pointAt(x, y) {
  const above = isTriangle() ? (footOf() - y) / (SIDE * UP) : 0, last = (x - MARGIN) / SIDE - above / 2;
  return isTriangle() ? [1 - above - last, above, last] : [1 - last, last];
}

const judgedRuns = () => shownRuns().filter((run) => !data.unmet.includes(run)); // there is no conclusion from others

const spannedBelow = (l) => spanned().filter((one) => one <= l).pop(); // undefined if the level counts nothing on the map
const countsAs = (l) => `level ${data.levels[l]} counts ${spannedBelow(l) === undefined ? "nothing" : `as level ${data.levels[spannedBelow(l)]}`}`;

const mergedText = () => positive.filter((l) => !spanned().includes(l)).map(countsAs).join(", "); // of the levels that the map does not distinguish

/** The mixture that a weighting is: what each level adds, as a share of the highest gain; null if it is not on the map. */
function mixtureOf(gains) {
  const levels = spanned(), top = gains.at(-1);
  if (!(top > 0) || gains.some((gain, l) => gain !== (gains[spannedBelow(l)] ?? 0))) return null;
  return levels.map((l, j) => (gains[l] - (gains[levels[j - 1]] ?? 0)) / top);
}

/** The weighting at a point, in so many digits; the highest level keeps its gain. */
function gainsAt(point, digits = 3) {
  const levels = spanned(), top = state.gains.at(-1) > 0 ? state.gains.at(-1) : data.levels.at(-1);
  return data.levels.map((_, l) => {
    if (l >= levels.at(-1)) return top;
    const share = point.reduce((sum, part, j) => (levels[j] <= l ? sum + part : sum), 0);
    return Number((top * share).toPrecision(digits));
  });
}

/** The nearest point of the map. */
function clamped(point) {
  const parts = point.map((part) => Math.max(part, 0)), sum = parts.reduce((a, b) => a + b);
  return parts.map((part) => part / sum);
}

/** Neighbouring leads of the same run, all certain or not, as stretches: where they begin, and how many they are. */
function stretchesOf(leads, runs) {
  const stretches = [];
  leads.forEach(({best, isAlone}, at) => {
    const run = runs[best], former = stretches.at(-1);
    if (former?.run === run && former.isAlone === isAlone) former.count += 1;
    else stretches.push({run, isAlone, first: at, count: 1});
  });
  return stretches;
}

const countOf = (areas) => areas.reduce((sum, {count}) => sum + count, 0);

/** The runs that have areas, those with the most leads first; and in how many they are shown to be best. */
function winnersOf(areas) {
  const winners = [...new Set(areas.map(({run}) => run))].map((run) => {
    const own = areas.filter((one) => one.run === run);
    return {run, own, count: countOf(own), best: countOf(own.filter(({isAlone}) => isAlone))};
  });
  return winners.sort((a, b) => b.count - a.count);
}

/** Where two areas meet between two points: where the means are equal or, of one run, where its lead begins to be certain. */
function crossing(a, b) {
  if (a.x > b.x) return crossing(b, a); // the same for both triangles that it belongs to
  const [from, to] = a.best === b.best ? [a.margin, b.margin] : [a, b].map(({means}) => means[a.best] - means[b.best]);
  const exact = from / (from - to), share = Number.isNaN(exact) ? 0.5 : Math.min(Math.max(exact, 0), 1);
  return {x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y)};
}

const at = ({x, y}) => `${x.toFixed(1)} ${y.toFixed(1)}`;
const middleOf = (points) => Object.fromEntries(["x", "y"].map((side) => [side, points.reduce((sum, one) => sum + one[side], 0) / points.length]));

/** The outlines of an area as a path, from the lines around it, which go in one direction. */
function outlined(lines) {
  const next = new Map();
  for (const [from, to] of lines.map(({line}) => line.map(at)).filter(([from, to]) => from !== to))
    next.set(from, [...next.get(from) ?? [], to]);
  let path = "";
  for (const start of next.keys())
    for (let point = start; next.get(point)?.length; point = next.get(point).pop()) path += `${point === start ? "M" : "L"}${point}`;
  return path;
}

/** The points of the map in rows, with their leads, and with the sides of the map on which they are. */
function lattice(steps, runs) {
  const row = (above) => Array.from({length: steps + 1 - above}, (_, i) =>
    (isTriangle() ? [steps - above - i, above, i] : [steps - i, i]).map((part) => part / steps));
  const rows = isTriangle() ? Array.from({length: steps + 1}, (_, above) => row(above)) : [row(0), row(0)];
  const leads = calculator.leadsAt(state, rows.flat(), runs).values();
  return rows.map((mixtures, i) => mixtures.map((mixture) => {
    const [x, y] = placeOf(mixture), lead = leads.next().value, ends = [...mixture.keys()].filter((j) => mixture[j] === 0);
    const place = isTriangle() ? {x, y, sides: ends} : {x, y: y + 30 * i - 15, sides: [...ends, `row ${i}`]};
    return {...lead, ...place, area: 2 * lead.best + lead.isAlone, isEnd: ends.length > 0};
  }));
}

/** The areas of the map, each of one run that is best or not, with their points and outlines; the borders between runs; points of borders and ends. */
function regions() {
  const runs = judgedRuns(), cost = (runs.length + 2) * data.count * spanned().length, key = (steps) => keyOf(state, ["gains"], "map", spanned(), runs, steps);
  const [coarse, fine] = [3e5, 3e7].map((budget) => (isTriangle() ? Math.round(Math.min(Math.max(Math.sqrt((2 * budget) / cost), 16), 90)) : 200));
  const steps = resting && !isPaper() && !calculator.cache.has(key(fine)) ? coarse : fine; // coarse while something moves
  if (!runs.length) return {areas: [], borders: "", marks: []};
  return calculator.remember(key(steps), () => {
    const rows = lattice(steps, runs), points = rows.flat(), lines = [], borders = [];
    const add = ({area}, ...line) => lines.push({area, line});
    const triangles = rows.slice(1).flatMap((upper, row) => rows[row].flatMap((one, i, lower) =>
      [[one, upper[i], lower[i + 1]], [lower[i + 1], upper[i], upper[i + 1]]])).filter((corners) => corners.every(Boolean));
    for (const corners of triangles) { // between points of several areas, it is divided among these
      const edges = corners.map((one, i) => [one, corners[(i + 1) % 3]]);
      const joints = edges.map(([one, next]) => (one.area === next.area ? null : crossing(one, next))), middle = middleOf(joints.filter(Boolean));
      for (const [i, [one, next]] of edges.entries()) {
        const joint = joints[i], isOuter = one.sides.some((side) => next.sides.includes(side));
        if (isOuter) add(one, one, joint ?? next);
        if (isOuter && joint) add(next, joint, next);
        if (!joint) continue;
        add(one, joint, middle);
        add(next, middle, joint);
        if (one.best !== next.best) borders.push([joint, middle]);
      }
    }
    const areas = [...new Set(points.map(({area}) => area))].map((area) => {
      const isOwn = (one) => one.area === area, own = points.filter(isOwn), [{best, isAlone}] = own;
      return {run: runs[best], isAlone, points: own, count: own.length, path: outlined(lines.filter(isOwn))};
    });
    const marks = [...points.filter(({isEnd}) => isEnd), ...borders.flat()];
    return {areas, borders: borders.map(([from, to]) => `M${at(from)}L${at(to)}`).join(""), marks};
  });
}

const pen = document.createElement("canvas").getContext("2d");
/** How wide a text is in the page's font of some size. */
function widthOf(text, size) {
  pen.font = `600 ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

/** A system's name where its region has room for it, near to the middle; of two levels, above the strip. */
function nameInside(run, points, marks, letters) {
  const half = widthOf(data.short[run], letters) / 2, high = isTriangle() ? letters / 2 : Infinity, some = points.filter((_, i) => i % Math.ceil(points.length / 400) === 0), middle = middleOf(some);
  const gap = (one, {x, y}) => Math.max(Math.abs(one.x - x) - half, Math.abs(one.y - y) - high) - (one.r ?? 0);
  const places = some.map((point) => {
    const room = Math.min(30, ...marks.map((one) => gap(one, point)));
    return {...point, room, worth: room - Math.hypot(point.x - middle.x, point.y - middle.y) / 10};
  }).filter(({room}) => room > 2);
  if (!places.length) return "";
  const {x, y} = places.reduce((best, one) => (one.worth > best.worth ? one : best)), height = isTriangle() ? y + letters / 3 : 18;
  return svgText(x.toFixed(1), height.toFixed(1), data.short[run],
    `class="label" text-anchor="middle" font-weight="600" paint-order="stroke" stroke="${theme.paper}" stroke-width="3" stroke-linejoin="round"`);
}

const drawnAs = (run, isAlone) => mixed(theme.paper, colourOf(run), isAlone ? 0.75 : 0.3); // muted where others may also be best

/** The key of some areas, as elements: the systems with their colours, how many leads they have, and in how many they are best. */
function keysOf(areas, tag, wordsOn, bestIn) {
  const all = countOf(areas), winners = winnersOf(areas);
  const keys = winners.map(({run, count, best}) => {
    const [one, other] = [best > 0, best === count].map((isAlone) => drawnAs(run, isAlone)), isBest = best ? `, best ${bestIn(best, best / all)}` : "";
    return `<${tag} data-run="${run}"><span class="chip" style="background:linear-gradient(90deg,${one} 50%,${other} 50%)"></span>`
      + `<bdi title="${escaped(data.names[run])}">${escaped(data.short[run])}</bdi>: ${wordsOn(count, count / all)}${isBest}</${tag}>`;
  });
  const shown = winners.some(({best}) => best) ? `best: shown at ${data.confidence}` : `none is shown to be best at ${data.confidence}`;
  return [...keys, `<${tag}>${calculator.hasTest ? shown : "no test for one topic"}</${tag}>`];
}

/** The map as SVG, and its keys. */
function paintMap() {
  const found = regions(), {areas, borders, marks} = found, winners = winnersOf(areas), letters = isPaper() ? 15 : 13;
  const corners = cumgain.cornersOf(state);
  const outline = isTriangle() ? `M${corners.map(placeOf).join("L")}z` : `M${MARGIN} 25h${SIDE}v30h-${SIDE}z`;
  const filled = areas.map(({run, isAlone, path}) => { // a line in its own colour closes the gap to its neighbours
    const colour = drawnAs(run, isAlone);
    return `<path d="${path}" data-run="${run}" class="region${isAlone ? " alone" : ""}" fill="${colour}" stroke="${colour}" stroke-width="0.7"/>`;
  });
  const dots = dotsOnMap(), mixture = mixtureOf(state.gains);
  const names = (found[`names ${letters} ${theme.paper}`] ??= winners.map(({run, own}) => // which the point does not move
    nameInside(run, own.flatMap(({points}) => points), isTriangle() ? [...marks, ...dots] : marks, letters)));
  const foot = isTriangle() ? 18 : 32;
  const ends = corners.map((corner) => {
    const [x, y] = placeOf(corner), below = y < footOf() ? -8 : foot; // the corner at the top has its name above it
    return svgText(x, y + below, gainsText(gainsAt(corner).map((gain) => Number(gain > 0))), 'text-anchor="middle"');
  });
  const circles = dots.map(({label, x, y, r}, i) => `<circle cx="${x}" cy="${y}" r="${r}" fill="${theme.paper}" stroke="${theme.ink}"><title>${escaped(label)}</title></circle>`
    + svgText(x, y + r / 2, i + 1, 'class="number" text-anchor="middle" font-size="10"'));
  const [x, y] = mixture ? placeOf(mixture).map((along, i) => Math.min(Math.max(along, 11), (i ? mapHeight() : WIDE) - 11)) : [];
  const point = mixture ? `<circle cx="${x}" cy="${y}" r="10" fill="none" stroke="${theme.paper}" stroke-width="5"/>`
    + `<circle id="point" cx="${x}" cy="${y}" r="10" fill="${theme.ink}" fill-opacity="0.12" stroke="${theme.ink}" stroke-width="2.5"/>` : "";
  const picture = `${filled.join("")}<path d="${borders}" fill="none" stroke="${theme.ink}" stroke-width="1.2" stroke-linecap="round"/>`
    + `<path d="${outline}" fill="none" stroke="${theme.ink}"/>${names.join("")}${circles.join("")}${ends.join("")}${point}`;
  return {picture, legend: keysOf(areas, "li", (_, share) => (share === 1 ? "the whole map" : percent(share)), (_, share) => `in ${percent(share)}`)};
}

/** The weightings of the papers that are on the map, which have numbers; corners have names. */
function dotsOnMap() {
  const dots = new Map(); // one for each place
  for (const {label, gains} of data.presets) {
    const mixture = mixtureOf(gains);
    if (!mixture || mixture.some((part) => part < 0 || part === 1)) continue;
    const [x, y] = placeOf(mixture), words = data.levels[0] < 0 ? label.split(" (")[0] : gainsText(gains) || gains.join("-");
    dots.set(String(mixture.map((part) => part.toFixed(9))), {label, words, gains, x, y, r: isPaper() ? 10 : 7});
  }
  return [...dots.values()];
}

function drawMap() {
  if (positive.length < 2) return;
  const {picture, legend} = paintMap();
  $("map").innerHTML = `<svg viewBox="0 0 ${WIDE} ${mapHeight()}" aria-hidden="true">${picture}</svg>`;
  $("map-legend").innerHTML = legend.join("");
  $("map-dots").innerHTML = dotsOnMap().map(({label, words}, i) => `<li title="${escaped(label)}"><b>${i + 1}</b> ${escaped(words)}</li>`).join("");
  $("map-note").innerHTML = breakable(noteOnMap());
  $("merged").textContent = `(${mergedText()})`;
}

/** What holds at the point of the map, or why there is none. */
function noteOnMap() {
  if (state.gains.every((gain) => gain === 0)) return "No level has a gain, so all systems are equal.";
  if (state.gains.some((gain, l) => gain < state.gains[l - 1])) return "This weighting gives a lower level more gain than a higher one, so it lies outside the map.";
  if (!mixtureOf(state.gains)) {
    const apart = state.gains.findIndex((gain, l) => gain !== (state.gains[spannedBelow(l)] ?? 0));
    return `This weighting is not on the map, on which ${countsAs(apart)}.`;
  }
  const found = rivals();
  return found.order.length > 1 ? `Here, ${lead(found)}.` : "";
}

function bindMap() {
  const map = $("map");
  const move = ({clientX, clientY}) => {
    const {left, top, width} = map.getBoundingClientRect(), scale = WIDE / width;
    const x = (clientX - left) * scale, y = (clientY - top) * scale;
    const dot = dotsOnMap().find((one) => Math.hypot(one.x - x, one.y - y) <= 10 * scale);
    change(dot ? {gains: dot.gains, top: 0} : {gains: gainsAt(clamped(pointAt(x, y)), 2)});
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
    const [x, y] = placeOf(clamped(mixtureOf(state.gains) ?? spanned().map(() => 1)));
    change({gains: gainsAt(clamped(pointAt(x + step[0], y + step[1])))});
  });
}

/** Along the rank or the base, which system has the highest mean. */
function drawStrip(control) {
  const runs = judgedRuns();
  const box = $(`strip-${control}`), strip = box.closest(".strip");
  strip.hidden = control === "base" ? !hasBase(state) : data.runs < 2;
  if (strip.hidden || !runs.length) return;
  const {xs, to} = scaleOf(control), {min, max} = strip.querySelector("input"), room = box.clientWidth / 100;
  const leads = calculator.remember(keyOf(state, [control], "strip", runs), () => calculator.leadsAlong(state, control, xs, runs));
  const place = (x) => (100 * (to(x) - min)) / (max - min || 1);
  const edge = (i) => (i < 0 ? 0 : i >= xs.length - 1 ? 100 : (place(xs[i]) + place(xs[i + 1])) / 2);
  const stretches = stretchesOf(leads, runs);
  const segments = stretches.map(({run, isAlone, first, count}, i) => {
    const left = edge(first - 1), wide = edge(first + count - 1) - left, colour = drawnAs(run, isAlone);
    const fits = stretches[i - 1]?.run !== run && widthOf(data.short[run], 12) + 8 < wide * room;
    return `<span data-run="${run}" style="left:${left}%;width:${wide}%;background-color:${colour};color:${inkOn(colour)}">${fits ? `<bdi>${escaped(data.short[run])}</bdi>` : ""}</span>`;
  });
  const ticks = (control === "k" ? [1, ...ticksOf(2, data.depth, 5)] : [1.1, 1.5, 2, 3, 5, 10, 20].filter((x) => place(x) <= 100))
    .map((x) => `<small style="left:${place(x)}%">${x}</small>`);
  box.innerHTML = segments.join("") + ticks.join("");
  const wordsOn = (count, share) => (control === "k" ? counted(count, "rank") : share === 1 ? "all bases" : `${percent(share)} of the bases`);
  const bestIn = (count, share) => (control === "k" ? `at ${count} of them` : `in ${percent(share)}`);
  strip.querySelector(".hint").innerHTML = keysOf(stretches, "span", wordsOn, bestIn).join("; ");
}
