/* SPDX-License-Identifier: Apache-2.0 */
/* query_queues.c - queries about queues: figures, an explanation of them, users, access */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rm/master/state/amounts.h"
#include "rm/master/services/authz.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/index.h"
#include "rm/master/state/page.h"
#include "rm/master/services/queues.h"
#include "rm/master/queries/report.h"
#include "rm/master/requests.h"
#include "rm/master/services/resolve.h"
#include "rm/master/state/settings.h"
#include "rm/master/queries/why.h"
#include "rm/master/parts/format.h"
#include "yarn/queue.h"

#define ROUNDING 0.0001f /* fractions that differ by less are equal */
#define NEXT_SHOWN 50u   /* applications in the list of those served next */

/* --- explanations ------------------------------------------------------------- */

struct sentences {
    struct master *m;
    const struct sched_queue_figures *figures;
    const char *name;
    Creel__QueueReport *report;
};

static void append_sentence(struct sentences *to, const char *text)
{
    Creel__QueueReport *report = to->report;
    char **longer = arena_array0(to->m->out->arena, report->n_explanation + 1, sizeof(char *));

    if (report->n_explanation > 0)
        memcpy(longer, report->explanation, report->n_explanation * sizeof(char *));
    longer[report->n_explanation++] = rm_message_text(to->m->out->arena, text);
    report->explanation = longer;
}

/* Returns the name of what the figures of a queue are fractions of. */
static const char *whole(const struct sentences *to)
{
    return sched_label_count(to->m->sched) > 1 ? "the nodes without a label" : "the cluster";
}

static double percent(float fraction)
{
    return (double)rm_sendable(fraction) * 100;
}

/* Reports that a queue with amounts has less than its configured minimum. */
static void describe_scaling(struct sentences *to)
{
    struct sched_queue_settings settings;

    if (!sched_queue_settings(to->m->sched, to->figures->path, &settings) ||
        resource_fits(&settings.configured.minimum, &to->figures->minimum))
        return;
    append_sentence(to,
                    arena_printf(to->m->out->arena,
                                 "Its configured minimum, %s, is scaled down: the minimums of its parent's "
                                 "queues add up to more than the parent has.",
                                 rm_format_amount(to->m, &settings.configured.minimum)));
}

static void describe_maximum(struct sentences *to)
{
    const struct sched_queue_figures *f = to->figures;
    struct arena *arena = to->m->out->arena;

    if (f->absolute_max_capacity > f->absolute_capacity)
        append_sentence(to, arena_printf(arena,
                                         "What others leave unused it may borrow, up to %.4g%% of its "
                                         "parent's, %.1f%% of %s, %s.",
                                         percent(f->max_capacity), percent(f->absolute_max_capacity),
                                         whole(to), rm_format_limit(to->m, &f->maximum)));
    else if (f->absolute_max_capacity < f->absolute_capacity - ROUNDING)
        append_sentence(to, arena_printf(arena,
                                         "It never gets more than %.1f%% of %s, %s: its maximum is below its "
                                         "capacity.",
                                         percent(f->absolute_max_capacity), whole(to),
                                         rm_format_limit(to->m, &f->maximum)));
    else
        append_sentence(to, "It may not borrow: its maximum is its capacity.");
}

static void describe_guarantee(struct sentences *to)
{
    const struct sched_queue_figures *f = to->figures;
    struct arena *arena = to->m->out->arena;
    const char *amount = rm_format_limit(to->m, &f->minimum);

    if (text_equal(f->path, "root"))
        append_sentence(to, arena_printf(arena,
                                         sched_label_count(to->m->sched) > 1
                                             ? "root has all nodes without a label: %s."
                                             : "root is the whole cluster: %s.",
                                         amount));
    else if (f->weight >= 0 && f->normalized_weight > 0)
        append_sentence(to, arena_printf(arena,
                                         "Its weight is %.4g, %.1f%% of the weights beside it: it is "
                                         "guaranteed %.1f%% of %s, %s.",
                                         (double)f->weight, percent(f->normalized_weight),
                                         percent(f->absolute_capacity), whole(to), amount));
    else
        append_sentence(to,
                        arena_printf(arena,
                                     "Its capacity is %.4g%% of its parent's: it is guaranteed "
                                     "%.1f%% of %s, %s.",
                                     percent(f->capacity), percent(f->absolute_capacity), whole(to), amount));
    describe_scaling(to);
    describe_maximum(to);
}

