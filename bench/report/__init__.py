"""The report of a run: results.md, ratios.svg and, but of narrow numbers, roofline.svg and, but of whole models,
predicted.svg, made from the results as they stand in the JSON. Measures nothing, so a finished run can be reported
again."""

import stats
from report import narrow, predicted, ratios, roofline, tables


def line(result):
    """A finished cell in one line, for the terminal."""
    if narrow.is_of([result]):
        return narrow.line(result)
    mine, peer = stats.ours(result), stats.best_peer(result)
    parts = [f"{result['name']:28}"]
    if mine:
        parts.append(f"genattn {mine.us:10.1f} us {stats.percent_of_peak(result, mine):5.1f} % of peak")
    if peer:
        parts.append(f"best peer {peer.us:10.1f} us ({peer.label})")
    if mine and peer:
        parts.append(f"{peer.us / mine.us:.2f}x")
    failed = [f"{system} {name}" for system, entry in result["systems"].items() for name in entry["failed"]]
    return "  ".join(parts) + (f"  [failed: {', '.join(failed)}]" if failed else "")


def write(results, folder):
    """Returns the names of the files."""
    measured = [result for result in results["cells"] if stats.figures(result)]
    if narrow.is_of(measured):
        return narrow.write(results, measured, folder)
    (folder / "results.md").write_text(tables.document(results, measured))
    (folder / "ratios.svg").write_text(ratios.chart(results, measured))
    (folder / "roofline.svg").write_text(roofline.chart(results, measured))
    if not predicted.of_cells(measured):  # of whole models
        return ["results.md", "ratios.svg", "roofline.svg"]
    (folder / "predicted.svg").write_text(predicted.chart(results, measured))
    return ["results.md", "ratios.svg", "roofline.svg", "predicted.svg"]
