/* SPDX-License-Identifier: Apache-2.0 */
/* aggregation.c - moves the logs of ended applications to shared storage */
#include "nm-agent/linux/logs/aggregation.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/spawn.h"
#include "nm-agent/linux/parts/paths.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/state/disk_io.h"
#include "nm-agent/linux/state/retention.h"

#define POLL_MS 50
#define END_MS 200
#define STORAGE_PAUSE_MIN_MS 1000
#define STORAGE_PAUSE_MAX_MS 300000
#define USER_PAUSE_MIN_MS 10000
#define USER_PAUSE_MAX_MS 3600000
#define SWEEP_RETRY_MS 60000
#define SHARE_PAUSE_MS 200 /* after which the logs of a user who had its share are looked at again */
#define SHARE_LOOKS_MAX 16 /* such logs in one turn of the loop */
#define SHARE_NOTE_MS 60000
#define STATUS_OF_STORAGE 1 /* exit status of creel-aggregate: the problem is not one user's */

/* Returns FIRST doubled COUNT times, at most MOST. */
static int64_t pause_after(unsigned count, int64_t first, int64_t most)
{
    return count > 20 || first << count > most ? most : first << count;
}

/* --- problems ---------------------------------------------------------------- */

static void report_app(struct runtime *runtime, const char *app_id, bool saved)
{
    struct runtime_event event = { .kind = saved ? RUNTIME_LOGS_SAVED : RUNTIME_LOGS_KEPT };

    snprintf(event.container_id, sizeof(event.container_id), "%s", app_id);
    container_push_event(runtime, &event);
}

/* Ends the attempts for an application. */
static void end_pending(struct runtime *runtime, struct retention *retention, bool saved)
{
    retention_end_pending(runtime, retention, saved);
    report_app(runtime, retention->app_id, saved);
}

/* --- processes --------------------------------------------------------------- */

/* Starts creel-aggregate with the arguments ARGV. */
static int start(struct runtime *runtime, struct aggregation_job *job, const char *const *argv,
                 const char *app_id, int64_t now_ms)
{
    static const char *const environment[] = { "LC_ALL=C.UTF-8", NULL };
    struct spawn program = {
        .program = runtime->aggregation.program,
        .arguments = argv,
        .environment = environment,
        .fd_count = 3,
        .new_session = true,
        .usual_signals = true,
    };
    int message[2], result;

    if (pipe2(message, O_CLOEXEC | O_NONBLOCK) != 0)
        return -errno;
    program.fds = (const int[]){ SPAWN_NULL, SPAWN_NULL, message[1] };
    result = spawn_start(&program, &job->pid);
    close(message[1]);
    if (result != 0) {
        close(message[0]);
        job->pid = 0;
        return result;
    }
    job->message_fd = message[0];
    job->message[0] = '\0';
    job->began_ms = now_ms;
    job->killed = false;
    job->app_id = app_id ? mem_strdup(app_id) : NULL;
    return 0;
}

static void clear_job(struct aggregation *aggregation, struct aggregation_job *job)
{
    if (job->pid == 0)
        return;
    if (job->owner[0] != '\0')
        shares_remove(aggregation->places, job->owner);
    close(job->message_fd);
    free(job->app_id);
    *job = (struct aggregation_job){ .message_fd = -1 };
}

/* Reads the first line of the message of an ended process. */
static void read_message(struct aggregation_job *job)
{
    ssize_t got = read(job->message_fd, job->message, sizeof(job->message) - 1);

    job->message[got > 0 ? got : 0] = '\0';
    job->message[strcspn(job->message, "\n")] = '\0';
}

/* Returns true if the process has ended, with *STATUS as of waitpid. Ends it after the time limit. */
static bool has_ended(const struct aggregation *aggregation, struct aggregation_job *job, int64_t now_ms,
                      int *status)
{
    pid_t ended = waitpid(job->pid, status, WNOHANG);

    if (ended == job->pid)
        read_message(job);
    if (ended != 0)
        return true;
    if (!job->killed && now_ms - job->began_ms > aggregation->timeout_ms) {
        kill(job->pid, SIGKILL);
        job->killed = true;
    }
    return false;
}

/* --- logs of one application -------------------------------------------------- */

/* Finds the user whose containers ran: the owner of a directory in LOG_DIRS. Returns false if there are no
 * logs. */
