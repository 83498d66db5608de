// team.c: a gather in two meetings: when all ranks have said where their rows are, each copies; when all have copied,
// each goes on.
#define _POSIX_C_SOURCE 200809L
#include "team.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

struct team {
    pthread_mutex_t lock;
    pthread_cond_t met;
    size_t size, arrived, meetings;
    bool failed;
    const char *data[GA_MAX_TEAM];
    team_member *member;
    void *context;
};

struct rank {
    struct team *team;
    struct ga_ranks ranks;
    pthread_t thread;
};

static void fail(struct team *team)
{
    pthread_mutex_lock(&team->lock);
    team->failed = true;
    pthread_cond_broadcast(&team->met);
    pthread_mutex_unlock(&team->lock);
}

// Waits until all ranks are here; false: one failed.
static bool meet(struct team *team)
{
    pthread_mutex_lock(&team->lock);
    const size_t meeting = team->meetings;
    team->arrived++;
    if (team->arrived == team->size) {
        team->arrived = 0;
        team->meetings++;
        pthread_cond_broadcast(&team->met);
    }
    while (meeting == team->meetings && !team->failed) {
        pthread_cond_wait(&team->met, &team->lock);
    }
    const bool ok = !team->failed;
    pthread_mutex_unlock(&team->lock);
    return ok;
}

static bool gather(void *self, void *data, size_t rows, size_t stride, const size_t *ends)
{
    const struct rank *own = self;
    struct team *team = own->team;
    team->data[own->ranks.rank] = data;
    if (!meet(team)) {
        return false;
    }
    for (size_t r = 0; r < team->size; r++) {
        const size_t first = r == 0 ? 0 : ends[r - 1];
        for (size_t row = 0; r != own->ranks.rank && row < rows; row++) {
            memcpy((char *)data + row * stride + first, team->data[r] + row * stride + first, ends[r] - first);
        }
    }
    return meet(team);
}

static void *run(void *context)
{
    const struct rank *own = context;
    if (!own->team->member(own->team->context, &own->ranks)) {
        fail(own->team);
    }
    return NULL;
}

size_t team_run(size_t size, team_member *member, void *context)
{
    struct team team = {.size = size, .member = member, .context = context};
    struct rank all[GA_MAX_TEAM];
    size_t started = 0;
    pthread_mutex_init(&team.lock, NULL);
    pthread_cond_init(&team.met, NULL);
    for (bool ok = true; ok && started < size; started += ok) {
        struct rank *one = &all[started];
        *one = (struct rank){.team = &team, .ranks = {started, size, gather, one}};
        ok = pthread_create(&one->thread, NULL, run, one) == 0;
    }
    if (started < size) {
        fail(&team);
    }
    for (size_t r = 0; r < started; r++) {
        pthread_join(all[r].thread, NULL);
    }
    pthread_cond_destroy(&team.met);
    pthread_mutex_destroy(&team.lock);
    return started == size ? team.meetings / 2 : SIZE_MAX;
}
