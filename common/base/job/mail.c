/* SPDX-License-Identifier: Apache-2.0 */
/* mail.c - checks the values of --mail-type and --mail-user, and decides which events cause mail */
#include "common/base/job/mail.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    unsigned types;
} names[] = {
    { "BEGIN", MAIL_BEGIN },
    { "END", MAIL_END },
    { "FAIL", MAIL_FAIL },
    { "ALL", MAIL_BEGIN | MAIL_END | MAIL_FAIL },
    { "NONE", 0 },
    { "REQUEUE", MAIL_OTHER },
    { "INVALID_DEPEND", MAIL_OTHER },
    { "STAGE_OUT", MAIL_OTHER },
    { "TIME_LIMIT", MAIL_OTHER },
    { "TIME_LIMIT_90", MAIL_OTHER },
    { "TIME_LIMIT_80", MAIL_OTHER },
    { "TIME_LIMIT_50", MAIL_OTHER },
    { "ARRAY_TASKS", MAIL_OTHER },
};

bool mail_type_read(const char *text, size_t length, unsigned *types)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strlen(names[i].name) != length || strncasecmp(names[i].name, text, length) != 0)
            continue;
        *types = names[i].types;
        return true;
    }
    return false;
}

bool mail_types_read(const char *text, unsigned *types)
{
    bool none = false;
    size_t count = 0;

    *types = 0;
    for (;; text++) {
        size_t length = strcspn(text, ",");
        unsigned more;

        if (!mail_type_read(text, length, &more))
            return false;
        none = none || more == 0;
        *types |= more;
        count++;
        text += length;
        if (*text == '\0')
            return !none || count == 1;
    }
}

static bool is_valid_user(const char *text, size_t length)
{
    size_t blanks = strspn(text, " ");

    if (blanks >= length || text[blanks] == '-')
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return false;
    return true;
}

bool mail_users_are_valid(const char *text)
{
    if (strlen(text) > MAIL_USERS_BYTES_MAX)
        return false;
    for (;; text++) {
        size_t length = strcspn(text, ",");

        if (!is_valid_user(text, length))
            return false;
        text += length;
        if (*text == '\0')
            return true;
    }
}

bool mail_is_wanted_at_all(const char *types)
{
    unsigned wanted;

    return mail_types_read(types, &wanted) && (wanted & (MAIL_BEGIN | MAIL_END | MAIL_FAIL)) != 0;
}

bool mail_is_wanted(const char *types, const char *event)
{
    unsigned wanted;

    if (*types == '\0' || !mail_types_read(types, &wanted))
        return false;
    if (strcmp(event, "begin") == 0)
        return (wanted & MAIL_BEGIN) != 0;
    if (strcmp(event, "fail") == 0)
        return (wanted & (MAIL_FAIL | MAIL_END)) != 0;
    return (wanted & MAIL_END) != 0;
}
