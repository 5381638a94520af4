/* SPDX-License-Identifier: Apache-2.0 */
/* backups.c - automatic backups of the state */
#include "rm/net/backups.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/log.h"
#include "rm/net/worker.h"
#include "rm/store/store_maintenance.h"

#define PREFIX "creel-state-"
#define SUFFIX ".db"
#define RETRY_MS 600000

struct backups {
    struct backups_settings settings; /* its texts are owned: a thread that hangs uses them until the end */
    struct worker *worker;
    bool logged;                /* that the backup takes long */
    int64_t started_ms;         /* of the backup that is being made, since 1970; 0: none is */
    int64_t newest_ms, next_ms; /* since 1970 */
    struct err problem;
};

struct job {
    struct worker_job job; /* first */
    struct backups *backups;
    struct backups_settings settings;
    int64_t now_ms;
    int64_t newest_ms; /* result: of the newest backup */
    struct err err;
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

static int is_backup(const struct dirent *entry)
{
    return text_has_prefix(entry->d_name, PREFIX) && text_has_suffix(entry->d_name, SUFFIX);
}

/* Sets *RET to the backups in DIRECTORY, the oldest first; the caller frees them with free_names. Returns
 * their number. */
static size_t list_backups(const char *directory, struct dirent ***ret)
{
    int count = scandir(directory, ret, is_backup, alphasort);

    if (count < 0)
        *ret = NULL;
    return count < 0 ? 0 : (size_t)count;
}

static void free_names(struct dirent **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

int64_t backups_newest_ms(const char *directory)
{
    struct dirent **names;
    size_t count = list_backups(directory, &names);
    int64_t newest_ms = 0;

    if (count > 0) {
        scoped_free char *file = mem_printf("%s/%s", directory, names[count - 1]->d_name);
        struct stat status;

        if (stat(file, &status) == 0)
            newest_ms = (int64_t)status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1000000;
    }
    free_names(names, count);
    return newest_ms;
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

static int remove_old(const struct backups_settings *settings, struct err *err)
{
    struct dirent **names;
    size_t count = list_backups(settings->directory, &names);
    int r = 0;

    for (size_t i = 0; r == 0 && i + settings->kept < count; i++) {
        scoped_free char *file = mem_printf("%s/%s", settings->directory, names[i]->d_name);

        if (unlink(file) < 0)
            r = err_set_errno(err, errno, "%s: an old backup cannot be removed", file);
    }
    free_names(names, count);
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
    strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &broken);
    file = mem_printf("%s/" PREFIX "%s" SUFFIX, settings->directory, text);
    r = store_backup(settings->state_directory, file, &report, err);
    store_report_done(&report);
    return r < 0 ? r : remove_old(settings, err);
}

/* --- the thread ------------------------------------------------------------------- */

static void run_job(struct worker_job *base)
{
    struct job *job = (struct job *)base;

    job->newest_ms = backups_newest_ms(job->settings.directory);
    /* (If the clock was set back, files are of the future.) */
    if (job->newest_ms > job->now_ms - job->settings.interval_ms && job->newest_ms <= job->now_ms)
        return;
    job->result = backups_make(&job->settings, job->now_ms, &job->err);
    job->newest_ms = backups_newest_ms(job->settings.directory);
}

static void finish_job(struct worker_job *base)
{
    struct job *job = (struct job *)base;
    struct backups *backups = job->backups;

    backups->started_ms = 0;
    backups->logged = false;
    backups->newest_ms = job->newest_ms;
    backups->next_ms = job->newest_ms + backups->settings.interval_ms;
    if (job->result < 0) {
        log_line(LOG_LEVEL_ERROR, "no backup of the state: %s", job->err.text);
        backups->next_ms =
            job->now_ms +
            (backups->settings.interval_ms < RETRY_MS ? backups->settings.interval_ms : RETRY_MS);
    }
    backups->problem = job->result < 0 ? job->err : (struct err){ 0 };
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
    if (worker_free_within(backups->worker, BACKUPS_STOP_MS)) {
        destroy(backups);
        return true;
    }
    log_line(LOG_LEVEL_WARN, "a backup of the state that does not end is given up: %s does not answer",
             backups->settings.directory);
    return false;
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
    struct job *job;

    if (backups == NULL)
        return;
    if (backups->started_ms != 0) {
        log_overdue(backups, now_ms);
        return;
    }
    /* The clock was set back: the files are of the future. */
    if (backups->next_ms > now_ms + backups->settings.interval_ms)
        backups->next_ms = now_ms + backups->settings.interval_ms;
    if (now_ms < backups->next_ms)
        return;
    job = mem_new0(struct job);
    job->job.run = run_job;
    job->job.done = finish_job;
    job->backups = backups;
    job->settings = backups->settings;
    job->now_ms = now_ms;
    backups->started_ms = now_ms;
    worker_add(backups->worker, &job->job);
}

struct backups_state backups_state(const struct backups *backups)
{
    if (backups == NULL)
        return (struct backups_state){ .directory = "" };
    return (struct backups_state){
        .directory = backups->settings.directory,
        .newest_ms = backups->newest_ms,
        .interval_ms = backups->settings.interval_ms,
        .started_ms = backups->started_ms,
        .problem = backups->problem.code != 0 ? backups->problem.text : NULL,
    };
}
