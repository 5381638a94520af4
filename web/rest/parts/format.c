/* SPDX-License-Identifier: Apache-2.0 */
/* format.c - the format of replies of a REST interface, and errors in YARN's form */
#include "web/rest/parts/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/text.h"
#include "web/rest/parts/accept.h"

#define NOT_FOUND "org.apache.hadoop.yarn.webapp.NotFoundException"
#define BAD_REQUEST "org.apache.hadoop.yarn.webapp.BadRequestException"
#define FORBIDDEN "org.apache.hadoop.yarn.webapp.ForbiddenException"
#define ILLEGAL_ARGUMENT "java.lang.IllegalArgumentException"
#define WEB_APPLICATION "javax.ws.rs.WebApplicationException"
#define UNSUPPORTED "java.lang.UnsupportedOperationException"
#define YARN_EXCEPTION "org.apache.hadoop.yarn.exceptions.YarnException"

#define HOST_MAX 255

/* --- links ------------------------------------------------------------------- */

/* Returns whether TEXT has only characters of a host and port, since TEXT becomes part of links. */
static bool is_host(const char *text)
{
    return text != NULL && *text != '\0' && strlen(text) <= HOST_MAX &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]")] == '\0';
}

const char *rest_base_url(struct exchange *exchange)
{
    const char *host = exchange_host(exchange);

    return arena_printf(exchange_arena(exchange), "%s://%s",
                        exchange_client_is_secure(exchange) ? "https" : "http",
                        is_host(host) ? host : "localhost");
}

/* --- format ------------------------------------------------------------------ */

static const char *content_type(enum accept_format format)
{
    return format == ACCEPT_XML ? "application/xml; charset=utf-8" : "application/json;charset=utf-8";
}

static enum accept_format format_of(const struct exchange *exchange)
{
    return accept_choose(exchange_header(exchange, "Accept"));
}

const char *rest_begin_answer(struct exchange *exchange)
{
    time_t now = time(NULL);
    char date[64];
    struct tm parts;

    exchange_add_header(exchange, "Cache-Control", "no-cache");
    exchange_add_header(exchange, "Pragma", "no-cache");
    if (gmtime_r(&now, &parts) != NULL &&
        strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &parts) > 0)
        exchange_add_header(exchange, "Expires", date);
    return content_type(format_of(exchange));
}

static struct document *begin(struct exchange *exchange, enum accept_format format, const char *root,
                              enum rest_dialect dialect)
{
    static const enum document_form forms[] = {
        [REST_NATURAL] = DOCUMENT_NATURAL,
        [REST_BARE] = DOCUMENT_BARE,
        [REST_MAPPED] = DOCUMENT_MAPPED,
    };
    const char *json = exchange_parameter(exchange, "creel.json", 0);

    if (format == ACCEPT_XML)
        return document_new(DOCUMENT_XML, root);
    if (dialect == REST_MAPPED && text_equal(json, "plain"))
        dialect = REST_BARE;
    return document_new(forms[dialect], root);
}

struct document *rest_begin_plain(struct exchange *exchange, const char *root, enum rest_dialect dialect)
{
    enum accept_format format = format_of(exchange);

    if (format != ACCEPT_NONE)
        return begin(exchange, format, root, dialect);
    rest_error(exchange, 406, WEB_APPLICATION, "answers are application/json or application/xml");
    return NULL;
}

void rest_send(struct exchange *exchange, int status, struct document *document)
{
    size_t size;
    char *text = document_finish(document, &size);

    exchange_answer(exchange, status, rest_begin_answer(exchange), text, size);
    free(text);
}

void rest_send_text(struct exchange *exchange, int status, const char *text)
{
    exchange_answer(exchange, status, rest_begin_answer(exchange), text, strlen(text));
}

/* --- errors ------------------------------------------------------------------ */

void rest_error(struct exchange *exchange, int status, const char *java_class, const char *message)
{
    const char *dot = strrchr(java_class, '.');
    struct document *document = begin(exchange, format_of(exchange), "RemoteException", REST_NATURAL);

    document_text(document, "exception", dot != NULL ? dot + 1 : java_class);
    if (message != NULL)
        document_text(document, "message", message);
    document_text(document, "javaClassName", java_class);
    rest_send(exchange, status, document);
}

static void thrown(struct exchange *exchange, int status, const char *java_class, const char *message)
{
    rest_error(exchange, status, java_class,
               arena_printf(exchange_arena(exchange), "java.lang.Exception: %s", message));
}

