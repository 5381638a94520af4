/* SPDX-License-Identifier: Apache-2.0 */
/* outcome.c - reports a request whose outcome is known only after the master has handled it */
#include "rm/net/reload.h"

void outcome_report(const struct reload_parts *parts, const struct master_reload *asked,
                    const Creel__Envelope *request, const struct err *err)
{
    struct master_peer peer = { asked->channel, asked->connection, asked->principal, NULL };
    struct channel_server *server = parts->ports[peer.channel].server;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;
    Creel__Ok ok = CREEL__OK__INIT;
    bool stores = err == NULL && request->body_case == CREEL__ENVELOPE__BODY_CHANGE_SCHEDULER_CONF;

    if (err != NULL) {
        error.message = (char *)(uintptr_t)err->text;
        reply.body_case = CREEL__ENVELOPE__BODY_ERROR;
        reply.error = &error;
    } else {
        reply.body_case = CREEL__ENVELOPE__BODY_OK;
        reply.ok = &ok;
    }
    report_answer(parts->report, &(struct audit_request){
                                     .peer = &peer,
                                     .address = channel_server_address(server, peer.connection),
                                     .method = channel_server_method(server, peer.connection),
                                     .request = request,
                                     .reply = &reply,
                                     .stores = stores,
                                 });
}