static bool find_owner(char *const *log_dirs, const char *app_id, uid_t *uid)
{
    bool found = false;

    for (char *const *dir = log_dirs; *dir && !found; dir++) {
        scoped_free char *path = paths_app_logs(*dir, app_id);
        DIR *stream = opendir(path);
        struct container_id id;
        struct dirent *entry;
        struct stat status;

        while (stream != NULL && !found && (entry = readdir(stream)) != NULL) {
            found = container_id_parse(entry->d_name, &id) &&
                    fstatat(dirfd(stream), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                    S_ISDIR(status.st_mode);
            *uid = found ? status.st_uid : *uid;
        }
        if (stream != NULL)
            closedir(stream);
    }
    return found;
}

static size_t count_of(char *const *directories)
{
    size_t count = 0;

    while (directories[count] != NULL)
        count++;
    return count;
}

static const char *text_of(const char *text)
{
    return text != NULL ? text : "";
}

/* Starts creel-aggregate for the logs of user UID in LOG_DIRS. It looks the user up: a name service may be
 * slow. */
static int start_save(struct runtime *runtime, struct aggregation_job *job, const char *app_id, uid_t uid,
                      char *const *log_dirs, int64_t now_ms)
{
    const struct aggregation *aggregation = &runtime->aggregation;
    const struct users_rule *rule = &runtime->users;
    scoped_free char *parent = mem_printf("%ld", (long)getpid());
    scoped_free char *id = mem_printf("%u", (unsigned)uid);
    scoped_free char *least = mem_printf("%" PRId64, rule->min_user_id);
    const char *const first[] = {
        "creel-aggregate",
        "save",
        parent,
        id,
        least,
        text_of(rule->allowed),
        text_of(rule->banned),
        aggregation->dir,
        aggregation->suffix,
        app_id,
        aggregation->file,
    };
    const size_t first_count = sizeof(first) / sizeof(first[0]);
    scoped_free const char **argv = NULL;
    const size_t dirs = count_of(log_dirs);

    argv = mem_array0(first_count + dirs + 1, sizeof(*argv));
    memcpy(argv, first, sizeof(first));
    memcpy(argv + first_count, log_dirs, dirs * sizeof(*argv));
    return start(runtime, job, argv, app_id, now_ms);
}

/* Ends the attempts because of WHY: the logs stay here for their time. */
static void give_up(struct runtime *runtime, struct retention *retention, const char *why)
{
    scoped_free char *text =
        mem_printf("the logs of %s stay on this node for %" PRId64 " s: %s (creel.log-aggregation.retry-ms)",
                   retention->app_id, retention->retain_ms / 1000, why);

    aggregation_report(runtime, text);
    end_pending(runtime, retention, false);
}

static void try_later(struct runtime *runtime, struct retention *retention, int64_t pause_ms)
{
    retention->failures++;
    retention_postpone(runtime, retention, process_now_ms() + pause_ms);
}

/* Plans the next attempt after a failure, or gives up. */
static void postpone(struct runtime *runtime, struct retention *retention, int64_t pause_ms)
{
    if (process_now_ms() < retention->due_ms)
        try_later(runtime, retention, pause_ms);
    else
        give_up(runtime, retention, "they could not be moved to shared storage in time");
}

static void fail_user(struct runtime *runtime, struct retention *retention, const char *text)
{
    aggregation_set_problem(runtime, text, true);
    postpone(runtime, retention, pause_after(retention->failures, USER_PAUSE_MIN_MS, USER_PAUSE_MAX_MS));
}

static void fail_storage(struct runtime *runtime, const char *text, int64_t now_ms)
{
    struct aggregation *aggregation = &runtime->aggregation;

    aggregation_set_problem(runtime, text, false);
    aggregation->storage_due_ms =
        now_ms + pause_after(aggregation->storage_failures, STORAGE_PAUSE_MIN_MS, STORAGE_PAUSE_MAX_MS);
    aggregation->storage_failures++;
}

static void conclude(struct runtime *runtime, struct aggregation_job *job, int status, int64_t now_ms)
{
    struct aggregation *aggregation = &runtime->aggregation;
    struct retention *retention = retention_find_pending(runtime, job->app_id);
    bool is_of_storage = WIFEXITED(status) && WEXITSTATUS(status) == STATUS_OF_STORAGE;

    if (retention == NULL)
        return;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        aggregation->storage_failures = 0;
        aggregation->saved_ms = now_ms;
        aggregation_clear_problem(runtime);
        aggregation_set_room(runtime, job->message);
        if (job->incomplete)
            give_up(runtime, retention,
                    "a log directory did not answer in time, and shared storage has those of the others");
        else
            end_pending(runtime, retention, true);
        return;
    }
    if (job->killed) {
        snprintf(job->message, sizeof(job->message),
                 "the logs of an application were not written within %" PRId64
                 " s (creel.log-aggregation.timeout-ms)",
                 aggregation->timeout_ms / 1000);
        /* If others were written meanwhile, the logs of this one are large. */
        is_of_storage = aggregation->saved_ms < job->began_ms;
    }
    if (!is_of_storage) {
        fail_user(runtime, retention, job->message);
        return;
    }
    fail_storage(runtime, job->message, now_ms);
    postpone(runtime, retention, 0);
}

