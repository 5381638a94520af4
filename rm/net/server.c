/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - the four ports: authorises received requests and passes them to their handlers
 *
 * Received messages are decoded, within bounds, and come from peers whose keys are accepted (channel.h).
 * Each request of an AM contains the token of its attempt, and an AM that connected with the key of an
 * attempt may send requests of that attempt only. The files of server.h and blob_requests.h answer some
 * requests, the master answers all others. Requests of users, and long ones of AMs, take turns
 * (user_requests.h), and queries are queued until all other received messages are handled (queries.h).
 */
#include <errno.h>
#include <string.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/io/wire/wire.h"
#include "rm/net/daemon.h"
#include "rm/net/server.h"

static const struct {
    enum conf_key address;
    enum admission_policy policy;
} servers[RM_CHANNELS] = {
    [MASTER_AGENT] = { CONF_RM_AGENT_ADDRESS, ADMISSION_AGENTS },
    [MASTER_AM] = { CONF_RM_AM_ADDRESS, ADMISSION_MASTERS },
    [MASTER_CLIENT] = { CONF_RM_CLIENT_ADDRESS, ADMISSION_CLIENTS },
    [MASTER_ADMIN] = { CONF_RM_ADMIN_ADDRESS, ADMISSION_USERS },
};

/* --- replies of the server ---------------------------------------------------- */

static void refuse(const struct port *port, uint64_t connection, uint64_t request_id, Creel__ErrorCode code,
                   const struct err *err)
{
    channel_server_refuse(port->server, connection, request_id, code, "%s", err->text);
}

/* --- requests that other files answer -------------------------------------------- */

static void put_blob(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    blob_requests_put(&port->daemon->uploads, port, peer, request);
}

static void have_blobs(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    blob_requests_have(&port->daemon->uploads, port, peer, request);
}

static void get_blob(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    blob_requests_get(&port->daemon->uploads, port, peer, request);
}

static void sign_in(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    identity_on_sign_in(&port->daemon->users, port, peer, request);
}

static void get_identity(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    identity_on_get(&port->daemon->users, port, peer, request);
}

/* Answers REQUEST and returns true if it is about files or keys. */
static bool serve_here(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    static const struct {
        Creel__Envelope__BodyCase body;
        enum master_channel channel;
        void (*serve)(const struct port *port, const struct peer *peer, const Creel__Envelope *request);
    } table[] = {
        { CREEL__ENVELOPE__BODY_PUT_BLOB, MASTER_CLIENT, put_blob },
        { CREEL__ENVELOPE__BODY_HAVE_BLOBS, MASTER_CLIENT, have_blobs },
        { CREEL__ENVELOPE__BODY_GET_BLOB, MASTER_AGENT, get_blob },
        { CREEL__ENVELOPE__BODY_GET_BLOB, MASTER_CLIENT, get_blob },
        { CREEL__ENVELOPE__BODY_FIND_KEYS, MASTER_AGENT, server_find_keys },
        { CREEL__ENVELOPE__BODY_SIGN_IN, MASTER_CLIENT, sign_in },
        { CREEL__ENVELOPE__BODY_GET_IDENTITY, MASTER_CLIENT, get_identity },
    };
    bool is_known = false;

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].body != request->body_case)
            continue;
        is_known = true;
        if (table[i].channel == port->channel) {
            table[i].serve(port, peer, request);
            return true;
        }
    }
    if (is_known)
        channel_server_refuse(port->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "%s is not for this port",
                              wire_body_name(request->body_case));
    return is_known;
}

/* --- the master ------------------------------------------------------------ */

#define APPS_SHOWN_MAX 8 /* maximum of applications of one request in struct audit_request */

typedef void handle_fn(struct master *master, int64_t now_ms, const struct master_peer *peer,
                       const Creel__Envelope *envelope, struct master_effects *effects);

/* Sets the reply and the applications of REQUEST from EFFECTS, beginning with the effect FIRST. APP_IDS has
 * room for APPS_SHOWN_MAX. */
static void find_results(const struct port *port, const struct master_effects *effects, size_t first,
                         struct audit_request *request, const char **app_ids)
{
    for (size_t i = first; i < effects->count; i++) {
        const struct master_effect *effect = &effects->items[i];

        if (effect->kind == MASTER_SEND && request->reply == NULL && effect->channel == port->channel &&
            effect->connection == request->peer->connection &&
            effect->envelope->request_id == request->request->request_id)
            request->reply = effect->envelope;
        else if (effect->kind == MASTER_STORE_APP && request->app_count < APPS_SHOWN_MAX)
            app_ids[request->app_count++] = effect->app_id;
        if (effect->store_seq > 0)
            request->stores = true;
    }
}

