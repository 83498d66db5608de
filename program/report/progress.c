// progress.c: a share of the work and the time since its begin, as the time that is left. Measures nothing else.
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "clock.h"

static const double SECONDS_ON_TERMINAL = 0.1, SECONDS_ELSEWHERE = 60,
                    SECONDS_OF_JSON = 1;  // between two lines
static const double SECONDS_TO_JUDGE = 1; // before which the time left is not told

struct ga_progress ga_progress_begin(const struct ga_context *context, const char *what)
{
    const double now = ga_seconds_now();
    return (struct ga_progress){
        .context = context, .what = what, .begun = now, .said = now, .is_terminal = isatty(STDERR_FILENO)};
}

// In the largest unit of which there are two.
static int put_time(double seconds, char *text, size_t size)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"h", 3600}, {"min", 60}, {"s", 1}};
    size_t i = 0;
    while (i < 2 && seconds < 2 * units[i].seconds) {
        i++;
    }
    return snprintf(text, size, ", about %.0f %s left", seconds / units[i].seconds, units[i].name);
}

char *ga_progress_text(const char *what, size_t done, double share, double seconds, char text[GA_PROGRESS_TEXT])
{
    int used = snprintf(text, GA_PROGRESS_TEXT, "%zu %s", done, what);
    if (share > 0 && used < GA_PROGRESS_TEXT) {
        used += snprintf(text + used, GA_PROGRESS_TEXT - (size_t)used, ", %.0f %%", 100 * share);
    }
    if (share > 0 && seconds >= SECONDS_TO_JUDGE && used < GA_PROGRESS_TEXT) {
        put_time(seconds / share * (1 - share), text + used, GA_PROGRESS_TEXT - (size_t)used);
    }
    return text;
}

static void put_json(const struct ga_progress *progress, double now)
{
    const double seconds = now - progress->begun, share = progress->share;
    char rest[64] = "";
    if (share > 0) {
        snprintf(rest, sizeof rest, ", \"share\": %.4f, \"left\": %.1f", share, seconds / share * (1 - share));
    }
    fprintf(stderr, "{\"%s\": %zu, \"seconds\": %.1f%s}\n", progress->what, progress->done, seconds, rest);
}

static double seconds_between(const struct ga_progress *progress)
{
    return progress->is_json ? SECONDS_OF_JSON : progress->is_terminal ? SECONDS_ON_TERMINAL : SECONDS_ELSEWHERE;
}

void ga_progress_show(struct ga_progress *progress, size_t done, double share)
{
    const double now = ga_seconds_now();
    char text[GA_PROGRESS_TEXT];
    progress->done = done;
    progress->share = share;
    if (now - progress->said < seconds_between(progress)) {
        return;
    }
    progress->said = now;
    if (progress->is_json) {
        put_json(progress, now);
        return;
    }
    ga_progress_text(progress->what, done, share, now - progress->begun, text);
    if (progress->is_terminal) {
        fprintf(stderr, "\r%s\033[K", text);
        progress->is_shown = true;
    } else {
        ga_note(progress->context, "%s", text);
    }
}

void ga_progress_end(struct ga_progress *progress)
{
    if (progress->is_json) {
        put_json(progress, ga_seconds_now());
    }
    if (progress->is_shown) {
        fputs("\r\033[K", stderr);
        progress->is_shown = false;
    }
}
