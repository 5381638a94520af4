/* SPDX-License-Identifier: Apache-2.0 */
/* conf.c - requests about the configuration of the resource manager */
#include <stdlib.h>

#include "client/include/creel-admin.h"
#include "client/libcreel/client.h"
#include "common/base/mem.h"
#include "common/io/wire.h"

struct conf_box {
    struct creel_conf shown; /* first member: callers have a pointer to it */
    Creel__Envelope *reply;
};

CREEL_EXPORT
int creel_conf_get(struct creel_client *client, struct creel_conf **ret, struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__GetConfiguration get = CREEL__GET_CONFIGURATION__INIT;
    const Creel__Configuration *conf;
    struct err err = { 0 };
    struct conf_box *box;
    int r;

    request.body_case = CREEL__ENVELOPE__BODY_GET_CONFIGURATION;
    request.get_configuration = &get;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_CONFIGURATION, client->timeout_ms, &reply, &err);
    if (r < 0)
        return client_give_error(error, &err, r);
    conf = reply->configuration;
    box = mem_new0(struct conf_box);
    box->reply = reply;
    box->shown.entries = mem_array0(conf->n_entries + 1, sizeof(*box->shown.entries));
    box->shown.count = conf->n_entries;
    for (size_t i = 0; i < conf->n_entries; i++)
        box->shown.entries[i] = (struct creel_conf_entry){
            .key = conf->entries[i]->key,
            .value = conf->entries[i]->value,
            .origin = conf->entries[i]->origin,
            .refreshed = conf->entries[i]->refreshed,
            .hidden = conf->entries[i]->hidden,
        };
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
void creel_conf_free(struct creel_conf *conf)
{
    struct conf_box *box = (struct conf_box *)(void *)conf;

    if (!box)
        return;
    wire_free(box->reply);
    free(box->shown.entries);
    free(box);
}

/* --- versions of the configuration of queues ------------------------------------- */

struct versions_box {
    struct creel_conf_versions shown; /* first member: callers have a pointer to it */
    Creel__Envelope *reply;
};

static void take_version(struct creel_conf_version *shown, const Creel__SchedulerConfVersion *version)
{
    *shown = (struct creel_conf_version){
        .version = version->version,
        .by = version->by,
        .at_ms = version->at_ms,
        .summary = version->summary,
        .changes = mem_array0(version->n_changed + 1, sizeof(*shown->changes)),
        .change_count = version->n_changed,
    };
    for (size_t i = 0; i < version->n_changed; i++) {
        const Creel__ConfOverride *changed = version->changed[i];

        shown->changes[i] = (struct creel_conf_change){
            .key = changed->key,
            .value = changed->removed || changed->as_file ? NULL : changed->value,
            .as_file = changed->as_file,
        };
    }
}

CREEL_EXPORT
int creel_conf_version_list(struct creel_client *client, struct creel_conf_versions **ret,
                            struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__GetSchedulerConf get = CREEL__GET_SCHEDULER_CONF__INIT;
    const Creel__SchedulerConf *conf;
    struct versions_box *box;
    struct err err = { 0 };
    int r;

    get.versions = true;
    request.body_case = CREEL__ENVELOPE__BODY_GET_SCHEDULER_CONF;
    request.get_scheduler_conf = &get;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_SCHEDULER_CONF, client->timeout_ms, &reply, &err);
    if (r < 0)
        return client_give_error(error, &err, r);
    conf = reply->scheduler_conf;
    box = mem_new0(struct versions_box);
    box->reply = reply;
    box->shown.items = mem_array0(conf->n_versions + 1, sizeof(*box->shown.items));
    box->shown.count = conf->n_versions;
    for (size_t i = 0; i < conf->n_versions; i++) {
        take_version(&box->shown.items[i], conf->versions[i]);
        box->shown.items[i].in_force = conf->versions[i]->version == conf->version;
    }
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
void creel_conf_versions_free(struct creel_conf_versions *versions)
{
    struct versions_box *box = (struct versions_box *)(void *)versions;

    if (!box)
        return;
    for (size_t i = 0; i < box->shown.count; i++)
        free(box->shown.items[i].changes);
    free(box->shown.items);
    wire_free(box->reply);
    free(box);
}

CREEL_EXPORT
int creel_conf_roll_back(struct creel_client *client, uint64_t version, uint64_t *ret,
                         struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__ChangeSchedulerConf change = CREEL__CHANGE_SCHEDULER_CONF__INIT;
    struct err err = { 0 };
    int r;

    change.rollback_to = version;
    request.body_case = CREEL__ENVELOPE__BODY_CHANGE_SCHEDULER_CONF;
    request.change_scheduler_conf = &change;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_SCHEDULER_CONF, client->timeout_ms, &reply, &err);
    if (r < 0)
        return client_give_error(error, &err, r);
    *ret = reply->scheduler_conf->version;
    wire_free(reply);
    return 0;
}
