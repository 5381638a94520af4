/* SPDX-License-Identifier: Apache-2.0 */
/* feed.c - updates the model with replies of the resource manager */
#include "web/net/feed.h"

#include <bsd/sys/queue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/loop/log.h"
#include "web/model/trend.h"

/* The requests of a round, in this order. */
enum step {
    STEP_CHANGES,
    STEP_ALL_APPS,
    STEP_ALL_NODES,
    STEP_QUEUES,
    STEP_CLUSTER,
    STEP_SOME_APPS,
    STEP_SOME_NODES,
    STEP_SOME_QUEUES,
    STEP_COUNT
};

#define SOME_PAGES 8 /* brief pages of a list in each round */
#define TROUBLE_SIZE 512

struct waiting { /* an HTTP request that waits for the end of the round */
    TAILQ_ENTRY(waiting) link;
    site_prepared_fn *done;
    void *context;
};

struct feed {
    struct loop *loop;
    struct upstream *upstream;
    struct web_model *model;
    struct feed_times times;
    uint64_t session, version; /* session and version of the last changes received */
    uint64_t queues_version;   /* Changes.queues_version of the last list of queues */
    uint64_t queues_coming;    /* the same, of the changes of this round */
    uint64_t goal;             /* version of the last change that this round reads; 0: not known yet */
    bool under_way;            /* a round has begun and not ended */
    bool loading;              /* the round loads everything */
    bool brief;                /* the round only asks for changes and the cluster */
    bool outdated;             /* a change was sent after the request of the last round */
    bool awaited; /* the round is for requests after a change: they must not read the model before */
    enum step step;
    char *after;                 /* owned; key after which the next page begins; "": the first page */
    int64_t queues_refreshed_ms; /* refreshed_ms in the first page of queues */
    char *some[STEP_COUNT];      /* owned; ids after which the next pages of SOME_APPS and so on begin */
    int some_pages;              /* pages of the present list in this round */
    int64_t fresh_until_ms;      /* monotonic */
    int64_t begun_ms;            /* monotonic: begin of the round */
    int64_t updated_ms;          /* monotonic: begin of the last round that succeeded, at first of the feed */
    bool failed;                 /* the last round has failed */
    char trouble[TROUBLE_SIZE];  /* why; stays valid, since handlers keep it while they wait for replies */
    TAILQ_HEAD(, waiting) waiting;
    int timer;                         /* ends the wait of the requests after wait_ms */
    int busy_timer;                    /* makes the requests impatient after busy_ms */
    bool impatient;                    /* the next answer ends the wait of the requests */
    int64_t asked_ms, follow_until_ms; /* last request; end of the time in which the model is kept fresh */
    int follow_timer;                  /* begins the next round */
};

static void ask_step(struct feed *feed);
static void follow(struct feed *feed);

static void set_text(char **field, const char *text)
{
    char *copy = text != NULL ? mem_strdup(text) : NULL;

    free(*field);
    *field = copy;
}

/* --- rounds ------------------------------------------------------------------ */

static void release(struct feed *feed)
{
    struct waiting *waiting;

    loop_cancel_timer(feed->loop, feed->timer);
    loop_cancel_timer(feed->loop, feed->busy_timer);
    feed->timer = feed->busy_timer = 0;
    feed->impatient = false;
    while ((waiting = TAILQ_FIRST(&feed->waiting)) != NULL) {
        TAILQ_REMOVE(&feed->waiting, waiting, link);
        waiting->done(waiting->context);
        free(waiting);
    }
}

static void release_late(void *context)
{
    struct feed *feed = context;

    feed->timer = 0;
    release(feed);
}

static void become_impatient(void *context)
{
    struct feed *feed = context;

    feed->busy_timer = 0;
    feed->impatient = true;
}

/* Ends the wait of requests that have waited for busy_ms, unless they must not read the model as it is. */
static void release_impatient(struct feed *feed)
{
    if (feed->impatient && feed->under_way && !feed->awaited && !feed->loading && !feed->outdated)
        release(feed);
}

static void begin_round(struct feed *feed)
{
    loop_cancel_timer(feed->loop, feed->follow_timer);
    feed->follow_timer = 0;
    feed->under_way = true;
    feed->loading = false;
    feed->awaited = feed->outdated;
    feed->brief = feed->awaited && loop_monotonic_ms() < feed->fresh_until_ms;
    feed->outdated = false;
    feed->begun_ms = loop_monotonic_ms();
    feed->step = STEP_CHANGES;
    feed->goal = 0;
    set_text(&feed->after, "");
    ask_step(feed);
}

