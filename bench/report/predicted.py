"""The predictions: for each cell the parts of the predicted time, and a mark where the measured time is."""

import predict
import stats
from report import labels, svg

WIDTH, TOP, ROW, BOTTOM = 1060, 116, 27, 46
LEFT, RIGHT = 300, 760  # the plot, in pixels
COLOURS = {"project": "#0072b2", "score": "#e69f00", "softmax": "#d55e00", "value": "#cc79a7", "out": "#7a5195",
           "call": "#8c959f"}


def of_cells(measured):
    """[(cell, prediction)] of one thread."""
    found = [(result, predict.predict(result)) for result in measured if result["threads"] == 1]
    return [(result, prediction) for result, prediction in found if prediction]


def _heading(drawing, machine):
    drawing.text(24, 34, "Predicted and measured time, in units of the predicted time", 20, weight="bold")
    drawing.text(24, 56, f"{machine['cpu']}, one thread, f32. Bar: parts that bench/predict.py adds up. Mark: what was "
                 "measured. Dashed: 10 % away.", 13, svg.QUIET)
    x = 24
    for name, colour in COLOURS.items():
        drawing.rectangle(x, 78, 10, 10, colour)
        drawing.text(x + 15, 87.5, name)
        x += 40 + 7.4 * len(name)
    drawing.text(RIGHT + 110, TOP - 10, "predicted us", 12, svg.QUIET, "end")
    drawing.text(RIGHT + 200, TOP - 10, "measured us", 12, svg.QUIET, "end")
    drawing.text(WIDTH - 24, TOP - 10, "ratio", 12, svg.QUIET, "end")


def _axis(drawing, scale, bottom):
    for tenths in range(0, int(scale.high * 10) + 1, 2):
        drawing.line(scale(tenths / 10), TOP - 6, scale(tenths / 10), bottom)
        drawing.text(scale(tenths / 10), bottom + 18, f"{tenths / 10:g}", 12, svg.QUIET, "middle")
    for limit in (1 - predict.LIMIT, 1 + predict.LIMIT):
        drawing.line(scale(limit), TOP - 6, scale(limit), bottom, svg.QUIET, stroke_dasharray="4 4")


def _row(drawing, scale, y, result, prediction):
    drawing.text(24, y + 4.5, labels.label(result["name"]))
    at = 0.0
    for name, us in prediction.parts.items():
        end = at + us / prediction.us
        drawing.rectangle(scale(at), y - 8, scale(end) - scale(at), 16, COLOURS[name])
        at = end
    mark = scale.clamped(prediction.factor)
    drawing.line(mark, y - 11, mark, y + 11, svg.INK, 3, **{"stroke-linecap": "round"})
    drawing.text(RIGHT + 110, y + 4.5, f"{prediction.us:.1f}", 12, anchor="end")
    drawing.text(RIGHT + 200, y + 4.5, f"{prediction.measured:.1f}", 12, anchor="end")
    drawing.text(WIDTH - 24, y + 4.5, f"{prediction.factor:.2f}", anchor="end",
                 fill=svg.SLOWER if prediction.is_off else svg.INK)


def chart(results, measured):
    found = of_cells(measured)
    bottom = TOP + ROW * len(found)
    drawing = svg.Drawing(WIDTH, bottom + BOTTOM, "Predicted and measured time")
    scale = svg.Linear(0.0, max([1.2] + [prediction.factor for _, prediction in found]) + 0.05, LEFT, RIGHT)
    _heading(drawing, results["machine"])
    _axis(drawing, scale, bottom)
    for number, (result, prediction) in enumerate(found):
        _row(drawing, scale, TOP + ROW * (number + 0.5), result, prediction)
    mean = stats.geometric_mean([prediction.factor for _, prediction in found])
    if mean:
        drawing.text(LEFT, bottom + 40, f"geometric mean of the ratios: {mean:.3f}", 13, svg.QUIET)
    return drawing.document()
