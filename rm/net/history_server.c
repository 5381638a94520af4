/* SPDX-License-Identifier: Apache-2.0 */
/* history_server.c - answers requests from the history files */
#include "rm/net/history_server.h"

#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/log.h"
#include "common/io/wire.h"
#include "rm/net/request_queue.h"
#include "rm/net/worker.h"
#include "rm/net/history_why.h"
#include "rm/store/job_history.h"

#define OF_USER_MAX 100 /* maximum of queued requests of one user */
#define OF_USER_BYTES_MAX ((size_t)1 << 20)
#define BYTES_MAX ((size_t)16 << 20)
#define PAGE_ROWS_MAX 250
#define PAGE_SUMS_MAX 1000
#define PAGE_BYTES_MAX ((size_t)256 << 10)

struct history_server {
    struct history_parts parts;
    struct worker *worker;
    struct request_queue *queue;
    bool busy; /* a request is being answered */
    bool closing;
};

/* One request: filled by the loop, answered by the thread, sent by the loop. */
struct answer {
    struct worker_job job; /* first member */
    struct history_server *server;
    struct queued_request *query;
    Creel__Envelope *request;
    char *user;       /* the user of the request; owned */
    struct app_id id; /* the application, if the request is about one */
    bool is_task;     /* it is the task with INDEX of the array ID */
    uint32_t index;
    struct app_id *parents; /* dependencies of a submission that are in the history only; owned */
    size_t parent_count;
    /* Set by the thread: */
    struct master_ended *ended; /* results of PARENTS; owned */
    size_t ended_count;
    int result;
    struct err err;
    Creel__AppReport **apps; /* owned, with their elements */
    size_t app_count, app_capacity;
    Creel__ContainerReport **containers; /* owned, with their elements */
    size_t container_count, container_capacity, bytes;
    Creel__JobHistorySum **sums; /* owned, with their elements and texts */
    size_t sum_count, sum_capacity;
    size_t damaged;
    bool more;
    char next[JOB_HISTORY_NEXT_MAX];
};

static void answer_free(struct answer *answer)
{
    for (size_t i = 0; i < answer->app_count; i++)
        protobuf_c_message_free_unpacked(&answer->apps[i]->base, NULL);
    for (size_t i = 0; i < answer->container_count; i++)
        protobuf_c_message_free_unpacked(&answer->containers[i]->base, NULL);
    for (size_t i = 0; i < answer->sum_count; i++) {
        free(answer->sums[i]->group);
        free(answer->sums[i]);
    }
    free(answer->apps);
    free(answer->containers);
    free(answer->sums);
    free(answer->parents);
    free(answer->ended);
    wire_free(answer->request);
    queued_request_free(answer->query);
    free(answer->user);
    free(answer);
}

/* --- in the thread --------------------------------------------------------- */

static size_t page_rows(uint32_t limit)
{
    return limit == 0 || limit > PAGE_ROWS_MAX ? PAGE_ROWS_MAX : limit;
}

static bool add_app(void *context, Creel__AppReport *report)
{
    struct answer *answer = context;

    mem_grow(answer->apps, answer->app_count, answer->app_capacity);
    answer->apps[answer->app_count++] = report;
    answer->bytes += protobuf_c_message_get_packed_size(&report->base);
    return answer->bytes < PAGE_BYTES_MAX;
}

static void add_container(void *context, Creel__ContainerReport *report)
{
    struct answer *answer = context;

    mem_grow(answer->containers, answer->container_count, answer->container_capacity);
    answer->containers[answer->container_count++] = report;
}

static struct job_history_filter filter_of(const Creel__ListJobHistory *body)
{
    return (struct job_history_filter){
        .users = body->users,
        .user_count = body->n_users,
        .queues = body->queues,
        .queue_count = body->n_queues,
        .states = body->states,
        .state_count = body->n_states,
        .name = body->name,
        .since_ms = body->since_ms,
        .until_ms = body->until_ms,
        .tasks = body->tasks,
        .nodes = body->nodes,
        .after = body->after,
        .limit = page_rows(body->limit),
    };
}

static int read_list(struct answer *answer, const char *directory)
{
    const struct job_history_filter filter = filter_of(answer->request->list_job_history);

    return job_history_list(directory, &filter, add_app, answer, answer->next, &answer->damaged,
                            &answer->err);
}

static void add_sum(void *context, const struct job_history_sum *sum)
{
    struct answer *answer = context;
    Creel__JobHistorySum *row = mem_new0(Creel__JobHistorySum);

    creel__job_history_sum__init(row);
    row->group = mem_strdup(sum->group);
    row->jobs = sum->jobs;
    row->succeeded = sum->succeeded;
    row->failed = sum->failed;
    row->killed = sum->killed;
    row->waited_ms = sum->waited_ms;
    row->vcore_seconds = sum->vcore_seconds;
    row->memory_mb_seconds = sum->memory_mb_seconds;
    row->cpu_time_us = sum->cpu_time_us;
    row->memory_used_mb_seconds = sum->memory_used_mb_seconds;
    mem_grow(answer->sums, answer->sum_count, answer->sum_capacity);
    answer->sums[answer->sum_count++] = row;
}

