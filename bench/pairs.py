"""What samples taken in turn, without a feature and with it, say of its cost. Pure."""

from statistics import median, quantiles


def summary(pairs):
    """pairs: [(microseconds without, with), ...]. The ratio is the median of the pairs' ratios: what slows a moment
    down slows both of its pair down."""
    ratios = [on / off for off, on in pairs]
    low, _, high = quantiles(ratios, n=4)
    return {
        "off_us": median(off for off, _ in pairs), "on_us": median(on for _, on in pairs), "ratio": median(ratios),
        "low": low, "high": high, "pairs": len(pairs),
    }


def attention_part(rounds):
    """What a feature leaves of the attention part: (as attention alone has it, by the difference between layers).
    rounds: [(layer without, layer with, attention alone without, with), ...]. For the difference the projections' time
    is that of the layer without the feature less that of its attention alone."""
    return (median(alone_on / alone for _, _, alone, alone_on in rounds),
            median((on - (off - alone)) / alone for off, on, alone, _ in rounds))


def key_value_part(rounds):
    """What fewer key and value heads leave of the time of their projections; rounds as above. Of the four alike that a
    layer has without the feature, keys and values take half."""
    return median((on - alone_on) / ((off - alone) / 2) - 1 for off, on, alone, alone_on in rounds)


def must(row, length, gflops, gb_per_s):
    """Ratios that operations and bytes alone would give: (of the layer, of its attention part)."""
    on, off = row.work(length), row.off_work(length)
    speed = gb_per_s(on.block)
    return on.us(gflops, speed) / off.us(gflops, speed), on.alone.us(gflops, speed) / off.alone.us(gflops, speed)


def level_speed(levels, caches, size):
    """GB/s of the first level that holds a block twice; levels: {"L1": GB/s, ..., "memory": GB/s}, caches: {"L1":
    bytes, ...}."""
    for level, room in caches.items():
        if 2 * size <= room:
            return levels[level]
    return levels["memory"]


def limits(row, length, found):
    """[{"what", "at_most", "found"}]: what was asked of this row, and what it came to."""
    values = {"layer": found["layer"]["ratio"], "attention": max(found["attention"]) if found["attention"] else None}
    return [{"what": what, "at_most": most, "found": values[what]}
            for (what, asked_length), most in row.asked.items() if asked_length == length]
