/* SPDX-License-Identifier: Apache-2.0 */
/* reload.c - reads the configuration of queues again, and applies all of it or nothing */
#include <errno.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_list.h"
#include "rm/identity/groups.h"
#include "rm/net/conf/settings.h"
#include "rm/net/reload.h"
#include "rm/schedconf/schedconf.h"

/* For the reply; the log has all warnings. */
struct remarks {
    struct text_list warnings, changes;
};

static void remarks_clear(struct remarks *remarks)
{
    text_list_clear(&remarks->warnings);
    text_list_clear(&remarks->changes);
}

static void on_warning(void *context, enum conf_effect effect, const char *text)
{
    struct remarks *remarks = context;

    if (!conf_effect_matters(effect))
        return;
    log_line(LOG_LEVEL_WARN, "%s", text);
    text_list_add(&remarks->warnings, mem_strdup(text));
}

/* --- the allocation file ---------------------------------------------------- */

const struct conf *conf_in_force(const struct daemon_confs *confs)
{
    return confs->queues ? confs->queues : confs->started;
}

static struct file_mark mark_of_file(const struct conf *conf)
{
    scoped_free char *path = NULL;

    if (schedconf_fair_path(conf, &path, NULL, NULL) < 0)
        return (struct file_mark){ .there = false };
    return file_mark_of(path);
}

/* Returns the mark of the file of mapping rules. */
static struct file_mark mark_of_rules(const struct conf *conf)
{
    const char *path = schedconf_rules_path(conf);

    return path != NULL ? file_mark_of(path) : (struct file_mark){ .there = false };
}

void reload_note_file(struct daemon_confs *confs, const struct conf *conf)
{
    struct file_mark mark = mark_of_file(conf);

    confs->rules_file = mark_of_rules(conf);
    file_watch_note_read(&confs->queue_file, &mark);
    confs->queue_file_holds = mark.there;
}

/* Refuses a refresh if the allocation file was there before and is missing now: this must not remove all
 * queues. At the start the file may be missing. */
static int check_gone(const struct daemon_confs *confs, const struct conf *conf, struct err *err)
{
    scoped_free char *path = NULL;

    if (!confs->parts.is_fair || !confs->queue_file_holds || mark_of_file(conf).there)
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
        "yarn.resourcemanager.node-labels.",
        "yarn.resource-types.", /* limits; a change of types or units is refused */
        "yarn.resourcemanager.scheduler.monitor.",
        "yarn.cluster.max-application-priority",
        "yarn.workflow-id.",
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
    const struct daemon_confs *confs;
    const struct conf *old, *new;
    struct text_list *changes; /* borrowed; the first of them */
};

/* Returns the configuration with the value of NAME that is in force. */
static const struct conf *old_of(const struct comparison *comparison, const char *name)
{
    return reload_access_reads(name) ? reload_access_conf(comparison->confs, name) : comparison->old;
}

/* Returns when a change of NAME takes effect. */
static const char *when_text(const char *name)
{
    if (text_equal(name, GROUPS_KEY))
        return " (creel admin refresh groups applies it)";
    if (reload_access_reads(name))
        return " (creel admin refresh acls applies it)";
    if (text_has_prefix(name, "yarn.resourcemanager.nodes.") ||
        text_equal(name, "yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs"))
        return " (creel admin refresh nodes applies it)";
    return reload_applies(name) ? "" : " (takes effect at the next start)";
}

static void add_change(struct comparison *comparison, const char *name, const char *before, const char *now)
{
    text_list_add(comparison->changes,
                  mem_printf("%s: %s%s%s -> %s%s%s%s", name, before ? "\"" : "", before ? before : "unset",
                             before ? "\"" : "", now ? "\"" : "", now ? now : "unset", now ? "\"" : "",
                             when_text(name)));
}

static void compare_new(void *context, const char *name, const char *value, const char *origin)
{
    struct comparison *comparison = context;
    const char *before = conf_show(old_of(comparison, name), name);

    (void)origin;
    if (before && text_equal(before, value))
        return;
    add_change(comparison, name, before, value);
}

static void compare_gone(void *context, const char *name, const char *value, const char *origin)
{
    struct comparison *comparison = context;

    (void)origin;
    if (conf_show(comparison->new, name) == NULL && conf_show(old_of(comparison, name), name) != NULL)
        add_change(comparison, name, value, NULL);
}

/* Collects the keys that have another value in NEW (may be NULL), and the allocation file if it is another
 * one. */
static void find_changes(const struct daemon_confs *confs, const struct conf *new, struct text_list *changes)
{
    struct comparison comparison = { confs, conf_in_force(confs), new, changes };
    scoped_free char *path = NULL;
    struct file_mark mark, rules;

    if (new == NULL)
        return;
    mark = mark_of_file(new);
    rules = mark_of_rules(new);
    if (mark.there && !file_mark_equal(&mark, &confs->queue_file.taken) &&
        schedconf_fair_path(new, &path, NULL, NULL) == 0)
        text_list_add(changes, mem_printf("%s: has changed", path));
    if (rules.there && !file_mark_equal(&rules, &confs->rules_file))
        text_list_add(changes, mem_printf("%s: has changed", schedconf_rules_path(new)));
    conf_each(new, compare_new, &comparison);
    conf_each(comparison.old, compare_gone, &comparison);
    text_list_end(changes, "changes");
}

