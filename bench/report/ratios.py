"""The bars: for each cell how many times longer the best peer takes than genattn, and a dot for each other one."""

import stats
from report import labels, svg
from report.tables import HEADINGS, is_of_models, systems_of

WIDTH, TOP, ROW, BOTTOM = 1060, 116, 27, 46
LEFT, RIGHT = 336, 760  # the plot, in pixels
TICKS = (0.25, 0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0)
FARTHEST = 4.0  # dots beyond stand at the edge, and are drawn hollow


def _range(results):
    """The ratios shown: from a little below the least to a little above the largest."""
    found = [stats.ratio(result, (name,)) for result in results for name in stats.peers(result)]
    found = [min(ratio, FARTHEST) for ratio in found if ratio] or [1.0]
    return min(0.95, min(found) / 1.04), max(1.3, max(found) * 1.06)


def _heading(drawing, results, names):
    machine = results["machine"]
    of_models = is_of_models(results["cells"])
    what, last = ("a whole model", ", layers") if of_models else ("one attention layer", " / heads")
    drawing.text(24, 34, f"Time of {what}, in units of genattn’s", 20, weight="bold")
    drawing.text(24, 56, f"{machine['cpu']}, f32, {machine['isas'][0]}. Bar and figure: the best peer of the cell. "
                 "Dots: every engine. Right of 1, genattn is faster.", 13, svg.QUIET)
    drawing.text(24, TOP - 10, f"batch × rows, d_model{last}", 12, svg.QUIET)
    x = 24
    for name in names:
        drawing.circle(x + 5, 80, 5, svg.COLOURS[name])
        drawing.text(x + 15, 84.5, HEADINGS[name])
        x += 40 + 7.4 * len(HEADINGS[name])


def _apart(ticks, scale):
    """Those whose figures do not touch, 1 among them."""
    kept = []
    for tick in sorted(ticks, key=lambda tick: (tick != 1.0, tick)):
        if all(abs(scale(tick) - scale(other)) >= 38 for other in kept):
            kept.append(tick)
    return kept


def axis(drawing, scale, bottom):
    ticks = [tick for tick in TICKS if scale.low <= tick <= scale.high]
    for tick in ticks:
        one = tick == 1.0
        drawing.line(scale(tick), TOP - 6, scale(tick), bottom, svg.INK if one else svg.RULE, 1.5 if one else 1)
    for tick in _apart(ticks, scale):
        drawing.text(scale(tick), bottom + 18, f"{tick:g}×", 12, svg.QUIET, "middle")


def _dots(drawing, scale, y, result):
    for name in reversed(stats.peers(result)):
        ratio = stats.ratio(result, (name,))
        if ratio:
            inside, colour = ratio <= FARTHEST, svg.COLOURS[name]
            drawing.circle(scale(min(ratio, FARTHEST)), y, 4.5, colour if inside else svg.PAPER,
                           stroke=svg.PAPER if inside else colour, stroke_width=1 if inside else 2)


def _row(drawing, scale, y, result):
    mine, peer = stats.ours(result), stats.best_peer(result)
    drawing.text(24, y + 4.5, labels.label(result["name"]), 13)
    if not mine or not peer:
        drawing.text(RIGHT + 14, y + 4.5, "not measured", 12, svg.QUIET)
        return
    ratio = peer.us / mine.us
    colour = svg.FASTER if ratio >= 1.0 else svg.SLOWER
    ends = sorted((scale(1.0), scale(max(scale.low, min(ratio, scale.high)))))
    drawing.rectangle(ends[0], y - 8, max(ends[1] - ends[0], 1.0), 16, colour, fill_opacity=0.35)
    _dots(drawing, scale, y, result)
    drawing.text(RIGHT + 14, y + 4.5, f"{ratio:.2f}×", 13, colour, weight="bold")
    drawing.text(RIGHT + 60, y + 4.5, HEADINGS[peer.system], 12, svg.QUIET)
    drawing.text(WIDTH - 24, y + 4.5, f"{stats.percent_of_peak(result, mine):.0f} %", 13, anchor="end")


def chart(results, measured):
    names = systems_of(measured)
    bottom = TOP + ROW * len(measured)
    drawing = svg.Drawing(WIDTH, bottom + BOTTOM, "Time of the peers in units of genattn's")
    scale = svg.Log(*_range(measured), LEFT, RIGHT)
    _heading(drawing, results, names)
    drawing.text(RIGHT + 14, TOP - 10, "best peer / genattn", 12, svg.QUIET)
    drawing.text(WIDTH - 24, TOP - 10, "of FMA peak", 12, svg.QUIET, "end")
    axis(drawing, scale, bottom)
    for number, result in enumerate(measured):
        _row(drawing, scale, TOP + ROW * (number + 0.5), result)
    return drawing.document()
