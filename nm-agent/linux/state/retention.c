/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retention.c - keeps the logs of ended applications for a time, and remembers that they expired
 *
 * Each application has a small file in the state directory: DUE_MS, RETAIN_MS and the state. In memory the
 * applications are ordered by id and by the time of the next action, since there may be very many.
 */
#include "nm-agent/linux/state/retention.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "nm-agent/linux/parts/paths.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/parts/record.h"
#include "nm-agent/linux/parts/tree.h"
#include "nm-agent/linux/state/disk_io.h"

#define EXPIRE_MS \
    20                 /* time limit of one call, since other containers wait for the
                                        agent */
#define READ_MS 600000 /* time for which moved logs stay after a client has read them here: it may read on */
#define REMEMBER_MS (7 * 86400000LL) /* time for which expired logs are remembered, for later requests */

static int compare(const struct retention *a, const struct retention *b)
{
    if (a->next_ms != b->next_ms)
        return a->next_ms < b->next_ms ? -1 : 1;
    return strcmp(a->app_id, b->app_id);
}

RB_PROTOTYPE(retention_tree, retention, by_due, compare)
RB_GENERATE(retention_tree, retention, by_due, compare)

static struct retention_tree *tree_of(struct runtime *runtime, const struct retention *retention)
{
    return retention->state == RETENTION_PENDING ? &runtime->retentions_pending : &runtime->retentions_due;
}

static void insert(struct runtime *runtime, struct retention *retention, int64_t next_ms)
{
    retention->next_ms = next_ms;
    RB_INSERT(retention_tree, tree_of(runtime, retention), retention);
}

static void remove_from_tree(struct runtime *runtime, struct retention *retention)
{
    RB_REMOVE(retention_tree, tree_of(runtime, retention), retention);
}

static bool is_remembered(enum retention_state state)
{
    return state == RETENTION_EXPIRED || state == RETENTION_MOVED;
}

static struct retention *enter(struct runtime *runtime, const char *app_id, int64_t due_ms, int64_t retain_ms,
                               enum retention_state state)
{
    struct retention *retention = mem_new0(struct retention);

    retention->app_id = mem_strdup(app_id);
    retention->due_ms = due_ms;
    retention->retain_ms = retain_ms;
    retention->state = state;
    HASH_ADD_KEYPTR(hh, runtime->retentions, retention->app_id, strlen(app_id), retention);
    insert(runtime, retention,
           state == RETENTION_PENDING ? 0 : due_ms + (is_remembered(state) ? REMEMBER_MS : 0));
    return retention;
}

static void drop(struct runtime *runtime, struct retention *retention)
{
    HASH_DEL(runtime->retentions, retention);
    remove_from_tree(runtime, retention);
    free(retention->app_id);
    free(retention);
}

void retention_free(struct runtime *runtime)
{
    struct retention *retention, *next;

    HASH_ITER(hh, runtime->retentions, retention, next)
        drop(runtime, retention);
}

const struct retention *retention_find(const struct runtime *runtime, const char *app_id)
{
    const struct retention *retention;

    HASH_FIND_STR(runtime->retentions, app_id, retention);
    return retention;
}

/* Writes the file of RETENTION, or notes that it has to be written when the state directory answers. */
static void write_down(struct runtime *runtime, struct retention *retention)
{
    scoped_free char *text = mem_printf("%" PRId64 " %" PRId64 " %d\n", retention->due_ms,
                                        retention->retain_ms, (int)retention->state);

    retention->unwritten = !disk_answers(&runtime->health.state);
    if (retention->unwritten) {
        runtime->retentions_unwritten = true;
        return;
    }
    /* If the file cannot be written, a restarted agent keeps the logs until the RM repeats the order. */
    record_write(runtime->retain_fd, retention->app_id, text, strlen(text), NULL);
}

/* Returns the time DELAY_MS from now. */
static int64_t due_after(int64_t delay_ms)
{
    int64_t due_ms;

    if (__builtin_add_overflow(process_now_ms(), delay_ms, &due_ms) || due_ms > INT64_MAX - REMEMBER_MS)
        due_ms = INT64_MAX - REMEMBER_MS;
    return due_ms;
}

void retention_add(struct runtime *runtime, const char *app_id, int64_t retain_ms)
{
    int64_t kept_ms = retain_ms > 0 ? retain_ms : 0;

    if (retention_find(runtime, app_id) != NULL)
        return; /* the time counts from the first call */
    write_down(runtime, enter(runtime, app_id, due_after(kept_ms), kept_ms, RETENTION_KEPT));
    retention_expire(runtime, process_now_ms());
}

void retention_add_pending(struct runtime *runtime, const char *app_id, int64_t retain_ms, int64_t retry_ms)
{
    if (retention_find(runtime, app_id) == NULL)
        write_down(runtime, enter(runtime, app_id, due_after(retry_ms), retain_ms > 0 ? retain_ms : 0,
                                  RETENTION_PENDING));
}