/* Lets the logs of a user wait who has its share of the processes, so that those of others come first. */
static void wait_for_share(struct runtime *runtime, struct retention *retention, uid_t uid, int64_t now_ms)
{
    struct aggregation *aggregation = &runtime->aggregation;
    scoped_free char *text = NULL;

    retention_postpone(runtime, retention, process_now_ms() + SHARE_PAUSE_MS);
    if (retention->waits)
        return;
    retention->waits = true;
    shares_count_refused(aggregation->places, SHARES_OWNER_FULL);
    if (aggregation->waiting_noted_ms != 0 && now_ms - aggregation->waiting_noted_ms < SHARE_NOTE_MS)
        return;
    aggregation->waiting_noted_ms = now_ms;
    text = mem_printf("logs of the user with id %u wait: %d processes move logs of this user to shared "
                      "storage, the most for one user",
                      (unsigned)uid, AGGREGATION_JOBS_OF_USER_MAX);
    aggregation_report(runtime, text);
}

/* Returns true if an attempt is to wait for a log directory that does not answer: until the end of the time
 * for attempts, and once at least, since the directory may be late at the start of the agent. */
static bool may_wait_for_disk(const struct retention *retention)
{
    return retention->failures == 0 || process_now_ms() < retention->due_ms;
}

/* No log directory that answers has logs of the application. */
static void end_without_logs(struct runtime *runtime, struct retention *retention, bool incomplete)
{
    if (incomplete) {
        give_up(runtime, retention, "a log directory did not answer in time");
        return;
    }
    retention_end_pending(runtime, retention, false);
    report_app(runtime, retention->app_id, true); /* there is nothing to write */
}

/* Starts a process for the pending application RETENTION. Returns false if its user has its share. */
static bool begin(struct runtime *runtime, struct aggregation_job *job, struct retention *retention,
                  int64_t now_ms)
{
    struct shares *places = runtime->aggregation.places;
    scoped_free char **log_dirs = disk_answering_log_dirs(runtime);
    bool incomplete = count_of(log_dirs) < runtime->health.logs.count;
    char owner[AGGREGATION_OWNER_MAX];
    struct err err = { .code = 0 };
    uid_t uid = 0;
    int result;

    if (incomplete && may_wait_for_disk(retention)) {
        try_later(runtime, retention, DISK_RETRY_MS);
        return true;
    }
    if (!find_owner(log_dirs, retention->app_id, &uid)) {
        end_without_logs(runtime, retention, incomplete);
        return true;
    }
    snprintf(owner, sizeof(owner), "%u", (unsigned)uid);
    if (shares_room(places, owner) == SHARES_OWNER_FULL) {
        wait_for_share(runtime, retention, uid, now_ms);
        return false;
    }
    result = start_save(runtime, job, retention->app_id, uid, log_dirs, now_ms);
    if (result == 0) {
        job->incomplete = incomplete;
        memcpy(job->owner, owner, sizeof(job->owner));
        shares_add(places, owner);
        retention_postpone(runtime, retention, INT64_MAX);
        return true;
    }
    err_set_errno(&err, -result, "%s", runtime->aggregation.program);
    fail_storage(runtime, err.text, now_ms);
    postpone(runtime, retention, 0);
    return true;
}

/* --- old files ---------------------------------------------------------------- */

