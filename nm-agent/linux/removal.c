/* SPDX-License-Identifier: Apache-2.0 */
/* removal.c - removes directory trees of any size, with a limited time in each call */
#include "nm-agent/linux/removal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/tree.h"

#define REMOVE_MS \
    20 /* time limit of one call, since other containers wait for the
          agent */

/* Removes a directory that has only an empty "tmp", as most containers leave it. Returns false if it has
 * more. */
static bool remove_bare(const char *path)
{
    scoped_free char *tmp = NULL;

    if (rmdir(path) == 0 || errno == ENOENT)
        return true;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return false;
    tmp = mem_printf("%s/tmp", path);
    return rmdir(tmp) == 0 && rmdir(path) == 0;
}

void removal_start(struct runtime *runtime, const char *path)
{
    struct removal *removal;

    if (remove_bare(path) || tree_remove_until(path, monotonic_ms() + REMOVE_MS) != -EAGAIN)
        return;
    TAILQ_FOREACH(removal, &runtime->removals, link)
        if (strcmp(removal->path, path) == 0)
            return;
    removal = mem_new0(struct removal);
    removal->path = mem_strdup(path);
    TAILQ_INSERT_TAIL(&runtime->removals, removal, link);
    runtime->removal_due_ms = monotonic_ms();
}

static void drop(struct runtime *runtime, struct removal *removal)
{
    TAILQ_REMOVE(&runtime->removals, removal, link);
    free(removal->path);
    free(removal);
}

void removal_cancel(struct runtime *runtime, const char *path)
{
    struct removal *removal;

    TAILQ_FOREACH(removal, &runtime->removals, link) {
        if (strcmp(removal->path, path) != 0)
            continue;
        drop(runtime, removal); /* a path is in the list only once */
        return;
    }
}

/* Removes the empty parents of PATH, .../usercache/<user>/appcache/<app>/<container>. */
static void remove_above(char *path)
{
    for (int i = 0; i < 3 && strstr(path, "/usercache/") != NULL; i++) {
        *strrchr(path, '/') = '\0';
        rmdir(path);
    }
}

void removal_go_on(struct runtime *runtime, int64_t now_ms)
{
    struct removal *removal = TAILQ_FIRST(&runtime->removals);

    if (removal == NULL || now_ms < runtime->removal_due_ms)
        return;
    if (tree_remove_until(removal->path, now_ms + REMOVE_MS) == -EAGAIN) {
        TAILQ_REMOVE(&runtime->removals, removal, link);
        TAILQ_INSERT_TAIL(&runtime->removals, removal, link);
    } else {
        remove_above(removal->path);
        drop(runtime, removal);
    }
    runtime->removal_due_ms = monotonic_ms() + REMOVE_MS;
}

void removal_forget_all(struct runtime *runtime)
{
    while (!TAILQ_EMPTY(&runtime->removals))
        drop(runtime, TAILQ_FIRST(&runtime->removals));
}
