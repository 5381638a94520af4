/* SPDX-License-Identifier: Apache-2.0 */
/* client_fake_pages.c - the part of the fake resource manager whose lists come in pages of one or two rows */
#include <stdio.h>
#include <string.h>

#include "tests/unit/client/client_fake_rm.h"

static char *plain(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* Of all nodes: n1, then n2, n3. Of the nodes of a request: one in each reply. */
void set_log_level(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    const Creel__SetLogLevel *set = request->set_log_level;
    Creel__NodeLogLevel nodes[2], *pointers[2] = { &nodes[0], &nodes[1] };
    Creel__LogLevels answer = CREEL__LOG_LEVELS__INIT;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    bool first = *set->after == '\0';

    creel__node_log_level__init(&nodes[0]);
    creel__node_log_level__init(&nodes[1]);
    nodes[0].node_id = set->n_nodes > 0 ? set->nodes[0] : plain(first ? "n1:8041" : "n2:8041");
    nodes[1].node_id = plain("n3:8041");
    nodes[0].wanted = nodes[1].wanted = set->level;
    answer.rm = first ? CREEL__LOG_LEVEL__LOG_LEVEL_INFO : CREEL__LOG_LEVEL__LOG_LEVEL_UNKNOWN;
    answer.nodes = pointers;
    answer.n_nodes = first ? 1 : 2;
    answer.next = first && set->n_nodes != 1 ? nodes[0].node_id : plain("");
    reply.body_case = CREEL__ENVELOPE__BODY_LOG_LEVELS;
    reply.log_levels = &answer;
    send_reply(fake, peer, request, &reply);
}

/* n1, n2, then n3; of acceptance 5. */
void accept_state(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    char *nodes[] = { plain("n1"), plain("n2"), plain("n3") };
    Creel__AcceptStateReply answer = CREEL__ACCEPT_STATE_REPLY__INIT;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    bool first = request->accept_state->number != 5 || strcmp(request->accept_state->after, "n2") != 0;

    answer.nodes = first ? nodes : nodes + 2;
    answer.n_nodes = first ? 2 : 1;
    answer.next = plain(first ? "n2" : "");
    answer.number = 5;
    reply.body_case = CREEL__ENVELOPE__BODY_ACCEPT_STATE_REPLY;
    reply.accept_state_reply = &answer;
    send_reply(fake, peer, request, &reply);
}

/* Version 1, and version 2 with the change "a"; then version 2 with the change "b". */
void list_versions(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__SchedulerConfVersion versions[2], *pointers[2] = { &versions[0], &versions[1] };
    Creel__ConfOverride change = CREEL__CONF_OVERRIDE__INIT, *changes[] = { &change };
    Creel__SchedulerConf answer = CREEL__SCHEDULER_CONF__INIT;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    bool first = request->get_scheduler_conf->first == 0;

    creel__scheduler_conf_version__init(&versions[0]);
    creel__scheduler_conf_version__init(&versions[1]);
    change.key = plain(first ? "a" : "b");
    change.value = plain("1");
    versions[0].version = 1;
    versions[1].version = 2;
    versions[1].by = plain("ann");
    versions[1].changed = changes;
    versions[1].n_changed = 1;
    answer.version = 2;
    answer.versions = first ? pointers : pointers + 1;
    answer.n_versions = first ? 2 : 1;
    answer.next = first ? 3 : 0;
    reply.body_case = CREEL__ENVELOPE__BODY_SCHEDULER_CONF;
    reply.scheduler_conf = &answer;
    send_reply(fake, peer, request, &reply);
}
