/* SPDX-License-Identifier: Apache-2.0 */
/* reply.c - begins replies from the model, once it is complete */
#include "web/rest/parts/reply.h"

#include <inttypes.h>

#define YARN_EXCEPTION "org.apache.hadoop.yarn.exceptions.YarnException"

const struct web_model *rest_model(const struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);

    return view->model;
}

bool rest_rm_answers(const struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);

    return web_model_is_complete(view->model) && view->trouble == NULL;
}

bool rest_model_is_complete(struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);
    const char *age = arena_printf(exchange_arena(exchange), "%" PRId64, view->age_ms / 1000);

    if (web_model_is_complete(view->model)) {
        exchange_add_header(exchange, "Age", age);
        return true;
    }
    exchange_add_header(exchange, "Retry-After", "1");
    rest_error(exchange, 503, YARN_EXCEPTION, "creel-web has not received the state of the cluster yet");
    return false;
}

bool rest_model_is_recent(struct exchange *exchange)
{
    const char *stale;

    if (!rest_model_is_complete(exchange))
        return false;
    stale = web_view_stale(exchange_application(exchange), exchange_arena(exchange));
    if (stale == NULL)
        return true;
    exchange_add_header(exchange, "Retry-After", WEB_STALE_RETRY_S);
    rest_error(exchange, 503, YARN_EXCEPTION, stale);
    return false;
}

struct document *rest_begin(struct exchange *exchange, const char *root, enum rest_dialect dialect)
{
    struct document *document = rest_begin_plain(exchange, root, dialect);

    if (document == NULL || rest_model_is_recent(exchange))
        return document;
    document_free(document);
    return NULL;
}
