/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queues.c - requests about queues: figures, users, access; start, stop, reload
 *
 * A result is one block: the public struct first, then the replies that contain its strings. Queues and users
 * come in pages. All pages are fetched before the list is returned, so that a list is complete or an error.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "client/include/creel-admin.h"
#include "client/libcreel/client.h"
#include "client/libcreel/reports.h"
#include "client/libcreel/texts.h"
#include "common/base/mem.h"
#include "common/io/wire.h"

static void free_texts(const char *const *texts)
{
    free((void *)(uintptr_t)texts);
}

/* --- figures --------------------------------------------------------------- */

#define LISTINGS_MAX 5 /* tries to list all queues, if they change between two pages */

struct queues_box {
    struct creel_queues shown;
    struct pages pages;
};

/* In a leaf of the capacity scheduler, which has settings, a limit of 0 is a limit. */
static int64_t limit_of_apps(const Creel__QueueReport *report, int64_t limit)
{
    return limit == 0 && report->leaf && report->settings ? -1 : limit;
}

static void show_queue(const Creel__QueueReport *report, struct creel_queue *queue)
{
    const Creel__QueueSettings *settings = report->settings;

    *queue = (struct creel_queue){
        .path = report->path,
        .state = report->state,
        .leaf = report->leaf,
        .dynamic = report->dynamic,
        .preemption = report->preemption,
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
        .memory_only = report->memory_only,
        .max_apps = limit_of_apps(report, report->max_apps),
        .max_apps_per_user = limit_of_apps(report, report->max_apps_per_user),
        .apps_running = report->apps_running,
        .apps_pending = report->apps_pending,
        .active_apps = report->active_apps,
        .waiting_apps = report->waiting_apps,
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
        .labels = reports_texts(settings ? settings->labels : NULL, settings ? settings->n_labels : 0),
        .default_label = settings ? settings->default_label : "",
        .max_parallel_apps = settings ? settings->max_parallel_apps : 0,
        .intra_queue_preemption = settings && settings->intra_queue_preemption,
    };
}

static bool next_queues(Creel__Envelope *request, const Creel__Envelope *reply)
{
    request->list_queues->after = reply->queue_list->next;
    return *request->list_queues->after != '\0';
}

/* Fetches all pages. -EBUSY: the queues changed in between, so that rows may be missing or repeated. */
static int fetch_queues(struct creel_client *client, const char *queue, struct pages *pages, struct err *err)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__ListQueues list = CREEL__LIST_QUEUES__INIT;
    int r;

    list.queue = texts_borrow(queue);
    request.body_case = CREEL__ENVELOPE__BODY_LIST_QUEUES;
    request.list_queues = &list;
    r = pages_fetch(client, &request, 0, CREEL__ENVELOPE__BODY_QUEUE_LIST, next_queues, pages, err);
    for (size_t i = 1; r == 0 && i < pages->count; i++)
        if (pages->items[i]->queue_list->refreshed_ms != pages->items[0]->queue_list->refreshed_ms)
            r = err_set(err, EBUSY, "the queues were refreshed while they were listed: try again");
    return r;
}

/* Takes ownership of PAGES. */
static struct creel_queues *show_queues(struct pages *pages)
{
    const Creel__QueueList *last = pages->items[pages->count - 1]->queue_list;
    struct queues_box *box = mem_new0(struct queues_box);
    size_t count = 0;

    for (size_t i = 0; i < pages->count; i++)
        count += pages->items[i]->queue_list->n_queues;
    box->shown.items = mem_array0(count + 1, sizeof(*box->shown.items));
    for (size_t i = 0; i < pages->count; i++) {
        const Creel__QueueList *page = pages->items[i]->queue_list;

        for (size_t k = 0; k < page->n_queues; k++)
            show_queue(page->queues[k], &box->shown.items[box->shown.count++]);
    }
    box->shown.refreshed_ms = last->refreshed_ms;
    box->shown.refreshed_by = last->refreshed_by;
    box->shown.refresh_error = last->refresh_error;
    box->pages = *pages;
    return &box->shown;
}

