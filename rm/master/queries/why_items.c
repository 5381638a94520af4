/* SPDX-License-Identifier: Apache-2.0 */
/* why_items.c - builds the parts of an explanation: items and advice */
#include <string.h>

#include "rm/master/queries/why.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"

Creel__WhyItem *rm_why_item(struct master *m, const struct sched_why_item *item, const char *text)
{
    struct arena *arena = m->out->arena;
    Creel__WhyItem *message = arena_new0(arena, Creel__WhyItem);

    creel__why_item__init(message);
    message->reason_code = rm_message_text(arena, sched_reason_name(item->reason));
    message->blocking = item->blocking;
    message->queue = rm_message_text(arena, item->queue);
    message->user = rm_message_text(arena, item->user);
    message->used = rm_resource_message(m, &item->used);
    message->asked = rm_resource_message(m, &item->asked);
    message->allowed = rm_resource_message(m, &item->allowed);
    message->since_ms = item->since_ms > 0 ? item->since_ms : 0;
    if (item->reason != SCHED_REASON_RESERVED_FOR) /* reservations are compared with sums of queues, too */
        message->nodes = item->nodes;
    if (item->reason == SCHED_REASON_QUEUE_MAX_APPS || item->reason == SCHED_REASON_USER_MAX_APPS) {
        message->apps = arena_new0(arena, Creel__AppCount);
        creel__app_count__init(message->apps);
        message->apps->used = item->apps;
        message->apps->allowed = item->most_apps;
    }
    message->text = rm_message_text(arena, text);
    return message;
}

void rm_why_add(struct master *m, Creel__AppExplanation *reply, const char *code, bool blocking,
                const char *text, int64_t at_ms)
{
    struct sched_why_item none = { .blocking = blocking };
    Creel__WhyItem *message = rm_why_item(m, &none, text);

    message->reason_code = rm_message_text(m->out->arena, code);
    message->since_ms = at_ms;
    reply->items[reply->n_items++] = message;
}

const char *rm_why_unmanaged(const struct app *app)
{
    const struct attempt *attempt = app->attempt;

    if (!app->job->unmanaged || attempt == NULL || attempt->registered || rm_attempt_is_over(attempt))
        return NULL;
    return "its application master, which runs outside of the cluster, has not registered yet";
}

void rm_why_advise(struct master *m, Creel__AppExplanation *reply, const char *text)
{
    char **longer = arena_array0(m->out->arena, reply->n_advice + 1, sizeof(char *));

    if (reply->n_advice > 0)
        memcpy(longer, reply->advice, reply->n_advice * sizeof(char *));
    longer[reply->n_advice++] = rm_message_text(m->out->arena, text);
    reply->advice = longer;
}
