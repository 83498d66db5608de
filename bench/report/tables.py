"""The results as Markdown: cells, groups, accuracy, prediction, what was left out, and the machine."""

import cells
import predict
import stats
import whole_cells

HEADINGS = {
    "onnxruntime": "ONNX Runtime", "openvino": "OpenVINO", "pytorch": "PyTorch eager",
    "nn_mha": "nn.MultiheadAttention", "nn_encoder": "nn.TransformerEncoder", "compile": "torch.compile",
    "openblas": "OpenBLAS in C",
}


def is_of_models(results):
    """Whether these are results of whole models."""
    return any(cells.BY_NAME[result["name"]].whole for result in results)


def table(heading, rows):
    """A Markdown table; the first column is text, the others are numbers."""
    lines = [heading, ["---"] + ["--:"] * (len(heading) - 1), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _number(value, form):
    return form.format(value) if value is not None else "–"


def _time(found, with_variant=True):
    """Median, lowest and highest round, and the variant it is."""
    if not found:
        return "–"
    digits = 1 if found.us < 10000 else 0
    text = f"{found.us:.{digits}f} [{found.low:.{digits}f} … {found.high:.{digits}f}]"
    return text + (f" {found.variant}" if with_variant else "")


def systems_of(results):
    """Peers any cell has, in the order they were measured."""
    found = []
    for result in results:
        found += [name for name in stats.peers(result) if name not in found]
    return found


# -- Sections -------------------------------------------------------------------------------------------------------

def _program(result):
    return _time(stats.best(result, (stats.PROGRAM,)), with_variant=False)


def _cell_row(result, peers, has_program):
    mine, peer = stats.ours(result), stats.best_peer(result)
    return [
        result["name"], _time(mine), _number(stats.percent_of_peak(result, mine), "{:.1f}"),
        *([_program(result)] if has_program else []), *(_time(stats.best(result, (name,))) for name in peers),
        peer.label if peer else "–", _number(stats.percent_of_peak(result, peer), "{:.1f}"),
        _number(stats.ratio(result, stats.peers(result)), "**{:.2f}**"),
        _number(stats.ratio(result, stats.PYTORCH), "{:.2f}"),
    ]


def cell_table(results):
    peers = systems_of(results)
    has_program = any(stats.PROGRAM in result["systems"] for result in results)
    heading = ["cell", "genattn", "% of peak", *["genattn's own program"] * has_program,
               *(HEADINGS.get(name, name) for name in peers), "best peer", "its % of peak", "best peer / genattn",
               "PyTorch / genattn"]
    return table(heading, [_cell_row(result, peers, has_program) for result in results])


def _mean(values, form):
    return _number(stats.geometric_mean([value for value in values if value]), form)


def _group_row(group, results):
    ratios = [stats.ratio(result, stats.peers(result)) for result in results]
    known = [ratio for ratio in ratios if ratio]
    percents = [stats.percent_of_peak(result, stats.ours(result)) for result in results]
    return [
        group.title, str(len(results)), _mean(ratios, "**{:.2f}**"), _number(min(known, default=None), "{:.2f}"),
        _mean([stats.ratio(result, stats.PYTORCH) for result in results], "{:.2f}"), _mean(percents, "{:.1f}"),
        _number(min(filter(None, percents), default=None), "{:.1f}"),
    ]


def group_table(results):
    rows = []
    for group in whole_cells.GROUPS if is_of_models(results) else cells.GROUPS:
        members = [result for result in results if group.has(cells.BY_NAME[result["name"]])]
        if members:
            rows.append(_group_row(group, members))
    return table(["geometric means", "cells", "best peer / genattn", "worst cell", "PyTorch / genattn", "% of peak",
                  "lowest %"], rows)


def bandwidth_table(results):
    """Cells of a few rows, whose time is that of reading the weights and what a cache holds."""
    rows = []
    for result in results:
        mine = stats.ours(result)
        if mine and result["batch"] * result["seq_len"] <= 8 and stats.bandwidth(result):
            reached = result.get("read_bytes", result["weight_bytes"]) / mine.us / 1e3
            rows.append([result["name"], f"{reached:.1f}", f"{stats.bandwidth(result):.1f}",
                         f"{100 * reached / stats.bandwidth(result):.1f}"])
    return table(["cell", "GB/s of weights and cache", "GB/s a plain read gives", "%"], rows) if rows else ""


def isa_table(results):
    """Our variants next to each other if there are several, each held against its own peak."""
    rows = []
    for result in results:
        found = [f for f in stats.figures(result) if f.system == stats.OURS]
        for f in found if len(found) > 1 else []:
            own = stats.peak(result, f.variant)
            rows.append([result["name"], f.variant, _time(f, with_variant=False),
                         _number(own and result["flops"] / f.us / 1e3 / own * 100, "{:.1f}")])
    return table(["cell", "instruction set", "us", "% of its own peak"], rows) if rows else ""


def _largest_error(result, systems):
    """Of the fastest variant of each system."""
    errors = {name: stats.best(result, (name,)) for name in systems}
    return {name: found.error for name, found in errors.items() if found}


def accuracy_table(results):
    peers = systems_of(results)
    rows = []
    for result in results:
        errors = _largest_error(result, [stats.OURS, *peers])
        rows.append([result["name"], *(_number(errors.get(name), "{:.2e}") for name in [stats.OURS, *peers])])
    return table(["cell", "genattn", *(HEADINGS.get(name, name) for name in peers)], rows)


def prediction_table(results):
    rows = []
    for result in results:
        found = predict.predict(result)
        if found:
            largest = max(found.parts, key=found.parts.get)
            rows.append([
                result["name"], f"{found.us:.1f}", f"{found.cycles:,.0f}", f"{found.measured:.1f}",
                f"{'**' if found.is_off else ''}{found.factor:.2f}{'** ←' if found.is_off else ''}",
                f"{largest} {100 * found.parts[largest] / found.us:.0f} %"])
    heading = ["cell", "predicted us", "cycles", "measured us", "measured / predicted", "largest part"]
    return table(heading, rows) if rows else ""


def left_out(results):
    lines = [f"- {name}: {reason}" for name, reason in {**results["skipped"], **results["failed"]}.items()]
    reasons = {}
    for result in results["cells"]:
        for system, entry in result["systems"].items():
            for variant, reason in (entry["unfit"] | entry["failed"]).items():
                reasons.setdefault((system, variant, reason), []).append(result["name"])
    lines += [f"- {system} {variant}, {', '.join(names)}: {reason}"
              for (system, variant, reason), names in reasons.items()]
    return "\n".join(lines) + "\n" if lines else "Nothing.\n"


def _rounds(results):
    """How many the cells have; cells that were added to an earlier run may have others."""
    found = {len(result["machine"]) for result in results["cells"]} or {results["settings"]["rounds"]}
    return " or ".join(map(str, sorted(found)))


def machine(results):
    found, settings = results["machine"], results["settings"]
    caches = ", ".join(f"{level} {size >> 10} KiB" for level, size in found["caches"].items())
    levels = ", ".join(f"{level} {speed:.1f}" for level, speed in stats.level_speeds(results["cells"]).items())
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    isa = "avx512" if "avx512" in found["isas"] else found["isas"][0]
    peaks = [value for value in (stats.peak(result, isa) for result in results["cells"]) if value]
    peak = f"{min(peaks):.1f} … {max(peaks):.1f} GFLOP/s" if peaks else "not measured"
    return (f"{found['cpu']} ({found['cpus']} CPUs, {caches}), {found['system']}, {found['libc']}, Python "
            f"{found['python']}. Peak of its f32 multiply-adds ({isa}): {peak} over the cells. Reading, GB/s: "
            f"{levels}.\n\n{versions}.\n\n{_rounds(results)} rounds; in each every variant in turn, "
            f"{settings['warm_ms']} ms of warm-up and {settings['sample_ms']} ms of calls, the others stopped.")


def notes(results, measured):
    """What a reader must know before the numbers."""
    lines = []
    if isa := results["settings"].get("isa"):
        lines.append(f"**As on a CPU without more than {isa}**: genattn has no better variant here, and oneDNN (in "
                     "OpenVINO) and OpenBLAS are told so. llama.cpp is built for such a CPU. The other engines cannot "
                     "be told and are left out.")
    if results.get("interrupted"):
        lines.append("**The run was interrupted**: cells are missing, and the last one has fewer rounds.")
    if results["settings"]["quick"]:
        lines.append("**A quick run**: few and short rounds. It shows that everything works, not who is faster.")
    shares = stats.cpu_shares(measured)
    disturbed = [share for share in shares if share < stats.BUSY]
    if disturbed:
        lines.append(f"**The machine was busy**: in {len(disturbed)} of {len(shares)} rounds of a variant it had its "
                     f"CPUs less than {100 * stats.BUSY:.0f} % of the time, in the worst {100 * min(disturbed):.0f} %.")
    return "".join(f"> {line}\n\n" for line in lines)


SECTIONS = (
    ("Cells", "Microseconds a call: median of the rounds' medians [lowest … highest round], fastest variant of each "
     "system. The ratio is of times: above 1 genattn is faster. % of peak counts the operations the layer needs, "
     "without padding and pairs after the mask.", cell_table),
    ("Groups", "", group_table),
    ("Reading the weights and the cache", "", bandwidth_table),
    ("Instruction sets", "", isa_table),
    ("Accuracy", "Largest difference from float64, of each system's fastest variant.", accuracy_table),
    ("Prediction", "What operations, bytes, the plan's costs and this run's peak and reading speed add up to "
     "(bench/predict.py). Marked where the measurement is more than 10 % away.", prediction_table),
)


FIRST_HEADINGS = {"genattn": "genattn from Python", "program": "genattn's own program",
                  "python": "Python with NumPy alone"}
FIRST_NOTE = ("1x128x512x8, weights read from a file and packed. The program from exec to exit, its result written and "
              "synced; the others from the start of Python to the first result that was held against float64.")


def first_table(found):
    """The first result of a fresh process, fastest first."""
    rows = []
    for system, entry in found.items():
        times = sorted(1000 * run["seconds"] for run in entry["runs"])
        memory = stats.median([run["mib"] for run in entry["runs"]])
        rows.append((stats.median(times), [
            FIRST_HEADINGS.get(system, HEADINGS.get(system, system)), entry["variant"] or "–",
            f"{stats.median(times):.1f} [{times[0]:.1f} … {times[-1]:.1f}]", f"{memory:.1f}"]))
    return table(["system", "variant", "ms", "MiB at most"], [row for _, row in sorted(rows)]) if rows else ""


def document(results, measured):
    """The whole report; measured are the cells that have figures."""
    title = "Whole models: " if is_of_models(measured) else ""
    text = f"# {title}genattn and its peers on {results['machine']['cpu']}\n\n"
    text += f"{notes(results, measured)}{machine(results)}\n"
    for title, explanation, make in SECTIONS:
        body = make(measured)
        if body:
            text += f"\n## {title}\n\n" + (f"{explanation}\n\n" if explanation else "") + body
    body = first_table(results.get("first", {}))
    if body:
        text += f"\n## First result of a fresh process\n\n{FIRST_NOTE}\n\n{body}"
    return text + f"\n## Left out\n\n{left_out(results)}"
