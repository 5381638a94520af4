/* SPDX-License-Identifier: Apache-2.0 */
/* state_rescue.c - has a running resource manager write its state */
#include "rm/net/rescue/state_rescue.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/loop/log.h"
#include "common/io/loop/loop.h"

#define LOOK_MS 50

/* --- the resource manager ---------------------------------------------------------- */

void state_rescue_serve(struct store *store, const char *directory)
{
    scoped_free char *wanted = mem_printf("%s/" RESCUE_WANTED, directory);
    scoped_free char *file = mem_printf("%s/" RESCUE_FILE, directory);
    struct err err = { 0 }, fault = { 0 };

    if (access(wanted, F_OK) < 0)
        return;
    (void)unlink(file); /* of a backup that was interrupted */
    if (store_watch(store, &fault) == -ESTALE) {
        if (store_rescue(store, file, &err) < 0) {
            log_line(LOG_LEVEL_ERROR, "%s, and no backup of the state: %s", fault.text, err.text);
            (void)unlink(file);
        } else {
            log_line(LOG_LEVEL_WARN, "%s: a backup gets the state of this process", fault.text);
        }
    }
    (void)unlink(wanted);
}

/* --- the process that makes the backup ------------------------------------------------ */

static bool is_served(const char *directory)
{
    struct err err;

    return store_check_unused(directory, &err) == -EBUSY;
}

/* Waits until the resource manager has removed WANTED. */
static int await(const char *directory, const char *wanted, struct err *err)
{
    const struct timespec pause = { 0, LOOK_MS * 1000000 };
    int64_t end_ms = loop_monotonic_ms() + RESCUE_WAIT_MS;

    while (access(wanted, F_OK) == 0) {
        if (loop_monotonic_ms() >= end_ms || !is_served(directory)) {
            (void)unlink(wanted);
            return err_set(err, ETIMEDOUT,
                           "%s: the file of the state is not in its place, and the resource manager has not "
                           "written its state: journalctl -u creel-rm",
                           directory);
        }
        (void)nanosleep(&pause, NULL);
    }
    return 0;
}

/* Makes the backup FILE of the state that the resource manager has. -ENOENT: it has not written it. */
static int rescue(const char *directory, const char *file, struct store_report *report, struct err *err)
{
    scoped_free char *wanted = mem_printf("%s/" RESCUE_WANTED, directory);
    scoped_free char *written = mem_printf("%s/" RESCUE_FILE, directory);
    int fd = open(wanted, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int r;

    if (fd < 0)
        return err_set_errno(err, errno, "%s: cannot be made", wanted);
    close(fd);
    r = await(directory, wanted, err);
    if (r < 0)
        return r;
    if (access(written, F_OK) < 0)
        return -ENOENT;
    r = store_backup_file(directory, written, file, report, err);
    (void)unlink(written);
    return r;
}

int state_rescue_backup(const char *directory, const char *file, struct store_report *report, struct err *err)
{
    struct store_report rescued = { 0 };
    struct err reason = { 0 };
    int r = store_backup(directory, file, report, err), rescue_result;

    /* Any other error may come from a file of the state that is not in its place: a log without its database
     * makes errors of I/O. */
    if (r >= 0 || r == -EEXIST || !is_served(directory))
        return r;
    rescue_result = rescue(directory, file, &rescued, &reason);
    if (rescue_result == -ENOENT) {
        store_report_done(&rescued);
        return r;
    }
    store_report_done(report);
    *report = rescued;
    *err = reason;
    return rescue_result;
}

/* --- the next start ---------------------------------------------------------------------- */

static bool is_rescued(const char *name)
{
    return strncmp(name, STATE_RESCUED "-", strlen(STATE_RESCUED "-")) == 0 && text_has_suffix(name, ".db");
}

/* Returns the time in the name of FILE, or 0 without a file. */
static long long rescued_at(const char *file)
{
    long long at = 0;

    if (file != NULL)
        (void)sscanf(strrchr(file, '/') + 1, STATE_RESCUED "-%lld", &at);
    return at;
}

/* Sets *NEWEST, which is owned, to the newest saved state in DIRECTORY, if it is newer. */
static void find_rescued(const char *directory, char **newest)
{
    DIR *folder = *directory != '\0' ? opendir(directory) : NULL;
    const struct dirent *entry;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        scoped_free char *file =
            is_rescued(entry->d_name) ? mem_printf("%s/%s", directory, entry->d_name) : NULL;

        if (rescued_at(file) <= rescued_at(*newest))
            continue;
        free(*newest);
        *newest = file;
        file = NULL;
    }
    if (folder != NULL)
        closedir(folder);
}

int state_rescue_check(const char *directory, const char *backups, struct err *err)
{
    scoped_free char *database = mem_printf("%s/state.db", directory);
    scoped_free char *file = NULL;
    struct stat status;

    if (stat(database, &status) == 0 ? status.st_size > 0 : errno != ENOENT)
        return 0;
    find_rescued(directory, &file);
    find_rescued(backups, &file);
    if (file == NULL)
        return 0;
    return err_set(err, EBADMSG,
                   "%s: is not there, and %s is the state that creel-rm saved when that file was lost: creel "
                   "admin state restore %s; to begin with an empty state instead, move that file away",
                   database, file, file);
}
