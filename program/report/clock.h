// clock.h: seconds, for what is measured. Says nothing of the date.
#ifndef GA_CLOCK_H
#define GA_CLOCK_H

// On a clock that never jumps, from some moment on.
double ga_seconds_now(void);

// That this thread has computed.
double ga_thread_seconds(void);

#endif
