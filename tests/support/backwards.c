// backwards.c: the parts of a task, one after the other on the caller's thread. Starts no thread.
#include "backwards.h"

void run_backwards(void *self, size_t parts, void (*task)(void *context, size_t part), void *context)
{
    size_t *calls = self;
    if (calls) {
        *calls += 1;
    }
    while (parts > 0) {
        task(context, --parts);
    }
}
