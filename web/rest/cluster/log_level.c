/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_level.c - /logLevel: shows and sets the level of the log of creel-web, as Hadoop's servlet does
 *
 * `hadoop daemonlog` reads the lines behind the mark "<!-- OUTPUT -->". creel-web has one level for its whole
 * log, whatever name of a log the request has. Only administrators may set the level: the handler first sends
 * the resource manager a request that it grants only to administrators.
 */
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/reply.h"
#include "web/rest/write/write.h"

#define NAME_MAX_BYTES 255
#define OUTPUT "<!-- OUTPUT -->"
#define PAGE_BEGIN \
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Log Level</title></head>" \
    "<body>\n" \
    "<h1>Log Level</h1>\n"
#define FORM \
    "<form><label>Log: <input name=\"log\" value=\"root\"></label> <input type=\"submit\" " \
    "value=\"Get Log Level\"></form>\n" \
    "<form method=\"post\"><label>Log: <input name=\"log\" value=\"root\"></label> <label>Level: <input " \
    "name=\"level\"></label> <input type=\"submit\" value=\"Set Log Level\"></form>\n"
#define PAGE_END "</body></html>\n"

/* Hadoop's levels, and the level of creel for each. */
static const struct {
    const char *name, *level;
} levels[] = {
    { "ALL", "debug" }, { "TRACE", "debug" }, { "DEBUG", "debug" }, { "INFO", "info" },
    { "WARN", "warn" }, { "ERROR", "error" }, { "FATAL", "error" }, { "OFF", "error" },
};

struct log_request {
    const char *log;
    size_t level; /* index of LEVELS */
};

/* Returns Hadoop's name of creel's level. */
static const char *shown(const char *level)
{
    return text_equal(level, "debug")  ? "DEBUG"
           : text_equal(level, "info") ? "INFO"
           : text_equal(level, "warn") ? "WARN"
                                       : "ERROR";
}

/* Returns whether NAME is valid as the name of a log, that is, of a Java class. It has no character special
 * in HTML. */
static bool is_name(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._$-";
    size_t length = strlen(name);

    return length > 0 && length <= NAME_MAX_BYTES && strspn(name, allowed) == length;
}

static void send_page(struct exchange *exchange, const char *results)
{
    const char *page = arena_printf(exchange_arena(exchange), PAGE_BEGIN FORM "%s" PAGE_END, results);

    exchange_answer(exchange, 200, "text/html;charset=utf-8", page, strlen(page));
}

static void send_level(struct exchange *exchange, const char *log, const char *changed)
{
    const struct web_view *view = exchange_application(exchange);

    send_page(exchange,
              arena_printf(exchange_arena(exchange),
                           "<hr><h2>Results</h2>\n" OUTPUT "Submitted Class Name: <b>%s</b><br>\n%s" OUTPUT
                           "Effective Level: <b>%s</b><br>\n",
                           log, changed, shown(view->log.level())));
}

static void set_level(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const struct web_view *view = exchange_application(exchange);
    const struct log_request *request = context;
    const char *name = levels[request->level].name;

    if (reply->body_case != CREEL__ENVELOPE__BODY_JOIN_LIST) {
        if (!rest_write_failed(exchange, reply, NULL))
            exchange_refuse(exchange, 502, "the resource manager sent another reply than asked for");
        return;
    }
    view->log.set_level(exchange_user(exchange), levels[request->level].level);
    send_level(exchange, request->log,
               arena_printf(exchange_arena(exchange),
                            OUTPUT "Submitted Level: <b>%s</b><br>\n" OUTPUT "Setting Level to %s ...<br>\n",
                            name, name));
}

static void ask_to_set(struct exchange *exchange, const char *log, const char *level)
{
    struct log_request *request = arena_new0(exchange_arena(exchange), struct log_request);
    Creel__ListJoinTokens list = CREEL__LIST_JOIN_TOKENS__INIT;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    if (!rest_may_write(exchange))
        return;
    request->log = log;
    while (request->level < sizeof(levels) / sizeof(levels[0]) &&
           strcasecmp(levels[request->level].name, level) != 0)
        request->level++;
    if (request->level == sizeof(levels) / sizeof(levels[0])) {
        exchange_refuse(exchange, 400, "level: expected one of ALL TRACE DEBUG INFO WARN ERROR FATAL OFF");
        return;
    }
    query.body_case = CREEL__ENVELOPE__BODY_LIST_JOIN_TOKENS;
    query.list_join_tokens = &list;
    exchange_ask(exchange, &query, set_level, request);
}

static void serve(struct exchange *exchange, const char *log, const char *level)
{
    if (log == NULL)
        send_page(exchange, "");
    else if (!is_name(log))
        exchange_refuse(exchange, 400, "log: expected the name of a log, as org.apache.hadoop.yarn, or root");
    else if (level != NULL && *level != '\0')
        ask_to_set(exchange, log, level);
    else
        send_level(exchange, log, "");
}

void servlet_log_level(struct exchange *exchange)
{
    serve(exchange, exchange_parameter(exchange, "log", 0), exchange_parameter(exchange, "level", 0));
}

void servlet_set_log_level(struct exchange *exchange)
{
    const char *log = exchange_form(exchange, "log"), *level = exchange_form(exchange, "level");

    serve(exchange, log != NULL ? log : exchange_parameter(exchange, "log", 0),
          level != NULL ? level : exchange_parameter(exchange, "level", 0));
}
