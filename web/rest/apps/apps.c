/* SPDX-License-Identifier: Apache-2.0 */
/* apps.c - /ws/v1/cluster/apps and /appstatistics */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "web/rest/apps/app_document.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/lists.h"
#include "web/rest/parts/pieces.h"
#include "web/rest/parts/reply.h"
#include "yarn/app.h"

#define WORDS_MAX 1000 /* words in all values of one parameter */

typedef int word_compare_fn(const void *a, const void *b);

struct words {
    const char **list; /* sorted by COMPARE if it is set, without repeated words */
    size_t count;
    word_compare_fn *compare;
};

struct wanted {                   /* filters of the request */
    struct web_app_filter filter; /* conditions that the model checks; fits() checks the others */
    struct words types, tags;
    const char *name;
    const char *final_status; /* not parsed; collect() checks it only if it finds applications */
    Creel__FinalStatus final;
    int64_t started_from_ms, started_to_ms, finished_from_ms, finished_to_ms;
    size_t limit;
};

/* --- parameters --------------------------------------------------------------- */

static const char *parameter(struct exchange *exchange, const char *name)
{
    const char *value = exchange_parameter(exchange, name, 0);

    return value != NULL && *value != '\0' ? value : NULL;
}

/* Adds the words of all parameters NAME to WORDS. Each parameter may have several words, separated by
 * commas. */
static void read_words(struct exchange *exchange, const char *name, struct words *words)
{
    struct arena *arena = exchange_arena(exchange);
    const char *value;

    if (words->list == NULL)
        words->list = arena_array0(arena, WORDS_MAX, sizeof(*words->list));
    for (size_t i = 0; (value = exchange_parameter(exchange, name, i)) != NULL; i++) {
        char *rest = arena_strdup(arena, value), *word;

        while (words->count < WORDS_MAX && (word = text_next_word(&rest)) != NULL)
            words->list[words->count++] = word;
    }
}

