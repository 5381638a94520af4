/* SPDX-License-Identifier: Apache-2.0 */
/* conf_change.c - answers requests that read or change the configuration of queues (scheduler_conf.h) */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/net/conf/conf_edit.h"
#include "rm/net/conf/conf_page.h"
#include "rm/net/reload.h"
#include "rm/schedconf/schedconf.h"

#define WARNINGS_MAX 100

/* --- replies -------------------------------------------------------------------- */

static void send_reply(struct daemon_confs *confs, const struct master_reload *asked,
                       Creel__Envelope *envelope)
{
    envelope->request_id = asked->request_id;
    (void)channel_server_send(confs->parts.ports[asked->channel].server, asked->connection, envelope);
}

static void refuse(struct daemon_confs *confs, const struct master_reload *asked, Creel__ErrorCode code,
                   const struct err *err)
{
    channel_server_refuse(confs->parts.ports[asked->channel].server, asked->connection, asked->request_id,
                          code, "%s", err->text);
}

static void add_warning(void *context, enum conf_effect effect, const char *text)
{
    struct conf_warnings *warnings = context;

    if (!conf_effect_matters(effect) || warnings->count >= WARNINGS_MAX)
        return;
    mem_grow(warnings->texts, warnings->count, warnings->capacity);
    warnings->texts[warnings->count++] = mem_strdup(text);
}

static void warnings_done(struct conf_warnings *warnings)
{
    for (size_t i = 0; i < warnings->count; i++)
        free(warnings->texts[i]);
    free(warnings->texts);
}

/* Sends PAGE and frees it. */
static void send_page(struct daemon_confs *confs, const struct master_reload *asked,
                      Creel__SchedulerConf *page)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;

    envelope.body_case = CREEL__ENVELOPE__BODY_SCHEDULER_CONF;
    envelope.scheduler_conf = page;
    send_reply(confs, asked, &envelope);
    creel__scheduler_conf__free_unpacked(page, NULL);
}

/* --- changes ----------------------------------------------------------------------- */

/* The command yarn and the REST interface print YARN's sentence before this one. */
static int check_accepts_changes(const struct conf *conf, struct err *err)
{
    const char *class = conf_text(conf, CONF_SCHEDULER_CLASS), *dot = strrchr(class, '.');
    const char *key = conf_key_info(CONF_SCHEDULER_STORE)->name;

    if (scheduler_conf_accepts_changes(conf))
        return 0;
    class = dot != NULL ? dot + 1 : class;
    if (!text_equal(class, "CapacityScheduler"))
        return err_set(err, EOPNOTSUPP,
                       "only queues of the CapacityScheduler can be changed here, and %s is %s: edit the "
                       "scheduler's file, then creel admin refresh queues",
                       conf_key_info(CONF_SCHEDULER_CLASS)->name, class);
    return err_set(err, EOPNOTSUPP,
                   "%s is %s: queues are configured in files alone. Edit capacity-scheduler.xml, then creel "
                   "admin refresh queues; or set %s to memory in yarn-site.xml on the host of the resource "
                   "manager, then creel admin refresh queues, and repeat this",
                   key, conf_text(conf, CONF_SCHEDULER_STORE), key);
}

/* Makes the version that CHANGE requests. FILES has the properties that are in force without the change. */
static int make_version(struct daemon_confs *confs, const struct conf *files, const char *user,
                        const Creel__ChangeSchedulerConf *change, Creel__StoredSchedulerConf **ret,
                        struct err *err)
{
    const Creel__StoredSchedulerConf *newest = scheduler_confs_newest(&confs->scheduler), *old;
    int64_t now_ms = clock_now_ms(confs->parts.clock);

    if (change->rollback_to == 0)
        return conf_edit_apply(files, newest, change, user, now_ms, ret, err);
    old = scheduler_confs_find(&confs->scheduler, change->rollback_to);
    if (old == NULL && change->rollback_to != 1)
        return err_set(err, ENOENT,
                       "there is no version %llu of the configuration of queues: creel conf versions lists "
                       "them",
                       (unsigned long long)change->rollback_to);
    *ret = conf_edit_roll_back(old, newest, user, now_ms);
    return 0;
}

/* Checks whether a scheduler can be built from CONF. */
static int judge(const struct conf *conf, struct conf_warnings *warnings, struct err *err)
{
    struct sched_config config = { .policy = NULL };
    int r = schedconf_build(conf, add_warning, warnings, &config, err);

    schedconf_free(&config);
    return r;
}

