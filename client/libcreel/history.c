/* SPDX-License-Identifier: Apache-2.0 */
/* history.c - lists and sums of ended applications from the history */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/include/creel-history.h"
#include "client/libcreel/reports.h"
#include "client/libcreel/request.h"
#include "client/libcreel/result.h"
#include "client/libcreel/texts.h"
#include "common/io/wire/wire.h"
#include "common/record/history_sum.h"

#define PAGE_ROWS 250 /* the resource manager's maximum */

struct listed {
    struct pages pages;
    size_t rows;
    const char *next; /* in the last page; "": the end */
    char *warning;    /* owned; of the last page that has one; NULL: none */
};

/* Stores a copy of WARNING in LISTED, unless WARNING is empty. */
static int set_warning(struct listed *listed, const char *warning, struct err *err)
{
    if (*warning == '\0')
        return 0;
    free(listed->warning);
    listed->warning = strdup(warning);
    return listed->warning != NULL ? 0 : err_set(err, ENOMEM, "out of memory");
}

/* The parts of a reply that all pages have. */
struct page {
    const char *warning, *next;
    size_t rows;
};

static struct page page_of(const Creel__Envelope *reply)
{
    const Creel__JobHistory *apps = reply->job_history;
    const Creel__JobHistorySums *sums = reply->job_history_sums;

    return reply->body_case == CREEL__ENVELOPE__BODY_JOB_HISTORY
               ? (struct page){ apps->warning, apps->next, apps->n_apps }
               : (struct page){ sums->warning, sums->next, sums->n_sums };
}

/* Sends REQUEST and adds the reply, of kind EXPECTED, to LISTED. */
static int read_page(struct creel_client *client, Creel__Envelope *request,
                     Creel__Envelope__BodyCase expected, struct listed *listed, struct err *err)
{
    Creel__Envelope *reply;
    struct page page;
    int r = client_call(client, request, expected, client->timeout_ms, &reply, err);

    if (r < 0)
        return r;
    page = page_of(reply);
    r = set_warning(listed, page.warning, err);
    if (r < 0) {
        wire_free(reply);
        return r;
    }
    r = pages_add(&listed->pages, reply, err);
    if (r < 0)
        return r;
    listed->rows += page.rows;
    listed->next = page.next;
    return 0;
}

static int read_pages(struct creel_client *client, Creel__ListJobHistory *body,
                      const struct creel_history_filter *filter, struct listed *listed, struct err *err)
{
    Creel__Envelope request = request_of(REQUEST(LIST_JOB_HISTORY, body));
    size_t limit = filter ? filter->limit : 0;
    int r;

    request.no_long_commands = filter && filter->no_long_commands;
    do {
        size_t left = limit - listed->rows;

        body->limit = limit == 0 || left > PAGE_ROWS ? PAGE_ROWS : (uint32_t)left;
        r = read_page(client, &request, CREEL__ENVELOPE__BODY_JOB_HISTORY, listed, err);
        body->after = (char *)(uintptr_t)listed->next;
    } while (r == 0 && *listed->next != '\0' && (limit == 0 || listed->rows < limit));
    return r;
}

#define STATES_MAX 16

/* Fills BODY, which borrows from FILTER and STATES. */
static int fill_filter(const struct creel_history_filter *filter, Creel__ListJobHistory *body,
                       Creel__AppState states[STATES_MAX], struct err *err)
{
    static const struct creel_history_filter everything;

    if (filter == NULL)
        filter = &everything;
    if (filter->state_count > STATES_MAX)
        return err_set(err, EINVAL, "too many states");
    for (size_t i = 0; i < filter->state_count; i++)
        states[i] = (Creel__AppState)filter->states[i];
    body->states = states;
    body->n_states = filter->state_count;
    body->users = (char **)(uintptr_t)filter->users;
    body->n_users = texts_count(filter->users);
    body->queues = (char **)(uintptr_t)filter->queues;
    body->n_queues = texts_count(filter->queues);
    if (filter->name != NULL)
        body->name = (char *)(uintptr_t)filter->name;
    body->since_ms = filter->since_ms;
    body->until_ms = filter->until_ms;
    body->tasks = filter->tasks;
    body->nodes = filter->with_nodes;
    return 0;
}