/* Passes REQUEST of ASKER at ADDRESS to HANDLE, then logs the request, with the reply if HANDLE made one.
 * Returns this reply, which is borrowed until it is sent; NULL: there is none yet. */
static const Creel__Envelope *pass_on(const struct port *port, const struct master_peer *asker,
                                      const char *address, const Creel__Envelope *request, handle_fn *handle)
{
    struct daemon *daemon = port->daemon;
    struct master_effects *effects = daemon->commits.filling;
    const char *app_ids[APPS_SHOWN_MAX];
    struct audit_request handled = {
        .peer = asker,
        .address = address,
        .method = channel_server_method(port->server, asker->connection),
        .request = request,
        .app_ids = app_ids,
    };
    int64_t begun_ns = metrics_begin(), now_ms = daemon_now_ms(daemon);
    size_t first = effects->count;

    handle(daemon->master, now_ms, asker, request, effects);
    if (!master_is_query(request->body_case))
        metrics_end_tick(&daemon->metrics, begun_ns, now_ms);
    find_results(port, effects, first, &handled, app_ids);
    report_answer(daemon->report, &handled);
    return handled.reply;
}

static void ask_master(const struct port *port, const struct peer *peer, const char *principal,
                       const Creel__Envelope *request)
{
    struct master_peer asker = { port->channel, peer->connection, principal, peer->job };
    const Creel__Envelope *reply = pass_on(port, &asker, peer->address, request, master_on_message);

    if (port->channel == MASTER_AGENT && request->body_case == CREEL__ENVELOPE__BODY_REGISTER_NODE)
        server_note_registration(port, peer, reply);
}

/* --- queries --------------------------------------------------------------- */

static void send_from_history(void *context, const struct master_peer *peer, Creel__Envelope *reply)
{
    struct daemon *daemon = context;

    (void)channel_server_send(daemon->ports[peer->channel].server, peer->connection, reply);
}

static int may_answer_from_history(void *context, const struct master_peer *peer,
                                   Creel__Envelope__BodyCase kind, struct err *err)
{
    struct daemon *daemon = context;

    return channel_server_may_answer(daemon->ports[peer->channel].server, peer->connection, kind, err);
}

/* Queues REQUEST, or refuses it, if it is answered from the history. Returns false for other requests. */
static bool queue_for_history(const struct port *port, const struct peer *peer,
                              const Creel__Envelope *request)
{
    struct master_peer asker = port_asker(port, peer);
    struct daemon *daemon = port->daemon;
    struct err err = { 0 };
    int r;

    if (port->channel != MASTER_CLIENT || !history_server_accepts(daemon->history.server, request))
        return false;
    r = history_server_add(daemon->history.server, &asker, request, &err);
    if (r < 0)
        refuse(port, peer->connection, request->request_id, wire_error_from_errno(r), &err);
    return true;
}

/* Returns true if a request of KIND only reads. The master does not know the configuration of the daemon. */
static bool is_query(Creel__Envelope__BodyCase kind)
{
    return kind == CREEL__ENVELOPE__BODY_GET_CONFIGURATION || master_is_query(kind);
}

/* Queues REQUEST, or refuses it, if it is a query. Returns false for other requests. */
static bool queue_query(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    struct master_peer asker = port_asker(port, peer);
    struct err err = { 0 };

    if ((port->channel != MASTER_CLIENT && port->channel != MASTER_ADMIN) || !is_query(request->body_case))
        return false;
    if (queries_add(port->daemon->requests.queries, &asker, request, &err) < 0)
        refuse(port, peer->connection, request->request_id, CREEL__ERROR_CODE__ERROR_UNAVAILABLE, &err);
    return true;
}

static void answer_query(void *context, const struct queued_request *query)
{
    struct daemon *daemon = context;
    const struct port *port = &daemon->ports[query->channel];
    struct master_peer asker;
    Creel__Envelope *request;
    struct err err = { 0 };
    int r = channel_server_may_answer(port->server, query->connection, query->kind, &err);

    if (r == -ENOTCONN)
        return;
    if (r == 0)
        r = wire_decode(query->request, query->size, &request, NULL, &err);
    if (r < 0) {
        refuse(port, query->connection, query->request_id, wire_error_from_errno(r), &err);
        return;
    }
    asker = queued_request_peer(query);
    if (query->kind == CREEL__ENVELOPE__BODY_GET_CONFIGURATION)
        configuration_answer(&daemon->confs, port, query->connection, request);
    else
        (void)pass_on(port, &asker, NULL, request, master_on_message);
    wire_free(request);
}