static void log_changes(const struct text_list *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        log_line(LOG_LEVEL_INFO, "%s", changes->items[i]);
    if (changes->count == 0)
        log_line(LOG_LEVEL_INFO, "no key of the configuration has another value");
}

/* --- reloading -------------------------------------------------------------- */

static int build(struct daemon_confs *confs, const struct conf *conf, struct remarks *remarks,
                 struct sched_config *config, struct err *err)
{
    int r = check_gone(confs, conf, err);

    return r < 0 ? r : schedconf_build(conf, on_warning, remarks, config, err);
}

/* Passes CONFIG to the master, which answers the requester. If BUILT is false, CONFIG could not be built for
 * the reason in ERR, and the refresh fails. */
static bool hand_over(struct daemon_confs *confs, const struct master_reload *reload, bool built,
                      struct sched_config *config, struct remarks *remarks, struct err *err)
{
    struct master_remarks sent = {
        .warnings = (const char *const *)remarks->warnings.items,
        .changes = (const char *const *)remarks->changes.items,
        .warning_count = remarks->warnings.count,
        .change_count = remarks->changes.count,
    };
    bool taken = master_reload(confs->parts.master, clock_now_ms(confs->parts.clock), reload,
                               built ? config : NULL, &sent, err, confs->parts.commits->filling) == 0;

    if (taken || !reload->changed)
        metrics_note_reload(confs->parts.metrics, METRICS_QUEUES, taken, clock_now_ms(confs->parts.clock));
    else
        metrics_note_refused_change(confs->parts.metrics);
    if (taken) {
        log_line(LOG_LEVEL_INFO, "queues refreshed for %s", reload->user);
        schedconf_taken(config);
    } else {
        log_line(LOG_LEVEL_ERROR, "queues not refreshed for %s, all stays as it was: %s", reload->user,
                 err->text);
        schedconf_free(config);
    }
    return taken;
}

bool reload_apply(struct daemon_confs *confs, const struct master_reload *reload, struct conf *conf,
                  struct err *err)
{
    struct sched_config config = { .policy = NULL };
    struct remarks remarks = { .warnings.count = 0 };
    struct file_mark mark = mark_of_file(conf != NULL ? conf : conf_in_force(confs));
    bool built = conf != NULL && build(confs, conf, &remarks, &config, err) == 0, taken;
    struct master_user_limits limits;

    find_changes(confs, conf, &remarks.changes);
    file_watch_note_read(&confs->queue_file, &mark);
    taken = hand_over(confs, reload, built, &config, &remarks, err);
    if (taken)
        log_changes(&remarks.changes);
    remarks_clear(&remarks);
    if (!taken) {
        conf_free(conf);
        return false;
    }
    limits = settings_user_limits(conf);
    master_set_user_limits(confs->parts.master, &limits);
    confs->queue_file_holds = mark.there;
    confs->rules_file = mark_of_rules(conf);
    conf_free(confs->queues);
    confs->queues = conf;
    return true;
}

int reload_queues(struct daemon_confs *confs, const struct master_reload *reload, struct err *err)
{
    struct conf *conf = NULL;

    if (scheduler_conf_read(conf_loaded_from(confs->started), scheduler_confs_newest(&confs->scheduler),
                            &conf, err) < 0)
        conf = NULL;
    return reload_apply(confs, reload, conf, err) ? 0 : -EINVAL;
}

static void reload_file(struct daemon_confs *confs)
{
    struct sched_config config = { .policy = NULL };
    struct remarks remarks = { .warnings.count = 0 };
    const struct conf *conf = conf_in_force(confs);
    scoped_free char *path = NULL, *user = NULL;
    struct err err = { 0 };
    bool built =
        schedconf_fair_path(conf, &path, NULL, &err) == 0 && build(confs, conf, &remarks, &config, &err) == 0;
    struct master_reload reload;

    user = mem_printf("a change of %s", path ? path : "the allocation file");
    reload = (struct master_reload){ .user = user };
    if (hand_over(confs, &reload, built, &config, &remarks, &err))
        confs->queue_file_holds = confs->queue_file.taken.there;
    remarks_clear(&remarks);
}

void reload_check_file(struct daemon_confs *confs)
{
    struct file_mark mark = mark_of_file(conf_in_force(confs));

    if (file_watch_check(&confs->queue_file, &mark, loop_now_ms(),
                         conf_ms(confs->started, CONF_FAIR_RELOAD_QUIET)) != FILE_WATCH_REST)
        reload_file(confs);
}

void confs_done(struct daemon_confs *confs)
{
    conf_free(confs->access[0]);
    conf_free(confs->access[1]);
    conf_free(confs->queues);
    conf_free(confs->overridden);
    scheduler_confs_done(&confs->scheduler);
}
