/* SPDX-License-Identifier: Apache-2.0 */
/* history_threads.c - the threads that read the history */
#include "rm/net/history/history_threads.h"

#include <assert.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/text.h"

struct thread {
    struct worker *worker;
    char *user, *principal; /* for whom it reads; owned; NULL: it is idle */
};

struct history_threads {
    struct thread threads[HISTORY_THREADS];
};

static void set_idle(struct thread *thread)
{
    free(thread->user);
    free(thread->principal);
    thread->user = thread->principal = NULL;
}

int history_threads_new(struct loop *loop, struct history_threads **ret, struct err *err)
{
    struct history_threads *threads = mem_new0(struct history_threads);

    for (unsigned i = 0; i < HISTORY_THREADS; i++) {
        int r = worker_new(loop, &threads->threads[i].worker, err);

        if (r < 0) {
            (void)history_threads_free(threads, 0);
            return r;
        }
    }
    *ret = threads;
    return 0;
}

bool history_threads_free(struct history_threads *threads, int64_t timeout_ms)
{
    bool ended = true;

    for (unsigned i = 0; i < HISTORY_THREADS; i++)
        if (threads->threads[i].worker != NULL)
            ended = worker_free(threads->threads[i].worker, timeout_ms) && ended;
    for (unsigned i = 0; i < HISTORY_THREADS; i++)
        set_idle(&threads->threads[i]);
    free(threads);
    return ended;
}

static unsigned find_idle(const struct history_threads *threads)
{
    unsigned i = 0;

    while (i < HISTORY_THREADS && threads->threads[i].user != NULL)
        i++;
    return i;
}

bool history_threads_has_idle(const struct history_threads *threads)
{
    return find_idle(threads) < HISTORY_THREADS;
}

bool history_threads_has_room(const struct history_threads *threads, const char *user, const char *principal)
{
    unsigned of_principal = 0;

    for (unsigned i = 0; i < HISTORY_THREADS; i++) {
        const struct thread *thread = &threads->threads[i];

        if (thread->user != NULL && text_equal(thread->user, user))
            return false;
        of_principal += thread->user != NULL && text_equal(thread->principal, principal);
    }
    return of_principal < HISTORY_THREADS / 2;
}

unsigned history_threads_run(struct history_threads *threads, const char *user, const char *principal,
                             struct worker_job *job)
{
    unsigned number = find_idle(threads);

    assert(number < HISTORY_THREADS);
    threads->threads[number].user = mem_strdup(user);
    threads->threads[number].principal = mem_strdup(principal);
    worker_add(threads->threads[number].worker, job);
    return number;
}

void history_threads_end(struct history_threads *threads, unsigned number)
{
    set_idle(&threads->threads[number]);
}
