/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queues.c - requests about queues: figures, users, access; start, stop, reload
 *
 * Queues and users come in pages. All pages are fetched before the list is returned, so that a list is
 * complete or an error.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "client/include/creel-admin.h"
#include "client/libcreel/record.h"
#include "client/libcreel/reports.h"
#include "client/libcreel/request.h"
#include "client/libcreel/result.h"
#include "client/libcreel/texts.h"
#include "common/base/mem.h"
#include "common/record/queue_fields.h"
#include "common/record/queue_user_fields.h"

/* --- figures --------------------------------------------------------------- */

#define LISTINGS_MAX 5 /* tries to list all queues, if they change between two pages */

/* In a leaf of the capacity scheduler, which has settings, a limit of 0 is a limit. */
static int64_t limit_of_apps(const Creel__QueueReport *report, int64_t limit)
{
    return limit == 0 && report->leaf && report->settings ? -1 : limit;
}

static struct creel_queue_label *show_labels(struct creel_queues *shown, const Creel__QueueReport *of)
{
    struct creel_queue_label *labels = RESULT_ARRAY(shown, of->n_partitions, struct creel_queue_label);

    for (size_t i = 0; i < of->n_partitions; i++) {
        const Creel__QueuePartition *report = of->partitions[i];

        labels[i] = (struct creel_queue_label){ QUEUE_LABEL_FIELDS(RECORD_COPY) };
    }
    return labels;
}

static void show_queue(struct creel_queues *shown, const Creel__QueueReport *from, struct creel_queue *queue)
{
    Creel__QueueSettings none = CREEL__QUEUE_SETTINGS__INIT;
    Creel__QueueReport with_settings = *from, *report = &with_settings;

    if (report->settings == NULL)
        report->settings = &none;
    *queue = (struct creel_queue){ QUEUE_FIELDS(RECORD_COPY) };
    queue->max_apps = limit_of_apps(from, from->max_apps);
    queue->max_apps_per_user = limit_of_apps(from, from->max_apps_per_user);
    queue->next = result_texts(shown, from->next, from->n_next);
    queue->explanation = result_texts(shown, from->explanation, from->n_explanation);
    queue->labels = result_texts(shown, report->settings->labels, report->settings->n_labels);
    queue->by_label = show_labels(shown, from);
    queue->by_label_count = (uint32_t)from->n_partitions;
}

static bool next_queues(Creel__Envelope *request, const Creel__Envelope *reply)
{
    request->list_queues->after = reply->queue_list->next;
    return *request->list_queues->after != '\0';
}

/* Fetches all pages. -EBUSY: the queues changed in between, so that rows may be missing or repeated. */
static int fetch_queues(struct creel_client *client, const char *queue, struct pages *pages, struct err *err)
{
    Creel__ListQueues list = CREEL__LIST_QUEUES__INIT;
    int r;

    list.queue = texts_borrow(queue);
    r = request_pages(client, REQUEST(LIST_QUEUES, &list), ANSWER(QUEUE_LIST), next_queues, pages, err);
    for (size_t i = 1; r == 0 && i < pages->count; i++)
        if (pages->items[i]->queue_list->refreshed_ms != pages->items[0]->queue_list->refreshed_ms)
            r = err_set(err, EBUSY, "the queues were refreshed while they were listed: try again");
    return r;
}

/* Takes PAGES. */
static struct creel_queues *show_queues(struct pages *taken)
{
    struct creel_queues *shown = RESULT_NEW(struct creel_queues, taken);
    const struct pages *pages = result_pages(shown);
    const Creel__QueueList *last = pages->items[pages->count - 1]->queue_list;
    size_t count = 0;

    for (size_t i = 0; i < pages->count; i++)
        count += pages->items[i]->queue_list->n_queues;
    shown->items = RESULT_ARRAY(shown, count, struct creel_queue);
    for (size_t i = 0; i < pages->count; i++) {
        const Creel__QueueList *page = pages->items[i]->queue_list;

        for (size_t k = 0; k < page->n_queues; k++)
            show_queue(shown, page->queues[k], &shown->items[shown->count++]);
    }
    shown->refreshed_ms = last->refreshed_ms;
    shown->refreshed_by = last->refreshed_by;
    shown->refresh_error = last->refresh_error;
    return shown;
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
    result_free(queues);
}

/* --- users ----------------------------------------------------------------- */

/* Returns USER on the nodes of each label. */
static struct creel_queue_user *show_user_labels(struct creel_queue_users *list,
                                                 const Creel__QueueUserReport *of,
                                                 const struct creel_queue_user *user)
{
    struct creel_queue_user *labels = RESULT_ARRAY(list, of->n_partitions, struct creel_queue_user);

    for (size_t i = 0; i < of->n_partitions; i++) {
        const Creel__QueueUserPartition *report = of->partitions[i];
        struct creel_queue_user *shown = &labels[i];

        *shown = *user;
        shown->label = report->label;
        QUEUE_USER_AMOUNTS(RECORD_SET)
    }
    return labels;
}

