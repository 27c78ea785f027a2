/* The start, and the functions for notebooks and tests. */

async function start() {
  state = addressedState() || state;
  readTheme();
  $("link").hidden = location.protocol === "about:"; // in the frame of a notebook
  buildControls();
  document.body.classList.add("ready");
  await Promise.all(Object.entries(JSON.parse($("figures").textContent)).map(embed));
  bind();
  const watch = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries)
      if (isIntersecting) visible.add(target.id); else visible.delete(target.id);
    drawStale();
  });
  Object.keys(views).filter((name) => name !== "strips").forEach((name) => watch.observe($(name)));
  render();
}

async function embed([name, item]) {
  const [view] = await Bokeh.embed.embed_item({...item, target_id: name});
  for (const inner of [view.canvas_view, view.canvas]) if (inner?.el) inner.el.tabIndex = -1; // the chart is one stop
  models[name] = {plot: view.model, view};
}

Object.defineProperty(cumgain, "state", {get: () => state, set: change});
const changed = (settings) => allowed({...state, ...settings});
Object.assign(cumgain, { // of the state, or of the state with other settings
  values: (settings) => calculator.values(changed(settings)),
  curves: (settings, baseline) => calculator.curves(changed(settings), baseline),
  leads: (points, settings) => calculator.leadsAt(changed(settings), points, everyRun),
  leadsAlong: (control, xs, settings) => calculator.leadsAlong(changed(settings), control, xs, everyRun),
  text: (settings) => measureText(changed(settings)),
});
Object.assign(page, {pointed, isResting: () => resting === 0 && frame === 0});
await start();
