/* SPDX-License-Identifier: Apache-2.0 */
/* reload_access.c - reads who may do what again: access lists of the cluster, or groups of users */
#include <errno.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/identity/groups.h"
#include "rm/net/conf/settings.h"
#include "rm/net/reload.h"

#define ACLS 3 /* number of keys of the part ACLS; those of the part GROUPS follow */
#define KEYS 4

const char *const reload_access_keys[] = { "yarn.acl.enable", "yarn.admin.acl", "creel.security.proxy-users",
                                           GROUPS_KEY, NULL };

struct part {
    const char *name;
    size_t first, end; /* its keys */
    enum master_part part;
    enum metrics_part measured;
};

static const struct part parts[] = {
    { "access lists", 0, ACLS, MASTER_PART_ACCESS, METRICS_ACLS },
    { "groups", ACLS, KEYS, MASTER_PART_GROUPS, METRICS_GROUPS },
};

/* --- the configuration in force -------------------------------------------------- */

bool reload_access_reads(const char *key)
{
    for (size_t i = 0; i < KEYS; i++)
        if (text_equal(reload_access_keys[i], key))
            return true;
    return false;
}

const struct conf *reload_access_conf(const struct daemon_confs *confs, const char *key)
{
    const struct conf *conf = confs->access[text_equal(key, GROUPS_KEY) ? 1 : 0];

    return conf != NULL ? conf : confs->started;
}

/* --- reading --------------------------------------------------------------------- */

static void apply_acls(struct daemon_confs *confs, const struct conf *conf)
{
    scoped_free char *admins = settings_admin_users(conf);

    master_set_access(confs->parts.master, admins, conf_text(conf, CONF_PROXY_USERS),
                      conf_bool(conf, CONF_ACL_ENABLE));
    master_read_queue_access(confs->parts.master, conf);
}

/* Forgets the groups of all users, and reads the static mapping again. */
static int apply_groups(struct daemon_confs *confs, const struct conf *conf, struct err *err)
{
    struct user_groups *fresh;
    int r = user_groups_new(conf, &fresh, err);

    if (r < 0)
        return r;
    user_groups_free(*confs->parts.user_groups);
    *confs->parts.user_groups = fresh;
    return 0;
}

static int read_again(struct daemon_confs *confs, size_t part, struct conf **conf, struct err *err)
{
    int r = conf_load(conf_loaded_from(confs->started), NULL, NULL, conf, err);

    if (r < 0)
        return r;
    if (part == 0) {
        apply_acls(confs, *conf);
        return 0;
    }
    r = apply_groups(confs, *conf, err);
    if (r < 0)
        conf_free(*conf);
    return r;
}

/* --- the request ------------------------------------------------------------------- */

/* Sets the value before the refresh in ENTRY, if it was another one. */
static void set_before(const struct conf *old, Creel__ConfigurationEntry *entry)
{
    const char *before = conf_show(old, entry->key);

    if (before == NULL)
        before = "";
    entry->changed = !text_equal(before, entry->value);
    if (entry->changed)
        entry->before = (char *)(uintptr_t)before;
}

/* Answers with the keys of PART. OLD: the configuration before. */
static void send_reply(struct daemon_confs *confs, const struct master_reload *asked, const struct part *part,
                       const struct conf *old)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__RefreshAccessReply reply = CREEL__REFRESH_ACCESS_REPLY__INIT;
    Creel__ConfigurationEntry entries[KEYS], *list[KEYS];
    char origins[KEYS][CONF_ORIGIN_MAX];

    for (size_t i = part->first; i < part->end; i++) {
        const char *key = reload_access_keys[i];
        const struct conf *conf = reload_access_conf(confs, key);
        const char *value = conf_show(conf, key);

        creel__configuration_entry__init(&entries[i]);
        entries[i].key = (char *)(uintptr_t)key;
        entries[i].value = (char *)(uintptr_t)(value != NULL ? value : "");
        entries[i].origin = (char *)(uintptr_t)conf_origin(conf, key, origins[i], sizeof(origins[i]));
        entries[i].refreshed = true;
        set_before(old, &entries[i]);
        list[reply.n_entries++] = &entries[i];
    }
    reply.entries = list;
    envelope.request_id = asked->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_REFRESH_ACCESS_REPLY;
    envelope.refresh_access_reply = &reply;
    (void)channel_server_send(confs->parts.ports[asked->channel].server, asked->connection, &envelope);
}

int reload_access(struct daemon_confs *confs, const struct master_reload *asked,
                  const Creel__RefreshAccess *request, struct err *err)
{
    size_t part = request->part == CREEL__ACCESS_PART__ACCESS_PART_GROUPS ? 1 : 0;
    struct conf *conf = NULL, *old;
    int r = read_again(confs, part, &conf, err);

    if (r < 0) {
        log_line(LOG_LEVEL_ERROR, "%s not refreshed for %s, all stays as it was: %s", parts[part].name,
                 asked->user, err->text);
        metrics_note_reload(confs->parts.metrics, parts[part].measured, false,
                            clock_now_ms(confs->parts.clock));
        master_note_refresh(confs->parts.master, clock_now_ms(confs->parts.clock), parts[part].part,
                            asked->user, err->text, confs->parts.commits->filling);
        channel_server_refuse(confs->parts.ports[asked->channel].server, asked->connection, asked->request_id,
                              CREEL__ERROR_CODE__ERROR_BAD_CONFIG, "%s", err->text);
        return r;
    }
    old = confs->access[part];
    confs->access[part] = conf;
    metrics_note_reload(confs->parts.metrics, parts[part].measured, true, clock_now_ms(confs->parts.clock));
    master_note_refresh(confs->parts.master, clock_now_ms(confs->parts.clock), parts[part].part, asked->user,
                        NULL, confs->parts.commits->filling);
    log_line(LOG_LEVEL_INFO, "%s refreshed for %s", parts[part].name, asked->user);
    if (part == 0)
        settings_log_access(conf);
    send_reply(confs, asked, &parts[part], old != NULL ? old : confs->started);
    conf_free(old);
    return 0;
}
