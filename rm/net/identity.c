/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c - decides how users are identified: by certificates, MUNGE and tokens of jobs */
#include "rm/net/identity.h"

#include <errno.h>
#include <string.h>

#include "common/conf/identity.h"
#include "common/io/keys/credential.h"
#include "common/io/wire/wire.h"

/* --- answers of sign_in.h ------------------------------------------------------ */

static void send_user(const struct daemon_users *users, const struct sign_in_answer *answer)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__SignInReply reply = CREEL__SIGN_IN_REPLY__INIT;

    reply.user = (char *)(uintptr_t)answer->user;
    reply.valid_ms = answer->valid_ms;
    envelope.request_id = answer->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_SIGN_IN_REPLY;
    envelope.sign_in_reply = &reply;
    (void)channel_server_send(users->parts.ports[MASTER_CLIENT].server, answer->connection, &envelope);
}

static void on_answer(void *context, const struct sign_in_answer *answer)
{
    struct daemon_users *users = context;
    struct channel_server *server = users->parts.ports[MASTER_CLIENT].server;
    const char *address = channel_server_address(server, answer->connection);
    char more[LOG_MORE_MAX];

    if (answer->user != NULL) {
        log_line(LOG_LEVEL_DEBUG, "user %s at %s: signed in by MUNGE", answer->user, address);
        send_user(users, answer);
        return;
    }
    users->parts.metrics->sign_in_failures++;
    if (log_limit_pass(&users->refusals, more))
        log_line(LOG_LEVEL_WARN, "client at %s: not signed in: %s%s", address, answer->text, more);
    channel_server_refuse(server, answer->connection, answer->request_id, answer->code, "%s", answer->text);
}

/* --- requests -------------------------------------------------------------------- */

void identity_on_sign_in(struct daemon_users *users, const struct port *port, const struct peer *peer,
                         const Creel__Envelope *request)
{
    const struct sign_in_request asked = { peer->connection, request->request_id, peer->key,
                                           request->sign_in->credential };
    struct err err = { 0 };
    int r;

    if (users->sign_in == NULL)
        r = err_set(&err, EPERM, "the resource manager does not take MUNGE credentials (%s)",
                    conf_key_info(CONF_IDENTITY)->name);
    else if (strcmp(channel_server_method(port->server, peer->connection), "certificate") == 0)
        r = err_set(&err, EPERM, "you are user %s by a certificate already", peer->principal);
    else
        r = sign_in_add(users->sign_in, &asked, &err);
    if (r == 0)
        return;
    users->parts.metrics->sign_in_failures++;
    channel_server_refuse(port->server, peer->connection, request->request_id, wire_error_from_errno(r), "%s",
                          err.text);
}

void identity_on_get(struct daemon_users *users, const struct port *port, const struct peer *peer,
                     const Creel__Envelope *request)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Identity identity = CREEL__IDENTITY__INIT;
    struct err err = { 0 };

    if (master_may_act(users->parts.master, peer->principal, request->as_user, &err) < 0) {
        channel_server_refuse(port->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "%s", err.text);
        return;
    }
    identity.user = (char *)(uintptr_t)peer->principal;
    identity.method = (char *)(uintptr_t)channel_server_method(port->server, peer->connection);
    identity.app_id = (char *)(uintptr_t)(peer->job != NULL ? peer->job : "");
    identity.valid_ms = sign_in_left_ms(users->sign_in, peer->key);
    envelope.request_id = request->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_IDENTITY;
    envelope.identity = &identity;
    (void)channel_server_send(port->server, peer->connection, &envelope);
}

bool identity_refuse_guest(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    if (!peer->guest || request->body_case == CREEL__ENVELOPE__BODY_SIGN_IN)
        return false;
    channel_server_refuse(
        port->server, peer->connection, request->request_id, CREEL__ERROR_CODE__ERROR_SIGN_IN,
        "the resource manager accepts no certificate with your key, and no user has signed in with it: "
        "set %s to munge in /etc/creel/yarn-site.xml of this host, or ask the administrator for a "
        "certificate: creel keygen user NAME --install",
        conf_key_info(CONF_IDENTITY)->name);
    return true;
}

/* --- tokens of jobs ---------------------------------------------------------------- */

/* Returns whether the token of a job is enough for REQUEST: to submit applications, and to see and change
 * those of its user. It is not for what would outlast the application: other tokens, and the role of an
 * application master outside of the cluster. */