static int read_sums(struct answer *answer, const char *directory)
{
    static const enum job_history_group groups[] = {
        [CREEL__HISTORY_GROUP__HISTORY_BY_USER] = JOB_HISTORY_BY_USER,
        [CREEL__HISTORY_GROUP__HISTORY_BY_QUEUE] = JOB_HISTORY_BY_QUEUE,
        [CREEL__HISTORY_GROUP__HISTORY_BY_HOUR] = JOB_HISTORY_BY_HOUR,
    };
    const Creel__SumJobHistory *body = answer->request->sum_job_history;
    struct job_history_filter filter = filter_of(body->filter);
    size_t by = (size_t)body->by;

    if (by >= sizeof(groups) / sizeof(groups[0]))
        return err_set(&answer->err, EINVAL, "%zu is no group of sums of the history", by);
    if (body->filter->limit == 0 || body->filter->limit > PAGE_SUMS_MAX)
        filter.limit = PAGE_SUMS_MAX;
    else
        filter.limit = body->filter->limit;
    return job_history_sum(directory, &filter, groups[by], (int64_t)body->offset_s * 1000, add_sum, answer,
                           &answer->more, &answer->damaged, &answer->err);
}

static int read_containers(struct answer *answer, const char *directory)
{
    const Creel__ListContainers *body = answer->request->list_containers;
    struct container_id after;
    bool from_start = *body->after == '\0' || !container_id_parse(body->after, &after);

    return job_history_containers(directory, answer->apps[0], from_start ? NULL : &after,
                                  page_rows(body->limit), add_container, answer, &answer->more, &answer->err);
}

/* Finds the results of PARENTS. Applications that the history does not have are left out: the master refuses
 * a submission that depends on them. */
static int read_parents(struct answer *answer, const char *directory)
{
    answer->ended = mem_array0(answer->parent_count + 1, sizeof(*answer->ended));
    for (size_t i = 0; i < answer->parent_count; i++) {
        Creel__AppReport *app;
        int r = job_history_find(directory, &answer->parents[i], &app, &answer->err);

        if (r < 0 && r != -ENOENT)
            return r;
        if (r < 0)
            continue;
        answer->ended[answer->ended_count++] =
            (struct master_ended){ answer->parents[i], app->final_status, app->exit_status };
        protobuf_c_message_free_unpacked(&app->base, NULL);
    }
    return 0;
}

static void run_answer(struct worker_job *job)
{
    struct answer *answer = (struct answer *)job;
    const char *directory = answer->server->parts.state_directory;
    Creel__AppReport *app;

    if (answer->request->body_case == CREEL__ENVELOPE__BODY_LIST_JOB_HISTORY) {
        answer->result = read_list(answer, directory);
        return;
    }
    if (answer->request->body_case == CREEL__ENVELOPE__BODY_SUM_JOB_HISTORY) {
        answer->result = read_sums(answer, directory);
        return;
    }
    if (answer->request->body_case == CREEL__ENVELOPE__BODY_SUBMIT_APP) {
        answer->result = read_parents(answer, directory);
        return;
    }
    answer->result = answer->is_task
                         ? job_history_find_task(directory, &answer->id, answer->index, &app, &answer->err)
                         : job_history_find(directory, &answer->id, &app, &answer->err);
    if (answer->result < 0)
        return;
    add_app(answer, app);
    if (answer->request->body_case == CREEL__ENVELOPE__BODY_LIST_CONTAINERS)
        answer->result = read_containers(answer, directory);
    else if (answer->request->body_case == CREEL__ENVELOPE__BODY_EXPLAIN_APP)
        answer->result = job_history_containers(directory, app, NULL, page_rows(0), add_container, answer,
                                                &answer->more, &answer->err);
}

/* --- replies --------------------------------------------------------------- */

static struct master_peer peer_of(const struct answer *answer)
{
    return (struct master_peer){ answer->query->channel, answer->query->connection,
                                 answer->query->principal };
}

static void send_reply(struct answer *answer, Creel__Envelope *reply)
{
    const struct history_parts *parts = &answer->server->parts;
    struct master_peer peer = peer_of(answer);

    reply->request_id = answer->query->request_id;
    parts->send(parts->context, &peer, reply);
}

static void send_error(struct answer *answer)
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

static bool may(struct answer *answer, enum master_right right, const char *verb)
{
    const Creel__AppReport *app = answer->apps[0];

    if (master_may(answer->server->parts.master, answer->user, right, app))
        return true;
    answer->result = err_set(&answer->err, EPERM, "%s belongs to %s: user %s may not %s", app->app_id,
                             app->user, answer->user, verb);
    send_error(answer);
    return false;
}

