/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/http/http_site_fixture.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"

enum { LARGEST = 64 << 20 /* bytes that a request may have made */ };

static void refuse(struct exchange *exchange, int status, const char *message)
{
    const char *text = arena_printf(exchange_arena(exchange), "refused: %s", message);

    exchange_answer(exchange, status, "text/plain", text, strlen(text));
}

static void refuse_page(struct exchange *exchange, int status, const char *message)
{
    const char *text = arena_printf(exchange_arena(exchange), "<p>%s", message);

    exchange_answer(exchange, status, "text/html", text, strlen(text));
}

static void show(struct exchange *exchange)
{
    struct fake_upstream *upstream = exchange_application(exchange);
    struct arena *arena = exchange_arena(exchange);
    const char *name, *value, *capture = exchange_capture(exchange, 0);
    size_t body_size;
    const char *body = exchange_body(exchange, &body_size);
    struct text_builder shown = TEXT_BUILDER_IN(arena);
    const char *text;

    text_builder_printf(&shown, "%s %s user=%s capture=%s body=%zu:%s\n", exchange_method(exchange),
                        exchange_path(exchange), exchange_user(exchange), capture ? capture : "-", body_size,
                        body_size < 100 ? body : "long");
    upstream->parts_at_show = upstream->parts;
    if (strlen(upstream->shown) + 1 < sizeof(upstream->shown))
        strcat(upstream->shown, exchange_path(exchange) + strlen(exchange_path(exchange)) - 1);
    for (size_t i = 0; exchange_each_parameter(exchange, i, &name, &value); i++)
        text_builder_printf(&shown, "%s=%s\n", name, value);
    text = text_builder_finish(&shown);
    exchange_answer(exchange, 200, "text/plain", text, strlen(text));
}

static void tagged(struct exchange *exchange)
{
    if (!exchange_is_unchanged(exchange, "v7"))
        exchange_answer(exchange, 200, "text/plain", "seven", 5);
}

static void answer_reply(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    assert(strcmp(context, "context") == 0);
    exchange_answer(exchange, 200, "text/plain", reply->error->message, strlen(reply->error->message));
}

static void ask(struct exchange *exchange)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;

    query.body_case = CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO;
    query.get_cluster_info = &body;
    exchange_ask(exchange, &query, answer_reply, (void *)(uintptr_t) "context");
}

static void kill_app(struct exchange *exchange)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__KillApp body = CREEL__KILL_APP__INIT;

    query.body_case = CREEL__ENVELOPE__BODY_KILL_APP;
    query.kill_app = &body;
    exchange_ask(exchange, &query, answer_reply, (void *)(uintptr_t) "context");
}

static void silent(struct exchange *exchange)
{
    exchange_add_header(exchange, "X-Split", "a\r\nb");
}

/* Returns the parameter NAME, or FALLBACK if it is absent or not a number of LOWEST to HIGHEST. */
static int64_t number(struct exchange *exchange, const char *name, int64_t lowest, int64_t highest,
                      int64_t fallback)
{
    const char *text = exchange_parameter(exchange, name, 0);
    int64_t value = fallback;

    if (text == NULL || !text_parse_int64(text, &value))
        return fallback;
    return value >= lowest && value <= highest ? value : fallback;
}

static void large(struct exchange *exchange)
{
    const char *type = exchange_parameter(exchange, "type", 0);
    size_t size = (size_t)number(exchange, "size", 0, LARGEST, 0);
    int status = (int)number(exchange, "status", 200, 599, 200);
    char *bytes = mem_alloc0(size);

    for (size_t i = 0; i < size; i++)
        bytes[i] = "abcdefghijklmnop"[i * i % 16];
    exchange_answer(exchange, status, type != NULL ? type : "text/plain", bytes, size);
    free(bytes);
}

static size_t next_event(struct exchange *exchange, void *context, char *text, size_t size)
{
    const struct fake_upstream *upstream = exchange_application(exchange);
    unsigned *seen = context;

    if (upstream->chatty)
        return (size_t)snprintf(text, size, "data:%200u\n\n", 0U);
    if (*seen == upstream->news)
        return 0;
    *seen = upstream->news;
    return (size_t)snprintf(text, size, "data: %u\n\n", *seen);
}

static void events(struct exchange *exchange)
{
    exchange_answer_events(exchange, next_event, arena_new0(exchange_arena(exchange), unsigned));
}

struct counted { /* an answer in parts */
    char text[40000];
    int next, wanted; /* numbers of parts */
    unsigned before;  /* parts of all answers when this one began */
    bool ready;
};

