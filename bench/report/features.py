"""The report of what features cost: features.md and features.svg, made from the results as they stand in the JSON.
Measures nothing."""

import feature_rows
from report import svg
from report.tables import table
from stats import BUSY

WIDTH, TOP, ROW, GAP, BOTTOM = 1060, 122, 15, 7, 48
LEFT, RIGHT = 300, 800  # the plot, in pixels
LOWEST, HIGHEST = -100.0, 50.0  # percent; beyond, a bar ends at the edge
COLOURS = {128: "#56b4e9", 512: "#0072b2", 2048: "#004466"}
OTHER_COLOUR = "#7a5195"


def percent(ratio):
    """What a ratio costs, with its sign."""
    return f"{round(100 * (ratio - 1), 1) + 0.0:+.1f} %"  # adding zero takes its sign away


def _title(found):
    return feature_rows.BY_NAME[found["name"]].title


def _kept(limit):
    return limit["found"] <= limit["at_most"]


def line(found):
    """A finished row in one line, for the terminal."""
    layer = found["layer"]
    text = (f"{_title(found):34} L {found['length']:5}  {layer['off_us']:9.1f} -> {layer['on_us']:9.1f} us  "
            f"{percent(layer['ratio']):>8}  must {percent(found['must']):>8}")
    if found["attention"]:
        text += "  attention {:.3f} alone, {:.3f} by difference".format(*found["attention"])
    return text + "".join(f"  [{limit['what']} above {limit['at_most']}]"
                          for limit in found["limits"] if not _kept(limit))


# -- Tables ----------------------------------------------------------------------------------------------------------

def cost_table(results):
    """Every row: what it takes without and with the feature, what that is in percent, and what it must be."""
    rows = []
    for found in results["rows"]:
        layer = found["layer"]
        rows.append([_title(found), str(found["length"]), f"{layer['off_us']:.1f}", f"{layer['on_us']:.1f}",
                     f"**{percent(layer['ratio'])}**", f"{percent(layer['low'])} … {percent(layer['high'])}",
                     percent(found["must"])])
    return table(["feature", "L", "us without", "us with", "it costs", "half of the pairs", "it must cost"], rows)


def attention_table(results):
    """Rows for which attention alone was measured, too."""
    rows = []
    for found in results["rows"]:
        if not found["attention"]:
            continue
        alone, difference = found["attention"]
        rows.append([_title(found), str(found["length"]), f"{found['layer']['off_us'] - found['alone']['off_us']:.1f}",
                     f"{found['alone']['off_us']:.1f}", f"{found['alone']['on_us']:.1f}", f"**{alone:.3f}**",
                     f"{difference:.3f}", f"{found['must_attention']:.3f}"])
    heading = ["feature", "L", "projections us", "attention us without", "with", "ratio alone",
               "ratio by the layers' difference", "it must be"]
    return table(heading, rows) if rows else ""


def key_value_table(results):
    rows = []
    for found in results["rows"]:
        if found["key_value"] is not None:
            rows.append([_title(found), str(found["length"]), f"**{found['key_value']:.3f}**",
                         f"{feature_rows.KV_HEADS / feature_rows.HEADS:.3f}"])
    return table(["feature", "L", "K and V projections' time", "of the heads there are left"], rows) if rows else ""


def limit_table(results):
    rows = [[_title(found), str(found["length"]), limit["what"], f"{limit['at_most']:.2f}", f"**{limit['found']:.3f}**",
             "yes" if _kept(limit) else "**no**"] for found in results["rows"] for limit in found["limits"]]
    return table(["feature", "L", "of what", "at most", "found", "kept"], rows) if rows else ""


SECTIONS = (
    ("Costs", "One call of the layer without the feature and with it, taken in turn. The cost is the median of the "
     "pairs' ratios, beside the range of the middle half of them. What it must cost is what its operations and bytes "
     "add up to at this run's multiply-add peak and reading speed, where the rest of the layer is counted the same "
     "way; below zero it leaves work out.", cost_table),
    ("The attention part", "The layer without its projections: measured of attention alone (kind \"sdpa\", the same "
     "kernels), and as the difference between the two layers, where projections take the time of the layer without "
     "the feature less that of attention alone.", attention_table),
    ("Fewer key and value heads", "What is left of the time of the K and V projections: the layer's less that of "
     "attention alone, of which Q and the output keep their half.", key_value_table),
    ("What was asked for", "Ratios of times. For an attention part the larger of the two figures counts.", limit_table),
)