static void describe_use(struct sentences *to)
{
    const struct sched_queue_figures *f = to->figures;
    struct arena *arena = to->m->out->arena;
    uint32_t containers = f->containers - f->labelled_containers;

    append_sentence(to, arena_printf(arena,
                                     "It uses %.1f%% of %s, %s, in %u container%s: %.0f%% of "
                                     "what it is guaranteed.",
                                     percent(f->absolute_used), whole(to), rm_format_limit(to->m, &f->used),
                                     containers, containers == 1 ? "" : "s", percent(f->used_capacity)));
    if (!resource_is_zero(&f->reserved))
        append_sentence(to, arena_printf(arena,
                                         "Of that %s is reserved: nodes that clear up for containers "
                                         "which fit nowhere yet.",
                                         rm_format_limit(to->m, &f->reserved)));
    if (f->absolute_used > f->absolute_capacity)
        append_sentence(to,
                        arena_printf(arena, "%.1f%% of %s is borrowed; %s.",
                                     percent(f->absolute_used - f->absolute_capacity), whole(to),
                                     to->report->preemption
                                         ? "it is taken back, by preemption, when its owners ask for it"
                                         : "preemption is off here, so it goes back when containers end"));
}

/* Describes the queue on the nodes of each label that it may use, or uses. */
static void describe_labels(struct sentences *to)
{
    struct sched_partition_figures f;

    for (int label = 1; label < sched_label_count(to->m->sched); label++) {
        if (!sched_queue_partition_figures(to->m->sched, to->figures->path, label, &f) ||
            !rm_partition_is_shown(to->m, &f))
            continue;
        append_sentence(
            to, arena_printf(to->m->out->arena,
                             "Of the nodes with label %s it is guaranteed %.1f%%, %s, may have %.1f%%, "
                             "and uses %.1f%%, %s.",
                             f.label, percent(f.absolute_capacity), rm_format_limit(to->m, &f.minimum),
                             percent(f.absolute_max_capacity), percent(f.absolute_used),
                             rm_format_limit(to->m, &f.used)));
    }
}

static void describe_users(struct sentences *to)
{
    const struct sched_queue_figures *f = to->figures;
    struct arena *arena = to->m->out->arena;
    uint32_t active = to->report->active_users;

    if (resource_is_zero(&f->user_limit))
        return;
    append_sentence(to, arena_printf(arena, "%u user%s active in it; one of them may use %s now.", active,
                                     active == 1 ? " is" : "s are", rm_format_limit(to->m, &f->user_limit)));
    if (f->user_limit_percent > 0)
        append_sentence(to, arena_printf(arena,
                                         "That follows from minimum-user-limit-percent %.4g and "
                                         "user-limit-factor %.4g.",
                                         (double)f->user_limit_percent, (double)f->user_limit_factor));
}

static void describe_apps(struct sentences *to)
{
    const struct sched_queue_figures *f = to->figures;
    struct arena *arena = to->m->out->arena;

    if (!resource_is_zero(&f->am_limit))
        append_sentence(
            to, arena_printf(arena, "Application masters may hold %s of it together, and hold %s.",
                             rm_format_limit(to->m, &f->am_limit), rm_format_limit(to->m, &f->am_used)));
    if (f->waiting_apps > 0)
        append_sentence(to, arena_printf(arena,
                                         "%u application%s wait%s for a limit on applications or their "
                                         "masters.",
                                         f->waiting_apps, f->waiting_apps == 1 ? "" : "s",
                                         f->waiting_apps == 1 ? "s" : ""));
    if (f->max_apps > 0 && f->max_apps < INT64_MAX)
        append_sentence(to, arena_printf(arena,
                                         "Its limit is %lld applications, %lld of one user. It has "
                                         "%u.",
                                         (long long)f->max_apps, (long long)f->max_apps_per_user,
                                         f->apps_running + f->apps_pending));
    if (to->report->maximum_lifetime_s > 0)
        append_sentence(to, arena_printf(arena,
                                         "Applications in it are killed %s after their submission at the "
                                         "latest.",
                                         format_duration(arena, to->report->maximum_lifetime_s * 1000)));
}

