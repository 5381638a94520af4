/* SPDX-License-Identifier: Apache-2.0 */
/* master_update.c - an app moved, ranked or given time; and what would become of a job */
#include <errno.h>
#include <string.h>

#include "rm/master/internal.h"
#include "rm/master/words.h"

/* --- what all changes have in common ---------------------------------------- */

/* The app that may be changed now; NULL after an error reply. */
static struct app *changeable(struct master *m, const struct master_peer *peer,
                              const Creel__Envelope *in, const char *app_id, const char **user)
{
    struct app *app;

    *user = rm_acting_user(m, peer, in);
    if (*user == NULL)
        return NULL;
    app = rm_resolve_app(m, peer, in->request_id, app_id);
    if (app == NULL)
        return NULL;
    if (!rm_may_administer(m, *user, app)) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                    "%s belongs to %s: user %s may not change it", app->text, app->user, *user);
        return NULL;
    }
    if (rm_app_is_ended(app) || app->sched == NULL || app->state == APP_STATE_FINAL_SAVING ||
        app->kill_requested) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_STATE,
                    rm_app_is_ended(app) ? "%s is over already: %s" : "%s is about to end%s",
                    app->text, rm_app_is_ended(app) ? rm_app_state_word(app) : "");
        return NULL;
    }
    return app;
}

/* Store APP as it is now, and answer with it when that is on disk. */
static void reply_changed(struct master *m, const struct master_peer *peer, uint64_t request_id,
                          struct app *app, const char *user)
{
    Creel__Envelope *envelope = rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_APP_LIST);
    Creel__AppList *list = arena_new0(m->out->arena, Creel__AppList);
    uint64_t seq;

    rm_app_touch(m, app);
    seq = rm_store_app(m, app);
    /* A state that waits for its own row is satisfied by this one, which says the same and more. */
    creel__app_list__init(list);
    list->apps = arena_array0(m->out->arena, 1, sizeof(*list->apps));
    list->apps[list->n_apps++] = rm_app_report(m, app, user);
    envelope->app_list = list;
    rm_send_stored(m, seq, peer->channel, peer->connection, envelope);
}

/* --- changes --------------------------------------------------------------- */

/* As much time as its present queue gives it. */
static void cut_lifetime(struct master *m, struct app *app)
{
    struct sched_queue_figures figures;
    int64_t latest_ms;

    if (!sched_queue_find_figures(m->sched, app->queue, &figures) || figures.maximum_lifetime_s <= 0)
        return;
    latest_ms = app->submitted_ms + figures.maximum_lifetime_s * 1000;
    if (app->expires_ms == 0 || app->expires_ms > latest_ms)
        rm_app_set_expiry(m, app, latest_ms);
}

/* Who moves it must be let in there, as if it were submitted now. */
static bool may_go_to(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                      const char *user, const char *queue)
{
    struct sched_queue_figures figures = { .path = NULL };

    if (!m->config.acl_enable || rm_user_list_has(m->config.admin_users, user) ||
        !sched_queue_find_figures(m->sched, queue, &figures) ||
        rm_queues_may_submit(m, user, figures.path))
        return true;
    rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                "user %s may not submit to %s (creel queue access %s shows who may what)", user,
                figures.path, figures.path);
    return false;
}

void rm_on_move_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    const char *user;
    struct app *app = changeable(m, peer, in, in->move_app->app_id, &user);
    const char *queue;
    struct err err = { .text = "" };
    int r;

    if (app == NULL)
        return;
    queue = rm_queue_name(m, in->move_app->queue);
    if (!sched_queue_is(m->sched, queue, app->queue)) {
        if (!may_go_to(m, peer, in, user, queue))
            return;
        r = sched_app_move(m->sched, app->sched, queue, &m->decisions, &err);
        if (r < 0) {
            rm_reply_error(m, peer, in->request_id, rm_queues_error(r), "%s: cannot be moved: %s",
                        app->text, err.text);
            return;
        }
        rm_text_set(&app->queue, sched_app_queue(app->sched));
        cut_lifetime(m, app);
    }
    reply_changed(m, peer, in->request_id, app, user);
}

void rm_on_set_priority(struct master *m, const struct master_peer *peer,
                        const Creel__Envelope *in)
{
    const char *user;
    struct app *app = changeable(m, peer, in, in->set_priority->app_id, &user);
    struct sched_app_spec who = { .priority = in->set_priority->priority };
    struct err err;
    int r;

    if (app == NULL)
        return;
    who.user = user;
    who.group_count = rm_groups_of(m, user, &who.groups);
    r = sched_app_may_have_priority(m->sched, app->sched, &who, &err);
    if (r < 0) {
        rm_reply_error(m, peer, in->request_id, rm_queues_error(r), "%s: %s", app->text, err.text);
        return;
    }
    sched_app_set_priority(m->sched, app->sched, in->set_priority->priority, &m->decisions);
    app->priority = sched_app_priority(app->sched);
    reply_changed(m, peer, in->request_id, app, user);
}

void rm_on_set_lifetime(struct master *m, const struct master_peer *peer,
                        const Creel__Envelope *in)
{
    const char *user;
    struct app *app = changeable(m, peer, in, in->set_lifetime->app_id, &user);
    int64_t expires_ms = in->set_lifetime->expires_ms;

    if (app == NULL)
        return;
    if (expires_ms != 0 && expires_ms <= m->now_ms) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_REQUEST,
                    "%s: cannot end in the past; creel kill ends it now", app->text);
        return;
    }
    rm_app_set_expiry(m, app, expires_ms);
    cut_lifetime(m, app);
    reply_changed(m, peer, in->request_id, app, user);
}

/* --- what would be ---------------------------------------------------------- */

