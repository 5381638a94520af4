/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queues.c - queues: what they have, who uses them, who may; starting, stopping, refreshing
 *
 * A result is a box: the public struct first, then the reply whose strings are shown.
 */
#include <errno.h>
#include <stdlib.h>

#include "client/include/creel-admin.h"
#include "client/libcreel/client.h"
#include "client/libcreel/reports.h"
#include "common/base/mem.h"
#include "common/io/wire.h"

static char *plain(const char *text)
{
    return text ? (char *)(uintptr_t)text : (char *)(uintptr_t)"";
}

static void free_texts(const char *const *texts)
{
    free((void *)(uintptr_t)texts);
}

/* --- figures --------------------------------------------------------------- */

struct queues_box {
    struct creel_queues shown;
    Creel__Envelope *reply;
};

static void show_queue(const Creel__QueueReport *report, struct creel_queue *queue)
{
    *queue = (struct creel_queue){
        .path = report->path, .state = report->state,
        .leaf = report->leaf, .dynamic = report->dynamic, .preemption = report->preemption,
        .capacity = (double)report->capacity,
        .max_capacity = (double)report->max_capacity,
        .used_capacity = (double)report->used_capacity,
        .absolute_capacity = (double)report->absolute_capacity,
        .absolute_max_capacity = (double)report->absolute_max_capacity,
        .absolute_used = (double)report->absolute_used,
        .weight = (double)report->weight,
        .priority = report->priority,
        .used = reports_resource(report->used),
        .pending = reports_resource(report->pending),
        .reserved = reports_resource(report->reserved),
        .minimum = reports_resource(report->minimum),
        .maximum = reports_resource(report->maximum),
        .am_limit = reports_resource(report->am_limit),
        .am_used = reports_resource(report->am_used),
        .user_limit = reports_resource(report->user_limit),
        .max_apps = report->max_apps, .max_apps_per_user = report->max_apps_per_user,
        .apps_running = report->apps_running, .apps_pending = report->apps_pending,
        .active_apps = report->active_apps, .waiting_apps = report->waiting_apps,
        .active_users = report->active_users,
        .containers = report->containers,
        .maximum_lifetime_s = report->maximum_lifetime_s,
        .default_lifetime_s = report->default_lifetime_s,
        .next = reports_texts(report->next, report->n_next),
        .explanation = reports_texts(report->explanation, report->n_explanation),
        .policy = report->policy,
        .demand = reports_resource(report->demand),
        .fair_share = reports_resource(report->fair_share),
        .steady_fair_share = reports_resource(report->steady_fair_share),
        .starved_since_ms = report->starved_since_ms,
    };
}

CREEL_EXPORT
int creel_queue_list(struct creel_client *client, const char *queue, struct creel_queues **ret,
                     struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__ListQueues list = CREEL__LIST_QUEUES__INIT;
    struct err err = { 0 };
    struct queues_box *box;
    int r;

    list.queue = plain(queue);
    request.body_case = CREEL__ENVELOPE__BODY_LIST_QUEUES;
    request.list_queues = &list;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_QUEUE_LIST, client->timeout_ms, &reply,
                    &err);
    if (r < 0)
        return client_give_error(error, &err, r);
    if (queue && reply->queue_list->n_queues == 0) {
        wire_free(reply);
        return client_give_error(error, &err, err_set(&err, ENOENT, "queue %s: not defined", queue));
    }
    box = mem_new0(struct queues_box);
    box->reply = reply;
    box->shown.items = mem_array0(reply->queue_list->n_queues + 1, sizeof(*box->shown.items));
    for (size_t i = 0; i < reply->queue_list->n_queues; i++)
        show_queue(reply->queue_list->queues[i], &box->shown.items[box->shown.count++]);
    box->shown.refreshed_ms = reply->queue_list->refreshed_ms;
    box->shown.refreshed_by = reply->queue_list->refreshed_by;
    box->shown.refresh_error = reply->queue_list->refresh_error;
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
void creel_queues_free(struct creel_queues *queues)
{
    struct queues_box *box = (struct queues_box *)(void *)queues;

    if (!box)
        return;
    for (size_t i = 0; i < box->shown.count; i++) {
        free_texts(box->shown.items[i].next);
        free_texts(box->shown.items[i].explanation);
    }
    wire_free(box->reply);
    free(box->shown.items);
    free(box);
}

/* --- users ----------------------------------------------------------------- */

struct users_box {
    struct creel_queue_users shown;
    Creel__Envelope *reply;
};

static void show_user(const Creel__QueueUserReport *report, struct creel_queue_user *user)
{
    *user = (struct creel_queue_user){
        .user = report->user, .weight = (double)report->weight, .active = report->active,
        .used = reports_resource(report->used),
        .reserved = reports_resource(report->reserved),
        .limit = reports_resource(report->limit),
        .am_used = reports_resource(report->am_used),
        .am_limit = reports_resource(report->am_limit),
        .active_apps = report->active_apps, .waiting_apps = report->waiting_apps,
        .fair_share = reports_resource(report->fair_share),
    };
}

