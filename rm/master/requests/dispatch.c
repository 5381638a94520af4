/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch.c - calls the handler of each request, and answers queries outside of a step */
#include <assert.h>
#include <errno.h>

#include "rm/master/requests.h"
#include "rm/master/services/authz.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/rows.h"

#define BODY(name) CREEL__ENVELOPE__BODY_##name

static const struct {
    Creel__Envelope__BodyCase body;
    enum master_channel channel;
    rm_peer_fn *handle;
} peer_requests[] = {
    { BODY(REGISTER_NODE), MASTER_AGENT, rm_on_register_node },
    { BODY(REGISTER_CONTAINERS), MASTER_AGENT, rm_on_register_containers },
    { BODY(HEARTBEAT), MASTER_AGENT, rm_on_heartbeat },
    { BODY(REGISTER_AM), MASTER_AM, rm_on_register_am },
    { BODY(ALLOCATE), MASTER_AM, rm_on_allocate },
    { BODY(FINISH_AM), MASTER_AM, rm_on_finish_am },
};

/* Whom a request is refused to while the store fails (is_refused). */
enum refusal {
    NOBODY, /* it changes nothing that is stored, or its handler decides (can_store, rm_on_kill_app) */
    USERS,  /* it changes what is stored */
    ALL,    /* the same, and only its reply lets the client show what it made */
};

static const struct {
    Creel__Envelope__BodyCase body;
    bool administrators; /* only administrators may send the request */
    enum refusal refusal;
    rm_request_fn *handle;
} requests[] = {
    { BODY(NEW_APP), false, NOBODY, rm_on_new_app },
    { BODY(SUBMIT_APP), false, NOBODY, rm_on_submit_app },
    { BODY(KILL_APP), false, NOBODY, rm_on_kill_app },
    { BODY(MOVE_APP), false, USERS, rm_on_move_app },
    { BODY(SET_PRIORITY), false, USERS, rm_on_set_priority },
    { BODY(SET_NAME), false, USERS, rm_on_set_name },
    { BODY(CHANGE_APP), false, USERS, rm_on_change_app },
    { BODY(SET_LIFETIME), false, USERS, rm_on_set_lifetime },
    { BODY(HOLD_APP), false, USERS, rm_on_hold_app },
    { BODY(RELEASE_APP), false, USERS, rm_on_release_app },
    { BODY(REQUEUE_APP), false, USERS, rm_on_requeue_app },
    { BODY(RESIZE_CONTAINER), false, USERS, rm_on_resize_container },
    { BODY(KILL_TASKS), false, USERS, rm_on_kill_tasks },
    { BODY(SET_ARRAY), false, USERS, rm_on_set_array },
    { BODY(GET_LOG_ACCESS), false, NOBODY, rm_on_get_log_access },
    { BODY(GET_AM_ACCESS), false, NOBODY, rm_on_get_am_access },
    { BODY(WAIT_APP), false, NOBODY, rm_on_wait_app },
    { BODY(WAIT_NODES), false, NOBODY, rm_on_wait_nodes },
    { BODY(SET_QUEUE_STATE), false, USERS, rm_on_set_queue_state },
    { BODY(REFRESH_QUEUES), true, NOBODY, rm_on_refresh_queues },
    { BODY(GET_SCHEDULER_CONF), true, NOBODY, rm_on_get_scheduler_conf },
    { BODY(CHANGE_SCHEDULER_CONF), false, USERS, rm_on_change_scheduler_conf },
    { BODY(CHANGE_LABELS), true, USERS, rm_on_change_labels },
    { BODY(SET_NODE_LABEL), true, USERS, rm_on_set_node_label },
    { BODY(CHANGE_NODES), true, USERS, rm_on_change_nodes },
    { BODY(SET_NODE_RESOURCES), true, USERS, rm_on_set_node_resources },
    { BODY(REFRESH_NODES), true, USERS, rm_on_refresh_nodes },
    { BODY(CREATE_JOIN_TOKEN), true, ALL, rm_on_create_join_token },
    { BODY(LIST_JOIN_TOKENS), true, NOBODY, rm_on_list_join_tokens },
    { BODY(REVOKE_JOIN), true, USERS, rm_on_revoke_join },
    { BODY(ACCEPT_STATE), true, NOBODY, rm_on_accept_state },
    { BODY(SET_LOG_LEVEL), true, NOBODY, rm_on_set_log_level },
    { BODY(REFRESH_ACCESS), true, NOBODY, rm_on_refresh_access },
    { BODY(CREATE_ACCESS_TOKEN), false, ALL, rm_on_create_access_token },
    { BODY(REVOKE_ACCESS_TOKEN), false, USERS, rm_on_revoke_access_token },
};