CREEL_EXPORT
int creel_queue_list(struct creel_client *client, const char *queue, struct creel_queues **ret,
                     struct creel_error *error)
{
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r = fetch_queues(client, queue, &pages, &err);

    for (int i = 1; r == -EBUSY && i < LISTINGS_MAX; i++) {
        pages_done(&pages);
        r = fetch_queues(client, queue, &pages, &err);
    }
    if (r == 0 && queue && pages.items[0]->queue_list->n_queues == 0)
        r = err_set(&err, ENOENT, "queue %s: not defined", queue);
    if (r < 0) {
        pages_done(&pages);
        return client_set_error(error, &err, r);
    }
    *ret = show_queues(&pages);
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
        free_texts(box->shown.items[i].labels);
    }
    pages_done(&box->pages);
    free(box->shown.items);
    free(box);
}

/* --- users ----------------------------------------------------------------- */

struct users_box {
    struct creel_queue_users shown;
    struct pages pages;
};

static void show_user(const Creel__QueueUserReport *report, struct creel_queue_user *user)
{
    *user = (struct creel_queue_user){
        .user = report->user,
        .weight = (double)report->weight,
        .active = report->active,
        .used = reports_resource(report->used),
        .reserved = reports_resource(report->reserved),
        .limit = reports_resource(report->limit),
        .am_used = reports_resource(report->am_used),
        .am_limit = reports_resource(report->am_limit),
        .active_apps = report->active_apps,
        .waiting_apps = report->waiting_apps,
        .fair_share = reports_resource(report->fair_share),
    };
}

static bool next_users(Creel__Envelope *request, const Creel__Envelope *reply)
{
    request->list_queue_users->after = reply->queue_user_list->next;
    return *request->list_queue_users->after != '\0';
}

static int fetch_users(struct creel_client *client, const char *queue, struct pages *pages, struct err *err)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__ListQueueUsers list = CREEL__LIST_QUEUE_USERS__INIT;

    list.queue = texts_borrow(queue);
    request.body_case = CREEL__ENVELOPE__BODY_LIST_QUEUE_USERS;
    request.list_queue_users = &list;
    return pages_fetch(client, &request, 0, CREEL__ENVELOPE__BODY_QUEUE_USER_LIST, next_users, pages, err);
}

static struct creel_amount *find_amount(struct creel_resource *of, const char *name)
{
    for (size_t i = 0; i < of->other_count; i++)
        if (strcmp(of->others[i].name, name) == 0)
            return &of->others[i];
    return NULL;
}

static void add_resource(struct creel_resource *to, const struct creel_resource *more)
{
    to->memory_mb += more->memory_mb;
    to->vcores += more->vcores;
    for (size_t i = 0; i < more->other_count; i++) {
        struct creel_amount *amount = find_amount(to, more->others[i].name);

        if (amount && __builtin_add_overflow(amount->amount, more->others[i].amount, &amount->amount))
            amount->amount = INT64_MAX; /* YARN's maximum of a resource that has none */
        if (amount)
            continue;
        if (to->other_count < CREEL_OTHERS_MAX)
            to->others[to->other_count++] = more->others[i];
    }
}

/* A page has a row for each user of its applications. Rows of the same user on several pages are added up. */
static void add_user(struct creel_queue_user *user, const struct creel_queue_user *more)
{
    add_resource(&user->used, &more->used);
    add_resource(&user->fair_share, &more->fair_share);
    user->active_apps += more->active_apps;
    user->waiting_apps += more->waiting_apps;
    user->active = user->active || more->active;
}

struct user_row {
    UT_hash_handle hh;
    size_t index; /* index in the resulting list */
};

/* Merges USERS, the rows of all pages, so that each user has one row. */
static void join_users(struct creel_queue_users *users)
{
    struct user_row *rows = mem_array0(users->count + 1, sizeof(*rows)), *by_name = NULL, *row;
    size_t count = 0;

    for (size_t i = 0; i < users->count; i++) {
        HASH_FIND_STR(by_name, users->items[i].user, row);
        if (row) {
            add_user(&users->items[row->index], &users->items[i]);
            continue;
        }
        rows[count].index = count;
        users->items[count] = users->items[i];
        row = &rows[count];
        HASH_ADD_KEYPTR(hh, by_name, users->items[count].user, strlen(users->items[count].user), row);
        count++;
    }
    users->count = count;
    HASH_CLEAR(hh, by_name);
    free(rows);
}