static void continue_parts(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct counted *counted = context;

    (void)reply;
    counted->ready = true;
    exchange_part_is_ready(exchange);
}

/* Every third part needs a reply of the resource manager, unless there is "own". With "cut" the last part
 * fails. With "hold" the answer needs so many bytes until it was sent. The site counts all parts. */
static enum exchange_part next_part(struct exchange *exchange, void *context, const char **bytes,
                                    size_t *size)
{
    struct fake_upstream *upstream = exchange_application(exchange);
    struct counted *counted = context;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;

    if (counted->next == counted->wanted && upstream->parts_until_end == 0)
        upstream->parts_until_end = upstream->parts - counted->before;
    if (counted->next == counted->wanted)
        return exchange_parameter(exchange, "cut", 0) != NULL ? EXCHANGE_PART_FAILED : EXCHANGE_PART_END;
    if (counted->next % 3 == 2 && !counted->ready && exchange_parameter(exchange, "own", 0) == NULL) {
        query.body_case = CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO;
        query.get_cluster_info = &body;
        exchange_ask(exchange, &query, continue_parts, counted);
        return EXCHANGE_PART_LATER;
    }
    counted->ready = false;
    upstream->parts++;
    memset(counted->text, 'a' + counted->next++ % 26, sizeof(counted->text));
    *bytes = counted->text;
    *size = sizeof(counted->text);
    return EXCHANGE_PART;
}

static void parts(struct exchange *exchange)
{
    struct counted *counted = arena_new0(exchange_arena(exchange), struct counted);

    arena_alloc0(exchange_arena(exchange), (size_t)number(exchange, "hold", 0, LARGEST, 0));
    counted->before = ((struct fake_upstream *)exchange_application(exchange))->parts;
    counted->wanted = (int)number(exchange, "parts", 0, INT_MAX, 0);
    exchange_answer_parts(exchange, "text/csv", next_part, counted);
}

static const struct route page_routes[] = {
    { "GET", "/", show },          { "GET", "/show/*", show },      { "GET", "/show/fixed", tagged },
    { "POST", "/show/*", show },   { "PUT", "/show/*/part", show }, { "GET", "/ask", ask },
    { "POST", "/kill", kill_app }, { "GET", "/silent", silent },    { "GET", "/large", large },
    { "GET", "/events", events },  { "GET", "/parts", parts },      { NULL, NULL, NULL },
};
static const struct route rest_routes[] = {
    { "DELETE", "/ws/v1/app/*", show },
    { NULL, NULL, NULL },
};
static const struct route_table tables[] = {
    { page_routes, "/", refuse_page },
    { rest_routes, "/ws/", refuse },
};

static void upstream_receive(void *context, const Creel__Envelope *query, bool authenticated,
                             site_reply_fn *reply, void *reply_context)
{
    struct fake_upstream *upstream = context;

    (void)authenticated;
    upstream->asked = (int)query->body_case;
    snprintf(upstream->user, sizeof(upstream->user), "%s", query->as_user);
    upstream->reply = reply;
    upstream->reply_context = reply_context;
    if (upstream->at_once)
        fake_upstream_reply(upstream, "at once");
}

void fake_upstream_reply(struct fake_upstream *upstream, const char *message)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;
    site_reply_fn *reply = upstream->reply;

    error.message = (char *)(uintptr_t)message;
    envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
    envelope.error = &error;
    upstream->reply = NULL;
    reply(upstream->reply_context, &envelope);
}

/* The token "ann-reads" is of ann, for reading; "away" cannot be checked; others are not valid. */
static void find_token(void *context, const char *token, site_token_reply_fn *reply, void *reply_context)
{
    static const struct site_token found = { "ann", EXCHANGE_READ, 60000 };
    const struct fake_upstream *upstream = context;
    int status = strcmp(token, "away") == 0                               ? 503
                 : strcmp(token, "ann-reads") != 0 || upstream->withdrawn ? 401
                                                                          : 0;

    reply(reply_context, status, status == 0 ? &found : NULL);
}

static enum exchange_scope needs(const Creel__Envelope *query)
{
    return query->body_case == CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO ? EXCHANGE_READ : EXCHANGE_SUBMIT;
}

void http_site_fill(struct site *site, struct fake_upstream *upstream)
{
    *upstream = (struct fake_upstream){ .reply = NULL };
    *site = (struct site){
        .tables = tables,
        .table_count = 2,
        .upstream = upstream_receive,
        .upstream_context = upstream,
        .application = upstream,
        .token = find_token,
        .token_context = upstream,
        .needs = needs,
        .static_user = "dr.who",
    };
}
