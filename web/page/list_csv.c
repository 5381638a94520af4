/* SPDX-License-Identifier: Apache-2.0 */
/* list_csv.c - tables as comma-separated values */
#include "web/page/list_csv.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/base/text.h"
#include "web/model/view.h"

#define CONTENT_TYPE "text/csv; charset=utf-8; header=present"
#define PART_ROWS 200 /* less than half a millisecond */
#define KEY_MAX 320

bool list_csv_is_wanted(const struct exchange *exchange)
{
    return text_equal(exchange_parameter(exchange, "format", 0), "csv");
}

bool list_csv_refuse(struct exchange *exchange, const Creel__Envelope *reply)
{
    bool error = reply->body_case == CREEL__ENVELOPE__BODY_ERROR;
    bool refused = error && reply->error->code == CREEL__ERROR_CODE__ERROR_NOT_PERMITTED;

    if (!list_csv_is_wanted(exchange))
        return false;
    exchange_refuse(exchange, refused ? 403 : 503,
                    error ? reply->error->message : "The resource manager sent an unexpected reply.");
    return true;
}

bool list_csv_refuse_incomplete(struct exchange *exchange, int status, const char *why)
{
    if (!list_csv_is_wanted(exchange))
        return false;
    exchange_refuse(exchange, status, why);
    return true;
}

void list_csv_warn(struct exchange *exchange, const char *why)
{
    exchange_add_header(exchange, "Creel-Warning", why);
}

bool list_csv_is_recent(struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);
    const char *stale = web_view_stale(view, exchange_arena(exchange));

    exchange_add_header(exchange, "Age",
                        arena_printf(exchange_arena(exchange), "%" PRId64, view->age_ms / 1000));
    if (stale == NULL)
        return true;
    exchange_add_header(exchange, "Retry-After", WEB_STALE_RETRY_S);
    exchange_refuse(exchange, 503, stale);
    return false;
}

static void begin(struct exchange *exchange, const struct list_fields *fields, struct csv *csv)
{
    exchange_add_header(
        exchange, "Content-Disposition",
        arena_printf(exchange_arena(exchange), "attachment; filename=\"%s.csv\"", fields->file));
    csv_begin(csv, exchange_arena(exchange));
    for (size_t i = 0; i < fields->count; i++)
        csv_text(csv, fields->fields[i].name);
    csv_end_row(csv);
}

static void add_row(const struct list_fields *fields, struct csv *csv, const void *row)
{
    for (size_t i = 0; i < fields->count; i++)
        fields->fields[i].write(csv, row);
    csv_end_row(csv);
}

void list_csv_answer(struct exchange *exchange, const struct list_fields *fields,
                     const void *(*row)(void *context, size_t i), size_t count, void *context)
{
    struct csv csv;

    begin(exchange, fields, &csv);
    for (size_t i = 0; i < count; i++)
        add_row(fields, &csv, row(context, i));
    exchange_answer(exchange, 200, CONTENT_TYPE, csv.bytes, csv.size);
}

/* --- lists of the model ---------------------------------------------------------- */

struct source_answer { /* in the arena of the exchange */
    struct list_fields fields;
    struct list_source source;
    struct csv csv;
    const void *rows[PART_ROWS];
    struct arena *key_memory;
    const char *keys[PART_ROWS]; /* of the last part: its last row may have been removed meanwhile */
    size_t key_count;
    bool begun, over;
};

static const char *find_after(const struct source_answer *answer)
{
    const struct list_source *source = &answer->source;

    for (size_t i = answer->key_count; i-- > 0;)
        if (source->exists == NULL || source->exists(source->context, answer->keys[i]))
            return answer->keys[i];
    return NULL;
}

static enum exchange_part next_of_source(struct exchange *exchange, void *context, const char **bytes,
                                         size_t *size)
{
    struct source_answer *answer = context;
    const struct list_source *source = &answer->source;
    const char *after = find_after(answer);
    size_t count;

    (void)exchange;
    if (answer->over)
        return EXCHANGE_PART_END;
    if (after == NULL && answer->key_count > 0)
        return EXCHANGE_PART_FAILED;
    if (answer->begun)
        csv_clear(&answer->csv);
    count = source->read(source->context, after, answer->rows, PART_ROWS);
    arena_reset(answer->key_memory);
    for (size_t i = 0; i < count; i++) {
        add_row(&answer->fields, &answer->csv, answer->rows[i]);
        answer->keys[i] = arena_strdup(answer->key_memory, source->key(source->context, answer->rows[i]));
    }
    answer->key_count = count;
    answer->over = count < PART_ROWS;
    answer->begun = true;
    *bytes = answer->csv.bytes;
    *size = answer->csv.size;
    return *size > 0 ? EXCHANGE_PART : EXCHANGE_PART_END;
}

