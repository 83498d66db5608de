// peak_share.c: the median of the bursts for the median of the calls, the fastest for the fastest.
#include "peak_share.h"

enum { MORE_BURSTS = 16 };

struct ga_peak_share ga_peak_share_of(double median, double fastest, size_t threads, const struct ga_bursts *bursts)
{
    const size_t count = bursts->count;
    const double scale = (double)threads;
    double best = scale * bursts->all[count - 1];
    double peak = scale * (bursts->all[(count - 1) / 2] + bursts->all[count / 2]) / 2.0;
    if (peak <= 0.0) {
        return (struct ga_peak_share){0, 0, 0};
    }
    for (int i = 0; i < MORE_BURSTS && fastest > best; i++) {
        const double more = scale * bursts->one(bursts->self);
        best = more > best ? more : best;
    }
    peak = median > peak ? best : peak;
    return (struct ga_peak_share){peak, 100.0 * median / peak, 100.0 * fastest / best};
}