/* Notes how a round has ended: TROUBLE is why it failed; NULL: it succeeded. */
static void note_end(struct feed *feed, const char *trouble)
{
    char old[TROUBLE_SIZE];
    bool had_failed = feed->failed;

    feed->failed = trouble != NULL;
    if (trouble == NULL && had_failed)
        log_line(LOG_LEVEL_INFO, "the cluster can be read again");
    if (trouble == NULL)
        return;
    memcpy(old, feed->trouble, sizeof(old));
    snprintf(feed->trouble, sizeof(feed->trouble), "%s", trouble);
    if (!had_failed || strcmp(old, feed->trouble) != 0)
        log_line(LOG_LEVEL_WARN, "the cluster cannot be read: %s", trouble);
}

static void end_round(struct feed *feed, const char *trouble)
{
    note_end(feed, trouble);
    if (trouble != NULL && feed->loading)
        feed->session = 0; /* the load is incomplete: the next round loads everything */
    feed->under_way = false;
    if (!feed->brief || trouble != NULL)
        feed->fresh_until_ms = loop_monotonic_ms() + feed->times.fresh_ms;
    if (trouble != NULL)
        feed->outdated = false;
    else
        feed->updated_ms = feed->begun_ms;
    if (feed->outdated && !TAILQ_EMPTY(&feed->waiting)) {
        begin_round(feed);
        return;
    }
    release(feed);
    follow(feed);
}

static void begin_following_round(void *context)
{
    struct feed *feed = context;

    feed->follow_timer = 0;
    begin_round(feed);
}

/* Plans the next round while requests arrive one after another. */
static void follow(struct feed *feed)
{
    int64_t now_ms = loop_monotonic_ms(), wait_ms = feed->fresh_until_ms - feed->times.lead_ms - now_ms;

    if (!feed->under_way && feed->follow_timer == 0 && now_ms < feed->follow_until_ms)
        feed->follow_timer =
            loop_add_timer(feed->loop, wait_ms > 0 ? wait_ms : 0, begin_following_round, feed);
}

static void note_request(struct feed *feed)
{
    int64_t now_ms = loop_monotonic_ms();

    if (feed->asked_ms != 0 && now_ms - feed->asked_ms < feed->times.follow_ms)
        feed->follow_until_ms = now_ms + feed->times.follow_ms;
    feed->asked_ms = now_ms;
    follow(feed);
}

/* Returns whether a request may read the model as it is, also during a round that changes it. */
static bool is_fresh(const struct feed *feed)
{
    bool pending = feed->under_way && (feed->awaited || feed->loading);

    return !pending && !feed->outdated && loop_monotonic_ms() < feed->fresh_until_ms;
}

static void next_step(struct feed *feed)
{
    static const enum step loading[STEP_COUNT] = {
        [STEP_CHANGES] = STEP_ALL_APPS, [STEP_ALL_APPS] = STEP_ALL_NODES, [STEP_ALL_NODES] = STEP_QUEUES,
        [STEP_QUEUES] = STEP_CLUSTER,   [STEP_CLUSTER] = STEP_COUNT,
    };
    static const enum step following[STEP_COUNT] = {
        [STEP_QUEUES] = STEP_CLUSTER,       [STEP_CLUSTER] = STEP_SOME_APPS,
        [STEP_SOME_APPS] = STEP_SOME_NODES, [STEP_SOME_NODES] = STEP_SOME_QUEUES,
        [STEP_SOME_QUEUES] = STEP_COUNT,
    };

    if (feed->loading)
        feed->step = loading[feed->step];
    else if (feed->step == STEP_CHANGES && feed->queues_version != feed->queues_coming)
        feed->step = STEP_QUEUES;
    else if (feed->step == STEP_CHANGES)
        feed->step = STEP_CLUSTER;
    else if (feed->brief && feed->step == STEP_CLUSTER)
        feed->step = STEP_COUNT;
    else
        feed->step = following[feed->step];
    feed->some_pages = 0;
    set_text(&feed->after, "");
    if (feed->step != STEP_COUNT) {
        ask_step(feed);
        return;
    }
    if (feed->loading)
        web_model_end(feed->model);
    end_round(feed, NULL);
}

/* Ends a page of a list of which each round has some pages. */
static void next_of_some(struct feed *feed, const char *next)
{
    set_text(&feed->some[feed->step], next);
    if (*next != '\0' && ++feed->some_pages < SOME_PAGES)
        ask_step(feed);
    else
        next_step(feed);
}

/* Requests the page of the current list that begins after NEXT. If NEXT is "", begins the next step. */
static void next_page(struct feed *feed, const char *next)
{
    if (*next == '\0') {
        next_step(feed);
        return;
    }
    set_text(&feed->after, next);
    ask_step(feed);
}

/* --- replies ----------------------------------------------------------------- */

