// truncate.c: how many tokens of each text truncation leaves. Touches none.
#include "post.h"

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Both texts give way until they are as long: each keeps half the room, or what the other leaves of it.
static void longest_first(const size_t counts[2], size_t room, size_t kept_out[2])
{
    const size_t shorter = min(counts[0], counts[1]);
    size_t low = shorter, high = shorter > room ? shorter : room - shorter;
    high = high < low ? low : high;
    if (low + high > room) {
        low = room / 2;
        high = low + room % 2;
    }
    const bool swapped = counts[0] > counts[1];
    kept_out[0] = min(counts[0], swapped ? high : low);
    kept_out[1] = min(counts[1], swapped ? low : high);
}

bool ga_text_truncate(enum ga_text_strategy strategy, const size_t counts[2], bool is_pair, size_t room,
                      size_t kept_out[2])
{
    const size_t total = counts[0] + counts[1];
    kept_out[0] = counts[0];
    kept_out[1] = counts[1];
    if (total <= room) {
        return true;
    }
    if (room == 0) {
        kept_out[0] = kept_out[1] = 0;
        return true;
    }
    if (strategy == GA_TEXT_LONGEST_FIRST) {
        if (is_pair) {
            longest_first(counts, room, kept_out);
        } else {
            kept_out[0] = room;
        }
        return true;
    }
    const int cut = strategy == GA_TEXT_ONLY_SECOND;
    if ((cut && !is_pair) || counts[cut] <= total - room) {
        return false;
    }
    kept_out[cut] = counts[cut] - (total - room);
    return true;
}
