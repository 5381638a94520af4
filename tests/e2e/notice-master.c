/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notice-master.c - program: an application master that prints the preemption notices that it receives
 *
 *   notice-master COUNT MEMORY-MB COMMAND...     as the command of creel submit --am
 *
 * Runs COMMAND in COUNT containers, each again until its exit status is 0, and prints a line for each notice
 * and each end. The next attempt runs COMMAND only as often as it has not succeeded.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/include/creel-am.h"

struct work {
    const char *const *command;
    int64_t memory_mb;
    uint32_t count, wanted, succeeded;
    bool registered;
};

static void ask(struct work *work, struct creel_am *am)
{
    creel_am_ask(am, 1, work->memory_mb, 1, work->wanted);
}

static void granted(void *context, struct creel_am *am, const struct creel_am_container *container)
{
    struct work *work = context;
    struct creel_am_launch launch = { .title = "worker", .command = work->command };

    if (work->wanted == 0) {
        creel_am_release(am, container->id);
        return;
    }
    work->wanted--;
    creel_am_start(am, container->id, &launch);
    ask(work, am);
}

static void registered(void *context, struct creel_am *am)
{
    struct work *work = context;
    size_t size;
    const uint32_t *succeeded = creel_am_state(am, &size);

    if (work->registered || size != sizeof(*succeeded))
        return;
    work->registered = true;
    work->succeeded = *succeeded;
    work->wanted = work->count - work->succeeded;
    printf("continues after %u\n", work->succeeded);
    ask(work, am);
}

static void completed(void *context, struct creel_am *am, const char *id, int exit_status,
                      const char *diagnostics)
{
    struct work *work = context;

    printf("ended %s %d %s\n", id, exit_status, diagnostics);
    if (exit_status != 0)
        work->wanted++;
    else
        work->succeeded++;
    if (creel_am_set_state(am, &work->succeeded, sizeof(work->succeeded)) < 0)
        printf("its state is not stored\n");
    ask(work, am);
    if (work->succeeded == work->count)
        creel_am_finish(am, CREEL_FINAL_SUCCEEDED, 0, "");
}

static void preempted(void *context, struct creel_am *am, const char *id, int64_t deadline_ms,
                      bool negotiable)
{
    (void)context;
    (void)am;
    printf("notice %s %lld %s\n", id, (long long)deadline_ms, negotiable ? "negotiable" : "strict");
}

static void spared(void *context, struct creel_am *am, const char *id)
{
    (void)context;
    (void)am;
    printf("spared %s\n", id);
}

int main(int argc, char **argv)
{
    static const struct creel_am_calls calls = {
        .granted = granted,
        .registered = registered,
        .completed = completed,
        .preempted = preempted,
        .spared = spared,
    };
    struct creel_error error;
    struct creel_am *am;
    struct work work;
    int r;

    if (argc < 4) {
        fprintf(stderr, "notice-master COUNT MEMORY-MB COMMAND...\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    work = (struct work){
        .command = (const char *const *)argv + 3,
        .memory_mb = atoi(argv[2]),
        .count = (uint32_t)atoi(argv[1]),
        .wanted = (uint32_t)atoi(argv[1]),
    };
    if (creel_am_open(&calls, &work, &am, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    ask(&work, am);
    r = creel_am_run(am, &error);
    if (r < 0)
        fprintf(stderr, "%s\n", error.text);
    creel_am_close(am);
    return r < 0 ? 1 : 0;
}
