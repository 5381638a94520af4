/* SPDX-License-Identifier: Apache-2.0 */
/* backups.c - automatic backups of the state */
#include "rm/net/rescue/backups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/loop/log.h"
#include "rm/net/parts/worker.h"
#include "rm/net/rescue/state_rescue.h"

#define PREFIX "creel-state-"
#define SUFFIX ".db"
#define TIME_FORMAT "%Y%m%dT%H%M%SZ"
#define DATABASE_MAGIC "SQLite format 3" /* with the 0 byte at its end */
#define DATABASE_HEADER 100
#define RETRY_MS 600000
#define MARKER ".creel-backups"    /* in the directory of backups */
#define NOTE "backup-directory"    /* in the state directory */
#define MARK_SIZE 17               /* 16 hexadecimal digits */
#define TEXT_MAX (PATH_MAX + 1024) /* of a file MARKER or NOTE */

struct backups {
    struct backups_settings settings; /* its texts are owned: a thread that hangs uses them until the end */
    struct worker *worker;
    bool logged;        /* that the backup takes long */
    int64_t started_ms; /* of the backup that is being made, since 1970; 0: none is */
    struct backups_found found;
    int64_t look_ms;  /* of the next look at the directory, since 1970 */
    int64_t retry_ms; /* no backup is tried before, since 1970 */
    struct err problem;
    bool failed_try; /* PROBLEM is of a try: one without a result does not end it */
    dev_t device;    /* of the directory at the last look; 0: not known yet */
};

struct job {
    struct worker_job job; /* first */
    struct backups *backups;
    struct backups_settings settings;
    int64_t now_ms, retry_ms;
    dev_t device;
    struct backups_found found; /* from here on: results */
    struct err err;
    bool due, tried;
    int result;
};

struct backups_settings backups_settings_of(const struct conf *conf)
{
    return (struct backups_settings){
        .state_directory = conf_text(conf, CONF_RM_STATE_DIR),
        .directory = conf_text(conf, CONF_BACKUP_DIR),
        .interval_ms = conf_ms(conf, CONF_BACKUP_INTERVAL),
        .kept = (unsigned)conf_int(conf, CONF_BACKUPS_KEPT),
    };
}

/* --- files ---------------------------------------------------------------------- */

struct backup {
    char *name; /* owned */
    int64_t time_ms;
};

struct list {
    struct backup *items; /* owned */
    size_t count, room;
};

/* Returns the time of the backup NAME, which is in its name; 0: it is no backup. (The time of a file changes
 * when it is copied.) */
static int64_t time_of(const char *name)
{
    struct tm broken = { .tm_sec = 0 };
    const char *end;

    if (!text_has_prefix(name, PREFIX))
        return 0;
    end = strptime(name + strlen(PREFIX), TIME_FORMAT, &broken);
    return end != NULL && strcmp(end, SUFFIX) == 0 ? (int64_t)timegm(&broken) * 1000 : 0;
}

/* Returns the number in SIZE bytes, the highest first. */
static uint64_t number_of(const uint8_t *bytes, size_t size)
{
    uint64_t number = 0;

    for (size_t i = 0; i < size; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* Returns the size in bytes that a database with this header has (SQLite's file format, 1.3). */
static uint64_t size_of_database(const uint8_t header[DATABASE_HEADER])
{
    uint64_t page = number_of(header + 16, 2);

    return (page == 1 ? 65536 : page) * number_of(header + 28, 4);
}

/* Returns true if FILE is whole: a backup gets its name when it is written and checked, but other programs
 * cut files. */
static bool is_database(const char *file)
{
    uint8_t header[DATABASE_HEADER];
    scoped_fd int fd = file_open(AT_FDCWD, file, O_RDONLY | O_NOFOLLOW, 0, NULL);
    struct stat status;

    return fd >= 0 && fstat(fd, &status) == 0 &&
           read(fd, header, sizeof(header)) == (ssize_t)sizeof(header) &&
           memcmp(header, DATABASE_MAGIC, sizeof(DATABASE_MAGIC)) == 0 &&
           (uint64_t)status.st_size >= size_of_database(header);
}

static int compare(const void *a, const void *b)
{
    const struct backup *first = a, *second = b;

    return first->time_ms < second->time_ms ? -1 : first->time_ms > second->time_ms;
}

/* Returns the complete backups in DIRECTORY, the oldest first. The caller frees them with list_done. */
static struct list list_backups(const char *directory)
{
    struct list list = { .count = 0 };
    DIR *folder = opendir(directory);
    const struct dirent *entry;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        scoped_free char *file = mem_printf("%s/%s", directory, entry->d_name);
        int64_t time_ms = time_of(entry->d_name);

        if (time_ms <= 0 || !is_database(file))
            continue;
        mem_grow(list.items, list.count, list.room);
        list.items[list.count++] = (struct backup){ mem_strdup(entry->d_name), time_ms };
    }
    if (folder != NULL)
        closedir(folder);
    if (list.count > 0)
        qsort(list.items, list.count, sizeof(*list.items), compare);
    return list;
}

static void list_done(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].name);
    free(list->items);
}

