/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why.c - why an app waits, or what became of it, in words
 *
 * The scheduler says which limit stands in the way and with what figures; here they become
 * sentences, with who holds what, which nodes were passed over, and what might help.
 */
#include <stdio.h>
#include <string.h>

#include "rm/master/internal.h"
#include "rm/master/words.h"

#define HOLDERS_SHOWN 3
#define CANDIDATES_MAX 5                /* queues that are tried for an advice */

/* --- who holds what -------------------------------------------------------- */

struct holder {
    const char *user;
    double share;
};

static double share_of(const struct master *m, const struct resource *used,
                       const struct resource *total)
{
    int types = rm_queues_count_memory(m) ? 1 : RESOURCE_TYPES_MAX;
    double share = 0;

    for (int t = 0; t < types; t++) {
        double part = total->value[t] > 0 ? (double)used->value[t] / (double)total->value[t] : 0;

        share = part > share ? part : share;
    }
    return share;
}

/* " (held by: carl 31%, dana 9%)"; "" if nobody holds anything. */
static const char *held_by(struct master *m, const char *queue)
{
    struct holder top[HOLDERS_SHOWN] = { { NULL, 0 } };
    const struct leaf_user *at = NULL;
    struct sched_user_figures user;
    struct sched_cluster cluster;
    const char *text = NULL;

    sched_cluster(m->sched, &cluster);
    while (sched_queue_user_next(m->sched, queue, &at, &user)) {
        struct holder one = { user.user, share_of(m, &user.used, &cluster.total) };

        for (size_t k = 0; k < HOLDERS_SHOWN && one.share > 0; k++)
            if (one.share > top[k].share) {
                struct holder other = top[k];

                top[k] = one;
                one = other;
            }
    }
    for (size_t k = 0; k < HOLDERS_SHOWN && top[k].share > 0; k++)
        text = arena_printf(m->out->arena, "%s%s %s %.0f%%", text ? text : " (held by:",
                            text ? "," : "", top[k].user, top[k].share * 100);
    return text ? arena_printf(m->out->arena, "%s)", text) : "";
}

/* --- one item -------------------------------------------------------------- */

static const char *queue_limit_text(struct master *m, const struct sched_why_item *item)
{
    struct sched_queue_figures figures = { .path = NULL };
    const char *name = words_queue(item->queue ? item->queue : "");

    if (item->queue == NULL || !sched_queue_find_figures(m->sched, item->queue, &figures))
        return arena_printf(m->out->arena, "%s is at its limit", name);
    if (m->features.queues == SCHED_QUEUES_FAIR)
        return arena_printf(m->out->arena, "%s uses %s, its maximum is %s", name,
                            rm_limit_words(m, &item->used), rm_limit_words(m, &item->allowed));
    return arena_printf(m->out->arena, "%s uses %.1f%% of the cluster, its maximum is %.4g%%%s", name,
                        (double)figures.absolute_used * 100,
                        (double)figures.absolute_max_capacity * 100,
                        figures.leaf ? held_by(m, item->queue) : "");
}

static const char *user_limit_text(struct master *m, const struct sched_why_item *item)
{
    struct arena *arena = m->out->arena;
    struct sched_queue_figures figures = { .active_users = 0 };
    const char *queue = words_queue(item->queue ? item->queue : "");

    if (item->queue)
        (void)sched_queue_find_figures(m->sched, item->queue, &figures);
    if (item->reason == SCHED_REASON_USER_AM_LIMIT)
        return arena_printf(arena, "application masters of %s may hold %s of %s, and hold %s",
                            item->user ? item->user : "one user",
                            rm_limit_words(m, &item->allowed), queue,
                            rm_limit_words(m, &item->used));
    return arena_printf(arena, "%s may use %s of %s now (%u active user%s), uses %s",
                        item->user ? item->user : "one user",
                        rm_limit_words(m, &item->allowed), queue,
                        figures.active_users,
                        figures.active_users == 1 ? "" : "s", rm_limit_words(m, &item->used));
}

