/* SPDX-License-Identifier: Apache-2.0 */
/* storm_run.c - runs a whole storm, twice for capacity, and checks the invariants */
#include <errno.h>
#include <inttypes.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "sim/storm/storm_world.h"

/* Ends all apps, and checks that nothing of them is left. */
static void clear_up(struct storm *storm)
{
    for (int i = 0; i < APPS; i++)
        if (storm->apps[i])
            storm_end_app(storm, i);
    storm_check_empty(storm);
}

static void run(struct storm *storm, uint64_t seed)
{
    for (int i = 0; i < STORM_EVENTS && storm->r == 0; i++) {
        struct err err;

        storm_event(storm);
        storm_silence(storm);
        storm_lull(storm);
        if (storm->r == 0 && storm->audit.r < 0)
            storm_wrong(storm, "%s", storm->audit.err.text);
        if (storm->r == 0 && sched_check(storm->sched, &err) < 0)
            storm_wrong(storm, "%s", err.text);
        if (storm->r == 0)
            storm_check_queues(storm);
        if (storm->r == 0 && storm->notes)
            storm_note(storm);
        if (storm->r < 0)
            err_prefix(storm->err, "seed %" PRIu64 ", event %d", seed, i);
    }
    if (storm->r == 0) {
        clear_up(storm);
        if (storm->r < 0)
            err_prefix(storm->err, "seed %" PRIu64 ", at the end", seed);
    }
}

/* Half of the seeds of the capacity scheduler have percentages, the other shapes take turns. */
static enum storm_shape shape_of(const char *scheduler, uint64_t seed)
{
    static const enum storm_shape others[] = { STORM_BY_TYPE, STORM_DYNAMIC, STORM_MANAGED };

    if (!text_equal(scheduler, "capacity") || seed / 2 % 2 == 1)
        return STORM_PERCENT;
    return others[seed / 4 % 3];
}

/* Creates a storm, without events. */
static int begin(const char *scheduler, uint64_t seed, enum storm_shape shape, FILE *story,
                 struct storm_count *count, struct storm **ret, struct err *err)
{
    struct storm *storm = mem_new0(struct storm);
    struct sched_config config = { .capacity = NULL };
    int r;

    rng_seed(&storm->rng, seed);
    storm->story = story;
    storm->count = count;
    storm->err = err;
    storm->scarce = seed % 2 == 1;
    rng_seed(&storm->lulls, seed);
    rng_seed(&storm->silences, ~seed);
    storm->config = storm_config_new(storm->scarce, shape);
    *ret = storm;
    r = storm_config_fill(storm->config, scheduler, &storm->rng, &config, err);
    storm->capacity = config.capacity != NULL;
    storm->queues = storm->capacity || config.fair != NULL;
    storm->types = config.types;
    if (r == 0 && (r = sched_new(&config, &storm->sched, err)) < 0) {
        capacity_placement_free(config.placement);
        capacity_config_free(config.capacity);
        fair_config_free(config.fair);
    }
    if (r == 0)
        preempt_audit_start(storm->sched, &storm->audit);
    return r;
}

void storm_free(struct storm *storm)
{
    storm_free_copies(storm);
    sched_free(storm->sched);
    storm_config_free(storm->config);
    free(storm->decisions.items);
    free(storm);
}

int storm_until(const char *scheduler, uint64_t seed, int events, struct storm_count *count,
                struct storm **ret, struct err *err)
{
    int r = begin(scheduler, seed, STORM_PERCENT, NULL, count, ret, err);

    for (int i = 0; i < events && r == 0; i++) {
        storm_event(*ret);
        r = (*ret)->r;
    }
    if (r < 0)
        storm_free(*ret);
    return r;
}

/* Runs a storm. For capacity, records NOTES, or compares the run with them if SECOND. */
static int pass(const char *scheduler, uint64_t seed, FILE *story, struct storm_notes *notes, bool second,
                struct storm_count *count, struct err *err)
{
    struct storm *storm;
    int r = begin(scheduler, seed, shape_of(scheduler, seed), story, count, &storm, err);

    if (r == 0 && storm->capacity) {
        storm->notes = notes;
        storm->second = second;
        capacity_of(storm->sched)->visits_refused = second;
    }
    if (r == 0)
        run(storm, seed);
    r = r < 0 ? r : storm->r;
    storm_free(storm);
    return r;
}

int storm_run(const char *scheduler, uint64_t seed, FILE *story, struct storm_count *count, struct err *err)
{
    struct storm_notes notes = { .items = NULL };
    struct storm_count again = { 0 };
    int r = pass(scheduler, seed, story, &notes, false, count, err);

    if (r == 0 && notes.count > 0)
        r = pass(scheduler, seed, NULL, &notes, true, &again, err);
    free(notes.items);
    return r;
}