/* Returns how many backups of LIST, the first ones, are not from the future at NOW_MS. */
static size_t count_past(const struct list *list, int64_t now_ms)
{
    size_t count = list->count;

    while (count > 0 && list->items[count - 1].time_ms > now_ms + BACKUPS_FUTURE_MS)
        count--;
    return count;
}

struct backups_found backups_find(const char *directory, int64_t now_ms)
{
    struct list list = list_backups(directory);
    size_t past = count_past(&list, now_ms);
    struct backups_found found = { .newest_ms = past > 0 ? list.items[past - 1].time_ms : 0 };

    if (past < list.count)
        snprintf(found.future, sizeof(found.future), "%s", list.items[list.count - 1].name);
    list_done(&list);
    return found;
}

static void free_names(struct dirent **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

static int is_part(const struct dirent *entry)
{
    return text_has_prefix(entry->d_name, PREFIX) && text_has_suffix(entry->d_name, SUFFIX ".part");
}

/* Removes copies that an interrupted backup has left. */
static void remove_parts(const char *directory)
{
    struct dirent **names;
    int count = scandir(directory, &names, is_part, NULL);

    for (int i = 0; i < count; i++) {
        scoped_free char *file = mem_printf("%s/%s", directory, names[i]->d_name);

        (void)unlink(file);
    }
    if (count >= 0)
        free_names(names, (size_t)count);
}

/* Removes all but the newest SETTINGS->kept backups that are not from the future: of those no one knows the
 * age. The one of NOW_MS, which was just made, is the newest. */
static int remove_old(const struct backups_settings *settings, int64_t now_ms, struct err *err)
{
    struct list list = list_backups(settings->directory);
    size_t past = count_past(&list, now_ms);
    int r = 0;

    for (size_t i = 0; r == 0 && i + settings->kept < past; i++) {
        scoped_free char *file = mem_printf("%s/%s", settings->directory, list.items[i].name);

        if (list.items[i].time_ms < now_ms / 1000 * 1000 && unlink(file) < 0)
            r = err_set_errno(err, errno, "%s: an old backup cannot be removed", file);
    }
    list_done(&list);
    return r;
}

int backups_make(const struct backups_settings *settings, int64_t now_ms, struct err *err)
{
    scoped_free char *file = NULL;
    time_t seconds = (time_t)(now_ms / 1000);
    struct store_report report;
    struct tm broken;
    char text[32];
    int r;

    if (mkdir(settings->directory, 0700) < 0 && errno != EEXIST)
        return err_set_errno(err, errno, "%s: the directory of backups cannot be made", settings->directory);
    remove_parts(settings->directory);
    gmtime_r(&seconds, &broken);
    strftime(text, sizeof(text), TIME_FORMAT, &broken);
    file = mem_printf("%s/" PREFIX "%s" SUFFIX, settings->directory, text);
    r = state_rescue_backup(settings->state_directory, file, &report, err);
    store_report_done(&report);
    return r < 0 ? r : remove_old(settings, now_ms, err);
}

/* --- the thread ------------------------------------------------------------------- */

/* The directory is known by a random number: in its file MARKER, and with its path in the file NOTE of the
 * state directory. So a restart without the mount is seen as well as an unmount. The directory is not kept
 * open, so that it can be unmounted. */
struct mark {
    char number[MARK_SIZE]; /* "": none */
};

/* Reads the file FILE of DIRECTORY; returns "" if it cannot be read. The caller frees the result. */
static char *read_text(const char *directory, const char *file)
{
    scoped_free char *path = mem_printf("%s/%s", directory, file);
    scoped_fd int fd = file_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW, 0, NULL);
    char *text = NULL;

    return fd >= 0 && file_read(fd, TEXT_MAX, &text, NULL) == 0 ? text : mem_strdup("");
}

static int write_text(const char *directory, const char *file, const char *text)
{
    scoped_free char *path = mem_printf("%s/%s", directory, file);

    return file_replace(AT_FDCWD, path,
                        &(struct file_content){ .data = text, .size = strlen(text), .mode = 0600 });
}

/* Finds the number that is noted for the directory of SETTINGS. */
static struct mark noted_mark(const struct backups_settings *settings)
{
    scoped_free char *text = read_text(settings->state_directory, NOTE);
    char *end = strchr(text, '\n');
    struct mark mark = { "" };

