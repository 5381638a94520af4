/* SPDX-License-Identifier: Apache-2.0 */
/* changes.c - applications and nodes that have changed */
#include "client/include/creel-changes.h"

#include <stdlib.h>

#include "client/libcreel/client.h"
#include "client/libcreel/reports.h"
#include "common/io/wire.h"

static int get(struct creel_client *client, uint64_t session, uint64_t version, Creel__Envelope **reply,
               struct err *err)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__GetChanges body = CREEL__GET_CHANGES__INIT;

    body.session = session;
    body.since = version;
    request.body_case = CREEL__ENVELOPE__BODY_GET_CHANGES;
    request.get_changes = &body;
    return client_call(client, &request, CREEL__ENVELOPE__BODY_CHANGES, client->timeout_ms, reply, err);
}

/* Puts REPLY into APPS, and a copy of REPLY into NODES, because each of the two lists must own its replies.
 * Takes ownership of REPLY, also on errors. */
static int add_twice(Creel__Envelope *reply, struct pages *apps, struct pages *nodes, struct err *err)
{
    Creel__Envelope *copy = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    int r = wire_pack(reply, &bytes, &size, err);

    if (r == 0)
        r = wire_decode(bytes, size, &copy, NULL, err);
    free(bytes);
    if (r < 0) {
        wire_free(reply);
        return r;
    }
    r = pages_add(apps, reply, err);
    if (r < 0)
        wire_free(copy);
    else
        r = pages_add(nodes, copy, err);
    return r;
}

CREEL_EXPORT
int creel_changes_get(struct creel_client *client, uint64_t session, uint64_t version,
                      struct creel_changes *ret, struct creel_error *error)
{
    struct pages apps = { 0 }, nodes = { 0 };
    Creel__Envelope *reply;
    struct err err = { 0 };
    int r = get(client, session, version, &reply, &err);

    *ret = (struct creel_changes){ 0 };
    if (r < 0)
        return client_set_error(error, &err, r);
    ret->session = reply->changes->session;
    ret->version = reply->changes->version;
    ret->reset = reply->changes->reset;
    ret->more = reply->changes->more;
    r = add_twice(reply, &apps, &nodes, &err);
    if (r == 0)
        r = reports_apps(&apps, &ret->apps, &err);
    if (r == 0)
        r = reports_nodes(&nodes, &ret->nodes, &err);
    pages_done(&apps);
    pages_done(&nodes);
    if (r < 0)
        creel_changes_done(ret);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
void creel_changes_done(struct creel_changes *changes)
{
    creel_apps_free(changes->apps);
    creel_nodes_free(changes->nodes);
    *changes = (struct creel_changes){ 0 };
}
