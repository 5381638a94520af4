/* SPDX-License-Identifier: Apache-2.0 */
/* conf.c - request about the configuration of the resource manager */
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
