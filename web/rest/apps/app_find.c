/* SPDX-License-Identifier: Apache-2.0 */
/* app_find.c - finds the application, attempt or container in a path, or sends YARN's error */
#include "web/rest/apps/app_find.h"

#include "common/base/text.h"
#include "web/rest/parts/reply.h"

#define BAD_REQUEST "org.apache.hadoop.yarn.webapp.BadRequestException"

/* Sends YARN's error message for TEXT, which is not a valid id of KIND. */
static void refuse_id(struct exchange *exchange, const char *kind, const char *prefix, const char *text)
{
    struct arena *arena = exchange_arena(exchange);
    const char *problem =
        text_has_prefix(text, prefix)
            ? arena_printf(arena, "Invalid %s: %s", kind, text)
            : arena_printf(arena, "Invalid %s prefix: %s%s", kind, text,
                           text_equal(kind, "ApplicationId")
                               ? ". The valid ApplicationId should start with prefix application"
                               : "");

    rest_error(exchange, 400, BAD_REQUEST,
               arena_printf(arena, "java.lang.IllegalArgumentException: %s", problem));
}

const Creel__AppReport *rest_find_app(struct exchange *exchange)
{
    const char *text = exchange_capture(exchange, 0);
    const Creel__AppReport *app;
    char canonical[ID_TEXT_MAX];
    struct app_id id;

    if (!app_id_parse(text, &id)) {
        refuse_id(exchange, "ApplicationId", "application", text);
        return NULL;
    }
    if (!rest_model_is_recent(exchange))
        return NULL;
    app = web_model_app(rest_model(exchange), app_id_format(&id, canonical));
    if (app == NULL)
        rest_not_found(exchange, arena_printf(exchange_arena(exchange), "app with id: %s not found", text));
    return app;
}

bool rest_find_attempt(struct exchange *exchange, const Creel__AppReport *app, struct attempt_id *ret)
{
    const char *text = exchange_capture(exchange, 1);
    struct arena *arena = exchange_arena(exchange);
    struct app_id of;

    if (!attempt_id_parse(text, ret)) {
        refuse_id(exchange, "AppAttemptId", "appattempt", text);
        return false;
    }
    if (app_id_parse(app->app_id, &of) && app_id_compare(&of, &ret->app) == 0 && ret->attempt <= app->attempt)
        return true;
    rest_not_found(
        exchange,
        arena_printf(arena,
                     "org.apache.hadoop.yarn.exceptions."
                     "ApplicationAttemptNotFoundException: ApplicationAttempt with id '%s' doesn't exist "
                     "in RM.",
                     text));
    return false;
}

const char *rest_find_container(struct exchange *exchange, size_t i)
{
    const char *text = exchange_capture(exchange, i);
    struct container_id id;

    if (container_id_parse(text, &id))
        return text;
    refuse_id(exchange, "ContainerId", "container", text);
    return NULL;
}
