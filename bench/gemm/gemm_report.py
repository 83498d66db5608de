"""The report of `ninja bench-gemm`: a table, and a picture of what part of the multiply-add peak each product reaches.
Measures nothing."""

from report import svg

NAMES = {"exact": "exact", "fast": "fast", "openblas numpy": "OpenBLAS (NumPy)", "openblas system": "OpenBLAS (system)",
         "onednn": "oneDNN"}
COLOURS = {"exact": "#111111", "fast": "#1a7f5a", "openblas numpy": "#8c959f", "openblas system": "#cc79a7",
           "onednn": "#d55e00"}
PLOT_WIDTH, PLOT_HEIGHT, COLUMNS, TOP, GAP = 340, 200, 3, 96, 64
TICKS = (60, 70, 80, 90, 100, 110, 120)


def percent(cell, name):
    """Of the peak, counting the multiplications of the plain product."""
    return 100 * 2e-3 * cell["rows"] * cell["depth"] * cell["width"] / cell["us"][name] / cell["peak"]


def line(cell):
    """A cell in one line, for the terminal."""
    parts = [f"{name} {percent(cell, name):5.1f} %" for name in cell["us"]]
    return (f"{cell['rows']:5} x {cell['depth']} x {cell['width']}: {', '.join(parts)} of the peak; "
            f"fast {cell['fast over exact']:.3f}x exact")


def table(results):
    names = [name for name in NAMES if name in results["cells"][0]["us"]]
    peers = [name for name in names if name not in ("exact", "fast")]
    lines = ["| rows x depth x width | " + " | ".join(NAMES[name] for name in names) +
             " | fast / exact | fast / best peer | error, exact | fast |", "|---|" + "--:|" * (len(names) + 4)]
    for cell in results["cells"]:
        shares = " | ".join(f"{percent(cell, name):.1f}" for name in names)
        best = min(cell["us"][name] for name in peers)
        lines.append(f"| {cell['rows']} x {cell['depth']} x {cell['width']} | {shares} | "
                     f"**{cell['fast over exact']:.2f}** | {best / cell['us']['fast']:.2f} | "
                     f"{cell['errors']['exact']:.1e} | {cell['errors']['fast']:.1e} |")
    return "\n".join(lines)


def document(results):
    machine, cells = results["machine"], results["cells"]
    peaks = [cell["peak"] for cell in cells]
    return f"""# Products alone on {machine['cpu']}

{cells[0]['isa']}, one thread, f32, y = x W + b, weights packed before the calls but for OpenBLAS. Percent of the
multiply-add peak, {min(peaks):.0f} to {max(peaks):.0f} GFLOP/s, counted by the multiplications of the plain product: a
product of fewer multiplications can be above 100. Medians of interleaved rounds in one process on one CPU. Fast / exact
is the median of the ratios of neighbours. The error is the largest difference from double precision; inputs are within
1/2, weights within 1/16.

{table(results)}
"""


def plot(drawing, left, top, cells):
    x = svg.Log(min(c["rows"] for c in cells) / 1.2, max(c["rows"] for c in cells) * 1.2, left, left + PLOT_WIDTH)
    y = svg.Linear(TICKS[0], TICKS[-1], top + PLOT_HEIGHT, top)
    drawing.text(left, top - 10, f"depth {cells[0]['depth']}, width {cells[0]['width']}", 13, weight="bold")
    for tick in TICKS:
        drawing.line(left, y(tick), left + PLOT_WIDTH, y(tick), svg.INK if tick == 100 else svg.RULE)
        drawing.text(left - 6, y(tick) + 4, f"{tick} %", 11, svg.QUIET, "end")
    for cell in cells:
        drawing.text(x(cell["rows"]), top + PLOT_HEIGHT + 16, str(cell["rows"]), 11, svg.QUIET, "middle")
    for name in cells[0]["us"]:
        at = [(x(cell["rows"]), y.clamped(percent(cell, name))) for cell in cells]
        for (x1, y1), (x2, y2) in zip(at, at[1:]):
            drawing.line(x1, y1, x2, y2, COLOURS[name], 2)
        for one in at:
            drawing.circle(*one, 3, COLOURS[name])


def chart(results):
    groups = {}
    for cell in results["cells"]:
        groups.setdefault((cell["depth"], cell["width"]), []).append(cell)
    lines = -(-len(groups) // COLUMNS)
    drawing = svg.Drawing(60 + COLUMNS * (PLOT_WIDTH + GAP), TOP + lines * (PLOT_HEIGHT + GAP) + 16, "Products alone")
    drawing.text(24, 34, "Products of rows and weights: percent of the multiply-add peak", 20, weight="bold")
    drawing.text(24, 56, f"{results['machine']['cpu']}, {results['cells'][0]['isa']}, one thread, f32, by rows of a "
                 "call. Counted by the multiplications of the plain product.", 13, svg.QUIET)
    left = 24
    for name in results["cells"][0]["us"]:
        drawing.circle(left + 5, 72, 5, COLOURS[name])
        drawing.text(left + 15, 76.5, NAMES[name])
        left += 40 + 7.4 * len(NAMES[name])
    for i, cells in enumerate(groups.values()):
        plot(drawing, 66 + i % COLUMNS * (PLOT_WIDTH + GAP), TOP + 20 + i // COLUMNS * (PLOT_HEIGHT + GAP), cells)
    return drawing.document()


def write(results, folder):
    (folder / "results.md").write_text(document(results))
    (folder / "gemm.svg").write_text(chart(results))
