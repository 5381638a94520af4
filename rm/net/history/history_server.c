/* SPDX-License-Identifier: Apache-2.0 */
/* history_server.c - answers requests from the history files */
#include "rm/net/history/history_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/loop/log.h"
#include "common/io/wire/wire.h"
#include "rm/net/history/history_answer.h"
#include "rm/net/history/history_threads.h"
#include "rm/net/history/history_why.h"

#define STOP_MS 1000
#define OF_USER_MAX 100 /* maximum of queued requests of one user */
#define OF_USER_BYTES_MAX ((size_t)1 << 20)
#define BYTES_MAX ((size_t)16 << 20)

struct history_server {
    struct history_parts parts;
    char *state_directory; /* owned: a thread that hangs uses it until the end */
    struct history_threads *threads;
    struct request_queue *queue;
    bool closing;
};

/* --- replies --------------------------------------------------------------- */

static void send_reply(struct history_answer *answer, Creel__Envelope *reply)
{
    const struct history_parts *parts = &answer->server->parts;
    struct master_peer peer = queued_request_peer(answer->query);

    reply->request_id = answer->query->request_id;
    parts->send(parts->context, &peer, reply);
}

static void send_error(struct history_answer *answer)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    if (answer->result == -ENOENT && history_writer_state(answer->server->parts.writer).problem != NULL)
        err_prefix(&answer->err, "the history is not written at present, and may lack it");
    error.code = wire_error_from_errno(answer->result);
    error.message = answer->err.text;
    reply.body_case = CREEL__ENVELOPE__BODY_ERROR;
    reply.error = &error;
    send_reply(answer, &reply);
}

static bool may(struct history_answer *answer, enum master_right right, const char *verb)
{
    const Creel__AppReport *app = answer->apps[0];

    if (master_may(answer->server->parts.master, answer->user, answer->query->job, right, app))
        return true;
    answer->result = err_set(&answer->err, EPERM, "%s belongs to %s: user %s may not %s", app->app_id,
                             app->user, answer->user, verb);
    send_error(answer);
    return false;
}

static void hide(struct history_answer *answer)
{
    for (size_t i = 0; i < answer->app_count; i++)
        master_hide(answer->server->parts.master, answer->user, answer->query->job, answer->apps[i]);
}

/* Returns a text about rows that are missing; the caller frees it. */
static char *warning_of(const struct history_answer *answer)
{
    scoped_free char *warning = history_writer_warning(answer->server->parts.writer);

    if (answer->damaged == 0)
        return mem_strdup(warning);
    return mem_printf("%zu history files cannot be read%s%s", answer->damaged, *warning != '\0' ? "; " : "",
                      warning);
}

static void send_list(struct history_answer *answer)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__JobHistory list = CREEL__JOB_HISTORY__INIT;
    scoped_free char *warning = warning_of(answer);

    hide(answer);
    list.apps = answer->apps;
    list.n_apps = answer->app_count;
    list.next = answer->next;
    list.warning = warning;
    reply.body_case = CREEL__ENVELOPE__BODY_JOB_HISTORY;
    reply.job_history = &list;
    send_reply(answer, &reply);
}

static void send_sums(struct history_answer *answer)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__JobHistorySums list = CREEL__JOB_HISTORY_SUMS__INIT;
    scoped_free char *warning = warning_of(answer);

    list.sums = answer->sums;
    list.n_sums = answer->sum_count;
    if (answer->more && answer->sum_count > 0)
        list.next = answer->sums[answer->sum_count - 1]->group;
    list.warning = warning;
    reply.body_case = CREEL__ENVELOPE__BODY_JOB_HISTORY_SUMS;
    reply.job_history_sums = &list;
    send_reply(answer, &reply);
}

static void send_app(struct history_answer *answer)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__AppList list = CREEL__APP_LIST__INIT;

    hide(answer);
    list.apps = answer->apps;
    list.n_apps = answer->app_count;
    reply.body_case = CREEL__ENVELOPE__BODY_APP_LIST;
    reply.app_list = &list;
    send_reply(answer, &reply);
}