static bool is_for_jobs(const Creel__Envelope *request)
{
    static const Creel__Envelope__BodyCase bodies[] = {
        CREEL__ENVELOPE__BODY_NEW_APP,          CREEL__ENVELOPE__BODY_SUBMIT_APP,
        CREEL__ENVELOPE__BODY_TEST_APP,         CREEL__ENVELOPE__BODY_HAVE_BLOBS,
        CREEL__ENVELOPE__BODY_PUT_BLOB,         CREEL__ENVELOPE__BODY_KILL_APP,
        CREEL__ENVELOPE__BODY_KILL_TASKS,       CREEL__ENVELOPE__BODY_REQUEUE_APP,
        CREEL__ENVELOPE__BODY_MOVE_APP,         CREEL__ENVELOPE__BODY_SET_PRIORITY,
        CREEL__ENVELOPE__BODY_SET_LIFETIME,     CREEL__ENVELOPE__BODY_SET_ARRAY,
        CREEL__ENVELOPE__BODY_HOLD_APP,         CREEL__ENVELOPE__BODY_RELEASE_APP,
        CREEL__ENVELOPE__BODY_RESIZE_CONTAINER, CREEL__ENVELOPE__BODY_WAIT_APP,
        CREEL__ENVELOPE__BODY_WAIT_NODES,       CREEL__ENVELOPE__BODY_GET_LOG_ACCESS,
        CREEL__ENVELOPE__BODY_LIST_APPS,        CREEL__ENVELOPE__BODY_LIST_CONTAINERS,
        CREEL__ENVELOPE__BODY_LIST_NODES,       CREEL__ENVELOPE__BODY_LIST_QUEUES,
        CREEL__ENVELOPE__BODY_LIST_QUEUE_USERS, CREEL__ENVELOPE__BODY_GET_QUEUE_ACCESS,
        CREEL__ENVELOPE__BODY_LIST_LABELS,      CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO,
        CREEL__ENVELOPE__BODY_EXPLAIN_APP,      CREEL__ENVELOPE__BODY_LIST_JOB_HISTORY,
        CREEL__ENVELOPE__BODY_SUM_JOB_HISTORY,  CREEL__ENVELOPE__BODY_GET_IDENTITY,
        CREEL__ENVELOPE__BODY_GET_RERUN,        CREEL__ENVELOPE__BODY_LIST_EVENTS,
        CREEL__ENVELOPE__BODY_SET_NAME,         CREEL__ENVELOPE__BODY_GET_BLOB,
        CREEL__ENVELOPE__BODY_CHANGE_APP,
    };

    if (request->body_case == CREEL__ENVELOPE__BODY_SUBMIT_APP && request->submit_app->job->unmanaged)
        return false;
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
        if (bodies[i] == request->body_case)
            return true;
    return false;
}

static int judge_job(const struct peer *peer, const char *user, const Creel__Envelope *request,
                     struct err *err)
{
    if (user == NULL)
        return err_set(err, EPERM, "%s and its containers have ended: its token is not valid any more",
                       peer->job);
    if (request->as_user[0] != '\0' && strcmp(request->as_user, user) != 0)
        return err_set(err, EPERM, "%s: the token of a job is for its user, %s, alone", peer->job, user);
    if (!is_for_jobs(request))
        return err_set(
            err, EPERM,
            "%s: the token of a job is not enough for this request (%s): it needs a certificate or "
            "MUNGE",
            peer->job, wire_body_name(request->body_case));
    return 0;
}

bool identity_name_job(const struct daemon_users *users, const struct port *port, struct peer *peer,
                       const Creel__Envelope *request)
{
    const char *user = master_live_user(users->parts.master, peer->job);
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;
    struct master_peer asker;
    struct err err = { 0 };

    peer->principal = user != NULL ? user : "";
    if (judge_job(peer, user, request, &err) == 0)
        return true;
    asker = port_asker(port, peer);
    error.code = CREEL__ERROR_CODE__ERROR_NOT_PERMITTED;
    error.message = err.text;
    reply.request_id = request->request_id;
    reply.body_case = CREEL__ENVELOPE__BODY_ERROR;
    reply.error = &error;
    report_answer(users->parts.report,
                  &(struct audit_request){ .peer = &asker,
                                           .address = peer->address,
                                           .method = channel_server_method(port->server, peer->connection),
                                           .request = request,
                                           .reply = &reply });
    (void)channel_server_send(port->server, peer->connection, &reply);
    return false;
}

/* --- start ------------------------------------------------------------------------ */

static const char *find_signed_in(void *context, const char *public_text)
{
    return sign_in_find(((struct daemon_users *)context)->sign_in, public_text);
}

static const char *find_job(void *context, const char *public_text)
{
    return derived_keys_find(((struct daemon_users *)context)->parts.job_keys, public_text);
}

static bool accepts_certificate(void *context, const char *user)
{
    const struct daemon_users *users = context;

    return users->certificates || master_is_proxy_user(users->parts.master, user);
}

const char *identity_user_of_key(struct daemon_users *users, const char *public_text)
{
    const char *user = sign_in_find(users->sign_in, public_text);

    if (user != NULL)
        return user;
    user = keys_find(users->parts.keys, KEY_USER, public_text);
    return user != NULL && accepts_certificate(users, user) ? user : NULL;
}

int identity_start(struct daemon_users *users, const struct identity_parts *parts, struct err *err)
{
    const struct sign_in_settings settings = {
        .socket = conf_text(parts->conf, CONF_MUNGE_SOCKET),
        .rm_key = parts->rm_key,
        .state_directory = parts->state_directory,
        .validity_ms = conf_ms(parts->conf, CONF_MUNGE_VALIDITY),
    };
    struct channel_users accepted = { find_signed_in, accepts_certificate, find_job, false, users };
    const char *key = conf_key_info(CONF_IDENTITY)->name;
    struct identity identity;
    char text[64];
    int r = identity_read(parts->conf, &identity, err);

    if (r < 0)
        return r;
    users->parts = *parts;
    users->certificates = identity_has(&identity, IDENTITY_CERTIFICATE);
    accepted.guests = identity_has(&identity, IDENTITY_MUNGE);
    if (accepted.guests &&
        (r = sign_in_new(parts->loop, &settings, on_answer, users, &users->sign_in, err)) < 0)
        return r;
    gateway_pool_set_users(parts->gateways, &accepted);
    log_line(LOG_LEVEL_INFO, "users sign in by %s (%s)%s", identity_describe(&identity, text), key,
             users->certificates ? "" : "; certificates are accepted of proxy users alone");
    if (accepted.guests && !credential_is_possible(settings.socket))
        log_line(LOG_LEVEL_WARN,
                 "munged does not run on this host: no user can sign in by MUNGE before: systemctl "
                 "start munge");
    return 0;
}
