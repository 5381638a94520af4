/* SPDX-License-Identifier: Apache-2.0 */
/* state_actions.c - checks, backs up, restores or accepts a state directory for an operator */
#include "rm/net/rescue/state_actions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/loop/loop.h"
#include "rm/net/conf/conf_files.h"
#include "rm/net/parts/placed_files.h"
#include "rm/net/rescue/state_archive.h"
#include "rm/net/rescue/state_files.h"
#include "rm/net/rescue/state_dir.h"
#include "rm/net/rescue/state_rescue.h"

#define SERVICE_USER "creel" /* of systemd/creel-rm.service */
#define CONF_DIRECTORY "/etc/creel"

static int find_directory(const struct conf *conf, const char **ret, struct err *err)
{
    struct stat status;

    *ret = conf_text(conf, CONF_RM_STATE_DIR);
    if (stat(*ret, &status) == 0)
        return 0;
    return errno == ENOENT
               ? err_set(err, ENOENT,
                         "%s: no state directory; if it was removed while creel-rm runs: install -d -m 700 "
                         "-o creel -g creel %s, then repeat this command; creel cluster health has the rest",
                         *ret, *ret)
               : err_set_errno(err, errno, "%s: no state directory", *ret);
}

/* As root, gives the new state directory to the user of the service, if there is this user. */
static int give_directory(const char *directory, struct err *err)
{
    const struct passwd *user = geteuid() == 0 ? getpwnam(SERVICE_USER) : NULL;

    if (user == NULL || chown(directory, user->pw_uid, user->pw_gid) == 0)
        return 0;
    return err_set_errno(err, errno, "%s: cannot be given to user " SERVICE_USER, directory);
}

/* Makes the state directory on a host on which the resource manager has not run yet. Notes what it made in
 * MADE. */
static int make_directory(const char *directory, struct placed_files *made, struct err *err)
{
    struct stat status;
    int r;

    if (stat(directory, &status) == 0)
        return 0;
    r = placed_files_make_directory(made, directory, 0700, err);
    if (r == 0)
        r = state_dir_make(directory, err);
    return r < 0 ? r : give_directory(directory, err);
}

/* After an error, removes the state directory if it was made. */
static void unmake_directory(const char *directory, struct placed_files *made, bool failed)
{
    scoped_free char *lock = mem_printf("%s/lock", directory);

    if (failed && made->count > 0) {
        (void)unlink(lock);
        placed_files_undo(made);
    }
    placed_files_done(made);
}

/* Gives the files of DIRECTORY to its owner. Without this the resource manager could not write
 * files that root has created. */
static void set_owner(const char *directory)
{
#define NAME(name, source, archive, text) name,
    static const char *const names[] = { STATE_FILES(NAME) };
    struct stat owner;

    if (geteuid() != 0 || stat(directory, &owner) < 0)
        return;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        scoped_free char *file = mem_printf("%s/%s", directory, names[i]);

        if (lchown(file, owner.st_uid, owner.st_gid) < 0 && errno != ENOENT)
            fprintf(stderr, "creel-rm: %s: cannot be given to its owner: %s\n", file, strerror(errno));
    }
}

/* --- checking --------------------------------------------------------------------- */

static void print_report(const char *directory, const struct store_report *report)
{
    printf("directory %s\nverdict %s\nstore %s\ncluster %" PRId64 "\nschema %" PRId64 "\n"
           "applications %" PRIu64 "\ncommit %" PRIu64 "\nwritten %" PRId64 "\nheadCommit %" PRIu64
           "\nheadWritten %" PRId64 "\nproblems %zu\n",
           directory, store_verdict_name(report->verdict), report->store_id, report->cluster_ms,
           report->schema, report->apps, report->commit, report->written_ms, report->head_commit,
           report->head_written_ms, report->problem_count);
    for (size_t i = 0; i < report->problem_count && i < STORE_PROBLEMS_MAX; i++)
        printf("problem %s\n", report->problems[i]);
}

/* Adds to REPORT that a state was saved at the last stop, and is not restored yet. */
static void judge_rescued(const struct conf *conf, const char *directory, struct store_report *report)
{
    struct err err = { 0 };

    if (state_rescue_check(directory, conf_text(conf, CONF_BACKUP_DIR), &err) == 0)
        return;
    if (report->verdict < STORE_LOST)
        report->verdict = STORE_LOST;
    if (report->problem_count < STORE_PROBLEMS_MAX)
        report->problems[report->problem_count++] = mem_strdup(err.text);
}