static void describe_state(struct sentences *to)
{
    const struct sched_queue_figures *f = to->figures;
    const struct setting *setting = rm_setting_find(to->m, SETTING_QUEUE_STATE, f->path);

    if (text_equal(f->state, YARN_QUEUE_STOPPED))
        append_sentence(to, "It is stopped: it accepts no applications.");
    else if (text_equal(f->state, YARN_QUEUE_DRAINING))
        append_sentence(to, arena_printf(to->m->out->arena,
                                         "It is draining: it accepts no new applications. It is "
                                         "stopped when its %u applications have ended.",
                                         f->apps_running + f->apps_pending));
    if (setting)
        append_sentence(to,
                        arena_printf(to->m->out->arena,
                                     "%s %s it with creel queue %s, which stays until the "
                                     "opposite command, or until its state in the configuration changes.",
                                     setting->by,
                                     text_equal(setting->value, YARN_QUEUE_STOPPED) ? "stopped" : "started",
                                     text_equal(setting->value, YARN_QUEUE_STOPPED) ? "stop" : "start"));
    if (f->dynamic)
        append_sentence(to, "A submission created it; it is removed after it has been empty for some time.");
}

/* Returns the first waiting application in the order of service. */
static const struct app *first_waiting(const struct master *m, const Creel__QueueReport *report)
{
    struct sched_app_figures figures;
    struct app_id id;
    const struct app *app;

    for (size_t i = 0; i < report->n_next; i++) {
        app = app_id_parse(report->next[i], &id) ? rm_app_find(m, id.seq) : NULL;
        if (app == NULL || app->sched == NULL)
            continue;
        figures = (struct sched_app_figures){ .containers = 0 };
        sched_app_figures(m->sched, app->sched, &figures);
        if (figures.pending_containers > 0)
            return app;
    }
    return NULL;
}

/* Returns false if no request for nodes with a label waits. */
static bool describe_waiting_labels(struct sentences *to)
{
    struct sched_partition_figures f;
    bool waits = false;

    for (int label = 1; label < sched_label_count(to->m->sched); label++) {
        if (!sched_queue_partition_figures(to->m->sched, to->figures->path, label, &f) ||
            resource_is_zero(&f.pending))
            continue;
        append_sentence(to,
                        arena_printf(to->m->out->arena,
                                     "%s of the nodes with label %s is asked for in it and not yet given.",
                                     rm_format_limit(to->m, &f.pending), f.label));
        waits = true;
    }
    return waits;
}

static void describe_waiting(struct sentences *to)
{
    const struct app *app = first_waiting(to->m, to->report);
    struct sched_why why = { .reason = SCHED_REASON_NONE };
    struct arena *arena = to->m->out->arena;
    bool waits = !resource_is_zero(&to->figures->pending);

    if (waits)
        append_sentence(to, arena_printf(arena, "%s is asked for in it and not yet given.",
                                         rm_format_limit(to->m, &to->figures->pending)));
    if (!describe_waiting_labels(to) && !waits) {
        if (to->figures->waiting_apps == 0)
            append_sentence(to, "Nothing waits in it.");
        return;
    }
    if (app)
        rm_why_ask(to->m, app, &why);
    if (why.reason != SCHED_REASON_NONE)
        append_sentence(to, arena_printf(arena, "%s (%s), the first in line, gets nothing now: %s: %s.",
                                         format_app_id(app->text), app->user, sched_reason_name(why.reason),
                                         rm_why_text(to->m, &why)));
}

