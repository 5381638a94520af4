/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - parses and checks an HTTP request, or returns an error status */
#include "web/http/request.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "common/base/utf8.h"

/* --- texts ------------------------------------------------------------------ */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_utf8(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    while (*at != '\0') {
        size_t length = utf8_length(at);

        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

/* Decodes the first LENGTH bytes of TEXT. Returns NULL for an invalid "%XX", a zero byte, or invalid
 * UTF-8. */
static const char *decode(struct arena *arena, const char *text, size_t length, bool plus_is_blank)
{
    char *decoded = arena_alloc0(arena, length + 1), *out = decoded;

    for (size_t i = 0; i < length; i++) {
        char c = text[i];

        if (c == '%') {
            int high = length - i > 2 ? hex_digit(text[i + 1]) : -1;
            int low = length - i > 2 ? hex_digit(text[i + 2]) : -1;

            if (high < 0 || low < 0 || high + low == 0)
                return NULL;
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+' && plus_is_blank) {
            c = ' ';
        }
        *out++ = c;
    }
    return is_utf8(decoded) ? decoded : NULL;
}

bool request_parse_pairs(struct arena *arena, const char *text, struct name_value **pairs, size_t *count)
{
    struct name_value *found;
    size_t pieces = 1, n = 0;

    for (const char *at = text; *at != '\0'; at++)
        pieces += *at == '&';
    if (pieces > REQUEST_PARAMETERS_MAX)
        return false;
    found = arena_array0(arena, pieces, sizeof(*found));
    while (*text != '\0') {
        size_t length = strcspn(text, "&"), name_length = strcspn(text, "=&");
        size_t value_at = name_length < length ? name_length + 1 : length;

        if (length > 0) {
            found[n].name = decode(arena, text, name_length, true);
            found[n].value = decode(arena, text + value_at, length - value_at, true);
            if (found[n].name == NULL || found[n].value == NULL)
                return false;
            n++;
        }
        text += length + (text[length] == '&');
    }
    *pairs = found;
    *count = n;
    return true;
}

const char *request_header(struct arena *arena, const struct request *request, const char *name)
{
    const char *value = NULL;

    for (size_t i = 0; i < request->header_count; i++) {
        const struct name_value *header = &request->headers[i];

        if (strcasecmp(header->name, name) == 0)
            value = value == NULL ? header->value : arena_printf(arena, "%s, %s", value, header->value);
    }
    return value;
}

/* --- the request ------------------------------------------------------------ */

/* Returns "/path" for the target "http://host/path" (RFC 9112, 3.2.2), else TARGET. */
static const char *without_authority(const char *target)
{
    static const char *const schemes[] = { "http://", "https://" };

    for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
        if (strncasecmp(target, schemes[i], strlen(schemes[i])) != 0)
            continue;
        target += strlen(schemes[i]);
        target += strcspn(target, "/?");
        return *target == '\0' ? "/" : target;
    }
    return target;
}

/* Returns "/" before each of the decoded SEGMENTS, joined; "/" if there are none. */
static const char *join(struct arena *arena, const char *const *segments, size_t count)
{
    return arena_printf(arena, "/%s", text_builder_join(arena, segments, count, "/"));
}

/* Sets the decoded segments of the first LENGTH bytes of PATH, and the path. Ignores slashes at the end.
 * Returns false if there are too many segments, or one cannot be decoded. */
static bool split_path(struct arena *arena, const char *path, size_t length, struct request *ret)
{
    size_t start = 1;

    while (length > 1 && path[length - 1] == '/')
        length--;
    while (start < length) {
        size_t end = start;

        while (end < length && path[end] != '/')
            end++;
        if (ret->segment_count == ROUTE_SEGMENTS_MAX)
            return false;
        ret->segments[ret->segment_count] = decode(arena, path + start, end - start, false);
        if (ret->segments[ret->segment_count] == NULL)
            return false;
        ret->segment_count++;
        start = end + 1;
    }
    ret->path = join(arena, ret->segments, ret->segment_count);
    return true;
}

static bool is_token(const char *text)
{
    return *text != '\0' && text[strspn(text, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0';
}

static int parse_target(struct arena *arena, const char *target, struct request *ret, const char **message)
{
    size_t path_length;

    if (strlen(target) > REQUEST_TARGET_MAX) {
        *message = "The address of the request is longer than 8192 bytes.";
        return 414;
    }
    for (const char *at = target; *at != '\0'; at++) {
        if ((unsigned char)*at <= ' ' || *at == 0x7f || *at == '#') {
            *message = "The address of the request has a character that must be written as %XX.";
            return 400;
        }
    }
    if (strcmp(target, "*") == 0)
        return 0;
    target = without_authority(target);
    if (*target == '?')
        target = arena_printf(arena, "/%s", target);
    if (*target != '/') {
        *message = "The address of the request does not begin with a slash.";
        return 400;
    }
    path_length = strcspn(target, "?");
    if (!split_path(arena, target, path_length, ret)) {
        *message = "The path is not valid: it has too many parts, or one that is not percent-encoded UTF-8.";
        return 400;
    }
    if (target[path_length] == '?' &&
        !request_parse_pairs(arena, target + path_length + 1, &ret->parameters, &ret->parameter_count)) {
        *message = "The query is not valid: it has more than 256 parameters, or one that is not "
                   "percent-encoded UTF-8.";
        return 400;
    }
    return 0;
}

static size_t count_headers(const struct request_text *text, const char *name)
{
    size_t count = 0;

    for (size_t i = 0; i < text->header_count; i++)
        count += strcasecmp(text->headers[i].name, name) == 0;
    return count;
}

/* Returns true if the body has another transfer coding than "chunked". */
static bool has_other_coding(const struct request_text *text)
{
    for (size_t i = 0; i < text->header_count; i++)
        if (strcasecmp(text->headers[i].name, "Transfer-Encoding") == 0 &&
            strcasecmp(text->headers[i].value, "chunked") != 0)
            return true;
    return false;
}

/* Refuses headers by which two programs could disagree about where the request ends, or to which host it goes
 * (RFC 9112, 3.2, 5.1, 6.1 and 6.3). */
static int check_framing(const struct request_text *text, const char **message)
{
    size_t lengths = count_headers(text, "Content-Length"), hosts = count_headers(text, "Host");

    for (size_t i = 0; i < text->header_count; i++) {
        if (!is_token(text->headers[i].name)) {
            *message = "The name of a header is not valid.";
            return 400;
        }
    }
    if (has_other_coding(text)) {
        *message = "The body has a transfer coding other than chunked.";
        return 501;
    }
    if (lengths > 0 && count_headers(text, "Transfer-Encoding") > 0)
        *message = "The request has both Transfer-Encoding and Content-Length.";
    else if (lengths > 1)
        *message = "The request has more than one header Content-Length.";
    else if (hosts > 1)
        *message = "The request has more than one header Host.";
    else if (hosts == 0 && text->version != NULL && strcmp(text->version, "HTTP/1.0") != 0)
        *message = "The request has no header Host.";
    else
        return 0;
    return 400;
}

static int check_headers(const struct request_text *text, const char **message)
{
    size_t bytes = 0;

    if (text->header_count > REQUEST_HEADERS_MAX) {
        *message = "The request has more than 100 headers.";
        return 431;
    }
    for (size_t i = 0; i < text->header_count; i++)
        bytes += strlen(text->headers[i].name) + strlen(text->headers[i].value);
    if (bytes > REQUEST_HEADER_BYTES_MAX) {
        *message = "The headers of the request are larger than 32 KiB.";
        return 431;
    }
    return check_framing(text, message);
}

bool request_has_valid_headers(const struct request_text *text)
{
    const char *message;

    return check_headers(text, &message) == 0;
}

static const char *message_of(int refused)
{
    if (refused == 413)
        return "The body is larger than 1 MiB.";
    if (refused == 503)
        return "The server has no free connection for your address. Please try again later.";
    if (refused == 431)
        return "The headers of the request need too much memory: it has too many cookies, or other headers.";
    return "The headers of the request are not valid: Content-Length must be a number.";
}

int request_parse(struct arena *arena, const struct request_text *text, struct request *ret,
                  const char **message)
{
    int status;

    *ret = (struct request){
        .method = text->method,
        .target = text->target,
        .path = "/",
        .headers = text->headers,
        .header_count = text->header_count,
        .body = text->body != NULL ? text->body : "",
        .body_size = text->body != NULL ? text->body_size : 0,
        .peer = text->peer != NULL ? text->peer : "",
        .client = text->client != NULL ? text->client
                  : text->peer != NULL ? text->peer
                                       : "",
        .certificate_user =
            text->certificate_user != NULL ? arena_strdup(arena, text->certificate_user) : NULL,
        .certificate_problem = text->certificate_problem,
        .certificate_expires_ms = text->certificate_expires_ms,
    };
    status = parse_target(arena, text->target, ret, message);
    if (status != 0)
        return status;
    if (!is_token(text->method) || strlen(text->method) > 16) {
        *message = "This method is not known.";
        return 501;
    }
    status = check_headers(text, message);
    if (status == 0 && text->refused != 0) {
        *message = message_of(text->refused);
        status = text->refused;
    }
    if (status == 0 && ret->body_size > REQUEST_BODY_MAX) {
        *message = "The body is larger than 1 MiB.";
        status = 413;
    }
    return status;
}

const char *request_cookie(struct arena *arena, const struct request *request, const char *name)
{
    const char *at = request_header(arena, request, "Cookie");
    size_t length = strlen(name);

    while (at != NULL && *at != '\0') {
        size_t part;

        at += strspn(at, "; \t,");
        part = strcspn(at, ";,");
        if (part > length && strncmp(at, name, length) == 0 && at[length] == '=')
            return text_trim(arena_printf(arena, "%.*s", (int)(part - length - 1), at + length + 1));
        at += part;
    }
    return NULL;
}