static void begin_sweep(struct runtime *runtime, int64_t now_ms)
{
    struct aggregation *aggregation = &runtime->aggregation;
    scoped_free char *parent = mem_printf("%ld", (long)getpid());
    scoped_free char *retain = mem_printf("%" PRId64, aggregation->retain_ms);
    scoped_free char *check = mem_printf("%" PRId64, aggregation->check_ms);
    const char *const argv[] = { "creel-aggregate",   "sweep", parent, aggregation->dir,
                                 aggregation->suffix, retain,  check,  NULL };

    aggregation->sweep_due_ms = now_ms + SWEEP_RETRY_MS;
    (void)start(runtime, &aggregation->sweep, argv, NULL, now_ms);
}

static void conclude_sweep(struct runtime *runtime, int status, int64_t now_ms)
{
    struct aggregation *aggregation = &runtime->aggregation;

    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        aggregation_set_room(runtime, aggregation->sweep.message);
        aggregation->sweep_due_ms = aggregation->retain_ms < 0 ? INT64_MAX : now_ms + aggregation->check_ms;
        return;
    }
    if (!aggregation->sweep.killed && aggregation->sweep.message[0] != '\0')
        aggregation_set_problem(runtime, aggregation->sweep.message, false);
    aggregation->sweep_due_ms = now_ms + SWEEP_RETRY_MS;
}

/* --- all ---------------------------------------------------------------------- */

static bool check_jobs(struct runtime *runtime, int64_t now_ms)
{
    struct aggregation *aggregation = &runtime->aggregation;
    bool is_busy = false;
    int status;

    for (size_t i = 0; i < AGGREGATION_JOBS_MAX; i++) {
        struct aggregation_job *job = &aggregation->jobs[i];

        if (job->pid != 0 && has_ended(aggregation, job, now_ms, &status)) {
            conclude(runtime, job, status, now_ms);
            clear_job(aggregation, job);
        }
        is_busy = is_busy || job->pid != 0;
    }
    if (aggregation->sweep.pid != 0 && has_ended(aggregation, &aggregation->sweep, now_ms, &status)) {
        conclude_sweep(runtime, status, now_ms);
        clear_job(aggregation, &aggregation->sweep);
    }
    return is_busy;
}

/* Starts as many processes as may run: one alone while the storage fails. */
static bool begin_all(struct runtime *runtime, bool is_busy, int64_t now_ms)
{
    struct aggregation *aggregation = &runtime->aggregation;
    struct retention *first;
    int looks = 0;

    for (size_t i = 0; i < AGGREGATION_JOBS_MAX; i++) {
        while (aggregation->jobs[i].pid == 0 && now_ms >= aggregation->storage_due_ms &&
               looks < SHARE_LOOKS_MAX && (aggregation->storage_failures == 0 || !is_busy) &&
               (first = retention_first_pending(runtime)) != NULL && first->next_ms <= process_now_ms())
            looks += !begin(runtime, &aggregation->jobs[i], first, now_ms);
        is_busy = is_busy || aggregation->jobs[i].pid != 0;
    }
    return is_busy || aggregation->sweep.pid != 0;
}

/* Returns the monotonic time of the next start; INT64_MAX: none is planned. */
static int64_t next_start_ms(struct runtime *runtime, int64_t now_ms)
{
    const struct aggregation *aggregation = &runtime->aggregation;
    const struct retention *first = retention_first_pending(runtime);
    int64_t due_ms = INT64_MAX;

    if (first != NULL && first->next_ms != INT64_MAX)
        due_ms = now_ms + (first->next_ms > process_now_ms() ? first->next_ms - process_now_ms() : 0);
    if (due_ms < aggregation->storage_due_ms)
        due_ms = aggregation->storage_due_ms;
    return due_ms < aggregation->sweep_due_ms ? due_ms : aggregation->sweep_due_ms;
}

void aggregation_go_on(struct runtime *runtime, int64_t now_ms)
{
    struct aggregation *aggregation = &runtime->aggregation;
    bool is_busy;

    if (aggregation->dir == NULL || now_ms < aggregation->poll_due_ms)
        return;
    is_busy = check_jobs(runtime, now_ms);
    if (aggregation->sweep.pid == 0 && now_ms >= aggregation->sweep_due_ms)
        begin_sweep(runtime, now_ms);
    is_busy = begin_all(runtime, is_busy, now_ms);
    aggregation->poll_due_ms = is_busy ? now_ms + POLL_MS : next_start_ms(runtime, now_ms);
}

/* Returns true also if a log dir does not answer: it may have some. */
static bool has_logs(const struct runtime *runtime, const char *app_id)
{
    uid_t uid = 0;

    return !disk_log_dirs_answer(runtime) || find_owner(runtime->log_dirs, app_id, &uid);
}

