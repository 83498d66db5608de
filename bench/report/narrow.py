"""The report of cells of narrow numbers: results.md and ratios.svg, made from the results as they stand in the JSON.
Measures nothing."""

import cells
import ladder
import rungs
from report import labels, ratios, svg, tables

LEFT, RIGHT, WIDTH, TOP, ROW = 450, 810, 1110, 116, 24
HEADINGS = tables.HEADINGS | {"genattn": "genattn", "llamacpp": "llama.cpp"}


def _number(value, form):
    return form.format(value) if value is not None else "–"


def _time(figure):
    if not figure:
        return "–"
    digits = 1 if figure.us < 10000 else 0
    return f"{figure.us:.{digits}f} [{figure.low:.{digits}f} … {figure.high:.{digits}f}]"


def _of_limit(result, figure):
    """Percent of what bounds the cell: reading, of one row; else the rung's multiply-adds."""
    measure = ladder.percent_of_read if cells.BY_NAME[result["name"]].rows == 1 else ladder.percent_of_peak
    return _number(measure(result, figure), "{:.1f}")


def _label(figure):
    return f"{HEADINGS[figure.system]} {figure.variant}" if figure else "–"


def line(result):
    """A finished cell, a line for each rung, for the terminal."""
    lines = []
    for step in ladder.steps(result):
        text = f"{result['name']:34} {step.rung.name:7}"
        if step.ours:
            text += f" genattn {step.ours.us:10.1f} us {_number(step.speed_up, '{:.2f}')}x f32"
        if step.peer:
            text += f"  best peer {step.peer.us:10.1f} us ({step.peer.label})"
        lines.append(text + (f"  {step.ratio:.2f}x" if step.ratio else ""))
    failed = [f"{system} {name}" for system, entry in result["systems"].items() for name in entry["failed"]]
    return "\n".join(lines + ([f"{result['name']}  [failed: {', '.join(failed)}]"] if failed else []))


# -- Tables ----------------------------------------------------------------------------------------------------------

def _step_row(step):
    def distance(figure):
        return _number(figure and figure.distance, "{:.1e}")

    return [
        step.result["name"], step.rung.name, _time(step.ours), distance(step.ours), _of_limit(step.result, step.ours),
        _number(step.speed_up, "{:.2f}"), _label(step.peer), _time(step.peer), distance(step.peer),
        _of_limit(step.result, step.peer), _number(step.ratio, "**{:.2f}**"), _number(step.cpu_ratio, "{:.2f}"),
    ]


def step_table(results):
    heading = ["cell", "numbers", "genattn us", "1 − cosine", "% of limit", "× our f32", "best peer", "us",
               "1 − cosine", "% of limit", "peer / genattn", "of CPU time"]
    return tables.table(heading, [_step_row(step) for result in results for step in ladder.steps(result)])


def variant_table(results):
    rows = []
    for result in results:
        for rung in rungs.RUNGS:
            rows += [[result["name"], rung.name, _label(figure), _time(figure), f"{figure.distance:.1e}",
                      _of_limit(result, figure)] for figure in ladder.figures(result, (rung.name,))]
    return tables.table(["cell", "numbers", "variant", "us", "1 − cosine", "% of limit"], rows)


def peak_table(results):
    rows = [[result["name"], *(_number(ladder.peak(result, numbers), "{:.0f}") for numbers in rungs.PEAKS)]
            for result in results]
    return tables.table(["Gop/s", *rungs.PEAKS], rows)


SECTIONS = (
    ("Rungs", "Microseconds a call: median of the rounds' medians [lowest … highest round], fastest variant at these "
     "numbers, ours and the peers' taken in turn in one run. The ratio is of times: above 1 genattn is faster; i16, "
     "which no peer has, is held against bf16. 1 − cosine is the mean over rows of the distance to float64. % of "
     "limit: where there are several rows, the operations of the whole cell over the peak of the rung's own "
     "multiply-adds in this run, though attention's products may be of wider numbers; where there is one, its bytes "
     "over the speed of reading as many. The ratio of CPU time is that of the best rounds: where the machine was busy, "
     "it says more.", step_table),
    ("All variants", "", variant_table),
    ("Peaks", "Of the multiply-adds that each kind of numbers has, a product and its addition being two.", peak_table),
)


def document(results, measured):
    text = f"# Narrow numbers: genattn and its peers on {results['machine']['cpu']}\n\n"
    text += f"{tables.notes(results, measured)}{tables.machine(results)}\n"
    for title, explanation, make in SECTIONS:
        text += f"\n## {title}\n\n" + (f"{explanation}\n\n" if explanation else "") + make(measured)
    return text + f"\n## Left out\n\n{tables.left_out(results)}"


# -- The picture -----------------------------------------------------------------------------------------------------

def _row(drawing, scale, y, step):
    drawing.text(24, y + 4.5, labels.label(step.result["name"]), 12)
    drawing.text(LEFT - 12, y + 4.5, labels.NUMBERS.get(step.rung.name, step.rung.name), 12, anchor="end",
                 weight="bold")
    colour = svg.FASTER if step.ratio >= 1.0 else svg.SLOWER
    ends = sorted((scale(1.0), scale(max(scale.low, min(step.ratio, scale.high)))))
    drawing.rectangle(ends[0], y - 7, max(ends[1] - ends[0], 1.0), 14, colour, fill_opacity=0.35)
    drawing.text(RIGHT + 14, y + 4.5, f"{step.ratio:.2f}×", 13, colour, weight="bold")
    drawing.text(RIGHT + 60, y + 4.5, labels.variant(_label(step.peer)), 11, svg.QUIET)


def chart(results, measured):
    found = [step for result in measured for step in ladder.steps(result) if step.ratio]
    bottom = TOP + ROW * len(found)
    drawing = svg.Drawing(WIDTH, bottom + 46, "Time of the best peer at the same numbers, in units of genattn's")
    known = [step.ratio for step in found] or [1.0]
    scale = svg.Log(min(0.95, min(known) / 1.04), max(1.3, max(known) * 1.06), LEFT, RIGHT)
    drawing.text(24, 34, "Time of the best peer at the same numbers, in units of genattn’s", 20, weight="bold")
    drawing.text(24, 56, f"{results['machine']['cpu']}. Right of 1, genattn is faster; i16 is held against bf16.", 13,
                 svg.QUIET)
    ratios.axis(drawing, scale, bottom)
    for number, step in enumerate(found):
        _row(drawing, scale, TOP + ROW * (number + 0.5), step)
    return drawing.document()


def write(results, measured, folder):
    """Returns the names of the files."""
    (folder / "results.md").write_text(document(results, measured))
    (folder / "ratios.svg").write_text(chart(results, measured))
    return ["results.md", "ratios.svg"]


def is_of(results):
    """Whether these are results of narrow numbers."""
    return any(cells.BY_NAME[result["name"]].narrow for result in results)
