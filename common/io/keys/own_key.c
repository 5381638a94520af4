/* SPDX-License-Identifier: Apache-2.0 */
/* own_key.c - whether the key files of a daemon are those with which it runs */
#include "common/io/keys/own_key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sodium.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/worker.h"
#include "common/io/loop/log.h"

#define STOP_MS 100 /* nothing is lost with a comparison */

struct own_key {
    struct worker *worker;
    char *directory;    /* owned */
    const char *daemon; /* "creel-rm" */
    enum key_owner owner;
    char *name; /* owned; NULL: none */
    char *file; /* owned; NULL: that of OWNER and NAME */
    const char *file_keys[OWN_KEY_FILES];
    char *files[OWN_KEY_FILES]; /* owned; NULL: none */
    struct key key, rm_key;
    char *problem;    /* what is wrong with the files; NULL: nothing; owned */
    int64_t since_ms; /* since when; 0 with PROBLEM NULL */
    int64_t asked_ms; /* steady clock: begin of the comparison that runs; 0: none runs */
};

struct comparison {
    struct worker_job job; /* first member */
    struct own_key *own;
    int64_t now_ms;
    int result;
    struct err err;
};

/* --- in the thread --------------------------------------------------------- */

static int fail_other(const struct own_key *own, struct err *err)
{
    const char *directory = own->directory;

    if (own->owner == KEY_RM)
        return err_set(err, EINVAL,
                       "%s/rm_secret is another key than the resource manager uses: after the next start, "
                       "hosts that have the present %s/rm cannot connect",
                       directory, directory);
    if (own->file != NULL)
        return err_set(
            err, EINVAL,
            "%s has another key than %s uses: after the next start the resource manager may refuse it",
            own->file, own->daemon);
    return err_set(err, EINVAL,
                   "%s/%s has another key for %s than %s uses: after the next start the resource manager "
                   "may refuse it",
                   directory, own->owner == KEY_AGENT ? "agents" : "users", own->name, own->daemon);
}

static int check_files(const struct own_key *own, struct err *err)
{
    for (size_t i = 0; i < OWN_KEY_FILES; i++) {
        scoped_fd int fd = -1;

        if (own->files[i] == NULL)
            continue;
        fd = file_open(AT_FDCWD, own->files[i], O_RDONLY, 0, NULL);
        if (fd < 0)
            return err_set_errno(err, -fd, "%s: %s", own->file_keys[i], own->files[i]);
    }
    return 0;
}

/* Returns 0 if the files in the directory are the keys in use. */
static int compare(const struct own_key *own, struct err *err)
{
    struct key found;
    int r = own->file != NULL ? key_load(own->file, true, &found, err)
                              : key_load_for(own->directory, own->owner, own->name, true, &found, err);
    bool same = r == 0 && strcmp(found.secret_text, own->key.secret_text) == 0;

    if (r == 0)
        sodium_memzero(&found, sizeof(found));
    if (r == -ENOENT && own->owner == KEY_RM) /* the remedies of a start need one that is stopped */
        r = err_set(err, ENOENT, "certificate %s/rm_secret is missing: bring it back before a restart",
                    own->directory);
    if (r == 0 && !same)
        r = fail_other(own, err);
    if (r == 0) /* an agent needs it at its start, and clients of a resource manager's host do */
        r = key_load_for(own->directory, KEY_RM, NULL, false, &found, err);
    if (r == 0 && own->owner != KEY_RM && strcmp(found.public_text, own->rm_key.public_text) != 0)
        r = err_set(err, EINVAL,
                    "%s/rm is another key than that of the resource manager to which %s is connected: after "
                    "the next start it does not find it",
                    own->directory, own->daemon);
    return r == 0 ? check_files(own, err) : r;
}

static void run_comparison(struct worker_job *job)
{
    struct comparison *comparison = (struct comparison *)job;
    const struct own_key *own = comparison->own;

    comparison->result = compare(own, &comparison->err);
}

/* --- in the loop ----------------------------------------------------------- */

