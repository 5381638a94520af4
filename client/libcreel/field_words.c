/* SPDX-License-Identifier: Apache-2.0 */
/* field_words.c - names fields of messages by the words of the user */
#include "client/libcreel/field_words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/job/job_field.h"
#include "common/base/text.h"

#define JOB "submit_app.job."
#define LAUNCH JOB "launch."
#define TEST "test_app.job." /* the same job in another message */
#define PATH_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789_.[]"

/* Fields with code of their own. PATH ends with "[": the index follows. */
static const struct {
    const char *path, *before_index, *after_index; /* AFTER_INDEX NULL: the index is not named */
    unsigned long first;                           /* the number of the first one */
} fields[] = {
    { JOB "name", "--name", NULL, 0 },
    { JOB "tags[", "--tag ", "", 1 },
    { JOB "resource.memory_mb", "--memory", NULL, 0 },
    { JOB "resource.vcores", "--vcores", NULL, 0 },
    { JOB "resource.others[", "--resource ", "", 1 },
    { JOB "task_count", "--count", NULL, 0 },
    { LAUNCH "command[", "argument ", " (the command is argument 0)", 0 },
    { LAUNCH "command", "the number of arguments", NULL, 0 },
    { LAUNCH "environment[", "variable ", " (--env)", 1 },
    { LAUNCH "environment", "the number of variables (--env)", NULL, 0 },
    { LAUNCH "files[", "file ", " (--file)", 1 },
    { LAUNCH "files", "the number of files (--file)", NULL, 0 },
};

/* The fields of the table of jobs. */
static const struct {
    const char *member, *option;
} options[] = {
#define ROW(member, kind, letter, option, ...) { #member, option },
    JOB_FIELDS(ROW)
#undef ROW
};

static bool words_of_field(const char *path, char *words, size_t size)
{
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        const char *rest = path + strlen(fields[i].path);

        if (!text_has_prefix(path, fields[i].path) || (!fields[i].after_index && *rest))
            continue;
        if (fields[i].after_index)
            snprintf(words, size, "%s%lu%s", fields[i].before_index,
                     fields[i].first + strtoul(rest, NULL, 10), fields[i].after_index);
        else
            snprintf(words, size, "%s", fields[i].before_index);
        return true;
    }
    return false;
}

static bool words_of_option(const char *path, char *words, size_t size)
{
    const char *member = text_has_prefix(path, LAUNCH) ? path + strlen(LAUNCH) : path + strlen(JOB);

    if (!text_has_prefix(path, JOB))
        return false;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        if (!strcmp(member, options[i].member)) {
            snprintf(words, size, "--%s", options[i].option);
            return true;
        }
    return false;
}

void field_words_replace(struct err *err)
{
    size_t length = err ? strspn(err->text, PATH_CHARACTERS) : 0;
    char path[256], words[256];
    const char *last;
    struct err rest;

    if (length == 0 || length >= sizeof(path) || err->text[length] != ':' || !memchr(err->text, '.', length))
        return;
    if (text_has_prefix(err->text, TEST))
        snprintf(path, sizeof(path), JOB "%.*s", (int)(length - strlen(TEST)), err->text + strlen(TEST));
    else
        snprintf(path, sizeof(path), "%.*s", (int)length, err->text);
    if (!words_of_field(path, words, sizeof(words)) && !words_of_option(path, words, sizeof(words))) {
        last = strrchr(path, '.') + 1;
        snprintf(words, sizeof(words), "%.*s", (int)strcspn(last, "["), last);
        for (char *at = words; *at; at++)
            *at = *at == '_' ? ' ' : *at;
    }
    rest = *err;
    err_set(err, rest.code, "%s%s", words, rest.text + length);
}

int field_words_end(int r, struct err *err)
{
    if (r != -EBADMSG && r != -EMSGSIZE)
        return r;
    field_words_replace(err);
    return -EINVAL;
}