static void append_to(void *context, const char *text)
{
    append_sentence(context, text);
}

static void explain(struct master *m, const struct sched_queue_figures *figures, Creel__QueueReport *report)
{
    struct sentences to = { m, figures, format_queue(figures->path), report };

    describe_state(&to);
    if (m->features.queues == SCHED_QUEUES_FAIR) {
        rm_fair_describe_queue(m, figures, append_to, &to);
    } else {
        describe_guarantee(&to);
        describe_use(&to);
        describe_labels(&to);
        if (figures->leaf) {
            describe_users(&to);
            describe_apps(&to);
        }
    }
    describe_waiting(&to);
}

struct next_list {
    struct arena *arena;
    Creel__QueueReport *report;
};

static void add_next(void *context, const char *name)
{
    struct next_list *list = context;
    Creel__QueueReport *report = list->report;

    if (report->n_next < NEXT_SHOWN)
        report->next[report->n_next++] = arena_strdup(list->arena, name);
}

static void add_order(struct master *m, const char *path, Creel__QueueReport *report)
{
    struct next_list list = { m->out->arena, report };

    report->next = arena_array0(m->out->arena, NEXT_SHOWN, sizeof(char *));
    sched_queue_order(m->sched, path, add_next, &list);
}

/* --- requests -------------------------------------------------------------- */

static int one_queue(struct master *m, const char *name, Creel__QueueList *list, struct err *err)
{
    struct sched_queue_figures figures = { .path = NULL };
    int r = rm_resolve_queue(m, name, &figures, err);

    if (r < 0)
        return r;
    list->queues = arena_array0(m->out->arena, 1, sizeof(*list->queues));
    list->queues[list->n_queues++] = rm_queue_report(m, &figures);
    add_order(m, figures.path, list->queues[0]);
    explain(m, &figures, list->queues[0]);
    return 0;
}

static int page_of_queues(struct master *m, const Creel__ListQueues *body, Creel__QueueList *list,
                          struct err *err)
{
    struct sched_queue_figures figures = { .path = NULL };
    struct page page = page_begin_brief(m, body->limit, body->brief);
    const struct sched_queue *at = NULL;

    if (!rm_text_is_empty(body->after) && !sched_queue_position(m->sched, body->after, &at))
        return err_set(err, EBUSY, "queue %s was removed while the list was read: request the list again",
                       body->after);
    while (sched_queue_next(m->sched, &at, &figures)) {
        Creel__QueueReport *report;

        if (!page_examine(&page)) {
            list->next = list->queues[list->n_queues - 1]->path;
            return 0;
        }
        report = rm_queue_report(m, &figures);
        page_add(&page, &report->base);
        page_append(m->out->arena, (void ***)&list->queues, &list->n_queues, report);
    }
    return 0;
}

Creel__Envelope *rm_query_queues(struct master *m, const char *user, const Creel__Envelope *in)
{
    const Creel__ListQueues *body = in->list_queues;
    Creel__QueueList *list = arena_new0(m->out->arena, Creel__QueueList);
    Creel__Envelope *envelope;
    struct err err;
    int r;

    (void)user; /* every user may see queues */
    creel__queue_list__init(list);
    r = rm_text_is_empty(body->queue) ? page_of_queues(m, body, list, &err)
                                      : one_queue(m, body->queue, list, &err);
    if (r < 0)
        return rm_error_envelope(m, in->request_id, &err);
    list->refreshed_ms = m->refreshed_ms;
    list->refreshed_by = rm_message_text(m->out->arena, m->refreshed_by);
    list->refresh_error = rm_message_text(m->out->arena, m->refresh_error);
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_QUEUE_LIST);
    envelope->queue_list = list;
    return envelope;
}