static void hide(struct answer *answer)
{
    for (size_t i = 0; i < answer->app_count; i++)
        master_hide(answer->server->parts.master, answer->user, answer->apps[i]);
}

/* Returns a text about rows that are missing; the caller frees it. */
static char *warning_of(const struct answer *answer)
{
    scoped_free char *warning = history_writer_warning(answer->server->parts.writer);

    if (answer->damaged == 0)
        return mem_strdup(warning);
    return mem_printf("%zu history files cannot be read%s%s", answer->damaged, *warning != '\0' ? "; " : "",
                      warning);
}

static void send_list(struct answer *answer)
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

static void send_sums(struct answer *answer)
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

static void send_app(struct answer *answer)
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

static void send_containers(struct answer *answer)
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

static void send_explanation(struct answer *answer)
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

static void send_log_access(struct answer *answer)
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

static void submit(struct answer *answer)
{
    const struct history_parts *parts = &answer->server->parts;
    struct master_peer peer = peer_of(answer);

    parts->submit(parts->context, &peer, answer->request, answer->ended, answer->ended_count);
}

static void send_answer(struct answer *answer)
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
    struct answer *answer = (struct answer *)job;
    struct history_server *server = answer->server;

    server->busy = false;
    if (!server->closing)
        send_answer(answer);
    answer_free(answer);
    if (!server->closing)
        answer_next(server);
}

/* Returns the text that names the application of REQUEST. NULL: REQUEST is not about one application, or its
 * kind is not answered from the history. */
static const char *named_app(const Creel__Envelope *request)
{
    switch (request->body_case) {
    case CREEL__ENVELOPE__BODY_LIST_APPS:
        return *request->list_apps->app_id != '\0' ? request->list_apps->app_id : NULL;
    case CREEL__ENVELOPE__BODY_LIST_CONTAINERS:
        return *request->list_containers->app_id != '\0' ? request->list_containers->app_id : NULL;
    case CREEL__ENVELOPE__BODY_WAIT_APP:
        return request->wait_app->app_id;
    case CREEL__ENVELOPE__BODY_EXPLAIN_APP:
        return request->explain_app->app_id;
    case CREEL__ENVELOPE__BODY_GET_LOG_ACCESS:
        return request->get_log_access->control ? NULL : request->get_log_access->app_id;
    default:
        return NULL;
    }
}

bool history_server_accepts(const struct history_server *server, const Creel__Envelope *request)
{
    const char *app = named_app(request);
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

static void answer_next(struct history_server *server)
{
    struct queued_request *query = server->busy ? NULL : request_queue_pop(server->queue);
    struct answer *answer;
    const char *user, *app;
    struct master_peer peer;

    if (query == NULL)
        return;
    answer = mem_new0(struct answer);
    answer->job.run = run_answer;
    answer->job.done = answer_done;
    answer->server = server;
    answer->query = query;
    peer = peer_of(answer);
    server->busy = true;
    /* The request was checked before it was queued; only a lack of memory can fail. */
    answer->result = wire_decode(query->request, query->size, &answer->request, NULL, &answer->err);
    if (answer->result == 0) {
        user = master_acting_user(server->parts.master, &peer, answer->request, &answer->err);
        answer->user = mem_strdup(user ? user : peer.principal);
        answer->parent_count =
            master_forgotten_parents(server->parts.master, answer->request, &answer->parents);
        app = named_app(answer->request);
        if (app != NULL && !master_has_forgotten(server->parts.master, app, &answer->id))
            answer->is_task =
                master_has_forgotten_task(server->parts.master, app, &answer->id, &answer->index);
        worker_add(server->worker, &answer->job);
        return;
    }
    server->busy = false;
    send_error(answer);
    answer_free(answer);
}

int history_server_add(struct history_server *server, const struct master_peer *peer,
                       const Creel__Envelope *request, struct err *err)
{
    int r;

    if (master_acting_user(server->parts.master, peer, request, err) == NULL)
        return -EPERM;
    r = request_queue_add(server->queue, peer->principal, peer, NULL, request, err);
    if (r == 0)
        answer_next(server);
    return r;
}

/* --- start and end ----------------------------------------------------------- */

int history_server_new(const struct history_parts *parts, struct history_server **ret, struct err *err)
{
    static const struct request_limits limits = { "queries", OF_USER_MAX, OF_USER_BYTES_MAX, BYTES_MAX };
    struct history_server *server = mem_new0(struct history_server);
    int r = worker_new(parts->loop, &server->worker, err);

    if (r < 0) {
        free(server);
        return r;
    }
    server->parts = *parts;
    server->queue = request_queue_new(&limits);
    *ret = server;
    return 0;
}

void history_server_free(struct history_server *server)
{
    if (server == NULL)
        return;
    server->closing = true;
    worker_free(server->worker);
    request_queue_free(server->queue);
    free(server);
}
