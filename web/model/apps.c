/* SPDX-License-Identifier: Apache-2.0 */
/* apps.c - filters, sorts and pages the applications of the model */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "web/model/pick.h"
#include "web/model/rows.h"

/* --- the filter -------------------------------------------------------------- */

static bool is_one_of(const char *text, const char *const *list, size_t count,
                      int (*compare)(const char *a, const char *b))
{
    for (size_t i = 0; i < count; i++)
        if (compare(list[i], text) == 0)
            return true;
    return count == 0;
}

static bool is_in_queue(const char *path, const char *queue)
{
    size_t length = strlen(queue);
    const char *dot = strrchr(path, '.');

    return (strncmp(path, queue, length) == 0 && (path[length] == '.' || path[length] == '\0')) ||
           (dot != NULL && strcmp(dot + 1, queue) == 0);
}

/* Evaluates the filter once for each distinct name, instead of for each row. */
static void judge_names(const struct web_model *model, const struct web_app_filter *filter)
{
    struct name *name, *next;

    HASH_ITER(hh, model->users, name, next)
        name->fits = is_one_of(name->text, filter->users, filter->user_count, strcmp);
    HASH_ITER(hh, model->types, name, next)
        name->fits = is_one_of(name->text, filter->types, filter->type_count, strcasecmp);
    HASH_ITER(hh, model->queue_names, name, next)
        name->fits = filter->queue == NULL || is_in_queue(name->text, filter->queue);
    HASH_ITER(hh, model->reasons, name, next)
        name->fits = filter->reason_code == NULL || strcmp(name->text, filter->reason_code) == 0;
}

static bool is_within(int64_t at_ms, int64_t from_ms, int64_t to_ms)
{
    return (from_ms == 0 || at_ms >= from_ms) && (to_ms == 0 || at_ms <= to_ms);
}

static bool has_tag(const Creel__AppReport *app, const struct web_app_filter *filter)
{
    for (size_t i = 0; i < app->n_tags; i++)
        if (is_one_of(app->tags[i], filter->tags, filter->tag_count, strcasecmp))
            return true;
    return false;
}

/* A filter, prepared for many rows. */
struct search {
    const struct web_model *model;
    const struct web_app_filter *filter;
    char *name; /* owned: filter->name in lower case; NULL: any name */
};

static struct search begin_search(const struct web_model *model, const struct web_app_filter *filter)
{
    struct search search = { .model = model, .filter = filter };

    judge_names(model, filter);
    if (filter->name != NULL)
        search.name = text_fold(mem_strdup(filter->name));
    return search;
}

static void end_search(struct search *search)
{
    free(search->name);
}

static bool has_name(const struct search *search, const struct app_row *row)
{
    const struct app_title *title = &search->model->titles[row - search->model->rows];

    return strstr(title->folded, search->name) != NULL ||
           (title->cut && strcasestr(row->entry->report->name, search->name) != NULL);
}

static bool fits(const struct search *search, const struct app_row *row)
{
    const struct web_app_filter *filter = search->filter;

    return (filter->states == 0 || (filter->states & 1u << row->state) != 0) &&
           (filter->final_statuses == 0 || (filter->final_statuses & 1u << row->final_status) != 0) &&
           row->user->fits && row->queue->fits && row->type->fits && row->reason->fits &&
           is_within(row->submitted_ms, filter->started_from_ms, filter->started_to_ms) &&
           is_within(row->finished_ms, filter->finished_from_ms, filter->finished_to_ms) &&
           (filter->tag_count == 0 || has_tag(row->entry->report, filter)) &&
           (search->name == NULL || has_name(search, row));
}

/* --- the order --------------------------------------------------------------- */

struct sorting {
    enum web_app_order order;
    bool descending;
};

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_names(const struct name *a, const struct name *b)
{
    return a == b ? 0 : strcmp(a->text, b->text);
}

static int compare_titles(const struct app_row *a, const struct app_row *b)
{
    if (a->name_start != b->name_start)
        return a->name_start < b->name_start ? -1 : 1;
    return strcmp(a->entry->report->name, b->entry->report->name);
}

static int compare_by(enum web_app_order order, const struct app_row *a, const struct app_row *b)
{
    switch (order) {
    case WEB_APP_BY_NAME:
        return compare_titles(a, b);
    case WEB_APP_BY_USER:
        return compare_names(a->user, b->user);
    case WEB_APP_BY_QUEUE:
        return compare_names(a->queue, b->queue);
    case WEB_APP_BY_STATE:
        return compare_numbers(a->state, b->state);
    case WEB_APP_BY_CONTAINERS:
        return compare_numbers(a->containers, b->containers);
    case WEB_APP_BY_MEMORY:
        return compare_numbers(a->memory_mb, b->memory_mb);
    case WEB_APP_BY_VCORES:
        return compare_numbers(a->vcores, b->vcores);
    case WEB_APP_BY_WAIT:
        return compare_numbers(b->submitted_ms, a->submitted_ms);
    case WEB_APP_BY_PRIORITY:
        return compare_numbers(a->priority, b->priority);
    case WEB_APP_BY_AGE:
        break;
    }
    return 0;
}

static int compare_rows(const void *context, const void *a, const void *b)
{
    const struct sorting *sorting = context;
    const struct app_row *x = a, *y = b;
    int result = compare_by(sorting->order, x, y);

    if (result == 0)
        result = compare_numbers(x->seq, y->seq);
    if (result == 0) /* equal sequence numbers of different resource manager starts */
        result = strcmp(x->entry->report->app_id, y->entry->report->app_id);
    return sorting->descending ? -result : result;
}