static Creel__QueueUserReport *user_report(struct master *m, const struct sched_user_figures *figures)
{
    struct arena *arena = m->out->arena;
    Creel__QueueUserReport *report = arena_new0(arena, Creel__QueueUserReport);

    creel__queue_user_report__init(report);
    report->user = rm_message_text(arena, figures->user);
    report->weight = rm_sendable(figures->weight);
    report->used = rm_resource_message(m, &figures->used);
    report->reserved = rm_resource_message(m, &figures->reserved);
    report->limit = rm_resource_message(m, &figures->limit);
    report->am_used = rm_resource_message(m, &figures->am_used);
    report->am_limit = rm_resource_message(m, &figures->am_limit);
    report->active_apps = figures->active_apps;
    report->waiting_apps = figures->waiting_apps;
    report->active = figures->active;
    return report;
}

struct holder { /* usage of one user, allocated in the arena */
    UT_hash_handle hh;
    struct sched_user_figures figures;
    struct resource fair_share;
};

static void add_app(struct master *m, const struct app *app, struct holder *to)
{
    struct sched_app_figures figures = { .containers = 0 };

    sched_app_figures(m->sched, app->sched, &figures);
    to->figures.used = resource_add(to->figures.used, app->usage.held);
    to->figures.active = to->figures.active || figures.pending_containers > 0;
    to->figures.active_apps += figures.active ? 1 : 0;
    to->figures.waiting_apps += figures.active ? 0 : 1;
    to->fair_share = resource_add(to->fair_share, figures.fair_share);
}

/* Sums up the applications of each user, for a scheduler without figures of users. A page covers a range of
 * applications. */
static void sum_up_users(struct master *m, const struct sched_queue_figures *queue,
                         const Creel__ListQueueUsers *body, Creel__QueueUserList *list)
{
    struct app first = { .id = { .seq = 0 } }, *app, *last = NULL;
    struct resource most = rm_limited_to_cluster(m, &queue->maximum);
    struct page page = page_begin(m, body->limit);
    struct arena *arena = m->out->arena;
    struct holder *all = NULL, *one;
    struct app_id after;

    list->partial = true;
    if (!rm_text_is_empty(body->after) && app_id_parse(body->after, &after))
        first.id.seq = after.seq < UINT32_MAX ? after.seq + 1 : after.seq;
    for (app = RB_NFIND(rm_app_tree, &m->apps, &first); app;
         last = app, app = RB_NEXT(rm_app_tree, &m->apps, app)) {
        if (!page_examine(&page)) {
            list->next = arena_strdup(arena, last->text);
            break;
        }
        if (app->sched == NULL || !text_equal(app->queue, queue->path))
            continue;
        HASH_FIND_STR(all, app->user, one);
        if (one == NULL) {
            one = arena_new0(arena, struct holder);
            one->figures = (struct sched_user_figures){ .user = app->user, .weight = 1, .limit = most };
            HASH_ADD_KEYPTR(hh, all, one->figures.user, strlen(app->user), one);
            page.count++;
        }
        add_app(m, app, one);
    }
    for (one = all; one; one = one->hh.next) {
        Creel__QueueUserReport *report = user_report(m, &one->figures);

        if (m->features.queues == SCHED_QUEUES_FAIR)
            report->fair_share = rm_resource_message(m, &one->fair_share);
        page_append(arena, (void ***)&list->users, &list->n_users, report);
    }
    HASH_CLEAR(hh, all);
}

/* Fills one page of the users of QUEUE, ordered by name. */
static void page_of_users(struct master *m, const char *queue, const Creel__ListQueueUsers *body,
                          Creel__QueueUserList *list)
{
    struct sched_user_figures one = { .user = rm_text_is_empty(body->after) ? NULL : body->after };
    struct page page = page_begin(m, body->limit);

    while (sched_queue_user_next(m->sched, queue, one.user, &one)) {
        Creel__QueueUserReport *report;

        if (!page_examine(&page)) {
            list->next = list->users[list->n_users - 1]->user;
            return;
        }
        report = user_report(m, &one);
        rm_queue_user_partitions(m, queue, report);
        page_add(&page, &report->base);
        page_append(m->out->arena, (void ***)&list->users, &list->n_users, report);
    }
}