void rest_not_found(struct exchange *exchange, const char *message)
{
    thrown(exchange, 404, NOT_FOUND, message);
}

void rest_bad_request(struct exchange *exchange, const char *message)
{
    thrown(exchange, 400, BAD_REQUEST, message);
}

void rest_illegal_argument(struct exchange *exchange, const char *message)
{
    rest_error(exchange, 400, ILLEGAL_ARGUMENT, message);
}

void rest_bad_body(struct exchange *exchange, const char *message)
{
    rest_error(exchange, 400, WEB_APPLICATION, message);
}

void rest_forbidden(struct exchange *exchange, const char *message)
{
    rest_error(exchange, 403, FORBIDDEN, message);
}

void rest_not_implemented(struct exchange *exchange, const char *message)
{
    rest_error(exchange, 501, UNSUPPORTED, message);
}

void rest_upstream_error(struct exchange *exchange, const Creel__Error *error)
{
    switch (error->code) {
    case CREEL__ERROR_CODE__ERROR_NOT_FOUND:
        rest_not_found(exchange, error->message);
        break;
    case CREEL__ERROR_CODE__ERROR_NOT_PERMITTED:
        rest_forbidden(exchange, error->message);
        break;
    case CREEL__ERROR_CODE__ERROR_UNAVAILABLE:
        exchange_add_header(exchange, "Retry-After", "5");
        rest_error(exchange, 503, YARN_EXCEPTION, error->message);
        break;
    case CREEL__ERROR_CODE__ERROR_STORE:
    case CREEL__ERROR_CODE__ERROR_UNKNOWN:
    case CREEL__ERROR_CODE__ERROR_UNSUPPORTED:
        rest_error(exchange, 503, YARN_EXCEPTION, error->message);
        break;
    default:
        rest_bad_request(exchange, error->message);
        break;
    }
}

void rest_refuse(struct exchange *exchange, int status, const char *message)
{
    static const struct {
        int status;
        const char *java_class;
    } classes[] = {
        { 400, BAD_REQUEST }, { 401, FORBIDDEN },      { 403, FORBIDDEN },      { 404, NOT_FOUND },
        { 501, UNSUPPORTED }, { 500, YARN_EXCEPTION }, { 503, YARN_EXCEPTION },
    };

    for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
        if (classes[i].status == status) {
            rest_error(exchange, status, classes[i].java_class, message);
            return;
        }
    }
    rest_error(exchange, status, WEB_APPLICATION, message);
}

/* --- beans ------------------------------------------------------------------- */

const char *rest_begin_beans(struct exchange *exchange)
{
    exchange_add_header(exchange, "Access-Control-Allow-Origin", "*");
    exchange_add_header(exchange, "Access-Control-Allow-Methods", "GET");
    exchange_add_header(exchange, "Cache-Control", "no-cache");
    return "application/json; charset=utf8";
}

static void send_json(struct exchange *exchange, int status, const char *text)
{
    exchange_answer(exchange, status, rest_begin_beans(exchange), text, strlen(text));
}

bool rest_read_beans(struct exchange *exchange, struct bean_question *ret)
{
    static const char no_query[] = "{\n  \"result\" : \"ERROR\",\n"
                                   "  \"message\" : \"query format is not as expected.\"\n}";
    const char *get = exchange_parameter(exchange, "get", 0), *colons;

    *ret = (struct bean_question){ .pattern = exchange_parameter(exchange, "qry", 0) };
    if (get != NULL) {
        colons = strstr(get, "::");
        if (colons == NULL) {
            send_json(exchange, 400, no_query);
            return false;
        }
        ret->pattern = arena_printf(exchange_arena(exchange), "%.*s", (int)(colons - get), get);
        ret->attribute = colons + 2;
    }
    /* (Hadoop answers a pattern that is no ObjectName with an object without members) */
    if (ret->pattern != NULL && *ret->pattern == '\0')
        ret->pattern = NULL;
    if (ret->pattern == NULL || strpbrk(ret->pattern, ":*?") != NULL)
        return true;
    send_json(exchange, 200, "{ }");
    return false;
}

void rest_send_beans(struct exchange *exchange, const struct bean_list *list)
{
    struct bean_question question;
    int status;
    char *text;

    if (!rest_read_beans(exchange, &question))
        return;
    text = bean_list_write(list, &question, &status);
    send_json(exchange, status, text);
    free(text);
}