/* Prints the report of the check. A bad verdict sets the exit status, without an error message. */
static int check_state(const struct conf *conf, const char *argument, struct err *err)
{
    const char *directory;
    struct store_report report = { 0 };
    int r = find_directory(conf, &directory, err);

    (void)argument;
    if (r == 0)
        r = store_check(directory, &report, err);
    if (r == 0) {
        judge_rescued(conf, directory, &report);
        print_report(directory, &report);
        r = report.verdict <= STORE_EARLIER ? 0 : -EBADMSG;
        err->code = 0;
    }
    store_report_done(&report);
    set_owner(directory);
    return r;
}

static int backup_state(const struct conf *conf, const char *argument, struct err *err)
{
    const char *directory;
    struct store_report report = { 0 };
    int r = find_directory(conf, &directory, err);

    if (r == 0)
        r = state_rescue_backup(directory, argument, &report, err);
    if (r == 0) {
        print_report(directory, &report);
        printf(
            "contains applications, nodes, settings, keys of hosts that have joined, secret keys of tokens\n"
            "lacks history (%s/history), uploaded files (%s/blobs), keys (%s), configuration (%s): "
            "creel admin state backup --all FILE has these, too\n",
            directory, directory, conf_text(conf, CONF_KEY_DIR), conf_loaded_from(conf));
    }
    store_report_done(&report);
    set_owner(directory);
    return r;
}

/* Ends the line of what a backup contains, and prints that of what it lacks. */
static void print_outside(const struct conf *conf)
{
    struct conf_files files;

    conf_files_find(conf, &files);
    for (size_t i = 0; i < files.count; i++)
        printf("%s%s", i == 0 ? ", files that the configuration names: " : ", ", files.paths[i]);
    printf("\n");
    if (*files.lacking != '\0')
        printf("lacks what has to be installed on a new host: %s\n", files.lacking);
    conf_files_done(&files);
}

static int backup_all(const struct conf *conf, const char *argument, struct err *err)
{
    const char *directory;
    scoped_free char *contents = NULL;
    struct store_report report = { 0 };
    int r = find_directory(conf, &directory, err);

    if (r == 0)
        r = state_archive_make(conf, argument, &report, &contents, err);
    if (r == 0) {
        print_report(directory, &report);
        printf("contains %s", contents);
        print_outside(conf);
        printf(
            "secret it has the secret keys of this host: its mode is 0600, keep it where only root can read "
            "it\n");
    }
    store_report_done(&report);
    set_owner(directory);
    return r;
}

/* --- accepting ---------------------------------------------------------------------- */

static void print_decision(const char *directory, const struct store_decision *decision)
{
    printf("directory %s\nanew %d\nsetAside %zu\nepoch %" PRIu32 "\nlastApplication %" PRIu32 "\n", directory,
           decision->anew, decision->set_aside, decision->epoch, decision->last_app_seq);
    if (decision->moved_to != NULL)
        printf("moved %s\n", decision->moved_to);
}

static int restore_file(const struct conf *conf, const char *file, struct err *err)
{
    const char *directory = conf_text(conf, CONF_RM_STATE_DIR);
    struct store_decision decision = { 0 };
    struct placed_files made = { 0 };
    int r = make_directory(directory, &made, err);

    if (r == 0)
        r = store_restore(directory, file, loop_now_ms(), &decision, err);
    if (r == 0)
        print_decision(directory, &decision);
    store_decision_done(&decision);
    set_owner(directory);
    unmake_directory(directory, &made, r < 0);
    return r;
}

struct printing {
    bool restored; /* prints those that were restored; false: those that were here */
    size_t count;
};

static void print_file(void *context, const char *path, bool restored)
{
    struct printing *printing = context;

    if (restored != printing->restored)
        return;
    if (printing->restored)
        printf("%s%s", printing->count == 0 ? "; files that the configuration names: " : ", ", path);
    else
        printf("%s%s", printing->count == 0 ? "kept " : ", ", path);
    printing->count++;
}

