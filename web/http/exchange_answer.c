/* SPDX-License-Identifier: Apache-2.0 */
/* exchange_answer.c - the answer of an exchange */
#include <string.h>
#include <strings.h>

#include "common/base/monotonic.h"
#include "web/http/exchange_state.h"

static bool has_control_character(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return true;
    return false;
}

void exchange_add_header(struct exchange *exchange, const char *name, const char *value)
{
    struct answer *answer = &exchange->answer;
    size_t at = answer->header_count;

    if (has_control_character(value))
        return;
    for (size_t i = 0; i < answer->header_count; i++)
        if (strcasecmp(exchange->headers[i].name, name) == 0 && strcasecmp(name, "Set-Cookie") != 0)
            at = i;
    if (at == ANSWER_HEADERS_MAX)
        return;
    exchange->headers[at] = (struct name_value){
        arena_strdup(exchange->arena, name),
        arena_strdup(exchange->arena, value),
    };
    answer->header_count += at == answer->header_count;
}

void exchange_answer(struct exchange *exchange, int status, const char *content_type, const void *bytes,
                     size_t size)
{
    struct answer *answer = &exchange->answer;

    if (answer->status != 0)
        return;
    if (content_type != NULL)
        exchange_add_header(exchange, "Content-Type", content_type);
    answer->headers = exchange->headers;
    answer->bytes = size == 0 ? "" : arena_dup(exchange->arena, bytes, size);
    answer->size = size;
    answer->status = status;
    traffic_add(exchange->site->traffic, &exchange->match, status,
                (double)(monotonic_ns() - exchange->begun_ns) / 1e9);
    if (!exchange->ended)
        exchange->answered(exchange->answered_context);
}

void exchange_answer_events(struct exchange *exchange, exchange_event_fn *next, void *context)
{
    if (exchange->answer.status != 0)
        return;
    exchange->answer.is_stream = true;
    exchange->next_event = next;
    exchange->next_event_context = context;
    exchange_answer(exchange, 200, "text/event-stream", NULL, 0);
}

void exchange_answer_parts(struct exchange *exchange, const char *content_type, exchange_part_fn *next,
                           void *context)
{
    if (exchange->answer.status != 0)
        return;
    exchange->answer.is_parts = true;
    exchange->next_part = next;
    exchange->next_part_context = context;
    exchange_answer(exchange, 200, content_type, NULL, 0);
}

void exchange_part_is_ready(struct exchange *exchange)
{
    if (!exchange->ended)
        exchange->answered(exchange->answered_context);
}

/* Returns whether LIST, the value of If-None-Match, contains TAG or "*". TAG includes its quotation marks.
 * Weak tags match, too (RFC 9110, 13.1.2). */
static bool list_has_tag(const char *list, const char *tag)
{
    size_t length = strlen(tag);

    while (*list != '\0') {
        list += strspn(list, ", \t");
        if (*list == '*')
            return true;
        if (list[0] == 'W' && list[1] == '/')
            list += 2;
        if (strncmp(list, tag, length) == 0)
            return true;
        list += strcspn(list, ",");
    }
    return false;
}

bool exchange_is_unchanged(struct exchange *exchange, const char *tag)
{
    const char *known = exchange_header(exchange, "If-None-Match");
    const char *quoted = arena_printf(exchange->arena, "\"%s\"", tag);

    /* The tag is weak, since a response with gzip has other bytes than one without. */
    exchange_add_header(exchange, "ETag", arena_printf(exchange->arena, "W/%s", quoted));
    if (known == NULL || !list_has_tag(known, quoted))
        return false;
    exchange_answer(exchange, 304, NULL, NULL, 0);
    return true;
}

void exchange_refuse(struct exchange *exchange, int status, const char *message)
{
    const struct site *site = exchange->site;

    route_table_of(site->tables, site->table_count, exchange->request.path)
        ->refuse(exchange, status, message);
}
