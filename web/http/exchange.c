/* SPDX-License-Identifier: Apache-2.0 */
/* exchange.c - handles one HTTP request from parsing to the response */
#include "web/http/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/monotonic.h"
#include "common/base/text.h"
#include "web/http/basic.h"
#include "web/http/exchange_origin.h"
#include "web/http/exchange_state.h"
#include "web/http/refusal.h"

struct question {
    struct exchange *exchange;
    exchange_reply_fn *then;
    exchange_token_fn *then_token; /* continuation of exchange_check_token; else THEN */
    void *context;
};

/* --- questions -------------------------------------------------------------- */

void exchange_at_end(struct exchange *exchange, void (*end)(void *context), void *context)
{
    struct exchange_ending *ending = arena_new0(exchange->arena, struct exchange_ending);

    *ending = (struct exchange_ending){ end, context, exchange->endings };
    exchange->endings = ending;
}

static void free_if_over(struct exchange *exchange)
{
    if (!exchange->ended || exchange->asked > 0)
        return;
    for (const struct exchange_ending *ending = exchange->endings; ending != NULL; ending = ending->next)
        ending->end(ending->context);
    arena_free(exchange->arena);
    free(exchange);
}

static void require_an_answer(struct exchange *exchange)
{
    if (exchange->answer.status == 0 && exchange->asked == 0 && !exchange->ended)
        exchange_refuse(exchange, 500,
                        "This page gave no answer. That is a defect of creel-web: please report it.");
}

static void handle_reply(void *context, const Creel__Envelope *reply)
{
    struct question *question = context;
    struct exchange *exchange = question->exchange;

    /* (ASKED still includes this query: its continuation may send another one) */
    if (!exchange->ended && (exchange->answer.status == 0 || exchange->answer.is_parts)) {
        int64_t begun_ns = monotonic_ns();

        question->then(exchange, question->context, reply);
        exchange->work_ns += monotonic_ns() - begun_ns;
    }
    exchange->asked--;
    free(question);
    require_an_answer(exchange);
    free_if_over(exchange);
}

static struct question *question_new(struct exchange *exchange, exchange_reply_fn *then, void *context)
{
    struct question *question = mem_new0(struct question);

    question->exchange = exchange;
    question->then = then;
    question->context = context;
    exchange->asked++;
    return question;
}

static void refuse_scope(struct question *question, enum exchange_scope needed)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    error.code = CREEL__ERROR_CODE__ERROR_NOT_PERMITTED;
    error.message = (char *)(uintptr_t)refusal_of_scope(needed, question->exchange->site->password != NULL);
    envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
    envelope.error = &error;
    handle_reply(question, &envelope);
}

void exchange_ask(struct exchange *exchange, const Creel__Envelope *query, exchange_reply_fn *then,
                  void *context)
{
    const struct site *site = exchange->site;
    struct question *question = question_new(exchange, then, context);
    enum exchange_scope needed = site->needs != NULL ? site->needs(query) : EXCHANGE_READ;
    Creel__Envelope asked = *query;

    /* (the upstream refuses changes of an unauthenticated user) */
    if (exchange->authenticated && exchange->scope < needed) {
        refuse_scope(question, needed);
        return;
    }
    asked.as_user = arena_strdup(exchange->arena, exchange->user);
    site->upstream(site->upstream_context, &asked, exchange->authenticated, handle_reply, question);
}

void exchange_ask_agent(struct exchange *exchange, const char *address, const char *key,
                        const Creel__Envelope *query, exchange_reply_fn *then, void *context)
{
    const struct site *site = exchange->site;
    struct question *question = question_new(exchange, then, context);

    site->agent(site->agent_context, address, key, query, handle_reply, question);
}

/* --- access tokens ----------------------------------------------------------- */

