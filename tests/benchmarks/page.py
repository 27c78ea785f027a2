"""The interactive page in Chromium: its size, when it is ready, how fast it follows a drag."""

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import pt_cumgain
from tests.benchmarks.workloads import Workload
from tests.support.browser import opened, settled

#: Of what a run returns, about 30% is judged. With each, how long a step of a drag may take.
PAGES = {
    Workload("page", topics=30, documents=100, runs=12, judged=120): 50,
    Workload("page of many systems", topics=30, documents=100, runs=143, judged=120): 300,
    Workload("page of many topics", topics=1000, documents=100, runs=12, judged=120): 300,
}
STEPS = 20

#: Resolves once what has changed in this frame is painted.
PAINTED = "new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))"
#: Milliseconds from each event of a drag until its frame is painted.
DRAG = f"""async ([selector, steps, start]) => {{
  const it = document.querySelector(selector), {{left, top, width}} = it.getBoundingClientRect();
  const times = [];
  for (let i = 0; i < steps; i++) {{
    const before = String(cumgain.state.gains), begun = performance.now();
    if (it.type === "range") {{
      it.value = start + 0.035 * i;
      it.dispatchEvent(new InputEvent("input", {{bubbles: true}}));
    }} else {{
      const [clientX, clientY] = [left + (0.4 + i / 100) * width, top + (0.4 + i / 200) * width];
      it.dispatchEvent(new PointerEvent("pointermove",
        {{bubbles: true, pointerId: 1, buttons: 1, clientX, clientY}}));
    }}
    await {PAINTED};
    times.push(performance.now() - begun);
    if (String(cumgain.state.gains) === before) throw new Error("the page does not follow");
  }}
  return times;
}}"""


def drag_slider(page: Any) -> float:
    """Return the milliseconds of a step of the highest level's slider, by the slowest view."""
    slider = f"#gain-slider-{page.evaluate('cumgain.state.gains.length') - 1}"
    medians = []
    for i, view in enumerate(page.locator("main section:visible").all()):
        view.evaluate("view => view.scrollIntoView()")
        settled(page)
        start = 0.2 + 0.005 * i  # no weighting comes twice, as the page remembers it
        medians.append(statistics.median(page.evaluate(DRAG, [slider, STEPS, start])))
    return max(medians)


def drag_point(page: Any) -> float:
    """Return the milliseconds of a step of the point on the map, which a mouse holds."""
    page.locator("#map").scroll_into_view_if_needed()
    settled(page)
    page.locator("#map").hover()
    page.mouse.down()
    return statistics.median(page.evaluate(DRAG, ["#map", STEPS, None]))


def measure(browser: Any, workload: Workload, path: Path) -> dict[str, float]:
    """Write a page, open it and drag."""
    qrels, frames = workload.make()
    runs = {f"system {i}": run for i, run in enumerate(frames)}
    begun = time.perf_counter()
    pt_cumgain.report(runs, None, qrels, path=path)
    sizes = {
        "seconds to write it": time.perf_counter() - begun,
        "megabytes": path.stat().st_size / 1e6,
    }
    with opened(browser, path, ready=False, viewport={"width": 1366, "height": 768}) as page:
        now = "performance.now() / 1000"  # since the navigation began
        return {
            **sizes,
            "seconds until it is ready": page.evaluate(f"page.ready.then(() => {now})"),
            # views are drawn in the frame after the one in which they turn out to be in sight
            "seconds until the first screen is drawn": page.evaluate(
                f"{PAINTED}.then(() => {PAINTED}).then(() => {now})"
            ),
            "milliseconds a step, slider of a gain": drag_slider(page),
            "milliseconds a step, point on the map": drag_point(page),
        }


def compare(browser: Any, workload: Workload, step: int, rounds: int) -> list[dict[str, object]]:
    """Return a row for each size and time, the median of some rounds, beside its limit."""
    limits = {"megabytes": 3, "seconds until it is ready": 1}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        found = [measure(browser, workload, path) for _ in range(rounds)]
    rows = []
    for what in found[0]:
        median = f"{statistics.median(one[what] for one in found):.3g}"
        limit = step if what.startswith("milliseconds") else limits.get(what, "")
        rows.append({"run": str(workload), "what": what, "median": median, "at most": limit})
    return rows