static void send_containers(struct history_answer *answer)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__ContainerList list = CREEL__CONTAINER_LIST__INIT;

    if (!may(answer, MASTER_MAY_LIST, "see its containers"))
        return;
    list.containers = answer->containers;
    list.n_containers = answer->container_count;
    if (answer->more && answer->container_count > 0)
        list.next = answer->containers[answer->container_count - 1]->container_id;
    reply.body_case = CREEL__ENVELOPE__BODY_CONTAINER_LIST;
    reply.container_list = &list;
    send_reply(answer, &reply);
}

static void send_explanation(struct history_answer *answer)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__AppExplanation explanation = CREEL__APP_EXPLANATION__INIT;
    struct arena *arena;

    if (!may(answer, MASTER_MAY_SEE, "see how it ended"))
        return;
    arena = arena_new();
    history_why(arena, answer->apps[0], answer->containers, answer->container_count, &explanation);
    reply.body_case = CREEL__ENVELOPE__BODY_APP_EXPLANATION;
    reply.app_explanation = &explanation;
    send_reply(answer, &reply);
    arena_free(arena);
}

static void send_log_access(struct history_answer *answer)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__LogAccess access = CREEL__LOG_ACCESS__INIT;
    Creel__LogGrant grant = CREEL__LOG_GRANT__INIT;
    struct arena *arena;

    if (!may(answer, MASTER_MAY_READ_LOGS, "read its logs"))
        return;
    arena = arena_new();
    grant.app_id = answer->apps[0]->app_id;
    grant.user = answer->user;
    answer->result = master_log_access(answer->server->parts.master, arena, answer->request->get_log_access,
                                       &grant, loop_now_ms(), &access, &answer->err);
    reply.body_case = CREEL__ENVELOPE__BODY_LOG_ACCESS;
    reply.log_access = &access;
    if (answer->result < 0)
        send_error(answer);
    else
        send_reply(answer, &reply);
    arena_free(arena);
}

static void submit(struct history_answer *answer)
{
    const struct history_parts *parts = &answer->server->parts;
    struct master_peer peer = queued_request_peer(answer->query);

    parts->submit(parts->context, &peer, answer->request, answer->ended, answer->ended_count);
}

static void send_answer(struct history_answer *answer)
{
    if (answer->result < 0) {
        send_error(answer);
        return;
    }
    switch (answer->request->body_case) {
    case CREEL__ENVELOPE__BODY_LIST_JOB_HISTORY:
        send_list(answer);
        break;
    case CREEL__ENVELOPE__BODY_SUM_JOB_HISTORY:
        send_sums(answer);
        break;
    case CREEL__ENVELOPE__BODY_SUBMIT_APP:
        submit(answer);
        break;
    case CREEL__ENVELOPE__BODY_LIST_CONTAINERS:
        send_containers(answer);
        break;
    case CREEL__ENVELOPE__BODY_GET_LOG_ACCESS:
        send_log_access(answer);
        break;
    case CREEL__ENVELOPE__BODY_EXPLAIN_APP:
        send_explanation(answer);
        break;
    default:
        send_app(answer);
    }
}

/* --- requests -------------------------------------------------------------- */

static void answer_next(struct history_server *server);

static void answer_done(struct worker_job *job)
{
    struct history_answer *answer = (struct history_answer *)job;
    struct history_server *server = answer->server;

    history_threads_end(server->threads, answer->thread);
    request_queue_charge(server->queue, answer->query->user, loop_monotonic_ms() - answer->begun_ms);
    if (!server->closing)
        send_answer(answer);
    history_answer_free(answer);
    if (!server->closing)
        answer_next(server);
}

bool history_server_accepts(const struct history_server *server, const Creel__Envelope *request)
{
    const char *app = history_named_app(request);
    scoped_free struct app_id *parents = NULL;
    struct app_id id;
    uint32_t index;

    if (master_forgotten_parents(server->parts.master, request, &parents) > 0)
        return true;
    if (request->body_case == CREEL__ENVELOPE__BODY_LIST_JOB_HISTORY ||
        request->body_case == CREEL__ENVELOPE__BODY_SUM_JOB_HISTORY)
        return true;
    return app != NULL && (master_has_forgotten(server->parts.master, app, &id) ||
                           master_has_forgotten_task(server->parts.master, app, &id, &index));
}

static void refuse(struct history_server *server, const struct queued_request *query, int code, char *text)
{
    struct master_peer peer = queued_request_peer(query);
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    error.code = wire_error_from_errno(code);
    error.message = text;
    reply.request_id = query->request_id;
    reply.body_case = CREEL__ENVELOPE__BODY_ERROR;
    reply.error = &error;
    server->parts.send(server->parts.context, &peer, &reply);
}

