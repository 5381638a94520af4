/* SPDX-License-Identifier: Apache-2.0 */
/* exchange_request.c - what handlers read of the request of an exchange */
#include <string.h>
#include <strings.h>

#include "web/http/exchange_state.h"

const char *exchange_method(const struct exchange *exchange)
{
    return strcmp(exchange->request.method, "HEAD") == 0 ? "GET" : exchange->request.method;
}

const char *exchange_path(const struct exchange *exchange)
{
    return exchange->request.path;
}

const char *exchange_target(const struct exchange *exchange)
{
    return exchange->request.target;
}

const char *exchange_capture(const struct exchange *exchange, size_t i)
{
    return i < ROUTE_CAPTURES_MAX ? exchange->match.captures[i] : NULL;
}

const char *exchange_parameter(const struct exchange *exchange, const char *name, size_t i)
{
    for (size_t p = 0; p < exchange->request.parameter_count; p++)
        if (strcmp(exchange->request.parameters[p].name, name) == 0 && i-- == 0)
            return exchange->request.parameters[p].value;
    return NULL;
}

bool exchange_each_parameter(const struct exchange *exchange, size_t i, const char **name, const char **value)
{
    if (i >= exchange->request.parameter_count)
        return false;
    *name = exchange->request.parameters[i].name;
    *value = exchange->request.parameters[i].value;
    return true;
}

const char *exchange_header(const struct exchange *exchange, const char *name)
{
    return request_header(exchange->arena, &exchange->request, name);
}

const char *exchange_cookie(const struct exchange *exchange, const char *name)
{
    return request_cookie(exchange->arena, &exchange->request, name);
}

const char *exchange_body(const struct exchange *exchange, size_t *size)
{
    *size = exchange->request.body_size;
    return exchange->request.body;
}

static void read_form(struct exchange *exchange)
{
    static const char form_type[] = "application/x-www-form-urlencoded";
    const char *type = exchange_header(exchange, "Content-Type");

    exchange->form_is_read = true;
    if (type == NULL || strncasecmp(type, form_type, strlen(form_type)) != 0 ||
        strlen(exchange->request.body) != exchange->request.body_size ||
        !request_parse_pairs(exchange->arena, exchange->request.body, &exchange->form, &exchange->form_count))
        exchange->form_count = 0;
}

const char *exchange_form(struct exchange *exchange, const char *name)
{
    if (!exchange->form_is_read)
        read_form(exchange);
    for (size_t i = 0; i < exchange->form_count; i++)
        if (strcmp(exchange->form[i].name, name) == 0)
            return exchange->form[i].value;
    return NULL;
}

bool exchange_is_secure(const struct exchange *exchange)
{
    return exchange->site->secure;
}

bool exchange_client_is_secure(const struct exchange *exchange)
{
    return exchange->site->secure || exchange->forwarded_secure;
}

const char *exchange_host(const struct exchange *exchange)
{
    return exchange->forwarded_host != NULL ? exchange->forwarded_host : exchange_header(exchange, "Host");
}

const char *exchange_peer(const struct exchange *exchange)
{
    return exchange->request.peer;
}

const char *exchange_client(const struct exchange *exchange)
{
    return exchange->request.client;
}

const char *exchange_certificate(const struct exchange *exchange, const char **problem)
{
    *problem = exchange->request.certificate_problem;
    return exchange->request.certificate_user;
}

int64_t exchange_certificate_expires_ms(const struct exchange *exchange)
{
    return exchange->request.certificate_expires_ms;
}

const char *exchange_user(const struct exchange *exchange)
{
    return exchange->user;
}

bool exchange_is_authenticated(const struct exchange *exchange)
{
    return exchange->authenticated;
}

enum exchange_scope exchange_scope(const struct exchange *exchange)
{
    return exchange->authenticated ? exchange->scope : EXCHANGE_READ;
}

bool exchange_accepts_tokens(const struct exchange *exchange)
{
    return exchange->site->token != NULL;
}

bool exchange_has_token_cookie(const struct exchange *exchange)
{
    return exchange->authenticated && exchange->token_is_cookie;
}

struct arena *exchange_arena(struct exchange *exchange)
{
    return exchange->arena;
}

void *exchange_application(const struct exchange *exchange)
{
    return exchange->site->application;
}