static const char *node_text(struct master *m, const struct sched_why_item *item)
{
    struct arena *arena = m->out->arena;
    const char *asked = rm_amount_words(m, &item->asked);

    switch (item->reason) {
    case SCHED_REASON_NO_NODES:
        return "no node in service could run it";
    case SCHED_REASON_NODE_TOO_SMALL:
        return arena_printf(arena, "no node is as large as %s: the largest of %u has %s", asked,
                            item->nodes, rm_limit_words(m, &item->allowed));
    case SCHED_REASON_NODE_BLACKLISTED:
        return arena_printf(arena, "there is room only on nodes that it does not want (%u of them)",
                            item->nodes);
    case SCHED_REASON_PLACEMENT:
        return arena_printf(arena, "it wants nodes that it named, and none of those has room; %u "
                            "others have", item->nodes);
    case SCHED_REASON_LABEL_NO_MATCH:
        return "no open node has the label that it asks for, or its queue may not use it";
    case SCHED_REASON_RESERVED_FOR:
        return arena_printf(arena, "%u node%s would have room, which is kept for others that wait "
                            "longer", item->nodes, item->nodes == 1 ? "" : "s");
    default:
        return arena_printf(arena, "none of %u nodes has %s free now", item->nodes, asked);
    }
}

static const char *item_text(struct master *m, const struct sched_why_item *item, uint32_t ahead)
{
    struct arena *arena = m->out->arena;
    const char *queue = words_queue(item->queue ? item->queue : "its queue");

    switch (item->reason) {
    case SCHED_REASON_QUEUE_LIMIT:
    case SCHED_REASON_PARENT_LIMIT:
        return queue_limit_text(m, item);
    case SCHED_REASON_USER_LIMIT:
    case SCHED_REASON_USER_AM_LIMIT:
        return user_limit_text(m, item);
    case SCHED_REASON_AM_LIMIT:
        return arena_printf(arena, "application masters%s%s may hold %s together and hold %s; its "
                            "own needs %s", item->queue ? " of " : "", item->queue ? queue : "",
                            rm_limit_words(m, &item->allowed),
                            rm_limit_words(m, &item->used), rm_amount_words(m, &item->asked));
    case SCHED_REASON_BEHIND_IN_QUEUE:
        return arena_printf(arena, "%u application%s of %s %s served before it", ahead,
                            ahead == 1 ? "" : "s", queue, ahead == 1 ? "is" : "are");
    case SCHED_REASON_QUEUE_MAX_APPS:
        return arena_printf(arena, "%s runs as many applications at a time as it may", queue);
    case SCHED_REASON_USER_MAX_APPS:
        return arena_printf(arena, "%s runs as many applications at a time as one user may",
                            item->user ? item->user : "its user");
    case SCHED_REASON_QUEUE_STOPPED:
        return arena_printf(arena, "%s is stopped", queue);
    case SCHED_REASON_LOCALITY_DELAY:
        return "it waits a little for room where it would rather be; then any node will do";
    case SCHED_REASON_ABOVE_FAIR_SHARE:
        return arena_printf(arena, "%s uses %s, its fair share now is %s: others come first", queue,
                            rm_limit_words(m, &item->used), rm_share_words(m, &item->allowed));
    case SCHED_REASON_PREEMPTING:
        return "others were told to make room for it";
    default:
        return node_text(m, item);
    }
}

Creel__WhyItem *rm_why_item(struct master *m, const struct sched_why_item *item,
                            const char *text)
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
    message->nodes = item->nodes;
    message->text = rm_message_text(arena, text);
    return message;
}

/* The dominant reason, where the scheduler has no items to say more. */
static struct sched_why_item only_item(const struct sched_why *why)
{
    return (struct sched_why_item){
        .reason = why->reason, .blocking = true, .user = why->user,
        .queue = why->queue, .used = why->used, .asked = why->asked, .allowed = why->most,
        .nodes = why->nodes,
    };
}

const char *rm_why_text(struct master *m, const struct sched_why *why)
{
    struct sched_why_item only = only_item(why);
    char text[512];

    if (*sched_why_format(why, text, sizeof(text)))
        return arena_strdup(m->out->arena, text);
    return item_text(m, why->item_count > 0 ? &why->items[0] : &only, why->ahead);
}