static struct resource largest_of(struct master *m, const Creel__JobSpec *job)
{
    struct resource each = rm_resource_from(m, job->resource);
    struct resource master = rm_resource_from(m, job->am_resource);

    if (job->kind == CREEL__APP_KIND__APP_TASKS)
        each = resource_max(each, master);
    each = resource_max(each, m->minimum);
    (void)sched_normalise(m->sched, &each, &each, NULL);
    return each;
}

static void look_at_nodes(struct master *m, const Creel__JobSpec *job,
                          const struct resource *largest, Creel__TestAppReply *reply)
{
    struct node *node;

    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        struct resource total, left;

        if (node->sched == NULL || node->state != NODE_STATE_RUNNING ||
            (!rm_text_is_empty(job->label) && !text_equal(job->label, node->label)))
            continue;
        total = sched_node_total(node->sched);
        left = resource_subtract(total, sched_node_used(node->sched));
        reply->nodes_fitting += resource_fits(largest, &total) ? 1 : 0;
        reply->nodes_with_room += resource_fits(largest, &left) ? 1 : 0;
    }
}

static bool exceeds(const struct master *m, const struct resource *used,
                    const struct resource *asked, const struct resource *most)
{
    int types = rm_queues_count_memory(m) ? 1 : RESOURCE_TYPES_MAX;

    for (int t = 0; t < types; t++)
        if (asked->value[t] > 0 && used->value[t] + asked->value[t] > most->value[t])
            return true;
    return false;
}

/* The nearest queue, from PATH up to below root, whose maximum leaves no room for ASKED; EVER: not even
 * when it is empty. */
static bool find_full(struct master *m, const char *path, const struct resource *asked, bool ever,
                      struct sched_queue_figures *ret)
{
    struct resource none = resource_of(0, 0);
    char *at = arena_strdup(m->out->arena, path), *dot;

    for (; m->features.queues != SCHED_QUEUES_PLAIN && (dot = strrchr(at, '.')) != NULL; *dot = '\0')
        if (sched_queue_find_figures(m->sched, at, ret) &&
            exceeds(m, ever ? &none : &ret->used, asked, &ret->maximum))
            return true;
    return false;
}

/* As if no node were large enough: with the cluster as it is, it would wait for ever. */
static int judge_queue_size(struct master *m, const Creel__JobSpec *job, const char *path,
                            const struct resource *largest, struct err *err)
{
    struct sched_queue_figures full;

    if (!rm_text_is_empty(job->label) || !find_full(m, path, largest, true, &full))
        return 0;
    return err_set(err, ERANGE, "queue %s: may have %s at most, and it asks for %s", full.path,
                   rm_limit_words(m, &full.maximum), rm_limit_words(m, largest));
}

/* PATH: of the leaf, which may not be there yet. */
static void judge_start(struct master *m, const Creel__JobSpec *job, const char *path,
                        const struct resource *largest, Creel__TestAppReply *reply)
{
    struct sched_queue_figures figures = { .path = NULL }, full;
    struct arena *arena = m->out->arena;

    sched_queue_find_figures(m->sched, path, &figures);
    if (reply->nodes_with_room == 0) {
        reply->reason_code = rm_message_text(arena, sched_reason_name(SCHED_REASON_CLUSTER_FULL));
        reply->reason = arena_printf(arena, "none of the %u nodes that are large enough has %s free "
                                     "now", reply->nodes_fitting, rm_amount_words(m, largest));
    } else if (rm_text_is_empty(job->label) && find_full(m, path, largest, false, &full)) {
        reply->reason_code = rm_message_text(
            arena, sched_reason_name(text_equal(full.path, path) ? SCHED_REASON_QUEUE_LIMIT
                                                                         : SCHED_REASON_PARENT_LIMIT));
        reply->reason = arena_printf(arena, "%s uses %s and may have %s at most",
                                     words_queue(full.path), rm_limit_words(m, &full.used),
                                     rm_limit_words(m, &full.maximum));
    } else if (figures.path && figures.waiting_apps > 0) {
        reply->reason_code = rm_message_text(arena, sched_reason_name(SCHED_REASON_AM_LIMIT));
        reply->reason = arena_printf(arena, "%u application%s of %s wait%s to begin already",
                                     figures.waiting_apps, figures.waiting_apps == 1 ? "" : "s",
                                     words_queue(figures.path),
                                     figures.waiting_apps == 1 ? "s" : "");
    }
}

void rm_on_test_app(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    const Creel__JobSpec *job = in->test_app->job;
    const char *user = rm_acting_user(m, peer, in), *path = "";
    Creel__TestAppReply *reply;
    Creel__Envelope *envelope;
    Creel__ErrorCode code;
    struct resource largest;
    struct err err = { .text = "" };
    int r;

    if (user == NULL)
        return;
    code = rm_judge_job(m, job, &err);
    if (code != CREEL__ERROR_CODE__ERROR_UNKNOWN) {
        rm_reply_error(m, peer, in->request_id, code, "%s", err.text);
        return;
    }
    largest = largest_of(m, job);
    r = rm_queues_test(m, user, job, &largest, &err);
    if (r == 0) {
        path = rm_queues_place(m, user, job);
        r = judge_queue_size(m, job, path, &largest, &err);
    }
    if (r < 0) {
        rm_reply_error(m, peer, in->request_id, rm_queues_error(r), "%s", err.text);
        return;
    }
    reply = arena_new0(m->out->arena, Creel__TestAppReply);
    creel__test_app_reply__init(reply);
    reply->queue = rm_message_text(m->out->arena, path);
    look_at_nodes(m, job, &largest, reply);
    judge_start(m, job, path, &largest, reply);
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_TEST_APP_REPLY);
    envelope->test_app_reply = reply;
    rm_reply_to(m, peer, envelope);
}
