/* SPDX-License-Identifier: Apache-2.0 */
/* exchange_origin.c - the site that a request comes from, and the address that its client used */
#include "web/http/exchange_origin.h"

#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "web/http/exchange_state.h"

#define REST "/ws/"

static enum cross_origin_match origin_match(struct exchange *exchange)
{
    if (!text_has_prefix(exchange->request.path, REST))
        return CROSS_ORIGIN_NONE;
    return cross_origin_find(exchange->site->cross_origin, exchange_header(exchange, "Origin"));
}

void exchange_allow_origin(struct exchange *exchange)
{
    const struct cross_origin *settings = exchange->site->cross_origin;

    if (origin_match(exchange) == CROSS_ORIGIN_NONE)
        return;
    exchange_add_header(exchange, "Access-Control-Allow-Origin", exchange_header(exchange, "Origin"));
    exchange_add_header(exchange, "Vary", "Accept-Encoding, Origin");
    if (strcmp(exchange->request.method, "OPTIONS") != 0 ||
        exchange_header(exchange, "Access-Control-Request-Method") == NULL)
        return;
    exchange_add_header(exchange, "Access-Control-Allow-Methods", settings->methods);
    exchange_add_header(exchange, "Access-Control-Allow-Headers", settings->headers);
    exchange_add_header(exchange, "Access-Control-Max-Age",
                        arena_printf(exchange->arena, "%lld", (long long)settings->max_age_s));
}

bool exchange_is_cross_site(struct exchange *exchange)
{
    const char *fetch_site = exchange_header(exchange, "Sec-Fetch-Site");
    const char *origin = exchange_header(exchange, "Origin");
    const char *host = exchange_host(exchange);
    const char *origin_host;

    if (origin_match(exchange) == CROSS_ORIGIN_NAMED)
        return false;
    if (fetch_site != NULL && strcmp(fetch_site, "same-origin") != 0 && strcmp(fetch_site, "none") != 0)
        return true;
    if (origin == NULL)
        return false;
    origin_host = strstr(origin, "://");
    return origin_host == NULL || host == NULL || strcasecmp(origin_host + 3, host) != 0;
}

/* Returns the first element of the list in header NAME, which the proxy next to the client has added;
 * NULL: none. */
static const char *first_of_list(struct exchange *exchange, const char *name)
{
    const char *value = exchange_header(exchange, name);

    if (value == NULL)
        return NULL;
    value = text_trim(arena_printf(exchange->arena, "%.*s", (int)strcspn(value, ","), value));
    return *value != '\0' ? value : NULL;
}

void exchange_read_forwarded(struct exchange *exchange)
{
    const struct site *site = exchange->site;
    const char *protocol;

    if (site->is_proxy == NULL || !site->is_proxy(site->proxy_context, exchange->request.peer))
        return;
    protocol = first_of_list(exchange, "X-Forwarded-Proto");
    exchange->forwarded_secure = protocol != NULL && strcasecmp(protocol, "https") == 0;
    exchange->forwarded_host = first_of_list(exchange, "X-Forwarded-Host");
}
