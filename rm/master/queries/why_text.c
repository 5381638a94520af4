/* SPDX-License-Identifier: Apache-2.0 */
/* why_text.c - the reason why an application waits, as a sentence and as a short text for a column */
#include <string.h>

#include "common/base/text_builder.h"
#include "rm/master/state/amounts.h"
#include "rm/master/queries/why.h"
#include "rm/master/parts/format.h"

#define HOLDERS_SHOWN 3

/* --- users of a queue ------------------------------------------------------ */

struct holder {
    const char *user;
    double share;
};

static double share_of(const struct master *m, const struct resource *used, const struct resource *total)
{
    int types = rm_limits_memory_only(m) ? 1 : RESOURCE_TYPES_MAX;
    double share = 0;

    for (int t = 0; t < types; t++) {
        double part = total->value[t] > 0 ? (double)used->value[t] / (double)total->value[t] : 0;

        share = part > share ? part : share;
    }
    return share;
}

/* Returns " (held by: carl 31%, dana 9%)", the largest users of QUEUE; "" if nothing is in use. */
static const char *held_by(struct master *m, const char *queue)
{
    struct holder top[HOLDERS_SHOWN] = { { NULL, 0 } };
    struct sched_user_figures user = { .user = NULL };
    struct sched_cluster cluster;
    struct text_builder text = TEXT_BUILDER_IN(m->out->arena);

    sched_cluster(m->sched, &cluster);
    while (sched_queue_user_next(m->sched, queue, user.user, &user)) {
        struct holder one = { user.user, share_of(m, &user.used, &cluster.total) };

        for (size_t k = 0; k < HOLDERS_SHOWN && one.share > 0; k++)
            if (one.share > top[k].share) {
                struct holder other = top[k];

                top[k] = one;
                one = other;
            }
    }
    for (size_t k = 0; k < HOLDERS_SHOWN && top[k].share > 0; k++)
        text_builder_printf(&text, "%s %s %.0f%%", k > 0 ? "," : " (held by:", top[k].user,
                            top[k].share * 100);
    if (text.length > 0)
        text_builder_add(&text, ")");
    return text_builder_finish(&text);
}

/* --- applications that count ------------------------------------------------ */

struct counted {
    struct text_builder text;
    uint32_t count;
};

static void add_counted(void *context, const char *app_id)
{
    struct counted *counted = context;

    if (counted->count++ < FORMAT_NAMES)
        text_builder_printf(&counted->text, "%s%s", counted->count > 1 ? ", " : ", held by ",
                            format_app_id(app_id));
}

static const char *most_apps_text(struct master *m, const struct sched_why_item *item)
{
    struct arena *arena = m->out->arena;
    bool fair = m->features.queues == SCHED_QUEUES_FAIR;
    const char *key = arena_printf(arena, "%s of %s%s", fair ? "maxRunningApps" : "max-parallel-apps",
                                   item->queue ? "" : "user ", item->queue ? item->queue : item->user);
    const char *name = item->queue ? arena_printf(arena, "queue %s", format_queue(item->queue))
                                   : arena_printf(arena, "user %s", item->user);
    struct counted counted = { .text = TEXT_BUILDER_IN(arena) };

    if (item->most_apps <= 0)
        return arena_printf(arena, "%s may have no applications (%s is %lld): nothing can start", name, key,
                            (long long)item->most_apps);
    sched_why_counted(m->sched, item, add_counted, &counted);
    return arena_printf(arena,
                        "%s has %lld of %lld applications at a time (%s)%s; the oldest that waits is next",
                        name, (long long)item->apps, (long long)item->most_apps, key,
                        format_names_end(&counted.text, counted.count));
}

/* --- one item -------------------------------------------------------------- */

static const char *queue_limit_text(struct master *m, const struct sched_why_item *item)
{
    struct sched_queue_figures figures = { .path = NULL };
    const char *name = format_queue(item->queue ? item->queue : "");

    if (item->queue == NULL || !sched_queue_find_figures(m->sched, item->queue, &figures))
        return arena_printf(m->out->arena, "%s is at its limit", name);
    /* With labels, fractions of the queue are of nodes without one; the item has amounts of the partition. */
    if (m->features.queues == SCHED_QUEUES_FAIR || sched_label_count(m->sched) > 1)
        return arena_printf(m->out->arena, "%s uses %s, its maximum is %s", name,
                            rm_format_limit(m, &item->used), rm_format_limit(m, &item->allowed));
    return arena_printf(m->out->arena, "%s uses %.1f%% of the cluster, its maximum is %.4g%%%s", name,
                        (double)figures.absolute_used * 100, (double)figures.absolute_max_capacity * 100,
                        figures.leaf ? held_by(m, item->queue) : "");
}