static void handle_token(void *context, int status, const struct site_token *found)
{
    struct question *question = context;
    struct exchange *exchange = question->exchange;

    if (!exchange->ended && exchange->answer.status == 0)
        question->then_token(exchange, question->context, status, status == 0 ? found->left_ms : 0);
    exchange->asked--;
    free(question);
    require_an_answer(exchange);
    free_if_over(exchange);
}

void exchange_check_token(struct exchange *exchange, const char *token, exchange_token_fn *then,
                          void *context)
{
    struct question *question = question_new(exchange, NULL, context);

    question->then_token = then;
    exchange->site->token(exchange->site->token_context, token, handle_token, question);
}

/* Returns the access token in the header Authorization, else in the cookie; NULL: none. Sets
 * token_is_cookie. */
static const char *find_token(struct exchange *exchange)
{
    const char *header = exchange_header(exchange, "Authorization");
    const char *token;

    if (header != NULL && strncasecmp(header, "Bearer ", 7) == 0)
        return text_trim(arena_strdup(exchange->arena, header + 7));
    token = exchange_cookie(exchange, EXCHANGE_TOKEN_COOKIE);
    exchange->token_is_cookie = token != NULL;
    return token;
}

/* --- the site --------------------------------------------------------------- */

static bool is_safe_method(const char *method)
{
    return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 || strcmp(method, "OPTIONS") == 0;
}

/* Sets the user of the request. Returns 0, or the HTTP status of the refusal and its message. */
static int find_user(struct exchange *exchange, const char **reason)
{
    const struct site *site = exchange->site;
    const char *claimed;

    if (site->identify != NULL)
        return site->identify(site->identify_context, exchange, &exchange->user, &exchange->authenticated,
                              reason);
    claimed = exchange_parameter(exchange, "user.name", 0);
    exchange->user = claimed != NULL && *claimed != '\0' ? claimed : site->static_user;
    return 0;
}

static void run_handler(struct exchange *exchange)
{
    int64_t begun_ns = monotonic_ns();

    if (!exchange->ended)
        exchange->match.fn(exchange);
    exchange->work_ns += monotonic_ns() - begun_ns;
    exchange->asked--;
    require_an_answer(exchange);
    free_if_over(exchange);
}

/* The model is up to date. If others have waited for it too, the handler waits for its turn. */
static void prepared(void *context)
{
    struct exchange *exchange = context;

    if (exchange->serving || exchange->ended) {
        run_handler(exchange);
        return;
    }
    exchange->waits = true;
    exchange->answered(exchange->answered_context);
}

/* Returns the first parameter NAME, in upper or lower case; NULL: none. */
static const char *parameter_of_any_case(struct exchange *exchange, const char *wanted)
{
    const char *name, *value;

    for (size_t i = 0; exchange_each_parameter(exchange, i, &name, &value); i++)
        if (strcasecmp(name, wanted) == 0)
            return value;
    return NULL;
}

/* If the parameter doAs names another user, and the authenticated user may act for that user, the request is
 * of the user in doAs, as in Hadoop. Returns false after a refusal. */
static bool act_for(struct exchange *exchange)
{
    const struct site *site = exchange->site;
    const char *other = parameter_of_any_case(exchange, "doAs");

    if (site->may_act_for == NULL || !exchange->authenticated || other == NULL || *other == '\0' ||
        strcmp(other, exchange->user) == 0)
        return true;
    if (!site->may_act_for(site->act_context, exchange->user, other)) {
        exchange_refuse(exchange, 403,
                        arena_printf(exchange->arena,
                                     "User: %s is not allowed to impersonate %s (creel.security.proxy-users)",
                                     exchange->user, other));
        return false;
    }
    exchange->user = other;
    return true;
}

/* Updates the model, then runs the handler. Meanwhile the preparation counts as an unanswered query. */
static void prepare(struct exchange *exchange)
{
    const struct site *site = exchange->site;

    if (!act_for(exchange))
        return;
    exchange->asked++;
    if (site->prepare != NULL)
        site->prepare(site->prepare_context, prepared, exchange);
    else
        run_handler(exchange);
}