const char *rm_why_short(struct master *m, const struct sched_why *why)
{
    struct arena *arena = m->out->arena;
    struct sched_queue_figures figures = { .path = NULL };
    const char *queue = words_queue(why->queue ? why->queue : "");

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
                            rm_limit_words(m, &why->most), queue);
    case SCHED_REASON_AM_LIMIT:
        return arena_printf(arena, "masters may hold %s", rm_limit_words(m, &why->most));
    case SCHED_REASON_BEHIND_IN_QUEUE:
        return arena_printf(arena, "%u ahead", why->ahead);
    case SCHED_REASON_NODE_TOO_SMALL:
        return arena_printf(arena, "%s; the largest has %s", rm_amount_words(m, &why->asked),
                            rm_amount_words(m, &why->most));
    case SCHED_REASON_CLUSTER_FULL:
        return rm_amount_words(m, &why->asked);
    case SCHED_REASON_QUEUE_STOPPED:
    case SCHED_REASON_QUEUE_MAX_APPS:
        return queue;
    default:
        return "";
    }
}

/* --- advice ---------------------------------------------------------------- */

void rm_why_advise(struct master *m, Creel__AppExplanation *reply, const char *text)
{
    char **longer = arena_array0(m->out->arena, reply->n_advice + 1, sizeof(char *));

    if (reply->n_advice > 0)
        memcpy(longer, reply->advice, reply->n_advice * sizeof(char *));
    longer[reply->n_advice++] = rm_message_text(m->out->arena, text);
    reply->advice = longer;
}

static void advise_expiry(struct master *m, const struct app *app, Creel__AppExplanation *reply)
{
    const struct app *first = NULL;
    struct app *other;

    RB_FOREACH(other, rm_app_tree, &m->apps)
        if (other != app && other->live > 0 && other->expires_ms > m->now_ms &&
            text_equal(other->queue, app->queue) &&
            (first == NULL || other->expires_ms < first->expires_ms))
            first = other;
    if (first)
        rm_why_advise(m, reply, arena_printf(m->out->arena, "%s (%s) ends by its lifetime in %s",
                                             words_id(first->text), first->user,
                                             words_elapsed(m->out->arena,
                                                           first->expires_ms - m->now_ms)));
}

/* A queue with free guarantee that would take the app. */
static void advise_queue(struct master *m, const struct app *app, const struct resource *asked,
                         Creel__AppExplanation *reply)
{
    const struct sched_queue *at = NULL;
    struct sched_queue_figures figures;
    const char *best = NULL;
    float most = 0;
    unsigned tried = 0;

    if (m->features.queues == SCHED_QUEUES_FAIR)                        /* a share is no promise of room */
        return;
    while (tried < CANDIDATES_MAX && sched_queue_next(m->sched, &at, &figures)) {
        float left = figures.absolute_capacity - figures.absolute_used;
        Creel__JobSpec job = *app->job;

        if (!figures.leaf || !text_equal(figures.state, "RUNNING") || left <= most + 0.001f ||
            text_equal(figures.path, app->queue))
            continue;
        tried++;
        job.queue = (char *)(uintptr_t)figures.path;
        if (rm_queues_test(m, app->user, &job, asked, NULL) < 0)
            continue;
        best = arena_strdup(m->out->arena, figures.path);
        most = left;
    }
    if (best)
        rm_why_advise(m, reply, arena_printf(m->out->arena, "%s has %.0f%% of the cluster free: creel app "
                                             "move %s %s", words_queue(best), (double)most * 100,
                                             words_id(app->text), best));
}

static void advise_preemption(struct master *m, const struct app *app,
                              Creel__AppExplanation *reply)
{
    bool fair = m->features.queues == SCHED_QUEUES_FAIR;
    struct sched_queue_figures figures;

    if (fair && !m->features.preemption)
        rm_why_advise(m, reply, "preemption is off in this cluster: what others have above their fair "
                      "share comes back when they end (yarn.scheduler.fair.preemption)");
    if (m->features.queues != SCHED_QUEUES_CAPACITY || m->features.preemption)
        return;
    if (sched_queue_find_figures(m->sched, app->queue, &figures) && figures.used_capacity < 1)
        rm_why_advise(m, reply, "preemption is off in this cluster: what others borrowed comes back when "
                      "they end (yarn.resourcemanager.scheduler.monitor.enable)");
}