/* Returns how many users share a queue, for user_limit_text(). A user whose requests were made before its
 * application was active, as before the first node registered after a restart, does not count, as in YARN
 * (yarn-behaviour 5.4). */
static const char *active_text(struct master *m, uint32_t active)
{
    if (active == 0)
        return "no user counts as active: all requests are older than the activation of their application";
    return arena_printf(m->out->arena, "%u active user%s", active, active == 1 ? "" : "s");
}

static const char *user_limit_text(struct master *m, const struct sched_why_item *item)
{
    struct arena *arena = m->out->arena;
    struct sched_queue_figures figures = { .active_users = 0 };
    const char *queue = format_queue(item->queue ? item->queue : "");

    if (item->queue)
        (void)sched_queue_find_figures(m->sched, item->queue, &figures);
    if (item->reason == SCHED_REASON_USER_AM_LIMIT)
        return arena_printf(arena, "application masters of %s may hold %s of %s, and hold %s",
                            item->user ? item->user : "one user", rm_format_limit(m, &item->allowed), queue,
                            rm_format_limit(m, &item->used));
    return arena_printf(arena, "%s may use %s of %s now (%s), uses %s", item->user ? item->user : "one user",
                        rm_format_limit(m, &item->allowed), queue, active_text(m, figures.active_users),
                        rm_format_limit(m, &item->used));
}

static const char *full_text(struct master *m, const struct sched_why_item *item,
                             const struct sched_why_spread *spread)
{
    struct arena *arena = m->out->arena;
    const char *full = arena_printf(arena, "none of %u node%s has %s free now", item->nodes,
                                    item->nodes == 1 ? "" : "s", rm_format_amount(m, &item->asked));

    if (item->reason != SCHED_REASON_CLUSTER_FULL || spread->node == NULL)
        return full;
    return arena_printf(arena, "%s: %s are free on %u nodes, the most on %s, which has %s", full,
                        rm_format_amount(m, &spread->all), spread->nodes, spread->node,
                        rm_format_amount(m, &spread->free));
}

static const char *node_text(struct master *m, const struct sched_why_item *item, const struct sched_why *why)
{
    struct arena *arena = m->out->arena;
    const char *asked = rm_format_amount(m, &item->asked);

    switch (item->reason) {
    case SCHED_REASON_NO_NODES:
        return "no node in service could run it";
    case SCHED_REASON_NODE_TOO_SMALL:
        return arena_printf(arena, "no node is as large as %s: the largest of %u has %s", asked, item->nodes,
                            rm_format_limit(m, &item->allowed));
    case SCHED_REASON_NODE_BLACKLISTED:
        return arena_printf(arena, "there is room only on nodes that it avoids (%u of them)", item->nodes);
    case SCHED_REASON_PLACEMENT:
        return arena_printf(arena,
                            "it wants nodes that it named, and none of those has room; %u "
                            "others have",
                            item->nodes);
    case SCHED_REASON_LABEL_NO_MATCH:
        return *why->label ? "no open node has the label that it asks for, or its queue may not use it"
                           : "it asks for a node without a label, and all nodes have one";
    case SCHED_REASON_NODE_FULL:
        return arena_printf(arena, "the node of its container has %s free, it needs %s more",
                            rm_format_amount(m, &item->allowed), asked);
    case SCHED_REASON_RESERVED_FOR:
        return "the room that is left is kept for others that wait longer";
    default:
        return full_text(m, item, &why->spread);
    }
}

