/* The map of weightings, and the strips of ranks and bases: which system has the highest mean where. */

const WIDE = 400, MARGIN = 46, SIDE = WIDE - 2 * MARGIN, UP = Math.sqrt(3) / 2;
const spanned = (of = state) => of.mapped.split("_").map(Number);
const isTriangle = () => spanned().length === 3;
/** The height of the lower side of the triangle; with two levels, of the middle of the strip. */
const footOf = () => (isTriangle() ? MARGIN - 10 + SIDE * UP : 40);
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

const isInside = (x, y) => pointAt(x, y).every((part) => part >= 0);
/** The systems of which a document is judged; there is no conclusion from others. */
const judgedRuns = () => shownRuns().filter((run) => !data.unmet.includes(run));

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

/** The weighting at a point, in so many digits; the highest level keeps its gain. */
function gainsAt(point, digits = 3) {
  const levels = spanned(), highest = state.gains[state.gains.length - 1];
  const top = highest > 0 ? highest : data.levels[data.levels.length - 1];
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

/** Neighbouring leads of the same run, which alone may be the best or not, as stretches: where they begin, and how
    many they are. */
function stretchesOf(leads, runs) {
  const stretches = [];
  if (!runs.length) return []; // no shown system has a judged document
  leads.forEach(({best, isAlone}, at) => {
    const run = runs[best], former = stretches.at(-1);
    if (former?.run === run && former.isAlone === isAlone) former.count += 1;
    else stretches.push({run, isAlone, first: at, count: 1});
  });
  return stretches;
}

/** The runs that have stretches, those with the most leads first. */
function winnersOf(stretches) {
  const winners = [...new Set(stretches.map(({run}) => run))].map((run) => {
    const own = stretches.filter((one) => one.run === run);
    return {run, own, count: own.reduce((sum, {count}) => sum + count, 0)};
  });
  return winners.sort((a, b) => b.count - a.count);
}

/** The map as rows of a lattice, in stretches with their middles, widths and outlines in the picture. */
function regions() {
  const runs = judgedRuns(), levels = spanned();
  const cost = (runs.length + 2) * size() * levels.length, budget = resting && !isPaper() ? 3e6 : 3e7;
  const steps = isTriangle() ? Math.round(Math.min(Math.max(Math.sqrt((2 * budget) / cost), 16), 120)) : 400;
  return calculator.remember(keyOf(state, ["gains"], "map", levels, runs, steps), () => {
    const rows = Array.from({length: isTriangle() ? steps + 1 : 1}, (_, row) => Array.from({length: steps + 1 - row}, (_, i) =>
      (isTriangle() ? [steps - row - i, row, i] : [steps - i, i]).map((part) => part / steps)));
    const leads = calculator.leadsAt(state, levels, rows.flat(), runs), wide = SIDE / steps, high = isTriangle() ? wide * UP : 30;
    return rows.flatMap((row) => stretchesOf(leads.splice(0, row.length), runs).map((stretch) => {
      const [[left, y], [right]] = [row[stretch.first], row[stretch.first + stretch.count - 1]].map(placeOf);
      const corner = [left - wide / 2, y - high / 2].map((at) => at.toFixed(1)), across = (wide * stretch.count).toFixed(1);
      return {...stretch, x: (left + right) / 2, y, room: right - left, high, path: `M${corner}h${across}v${(high + 0.3).toFixed(1)}h-${across}z`};
    }));
  });
}

const pen = document.createElement("canvas").getContext("2d");
/** How wide a text is in the page's font of some size. */
function widthOf(text, size) {
  pen.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

/** A text at the first of some places that is at least 6 px from the boxes of other texts and from the outline,
    or nowhere; its own box is added to them. */
function placeText(words, size, taken, places) {
  const wide = widthOf(words, size), left = {start: 0, middle: wide / 2, end: wide};
  for (const [x, y, side = "middle"] of places) {
    const box = [x - left[side] - 3, y - 0.8 * size - 3, x - left[side] + wide + 3, y + 0.25 * size + 3];
    const hides = taken.some((one) => one[0] < box[2] && box[0] < one[2] && one[1] < box[3] && box[1] < one[3]);
    const within = [0, 2].flatMap((i) => [1, 3].map((j) => isInside(box[i], box[j])));
    if (hides || (isTriangle() && new Set(within).size > 1) || box[0] < 0 || box[2] > WIDE) continue;
    taken.push(box);
    return `<text class="label" paint-order="stroke" stroke="${theme.paper}" stroke-width="3" stroke-linejoin="round" x="${x}" y="${y}" text-anchor="${side}">${escaped(words)}</text>`;
  }
  return "";
}

/** The colour in which a run's areas are drawn: muted where other systems may also be the best. */
const drawnAs = (run, isAlone) => mixed(theme.paper, areaOf(run), isAlone ? 0.75 : 0.3);

/** What the areas say of certainty, in words. */
function certainty(stretches) {
  if (!hasTest()) return `hatched: no test for ${dividesMeans(state) ? "this mean" : size() > 1 ? "these topics" : "one topic"}`;
  return stretches.some(({isAlone}) => !isAlone) ? "muted: other systems may also be best" : "";
}

/** The key of some stretches, as elements: the winners with the colours in which they are drawn and words on how
    many leads they have, which are a share of all, and what the areas say of certainty. */
function keysOf(stretches, tag, wordsOn) {
  const all = stretches.reduce((sum, {count}) => sum + count, 0);
  const keys = winnersOf(stretches).map(({run, own, count}) => {
    const [one, other] = [own.some(({isAlone}) => isAlone), own.every(({isAlone}) => isAlone)].map((isAlone) => drawnAs(run, isAlone));
    return `<${tag} data-run="${run}"><span class="chip" style="background:linear-gradient(90deg,${one} 50%,${other} 50%)"></span>`
      + `<bdi title="${escaped(data.names[run])}">${escaped(data.short[run])}</bdi>${wordsOn(count, count / all)}</${tag}>`;
  });
  const words = certainty(stretches), grey = mixed(theme.paper, theme.ink, 0.2);
  if (words) keys.push(`<${tag}><span class="chip${hasTest() ? "" : " hatched"}" style="background-color:${grey}"></span>${words}</${tag}>`);
  return keys;
}

/** The map as SVG, and the list of the systems that have the highest mean somewhere on it. */
function paintMap() {
  const stretches = regions(), winners = winnersOf(stretches), letters = isPaper() ? 15 : 12;
  const corners = spanned().map((_, j) => spanned().map((_, i) => Number(i === j)));
  const outline = isTriangle() ? `M${corners.map(placeOf).join("L")}z` : `M${MARGIN} 25h${SIDE}v30h-${SIDE}z`;
  const area = (run, own, rest) => `<path d="${own.map(({path}) => path).join("")}" data-run="${run}" ${rest}/>`;
  const filled = winners.flatMap(({run, own}) => [ // an area covers its own line, but not what of its neighbours' is outside
    area(run, own, `class="region" fill="${drawnAs(run, false)}" stroke="${theme.ink}" stroke-width="1.6" paint-order="stroke"`),
    area(run, own.filter(({isAlone}) => isAlone), `class="alone" fill="${drawnAs(run, true)}"`),
  ]);
  const feet = corners.map((corner, j) => {
    const [x, y] = placeOf(corner), isTop = isTriangle() && j === 1;
    return {x, y: isTriangle() ? y + (isTop ? -8 : 18) : 72, words: gainsText(gainsAt(corner).map((gain) => Number(gain > 0)))};
  });
  const dots = dotsOnMap(), taken = [...dots.map(({x, y}) => [x - 5, y - 5, x + 5, y + 5]),
    ...feet.map(({x, y, words}) => [x - widthOf(words, letters) / 2, y - 10, x + widthOf(words, letters) / 2, y + 3])];
  const mixture = mixtureOf(state.gains);
  const marker = mixture ? placeOf(mixture).map((at, i) => Math.min(Math.max(at, 9), (i ? mapHeight() : WIDE) - 9)) : null;
  if (marker) taken.push([marker[0] - 11, marker[1] - 11, marker[0] + 11, marker[1] + 11]);
  const names = winners.map(({run, own, count}) => { // inside its region, as near to the middle as there is room
    const name = data.short[run], middle = own.reduce((sum, one) => sum + one.count * one.y, 0) / count;
    const half = widthOf(name, letters) / 2, rise = letters / 3;
    const isOwn = (x, y) => own.some((one) => Math.abs(one.x - x) <= one.room / 2 && Math.abs(one.y - y) <= one.high / 2);
    const places = own.filter(({room}) => room > 2 * half + 6).flatMap(({x, y, room}) => [0, -0.25, 0.25, -0.5, 0.5].map((share) => {
      const aside = share * (room - 2 * half - 6);
      return {x: x + aside, y, far: Math.abs(aside) + Math.abs(y - middle)};
    }));
    const inside = places.filter(({x, y}) => [-half, half].every((across) => isOwn(x + across, y - rise) && isOwn(x + across, y + rise)));
    inside.sort((a, b) => a.far - b.far);
    return placeText(name, letters, taken, inside.map(({x, y}) => [x, y + 4]));
  });
  const schemes = dots.map(({label, gains, x, y}) => {
    const words = data.levels[0] < 0 ? label.split(" (")[0] : gainsText(gains) || gains.join("-");
    const beside = isTriangle() ? [[x + 9, y + 4, "start"], [x - 9, y + 4, "end"]] : [];
    const heights = isTriangle() ? [-12, 20, -26, 34].map((up) => y + up) : [18, 4, 70];
    return placeText(words, letters, taken, [...beside, ...heights.flatMap((at) => ["middle", "start", "end"].map((side) => [x, at, side]))]);
  });
  const ends = feet.map(({x, y, words}) => `<text x="${x}" y="${y}" text-anchor="middle">${escaped(words)}</text>`);
  const circles = dots.map(({label, x, y}) =>
    `<circle cx="${x}" cy="${y}" r="3.5" fill="${theme.paper}" stroke="${theme.ink}"><title>${escaped(label)}</title></circle>`);
  const point = marker ? `<circle cx="${marker[0]}" cy="${marker[1]}" r="8" fill="none" stroke="${theme.paper}" stroke-width="5"/>`
    + `<circle id="point" cx="${marker[0]}" cy="${marker[1]}" r="8" fill="${theme.ink}" fill-opacity="0.15" stroke="${theme.ink}" stroke-width="2.5"/>` : "";
  const legend = keysOf(stretches, "li", (_, share) => (share === 1 ? ": the whole map" : `: ${percent(share)} of the map`));
  const hatches = hasTest() ? "" : `<path d="${outline}" fill="url(#hatches)"/>`;
  const picture = `<defs><clipPath id="inside"><path d="${outline}"/></clipPath><pattern id="hatches" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V7" stroke="${theme.quiet}" stroke-width="1.5"/></pattern></defs>`
    + `<g clip-path="url(#inside)">${filled.join("")}</g>`
    + `${hatches}<path d="${outline}" fill="none" stroke="${theme.ink}"/>${circles.join("")}${names.join("")}${schemes.join("")}${ends.join("")}${point}`;
  return {picture, legend: legend.join(""), key: certainty(stretches)};
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
  const other = "This weighting is not on the map: it gives a gain to a level of 0 or below, or distinguishes levels that the map does not.";
  $("map-note").innerHTML = state.gains.every((gain) => gain === 0) ? "No level has a gain, so all systems are equal."
    : `<span class="again">${escaped($("answer").textContent)} </span>${isOutside() ? OUTSIDE : mixtureOf(state.gains) ? "" : other}`; // if it is out of sight
}

function bindMap() {
  const map = $("map");
  const move = ({clientX, clientY}) => {
    const {left, top, width} = map.getBoundingClientRect(), scale = WIDE / width;
    const x = (clientX - left) * scale, y = (clientY - top) * scale;
    const dot = dotsOnMap().find((one) => Math.hypot(one.x - x, one.y - y) <= 8 * scale);
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
    const mixture = mixtureOf(state.gains), [x, y] = placeOf(clamped(mixture ?? spanned().map(() => 1)));
    change({gains: gainsAt(clamped(pointAt(x + step[0], y + step[1])))});
  });
}

/** Along the rank, and along the base, which system has the highest mean. */
function drawStrips() {
  const runs = judgedRuns();
  for (const control of ["k", "base"]) {
    const box = $(`strip-${control}`), strip = box.closest(".strip");
    strip.hidden = control === "base" ? !hasBase(state) : data.runs < 2;
    if (strip.hidden || !runs.length) continue;
    const {xs, range, to} = scaleOf(control), room = box.clientWidth / 100;
    const leads = calculator.remember(keyOf(state, [control], "strip", runs), () => calculator.leadsAlong(state, control, xs, runs));
    const place = (x) => (100 * (to(x) - range[0])) / (range[1] - range[0]);
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
    box.classList.toggle("hatched", !hasTest());
    const wordsOn = (count, share) => (control === "k" ? ` at ${counted(count, "rank")}` : ` at ${percent(share)} of the bases`);
    strip.querySelector(".hint").innerHTML = keysOf(stretches, "span", wordsOn).join(", ");
  }
}