static const struct app_row *row_of(const struct web_model *model, const char *app_id)
{
    struct app_entry *entry = NULL;

    if (app_id != NULL)
        HASH_FIND_STR(model->apps, app_id, entry);
    return entry != NULL ? &model->rows[entry->row] : NULL;
}

/* --- the order by name --------------------------------------------------------- */

/* As compare_rows() for WEB_APP_BY_NAME. */
static int app_name_compare(const struct app_entry *a, const struct app_entry *b)
{
    struct app_id x = { .seq = 0 }, y = { .seq = 0 };
    int result = strcmp(a->report->name, b->report->name);

    if (result != 0)
        return result;
    (void)app_id_parse(a->report->app_id, &x);
    (void)app_id_parse(b->report->app_id, &y);
    result = compare_numbers(x.seq, y.seq);
    return result != 0 ? result : strcmp(a->report->app_id, b->report->app_id);
}

RB_GENERATE(app_name_tree, app_entry, by_name, app_name_compare)

static struct app_entry *first_by_name(struct web_model *model, const struct web_page *page)
{
    const struct app_row *after = row_of(model, page->after);
    struct app_entry *entry = after != NULL ? after->entry : NULL;

    if (entry == NULL)
        return page->descending ? RB_MAX(app_name_tree, &model->names) : RB_MIN(app_name_tree, &model->names);
    return page->descending ? RB_PREV(app_name_tree, &model->names, entry)
                            : RB_NEXT(app_name_tree, &model->names, entry);
}

/* Lists applications that fit in the order of names, without looking at all of them. */
static size_t walk_names(const struct web_model *model, const struct search *search,
                         const struct web_page *page, const Creel__AppReport **ret)
{
    struct app_entry *entry = first_by_name((struct web_model *)(uintptr_t)model, page);
    size_t count = 0;

    while (entry != NULL && count < page->limit) {
        if (fits(search, &model->rows[entry->row]))
            ret[count++] = entry->report;
        entry = page->descending ? RB_PREV(app_name_tree, &model->names, entry)
                                 : RB_NEXT(app_name_tree, &model->names, entry);
    }
    return count;
}

static size_t count_fitting(const struct web_model *model, const struct search *search)
{
    size_t count = 0;

    for (size_t i = 0; i < model->row_count; i++)
        count += fits(search, &model->rows[i]);
    return count;
}

/* If few applications fit, it is faster to compare these than to walk through all names. */
#define MANY_FIT 8 /* at least one of this number of applications */

static bool list_by_name(const struct web_model *model, const struct web_app_filter *filter,
                         const struct web_page *page, const Creel__AppReport **ret, size_t *count,
                         size_t *total)
{
    struct search search = begin_search(model, filter);

    *total = count_fitting(model, &search);
    if (*total * MANY_FIT >= model->row_count)
        *count = walk_names(model, &search, page, ret);
    end_search(&search);
    return *total * MANY_FIT >= model->row_count;
}

/* --- lists --------------------------------------------------------------------- */

/* Returns whether to visit rows from the youngest to the oldest. Rows are mostly sorted by age; visiting the
 * rows of the page first saves heap operations. */
static bool is_youngest_first(const struct sorting *sorting)
{
    return sorting->order == WEB_APP_BY_WAIT ? !sorting->descending : sorting->descending;
}

size_t web_model_list_apps(const struct web_model *model, const struct web_app_filter *filter,
                           enum web_app_order order, const struct web_page *page,
                           const Creel__AppReport **ret, size_t *total)
{
    struct sorting sorting = { order, page->descending };
    bool backwards = is_youngest_first(&sorting);
    size_t limit = page->limit < model->row_count ? page->limit : model->row_count, count = 0;
    scoped_free const void **rows = mem_array0(limit + 1, sizeof(*rows));
    struct search search;
    struct pick pick = {
        .compare = compare_rows,
        .context = &sorting,
        .after = row_of(model, page->after),
        .limit = limit,
        .rows = rows,
    };

    if (order == WEB_APP_BY_NAME && list_by_name(model, filter, page, ret, &count, total))
        return count;
    search = begin_search(model, filter);
    *total = 0;
    for (size_t i = 0; i < model->row_count; i++) {
        const struct app_row *row = &model->rows[backwards ? model->row_count - 1 - i : i];

        if (!fits(&search, row))
            continue;
        ++*total;
        pick_add(&pick, row);
    }
    end_search(&search);
    pick_sort(&pick);
    for (size_t i = 0; i < pick.count; i++)
        ret[i] = ((const struct app_row *)rows[i])->entry->report;
    return pick.count;
}

size_t web_model_count_apps(const struct web_model *model, const struct web_app_filter *filter)
{
    struct search search = begin_search(model, filter);
    size_t count = count_fitting(model, &search);

    end_search(&search);
    return count;
}

const size_t *web_model_states(const struct web_model *model)
{
    return model->by_state;
}

void web_model_count_states(const struct web_model *model, const struct web_app_filter *filter,
                            size_t ret[WEB_APP_STATES])
{
    struct web_app_filter any = *filter;
    struct search search;

    any.states = 0;
    for (size_t i = 0; i < WEB_APP_STATES; i++)
        ret[i] = 0;
    search = begin_search(model, &any);
    for (size_t i = 0; i < model->row_count; i++)
        if (model->rows[i].state < WEB_APP_STATES)
            ret[model->rows[i].state] += fits(&search, &model->rows[i]);
    end_search(&search);
}
