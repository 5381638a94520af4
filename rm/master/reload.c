/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload.c - handles results of the shell: a configuration was read again, histories were accepted
 */
#include <errno.h>

#include "rm/master/nodes/host_changes.h"
#include "rm/master/nodes/hosts.h"
#include "rm/master/requests/step.h"
#include "rm/master/services/drain.h"
#include "rm/master/services/history.h"
#include "rm/master/services/queues.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/index.h"
#include "rm/master/state/rows.h"
#include "rm/master/state/settings.h"

/* --- queues -------------------------------------------------------------- */

struct texts {
    const char *const *items;
    size_t count;
};

/* Returns a copy of the texts of A and of B. */
static char **copy_texts(struct master *m, struct texts a, struct texts b, size_t *count)
{
    char **copy = arena_array0(m->out->arena, a.count + b.count + 1, sizeof(char *));

    *count = 0;
    for (size_t i = 0; i < a.count; i++)
        copy[(*count)++] = arena_strdup(m->out->arena, a.items[i]);
    for (size_t i = 0; i < b.count; i++)
        copy[(*count)++] = arena_strdup(m->out->arena, b.items[i]);
    return copy;
}

static struct texts warnings_of(const struct master_remarks *remarks)
{
    return (struct texts){ remarks->warnings, remarks->warning_count };
}

static void reply_reloaded(struct master *m, const struct master_reload *reload,
                           const struct master_remarks *remarks, struct texts notes)
{
    Creel__Envelope *envelope =
        rm_envelope_new(m, reload->request_id, CREEL__ENVELOPE__BODY_REFRESH_QUEUES_REPLY);
    Creel__RefreshQueuesReply *reply = arena_new0(m->out->arena, Creel__RefreshQueuesReply);

    creel__refresh_queues_reply__init(reply);
    reply->queues = (uint32_t)sched_queue_count(m->sched);
    reply->warnings = copy_texts(m, warnings_of(remarks), notes, &reply->n_warnings);
    reply->compared = true;
    reply->changes = copy_texts(m, (struct texts){ remarks->changes, remarks->change_count },
                                (struct texts){ NULL, 0 }, &reply->n_changes);
    envelope->refresh_queues_reply = reply;
    rm_send_to(m, reload->channel, reload->connection, envelope);
}

/* Replies to ChangeSchedulerConf, as soon as the new configuration is stored. */
static void reply_changed(struct master *m, const struct master_reload *reload,
                          const struct master_remarks *remarks, struct texts notes)
{
    Creel__Envelope *envelope = rm_envelope_new(m, reload->request_id, CREEL__ENVELOPE__BODY_SCHEDULER_CONF);
    Creel__SchedulerConf *reply = arena_new0(m->out->arena, Creel__SchedulerConf);

    creel__scheduler_conf__init(reply);
    reply->version = reload->changed->version;
    reply->warnings = copy_texts(m, warnings_of(remarks), notes, &reply->n_warnings);
    envelope->scheduler_conf = reply;
    rm_send_changed(m, &(struct master_peer){ .channel = reload->channel, .connection = reload->connection },
                    m->store_seq, envelope, "the configuration of queues is changed");
}

/* Refuses changed resource types, since nodes, applications and rows in the store use the present types. */
static int judge_types(const struct master *m, const struct sched_config *config, struct err *err)
{
    struct resource_types basic = resource_types_basic();

    if (resource_types_equal(&m->types, config->names ? config->names : &basic))
        return 0;
    return err_set(err, EINVAL,
                   "yarn.resource-types: types and units of resources change only when "
                   "the resource manager is restarted");
}

/* ERROR: why the configuration was refused; NULL: it was not. */
static void add_events(struct master *m, const struct master_reload *reload, const char *error)
{
    if (reload->changed == NULL)
        rm_event_refreshed(m, reload->user, "the configuration of queues was read again", error);
    else if (error == NULL)
        rm_event_queues_configured(m, reload->version, false);
    if (error == NULL)
        rm_event_queues(m, reload->user);
}

int master_reload(struct master *m, int64_t now_ms, const struct master_reload *reload,
                  const struct sched_config *config, const struct master_remarks *remarks, struct err *err,
                  struct master_effects *effects)
{
    struct master_peer peer = { reload->channel, reload->connection, reload->user, NULL };
    struct texts notes = { NULL, 0 };
    int r = -EINVAL;

    rm_step_begin(m, now_ms, effects);
    if (config && judge_types(m, config, err) == 0) {
        r = sched_refresh(m->sched, config, &m->decisions, err);
        if (r == 0) {
            rm_queues_apply_config(m, config);
            rm_queues_start_timers(m);
            notes.count = rm_settings_apply(m, &notes.items);
            if (reload->changed)
                rm_store_scheduler_conf(m, reload->changed);
        }
    }
    if (r == 0 || !reload->changed) { /* a refused ChangeSchedulerConf does not count as the last refresh */
        m->refreshed_ms = m->now_ms;
        rm_text_set(&m->refreshed_by, reload->user);
        rm_text_set(&m->refresh_error, r < 0 ? err->text : NULL);
    }
    add_events(m, reload, r < 0 ? err->text : NULL);
    if (reload->connection != 0 && r < 0)
        rm_reply_error(m, &peer, reload->request_id, CREEL__ERROR_CODE__ERROR_BAD_CONFIG, "%s", err->text);
    else if (reload->connection != 0 && reload->changed)
        reply_changed(m, reload, remarks, notes);
    else if (reload->connection != 0)
        reply_reloaded(m, reload, remarks, notes);
    rm_step_end(m);
    return r < 0 ? -EINVAL : 0;
}