const char *rm_why_item_text(struct master *m, const struct sched_why_item *item, const struct sched_why *why)
{
    uint32_t ahead = why->ahead;
    struct arena *arena = m->out->arena;
    const char *queue = format_queue(item->queue ? item->queue : "its queue");

    switch (item->reason) {
    case SCHED_REASON_QUEUE_LIMIT:
    case SCHED_REASON_PARENT_LIMIT:
        return queue_limit_text(m, item);
    case SCHED_REASON_USER_LIMIT:
    case SCHED_REASON_USER_AM_LIMIT:
        return user_limit_text(m, item);
    case SCHED_REASON_AM_LIMIT:
        return arena_printf(arena,
                            "application masters%s%s may hold %s together and hold %s; its "
                            "own needs %s",
                            item->queue ? " of " : "", item->queue ? queue : "",
                            rm_format_limit(m, &item->allowed), rm_format_limit(m, &item->used),
                            rm_format_amount(m, &item->asked));
    case SCHED_REASON_BEHIND_IN_QUEUE:
        return arena_printf(arena, "%u%s application%s of %s %s served before it", ahead,
                            ahead >= SCHED_WHY_AHEAD_MAX ? " or more" : "", ahead == 1 ? "" : "s", queue,
                            ahead == 1 ? "is" : "are");
    case SCHED_REASON_QUEUE_MAX_APPS:
    case SCHED_REASON_USER_MAX_APPS:
        return most_apps_text(m, item);
    case SCHED_REASON_QUEUE_STOPPED:
        return arena_printf(arena, "%s is stopped", queue);
    case SCHED_REASON_LOCALITY_DELAY:
        return "it waits a little for room where it would rather be; then any node will do";
    case SCHED_REASON_ABOVE_FAIR_SHARE:
        return arena_printf(arena, "%s uses %s, its fair share now is %s: others come first", queue,
                            rm_format_limit(m, &item->used), rm_format_share(m, &item->allowed));
    case SCHED_REASON_BEHIND_QUEUE:
        return arena_printf(arena,
                            "%s is served before it, waits for more room than there is, and keeps "
                            "what there is",
                            queue);
    case SCHED_REASON_NEXT_START:
        return arena_printf(arena,
                            "no limit blocks it any more; it starts when an application of %s comes "
                            "or goes, or the cluster changes",
                            queue);
    case SCHED_REASON_NEXT_OFFER:
        return "a node with room is offered with its next heartbeat";
    case SCHED_REASON_PREEMPTING:
        return "containers of others are being preempted for it";
    default:
        return node_text(m, item, why);
    }
}

/* Returns the dominant reason as an item, for a scheduler that returns no items. */
struct sched_why_item rm_why_only_item(const struct sched_why *why)
{
    return (struct sched_why_item){
        .reason = why->reason,
        .blocking = true,
        .user = why->user,
        .queue = why->queue,
        .used = why->used,
        .asked = why->asked,
        .allowed = why->most,
        .nodes = why->nodes,
    };
}

/* --- the whole reason ----------------------------------------------------------- */

const char *rm_why_text(struct master *m, const struct sched_why *why)
{
    struct sched_why_item only = rm_why_only_item(why);
    char text[4096];

    if (*sched_why_format(why, text, sizeof(text)))
        return arena_strdup(m->out->arena, text);
    return rm_why_item_text(m, why->item_count > 0 ? &why->items[0] : &only, why);
}

const char *rm_why_short(struct master *m, const struct sched_why *why)
{
    struct arena *arena = m->out->arena;
    struct sched_queue_figures figures = { .path = NULL };
    const char *queue = format_queue(why->queue ? why->queue : "");

    switch (why->reason) {
    case SCHED_REASON_QUEUE_LIMIT:
    case SCHED_REASON_PARENT_LIMIT:
        if (why->queue == NULL || !sched_queue_find_figures(m->sched, why->queue, &figures) ||
            !(figures.absolute_max_capacity > 0))
            return queue;
        return arena_printf(arena, "%s %.0f%% of max %.4g%%", queue,
                            (double)(figures.absolute_used / figures.absolute_max_capacity) * 100,
                            (double)figures.absolute_max_capacity * 100);
    case SCHED_REASON_USER_LIMIT:
    case SCHED_REASON_USER_AM_LIMIT:
        return arena_printf(arena, "%s may use %s of %s", why->user ? why->user : "one user",
                            rm_format_limit(m, &why->most), queue);
    case SCHED_REASON_AM_LIMIT:
        return arena_printf(arena, "masters may hold %s", rm_format_limit(m, &why->most));
    case SCHED_REASON_BEHIND_IN_QUEUE:
        return arena_printf(arena, "%u%s ahead", why->ahead, why->ahead >= SCHED_WHY_AHEAD_MAX ? "+" : "");
    case SCHED_REASON_NODE_TOO_SMALL:
        return arena_printf(arena, "%s; the largest has %s", rm_format_amount(m, &why->asked),
                            rm_format_amount(m, &why->most));
    case SCHED_REASON_CLUSTER_FULL:
        return rm_format_amount(m, &why->asked);
    case SCHED_REASON_QUEUE_STOPPED:
    case SCHED_REASON_QUEUE_MAX_APPS:
        return queue;
    default:
        return "";
    }
}