/* Sets the problem to TEXT; NULL: there is none. Logs a change. */
static void set_problem(struct own_key *own, const char *text, int64_t now_ms)
{
    if (text_equal(own->problem, text))
        return;
    if (text == NULL)
        log_line(LOG_LEVEL_INFO, "the key files of %s in %s are as they were", own->daemon, own->directory);
    else
        log_line(LOG_LEVEL_ERROR, "the next start of %s will fail, or be that of another one: %s",
                 own->daemon, text);
    free(own->problem);
    own->problem = text != NULL ? mem_strdup(text) : NULL;
    own->since_ms = text == NULL ? 0 : own->since_ms != 0 ? own->since_ms : now_ms;
}

static void finish_comparison(struct worker_job *job)
{
    struct comparison *comparison = (struct comparison *)job;
    struct own_key *own = comparison->own;
    int r = comparison->result;

    own->asked_ms = 0;
    if (r != -EMFILE && r != -ENFILE && r != -EINTR) /* else nothing is known of the files */
        set_problem(own, r < 0 ? comparison->err.text : NULL, comparison->now_ms);
    free(comparison);
}

static void begin(struct own_key *own, int64_t now_ms, int64_t steady_ms)
{
    struct comparison *comparison = mem_new0(struct comparison);

    comparison->job.run = run_comparison;
    comparison->job.done = finish_comparison;
    comparison->own = own;
    comparison->now_ms = now_ms;
    own->asked_ms = steady_ms;
    worker_add(own->worker, &comparison->job);
}

void own_key_watch(struct own_key *own, int64_t now_ms, int64_t steady_ms)
{
    scoped_free char *silent = NULL;

    if (own->asked_ms == 0) {
        begin(own, now_ms, steady_ms);
        return;
    }
    if (steady_ms - own->asked_ms <= OWN_KEY_SILENT_MS)
        return;
    silent = mem_printf("%s, which has the key files, does not answer: findmnt -T shows its file system; "
                        "repair the disk or the mount",
                        own->directory);
    set_problem(own, silent, now_ms);
}

const char *own_key_directory(const struct own_key *own)
{
    return own->directory;
}

const char *own_key_problem(const struct own_key *own)
{
    return own->problem;
}

int64_t own_key_since_ms(const struct own_key *own)
{
    return own->since_ms;
}

bool own_key_is_idle(const struct own_key *own)
{
    return own->asked_ms == 0;
}

/* --- start and end ----------------------------------------------------------- */

static void on_done(void *context, int fd)
{
    (void)fd;
    worker_finish(context);
}

static int watch(void *context, int fd, struct worker *worker, struct err *err)
{
    return loop_add_fd(context, fd, false, on_done, worker, err);
}

static void unwatch(void *context, int fd)
{
    loop_remove_fd(context, fd);
}

int own_key_new(struct loop *loop, const char *directory, const struct own_key_used *used,
                struct own_key **ret, struct err *err)
{
    const struct worker_watch by_loop = { .context = loop, .add = watch, .remove = unwatch };
    struct own_key *own = mem_new0(struct own_key);
    int r = worker_start(&by_loop, true, &own->worker, err);

    if (r < 0) {
        free(own);
        return r;
    }
    own->directory = mem_strdup(directory);
    own->daemon = used->daemon;
    own->owner = used->owner;
    own->name = used->name != NULL ? mem_strdup(used->name) : NULL;
    own->file = used->file != NULL ? mem_strdup(used->file) : NULL;
    for (size_t i = 0; used->files != NULL && i < OWN_KEY_FILES; i++)
        if (used->files[i].path != NULL) {
            own->file_keys[i] = used->files[i].key;
            own->files[i] = mem_strdup(used->files[i].path);
        }
    own->key = *used->key;
    own->rm_key = *used->rm_key;
    *ret = own;
    return 0;
}

bool own_key_free(struct own_key *own)
{
    if (own == NULL)
        return true;
    if (!worker_free(own->worker, STOP_MS))
        return false;
    sodium_memzero(&own->key, sizeof(own->key));
    free(own->directory);
    free(own->name);
    free(own->file);
    for (size_t i = 0; i < OWN_KEY_FILES; i++)
        free(own->files[i]);
    free(own->problem);
    free(own);
    return true;
}