static void advise_waiting(struct master *m, const struct app *app, const struct sched_why *why,
                           Creel__AppExplanation *reply)
{
    struct arena *arena = m->out->arena;
    const char *id = words_id(app->text);

    switch (why->reason) {
    case SCHED_REASON_NODE_TOO_SMALL:
        rm_why_advise(m, reply, arena_printf(arena, "it can never run as it is: kill it and ask for at "
                                             "most %s", rm_amount_words(m, &why->most)));
        return;
    case SCHED_REASON_NO_NODES:
        rm_why_advise_nodes(m, why, reply);
        rm_why_advise(m, reply, "creel node list shows the nodes and when they were last heard of");
        return;
    case SCHED_REASON_LABEL_NO_MATCH:
        rm_why_advise(m, reply, "creel node list -o wide shows the labels of the nodes");
        return;
    case SCHED_REASON_CLUSTER_FULL:
    case SCHED_REASON_PLACEMENT:
    case SCHED_REASON_NODE_BLACKLISTED:
    case SCHED_REASON_QUEUE_LIMIT:      /* of a cluster that is smaller for it */
    case SCHED_REASON_PARENT_LIMIT:
        rm_why_advise_nodes(m, why, reply);
        break;
    case SCHED_REASON_QUEUE_STOPPED:
        rm_why_advise(m, reply, arena_printf(arena, "creel queue start %s, by who administers it",
                                             words_queue(app->queue)));
        break;
    case SCHED_REASON_BEHIND_IN_QUEUE:
        rm_why_advise(m, reply, arena_printf(arena, "creel queue show %s has the order of service; creel "
                                             "app priority %s N changes its place in it",
                                             words_queue(app->queue), id));
        break;
    default:
        break;
    }
    advise_expiry(m, app, reply);
    advise_queue(m, app, &why->asked, reply);
    advise_preemption(m, app, reply);
}

/* --- fair shares ------------------------------------------------------------ */

/* Of the fair scheduler: what is fair for the app, and where that comes from. */
static const char *share_text(struct master *m, const struct app *app)
{
    struct arena *arena = m->out->arena;
    struct sched_queue_figures queue = { .path = NULL };
    struct sched_app_figures figures;
    const char *text;

    sched_app_figures(m->sched, app->sched, &figures);
    text = arena_printf(arena, "fair for it are %s, and it uses %s",
                        rm_share_words(m, &figures.fair_share),
                        words_amounts(arena, &m->types, &figures.used));
    if (figures.starved_since_ms > 0)
        text = arena_printf(arena, "%s: it has starved for %s", text,
                            words_elapsed(arena, m->now_ms - figures.starved_since_ms));
    if (!sched_queue_find_figures(m->sched, app->queue, &queue))
        return text;
    text = arena_printf(arena, "%s; %s: fair share %s, steady %s, minimum %s", text,
                        words_queue(queue.path), rm_share_words(m, &queue.fair_share),
                        rm_share_words(m, &queue.steady_fair_share),
                        rm_share_words(m, &queue.minimum));
    if (queue.absolute_max_capacity < 1)
        text = arena_printf(arena, "%s, maximum %s", text, words_amounts(arena, &m->types, &queue.maximum));
    return arena_printf(arena, "%s, uses %s, demands %s", text, words_amounts(arena, &m->types, &queue.used),
                        words_amounts(arena, &m->types, &queue.demand));
}

static void add_share(struct master *m, const struct app *app, Creel__AppExplanation *reply)
{
    struct sched_why_item share = { .queue = app->queue };
    Creel__WhyItem *message = rm_why_item(m, &share, share_text(m, app));

    message->reason_code = rm_message_text(m->out->arena, "FairShare");
    reply->items[reply->n_items++] = message;
}

/* --- one that waits -------------------------------------------------------- */

