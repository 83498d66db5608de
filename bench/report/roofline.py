"""The roofline: what each cell reaches against how many operations it has for each byte, under the roofs that the
machine's multiply-add units and memories set in the same run."""

import math

import stats
from report import labels, svg
from report.tables import is_of_models

WIDTH, TOP = 1180, 92
LEFT, RIGHT = 74, 690
LIST_ROW = 19
INTENSITIES = (0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
SPEEDS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def _points(measured):
    """[(number, cell, operations a byte, GFLOP/s, best peer's GFLOP/s or None)] of one thread, by operations a byte."""
    found = []
    for result in measured:
        if result["threads"] > 1:
            continue
        mine, peer = stats.ours(result), stats.best_peer(result)
        if mine and result["machine"]:
            found.append((result, result["flops"] / result["bytes"], result["flops"] / mine.us / 1e3,
                          result["flops"] / peer.us / 1e3 if peer else None))
    found.sort(key=lambda point: point[1])
    return [(number, *point) for number, point in enumerate(found, 1)]


def _scales(points, peak, bottom):
    low, high = min((p[2] for p in points), default=1.0), max((p[2] for p in points), default=100.0)
    slowest = min((s for p in points for s in p[3:] if s), default=peak / 10)
    return (svg.Log(low / 1.8, max(high * 1.8, 64), LEFT, RIGHT),
            svg.Log(min(slowest / 1.5, peak / 6), peak * 2.2, bottom, TOP))


def _grid(drawing, x, y, bottom):
    for tick in INTENSITIES:
        if x.low <= tick <= x.high:
            drawing.line(x(tick), TOP, x(tick), bottom)
            drawing.text(x(tick), bottom + 18, f"{tick:g}", 12, svg.QUIET, "middle")
    for tick in SPEEDS:
        if y.low <= tick <= y.high:
            drawing.line(LEFT, y(tick), RIGHT, y(tick))
            drawing.text(LEFT - 8, y(tick) + 4, f"{tick:g}", 12, svg.QUIET, "end")
    drawing.text((LEFT + RIGHT) / 2, bottom + 40, "operations for each byte of weights, cache, input and output", 13,
                 svg.QUIET, "middle")
    middle = (TOP + bottom) / 2
    drawing.text(22, middle, "GFLOP/s", 13, svg.QUIET, "middle", transform=f"rotate(-90 22 {middle:.0f})")


def _roofs(drawing, x, y, peak, levels):
    """The peak, and below it each memory's line up to where it meets the peak or the edge."""
    drawing.line(LEFT, y(peak), RIGHT, y(peak), svg.INK, 2)
    drawing.text(RIGHT - 6, TOP + 14, f"multiply-add peak {peak:.0f} GFLOP/s", 13, anchor="end", weight="bold")
    for number, (level, speed) in enumerate(levels.items()):
        start = max(x.low, y.low / speed)
        end = min(peak / speed, x.high)
        if start >= end:
            continue
        drawing.line(x(start), y(start * speed), x(end), y(end * speed), svg.QUIET, 1.5, stroke_dasharray="6 4")
        at = start * (end / start) ** (0.05 if number % 2 else 0.45)  # neighbours' labels stand apart
        angle = math.degrees(math.atan2(y(end * speed) - y(start * speed), x(end) - x(start)))
        drawing.text(x(at) + 4, y(at * speed) - 5, f"{level} {speed:.0f} GB/s", 12, svg.QUIET,
                     transform=f"rotate({angle:.1f} {x(at):.1f} {y(at * speed):.1f})", **svg.HALO)


def _spread(points, x, y, roof):
    """Where each number stands: above its point, and above the roof where the point is just below it, moved up until it
    is clear of the ones already placed."""
    placed = []
    for point in points:
        above = y(point[3]) - 11
        at = [x(point[2]), min(above, roof - 6) if above < roof + 14 else above]
        while any(abs(at[0] - other[0]) < 19 and abs(at[1] - other[1]) < 14 for other in placed):
            at[1] -= 14
        placed.append(at)
    return placed


def _marks(drawing, x, y, points, roof):
    for (number, _, intensity, speed, peer), (label_x, label_y) in zip(points, _spread(points, x, y, roof)):
        if peer:
            drawing.circle(x(intensity), y(peer), 4, "none", stroke=svg.SLOWER, stroke_width=1.5)
        drawing.circle(x(intensity), y(speed), 5, svg.FASTER)
        drawing.line(x(intensity), y(speed) - 5, label_x, label_y + 2, svg.QUIET, 0.7)
        drawing.text(label_x, label_y, str(number), 12, anchor="middle", **svg.HALO)


def _list(drawing, points):
    left = RIGHT + 36
    last = ", layers" if is_of_models([point[1] for point in points]) else " / heads"
    drawing.text(left + 26, TOP + 4, f"batch × rows, d_model{last}", 12, svg.QUIET)
    drawing.text(WIDTH - 84, TOP + 4, "GFLOP/s", 12, svg.QUIET, "end")
    drawing.text(WIDTH - 24, TOP + 4, "of roof", 12, svg.QUIET, "end")
    for number, result, intensity, speed, _ in points:
        at = TOP + 8 + number * LIST_ROW
        roof = min(stats.peak(result), intensity * stats.bandwidth(result))
        drawing.text(left + 18, at, str(number), 12, svg.QUIET, "end")
        drawing.text(left + 26, at, labels.label(result["name"]), 12)
        drawing.text(WIDTH - 84, at, f"{speed:.1f}", 12, anchor="end")
        drawing.text(WIDTH - 24, at, f"{100 * speed / roof:.0f} %", 12, anchor="end")


def chart(results, measured):
    points = _points(measured)
    bottom = TOP + max(420, LIST_ROW * (len(points) + 1))
    drawing = svg.Drawing(WIDTH, bottom + 60, "Roofline")
    peaks = [stats.peak(point[1]) for point in points]
    peak = stats.geometric_mean(peaks) or 1.0
    x, y = _scales(points, peak, bottom)
    drawing.text(24, 34, "How close each cell comes to the machine’s limits", 20, weight="bold")
    drawing.text(24, 56, f"{results['machine']['cpu']}, one thread, f32. Filled: genattn. Ring: the best peer. "
                 "Roof of a cell: the peak, or its operations at the speed of reading its weights.", 13, svg.QUIET)
    _grid(drawing, x, y, bottom)
    _roofs(drawing, x, y, peak, stats.level_speeds(measured))
    _marks(drawing, x, y, points, y(peak))
    _list(drawing, points)
    return drawing.document()