void master_note_refresh(struct master *m, int64_t now_ms, enum master_part part, const char *user,
                         const char *error, struct master_effects *effects)
{
    static const char *const texts[MASTER_PARTS] = {
        [MASTER_PART_HOSTS] = "the lists of hosts were read again",
        [MASTER_PART_ACCESS] = "the access lists were read again",
        [MASTER_PART_GROUPS] = "the groups of users were read again",
    };

    rm_step_begin(m, now_ms, effects);
    rm_event_refreshed(m, user, texts[part], error);
    if (error != NULL || m->part_errors[part] != NULL) {
        m->refreshed_ms = now_ms;
        rm_text_set(&m->refreshed_by, user);
    }
    rm_text_set(&m->part_errors[part], error);
    rm_step_end(m);
}

/* --- lists of hosts ------------------------------------------------------ */

static struct master_hosts_result result_of(struct master *m, uint32_t returned, struct text_list *changes)
{
    struct master_hosts_result result = { .returned = returned };
    struct node *node;

    text_list_end(changes, "changes");
    result.changes = copy_texts(m, (struct texts){ (const char *const *)changes->items, changes->count },
                                (struct texts){ NULL, 0 }, &result.change_count);
    text_list_clear(changes);
    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        if (!node->admin.by_file)
            continue;
        result.leaving += node->admin.state == ADMIN_DECOMMISSIONING;
        result.left += node->admin.state == ADMIN_DECOMMISSIONED;
    }
    return result;
}

static void reply_hosts(struct master *m, const struct master_reload *reload,
                        const struct master_hosts_result *result)
{
    struct master_peer peer = { reload->channel, reload->connection, reload->user, NULL };
    Creel__Envelope *envelope =
        rm_envelope_new(m, reload->request_id, CREEL__ENVELOPE__BODY_REFRESH_NODES_REPLY);
    Creel__RefreshNodesReply *body = arena_new0(m->out->arena, Creel__RefreshNodesReply);

    creel__refresh_nodes_reply__init(body);
    body->included = HASH_COUNT(m->hosts.include);
    body->excluded = HASH_COUNT(m->hosts.exclude);
    body->leaving = result->leaving;
    body->left = result->left;
    body->returned = result->returned;
    body->compared = true;
    body->changes = result->changes;
    body->n_changes = result->change_count;
    envelope->refresh_nodes_reply = body;
    rm_send_changed(m, &peer, m->store_seq, envelope, "the lists of hosts are read");
}

/* Applies HOSTS to the lists and to the nodes. */
static struct master_hosts_result apply_hosts(struct master *m, const struct master_reload *reload,
                                              const struct master_hosts *hosts)
{
    const struct node_before *before = rm_host_changes_before(m);
    struct text_list changes = { .count = 0 };
    struct hosts old = m->hosts;
    uint32_t returned = 0;
    struct node *node;

    m->hosts = (struct hosts){ .include = NULL };
    rm_hosts_set(m, hosts);
    rm_host_changes_of_lists(m, &old, &changes);
    rm_hosts_done(&old);
    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        returned += rm_hosts_apply(m, node, reload);
        rm_hosts_watch(m, node);
    }
    rm_drain_check_marked(m); /* empty nodes are decommissioned at once */
    rm_host_changes_of_nodes(m, before, &changes);
    return result_of(m, returned, &changes);
}

void master_reload_hosts(struct master *m, int64_t now_ms, const struct master_reload *reload,
                         const struct master_hosts *hosts, const struct err *err,
                         struct master_hosts_result *ret, struct master_effects *effects)
{
    struct master_peer peer = { reload->channel, reload->connection, reload->user, NULL };
    struct master_hosts_result result;

    rm_step_begin(m, now_ms, effects);
    if (hosts) {
        result = apply_hosts(m, reload, hosts);
        if (reload->connection)
            reply_hosts(m, reload, &result);
        if (ret)
            *ret = result;
    } else if (reload->connection) {
        rm_reply_error(m, &peer, reload->request_id, CREEL__ERROR_CODE__ERROR_BAD_CONFIG, "%s", err->text);
    }
    rm_step_end(m);
}

/* --- histories ----------------------------------------------------------- */

void master_accepted(struct master *m, int64_t now_ms, const struct master_reload *asked, uint32_t epoch,
                     uint32_t last_app_seq, const struct err *err, struct master_effects *effects)
{
    struct master_peer peer = { asked->channel, asked->connection, "", NULL };

    rm_step_begin(m, now_ms, effects);
    if (err != NULL) {
        rm_reply_error(m, &peer, asked->request_id, CREEL__ERROR_CODE__ERROR_STORE, "%s", err->text);
    } else {
        m->epoch = epoch > m->epoch ? epoch : m->epoch;
        master_recover_last_app(m, last_app_seq);
        m->known_app_seq = m->last_app_seq;
        rm_history_note_accepted(m);
        rm_history_reply_accepted(m, &peer, asked->request_id, m->accepts, "");
    }
    rm_step_end(m);
}