def _machine(results):
    machine = results["machine"]
    peaks = [found["gflops"] for found in results["rows"]]
    levels = ", ".join(f"{level} {speed:.1f}" for level, speed in results["levels"].items())
    ran = f" {results['seconds']:.0f} seconds of measuring." if "seconds" in results else ""
    return (f"{machine['cpu']} ({machine['cpus']} CPUs), {machine['system']}, {machine['libc']}. One thread, f32, "
            f"{results['isa']}, d_model {feature_rows.D_MODEL}, {feature_rows.HEADS} heads, batch 1, all projections "
            f"with biases. Peak {min(peaks):.1f} … {max(peaks):.1f} GFLOP/s; reading, GB/s: {levels}.{ran}")


def document(results):
    text = f"# What each feature costs on {results['machine']['cpu']}\n\n"
    if results.get("interrupted"):
        text += "> **The run was interrupted**: rows are missing.\n\n"
    if results.get("cpu_share", 1.0) < BUSY:
        text += f"> **The machine was busy**: we had the CPU {100 * results['cpu_share']:.0f} % of the time.\n\n"
    text += _machine(results) + "\n"
    for title, explanation, make in SECTIONS:
        body = make(results)
        if body:
            text += f"\n## {title}\n\n{explanation}\n\n{body}"
    return text


# -- The picture -----------------------------------------------------------------------------------------------------

def _groups(results):
    """[(title, [rows of one feature])] in their order."""
    groups = {}
    for found in results["rows"]:
        groups.setdefault(_title(found), []).append(found)
    return list(groups.items())


def _heading(drawing, results):
    drawing.text(24, 34, "What each feature costs, in percent of the layer without it", 20, weight="bold")
    drawing.text(24, 56, f"{results['machine']['cpu']}, f32, {results['isa']}, one thread, d_model "
                 f"{feature_rows.D_MODEL}, {feature_rows.HEADS} heads. Left of 0 the layer is faster with it.", 13,
                 svg.QUIET)
    x = 24
    for length in sorted({found["length"] for found in results["rows"]}):
        drawing.rectangle(x, 72, 14, 11, COLOURS.get(length, OTHER_COLOUR))
        drawing.text(x + 20, 82, f"L = {length}")
        x += 100
    drawing.line(x + 6, 70, x + 6, 86, svg.INK, 2.5)
    drawing.text(x + 14, 82, "what it must cost by its operations and bytes")


def _axis(drawing, scale, bottom):
    for tick in range(int(LOWEST), int(HIGHEST) + 1, 10):
        if scale.low <= tick <= scale.high:
            drawing.line(scale(tick), TOP - 8, scale(tick), bottom, svg.QUIET if tick == 0 else svg.RULE,
                         1.5 if tick == 0 else 1)
            drawing.text(scale(tick), bottom + 18, f"{tick:+d} %" if tick else "0", 12, svg.QUIET, "middle")


def _bar(drawing, scale, y, found):
    cost, must = (100 * (ratio - 1) for ratio in (found["layer"]["ratio"], found["must"]))
    ends = sorted((scale(0.0), scale.clamped(cost)))
    drawing.rectangle(ends[0], y, max(ends[1] - ends[0], 1.0), ROW - 4, COLOURS.get(found["length"], OTHER_COLOUR))
    drawing.line(scale.clamped(must), y - 2, scale.clamped(must), y + ROW - 2, svg.INK, 2.5)
    drawing.text(LEFT - 12, y + 9.5, str(found["length"]), 11, svg.QUIET, "end")
    drawing.text(RIGHT + 90, y + 9.5, percent(found["layer"]["ratio"]), 12, anchor="end", weight="bold")
    drawing.text(RIGHT + 170, y + 9.5, percent(found["must"]), 12, svg.QUIET, "end")


def _range(results):
    """The percents shown: those of all rows, to the next ten."""
    ratios = [ratio for found in results["rows"] for ratio in (found["layer"]["ratio"], found["must"])]
    costs = [100 * (ratio - 1) for ratio in ratios]
    return (max(LOWEST, min([-10.0] + [cost // 10 * 10 for cost in costs])),
            min(HIGHEST, max([10.0] + [-(-cost // 10) * 10 for cost in costs])))


def chart(results):
    groups = _groups(results)
    bottom = TOP + sum(ROW * len(found) + GAP for _, found in groups)
    drawing = svg.Drawing(WIDTH, bottom + BOTTOM, "What each feature costs")
    scale = svg.Linear(*_range(results), LEFT, RIGHT)
    _heading(drawing, results)
    drawing.text(RIGHT + 90, TOP - 14, "costs", 12, svg.QUIET, "end")
    drawing.text(RIGHT + 170, TOP - 14, "must", 12, svg.QUIET, "end")
    _axis(drawing, scale, bottom)
    y = TOP
    for title, rows in groups:
        drawing.text(24, y + ROW * len(rows) / 2 + 2.5, title, 13)
        for found in rows:
            _bar(drawing, scale, y, found)
            y += ROW
        y += GAP
    return drawing.document()


def write(results, folder):
    (folder / "features.md").write_text(document(results))
    (folder / "features.svg").write_text(chart(results))