static bool may_have_thread(void *context, const struct queued_request *request)
{
    const struct history_server *server = context;

    return history_threads_has_room(server->threads, request->user, request->principal);
}

/* Returns the next request that may be answered. Drops those of connections that have ended, except a
 * SubmitApp, and refuses those of peers that do not read. */
static struct queued_request *next_query(struct history_server *server)
{
    struct queued_request *query;

    while ((query = request_queue_pop_of(server->queue, may_have_thread, server)) != NULL) {
        struct master_peer peer = queued_request_peer(query);
        struct err err = { 0 };
        int r = server->parts.may_answer(server->parts.context, &peer, query->kind, &err);

        if (r == 0 || (r == -ENOTCONN && query->kind == CREEL__ENVELOPE__BODY_SUBMIT_APP))
            return query;
        if (r != -ENOTCONN)
            refuse(server, query, r, err.text);
        queued_request_free(query);
    }
    return NULL;
}

static int decode(struct history_server *server, struct history_answer *answer)
{
    struct master_peer peer = queued_request_peer(answer->query);
    const char *user, *app;
    /* The request was checked before it was queued; only a lack of memory can fail. */
    int r = wire_decode(answer->query->request, answer->query->size, &answer->request, NULL, &answer->err);

    if (r < 0)
        return r;
    user = master_acting_user(server->parts.master, &peer, answer->request, &answer->err);
    answer->user = mem_strdup(user ? user : peer.principal);
    answer->parent_count = master_forgotten_parents(server->parts.master, answer->request, &answer->parents);
    app = history_named_app(answer->request);
    if (app != NULL && !master_has_forgotten(server->parts.master, app, &answer->id))
        answer->is_task = master_has_forgotten_task(server->parts.master, app, &answer->id, &answer->index);
    return 0;
}

static void begin(struct history_server *server, struct queued_request *query)
{
    struct history_answer *answer = mem_new0(struct history_answer);

    answer->job.run = history_answer_run;
    answer->job.done = answer_done;
    answer->server = server;
    answer->state_directory = server->state_directory;
    answer->query = query;
    answer->begun_ms = loop_monotonic_ms();
    answer->result = decode(server, answer);
    if (answer->result == 0) {
        answer->thread = history_threads_run(server->threads, query->user, query->principal, &answer->job);
        return;
    }
    send_error(answer);
    history_answer_free(answer);
}

static void answer_next(struct history_server *server)
{
    struct queued_request *query;

    while (history_threads_has_idle(server->threads) && (query = next_query(server)) != NULL)
        begin(server, query);
}

int history_server_add(struct history_server *server, const struct master_peer *peer,
                       const Creel__Envelope *request, struct err *err)
{
    const char *user = master_acting_user(server->parts.master, peer, request, err);
    int r;

    if (user == NULL)
        return -EPERM;
    r = request_queue_add(server->queue, user, peer, NULL, request, err);
    if (r == 0)
        answer_next(server);
    return r;
}

/* --- start and end ----------------------------------------------------------- */

int history_server_new(const struct history_parts *parts, struct history_server **ret, struct err *err)
{
    static const struct request_limits limits = { "history-queries-kib", "queries", OF_USER_MAX,
                                                  OF_USER_BYTES_MAX, BYTES_MAX };
    struct history_server *server = mem_new0(struct history_server);
    int r = history_threads_new(parts->loop, &server->threads, err);

    if (r < 0) {
        free(server);
        return r;
    }
    server->parts = *parts;
    server->state_directory = mem_strdup(parts->state_directory);
    server->queue = request_queue_new(&limits);
    *ret = server;
    return 0;
}

const struct request_queue *history_server_queue(const struct history_server *server)
{
    return server->queue;
}

bool history_server_free(struct history_server *server)
{
    if (server == NULL)
        return true;
    server->closing = true;
    if (!history_threads_free(server->threads, STOP_MS)) {
        log_line(LOG_LEVEL_WARN, "a read of the history is abandoned: %s/history does not answer",
                 server->state_directory);
        return false;
    }
    request_queue_free(server->queue);
    free(server->state_directory);
    free(server);
    return true;
}