struct retention *retention_first_pending(struct runtime *runtime)
{
    return RB_MIN(retention_tree, &runtime->retentions_pending);
}

struct retention *retention_find_pending(struct runtime *runtime, const char *app_id)
{
    struct retention *retention;

    HASH_FIND_STR(runtime->retentions, app_id, retention);
    return retention != NULL && retention->state == RETENTION_PENDING ? retention : NULL;
}

void retention_postpone(struct runtime *runtime, struct retention *retention, int64_t next_ms)
{
    remove_from_tree(runtime, retention);
    insert(runtime, retention, next_ms);
}

void retention_end_pending(struct runtime *runtime, struct retention *retention, bool saved)
{
    remove_from_tree(runtime, retention);
    retention->state = saved ? RETENTION_SAVED : RETENTION_KEPT;
    retention->due_ms = due_after(saved ? runtime->aggregation.grace_ms : retention->retain_ms);
    write_down(runtime, retention); /* before the logs are deleted, so that they are not written again */
    insert(runtime, retention, retention->due_ms);
}

void retention_note_read(struct runtime *runtime, const char *app_id)
{
    struct retention *retention;

    HASH_FIND_STR(runtime->retentions, app_id, retention);
    if (retention != NULL)
        retention->read_ms = process_now_ms();
}

int retention_load(struct runtime *runtime, struct err *err)
{
    scoped_fd int fd = openat(runtime->retain_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd_take(&fd));
    struct dirent *entry;

    if (stream == NULL)
        return err_set_errno(err, errno, "cannot list %s/retain", runtime->state_dir);
    while ((entry = readdir(stream)) != NULL) {
        scoped_free char *text = NULL;
        int64_t due_ms, retain_ms;
        int state;

        if (!paths_is_name(entry->d_name) || text_has_suffix(entry->d_name, ".new") ||
            record_read(runtime->retain_fd, entry->d_name, &text, NULL, NULL) != 0 ||
            sscanf(text, "%" SCNd64 " %" SCNd64 " %d", &due_ms, &retain_ms, &state) != 3 ||
            due_ms > INT64_MAX - REMEMBER_MS || state < RETENTION_KEPT || state > RETENTION_MOVED)
            continue;
        enter(runtime, entry->d_name, due_ms, retain_ms, (enum retention_state)state);
    }
    closedir(stream);
    return 0;
}

int64_t retention_next_ms(const struct runtime *runtime)
{
    struct retention_tree tree = runtime->retentions_due; /* a copy, because RB_MIN needs a non-const
                                                             tree */
    const struct retention *first = RB_MIN(retention_tree, &tree);

    return first ? first->next_ms : 0;
}

/* Deletes the logs in the directories that answer; those in others are due later. Returns false if the time
 * was too short; then they remain due. */
static bool expire_logs(struct runtime *runtime, struct retention *retention, int64_t now_ms,
                        int64_t until_ms)
{
    bool all_answer = true;

    for (char **dir = runtime->log_dirs; *dir; dir++) {
        scoped_free char *path = paths_app_logs(*dir, retention->app_id);

        if (!disk_path_answers(runtime, *dir))
            all_answer = false;
        else if (tree_remove_until(path, until_ms) == -EAGAIN)
            return false;
    }
    if (!all_answer) {
        retention_postpone(runtime, retention, now_ms + DISK_RETRY_MS);
        return true;
    }
    remove_from_tree(runtime, retention);
    retention->state = retention->state == RETENTION_SAVED ? RETENTION_MOVED : RETENTION_EXPIRED;
    insert(runtime, retention, retention->due_ms + REMEMBER_MS);
    write_down(runtime, retention);
    return true;
}

void retention_write(struct runtime *runtime)
{
    struct retention *retention, *next;

    if (!runtime->retentions_unwritten)
        return;
    runtime->retentions_unwritten = false;
    HASH_ITER(hh, runtime->retentions, retention, next)
        if (retention->unwritten)
            write_down(runtime, retention);
}

void retention_expire(struct runtime *runtime, int64_t now_ms)
{
    int64_t until_ms = monotonic_ms() + EXPIRE_MS;
    struct retention *first;

    while ((first = RB_MIN(retention_tree, &runtime->retentions_due)) != NULL && first->next_ms <= now_ms &&
           monotonic_ms() < until_ms) {
        if (!disk_answers(&runtime->health.state)) {
            retention_postpone(runtime, first, now_ms + DISK_RETRY_MS);
        } else if (first->state == RETENTION_SAVED && first->read_ms > now_ms - READ_MS) {
            retention_postpone(runtime, first, first->read_ms + READ_MS);
        } else if (is_remembered(first->state)) {
            unlinkat(runtime->retain_fd, first->app_id, 0);
            drop(runtime, first);
        } else if (!expire_logs(runtime, first, now_ms, until_ms)) {
            return;
        }
    }
}
