/* SPDX-License-Identifier: Apache-2.0 */
/* history.c - lists of ended applications from the history */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/include/creel-history.h"
#include "client/libcreel/client.h"
#include "client/libcreel/reports.h"
#include "common/io/wire.h"

#define PAGE_ROWS 250 /* as the resource manager has at most */

struct listed {
    struct pages pages;
    size_t rows;
    const char *next; /* in the last page; "": the end */
    char *warning;    /* owned; of the last page that has one; NULL: none */
};

/* Keeps a copy of WARNING; the reply keeps its own. */
static int keep_warning(struct listed *listed, const char *warning, struct err *err)
{
    if (*warning == '\0')
        return 0;
    free(listed->warning);
    listed->warning = strdup(warning);
    return listed->warning != NULL ? 0 : err_set(err, ENOMEM, "out of memory");
}

static int read_page(struct creel_client *client, Creel__ListJobHistory *body, struct listed *listed,
                     struct err *err)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    int r;

    request.body_case = CREEL__ENVELOPE__BODY_LIST_JOB_HISTORY;
    request.list_job_history = body;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_JOB_HISTORY, client->timeout_ms, &reply, err);
    if (r < 0)
        return r;
    r = keep_warning(listed, reply->job_history->warning, err);
    if (r < 0) {
        wire_free(reply);
        return r;
    }
    r = pages_add(&listed->pages, reply, err);
    if (r < 0)
        return r;
    listed->rows += reply->job_history->n_apps;
    listed->next = reply->job_history->next;
    return 0;
}

static int read_pages(struct creel_client *client, Creel__ListJobHistory *body, size_t limit,
                      struct listed *listed, struct err *err)
{
    int r;

    do {
        size_t left = limit - listed->rows;

        body->limit = limit == 0 || left > PAGE_ROWS ? PAGE_ROWS : (uint32_t)left;
        r = read_page(client, body, listed, err);
        body->after = (char *)(uintptr_t)listed->next;
    } while (r == 0 && *listed->next != '\0' && (limit == 0 || listed->rows < limit));
    return r;
}

static size_t texts_count(const char *const *texts)
{
    size_t n = 0;

    while (texts != NULL && texts[n] != NULL)
        n++;
    return n;
}

CREEL_EXPORT
int creel_history_list(struct creel_client *client, const struct creel_history_filter *filter,
                       struct creel_apps **ret, bool *more, char **warning, struct creel_error *error)
{
    static const struct creel_history_filter everything;
    Creel__ListJobHistory body = CREEL__LIST_JOB_HISTORY__INIT;
    Creel__AppState states[16];
    struct listed listed = { .next = "" };
    struct err err = { 0 };
    int r;

    if (filter == NULL)
        filter = &everything;
    if (filter->state_count > sizeof(states) / sizeof(states[0]))
        return client_give_error(error, &err, err_set(&err, EINVAL, "too many states"));
    for (size_t i = 0; i < filter->state_count; i++)
        states[i] = (Creel__AppState)filter->states[i];
    body.states = states;
    body.n_states = filter->state_count;
    body.users = (char **)(uintptr_t)filter->users;
    body.n_users = texts_count(filter->users);
    body.queues = (char **)(uintptr_t)filter->queues;
    body.n_queues = texts_count(filter->queues);
    if (filter->name != NULL)
        body.name = (char *)(uintptr_t)filter->name;
    body.since_ms = filter->since_ms;
    body.until_ms = filter->until_ms;
    body.tasks = filter->tasks;
    r = read_pages(client, &body, filter->limit, &listed, &err);
    *more = r == 0 && *listed.next != '\0'; /* NEXT is in the pages, which move */
    if (r == 0)
        r = reports_apps(&listed.pages, ret, &err);
    *warning = r == 0 ? listed.warning : NULL;
    if (r < 0)
        free(listed.warning);
    pages_done(&listed.pages);
    return client_give_error(error, &err, r);
}