static const struct {
    Creel__Envelope__BodyCase body;
    rm_query_fn *query;
} queries[] = {
    { BODY(LIST_APPS), rm_query_apps },
    { BODY(LIST_CONTAINERS), rm_query_containers },
    { BODY(LIST_NODES), rm_query_nodes },
    { BODY(LIST_QUEUES), rm_query_queues },
    { BODY(LIST_QUEUE_USERS), rm_query_queue_users },
    { BODY(GET_QUEUE_ACCESS), rm_query_queue_access },
    { BODY(LIST_LABELS), rm_query_labels },
    { BODY(GET_CLUSTER_INFO), rm_query_cluster },
    { BODY(EXPLAIN_APP), rm_query_why },
    { BODY(GET_CHANGES), rm_query_changes },
    { BODY(GET_METRICS), rm_query_metrics },
    { BODY(LIST_EVENTS), rm_query_events },
    { BODY(TEST_APP), rm_query_test },
    { BODY(GET_RERUN), rm_query_rerun },
    { BODY(LIST_ACCESS_TOKENS), rm_query_access_tokens },
    { BODY(FIND_ACCESS_TOKEN), rm_query_access_token },
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static rm_query_fn *find_query(Creel__Envelope__BodyCase body)
{
    for (size_t i = 0; i < COUNT(queries); i++)
        if (queries[i].body == body)
            return queries[i].query;
    return NULL;
}

static void refuse_port(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_BAD_REQUEST,
                   "this port does not take such a request");
}

static void dispatch_peer(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    for (size_t i = 0; i < COUNT(peer_requests); i++) {
        if (peer_requests[i].body == in->body_case && peer_requests[i].channel == peer->channel) {
            peer_requests[i].handle(m, peer, in);
            return;
        }
    }
    refuse_port(m, peer, in);
}

/* While the store fails, each change is a row that waits in memory, with its reply; while its file is lost,
 * it is a row that the next start does not find. So changes of users are refused meanwhile. A kill is
 * possible, once for each application (rm_on_kill_app), and so is what only administrators may do. A token
 * is refused to them, too: an error would be the answer to its request, so that nobody could have it. */
static bool is_refused(struct master *m, const char *user, size_t request)
{
    if (rm_store_refusal(m) == NULL || requests[request].refusal == NOBODY)
        return false;
    return requests[request].refusal == ALL ||
           (!requests[request].administrators && !rm_authz_cluster(m, user, AUTHZ_EXCEED_LIMITS));
}

static void refuse_unstored(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                            size_t request)
{
    rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_STORE,
                   "nothing was changed, because the resource manager cannot write its state: %s; until it "
                   "can, %s",
                   rm_store_refusal(m),
                   requests[request].refusal == ALL
                       ? "no token can be created"
                       : "jobs can be killed, and administrators that yarn.admin.acl lists by name can "
                         "change something");
}

static void handle(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                   const char *user, size_t request)
{
    struct err err;

    if (requests[request].administrators && rm_authz_check_cluster(m, user, AUTHZ_CHANGE_CLUSTER, &err) < 0)
        rm_reply_err(m, peer, in->request_id, &err);
    else if (is_refused(m, user, request))
        refuse_unstored(m, peer, in, request);
    else
        requests[request].handle(m, peer, in, user);
}

static void dispatch_client(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    rm_query_fn *query = find_query(in->body_case);
    const char *user;
    struct err err;
    size_t i;

    for (i = 0; query == NULL && i < COUNT(requests); i++)
        if (requests[i].body == in->body_case)
            break;
    if (query == NULL && i == COUNT(requests)) {
        refuse_port(m, peer, in);
        return;
    }
    if ((peer->channel == MASTER_ADMIN &&
         rm_authz_check_cluster(m, peer->principal, AUTHZ_CHANGE_CLUSTER, &err) < 0) ||
        (user = rm_authz_acting_user(m, peer, in, &err)) == NULL)
        rm_reply_err(m, peer, in->request_id, &err);
    else if (query)
        rm_reply_to(m, peer, query(m, user, in));
    else
        handle(m, peer, in, user, i);
}

void rm_dispatch(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    if (rm_text_is_empty(peer->principal))
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                       "it is not known who asks");
    else if (peer->channel == MASTER_AGENT || peer->channel == MASTER_AM)
        dispatch_peer(m, peer, in);
    else
        dispatch_client(m, peer, in);
}

/* --- queries outside of a step --------------------------------------------------- */

bool master_is_query(Creel__Envelope__BodyCase body)
{
    return find_query(body) != NULL;
}

int master_query(struct master *m, int64_t now_ms, const char *user, const Creel__Envelope *query,
                 struct arena *arena, const Creel__Envelope **ret)
{
    rm_query_fn *answer = find_query(query->body_case);
    struct master_effects none = { .arena = arena };
    int64_t before_ms = m->now_ms;

    if (answer == NULL)
        return -ENOTSUP;
    assert(m->out == NULL); /* not called within a step */
    m->out = &none;
    if (now_ms > m->now_ms)
        m->now_ms = now_ms;
    *ret = answer(m, user, query);
    m->now_ms = before_ms;
    m->out = NULL;
    assert(none.count == 0);
    return 0;
}