static void count_refused(struct exchange *exchange, int status)
{
    if (status == 401)
        traffic_add_refused(exchange->site->traffic);
}

/* Continues after the check of the access token. A request with a token in its cookie that is not valid, or
 * cannot be checked, is served as unauthenticated: the page then has a link to sign in. A token in the header
 * Authorization is refused instead. */
static void identified(void *context, int status, const struct site_token *found)
{
    struct exchange *exchange = context;

    exchange->authenticated = status == 0;
    if (status == 0) {
        exchange->token = arena_strdup(exchange->arena, find_token(exchange));
        exchange->user = arena_strdup(exchange->arena, found->user);
        exchange->scope = found->scope;
    } else if (!exchange->token_is_cookie && !exchange->ended) {
        count_refused(exchange, status);
        if (status == 401)
            exchange_add_header(exchange, "WWW-Authenticate",
                                "Bearer realm=\"creel\", error=\"invalid_token\"");
        else
            exchange_add_header(exchange, "Retry-After", "5");
        exchange_refuse(exchange, status,
                        status == 401
                            ? "The token is not valid, or has expired: creel token create makes another one."
                            : "The token cannot be checked: the resource manager does not answer.");
    }
    if (!exchange->ended && exchange->answer.status == 0)
        prepare(exchange);
    exchange->asked--;
    require_an_answer(exchange);
    free_if_over(exchange);
}

static void refuse_password(struct exchange *exchange, int status)
{
    struct refusal refusal = refusal_of_password(status);

    exchange_add_header(exchange, refusal.header, refusal.value);
    exchange_refuse(exchange, status, refusal.message);
}

/* Continues after the check of user and password. */
static void signed_in(void *context, int status, const struct site_token *found)
{
    struct exchange *exchange = context;

    if (!exchange->ended) {
        exchange->authenticated = status == 0;
        if (status == 0) {
            exchange->user = arena_strdup(exchange->arena, found->user);
            exchange->scope = found->scope;
            prepare(exchange);
        } else {
            count_refused(exchange, status);
            refuse_password(exchange, status);
        }
    }
    exchange->asked--;
    require_an_answer(exchange);
    free_if_over(exchange);
}

/* Checks user and password of the header Authorization. */
static void check_password(struct exchange *exchange)
{
    const struct site *site = exchange->site;
    const char *header = exchange_header(exchange, "Authorization");
    struct basic basic;

    if (header == NULL || !basic_read(header, &basic)) {
        refuse_password(exchange, 401);
        return;
    }
    exchange->asked++; /* until signed_in() has run */
    site->password(site->password_context, exchange_client(exchange), basic.user, basic.password, signed_in,
                   exchange);
    explicit_bzero(&basic, sizeof(basic));
}

static void begin(struct exchange *exchange)
{
    const struct site *site = exchange->site;
    const char *token = site->token != NULL ? find_token(exchange) : NULL;
    const char *reason = NULL;
    int status = find_user(exchange, &reason);

    if (status != 0) {
        exchange_refuse(exchange, status, reason);
    } else if (site->password != NULL && !exchange->authenticated) {
        check_password(exchange);
    } else if (token != NULL && (!exchange->authenticated || !exchange->token_is_cookie)) {
        exchange->asked++; /* until identified() has run */
        site->token(site->token_context, token, identified, exchange);
    } else {
        exchange->token_is_cookie = false;
        prepare(exchange);
    }
}

