/* SPDX-License-Identifier: Apache-2.0 */
/* removal.c - removes directory trees of any size, with a limited time in each call */
#include "nm-agent/linux/disks/removal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/parts/tree.h"
#include "nm-agent/linux/state/disk_io.h"

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

/* Removes the empty parents of PATH, .../usercache/<user>/appcache/<app>/<container>. */
static void remove_above(char *path)
{
    for (int i = 0; i < 3 && strstr(path, "/usercache/") != NULL; i++) {
        *strrchr(path, '/') = '\0';
        rmdir(path);
    }
}

/* --- one step, in the thread of the disk ------------------------------------------- */

struct removal_step {
    struct worker_job job; /* first member */
    struct runtime *runtime;
    struct removal *removal; /* NULL: cancelled */
    char *path;              /* owned */
    bool is_first;
    bool is_over;
};

static void run_step(struct worker_job *job)
{
    struct removal_step *step = (struct removal_step *)job;

    step->is_over = (step->is_first && remove_bare(step->path)) ||
                    tree_remove_until(step->path, monotonic_ms() + REMOVE_MS) != -EAGAIN;
    if (step->is_over && !step->is_first)
        remove_above(step->path);
}

static void drop(struct runtime *runtime, struct removal *removal)
{
    if (removal->step != NULL)
        removal->step->removal = NULL;
    TAILQ_REMOVE(&runtime->removals, removal, link);
    free(removal->path);
    free(removal);
}

static void end_step(struct worker_job *job)
{
    struct removal_step *step = (struct removal_step *)job;

    if (step->removal != NULL)
        step->removal->step = NULL;
    if (step->removal != NULL && step->is_over)
        drop(step->runtime, step->removal);
    free(step->path);
    free(step);
}

static struct worker_job *new_step(struct runtime *runtime, struct removal *removal, bool is_first)
{
    struct removal_step *step = mem_new0(struct removal_step);

    step->job = (struct worker_job){ .run = run_step, .done = end_step };
    step->runtime = runtime;
    step->removal = removal;
    step->path = mem_strdup(removal->path);
    step->is_first = is_first;
    removal->step = step;
    return &step->job;
}

/* --- all trees --------------------------------------------------------------------- */

static struct removal *find(struct runtime *runtime, const char *path)
{
    struct removal *removal;

    TAILQ_FOREACH(removal, &runtime->removals, link)
        if (strcmp(removal->path, path) == 0)
            return removal;
    return NULL;
}

void removal_start(struct runtime *runtime, const char *path)
{
    struct disk *disk = disk_of(runtime, path);
    struct removal *removal;

    if (find(runtime, path) != NULL)
        return;
    removal = mem_new0(struct removal);
    removal->path = mem_strdup(path);
    TAILQ_INSERT_TAIL(&runtime->removals, removal, link);
    runtime->removal_due_ms = monotonic_ms();
    if (disk == NULL || !disk_is_late(disk))
        (void)disk_run(disk, new_step(runtime, removal, true));
}

bool removal_cancel(struct runtime *runtime, const char *path)
{
    struct removal *removal = find(runtime, path);
    struct disk *disk = disk_of(runtime, path);

    if (removal == NULL)
        return true;
    if (removal->step != NULL && !worker_wait(disk->worker, DISK_WAIT_MS)) {
        disk->late = true;
        return false;
    }
    removal = find(runtime, path); /* the wait may have ended it */
    if (removal != NULL)
        drop(runtime, removal);
    return true;
}

/* Returns a tree of which a part can be removed now; NULL: there is none. */
static struct removal *next_removal(struct runtime *runtime, struct disk **disk)
{
    struct removal *removal;

    TAILQ_FOREACH(removal, &runtime->removals, link) {
        *disk = disk_of(runtime, removal->path);
        if (removal->step == NULL && (*disk == NULL || !disk_is_late(*disk)))
            return removal;
    }
    return NULL;
}

/* Returns the time until the next step. */
static int64_t pause_ms(const struct runtime *runtime)
{
    const struct removal *removal;

    TAILQ_FOREACH(removal, &runtime->removals, link) {
        struct disk *disk = disk_of(runtime, removal->path);

        if (disk == NULL || !disk_is_late(disk))
            return REMOVE_MS;
    }
    return DISK_WAIT_MS;
}

static void finish_steps(struct disks *disks)
{
    for (size_t i = 0; i < disks->count; i++)
        if (disks->items[i].worker != NULL)
            worker_finish(disks->items[i].worker);
}

void removal_go_on(struct runtime *runtime, int64_t now_ms)
{
    struct removal *removal;
    struct disk *disk;

    if (TAILQ_EMPTY(&runtime->removals) || now_ms < runtime->removal_due_ms)
        return;
    finish_steps(&runtime->health.local);
    finish_steps(&runtime->health.logs);
    if (runtime->health.state.worker != NULL)
        worker_finish(runtime->health.state.worker);
    removal = next_removal(runtime, &disk);
    if (removal != NULL) {
        TAILQ_REMOVE(&runtime->removals, removal, link);
        TAILQ_INSERT_TAIL(&runtime->removals, removal, link);
        if (disk != NULL && disk->worker != NULL) {
            /* The step removes parents: the next creation of a directory waits for it. */
            disk->answered_ms = 0;
            worker_add(disk->worker, new_step(runtime, removal, false));
        } else {
            (void)disk_run(NULL, new_step(runtime, removal, false));
        }
    }
    runtime->removal_due_ms = monotonic_ms() + pause_ms(runtime);
}

void removal_forget_all(struct runtime *runtime)
{
    while (!TAILQ_EMPTY(&runtime->removals))
        drop(runtime, TAILQ_FIRST(&runtime->removals));
}