CREEL_EXPORT
int creel_queue_user_list(struct creel_client *client, const char *queue,
                          struct creel_queue_users **ret, struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__ListQueueUsers list = CREEL__LIST_QUEUE_USERS__INIT;
    struct err err = { 0 };
    struct users_box *box;
    int r;

    list.queue = plain(queue);
    request.body_case = CREEL__ENVELOPE__BODY_LIST_QUEUE_USERS;
    request.list_queue_users = &list;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_QUEUE_USER_LIST, client->timeout_ms,
                    &reply, &err);
    if (r < 0)
        return client_give_error(error, &err, r);
    box = mem_new0(struct users_box);
    box->reply = reply;
    box->shown.queue = reply->queue_user_list->queue;
    box->shown.items = mem_array0(reply->queue_user_list->n_users + 1, sizeof(*box->shown.items));
    for (size_t i = 0; i < reply->queue_user_list->n_users; i++)
        show_user(reply->queue_user_list->users[i], &box->shown.items[box->shown.count++]);
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
void creel_queue_users_free(struct creel_queue_users *users)
{
    struct users_box *box = (struct users_box *)(void *)users;

    if (!box)
        return;
    wire_free(box->reply);
    free(box->shown.items);
    free(box);
}

/* --- access ---------------------------------------------------------------- */

struct access_box {
    struct creel_queue_access shown;
    Creel__Envelope *reply;
};

CREEL_EXPORT
int creel_queue_access_get(struct creel_client *client, const char *queue, const char *user,
                           struct creel_queue_access **ret, struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__GetQueueAccess get = CREEL__GET_QUEUE_ACCESS__INIT;
    const Creel__QueueAccess *answer;
    struct err err = { 0 };
    struct access_box *box;
    int r;

    get.queue = plain(queue);
    get.user = plain(user);
    request.body_case = CREEL__ENVELOPE__BODY_GET_QUEUE_ACCESS;
    request.get_queue_access = &get;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_QUEUE_ACCESS, client->timeout_ms,
                    &reply, &err);
    if (r < 0)
        return client_give_error(error, &err, r);
    answer = reply->queue_access;
    box = mem_new0(struct access_box);
    box->reply = reply;
    box->shown = (struct creel_queue_access){
        .queue = answer->queue, .user = answer->user,
        .groups = reports_texts(answer->groups, answer->n_groups),
        .may_submit = answer->may_submit, .may_administer = answer->may_administer,
        .submit_reason = answer->submit_reason, .administer_reason = answer->administer_reason,
    };
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
void creel_queue_access_free(struct creel_queue_access *access)
{
    struct access_box *box = (struct access_box *)(void *)access;

    if (!box)
        return;
    free_texts(box->shown.groups);
    wire_free(box->reply);
    free(box);
}

/* --- changes --------------------------------------------------------------- */

CREEL_EXPORT
int creel_queue_set_running(struct creel_client *client, const char *queue, bool running,
                            struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__SetQueueState set = CREEL__SET_QUEUE_STATE__INIT;
    struct err err = { 0 };
    int r;

    set.queue = plain(queue);
    set.running = running;
    request.body_case = CREEL__ENVELOPE__BODY_SET_QUEUE_STATE;
    request.set_queue_state = &set;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_OK, client->timeout_ms, &reply, &err);
    if (r == 0)
        wire_free(reply);
    return client_give_error(error, &err, r);
}

struct refresh_box {
    struct creel_refresh shown;
    Creel__Envelope *reply;
};

CREEL_EXPORT
int creel_refresh_queues(struct creel_client *client, struct creel_refresh **ret,
                         struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__RefreshQueues refresh = CREEL__REFRESH_QUEUES__INIT;
    struct refresh_box *box;
    struct err err = { 0 };
    int r;

    request.body_case = CREEL__ENVELOPE__BODY_REFRESH_QUEUES;
    request.refresh_queues = &refresh;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_REFRESH_QUEUES_REPLY,
                    client->timeout_ms, &reply, &err);
    if (r < 0)
        return client_give_error(error, &err, r);
    box = mem_new0(struct refresh_box);
    box->reply = reply;
    box->shown.queues = reply->refresh_queues_reply->queues;
    box->shown.warnings = reports_texts(reply->refresh_queues_reply->warnings,
                                        reply->refresh_queues_reply->n_warnings);
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
void creel_refresh_free(struct creel_refresh *refresh)
{
    struct refresh_box *box = (struct refresh_box *)(void *)refresh;

    if (!box)
        return;
    free_texts(box->shown.warnings);
    wire_free(box->reply);
    free(box);
}
