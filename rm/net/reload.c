/* SPDX-License-Identifier: Apache-2.0 */
/* reload.c - reads the configuration of queues again, and applies all of it or nothing */
#include <errno.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/net/daemon.h"
#include "rm/schedconf/schedconf.h"

#define WARNINGS_MAX 100 /* maximum of warnings in the reply; the log has all of them */

struct warnings {
    char *texts[WARNINGS_MAX]; /* owned */
    size_t count;
};

static void on_warning(void *context, const char *text)
{
    struct warnings *warnings = context;

    log_line(LOG_LEVEL_WARN, "%s", text);
    if (warnings->count < WARNINGS_MAX)
        warnings->texts[warnings->count++] = mem_strdup(text);
}

/* --- the allocation file ---------------------------------------------------- */

static bool is_fair(const struct daemon *daemon)
{
    return text_equal(daemon->settings.master.scheduler, "fair");
}

const struct conf *conf_in_force(const struct daemon *daemon)
{
    return daemon->queue_conf ? daemon->queue_conf : daemon->conf;
}

static struct file_mark mark_of_file(const struct conf *conf)
{
    scoped_free char *path = NULL;

    if (schedconf_fair_path(conf, &path, NULL, NULL) < 0)
        return (struct file_mark){ .there = false };
    return file_mark_of(path);
}

void reload_note_file(struct daemon *daemon, const struct conf *conf)
{
    struct file_mark mark = mark_of_file(conf);

    file_watch_note_read(&daemon->queue_file, &mark);
    daemon->queue_file_holds = mark.there;
}

/* Refuses a refresh if the allocation file was there before and is missing now: this must not remove all
 * queues. At the start the file may be missing. */
static int check_gone(const struct daemon *daemon, const struct conf *conf, struct err *err)
{
    scoped_free char *path = NULL;

    if (!is_fair(daemon) || !daemon->queue_file_holds || mark_of_file(conf).there)
        return 0;
    if (schedconf_fair_path(conf, &path, NULL, err) < 0)
        return -EINVAL;
    return err_set(err, EINVAL,
                   "%s: is gone; its last content stays in force (<allocations/> in it "
                   "would have no queues)",
                   path);
}

/* --- changed keys ------------------------------------------------------------ */

bool reload_applies(const char *name)
{
    static const char *const families[] = {
        "yarn.scheduler.",
        "yarn.resourcemanager.monitor.capacity.",
        "yarn.node-labels.",
        "creel.node-labels",
        "yarn.resourcemanager.scheduler.monitor.",
        "yarn.cluster.max-application-priority",
        "creel.submit.user-jobs-",
        "creel.submit.user-asks-",
        "yarn.resourcemanager.nodes.",
        "yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs",
    };

    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (text_has_prefix(name, families[i]))
            return true;
    return false;
}

struct comparison {
    const struct conf *old, *new;
    size_t changes;
};

static void log_change(const char *name, const char *before, const char *now)
{
    log_line(LOG_LEVEL_INFO, "%s: %s%s%s -> %s%s%s%s", name, before ? "\"" : "", before ? before : "unset",
             before ? "\"" : "", now ? "\"" : "", now ? now : "unset", now ? "\"" : "",
             reload_applies(name) ? "" : " (counts from the next start)");
}

static void compare_new(void *context, const char *name, const char *value, const char *origin)
{
    struct comparison *comparison = context;
    const char *before = conf_show(comparison->old, name);

    (void)origin;
    if (before && text_equal(before, value))
        return;
    if (comparison->changes++ < WARNINGS_MAX)
        log_change(name, before, value);
}

static void compare_gone(void *context, const char *name, const char *value, const char *origin)
{
    struct comparison *comparison = context;

    (void)origin;
    if (conf_show(comparison->new, name) == NULL && comparison->changes++ < WARNINGS_MAX)
        log_change(name, value, NULL);
}

