/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_queue.c - queue of containers by due time, queue of events to be reported, and the timer */
#include <string.h>
#include <sys/timerfd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/runtime_state.h"
#include "nm-agent/linux/state/retention.h"

/* --- containers that are due ------------------------------------------------ */

static int compare_due(const struct container *a, const struct container *b)
{
    if (a->due_ms != b->due_ms)
        return a->due_ms < b->due_ms ? -1 : 1;
    return strcmp(a->id, b->id);
}

RB_PROTOTYPE(due_tree, container, by_due, compare_due)
RB_GENERATE(due_tree, container, by_due, compare_due)

void container_set_due(struct runtime *runtime, struct container *container, int64_t due_ms)
{
    if (container->due_ms != 0)
        RB_REMOVE(due_tree, &runtime->due, container);
    container->due_ms = due_ms;
    if (due_ms != 0)
        RB_INSERT(due_tree, &runtime->due, container);
}

struct container *container_first_due(struct runtime *runtime)
{
    return RB_MIN(due_tree, &runtime->due);
}

/* --- events ----------------------------------------------------------------- */

void container_push_event(struct runtime *runtime, const struct runtime_event *event)
{
    struct event_item *item = mem_new0(struct event_item);

    item->event = *event;
    STAILQ_INSERT_TAIL(&runtime->events, item, link);
}

/* --- the timer -------------------------------------------------------------- */

/* Returns the time of the next action; INT64_MAX: none. */
static int64_t next_due_ms(struct runtime *runtime, int64_t now_ms)
{
    const struct container *first = container_first_due(runtime);
    int64_t due_ms = first ? first->due_ms : INT64_MAX, retention_ms;

    if (!STAILQ_EMPTY(&runtime->events))
        return now_ms;
    if (!TAILQ_EMPTY(&runtime->removals) && runtime->removal_due_ms < due_ms)
        due_ms = runtime->removal_due_ms;
    if (runtime->orphan_dirs.due_ms > 0 && runtime->orphan_dirs.due_ms < due_ms)
        due_ms = runtime->orphan_dirs.due_ms;
    retention_ms = retention_next_ms(runtime);
    if (retention_ms > 0 && now_ms + retention_ms - process_now_ms() < due_ms)
        due_ms = now_ms + retention_ms - process_now_ms();
    if (runtime->aggregation.poll_due_ms < due_ms)
        due_ms = runtime->aggregation.poll_due_ms;
    if (runtime->delayed_next_ms > 0 && now_ms + runtime->delayed_next_ms - process_now_ms() < due_ms)
        due_ms = now_ms + runtime->delayed_next_ms - process_now_ms();
    return due_ms > now_ms ? due_ms : now_ms;
}

void runtime_arm(struct runtime *runtime)
{
    int64_t now_ms = monotonic_ms(), due_ms = next_due_ms(runtime, now_ms);
    struct itimerspec when = { .it_value = { 0 } };

    if (due_ms == runtime->armed_ms ||
        (due_ms == now_ms && runtime->armed_ms > 0 && runtime->armed_ms <= now_ms))
        return; /* already set to that time, or expired and not read yet */
    runtime->armed_ms = due_ms;
    if (due_ms != INT64_MAX) {
        when.it_value.tv_sec = (due_ms - now_ms) / 1000;
        when.it_value.tv_nsec = (due_ms - now_ms) % 1000 * 1000000 + 1; /* zero would disarm the timer */
    }
    timerfd_settime(runtime->timer_fd, 0, &when, NULL);
}
