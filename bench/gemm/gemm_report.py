"""The report of `ninja bench-gemm`: of each instruction set a table, and a picture of what part of the multiply-add
peak each product reaches. Measures nothing."""

from report import svg

NAMES = {"exact": "exact", "fast": "fast", "fast:2": "fast:2", "openblas numpy": "OpenBLAS (NumPy)",
         "openblas system": "OpenBLAS (system)", "onednn": "oneDNN"}
OURS = ("exact", "fast", "fast:2")
COLOURS = {"exact": "#111111", "fast": "#1a7f5a", "fast:2": "#7b3fbf", "openblas numpy": "#8c959f",
           "openblas system": "#cc79a7", "onednn": "#d55e00"}
PLOT_WIDTH, PLOT_HEIGHT, COLUMNS, TOP, GAP = 340, 200, 3, 96, 64
TICKS = (60, 70, 80, 90, 100, 110, 120)


def place(cell):
    """By which cells are in order: instruction sets as the name, wider ones first, then sizes and rows."""
    return [-len(cell["isa"]), cell["isa"], cell["depth"] * cell["width"], cell["depth"], cell["rows"]]


def percent(cell, name):
    """Of the peak, counting the multiplications of the plain product."""
    return 100 * 2e-3 * cell["rows"] * cell["depth"] * cell["width"] / cell["us"][name] / cell["peak"]


def line(cell):
    """A cell in one line, for the terminal."""
    parts = [f"{name} {percent(cell, name):5.1f} %" for name in cell["us"]]
    return (f"{cell['rows']:5} x {cell['depth']} x {cell['width']}: {', '.join(parts)} of the peak; "
            + ", ".join(f"{name} {times:.3f}x exact" for name, times in cell["over exact"].items()))


def table(cells):
    names = [name for name in NAMES if name in cells[0]["us"]]
    peers = [name for name in names if name not in OURS]
    lines = ["| rows x depth x width | " + " | ".join(NAMES[name] for name in names) +
             " | fast / exact | fast:2 / exact | best of ours / best peer | error, exact | fast | fast:2 |",
             "|---|" + "--:|" * (len(names) + 6)]
    for cell in cells:
        shares = " | ".join(f"{percent(cell, name):.1f}" for name in names)
        ahead = min(cell["us"][name] for name in peers) / min(cell["us"][name] for name in OURS)
        errors = " | ".join(f"{cell['errors'][name]:.1e}" for name in OURS)
        lines.append(f"| {cell['rows']} x {cell['depth']} x {cell['width']} | {shares} | "
                     f"**{cell['over exact']['fast']:.2f}** | **{cell['over exact']['fast:2']:.2f}** | {ahead:.2f} | "
                     f"{errors} |")
    return "\n".join(lines)


def by_isa(cells):
    groups = {}
    for cell in cells:
        groups.setdefault(cell["isa"], []).append(cell)
    return groups


def section(isa, cells):
    peaks = [cell["peak"] for cell in cells]
    return f"""## {isa}

A peak of {min(peaks):.0f} to {max(peaks):.0f} GFLOP/s. ![Percent of the peak](gemm_{isa}.svg)

{table(cells)}
"""


def document(results):
    sections = "\n".join(section(isa, cells) for isa, cells in by_isa(results["cells"]).items())
    return f"""# Products alone on {results['machine']['cpu']}

One thread, f32, y = x W + b, weights packed before the calls but for OpenBLAS. Percent of the multiply-add peak,
counted by the multiplications of the plain product: a product of fewer multiplications can be above 100. Medians of
interleaved rounds in one process on one CPU. A product over exact is the median of the ratios of neighbours. The error
is the largest difference from double precision; inputs are within 1/2, weights within 1/16. Peers use no wider
instructions.

{sections}"""


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


def chart(results, isa, of_isa):
    groups = {}
    for cell in of_isa:
        groups.setdefault((cell["depth"], cell["width"]), []).append(cell)
    lines = -(-len(groups) // COLUMNS)
    drawing = svg.Drawing(60 + COLUMNS * (PLOT_WIDTH + GAP), TOP + lines * (PLOT_HEIGHT + GAP) + 16, "Products alone")
    drawing.text(24, 34, "Products of rows and weights: percent of the multiply-add peak", 20, weight="bold")
    drawing.text(24, 56, f"{results['machine']['cpu']}, {isa}, one thread, f32, by rows of a "
                 "call. Counted by the multiplications of the plain product.", 13, svg.QUIET)
    left = 24
    for name in of_isa[0]["us"]:
        drawing.circle(left + 5, 72, 5, COLOURS[name])
        drawing.text(left + 15, 76.5, NAMES[name])
        left += 40 + 7.4 * len(NAMES[name])
    for i, cells in enumerate(groups.values()):
        plot(drawing, 66 + i % COLUMNS * (PLOT_WIDTH + GAP), TOP + 20 + i // COLUMNS * (PLOT_HEIGHT + GAP), cells)
    return drawing.document()


def write(results, folder):
    (folder / "results.md").write_text(document(results))
    for isa, cells in by_isa(results["cells"]).items():
        (folder / f"gemm_{isa}.svg").write_text(chart(results, isa, cells))
