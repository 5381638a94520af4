/* SPDX-License-Identifier: Apache-2.0 */
/* changes.c - applications and nodes that have changed */
#include "client/include/creel-changes.h"

#include "client/libcreel/reports.h"
#include "client/libcreel/request.h"

static int get(struct creel_client *client, uint64_t session, uint64_t version, struct pages *pages,
               struct err *err)
{
    Creel__GetChanges body = CREEL__GET_CHANGES__INIT;
    Creel__Envelope request = request_of(REQUEST(GET_CHANGES, &body));

    body.session = session;
    body.since = version;
    request.no_long_commands = true;
    return pages_fetch(client, &request, 0, ANSWER(CHANGES), NULL, pages, err);
}

CREEL_EXPORT
int creel_changes_get(struct creel_client *client, uint64_t session, uint64_t version,
                      struct creel_changes *ret, struct creel_error *error)
{
    const Creel__Changes *changes;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r = get(client, session, version, &pages, &err);

    *ret = (struct creel_changes){ 0 };
    if (r < 0)
        return client_set_error(error, &err, r);
    changes = pages.items[0]->changes;
    ret->session = changes->session;
    ret->version = changes->version;
    ret->reset = changes->reset;
    ret->more = changes->more;
    r = reports_nodes_borrowed(&pages, &ret->nodes, &err); /* from the reply, which the applications own */
    if (r == 0)
        r = reports_apps(&pages, &ret->apps, &err);
    pages_done(&pages);
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