static void show_user(struct creel_queue_users *list, const Creel__QueueUserReport *report,
                      struct creel_queue_user *user)
{
    *user = (struct creel_queue_user){ QUEUE_USER_FIELDS(RECORD_COPY) };
    user->label = "";
    user->by_label = show_user_labels(list, report, user);
    user->by_label_count = (uint32_t)report->n_partitions;
}

static bool next_users(Creel__Envelope *request, const Creel__Envelope *reply)
{
    request->list_queue_users->after = reply->queue_user_list->next;
    return *request->list_queue_users->after != '\0';
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

/* Takes PAGES. */
static struct creel_queue_users *show_users(struct pages *taken)
{
    struct creel_queue_users *shown = RESULT_NEW(struct creel_queue_users, taken);
    const struct pages *pages = result_pages(shown);
    size_t count = 0;

    shown->queue = pages->items[0]->queue_user_list->queue;
    for (size_t i = 0; i < pages->count; i++)
        count += pages->items[i]->queue_user_list->n_users;
    shown->items = RESULT_ARRAY(shown, count, struct creel_queue_user);
    for (size_t i = 0; i < pages->count; i++) {
        const Creel__QueueUserList *page = pages->items[i]->queue_user_list;

        for (size_t k = 0; k < page->n_users; k++)
            show_user(shown, page->users[k], &shown->items[shown->count++]);
    }
    if (pages->items[0]->queue_user_list->partial)
        join_users(shown);
    return shown;
}

CREEL_EXPORT
int creel_queue_user_list(struct creel_client *client, const char *queue, struct creel_queue_users **ret,
                          struct creel_error *error)
{
    Creel__ListQueueUsers list = CREEL__LIST_QUEUE_USERS__INIT;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r;

    list.queue = texts_borrow(queue);
    r = request_pages(client, REQUEST(LIST_QUEUE_USERS, &list), ANSWER(QUEUE_USER_LIST), next_users, &pages,
                      &err);
    if (r == 0)
        *ret = show_users(&pages);
    pages_done(&pages);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
void creel_queue_users_free(struct creel_queue_users *users)
{
    result_free(users);
}

/* --- access ---------------------------------------------------------------- */

CREEL_EXPORT
int creel_queue_access_get(struct creel_client *client, const char *queue, const char *user,
                           struct creel_queue_access **ret, struct creel_error *error)
{
    Creel__GetQueueAccess get = CREEL__GET_QUEUE_ACCESS__INIT;
    struct creel_queue_access *shown;
    const Creel__QueueAccess *answer;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r;

    get.queue = texts_borrow(queue);
    get.user = texts_borrow(user);
    r = request_pages(client, REQUEST(GET_QUEUE_ACCESS, &get), ANSWER(QUEUE_ACCESS), NULL, &pages, &err);
    if (r < 0)
        return client_set_error(error, &err, r);
    answer = pages.items[0]->queue_access;
    shown = RESULT_NEW(struct creel_queue_access, &pages);
    *shown = (struct creel_queue_access){
        .queue = answer->queue,
        .user = answer->user,
        .groups = result_texts(shown, answer->groups, answer->n_groups),
        .may_submit = answer->may_submit,
        .may_administer = answer->may_administer,
        .submit_reason = answer->submit_reason,
        .administer_reason = answer->administer_reason,
        .administers_cluster = answer->administers_cluster,
    };
    *ret = shown;
    return 0;
}

CREEL_EXPORT
void creel_queue_access_free(struct creel_queue_access *access)
{
    result_free(access);
}

/* --- changes --------------------------------------------------------------- */

CREEL_EXPORT
int creel_queue_set_running(struct creel_client *client, const char *queue, bool running,
                            struct creel_error *error)
{
    Creel__SetQueueState set = CREEL__SET_QUEUE_STATE__INIT;

    set.queue = texts_borrow(queue);
    set.running = running;
    return request_done(client, REQUEST(SET_QUEUE_STATE, &set), error);
}

CREEL_EXPORT
int creel_refresh_queues(struct creel_client *client, struct creel_refresh **ret, struct creel_error *error)
{
    Creel__RefreshQueues refresh = CREEL__REFRESH_QUEUES__INIT;
    const Creel__RefreshQueuesReply *answer;
    struct creel_refresh *shown;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r = request_pages(client, REQUEST(REFRESH_QUEUES, &refresh), ANSWER(REFRESH_QUEUES_REPLY), NULL,
                          &pages, &err);

    if (r < 0)
        return client_set_error(error, &err, r);
    answer = pages.items[0]->refresh_queues_reply;
    shown = RESULT_NEW(struct creel_refresh, &pages);
    shown->queues = answer->queues;
    shown->warnings = result_texts(shown, answer->warnings, answer->n_warnings);
    shown->compared = answer->compared;
    shown->changes = result_texts(shown, answer->changes, answer->n_changes);
    *ret = shown;
    return 0;
}

CREEL_EXPORT
void creel_refresh_free(struct creel_refresh *refresh)
{
    result_free(refresh);
}
