/* SPDX-License-Identifier: Apache-2.0 */
/* conf_arguments.c - values of the options of `yarn schedulerconf` as edits */
#include "client/yarn/conf_arguments.h"

#include <errno.h>
#include <string.h>

#include "common/base/mem.h"

/* Returns the text up to the next comma that has no backslash before it, removes backslashes from the text,
 * and moves *REST behind the comma. NULL at the end. */
static char *next_setting(char **rest)
{
    char *start = *rest, *to = start, *at = start;

    if (start == NULL)
        return NULL;
    for (; *at != '\0' && *at != ','; at++) {
        if (*at == '\\' && at[1] == ',')
            at++;
        if (*at != '\\')
            *to++ = *at;
    }
    *rest = *at != '\0' ? at + 1 : NULL;
    *to = '\0';
    return start;
}

/* Adds the settings of TEXT, which it changes, to the edit at INDEX. */
static int parse_settings(struct conf_edits *edits, size_t index, char *text, struct err *err)
{
    char *rest = text, *setting;

    while ((setting = next_setting(&rest)) != NULL) {
        char *equals = strchr(setting, '=');

        if (equals == NULL || equals == setting || strchr(equals + 1, '=') != NULL)
            return err_set(err, EINVAL, "\"%s\": Specify configuration key value as confKey=confVal.",
                           setting);
        *equals = '\0';
        conf_edits_set(edits, index, setting, equals + 1);
    }
    return 0;
}

int conf_arguments_queues(struct conf_edits *edits, enum creel_conf_edit_kind kind, const char *text,
                          struct err *err)
{
    scoped_free char *copy = mem_strdup(text);
    char *rest = copy, *queue;

    while ((queue = strsep(&rest, ";")) != NULL) {
        char *settings = queue;
        size_t index;
        int r = 0;

        if (*queue == '\0' && rest == NULL)
            break; /* behind the last semicolon */
        strsep(&settings, ":");
        index = conf_edits_add(edits, kind, queue);
        if (settings != NULL && *settings != '\0')
            r = parse_settings(edits, index, settings, err);
        if (r < 0)
            return r;
    }
    return 0;
}

void conf_arguments_removed(struct conf_edits *edits, const char *text)
{
    scoped_free char *copy = mem_strdup(text);
    char *rest = copy, *queue;

    while ((queue = strsep(&rest, ";")) != NULL)
        if (*queue != '\0' || rest != NULL)
            conf_edits_add(edits, CREEL_CONF_REMOVE_QUEUE, queue);
}

int conf_arguments_global(struct conf_edits *edits, const char *text, struct err *err)
{
    scoped_free char *copy = mem_strdup(text);

    return parse_settings(edits, conf_edits_add(edits, CREEL_CONF_SET_SCHEDULER, NULL), copy, err);
}
