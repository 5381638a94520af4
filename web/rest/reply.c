/* SPDX-License-Identifier: Apache-2.0 */
/* reply.c - begins replies from the model, once it is complete */
#include "web/rest/reply.h"

#define YARN_EXCEPTION "org.apache.hadoop.yarn.exceptions.YarnException"

const struct web_model *rest_model(const struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);

    return view->model;
}

bool rest_model_is_complete(struct exchange *exchange)
{
    if (web_model_is_complete(rest_model(exchange)))
        return true;
    exchange_add_header(exchange, "Retry-After", "1");
    rest_error(exchange, 503, YARN_EXCEPTION, "creel-web has not received the state of the cluster yet");
    return false;
}

struct document *rest_begin(struct exchange *exchange, const char *root, enum rest_dialect dialect)
{
    struct document *document = rest_begin_plain(exchange, root, dialect);

    if (document == NULL || rest_model_is_complete(exchange))
        return document;
    document_free(document);
    return NULL;
}