static void report_change(struct daemon_confs *confs, const struct master_reload *asked,
                          const Creel__Envelope *request, const struct err *err)
{
    if (!request->change_scheduler_conf->validate)
        outcome_report(&confs->parts, asked, request, err);
}

/* Applies CONF, which includes the overrides of ROW, as a refresh does, and makes ROW the newest version. If
 * the master refuses CONF, ROW is freed. */
static void apply_version(struct daemon_confs *confs, const struct master_reload *asked,
                          const Creel__Envelope *request, Creel__StoredSchedulerConf *row, struct conf *conf,
                          struct err *err)
{
    Creel__SchedulerConfVersion *version = conf_edit_version(scheduler_confs_newest(&confs->scheduler), row);
    struct master_reload reload = *asked;
    bool taken;

    reload.changed = row;
    reload.version = version;
    taken = reload_apply(confs, &reload, conf, err);
    creel__scheduler_conf_version__free_unpacked(version, NULL);
    report_change(confs, asked, request, taken ? NULL : err);
    if (taken)
        scheduler_confs_add(&confs->scheduler, row);
    else
        creel__stored_scheduler_conf__free_unpacked(row, NULL);
}

static Creel__ErrorCode code_of(int r)
{
    return r == -ENOENT       ? CREEL__ERROR_CODE__ERROR_NOT_FOUND
           : r == -EEXIST     ? CREEL__ERROR_CODE__ERROR_BAD_STATE
           : r == -EMSGSIZE   ? CREEL__ERROR_CODE__ERROR_TOO_LARGE
           : r == -EOPNOTSUPP ? CREEL__ERROR_CODE__ERROR_UNSUPPORTED
                              : CREEL__ERROR_CODE__ERROR_BAD_REQUEST;
}

static void change_conf(struct daemon_confs *confs, const struct master_reload *asked,
                        const Creel__Envelope *request)
{
    const Creel__ChangeSchedulerConf *change = request->change_scheduler_conf;
    const char *directory = conf_loaded_from(confs->started);
    const Creel__StoredSchedulerConf *newest = scheduler_confs_newest(&confs->scheduler);
    Creel__StoredSchedulerConf *row = NULL;
    struct conf *files = NULL, *conf = NULL;
    struct conf_warnings warnings = { .count = 0 };
    struct err err = { 0 };
    int r = check_accepts_changes(conf_in_force(confs), &err);

    if (r == 0)
        r = scheduler_conf_read(directory, newest, &files, &err);
    if (r == 0 && (r = check_accepts_changes(files, &err)) == 0)
        r = make_version(confs, files, asked->user, change, &row, &err);
    conf_free(files);
    if (r < 0) {
        report_change(confs, asked, request, &err);
        refuse(confs, asked, code_of(r), &err);
        return;
    }
    r = scheduler_conf_read(directory, row, &conf, &err);
    if (r == 0 && !change->validate) {
        apply_version(confs, asked, request, row, conf, &err);
        return;
    }
    if (r == 0)
        r = judge(conf, &warnings, &err);
    report_change(confs, asked, request, &err);
    if (r == 0)
        send_page(confs, asked, conf_page_properties(&confs->scheduler, conf, &warnings, change->first));
    else
        refuse(confs, asked, CREEL__ERROR_CODE__ERROR_BAD_CONFIG, &err);
    warnings_done(&warnings);
    creel__stored_scheduler_conf__free_unpacked(row, NULL);
    conf_free(conf);
}

static void get_conf(struct daemon_confs *confs, const struct master_reload *asked,
                     const Creel__GetSchedulerConf *get)
{
    struct err err = { 0 };

    if (check_accepts_changes(conf_in_force(confs), &err) < 0)
        refuse(confs, asked, CREEL__ERROR_CODE__ERROR_UNSUPPORTED, &err);
    else if (get->versions)
        send_page(confs, asked, conf_page_versions(&confs->scheduler, get->first));
    else
        send_page(confs, asked,
                  conf_page_properties(&confs->scheduler, conf_in_force(confs), NULL, get->first));
}

void scheduler_conf_answer(struct daemon_confs *confs, const struct master_reload *asked,
                           const Creel__Envelope *request)
{
    if (request->body_case == CREEL__ENVELOPE__BODY_GET_SCHEDULER_CONF)
        get_conf(confs, asked, request->get_scheduler_conf);
    else
        change_conf(confs, asked, request);
}