    if (end == NULL || strcmp(end + 1, settings->directory) != 0)
        return mark;
    *end = '\0';
    snprintf(mark.number, sizeof(mark.number), "%s", text);
    return mark;
}

static struct mark found_mark(const char *directory)
{
    scoped_free char *text = read_text(directory, MARKER);
    struct mark mark;

    snprintf(mark.number, sizeof(mark.number), "%s", text);
    return mark;
}

/* Marks the directory, which exists, and notes the number. If that fails, the next look tries again. */
static void mark_directory(const struct backups_settings *settings)
{
    struct mark mark = found_mark(settings->directory);
    scoped_free char *note = NULL;

    if (*mark.number == '\0') {
        snprintf(mark.number, sizeof(mark.number), "%08" PRIx32 "%08" PRIx32, randombytes_random(),
                 randombytes_random());
        if (write_text(settings->directory, MARKER, mark.number) < 0)
            return;
    }
    note = mem_printf("%s\n%s", mark.number, settings->directory);
    (void)write_text(settings->state_directory, NOTE, note);
}

/* Returns 0 if the directory is the one that was used before, or none was. One that was made again on the
 * file system of the last look is as good as that. */
static int check_directory(struct job *job)
{
    const struct backups_settings *settings = &job->settings;
    const struct mark noted = noted_mark(settings);
    struct stat status;
    struct mark found;

    if (stat(settings->directory, &status) < 0)
        return errno == ENOENT && job->device == 0 && *noted.number == '\0'
                   ? 0 /* is made */
                   : err_set_errno(&job->err, errno, "%s: mount it, or make it again", settings->directory);
    found = found_mark(settings->directory);
    if (*noted.number != '\0' && strcmp(noted.number, found.number) != 0 &&
        (*found.number != '\0' || job->device != status.st_dev))
        return err_set(
            &job->err, ESTALE,
            "%s is not the directory that was used before: mount it again; to go on with this one: "
            "rm %s/" NOTE,
            settings->directory, settings->state_directory);
    if (*noted.number == '\0' || *found.number == '\0')
        mark_directory(settings);
    job->device = status.st_dev;
    return 0;
}

static void run_job(struct worker_job *base)
{
    struct job *job = (struct job *)base;

    job->due = true;
    job->result = check_directory(job);
    if (job->result < 0)
        return;
    job->found = backups_find(job->settings.directory, job->now_ms);
    job->due = job->found.newest_ms <= job->now_ms - job->settings.interval_ms;
    if (!job->due || job->now_ms < job->retry_ms)
        return;
    job->tried = true;
    job->result = backups_make(&job->settings, job->now_ms, &job->err);
    job->due = job->result < 0;
    job->found = backups_find(job->settings.directory, job->now_ms);
    if (job->result == 0)
        job->result = check_directory(job);
}

static void log_future(const struct backups *backups, const struct backups_found *found)
{
    if (*found->future != '\0' && strcmp(found->future, backups->found.future) != 0)
        log_line(LOG_LEVEL_WARN,
                 "%s/%s: a backup of the state from the future: it is neither counted nor removed",
                 backups->settings.directory, found->future);
}

/* After the clock was set back, the backup that was the newest is one from the future, and still there. */
static void log_gone(const struct backups *backups, const struct job *job)
{
    bool counted = backups->found.newest_ms <= job->now_ms + BACKUPS_FUTURE_MS;

    if (job->result == 0 && counted && job->found.newest_ms < backups->found.newest_ms)
        log_line(LOG_LEVEL_WARN, "%s: the newest backup of the state was removed, cut or replaced",
                 backups->settings.directory);
}

static void finish_job(struct worker_job *base)
{
    struct job *job = (struct job *)base;
    struct backups *backups = job->backups;
    int64_t interval_ms = backups->settings.interval_ms;

    backups->started_ms = 0;
    backups->logged = false;
    log_future(backups, &job->found);
    log_gone(backups, job);
    backups->found = job->found;
    backups->device = job->device;
    if (job->result < 0) {
        if (strcmp(backups->problem.text, job->err.text) != 0)
            log_line(LOG_LEVEL_ERROR, "no backup of the state: %s", job->err.text);
        backups->problem = job->err;
        backups->failed_try = job->tried;
        if (job->tried)
            backups->retry_ms = job->now_ms + (interval_ms < RETRY_MS ? interval_ms : RETRY_MS);
    } else if (!job->due || !backups->failed_try) {
        backups->problem = (struct err){ 0 };
    }
    free(job);
}

static void destroy(struct backups *backups)
{
    free((char *)(uintptr_t)backups->settings.directory);
    free((char *)(uintptr_t)backups->settings.state_directory);
    free(backups);
}

