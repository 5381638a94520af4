/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c - reads the key creel.security.identity */
#include "common/conf/identity.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SEPARATORS ", \t\n"

static const char *const names[IDENTITY_METHODS] = {
    [IDENTITY_CERTIFICATE] = "certificate",
    [IDENTITY_MUNGE] = "munge",
};

bool identity_has(const struct identity *identity, enum identity_method method)
{
    for (size_t i = 0; i < identity->count; i++)
        if (identity->methods[i] == method)
            return true;
    return false;
}

/* Adds the method that the LENGTH bytes at WORD name. Returns false if they name none, or one that IDENTITY
 * has. */
static bool add_word(struct identity *identity, const char *word, size_t length)
{
    for (enum identity_method method = IDENTITY_CERTIFICATE; method <= IDENTITY_MUNGE; method++) {
        if (strlen(names[method]) != length || strncasecmp(names[method], word, length) != 0)
            continue;
        if (identity_has(identity, method))
            return false;
        identity->methods[identity->count++] = method;
        return true;
    }
    return false;
}

int identity_read(const struct conf *conf, struct identity *ret, struct err *err)
{
    const char *key = conf_key_info(CONF_IDENTITY)->name;
    const char *at = conf_text(conf, CONF_IDENTITY);
    struct identity found = { .count = 0 };

    for (at += strspn(at, SEPARATORS); *at != '\0'; at += strspn(at, SEPARATORS)) {
        size_t length = strcspn(at, SEPARATORS);

        if (!add_word(&found, at, length))
            return err_set(err, EINVAL, "%s: %.*s: expected certificate, munge, or both with a comma", key,
                           (int)length, at);
        at += length;
    }
    if (found.count == 0)
        return err_set(err, EINVAL, "%s: is empty: expected certificate, munge, or both with a comma", key);
    *ret = found;
    return 0;
}

const char *identity_describe(const struct identity *identity, char text[64])
{
    snprintf(text, 64, "%s%s%s", names[identity->methods[0]], identity->count > 1 ? " and " : "",
             identity->count > 1 ? names[identity->methods[1]] : "");
    return text;
}