CREEL_EXPORT
int creel_queue_user_list(struct creel_client *client, const char *queue, struct creel_queue_users **ret,
                          struct creel_error *error)
{
    struct pages pages = { 0 };
    struct err err = { 0 };
    struct users_box *box;
    size_t count = 0;
    int r = fetch_users(client, queue, &pages, &err);

    if (r < 0) {
        pages_done(&pages);
        return client_set_error(error, &err, r);
    }
    box = mem_new0(struct users_box);
    box->pages = pages;
    box->shown.queue = pages.items[0]->queue_user_list->queue;
    for (size_t i = 0; i < pages.count; i++)
        count += pages.items[i]->queue_user_list->n_users;
    box->shown.items = mem_array0(count + 1, sizeof(*box->shown.items));
    for (size_t i = 0; i < pages.count; i++)
        for (size_t k = 0; k < pages.items[i]->queue_user_list->n_users; k++)
            show_user(pages.items[i]->queue_user_list->users[k], &box->shown.items[box->shown.count++]);
    if (pages.items[0]->queue_user_list->partial)
        join_users(&box->shown);
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
void creel_queue_users_free(struct creel_queue_users *users)
{
    struct users_box *box = (struct users_box *)(void *)users;

    if (!box)
        return;
    pages_done(&box->pages);
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

    get.queue = texts_borrow(queue);
    get.user = texts_borrow(user);
    request.body_case = CREEL__ENVELOPE__BODY_GET_QUEUE_ACCESS;
    request.get_queue_access = &get;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_QUEUE_ACCESS, client->timeout_ms, &reply, &err);
    if (r < 0)
        return client_set_error(error, &err, r);
    answer = reply->queue_access;
    box = mem_new0(struct access_box);
    box->reply = reply;
    box->shown = (struct creel_queue_access){
        .queue = answer->queue,
        .user = answer->user,
        .groups = reports_texts(answer->groups, answer->n_groups),
        .may_submit = answer->may_submit,
        .may_administer = answer->may_administer,
        .submit_reason = answer->submit_reason,
        .administer_reason = answer->administer_reason,
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

    set.queue = texts_borrow(queue);
    set.running = running;
    request.body_case = CREEL__ENVELOPE__BODY_SET_QUEUE_STATE;
    request.set_queue_state = &set;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_OK, client->timeout_ms, &reply, &err);
    if (r == 0)
        wire_free(reply);
    return client_set_error(error, &err, r);
}

struct refresh_box {
    struct creel_refresh shown;
    Creel__Envelope *reply;
};

CREEL_EXPORT
int creel_refresh_queues(struct creel_client *client, struct creel_refresh **ret, struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__RefreshQueues refresh = CREEL__REFRESH_QUEUES__INIT;
    struct refresh_box *box;
    struct err err = { 0 };
    int r;

    request.body_case = CREEL__ENVELOPE__BODY_REFRESH_QUEUES;
    request.refresh_queues = &refresh;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_REFRESH_QUEUES_REPLY, client->timeout_ms, &reply,
                    &err);
    if (r < 0)
        return client_set_error(error, &err, r);
    box = mem_new0(struct refresh_box);
    box->reply = reply;
    box->shown.queues = reply->refresh_queues_reply->queues;
    box->shown.warnings =
        reports_texts(reply->refresh_queues_reply->warnings, reply->refresh_queues_reply->n_warnings);
    box->shown.compared = reply->refresh_queues_reply->compared;
    box->shown.changes =
        reports_texts(reply->refresh_queues_reply->changes, reply->refresh_queues_reply->n_changes);
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
    free_texts(box->shown.changes);
    wire_free(box->reply);
    free(box);
}