int backups_new(struct loop *loop, const struct backups_settings *settings, struct backups **ret,
                struct err *err)
{
    struct backups *backups;
    int r;

    if (*settings->directory == '\0')
        return 0;
    if (settings->directory[0] != '/')
        return err_set(err, EINVAL, "creel.state.backup-directory: \"%s\": has to begin at /",
                       settings->directory);
    backups = mem_new0(struct backups);
    backups->settings = *settings;
    backups->settings.directory = mem_strdup(settings->directory);
    backups->settings.state_directory = mem_strdup(settings->state_directory);
    r = worker_new(loop, &backups->worker, err);
    if (r < 0) {
        destroy(backups);
        return r;
    }
    *ret = backups;
    return 0;
}

bool backups_free(struct backups *backups)
{
    if (backups == NULL)
        return true;
    if (worker_free(backups->worker, BACKUPS_STOP_MS)) {
        destroy(backups);
        return true;
    }
    log_line(LOG_LEVEL_WARN, "a backup of the state that does not end is abandoned: %s does not answer",
             backups->settings.directory);
    return false;
}

/* --- a state without a file ---------------------------------------------------------- */

struct rescue {
    struct worker_job job;
    struct store *store;
    char *file;
    int result;
    struct err err;
};

static void run_rescue(struct worker_job *base)
{
    struct rescue *rescue = (struct rescue *)base;

    rescue->result = store_rescue(rescue->store, rescue->file, &rescue->err);
}

static void keep_rescue(struct worker_job *base)
{
    (void)base; /* backups_rescue reads the result */
}

int backups_rescue(struct backups *backups, struct store *store, const char *file, struct err *err)
{
    struct rescue *rescue = mem_new0(struct rescue);
    int r;

    rescue->job = (struct worker_job){ .run = run_rescue, .done = keep_rescue };
    rescue->store = store;
    rescue->file = mem_strdup(file);
    if (!worker_run(backups->worker, &rescue->job, BACKUPS_RESCUE_MS))
        return err_set(err, ETIMEDOUT, "%s: does not answer", backups->settings.directory); /* abandoned */
    r = rescue->result;
    if (r < 0)
        *err = rescue->err;
    free(rescue->file);
    free(rescue);
    return r;
}

int64_t backups_overdue_ms(const struct backups_state *state, int64_t now_ms)
{
    int64_t limit_ms = state->interval_ms < BACKUPS_LONG_MS ? state->interval_ms : BACKUPS_LONG_MS;
    int64_t age_ms = now_ms - state->started_ms;

    return state->started_ms > 0 && age_ms > limit_ms ? age_ms : 0;
}

static void log_overdue(struct backups *backups, int64_t now_ms)
{
    struct backups_state state = backups_state(backups);
    int64_t overdue_ms = backups_overdue_ms(&state, now_ms);

    if (overdue_ms == 0 || backups->logged)
        return;
    backups->logged = true;
    log_line(LOG_LEVEL_WARN,
             "a backup of the state has run for %" PRId64 " s: %s does not answer, or is very slow; no other "
             "backup is made until it ends",
             overdue_ms / 1000, backups->settings.directory);
}

void backups_check(struct backups *backups, int64_t now_ms)
{
    int64_t interval_ms;
    struct job *job;

    if (backups == NULL)
        return;
    interval_ms = backups->settings.interval_ms;
    if (backups->started_ms != 0) {
        log_overdue(backups, now_ms);
        return;
    }
    if (now_ms < backups->look_ms && backups->look_ms <= now_ms + BACKUPS_LOOK_MS)
        return;
    backups->look_ms = now_ms + (interval_ms < BACKUPS_LOOK_MS ? interval_ms : BACKUPS_LOOK_MS);
    if (backups->retry_ms > now_ms + RETRY_MS) /* the clock was set back */
        backups->retry_ms = now_ms;
    job = mem_new0(struct job);
    job->job.run = run_job;
    job->job.done = finish_job;
    job->backups = backups;
    job->settings = backups->settings;
    job->now_ms = now_ms;
    job->retry_ms = backups->retry_ms;
    job->device = backups->device;
    backups->started_ms = now_ms;
    worker_add(backups->worker, &job->job);
}

struct backups_state backups_state(const struct backups *backups)
{
    if (backups == NULL)
        return (struct backups_state){ .directory = "" };
    return (struct backups_state){
        .directory = backups->settings.directory,
        .newest_ms = backups->found.newest_ms,
        .future = *backups->found.future != '\0' ? backups->found.future : NULL,
        .interval_ms = backups->settings.interval_ms,
        .started_ms = backups->started_ms,
        .problem = backups->problem.code != 0 ? backups->problem.text : NULL,
    };
}