static int compare_exactly(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int compare_in_any_case(const void *a, const void *b)
{
    return strcasecmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts WORDS and removes repeated ones, so that has_word() takes a few comparisons: an address has space for
 * hundreds of words, and an application for thousands of tags. */
static void sort_words(struct words *words, word_compare_fn *compare)
{
    size_t count = 0;

    words->compare = compare;
    qsort(words->list, words->count, sizeof(*words->list), compare);
    for (size_t i = 0; i < words->count; i++)
        if (count == 0 || compare(&words->list[count - 1], &words->list[i]) != 0)
            words->list[count++] = words->list[i];
    words->count = count;
}

static bool read_states(struct exchange *exchange, uint32_t *states)
{
    struct words words = { .list = NULL };
    Creel__AppState state;

    read_words(exchange, "state", &words);
    read_words(exchange, "states", &words);
    for (size_t i = 0; i < words.count; i++) {
        if (!yarn_app_state_parse(words.list[i], &state)) {
            rest_bad_request(
                exchange,
                arena_printf(exchange_arena(exchange),
                             "Invalid application-state %s specified. It should be one of [" YARN_APP_STATES
                             "]",
                             words.list[i]));
            return false;
        }
        *states |= 1u << state;
    }
    return true;
}

/* Reads the parameter "limit". Returns false after answering 400 in YARN's words. */
static bool read_limit(struct exchange *exchange, size_t *limit)
{
    const char *value = parameter(exchange, "limit");
    int64_t number;

    *limit = SIZE_MAX;
    if (value == NULL)
        return true;
    if (!text_parse_int64(value, &number)) {
        rest_bad_request(exchange, "limit value must be a number!");
        return false;
    }
    if (number <= 0) {
        rest_bad_request(exchange, "limit value must be greater then 0");
        return false;
    }
    *limit = (size_t)number;
    return true;
}

static bool read_time(struct exchange *exchange, const char *name, int64_t *ms)
{
    const char *value = parameter(exchange, name);

    if (value == NULL)
        return true;
    if (!text_parse_int64(value, ms)) {
        rest_bad_request(exchange,
                         arena_printf(exchange_arena(exchange), "%s value must be a number!", name));
        return false;
    }
    if (*ms < 0) {
        rest_bad_request(exchange, arena_printf(exchange_arena(exchange), "%s must be greater than 0", name));
        return false;
    }
    return true;
}

static bool read_range(struct exchange *exchange, const char *begin, const char *end, int64_t *from_ms,
                       int64_t *to_ms)
{
    *from_ms = 0;
    *to_ms = INT64_MAX;
    if (!read_time(exchange, begin, from_ms) || !read_time(exchange, end, to_ms))
        return false;
    if (*from_ms <= *to_ms)
        return true;
    rest_bad_request(exchange,
                     arena_printf(exchange_arena(exchange), "%s must be greater than %s", end, begin));
    return false;
}

/* Reads the parameter "queue", the path of a queue or its last part. If there is no such queue, returns false
 * after answering 400, but only with the capacity scheduler, as in YARN. */
static bool read_queue(struct exchange *exchange, const char **queue)
{
    const struct web_model *model = rest_model(exchange);
    const char *name = parameter(exchange, "queue");
    const Creel__QueueReport *report = name != NULL ? web_model_queue(model, name) : NULL;

    *queue = report != NULL ? report->path : name;
    if (name == NULL || report != NULL || !text_equal(web_model_cluster(model)->queue_model, "capacity"))
        return true;
    rest_bad_request(exchange, arena_printf(exchange_arena(exchange), "Unknown queue: %s", name));
    return false;
}

static bool read_wanted(struct exchange *exchange, struct wanted *ret)
{
    struct words users = { .list = NULL };

    *ret = (struct wanted){ .limit = SIZE_MAX };
    if (!read_states(exchange, &ret->filter.states) || !read_limit(exchange, &ret->limit) ||
        !read_queue(exchange, &ret->filter.queue) ||
        !read_range(exchange, "startedTimeBegin", "startedTimeEnd", &ret->started_from_ms,
                    &ret->started_to_ms) ||
        !read_range(exchange, "finishedTimeBegin", "finishedTimeEnd", &ret->finished_from_ms,
                    &ret->finished_to_ms))
        return false;
    if (parameter(exchange, "user") != NULL)
        read_words(exchange, "user", &users);
    ret->filter.users = users.list;
    ret->filter.user_count = users.count;
    read_words(exchange, "applicationTypes", &ret->types);
    read_words(exchange, "applicationType", &ret->types); /* the name that clients for R use */
    sort_words(&ret->types, compare_in_any_case);
    read_words(exchange, "applicationTags", &ret->tags);
    sort_words(&ret->tags, compare_exactly);
    ret->name = parameter(exchange, "name");
    ret->final_status = parameter(exchange, "finalStatus");
    return true;
}

/* --- comparison ---------------------------------------------------------------- */

static bool has_word(const struct words *words, const char *text)
{
    return words->count == 0 ||
           bsearch(&text, words->list, words->count, sizeof(*words->list), words->compare) != NULL;
}

static bool has_tag(const struct words *tags, const Creel__AppReport *app)
{
    for (size_t i = 0; i < app->n_tags; i++)
        if (has_word(tags, app->tags[i]))
            return true;
    return tags->count == 0;
}

static bool fits(const struct wanted *wanted, const Creel__AppReport *app)
{
    return has_word(&wanted->types, app->type) && has_tag(&wanted->tags, app) &&
           (wanted->name == NULL || strcmp(app->name, wanted->name) == 0) &&
           (wanted->final_status == NULL || app->final_status == wanted->final) &&
           app->submitted_ms >= wanted->started_from_ms && app->submitted_ms <= wanted->started_to_ms &&
           app->finished_ms >= wanted->finished_from_ms && app->finished_ms <= wanted->finished_to_ms;
}

/* Returns whether fits() may reject an application that matches the filter of the model. */
static bool has_further_filters(const struct wanted *wanted)
{
    return wanted->types.count > 0 || wanted->tags.count > 0 || wanted->name != NULL ||
           wanted->final_status != NULL || wanted->started_from_ms > 0 || wanted->started_to_ms < INT64_MAX ||
           wanted->finished_from_ms > 0 || wanted->finished_to_ms < INT64_MAX;
}

/* Lists the matching applications in *RET, with memory of ARENA, the newest first. Returns false after
 * answering 400. */
static bool collect(struct exchange *exchange, struct arena *arena, struct wanted *wanted,
                    const Creel__AppReport ***ret, size_t *count)
{
    size_t found = rest_list_apps(rest_model(exchange), arena, &wanted->filter, WEB_APP_BY_AGE, true,
                                  has_further_filters(wanted) ? SIZE_MAX : wanted->limit, ret);

    if (found > 0 && wanted->final_status != NULL &&
        !yarn_final_status_parse(wanted->final_status, &wanted->final)) {
        rest_bad_request(exchange, arena_printf(exchange_arena(exchange),
                                                "Invalid application-state %s "
                                                "specified. It should be one of [" YARN_FINAL_STATUSES "]",
                                                wanted->final_status));
        return false;
    }
    *count = 0;
    for (size_t i = 0; i < found && *count < wanted->limit; i++)
        if (fits(wanted, (*ret)[i]))
            (*ret)[(*count)++] = (*ret)[i];
    return true;
}

/* --- the list ------------------------------------------------------------------ */

struct app_list { /* in the arena of the exchange */
    struct rest_app_writer to;
    struct rest_deselects deselects;
    struct wanted wanted;
    struct rest_names ids;
};

static const char *id_of(const void *report)
{
    return ((const Creel__AppReport *)report)->app_id;
}

/* An application may have changed since it was listed. */
static bool still_fits(const struct wanted *wanted, const Creel__AppReport *app)
{
    return app != NULL && (wanted->filter.states == 0 || (wanted->filter.states & 1u << app->state) != 0) &&
           fits(wanted, app);
}

static enum rest_more next_app(struct exchange *exchange, void *context, struct arena *arena,
                               struct document *document)
{
    struct app_list *list = context;
    const char *id = rest_names_take(&list->ids);
    const Creel__AppReport *app;

    if (id == NULL) {
        document_end_list(document);
        return REST_END;
    }
    app = web_model_app(rest_model(exchange), id);
    if (!still_fits(&list->wanted, app))
        return REST_MORE;
    list->to.document = document;
    list->to.model = rest_model(exchange);
    list->to.cluster = web_model_cluster(list->to.model);
    list->to.arena = arena;
    list->to.deselects = list->deselects;
    document_begin(document, NULL);
    rest_app_members(&list->to, app);
    document_end(document);
    return REST_MORE;
}

/* Lists the ids of the applications that the request wants. Returns false after an error was answered. */
static bool list_apps(struct exchange *exchange, struct app_list *list)
{
    struct arena *arena = arena_new();
    const Creel__AppReport **apps;
    size_t count;
    bool ok = collect(exchange, arena, &list->wanted, &apps, &count) &&
              (count == 0 || rest_read_deselects(exchange, &list->deselects));

    if (ok)
        list->ids = rest_names_of(exchange_arena(exchange), (const void *const *)apps, count, id_of);
    arena_free(arena);
    return ok;
}

void rest_apps(struct exchange *exchange)
{
    struct app_list *list = arena_new0(exchange_arena(exchange), struct app_list);
    struct document *document;

    if (!rest_model_is_recent(exchange) || !read_wanted(exchange, &list->wanted) ||
        !list_apps(exchange, list))
        return;
    list->to = rest_app_writer_of(exchange);
    document = rest_begin(exchange, "apps", REST_NATURAL);
    if (document == NULL)
        return;
    document_begin_list(document, "app", list->ids.left);
    rest_send_items(exchange, document, next_app, list);
}

/* --- statistics ---------------------------------------------------------------- */

static const char *lower(struct arena *arena, const char *text)
{
    char *copy = arena_strdup(arena, text);

    for (char *at = copy; *at != '\0'; at++)
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at - 'A' + 'a');
    return copy;
}

static size_t count_of(struct exchange *exchange, Creel__AppState state, const struct words *types)
{
    struct wanted wanted = {
        .filter = { .states = 1u << state },
        .types = *types,
        .started_to_ms = INT64_MAX,
        .finished_to_ms = INT64_MAX,
        .limit = SIZE_MAX,
    };
    const Creel__AppReport **apps;
    size_t count;

    if (types->count == 0)
        return web_model_count_apps(rest_model(exchange), &wanted.filter);
    return collect(exchange, exchange_arena(exchange), &wanted, &apps, &count) ? count : 0;
}

static void add_item(struct document *document, Creel__AppState state, const char *type, size_t count)
{
    document_begin(document, NULL);
    document_text(document, "state", yarn_app_state(state));
    document_text(document, "type", type);
    document_uint(document, "count", count);
    document_end(document);
}

static size_t states_in(uint32_t states)
{
    size_t count = 0;

    for (; states != 0; states &= states - 1)
        count++;
    return count;
}

void rest_app_statistics(struct exchange *exchange)
{
    struct arena *arena = exchange_arena(exchange);
    struct words types = { .list = NULL };
    struct document *document;
    uint32_t states = 0;

    if (!rest_model_is_recent(exchange) || !read_states(exchange, &states))
        return;
    read_words(exchange, "applicationTypes", &types);
    sort_words(&types, compare_in_any_case);
    if (types.count > 1) {
        rest_bad_request(exchange, arena_printf(arena,
                                                "# of applicationTypes = %zu, we temporarily support at "
                                                "most one applicationType",
                                                types.count));
        return;
    }
    if (states == 0)
        states = (2u << CREEL__APP_STATE__APP_KILLED) - (1u << CREEL__APP_STATE__APP_NEW);
    document = rest_begin(exchange, "appStatInfo", REST_NATURAL);
    if (document == NULL)
        return;
    document_begin_list(document, "statItem", states_in(states));
    for (Creel__AppState state = CREEL__APP_STATE__APP_NEW; state <= CREEL__APP_STATE__APP_KILLED; state++)
        if ((states & 1u << state) != 0)
            add_item(document, state, types.count > 0 ? lower(arena, types.list[0]) : "*",
                     count_of(exchange, state, &types));
    document_end_list(document);
    rest_send(exchange, 200, document);
}