static void handle_changes(struct feed *feed, const Creel__Envelope *reply)
{
    const Creel__Changes *changes = reply->changes;

    feed->session = changes->session;
    feed->version = changes->version;
    feed->queues_coming = changes->queues_version;
    if (changes->reset) {
        feed->loading = true;
        web_model_begin(feed->model);
    } else {
        web_model_put_changes(feed->model, changes);
    }
    if (feed->goal == 0)
        feed->goal = changes->newest;
    /* A round that is awaited reads all: an application that changes again moves to a newer version. */
    if (changes->more && (feed->awaited || feed->goal == 0 || feed->version < feed->goal))
        ask_step(feed);
    else
        next_step(feed);
}

static void handle_apps(struct feed *feed, const Creel__Envelope *reply)
{
    web_model_put_apps(feed->model, reply->app_list);
    next_page(feed, reply->app_list->next);
}

static void handle_nodes(struct feed *feed, const Creel__Envelope *reply)
{
    web_model_put_nodes(feed->model, reply->node_list);
    next_page(feed, reply->node_list->next);
}

static void handle_queues(struct feed *feed, const Creel__Envelope *reply)
{
    const Creel__QueueList *list = reply->queue_list;
    bool first = *feed->after == '\0';

    if (first) {
        feed->queues_refreshed_ms = list->refreshed_ms;
    } else if (list->refreshed_ms != feed->queues_refreshed_ms) {
        set_text(&feed->after, ""); /* after a refresh the order may differ: begin again */
        ask_step(feed);
        return;
    }
    web_model_put_queues(feed->model, list, first);
    if (*list->next == '\0')
        feed->queues_version = feed->queues_coming;
    next_page(feed, list->next);
}

static void handle_cluster(struct feed *feed, const Creel__Envelope *reply)
{
    web_model_put_cluster(feed->model, reply->cluster_info);
    next_step(feed);
}

static void handle_some_apps(struct feed *feed, const Creel__Envelope *reply)
{
    web_model_put_apps(feed->model, reply->app_list);
    next_of_some(feed, reply->app_list->next);
}

static void handle_some_nodes(struct feed *feed, const Creel__Envelope *reply)
{
    web_model_put_nodes(feed->model, reply->node_list);
    next_of_some(feed, reply->node_list->next);
}

static void handle_some_queues(struct feed *feed, const Creel__Envelope *reply)
{
    web_model_put_some_queues(feed->model, reply->queue_list);
    next_of_some(feed, reply->queue_list->next);
}

static const struct {
    Creel__Envelope__BodyCase reply;
    void (*handle)(struct feed *feed, const Creel__Envelope *reply);
} steps[STEP_COUNT] = {
    [STEP_CHANGES] = { CREEL__ENVELOPE__BODY_CHANGES, handle_changes },
    [STEP_ALL_APPS] = { CREEL__ENVELOPE__BODY_APP_LIST, handle_apps },
    [STEP_ALL_NODES] = { CREEL__ENVELOPE__BODY_NODE_LIST, handle_nodes },
    [STEP_QUEUES] = { CREEL__ENVELOPE__BODY_QUEUE_LIST, handle_queues },
    [STEP_CLUSTER] = { CREEL__ENVELOPE__BODY_CLUSTER_INFO, handle_cluster },
    [STEP_SOME_APPS] = { CREEL__ENVELOPE__BODY_APP_LIST, handle_some_apps },
    [STEP_SOME_NODES] = { CREEL__ENVELOPE__BODY_NODE_LIST, handle_some_nodes },
    [STEP_SOME_QUEUES] = { CREEL__ENVELOPE__BODY_QUEUE_LIST, handle_some_queues },
};

static void handle_reply(void *context, const Creel__Envelope *reply)
{
    struct feed *feed = context;

    if (reply->body_case == steps[feed->step].reply) {
        steps[feed->step].handle(feed, reply);
    } else if (reply->body_case != CREEL__ENVELOPE__BODY_ERROR) {
        end_round(feed, "the resource manager sent an unexpected reply");
    } else if (feed->step == STEP_QUEUES && *feed->after != '\0' &&
               reply->error->code == CREEL__ERROR_CODE__ERROR_BAD_STATE) {
        set_text(&feed->after, ""); /* the last queue of the previous page was removed: begin again */
        ask_step(feed);
    } else if (feed->step == STEP_SOME_QUEUES && reply->error->code == CREEL__ERROR_CODE__ERROR_BAD_STATE) {
        next_of_some(feed, "");
    } else {
        end_round(feed, reply->error->message);
    }
    release_impatient(feed);
}

/* --- requests ---------------------------------------------------------------- */

static void ask_changes(struct feed *feed)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__GetChanges body = CREEL__GET_CHANGES__INIT;

    body.session = feed->session;
    body.since = feed->version;
    body.queues = true;
    query.body_case = CREEL__ENVELOPE__BODY_GET_CHANGES;
    query.get_changes = &body;
    upstream_ask(feed->upstream, &query, handle_reply, feed);
}