static void print_restored(const struct state_archive *archive, const char *conf_directory,
                           const struct state_restored *restored, const struct store_decision *decision)
{
    const struct conf *conf = state_archive_conf(archive);
    const char *key_directory = conf_text(conf, CONF_KEY_DIR);
    struct printing placed = { .restored = true }, kept = { .restored = false };
    struct conf_files files;

    print_decision(conf_text(conf, CONF_RM_STATE_DIR), decision);
    printf("restored state, history, uploaded files; of the configuration (%s) the files that were missing "
           "here; ",
           conf_directory);
    if (restored->keys)
        printf("keys (%s)", key_directory);
    else
        printf(restored->secret ? "no keys: %s has those of a resource manager"
                                : "no keys for %s in the archive",
               key_directory);
    state_archive_each_outside(archive, print_file, &placed);
    printf("\n");
    state_archive_each_outside(archive, print_file, &kept);
    if (kept.count > 0)
        printf(", which were here and were not replaced\n");
    if (!restored->secret)
        printf("warning the archive has no secret key of the resource manager, and creel-rm does not start "
               "without %s/rm_secret: take it from an older archive (tar -xpf FILE -C %s "
               "--strip-components=1 keys/rm_secret); without one, delete %s/rm, make a new pair with creel "
               "keygen cluster, and copy the new %s/rm to all nodes and hosts of users\n",
               key_directory, key_directory, key_directory, key_directory);
    conf_files_find(conf, &files);
    if (*files.lacking != '\0')
        printf("lacks what has to be installed on this host: %s\n", files.lacking);
    conf_files_done(&files);
}

/* Restores all of ARCHIVE, whose state directory may be missing: it is removed again after an error. */
static int restore_opened(struct state_archive *archive, const char *conf_directory, struct err *err)
{
    const struct conf *conf = state_archive_conf(archive);
    const char *directory = conf_text(conf, CONF_RM_STATE_DIR);
    struct placed_files made = { 0 };
    struct store_decision decision = { 0 };
    struct state_restored restored = { 0 };
    int r = access(directory, F_OK) == 0 ? store_check_unused(directory, err) : 0;

    if (r == 0)
        r = make_directory(directory, &made, err);
    if (r == 0)
        r = state_archive_restore(archive, loop_now_ms(), &decision, &restored, err);
    if (r == 0)
        print_restored(archive, conf_directory, &restored, &decision);
    store_decision_done(&decision);
    set_owner(directory);
    unmake_directory(directory, &made, r < 0);
    return r;
}

static int restore_archive(const struct conf *conf, const char *file, struct err *err)
{
    const char *base = conf_loaded_from(conf), *directory = conf_text(conf, CONF_RM_STATE_DIR);
    const char *conf_directory = *base != '\0' ? base : CONF_DIRECTORY;
    struct state_archive *archive = NULL;
    int r = 0;

    if (access(directory, F_OK) == 0) /* nothing is unpacked while a resource manager uses the state */
        r = store_check_unused(directory, err);
    if (r == 0)
        r = state_archive_open(file, conf_directory, &archive, err);
    if (r == 0)
        r = restore_opened(archive, conf_directory, err);
    state_archive_close(archive);
    return r;
}

static int restore_state(const struct conf *conf, const char *argument, struct err *err)
{
    scoped_free char *reason = NULL;
    int r;

    if (access(argument, R_OK) < 0)
        return err_set_errno(err, errno, "%s: cannot be read", argument);
    r = state_archive_is(argument) ? restore_archive(conf, argument, err) : restore_file(conf, argument, err);
    if (r == 0 || strstr(err->text, "nothing was changed") != NULL)
        return r;
    reason = mem_strdup(err->text);
    return err_set(err, -r, "%s; nothing was changed", reason);
}

static int accept_state(const struct conf *conf, const char *argument, struct err *err)
{
    struct store_decision decision = { 0 };
    const char *directory;
    int r = find_directory(conf, &directory, err);

    (void)argument;
    if (r == 0)
        r = store_accept_directory(directory, loop_now_ms(), &decision, err);
    if (r == 0)
        print_decision(directory, &decision);
    store_decision_done(&decision);
    set_owner(directory);
    return r;
}

const struct program_action state_actions[] = {
    { "check-state", NULL, "is the state whole, and the newest? changes nothing (creel admin state check)",
      check_state },
    { "backup-state", "FILE", "copy it, also while creel-rm runs (creel admin state backup)", backup_state },
    { "backup-all", "FILE", "the same, with history, files, keys, configuration (--all)", backup_all },
    { "restore-state", "FILE", "put a backup in its place (creel admin state restore)", restore_state },
    { "accept-state", NULL, "continue with the damaged or incomplete state (creel admin state accept)",
      accept_state },
    { NULL, NULL, NULL, NULL },
};
