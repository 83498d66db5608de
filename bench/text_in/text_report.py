"""The table and the picture of a run. Measures nothing."""

import json
from statistics import median

from report import svg

import systems

COLOURS = {"genattn": "#111111", "sentence-transformers": "#d55e00", "ONNX Runtime": "#0072b2", "llama.cpp": "#009e73"}
WIDTH, LEFT, RIGHT, TOP, ROW = 900, 300, 740, 92, 27


def rate(result, entry, what):
    """Texts a second, the median of the rounds; nothing where that was not measured."""
    count = result["passages" if what == "passages" else "sentences"]
    samples = [count / sample[what] for sample in entry["rounds"] if what in sample]
    return median(samples) if samples else None


def first(entry):
    return 1000 * median(sample["first"] for sample in entry["rounds"])


def memory(entry):
    return max(sample["memory"] for sample in entry["rounds"]) / 2 ** 20


def cell(value, digits=0):
    return "–" if value is None else f"{value:.{digits}f}"


def row(result, entry):
    heading = systems.SYSTEMS[entry["system"]][0]
    if not entry["rounds"]:
        return f"| {heading} | not measured: {entry['failed']} |" + " |" * 6
    rates = [cell(rate(result, entry, what)) for what in ("all", "warm", "passages")]
    far = entry["distance"]
    return (f"| {heading} | {' | '.join(rates)} | {cell(first(entry))} | {cell(memory(entry))} | {far['mean']:.1e} | "
            f"{far['largest']:.1e} |")


def table(result, threads):
    lines = [f"## {threads} thread{'s' if threads > 1 else ''}", "",
             "| system | texts/s, whole process | texts/s, warm | long texts/s | first vector, ms | memory, MiB | "
             "1 − cosine, mean | largest |", "| --- | --: | --: | --: | --: | --: | --: | --: |"]
    lines += [row(result, entry) for entry in result["systems"].values() if entry["threads"] == threads]
    return lines + [""]


def page(result):
    machine = result["machine"]
    rounds = max(len(entry["rounds"]) for entry in result["systems"].values())
    lines = [f"# Sentences in, vectors out, on {machine['cpu']}", "",
             f"all-MiniLM-L6-v2 over {result['sentences']} sentences of the Python language's reference, and "
             f"{result['passages']} long passages of it. Tokenizing is part of every time. Median of {rounds} rounds, "
             "all systems in turn, each in a process of its own. *Whole process*: from its start until the last "
             "vector. *First vector*: from its start. 1 − cosine is to sentence-transformers in "
             "double precision.", "",
             f"{machine['slug']}, {machine['cpus']} CPUs, {machine['system']}.", ""]
    for threads in sorted({entry["threads"] for entry in result["systems"].values()}):
        lines += table(result, threads)
    return "\n".join(lines)


def _bar(drawing, scale, y, result, entry):
    heading = systems.SYSTEMS[entry["system"]][0]
    value = rate(result, entry, "warm") or rate(result, entry, "all")
    colour = next(colour for name, colour in COLOURS.items() if heading.startswith(name))
    drawing.text(LEFT - 12, y + 4.5, heading.replace("`", ""), 13, anchor="end")
    drawing.rectangle(LEFT, y - 9, scale(value) - LEFT, 18, colour, fill_opacity=0.85)
    drawing.text(scale(value) + 8, y + 4.5, f"{value:.0f}", 13, weight="bold")
    drawing.text(WIDTH - 24, y + 4.5, f"{entry['distance']['mean']:.0e}", 12, svg.QUIET, "end")


def picture(result):
    """Bars of one thread, the fastest first."""
    entries = [entry for entry in result["systems"].values() if entry["threads"] == 1 and entry["rounds"]]
    entries.sort(key=lambda entry: -(rate(result, entry, "warm") or rate(result, entry, "all")))
    most = max(rate(result, entry, "warm") or rate(result, entry, "all") for entry in entries)
    bottom = TOP + ROW * len(entries)
    drawing = svg.Drawing(WIDTH, bottom + 24, "Texts a second of each system")
    scale = svg.Linear(0, most, LEFT, RIGHT)
    drawing.text(24, 34, "Sentences in, vectors out: texts a second on one core", 20, weight="bold")
    drawing.text(24, 56, f"all-MiniLM-L6-v2, {result['sentences']} sentences, tokenizing included. "
                 f"{result['machine']['cpu']}.", 13, svg.QUIET)
    drawing.text(WIDTH - 24, TOP - 14, "1 − cosine", 12, svg.QUIET, "end")
    for number, entry in enumerate(entries):
        _bar(drawing, scale, TOP + ROW * (number + 0.5), result, entry)
    return drawing.document()


def write(folder, result):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    (folder / "results.md").write_text(page(result), "utf-8")
    (folder / "sentences.svg").write_text(picture(result), "utf-8")