static void ask_apps(struct feed *feed, const char *after, bool some)
{
    static Creel__AppState live_states[] = {
        CREEL__APP_STATE__APP_NEW,      CREEL__APP_STATE__APP_NEW_SAVING, CREEL__APP_STATE__APP_SUBMITTED,
        CREEL__APP_STATE__APP_ACCEPTED, CREEL__APP_STATE__APP_RUNNING,
    };
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListApps body = CREEL__LIST_APPS__INIT;

    body.after = (char *)(uintptr_t)after;
    body.brief = some;
    if (some) {
        body.states = live_states;
        body.n_states = sizeof(live_states) / sizeof(*live_states);
    }
    query.body_case = CREEL__ENVELOPE__BODY_LIST_APPS;
    query.list_apps = &body;
    upstream_ask(feed->upstream, &query, handle_reply, feed);
}

static void ask_nodes(struct feed *feed, const char *after, bool some)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;

    body.after = (char *)(uintptr_t)after;
    body.brief = some;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_NODES;
    query.list_nodes = &body;
    upstream_ask(feed->upstream, &query, handle_reply, feed);
}

static void ask_queues(struct feed *feed, char *after)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListQueues body = CREEL__LIST_QUEUES__INIT;

    body.after = after;
    body.brief = !feed->loading;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_QUEUES;
    query.list_queues = &body;
    upstream_ask(feed->upstream, &query, handle_reply, feed);
}

static void ask_cluster(struct feed *feed)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;

    body.samples_since = web_trend_wanted(web_model_trend(feed->model));
    query.body_case = CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO;
    query.get_cluster_info = &body;
    upstream_ask(feed->upstream, &query, handle_reply, feed);
}

static void ask_step(struct feed *feed)
{
    switch (feed->step) {
    case STEP_CHANGES:
        ask_changes(feed);
        break;
    case STEP_ALL_APPS:
        ask_apps(feed, feed->after, false);
        break;
    case STEP_SOME_APPS:
        ask_apps(feed, feed->some[STEP_SOME_APPS], true);
        break;
    case STEP_ALL_NODES:
        ask_nodes(feed, feed->after, false);
        break;
    case STEP_SOME_NODES:
        ask_nodes(feed, feed->some[STEP_SOME_NODES], true);
        break;
    case STEP_QUEUES:
        ask_queues(feed, feed->after);
        break;
    case STEP_SOME_QUEUES:
        ask_queues(feed, feed->some[STEP_SOME_QUEUES]);
        break;
    case STEP_CLUSTER:
        ask_cluster(feed);
        break;
    case STEP_COUNT:
        break;
    }
}

/* --- life -------------------------------------------------------------------- */

struct feed *feed_new(struct loop *loop, struct upstream *upstream, struct web_model *model,
                      const struct feed_times *times)
{
    struct feed *feed = mem_new0(struct feed);

    feed->loop = loop;
    feed->upstream = upstream;
    feed->model = model;
    feed->times = *times;
    feed->updated_ms = loop_monotonic_ms();
    feed->after = mem_strdup("");
    for (int step = 0; step < STEP_COUNT; step++)
        feed->some[step] = mem_strdup("");
    TAILQ_INIT(&feed->waiting);
    return feed;
}

void feed_free(struct feed *feed)
{
    if (feed == NULL)
        return;
    release(feed);
    loop_cancel_timer(feed->loop, feed->follow_timer);
    free(feed->after);
    for (int step = 0; step < STEP_COUNT; step++)
        free(feed->some[step]);
    free(feed);
}

void feed_prepare(struct feed *feed, site_prepared_fn *done, void *context)
{
    struct waiting *waiting;

    note_request(feed);
    if (is_fresh(feed)) {
        done(context);
        return;
    }
    waiting = mem_new0(struct waiting);
    waiting->done = done;
    waiting->context = context;
    TAILQ_INSERT_TAIL(&feed->waiting, waiting, link);
    if (feed->timer == 0)
        feed->timer = loop_add_timer(feed->loop, feed->times.wait_ms, release_late, feed);
    if (feed->busy_timer == 0 && !feed->impatient)
        feed->busy_timer = loop_add_timer(feed->loop, feed->times.busy_ms, become_impatient, feed);
    if (!feed->under_way)
        begin_round(feed);
}

void feed_outdate(struct feed *feed)
{
    feed->outdated = true;
}

const char *feed_trouble(const struct feed *feed)
{
    return feed->failed ? feed->trouble : NULL;
}

int64_t feed_age_ms(const struct feed *feed)
{
    return loop_monotonic_ms() - feed->updated_ms;
}
