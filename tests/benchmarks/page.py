"""The interactive page in Chromium: its size, when it is ready, how fast it follows a drag."""

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import pt_cumgain
from tests.benchmarks.workloads import Workload
from tests.support.browser import opened, settled

#: Of what a run returns, about 30% is judged, at four levels, so that the map is a triangle.
#: With each, how long a step of a drag may take.
PAGES = {
    Workload("page", topics=30, documents=100, runs=12, judged=120): 50,
    Workload("page of many systems", topics=30, documents=100, runs=143, judged=120): 300,
    Workload("page of many topics", topics=1000, documents=100, runs=12, judged=120): 300,
}
STEPS = 20
#: What is measured of the slider of the rank, which redraws the map at each step; its limit is 100.
RANK = "milliseconds for 90% of the steps, slider of the rank"

#: Resolves once what has changed in this frame is painted.
PAINTED = "new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))"
#: Milliseconds from each event of a drag until its frame is painted.
DRAG = f"""async ([selector, steps, values]) => {{
  const it = document.querySelector(selector), {{left, top, width}} = it.getBoundingClientRect();
  const times = [];
  for (let i = 0; i < steps; i++) {{
    const before = cumgain.text(), begun = performance.now();
    if (it.type === "range") {{
      it.value = values[i];
      it.dispatchEvent(new InputEvent("input", {{bubbles: true}}));
    }} else {{
      const [clientX, clientY] = [left + (0.4 + i / 100) * width, top + (0.4 + i / 200) * width];
      it.dispatchEvent(new PointerEvent("pointermove",
        {{bubbles: true, pointerId: 1, buttons: 1, clientX, clientY}}));
    }}
    await {PAINTED};
    times.push(performance.now() - begun);
    if (cumgain.text() === before) throw new Error("the page does not follow");
  }}
  return times;
}}"""


def drag_slider(page: Any, slider: str, first: float, step: float, between: float) -> list[Any]:
    """Return the milliseconds of each step of a slider, for each view.

    In each view, the slider begins a bit further: the page remembers what it has drawn.
    """
    times = []
    for i, view in enumerate(page.locator("main section:visible").all()):
        view.evaluate("view => view.scrollIntoView()")
        settled(page)
        values = [first + step * j + between * i for j in range(STEPS)]
        times.append(page.evaluate(DRAG, [slider, STEPS, values]))
    return times


def drag_point(page: Any) -> float:
    """Return the milliseconds of a step of the point on the map, which a mouse holds."""
    page.locator("#map").scroll_into_view_if_needed()
    settled(page)
    page.locator("#map").hover()
    page.mouse.down()
    return statistics.median(page.evaluate(DRAG, ["#map", STEPS, None]))


def measure(browser: Any, workload: Workload, path: Path) -> dict[str, float]:
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
        highest = f"#gain-slider-{workload.levels - 1}"
        return {
            **sizes,
            "seconds until it is ready": page.evaluate(f"page.ready.then(() => {now})"),
            # views are drawn in the frame after the one in which they turn out to be in sight
            "seconds until the first screen is drawn": page.evaluate(
                f"{PAINTED}.then(() => {PAINTED}).then(() => {now})"
            ),
            "milliseconds a step, slider of a gain": max(
                map(statistics.median, drag_slider(page, highest, 0.2, 0.035, 0.005))
            ),
            RANK: max(
                statistics.quantiles(times, n=10)[-1]
                for times in drag_slider(page, "#k-slider", 11, 4, 1)
            ),
            "milliseconds a step, point on the map": drag_point(page),
        }


def compare(browser: Any, workload: Workload, step: int, rounds: int) -> list[dict[str, object]]:
    """Return a row for each size and time, the median of some rounds, beside its limit."""
    limits = {"megabytes": 3, "seconds until it is ready": 1, RANK: max(step, 100)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        found = [measure(browser, workload, path) for _ in range(rounds)]
    rows = []
    for what in found[0]:
        median = f"{statistics.median(one[what] for one in found):.3g}"
        limit = step if what.startswith("milliseconds a step") else limits.get(what, "")
        rows.append({"run": str(workload), "what": what, "median": median, "at most": limit})
    return rows