static void dispatch(struct exchange *exchange)
{
    const struct site *site = exchange->site;
    struct request *request = &exchange->request;
    struct route_match *match = &exchange->match;
    const char *ignored;

    route_find(site->tables, site->table_count, request->method, request->segments, request->segment_count,
               match);
    if (strcmp(request->target, "*") == 0)
        snprintf(match->allow, sizeof(match->allow), "GET, HEAD, OPTIONS");
    exchange_allow_origin(exchange);
    if (match->fn == NULL)
        find_user(exchange,
                  &ignored); /* its answer names the user in a cookie, too: clients ask any address for it */
    if (match->fn == NULL && *match->allow != '\0') {
        exchange_add_header(exchange, "Allow", match->allow);
        if (strcmp(request->method, "OPTIONS") == 0)
            exchange_answer(exchange, 204, NULL, NULL, 0);
        else
            exchange_refuse(exchange, 405,
                            arena_printf(exchange->arena,
                                         "The method %s is not allowed for this address. "
                                         "Allowed: %s.",
                                         request->method, match->allow));
        return;
    }
    if (match->fn == NULL) {
        exchange_refuse(exchange, 404, arena_printf(exchange->arena, "There is no page %s.", request->path));
        return;
    }
    if (!is_safe_method(request->method) && exchange_is_cross_site(exchange)) {
        exchange_refuse(exchange, 403, "A page of another site may not change anything here.");
        return;
    }
    begin(exchange);
}

struct exchange *site_serve(const struct site *site, const struct request_text *text,
                            site_answered_fn *answered, void *context)
{
    struct exchange *exchange = mem_new0(struct exchange);
    const char *message = NULL;
    int status;

    exchange->site = site;
    exchange->begun_ns = monotonic_ns();
    exchange->arena = arena_new();
    exchange->user = site->static_user;
    exchange->scope = EXCHANGE_ADMIN; /* of a user authenticated without a token */
    exchange->answered = answered;
    exchange->answered_context = context;
    exchange->serving = true;
    status = request_parse(exchange->arena, text, &exchange->request, &message);
    if (status == 0)
        exchange_read_forwarded(exchange);
    if (status != 0) { /* (what follows on the connection may be a part of this request) */
        exchange_add_header(exchange, "Connection", "close");
        if (status == 503)
            exchange_add_header(exchange, "Retry-After", "5");
        exchange_refuse(exchange, status, message);
    } else {
        dispatch(exchange);
    }
    require_an_answer(exchange);
    exchange->serving = false;
    return exchange;
}

bool site_waits(const struct exchange *exchange)
{
    return exchange->waits;
}

void site_continue(struct exchange *exchange)
{
    exchange->waits = false;
    run_handler(exchange);
}

void site_note_work(const struct exchange *exchange, int64_t ns)
{
    traffic_add_work(exchange->site->traffic, &exchange->match, exchange->work_ns + ns);
}

const struct answer *site_answer(const struct exchange *exchange)
{
    return exchange->answer.status != 0 ? &exchange->answer : NULL;
}

size_t site_memory(const struct exchange *exchange)
{
    return sizeof(*exchange) + arena_bytes(exchange->arena);
}

size_t site_event(struct exchange *exchange, char *text, size_t size)
{
    return exchange->next_event(exchange, exchange->next_event_context, text, size);
}

enum exchange_part site_part(struct exchange *exchange, const char **bytes, size_t *size)
{
    return exchange->next_part(exchange, exchange->next_part_context, bytes, size);
}

static void handle_check(void *context, int status, const struct site_token *found)
{
    struct exchange *exchange = context;

    (void)found;
    exchange->withdrawn = exchange->withdrawn || status == 401;
    exchange->asked--;
    free_if_over(exchange);
}

void site_check_again(struct exchange *exchange)
{
    const struct site *site = exchange->site;

    if (exchange->token == NULL || exchange->asked > 0)
        return;
    exchange->asked++;
    site->token(site->token_context, exchange->token, handle_check, exchange);
}

bool site_may_continue(const struct exchange *exchange)
{
    return !exchange->withdrawn;
}

void site_end(struct exchange *exchange)
{
    if (exchange == NULL)
        return;
    exchange->ended = true;
    if (exchange->waits)
        site_continue(exchange); /* (which only ends it) */
    else
        free_if_over(exchange);
}
