/* SPDX-License-Identifier: Apache-2.0 */
/* storm_look.c - reads the figures of the core during a storm, and compares the two runs */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

#include "common/base/mem.h"
#include "sim/storm/storm_world.h"

void storm_write(const struct storm *storm, const char *format, ...)
{
    va_list args;

    if (storm->story == NULL)
        return;
    va_start(args, format);
    vfprintf(storm->story, format, args);
    va_end(args);
    putc('\n', storm->story);
}

void storm_wrong(struct storm *storm, const char *format, ...)
{
    va_list args;

    if (storm->r < 0)
        return;
    va_start(args, format);
    storm->r = err_vset(storm->err, EINVAL, format, args);
    va_end(args);
}

void storm_check(struct storm *storm)
{
    const struct sched_queue *at = NULL;
    struct sched_queue_figures queue;
    struct sched_user_figures user;
    struct sched_app_figures app;
    struct sched_why why;
    char text[2000];

    while (sched_queue_next(storm->sched, &at, &queue)) {
        user.user = NULL;
        while (queue.leaf && sched_queue_user_next(storm->sched, queue.path, user.user, &user))
            if (resource_any_negative(&user.used))
                storm_wrong(storm, "%s: user %s has less than nothing", queue.path, user.user);
    }
    for (int i = 0; i < APPS; i++)
        if (storm->apps[i]) {
            sched_app_figures(storm->sched, storm->apps[i], &app);
            sched_app_why(storm->sched, storm->apps[i], &why);
            sched_why_format(&why, text, sizeof(text));
            if (resource_any_negative(&app.headroom) && (storm->capacity || !storm->queues))
                storm_wrong(storm, "app%d: headroom is negative", i);
        }
}

void storm_check_empty(struct storm *storm)
{
    const struct sched_queue *at = NULL;
    struct sched_queue_figures queue;
    struct sched_cluster cluster;

    sched_cluster(storm->sched, &cluster);
    if (cluster.containers > 0 || !resource_is_zero(&cluster.used))
        storm_wrong(storm, "all apps are gone, but not all containers");
    while (sched_queue_next(storm->sched, &at, &queue))
        if (!resource_is_zero(&queue.used) || !resource_is_zero(&queue.pending) ||
            !resource_is_zero(&queue.am_used) || queue.active_apps + queue.waiting_apps > 0)
            storm_wrong(storm, "%s: all apps are gone, but it still counts some", queue.path);
    for (int i = 0; i < NODES; i++)
        if (storm->nodes[i] && sched_node_reserved_by(storm->nodes[i]))
            storm_wrong(storm, "node%d is kept for an app that is gone", i);
}

/* --- the two runs ---------------------------------------------------------- */

static void compare(struct storm *storm, const struct storm_note *now)
{
    struct storm_notes *notes = storm->notes;
    const struct storm_note *then = &notes->items[notes->at];

    if (notes->at == notes->count || then->app != now->app || then->priority != now->priority ||
        then->allocation_id != now->allocation_id || then->grows != now->grows)
        storm_wrong(storm, "app%d has a request at priority %" PRIu32 " only if refused queues are visited",
                    now->app, now->priority);
    else if (then->value != now->value && now->app < 0)
        storm_wrong(storm, "decides otherwise if refused queues are visited");
    else if (then->value != now->value)
        storm_wrong(storm,
                    "app%d at priority %" PRIu32 " has missed %" PRIu64 " opportunities, %" PRIu64
                    " if refused queues are visited",
                    now->app, now->priority, then->value, now->value);
    notes->at++;
}

static void store_note(struct storm *storm, struct storm_note note)
{
    struct storm_notes *notes = storm->notes;

    if (storm->second) {
        compare(storm, &note);
        return;
    }
    mem_grow(notes->items, notes->count, notes->capacity);
    notes->items[notes->count++] = note;
}

void storm_note(struct storm *storm)
{
    store_note(storm, (struct storm_note){ .app = -1, .value = storm->decided });
    for (int i = 0; i < APPS && storm->r == 0; i++) {
        struct demand *demand;

        if (storm->apps[i] == NULL)
            continue;
        RB_FOREACH(demand, sched_demand_tree, &storm->apps[i]->demands)
            if (demand->count > 0)
                store_note(storm, (struct storm_note){
                                      .app = i,
                                      .priority = demand->priority,
                                      .allocation_id = demand->allocation_id,
                                      .grows = demand->grows,
                                      .value = demand->opportunities,
                                  });
    }
}

/* --- silent nodes ---------------------------------------------------------- */

void storm_hear(struct storm *storm, int i)
{
    if (!storm->nodes[i]->silent)
        return;
    storm_write(storm, "node%d is heard again", i);
    sched_node_set_silent(storm->sched, storm->nodes[i], false);
}

void storm_check_heard(struct storm *storm, const struct sched_decision *decision)
{
    if (decision->node->silent)
        storm_wrong(storm, "node%d is silent, and app%d was given room there",
                    (int)(uintptr_t)sched_node_owner(decision->node),
                    (int)(uintptr_t)sched_app_owner(decision->app));
}
