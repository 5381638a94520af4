/* SPDX-License-Identifier: Apache-2.0 */
/* basic.c - reads user and password of HTTP Basic authentication */
#include "web/http/basic.h"

#include <sodium.h>
#include <string.h>
#include <strings.h>

#include "common/base/utf8.h"

#define SCHEME "Basic "

/* Returns whether HEADER, the value of Authorization, has the scheme Basic. */
static bool basic_is_scheme(const char *header)
{
    return strncasecmp(header, SCHEME, strlen(SCHEME)) == 0;
}

static bool has_control_character(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return true;
    return false;
}

/* Returns whether the resource manager accepts the LENGTH bytes of NAME as the name of a user. */
static bool is_user_name(const char *name, size_t length)
{
    for (size_t at = 0, step; at < length; at += step)
        if ((step = utf8_length_within((const unsigned char *)name + at, length - at)) == 0)
            return false;
    return memchr(name, ' ', length) == NULL && memchr(name, ',', length) == NULL;
}

/* Splits the LENGTH bytes of PAIR, "user:password". */
static bool split(const char *pair, size_t length, struct basic *ret)
{
    const char *colon = memchr(pair, ':', length);
    size_t user = colon != NULL ? (size_t)(colon - pair) : 0;
    size_t password = colon != NULL ? length - user - 1 : 0;

    if (user == 0 || user >= sizeof(ret->user) || password >= sizeof(ret->password) ||
        has_control_character(pair, length) || !is_user_name(pair, user))
        return false;
    memcpy(ret->user, pair, user);
    memcpy(ret->password, colon + 1, password);
    return true;
}

bool basic_read(const char *header, struct basic *ret)
{
    char pair[BASIC_USER_BYTES + BASIC_PASSWORD_BYTES];
    size_t length = 0;
    bool valid;

    *ret = (struct basic){ 0 };
    if (!basic_is_scheme(header))
        return false;
    header += strlen(SCHEME);
    header += strspn(header, " ");
    valid = sodium_base642bin((unsigned char *)pair, sizeof(pair), header, strcspn(header, " \t"), NULL,
                              &length, NULL, sodium_base64_VARIANT_ORIGINAL) == 0 &&
            split(pair, length, ret);
    explicit_bzero(pair, sizeof(pair));
    return valid;
}