/* Passes a submission to the master, with ENDED: results, from the history, of jobs on which it depends. */
static void submit_from_history(void *context, const struct master_peer *peer, const Creel__Envelope *request,
                                const struct master_ended *ended, size_t count)
{
    struct daemon *daemon = context;
    const struct port *port = &daemon->ports[peer->channel];

    master_set_ended(daemon->master, ended, count);
    (void)pass_on(port, peer, channel_server_address(port->server, peer->connection), request,
                  master_on_message);
    master_set_ended(daemon->master, NULL, 0);
}

/* Serves a peer that has connected with the key of a join token. */
static void on_join(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    struct master_peer asker = { port->channel, peer->connection, peer->join_token, NULL };

    if (!server_refuse_join(port, peer, request))
        (void)pass_on(port, &asker, peer->address, request, master_on_join);
}

/* --- requests of users ----------------------------------------------------- */

void server_pass_on(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    if (!queue_for_history(port, peer, request) && !queue_query(port, peer, request))
        ask_master(port, peer, peer->principal, request);
}

/* USER: for whom REQUEST counts. */
static void serve_user(const struct port *port, const struct peer *peer, const char *user,
                       const Creel__Envelope *request)
{
    if (!blob_requests_check_job(&port->daemon->uploads, port, peer, user, request) &&
        !blob_requests_refuse_sizes(&port->daemon->uploads, port, peer, request))
        server_pass_on(port, peer, request);
}

/* Serves a request whose turn has come. If its connection is closed, a query is dropped. */
static uint64_t serve_queued(void *context, const struct queued_request *queued)
{
    struct daemon *daemon = context;
    const struct port *port = &daemon->ports[queued->channel];
    const struct peer peer = { .connection = queued->connection,
                               .principal = queued->principal,
                               .job = queued->job,
                               .address = queued->address };
    uint64_t work = master_work(daemon->master);
    Creel__Envelope *request;
    struct err err = { 0 };
    int r = channel_server_may_answer(port->server, queued->connection, queued->kind, &err);

    if (r == 0 || (r == -ENOTCONN && !is_query(queued->kind)))
        r = wire_decode(queued->request, queued->size, &request, NULL, &err);
    if (r < 0) { /* -ENOTCONN: without effect */
        refuse(port, queued->connection, queued->request_id, wire_error_from_errno(r), &err);
        return 0;
    }
    if (queued->channel == MASTER_AM)
        ask_master(port, &peer, queued->principal, request);
    else
        serve_user(port, &peer, queued->user, request);
    wire_free(request);
    return master_work(daemon->master) - work;
}

static void refuse_change(const struct port *port, const struct peer *peer, const Creel__Envelope *request,
                          const struct err *err)
{
    master_count_refused_request(port->daemon->master);
    refuse(port, peer->connection, request->request_id, CREEL__ERROR_CODE__ERROR_UNAVAILABLE, err);
}

/* Serves a query now, if no request of its user waits at its connection. Queues or refuses all others. */
static void serve_or_queue(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    struct daemon *daemon = port->daemon;
    struct master_peer asker = port_asker(port, peer);
    struct err err = { 0 };
    const char *user = master_acting_user(daemon->master, &asker, request, &err);

    if (user == NULL) /* the master refuses the request when its turn comes */
        user = peer->principal;
    if (is_query(request->body_case) && !user_requests_has(daemon->requests.of_users, user, &asker))
        serve_user(port, peer, user, request);
    else if (user_requests_add(daemon->requests.of_users, user, &asker, peer->address, request, &err) < 0)
        refuse_change(port, peer, request, &err);
}

#define ALLOCATE_SHORT 256u /* changes of an Allocate that is served at once */

static bool is_long_allocate(const Creel__Envelope *request)
{
    const Creel__Allocate *body = request->allocate;

    return request->body_case == CREEL__ENVELOPE__BODY_ALLOCATE &&
           body->n_asks + body->n_blacklist_add + body->n_blacklist_remove + body->n_releases +
                   body->n_updates >
               ALLOCATE_SHORT;
}

/* Serves a request of the AM of ATTEMPT_ID. An Allocate with many changes or a long answer waits for the
 * turn of its user, and what comes after it waits too: the requests of an attempt keep their order. */
