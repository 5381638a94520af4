/* SPDX-License-Identifier: Apache-2.0 */
/* leftovers.c - names the files that a command left in its scratch directory, which will be removed */
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "nm-agent/linux/shim/shim.h"

#define NAMED_MAX 5
#define NAME_SHOWN_MAX 40

static bool is_own(const struct plan *plan, const char *name)
{
    if (!strcmp(name, ".") || !strcmp(name, ".."))
        return true;
    for (const char *const *own = plan->own_names; own && *own; own++)
        if (!strcmp(*own, name))
            return true;
    return false;
}

/* Writes the name of ENTRY to SHOWN, with a '?' for each control character; cut if it is long. */
static void show_name(const struct dirent *entry, char shown[NAME_SHOWN_MAX + 8])
{
    size_t length = strnlen(entry->d_name, NAME_SHOWN_MAX);

    for (size_t i = 0; i < length; i++)
        shown[i] = iscntrl((unsigned char)entry->d_name[i]) ? '?' : entry->d_name[i];
    snprintf(shown + length, 8, "%s%s", entry->d_name[length] ? "..." : "",
             entry->d_type == DT_DIR ? "/" : "");
}

void leftovers_name(const struct plan *plan, struct container_end *record)
{
    DIR *directory = plan->launch.name_leftovers ? opendir(plan->scratch) : NULL;
    char names[NAMED_MAX * (NAME_SHOWN_MAX + 12)] = "";
    size_t used = 0;
    unsigned count = 0;
    struct dirent *entry;
    char more[32] = "";

    while (directory && (entry = readdir(directory)) != NULL) {
        char shown[NAME_SHOWN_MAX + 8];

        if (is_own(plan, entry->d_name) || count++ >= NAMED_MAX)
            continue;
        show_name(entry, shown);
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "", shown);
    }
    if (directory)
        closedir(directory);
    if (count == 0)
        return;
    if (count > NAMED_MAX)
        snprintf(more, sizeof(more), " and %u more", count - NAMED_MAX);
    record_add(record, "Left in the scratch directory, which is removed: %s%s", names, more);
}