static void log_changes(const struct conf *old, const struct conf *new)
{
    struct comparison comparison = { .old = old, .new = new };

    conf_each(new, compare_new, &comparison);
    conf_each(old, compare_gone, &comparison);
    if (comparison.changes == 0)
        log_line(LOG_LEVEL_INFO, "no key of the configuration has another value");
    else if (comparison.changes > WARNINGS_MAX)
        log_line(LOG_LEVEL_INFO, "... and %zu more keys that have another value",
                 comparison.changes - WARNINGS_MAX);
}

/* --- reloading -------------------------------------------------------------- */

static int build(struct daemon *daemon, const struct conf *conf, struct warnings *warnings,
                 struct sched_config *config, struct err *err)
{
    int r = check_gone(daemon, conf, err);

    return r < 0 ? r : schedconf_build(conf, on_warning, warnings, config, err);
}

/* Passes CONFIG to the master, which answers the requester. If BUILT is false, CONFIG could not be built for
 * the reason in ERR, and the refresh fails. */
static bool hand_over(struct daemon *daemon, const struct master_reload *reload, bool built,
                      struct sched_config *config, struct warnings *warnings, struct err *err)
{
    bool taken =
        master_reload(daemon->master, daemon_now_ms(daemon), reload, built ? config : NULL,
                      (const char *const *)warnings->texts, warnings->count, err, daemon->filling) == 0;

    metrics_note_reload(&daemon->metrics, taken, daemon_now_ms(daemon));
    if (taken) {
        log_line(LOG_LEVEL_INFO, "queues refreshed for %s", reload->user);
        schedconf_taken(config);
    } else {
        log_line(LOG_LEVEL_ERROR, "queues not refreshed for %s, all stays as it was: %s", reload->user,
                 err->text);
        schedconf_free(config);
    }
    for (size_t i = 0; i < warnings->count; i++)
        free(warnings->texts[i]);
    return taken;
}

bool reload_apply(struct daemon *daemon, const struct master_reload *reload, struct conf *conf,
                  struct err *err)
{
    struct sched_config config = { .policy = NULL };
    struct warnings warnings = { .count = 0 };
    struct file_mark mark = mark_of_file(conf != NULL ? conf : conf_in_force(daemon));
    bool built = conf != NULL && build(daemon, conf, &warnings, &config, err) == 0;
    struct master_user_limits limits;

    file_watch_note_read(&daemon->queue_file, &mark);
    if (!hand_over(daemon, reload, built, &config, &warnings, err)) {
        conf_free(conf);
        return false;
    }
    limits = settings_user_limits(conf);
    master_set_user_limits(daemon->master, &limits);
    log_changes(conf_in_force(daemon), conf);
    daemon->queue_file_holds = mark.there;
    conf_free(daemon->queue_conf);
    daemon->queue_conf = conf;
    return true;
}

int reload_queues(struct daemon *daemon, const struct master_reload *reload, struct err *err)
{
    struct conf *conf = NULL;

    if (scheduler_conf_read(conf_loaded_from(daemon->conf), scheduler_confs_newest(&daemon->scheduler_confs),
                            &conf, err) < 0)
        conf = NULL;
    return reload_apply(daemon, reload, conf, err) ? 0 : -EINVAL;
}

static void reload_file(struct daemon *daemon)
{
    struct sched_config config = { .policy = NULL };
    struct warnings warnings = { .count = 0 };
    const struct conf *conf = conf_in_force(daemon);
    scoped_free char *path = NULL, *user = NULL;
    struct err err = { 0 };
    bool built = schedconf_fair_path(conf, &path, NULL, &err) == 0 &&
                 build(daemon, conf, &warnings, &config, &err) == 0;
    struct master_reload reload;

    user = mem_printf("a change of %s", path ? path : "the allocation file");
    reload = (struct master_reload){ .user = user };
    if (hand_over(daemon, &reload, built, &config, &warnings, &err))
        daemon->queue_file_holds = daemon->queue_file.taken.there;
}

void reload_check_file(struct daemon *daemon)
{
    struct file_mark mark = mark_of_file(conf_in_force(daemon));

    if (file_watch_check(&daemon->queue_file, &mark, loop_now_ms(),
                         conf_ms(daemon->conf, CONF_FAIR_RELOAD_QUIET)) != FILE_WATCH_REST)
        reload_file(daemon);
}
