/* SPDX-License-Identifier: Apache-2.0 */
/* container_lookup.c - finds a container by a shortened id */
#include "client/cli/show/container_lookup.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

bool container_id_matches(const char *full, const char *text)
{
    size_t full_length = strlen(full), length = strlen(text);
    const char *at;

    if (!length || length > full_length)
        return false;
    at = full + full_length - length;
    if (strcmp(at, text) != 0)
        return false;
    /* A match must start at a whole number: "3" matches _000003 but not _000013. */
    while (at > full && isdigit((unsigned char)*text) && at[-1] == '0')
        at--;
    return at == full || !isdigit((unsigned char)*text) || !isdigit((unsigned char)at[-1]);
}

static bool names(const struct creel_container *container, const char *text)
{
    if (*text == '#')
        return !strcmp(container->title, text + 1);
    return container_id_matches(container->id, text);
}

int container_lookup(const struct creel_containers *containers, const char *text,
                     const struct creel_container **ret, struct err *err)
{
    const struct creel_container *found = NULL;

    for (size_t i = 0; i < containers->count; i++) {
        const struct creel_container *container = &containers->items[i];

        if (!names(container, text))
            continue;
        /* Several containers of a repeated task: its last one. */
        if (found && *text != '#')
            return err_set(err, EINVAL, "container %s: could be %s or %s; write more of it", text, found->id,
                           container->id);
        found = container;
    }
    if (!found)
        return err_set(err, ENOENT, "container %s: the application has none of that id", text);
    *ret = found;
    return 0;
}