static void serve_am(const struct port *port, const struct peer *peer, const char *attempt_id,
                     const Creel__Envelope *request)
{
    struct user_requests *queue = port->daemon->requests.of_masters;
    struct master_peer asker = { port->channel, peer->connection, attempt_id, NULL };
    bool is_long =
        is_long_allocate(request) || master_answer_is_long(port->daemon->master, attempt_id, request);
    const char *user = is_long || user_requests_count(queue) > 0
                           ? master_attempt_user(port->daemon->master, attempt_id)
                           : NULL;
    struct err err = { 0 };

    if (user == NULL || (!is_long && !user_requests_has(queue, user, &asker)))
        ask_master(port, peer, attempt_id, request);
    else if (user_requests_add(queue, user, &asker, peer->address, request, &err) < 0)
        refuse_change(port, peer, request, &err);
}

static void on_request(void *context, const struct peer *sender, const Creel__Envelope *request)
{
    const struct port *port = context;
    struct peer named = *sender;
    const struct peer *peer = &named;

    if (peer->join_token != NULL) {
        on_join(port, peer, request);
        return;
    }
    if (peer->job != NULL && !identity_name_job(&port->daemon->users, port, &named, request))
        return;
    if (identity_refuse_guest(port, peer, request) || server_refuse_node(port, peer, request) ||
        serve_here(port, peer, request))
        return;
    if (port->channel == MASTER_AGENT)
        ask_master(port, peer, peer->principal, request);
    else
        serve_or_queue(port, peer, request);
}

static void on_am_request(void *context, const struct peer *peer, const Creel__Envelope *request)
{
    const struct port *port = context;
    ProtobufCMessage *payload = NULL;
    struct attempt_id id;
    const char *attempt_id;
    struct err err = { 0 };
    int r = token_open(&port->daemon->credentials.signing_keys.am, CREEL__TOKEN_KIND__TOKEN_AM,
                       &creel__am_grant__descriptor, request->token.data, request->token.len, &payload, &err);

    if (r < 0) {
        /* The token was signed with a key that this store does not have or no longer accepts. Perhaps the
         * store was lost: the AM must not exit because of that, so it gets an error after which it tries
         * again. An unwanted AM ends with its container. */
        port->daemon->metrics.sign_in_failures++;
        refuse(port, peer->connection, request->request_id,
               r == -EKEYREJECTED || r == -EKEYEXPIRED ? CREEL__ERROR_CODE__ERROR_UNAVAILABLE
                                                       : CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
               &err);
        return;
    }
    attempt_id = ((Creel__AmGrant *)payload)->attempt_id;
    if (attempt_id_parse(peer->principal, &id) && strcmp(peer->principal, attempt_id) != 0)
        channel_server_refuse(port->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "%s: its token is another attempt's",
                              peer->principal);
    else if (!serve_here(port, peer, request))
        serve_am(port, peer, attempt_id, request);
    protobuf_c_message_free_unpacked(payload, NULL);
}

/* --- binding --------------------------------------------------------------- */

static int open_history(struct daemon *daemon, struct err *err)
{
    const struct history_parts parts = {
        .loop = daemon->loop,
        .state_directory = daemon->state.directory,
        .master = daemon->master,
        .writer = daemon->history.writer,
        .send = send_from_history,
        .may_answer = may_answer_from_history,
        .submit = submit_from_history,
        .context = daemon,
    };

    return history_server_new(&parts, &daemon->history.server, err);
}

int server_open(struct daemon *daemon, struct err *err)
{
    int opened = open_history(daemon, err);

    if (opened < 0)
        return opened;
    server_open_keys(daemon);
    daemon->requests.of_users = user_requests_new(daemon->loop, "requests-kib", serve_queued, daemon);
    daemon->requests.of_masters = user_requests_new(daemon->loop, "am-requests-kib", serve_queued, daemon);
    daemon->requests.queries = queries_new(daemon->loop, answer_query, daemon);
    for (size_t i = 0; i < RM_CHANNELS; i++) {
        struct port *port = &daemon->ports[i];
        enum conf_key key = servers[i].address;
        int r;

        port->daemon = daemon;
        port->channel = (enum master_channel)i;
        r = channel_server_new(daemon->gateways, conf_text(daemon->confs.started, key), servers[i].policy,
                               &daemon->own_key, i == MASTER_AM ? on_am_request : on_request, port,
                               &port->server, err);
        if (r < 0) {
            err_prefix(err, "%s", conf_key_info(key)->name);
            return r;
        }
    }
    return 0;
}

void server_close(struct daemon *daemon)
{
    for (size_t i = 0; i < RM_CHANNELS; i++)
        channel_server_free(daemon->ports[i].server);
}