/* Reports the state of an application that is not pending any more, since the report of an earlier agent may
 * be lost. */
static void report_again(struct runtime *runtime, const struct retention *retention, bool logs_are_here)
{
    bool is_kept =
        retention->state == RETENTION_EXPIRED || (retention->state == RETENTION_KEPT && logs_are_here);

    if (retention->state != RETENTION_PENDING)
        report_app(runtime, retention->app_id, !is_kept);
}

void aggregation_add(struct runtime *runtime, const char *app_id, int64_t retain_ms)
{
    struct aggregation *aggregation = &runtime->aggregation;
    const struct retention *known = retention_find(runtime, app_id);
    bool logs_are_here = aggregation->dir != NULL && has_logs(runtime, app_id);

    if (aggregation->dir != NULL && known != NULL)
        report_again(runtime, known, logs_are_here);
    else if (aggregation->dir != NULL && !logs_are_here)
        report_app(runtime, app_id, true); /* there is nothing to move */
    if (logs_are_here)
        retention_add_pending(runtime, app_id, retain_ms, aggregation->retry_ms);
    else
        retention_add(runtime, app_id, retain_ms);
    if (aggregation->dir != NULL && aggregation->poll_due_ms > monotonic_ms() + POLL_MS)
        aggregation->poll_due_ms = monotonic_ms();
}

/* Reports applications whose logs an earlier agent has saved just before it ended. */
static void report_saved(struct runtime *runtime)
{
    const struct retention *retention;

    for (retention = runtime->retentions; retention != NULL; retention = retention->hh.next)
        if (retention->state == RETENTION_SAVED)
            report_app(runtime, retention->app_id, true);
}

/* Returns the path of creel-aggregate, next to creel-shim. The caller frees it. */
static char *program_of(const struct runtime *runtime)
{
    const char *slash = strrchr(runtime->shim_path, '/');

    return mem_printf("%.*screel-aggregate", slash ? (int)(slash + 1 - runtime->shim_path) : 0,
                      runtime->shim_path);
}

const struct shares *runtime_log_places(const struct runtime *runtime)
{
    return runtime->aggregation.places;
}

void aggregation_init(struct runtime *runtime, const struct runtime_aggregation *config)
{
    struct aggregation *aggregation = &runtime->aggregation;
    struct retention *first;

    aggregation->poll_due_ms = INT64_MAX;
    aggregation->saved_ms = INT64_MIN;
    if (config->dir == NULL) {
        while ((first = retention_first_pending(runtime)) != NULL)
            retention_end_pending(runtime, first, false);
        return;
    }
    aggregation->places = shares_new(AGGREGATION_JOBS_MAX, AGGREGATION_JOBS_OF_USER_MAX);
    aggregation->dir = mem_strdup(config->dir);
    aggregation->suffix = mem_strdup(config->suffix);
    aggregation->file = mem_strdup(config->file);
    aggregation->program = program_of(runtime);
    aggregation->retain_ms = config->retain_ms;
    aggregation->check_ms = config->check_ms;
    aggregation->timeout_ms = config->timeout_ms;
    aggregation->retry_ms = config->retry_ms;
    aggregation->grace_ms = config->grace_ms;
    aggregation->poll_due_ms = 0;
    report_saved(runtime);
}

/* Waits a moment for the end of the process: one that waits for the storage ends only later. */
static void kill_job(struct aggregation *aggregation, struct aggregation_job *job)
{
    int64_t until_ms = monotonic_ms() + END_MS;
    const struct timespec pause = { .tv_nsec = 1000000 };

    if (job->pid == 0)
        return;
    kill(job->pid, SIGKILL);
    while (waitpid(job->pid, NULL, WNOHANG) == 0 && monotonic_ms() < until_ms)
        nanosleep(&pause, NULL);
    clear_job(aggregation, job);
}

void aggregation_end(struct runtime *runtime)
{
    struct aggregation *aggregation = &runtime->aggregation;

    for (size_t i = 0; i < AGGREGATION_JOBS_MAX; i++)
        kill_job(aggregation, &aggregation->jobs[i]);
    kill_job(aggregation, &aggregation->sweep);
    shares_free(aggregation->places);
    free(aggregation->dir);
    free(aggregation->suffix);
    free(aggregation->file);
    free(aggregation->program);
}
