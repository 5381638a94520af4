/* SPDX-License-Identifier: Apache-2.0 */
/* wire_text.c - checks one string of a message against its kind */
#include "common/io/wire/wire_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/base/id.h"
#include "common/base/text.h"
#include "common/base/utf8.h"
#include "common/io/wire/endpoint.h"
#include "common/io/wire/wire.h"

#define CURVE_KEY_LENGTH 40

static bool is_control(const unsigned char *text, size_t length, bool many_lines)
{
    if (many_lines && (*text == '\n' || *text == '\t'))
        return false;
    /* U+0080 to U+009F can control a terminal, as ESC does. */
    return *text < ' ' || *text == 0x7f || (length == 2 && text[0] == 0xc2 && text[1] < 0xa0);
}

static const char *characters_problem(const char *text, enum wire_text_kind kind)
{
    const unsigned char *at = (const unsigned char *)text;

    for (;;) {
        size_t length;

        while (*at >= ' ' && *at < 0x7f) /* nearly all characters: saves the rest for them */
            at++;
        if (*at == '\0')
            return NULL;
        length = utf8_length(at);
        if (length == 0)
            return "is not valid UTF-8";
        if (kind != WIRE_EXACT && is_control(at, length, kind == WIRE_TEXT))
            return "has a control character in it";
        at += length;
    }
}

static const char *id_problem(enum wire_text_kind kind, const char *text)
{
    struct app_id app;
    struct attempt_id attempt;
    struct container_id container;

    if (*text == '\0')
        return NULL;
    if (kind == WIRE_APP_ID)
        return app_id_parse(text, &app) ? NULL : "is not an application id";
    if (kind == WIRE_ATTEMPT_ID)
        return attempt_id_parse(text, &attempt) ? NULL : "is not an attempt id";
    return container_id_parse(text, &container) ? NULL : "is not a container id";
}

static const char *endpoint_problem(const char *text)
{
    char host[ENDPOINT_HOST_MAX];
    int port;

    if (*text == '\0' || endpoint_parse(text, -1, host, sizeof(host), &port, NULL) == 0)
        return NULL;
    return "is not HOST:PORT";
}

static const char *curve_key_problem(const char *text)
{
    static const char alphabet[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   ".-:+=^!/*?&<>()[]{}@%$#";

    if (*text == '\0' || (strlen(text) == CURVE_KEY_LENGTH && strspn(text, alphabet) == CURVE_KEY_LENGTH))
        return NULL;
    return "is not a CURVE key of 40 characters";
}

size_t wire_text_max(enum wire_text_kind kind)
{
    return kind == WIRE_TEXT || kind == WIRE_EXACT ? WIRE_TEXT_MAX : WIRE_NAME_MAX;
}

const char *wire_text_problem(enum wire_text_kind kind, const char *text)
{
    const char *problem = characters_problem(text, kind);

    if (problem != NULL)
        return problem;
    switch (kind) {
    case WIRE_TEXT:
    case WIRE_EXACT:
    case WIRE_NAME:
        return NULL;
    case WIRE_APP_ID:
    case WIRE_ATTEMPT_ID:
    case WIRE_CONTAINER_ID:
        return id_problem(kind, text);
    case WIRE_ENDPOINT:
        return endpoint_problem(text);
    case WIRE_CURVE_KEY:
        return curve_key_problem(text);
    case WIRE_FILE_NAME:
        return strchr(text, '/') != NULL || strcmp(text, ".") == 0 || strcmp(text, "..") == 0
                   ? "is not a plain file name"
                   : NULL;
    case WIRE_VARIABLE_NAME:
        return strchr(text, '=') != NULL ? "has '=' in it" : NULL;
    }
    return NULL;
}

void wire_text_mend(char *text, size_t most)
{
    unsigned char *at = (unsigned char *)text;

    if (strlen(text) > most)
        memcpy(text + most - 3, "...", 4);
    while (*at != '\0') {
        size_t length = utf8_length(at);

        if (length > 0 && !is_control(at, length, true)) {
            at += length;
            continue;
        }
        for (size_t i = 0; i < (length > 0 ? length : 1); i++)
            at[i] = '?';
        at += length > 0 ? length : 1;
    }
}
