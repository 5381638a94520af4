/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - checks of all requests that change the cluster */
#include "web/rest/write/write.h"

#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "web/rest/parts/reply.h"

#define AUTHORIZATION "org.apache.hadoop.security.authorize.AuthorizationException"

/* --- the request ---------------------------------------------------------------- */

bool rest_may_write(struct exchange *exchange)
{
    if (!exchange_is_authenticated(exchange)) {
        if (exchange_accepts_tokens(exchange))
            exchange_add_header(exchange, "WWW-Authenticate", "Bearer realm=\"creel\"");
        rest_error(exchange, 401, AUTHORIZATION,
                   "Unable to obtain user name, user not authenticated: the "
                   "parameter user.name is enough for reading only. See creel.http.auth.");
        return false;
    }
    return rest_model_is_recent(exchange);
}

static bool has_type(const char *type, const char *wanted)
{
    size_t length = strlen(wanted);

    return type != NULL && strncasecmp(type, wanted, length) == 0 && strchr("; \t", type[length]) != NULL;
}

const struct tree *rest_read_body(struct exchange *exchange, const char *root)
{
    const char *type = exchange_header(exchange, "Content-Type");
    struct arena *arena = exchange_arena(exchange);
    struct err err = { .code = 0 };
    struct tree *tree = NULL;
    size_t size;
    const char *body = exchange_body(exchange, &size);
    int result;

    if (has_type(type, "application/json"))
        result = tree_read_json(arena, body, size, root, &tree, &err);
    else if (has_type(type, "application/xml"))
        result = tree_read_xml(arena, body, size, root, &tree, &err);
    else {
        rest_refuse(exchange, 415,
                    "the body must be application/json or application/xml, and Content-Type must "
                    "name which");
        return NULL;
    }
    if (result == 0)
        return tree;
    rest_bad_body(exchange, arena_printf(arena, "the body cannot be read: %s", err.text));
    return NULL;
}

bool rest_tree_int(const struct tree *tree, const char *name, int64_t *value)
{
    const char *text = tree_text(tree, name);

    return text != NULL && text_parse_int64(text, value);
}

/* --- the answer ------------------------------------------------------------------ */

bool rest_write_failed(struct exchange *exchange, const Creel__Envelope *reply, const char *forbidden)
{
    if (reply->body_case != CREEL__ENVELOPE__BODY_ERROR)
        return false;
    if (forbidden != NULL && reply->error->code == CREEL__ERROR_CODE__ERROR_NOT_PERMITTED)
        rest_send_text(exchange, 403, forbidden);
    else
        rest_upstream_error(exchange, reply->error);
    return true;
}
