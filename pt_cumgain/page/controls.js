/* The controls of the state, and the actions of its buttons. */

// An element with data-key controls that part of the state, with data-index one element of a list.

function buildControls() {
  const addOptions = (id, options) => $(id).append(...options.map(([value, text]) => new Option(text, value)));
  addOptions("measure", NAMES.measure[1].map((name) => [name, name]));
  addOptions("ties", Object.entries(data.ties).map(([name, text]) => [name, `${name}: ${text}`]));
  addOptions("preset", [["", "custom (set below)"], ...data.presets.map(({label}, i) => [i, label])]);
  addOptions("discount", data.discounts.map(({name, text}) => [name, `${name}: ${text}`]));
  for (const id of ["baseline", "system"]) addOptions(id, data.short.map((name, run) => [run, name]));
  addOptions("mapped", SPANS.map((span) => [span, span.split("_").map((l) => data.levels[l]).join(", ")]));
  if (matchMedia("(max-width: 60rem)").matches) // as page.css has it
    for (const one of select("#rest > details:not(:first-of-type)")) one.open = false;
  for (const part of select(".compared")) part.hidden = data.runs < 2;
  $("of-many").hidden = data.runs <= data.coloured;
  if (data.count < 2) $("about").textContent = "A single topic has no intervals.";
  for (const part of select(".weightings")) part.hidden = positive.length < 2;
  if (SPANS.length < 2) $("choice").hidden = true;
  $("gains").innerHTML = data.levels.map((level, l) => `<div class="slider">`
    + `<label for="gain-${l}"><span class="chip" data-level="${l}"></span>level ${level}</label>`
    + `<input type="range" id="gain-slider-${l}" data-key="gains" data-index="${l}" min="0" max="1" step="0.005" aria-label="Gain of level ${level}, slider">`
    + `<input type="number" id="gain-${l}" data-key="gains" data-index="${l}" step="any" required></div>`).join("");
  $("shown").innerHTML = everyRun.map((run) =>
    `<li><label><input type="checkbox" data-key="shown" data-index="${run}"><span class="name" data-run="${run}"></span></label></li>`).join("");
  for (const control of select("[data-key=k]")) control.max = data.depth;
}

function changeBy(control) {
  const {key, index} = control.dataset;
  if (!control.validity.valid) return; // as while a number is being typed
  let {value} = control;
  if (control.type === "checkbox") value = control.checked;
  else if (control.type === "range") value = rounded(scaleOf(key).from(Number(value)));
  else if (index !== undefined || typeof state[key] === "number") value = Number(value);
  change({[key]: index === undefined ? value : state[key].map((old, i) => (i === Number(index) ? value : old))});
}

/** Write the state into the controls, but not into the one that is being typed in. */
function syncControls() {
  for (const control of select("[data-key]")) {
    const {key, index} = control.dataset;
    const value = index === undefined ? state[key] : state[key][index];
    if (control.type === "checkbox") control.checked = value;
    else if (control.type === "range") {
      // where the slider of a gain begins: one of a level of 0 or below reaches both ways
      if (key === "gains") control.min = isNormalised(state) || positive.includes(Number(index)) ? 0 : -1;
      control.value = scaleOf(key).to(value);
      control.setAttribute("aria-valuetext", String(value));
    } else if (control.type !== "number" || document.activeElement !== control) control.value = value;
    if (control.type === "number" && key === "gains") control.min = isNormalised(state) ? 0 : "";
  }
  $("where").hidden = data.runs < 2 || (positive.length < 2 && !hasBase(state));
  const preset = data.presets.findIndex(({gains}) => gains.every((gain, l) => gain === state.gains[l]));
  $("preset").value = preset < 0 ? "" : preset;
  for (const chip of select("#gains .chip")) chip.style.background = levelColour(Number(chip.dataset.level));
  for (const label of select("#shown .name")) label.innerHTML = named(Number(label.dataset.run));
  $("discount").disabled = !isDiscounted(state);
  $("with-ideal").hidden = isNormalised(state);
  for (const control of select("[data-key=base]")) control.disabled = !hasBase(state);
  for (const option of $("system").options) option.disabled = Number(option.value) === state.baseline;
  $("base").max = largestBase(state); // the browser says so
}

