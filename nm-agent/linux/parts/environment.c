/* SPDX-License-Identifier: Apache-2.0 */
/* environment.c - builds the environment variables of a command */
#include "nm-agent/linux/parts/environment.h"

#include <string.h>

#include "common/base/mem.h"
#include "nm-agent/linux/parts/paths.h"

static char **find(const struct environment *environment, const char *name, size_t length)
{
    for (size_t i = 0; i < environment->count; i++)
        if (strncmp(environment->entries[i], name, length) == 0 && environment->entries[i][length] == '=')
            return &environment->entries[i];
    return NULL;
}

void environment_put(struct environment *environment, const char *entry)
{
    const char *equals = strchr(entry, '=');
    char **old;

    if (equals == NULL || equals == entry)
        return;
    old = find(environment, entry, (size_t)(equals - entry));
    if (old != NULL) {
        free(*old);
        *old = mem_strdup(entry);
        return;
    }
    mem_grow(environment->entries, environment->count + 1, environment->capacity);
    environment->entries[environment->count++] = mem_strdup(entry);
    environment->entries[environment->count] = NULL;
}

void environment_set(struct environment *environment, const char *name, const char *value)
{
    scoped_free char *entry = mem_printf("%s=%s", name, value);

    environment_put(environment, entry);
}

void environment_pass(struct environment *environment, const char *list, char *const *from)
{
    for (char *const *entry = from; entry && *entry; entry++) {
        scoped_free char *name = mem_strndup(*entry, strcspn(*entry, "="));

        if (paths_list_has(list, name))
            environment_put(environment, *entry);
    }
}

const char *environment_get(const struct environment *environment, const char *name)
{
    char **entry = find(environment, name, strlen(name));

    return entry ? *entry + strlen(name) + 1 : NULL;
}

void environment_clear(struct environment *environment)
{
    for (size_t i = 0; i < environment->count; i++)
        free(environment->entries[i]);
    free(environment->entries);
    *environment = (struct environment){ .entries = NULL };
}