static void explain_waiting(struct master *m, const struct app *app, const struct sched_why *why,
                            Creel__AppExplanation *reply)
{
    struct arena *arena = m->out->arena;
    struct sched_why_item only = only_item(why);
    size_t count = why->item_count;

    reply->items = arena_array0(arena, count + 3, sizeof(*reply->items));
    if (count == 0 || !why->items[0].blocking)  /* no limit: it is for want of room, or others' turn */
        reply->items[reply->n_items++] = rm_why_item(m, &only, item_text(m, &only, why->ahead));
    for (size_t i = 0; i < count; i++)
        reply->items[reply->n_items++] = rm_why_item(m, &why->items[i],
                                                      item_text(m, &why->items[i], why->ahead));
    if (count > 0 && why->items[0].since_ms > 0)
        reply->waiting_since_ms = why->items[0].since_ms;
    if (m->features.queues == SCHED_QUEUES_FAIR)
        add_share(m, app, reply);
    reply->items[reply->n_items++] = rm_why_nodes(m, why);
    if (app->started_ms == 0)           /* not even its first container: since it is here */
        reply->waiting_since_ms = app->submitted_ms;
    reply->count = why->count;
    reply->asked = rm_resource_message(m, &why->asked);
    reply->summary = arena_printf(arena, "%s %s (%s, %s)%s%s for %llu x (%s)",
                                  words_id(app->text), app->job->name, app->user,
                                  words_queue(app->queue),
                                  reply->waiting_since_ms > 0 ? " has waited " : " waits",
                                  reply->waiting_since_ms > 0
                                      ? words_elapsed(arena, m->now_ms - reply->waiting_since_ms)
                                      : "",
                                  (unsigned long long)why->count,
                                  rm_amount_words(m, &why->asked));
    advise_waiting(m, app, why, reply);
}

/* --- the request ----------------------------------------------------------- */

static void explain_idle(struct master *m, const struct app *app, Creel__AppExplanation *reply)
{
    reply->summary = arena_printf(m->out->arena, "%s %s (%s, %s) %s: it waits for nothing",
                                  words_id(app->text), app->job->name, app->user,
                                  words_queue(app->queue),
                                  app->shown == CREEL__APP_STATE__APP_RUNNING ? "runs"
                                                                              : "was submitted");
}

/* Of the fair scheduler. */
static void report_share(struct master *m, const struct app *app, Creel__AppExplanation *reply)
{
    struct sched_app_figures figures;

    sched_app_figures(m->sched, app->sched, &figures);
    reply->fair_share = rm_resource_message(m, &figures.fair_share);
    reply->starved_since_ms = figures.starved_since_ms > 0 ? figures.starved_since_ms : 0;
}

static void explain(struct master *m, struct app *app, Creel__AppExplanation *reply)
{
    struct sched_why why = { .reason = SCHED_REASON_NONE };
    const struct attempt *attempt = app->attempt;

    if (rm_app_is_ended(app)) {
        rm_why_ended(m, app, reply);
        return;
    }
    if (attempt && attempt->master && attempt->master->node->state == NODE_STATE_NEW &&
        !rm_attempt_is_over(attempt)) {
        explain_idle(m, app, reply);
        reply->items = arena_array0(m->out->arena, 1, sizeof(*reply->items));
        rm_why_add(m, reply, "RmRecovering", true,
                   arena_printf(m->out->arena, "node %s, where it ran, has yet to come back",
                                attempt->master->node->id), m->started_ms);
        return;
    }
    if (app->sched)
        rm_why_ask(m, app, &why);
    if (app->sched && m->features.queues == SCHED_QUEUES_FAIR)
        report_share(m, app, reply);
    if (why.reason == SCHED_REASON_NONE)
        explain_idle(m, app, reply);
    else
        explain_waiting(m, app, &why, reply);
}

void rm_on_explain_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    const char *user = rm_acting_user(m, peer, in);
    Creel__AppExplanation *reply;
    Creel__Envelope *envelope;
    struct app *app;

    if (user == NULL)
        return;
    app = rm_resolve_app(m, peer, in->request_id, in->explain_app->app_id);
    if (app == NULL)
        return;
    if (!rm_may_see(m, user, app)) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                    "%s belongs to %s: user %s may not see why it waits", app->text, app->user,
                    user);
        return;
    }
    reply = arena_new0(m->out->arena, Creel__AppExplanation);
    creel__app_explanation__init(reply);
    reply->app = rm_app_report(m, app, user);
    explain(m, app, reply);
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_APP_EXPLANATION);
    envelope->app_explanation = reply;
    rm_reply_to(m, peer, envelope);
}
