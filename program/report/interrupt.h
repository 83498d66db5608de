// interrupt.h: whether the program was asked to end, for work that has something to save before it does. Saves nothing.
#ifndef GA_INTERRUPT_H
#define GA_INTERRUPT_H

#include <stdbool.h>

// From here on the first SIGINT or SIGTERM does not end the process; the second does. One that was ignored stays so.
void ga_interrupt_watch(void);

// Whether there was such a signal since ga_interrupt_watch.
bool ga_interrupted(void);

// Signals do again what they did before ga_interrupt_watch.
void ga_interrupt_end(void);

#endif