static void end_source(void *context)
{
    struct source_answer *answer = context;

    arena_free(answer->key_memory);
}

void list_csv_answer_source(struct exchange *exchange, const struct list_fields *fields,
                            const struct list_source *source)
{
    struct source_answer *answer;

    if (!list_csv_is_recent(exchange))
        return;
    answer = arena_new0(exchange_arena(exchange), struct source_answer);
    answer->fields = *fields;
    answer->source = *source;
    answer->key_memory = arena_new();
    exchange_at_end(exchange, end_source, answer);
    begin(exchange, fields, &answer->csv);
    exchange_answer_parts(exchange, CONTENT_TYPE, next_of_source, answer);
}

/* --- lists of the resource manager ------------------------------------------------ */

struct replies_answer { /* in the arena of the exchange */
    struct list_fields fields;
    struct list_replies replies;
    struct csv csv;
    char after[KEY_MAX];
    bool begun, ready, asked, failed, warned;
};

static void handle_reply(struct exchange *exchange, void *context, const Creel__Envelope *reply);

static void ask(struct exchange *exchange, struct replies_answer *answer)
{
    const struct list_replies *replies = &answer->replies;

    answer->asked = true;
    replies->ask(exchange, replies->context, answer->after, handle_reply, answer);
}

static enum exchange_part next_of_replies(struct exchange *exchange, void *context, const char **bytes,
                                          size_t *size)
{
    struct replies_answer *answer = context;

    if (answer->failed)
        return EXCHANGE_PART_FAILED;
    if (answer->ready) {
        answer->ready = false;
        *bytes = answer->csv.bytes;
        *size = answer->csv.size;
        return EXCHANGE_PART;
    }
    if (*answer->after == '\0')
        return EXCHANGE_PART_END;
    if (!answer->asked)
        ask(exchange, answer);
    return answer->asked ? EXCHANGE_PART_LATER : next_of_replies(exchange, context, bytes, size);
}

static void fail(struct exchange *exchange, struct replies_answer *answer, const Creel__Envelope *reply)
{
    answer->failed = true;
    if (answer->begun)
        exchange_part_is_ready(exchange);
    else
        (void)list_csv_refuse(exchange, reply);
}

static void handle_reply(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct replies_answer *answer = context;
    const struct list_replies *replies = &answer->replies;
    struct arena *arena;
    const char *next = "", *warning = "";
    size_t count = 0;

    answer->asked = false;
    if (!replies->read(replies->context, reply, &count, &next, &warning) ||
        (answer->begun && !answer->warned && *warning != '\0')) {
        fail(exchange, answer, reply);
        return;
    }
    if (!answer->begun && *warning != '\0') {
        answer->warned = true;
        list_csv_warn(exchange, warning);
    }
    if (answer->begun)
        csv_clear(&answer->csv);
    else
        begin(exchange, &answer->fields, &answer->csv);
    arena = arena_new();
    for (size_t i = 0; i < count; i++) {
        const void *row = replies->row(replies->context, arena, reply, i);

        if (row != NULL)
            add_row(&answer->fields, &answer->csv, row);
    }
    arena_free(arena);
    snprintf(answer->after, sizeof(answer->after), "%s", next);
    answer->ready = answer->csv.size > 0;
    if (!answer->begun) {
        answer->begun = true;
        exchange_answer_parts(exchange, CONTENT_TYPE, next_of_replies, answer);
    } else if (!answer->ready && *answer->after != '\0') {
        ask(exchange, answer); /* no row of this reply fits */
    } else {
        exchange_part_is_ready(exchange);
    }
}

void list_csv_answer_replies(struct exchange *exchange, const struct list_fields *fields,
                             const struct list_replies *replies)
{
    struct replies_answer *answer = arena_new0(exchange_arena(exchange), struct replies_answer);

    answer->fields = *fields;
    answer->replies = *replies;
    ask(exchange, answer);
}