const actions = { // of a button, by its data attribute
  topic: (topic) => openTopic(Number(topic)),
  system: (run) => { if (Number(run) !== state.baseline) change({system: Number(run)}); },
  sort: (key) => change({sort: state.sort === key ? `-${key}` : key}),
  sorttopics: (key) => change({sorttopics: state.sorttopics === key ? `-${key}` : key}),
  unfilter: () => { $("find").value = ""; render(true); },
  reset: () => { $("find").value = ""; change(asWritten); $("main").focus(); },
  skip: (id) => $(id).focus(),
  unfold: () => {
    const isOpen = $("controls").classList.toggle("unfolded");
    $("unfold").setAttribute("aria-expanded", isOpen);
    $("unfold").textContent = isOpen ? "Less" : "More";
  },
  show: (which) => change({shown: everyRun.map((run) => which === "all" || run === state.baseline)}),
  more: (name) => { listed[name] = [Infinity, 0]; render(true); },
  csv: (name) => save(`${name}.csv`, "text/csv", csv(name)),
  svg: (name) => save(`${name}.svg`, "image/svg+xml", svg(name)),
  copy: (which) => copy(which === "link" ? `${location.href.split("#")[0]}#${toFragment(state)}` : measureText()),
};

function bind() {
  $("controls").addEventListener("focusout", () => syncControls());
  $("preset").addEventListener("change", ({target}) => {
    if (target.value !== "") change({gains: data.presets[target.value].gains, top: 0});
  });
  document.addEventListener("input", ({target}) => {
    if (target.dataset.key) changeBy(target);
    if (target.id === "find") render(true);
  });
  document.addEventListener("change", ({target}) => { if (target.type === "number") target.reportValidity(); });
  addEventListener("pointerdown", ({pointerType}) => { isTouched = pointerType === "touch"; }, true);
  document.addEventListener("click", ({target}) => {
    const row = getSelection().isCollapsed && target.closest("#topics-table tr");
    const button = target.closest("button") ?? (row ? row.querySelector("[data-topic]") : null);
    for (const [action, value] of Object.entries(button ? button.dataset : {})) actions[action](value);
  });
  for (const name of Object.keys(models)) {
    const reader = $(`${name}-reader`), follow = () => point(name, Number(reader.value) - axisOf(name).first);
    for (const event of ["input", "focus"]) reader.addEventListener(event, follow);
    reader.addEventListener("blur", () => point(name, NaN));
    reader.addEventListener("keydown", ({key}) => { if (key === "Enter" && name === "topics") openRead(); });
  }
  bindMap();
  document.addEventListener("mouseover", ({target}) => {
    if (target.closest(".chart")) return; // which has a reading of its own
    const row = target.closest("[data-run]");
    light(row ? Number(row.dataset.run) : null);
  });
  addEventListener("hashchange", () => {
    const next = addressedState();
    if (next && toFragment(next) !== toFragment(state)) { state = next; refresh(); }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readTheme(); render(); });
  addEventListener("beforeprint", () => printAs(true));
  addEventListener("afterprint", () => printAs(false));
}

function change(settings) {
  $("copied").textContent = "";
  const swapped = settings.baseline === state.system ? {system: state.baseline} : {};
  state = allowed({...state, ...swapped, ...settings});
  refresh();
}

/** Write the state into the address, so that Back returns to the state before. */
function remember() {
  const fragment = "#" + toFragment(state);
  if (fragment === location.hash) return;
  try {
    history[location.hash ? "pushState" : "replaceState"](null, "", fragment);
  } catch { /* some frames may not change their address */ }
}