Creel__Envelope *rm_query_queue_users(struct master *m, const char *user, const Creel__Envelope *in)
{
    Creel__QueueUserList *list = arena_new0(m->out->arena, Creel__QueueUserList);
    const Creel__ListQueueUsers *body = in->list_queue_users;
    struct sched_queue_figures figures;
    Creel__Envelope *envelope;
    struct err err;

    (void)user; /* every user may see what others use */
    if (rm_resolve_queue(m, body->queue, &figures, &err) < 0)
        return rm_error_envelope(m, in->request_id, &err);
    creel__queue_user_list__init(list);
    list->queue = rm_message_text(m->out->arena, figures.path);
    if (m->features.users)
        page_of_users(m, figures.path, body, list);
    else if (figures.leaf)
        sum_up_users(m, &figures, body, list);
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_QUEUE_USER_LIST);
    envelope->queue_user_list = list;
    return envelope;
}

/* --- access ---------------------------------------------------------------- */

static void report_no_lists(struct master *m, const char *path, Creel__QueueAccess *reply)
{
    reply->may_submit = true;
    reply->submit_reason =
        arena_printf(m->out->arena, "the %s scheduler keeps no access lists", m->config.scheduler);
    reply->may_administer = rm_authz_queue(m, reply->user, AUTHZ_CHANGE_QUEUE, path);
    reply->administer_reason = arena_strdup(m->out->arena, "yarn.admin.acl");
}

static bool ask_access(struct master *m, const char *path, const struct acl_person *person,
                       enum sched_permission permission, char **reason)
{
    char text[SCHED_ACCESS_TEXT_MAX];
    enum sched_access access = sched_queue_access(m->sched, path, person, permission, text);

    *reason = arena_strdup(m->out->arena, text);
    return access == SCHED_ACCESS_ALLOWED;
}

static void judge_access(struct master *m, const char *path, Creel__QueueAccess *reply)
{
    struct arena *arena = m->out->arena;
    struct acl_person person = { .user = reply->user };

    reply->administers_cluster = rm_authz_any_user(m, reply->user, AUTHZ_CHANGE_CLUSTER);
    person.group_count = rm_groups_of(m, reply->user, &person.groups);
    reply->groups = arena_array0(arena, person.group_count + 1, sizeof(char *));
    for (size_t i = 0; i < person.group_count; i++)
        reply->groups[reply->n_groups++] = arena_strdup(arena, person.groups[i]);
    if (sched_queue_access(m->sched, path, &person, SCHED_SUBMIT, NULL) == SCHED_ACCESS_NO_LISTS) {
        report_no_lists(m, path, reply);
        return;
    }
    reply->may_submit = ask_access(m, path, &person, SCHED_SUBMIT, &reply->submit_reason);
    reply->may_administer = ask_access(m, path, &person, SCHED_ADMINISTER, &reply->administer_reason);
}

Creel__Envelope *rm_query_queue_access(struct master *m, const char *user, const Creel__Envelope *in)
{
    const char *of = in->get_queue_access->user;
    Creel__QueueAccess *reply = arena_new0(m->out->arena, Creel__QueueAccess);
    struct sched_queue_figures figures;
    Creel__Envelope *envelope;
    struct err err;

    if (rm_resolve_queue(m, in->get_queue_access->queue, &figures, &err) < 0)
        return rm_error_envelope(m, in->request_id, &err);
    creel__queue_access__init(reply);
    reply->queue = rm_message_text(m->out->arena, figures.path);
    reply->user = rm_message_text(m->out->arena, rm_text_is_empty(of) ? user : of);
    judge_access(m, figures.path, reply);
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_QUEUE_ACCESS);
    envelope->queue_access = reply;
    return envelope;
}