CREEL_EXPORT
int creel_history_list(struct creel_client *client, const struct creel_history_filter *filter,
                       struct creel_apps **ret, bool *more, char **warning, struct creel_error *error)
{
    Creel__ListJobHistory body = CREEL__LIST_JOB_HISTORY__INIT;
    Creel__AppState states[STATES_MAX];
    struct listed listed = { .next = "" };
    struct err err = { 0 };
    int r = fill_filter(filter, &body, states, &err);

    if (r < 0)
        return client_set_error(error, &err, r);
    r = read_pages(client, &body, filter, &listed, &err);
    *more = r == 0 && *listed.next != '\0'; /* read before the pages, which contain NEXT, are moved */
    if (r == 0)
        r = reports_apps(&listed.pages, ret, &err);
    *warning = r == 0 ? listed.warning : NULL;
    if (r < 0)
        free(listed.warning);
    pages_done(&listed.pages);
    return client_set_error(error, &err, r);
}

/* --- sums -------------------------------------------------------------------- */

CREEL_EXPORT
void creel_history_sums_free(struct creel_history_sums *sums)
{
    result_free(sums);
}

static struct creel_history_sum show_sum(const Creel__JobHistorySum *sum, enum creel_history_group by)
{
    bool is_hour = by == CREEL_HISTORY_BY_HOUR;
    struct creel_history_sum shown = {
        .group = is_hour ? "" : sum->group,
        .begin_ms = is_hour ? strtoll(sum->group, NULL, 10) : 0,
    };

    HISTORY_SUM_SET(&shown, sum);
    return shown;
}

/* Makes the list, and moves the pages of LISTED into it. */
static int show_sums(struct listed *listed, enum creel_history_group by, struct creel_history_sums **ret,
                     struct err *err)
{
    struct creel_history_sums *shown = RESULT_NEW(struct creel_history_sums, NULL);

    shown->items = result_array_try(shown, listed->rows, sizeof(*shown->items));
    if (shown->items == NULL) {
        result_free(shown);
        return err_set(err, ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < listed->pages.count; i++) {
        const Creel__JobHistorySums *page = listed->pages.items[i]->job_history_sums;

        for (size_t k = 0; k < page->n_sums; k++)
            shown->items[shown->count++] = show_sum(page->sums[k], by);
    }
    result_take(shown, &listed->pages);
    *ret = shown;
    return 0;
}

CREEL_EXPORT
int creel_history_sum(struct creel_client *client, const struct creel_history_filter *filter,
                      enum creel_history_group by, int hour_offset_s, struct creel_history_sums **ret,
                      char **warning, struct creel_error *error)
{
    Creel__ListJobHistory asked = CREEL__LIST_JOB_HISTORY__INIT;
    Creel__SumJobHistory body = CREEL__SUM_JOB_HISTORY__INIT;
    Creel__Envelope request = request_of(REQUEST(SUM_JOB_HISTORY, &body));
    Creel__AppState states[STATES_MAX];
    struct listed listed = { .next = "" };
    struct err err = { 0 };
    int r = fill_filter(filter, &asked, states, &err);

    body.filter = &asked;
    body.by = (Creel__HistoryGroup)by;
    body.offset_s = hour_offset_s;
    while (r == 0) {
        r = read_page(client, &request, CREEL__ENVELOPE__BODY_JOB_HISTORY_SUMS, &listed, &err);
        if (*listed.next == '\0')
            break;
        asked.after = (char *)(uintptr_t)listed.next;
    }
    if (r == 0)
        r = show_sums(&listed, by, ret, &err);
    *warning = r == 0 ? listed.warning : NULL;
    if (r < 0)
        free(listed.warning);
    pages_done(&listed.pages);
    return client_set_error(error, &err, r);
}
