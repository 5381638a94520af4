/* SPDX-License-Identifier: Apache-2.0 */
/* job_cluster.c - a fake resource manager and a fake agent in one process of their own, over real channels */
#include "tests/unit/am/job_cluster.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/proto/launch_texts.h"
#include "common/base/arena.h"
#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/io/channel/channel.h"

#define TASKS 3
#define CONTAINERS_MAX 64
#define PIECE 61 /* bytes of a log per reply: lines are split between replies */

struct container {
    char title[64];
    bool granted, started, reported;
    bool with_file;
    int exit_status;
};

struct server {
    const struct cluster *cluster;
    struct channel_server *rm, *agent;
    struct channel_server *now; /* server of the current request */
    struct arena *arena;
    uint32_t looks; /* number of polls of the application */
    bool killed;
    uint64_t response_id;
    struct container containers[CONTAINERS_MAX]; /* index: container number */
    uint32_t next;
};

/* --- replies to clients ----------------------------------------------------- */

static Creel__AppReport *app_report(struct server *server, const char *app_id)
{
    Creel__AppReport *app = arena_new0(server->arena, Creel__AppReport);
    bool slow = !strcmp(app_id, CLUSTER_SLOW_APP);

    creel__app_report__init(app);
    app->app_id = arena_strdup(server->arena, app_id);
    app->kind = CREEL__APP_KIND__APP_TASKS;
    app->version = ++server->looks;
    app->submitted_ms = 1;
    app->tasks = arena_new0(server->arena, Creel__TaskCounts);
    creel__task_counts__init(app->tasks);
    app->tasks->total = TASKS;
    app->exit_status = -1000;
    app->state = CREEL__APP_STATE__APP_RUNNING;
    if (server->looks == 1) {
        app->state = CREEL__APP_STATE__APP_ACCEPTED;
        app->reason_code = arena_strdup(server->arena, "ClusterFull");
    }
    if (server->looks > 6 && !slow) {
        app->state = CREEL__APP_STATE__APP_FINISHED;
        app->final_status = CREEL__FINAL_STATUS__FINAL_SUCCEEDED;
        app->exit_status = 0;
    }
    if (server->killed) {
        app->state = CREEL__APP_STATE__APP_KILLED;
        app->final_status = CREEL__FINAL_STATUS__FINAL_KILLED;
    }
    return app;
}

static void reply_app(struct server *server, Creel__Envelope *reply, const char *app_id)
{
    Creel__AppList *list = arena_new0(server->arena, Creel__AppList);

    creel__app_list__init(list);
    list->n_apps = 1;
    list->apps = arena_new0(server->arena, Creel__AppReport *);
    list->apps[0] = app_report(server, app_id);
    reply->body_case = CREEL__ENVELOPE__BODY_APP_LIST;
    reply->app_list = list;
}

static Creel__ContainerReport *container_report(struct server *server, uint32_t number)
{
    Creel__ContainerReport *report = arena_new0(server->arena, Creel__ContainerReport);

    creel__container_report__init(report);
    report->container_id = arena_printf(server->arena, "container_1700000000000_0001_01_%06u", number);
    report->app_id = arena_strdup(server->arena, CLUSTER_APP);
    report->node_id = arena_strdup(server->arena, "n1:8041");
    report->node_address = arena_strdup(server->arena, server->cluster->agent_address);
    report->agent_key = arena_strdup(server->arena, server->cluster->agent_key.public_text);
    report->master = number == 1;
    report->title =
        number > 1 ? arena_printf(server->arena, "%u", number - 2) : arena_strdup(server->arena, "");
    report->started_ms = 5;
    report->state = server->looks > 6 ? CREEL__CONTAINER_STATE__CONTAINER_COMPLETE
                                      : CREEL__CONTAINER_STATE__CONTAINER_RUNNING;
    return report;
}

/* One more container exists after each poll; two containers per page. */
static void reply_containers(struct server *server, Creel__Envelope *reply,
                             const Creel__ListContainers *request)
{
    Creel__ContainerList *list = arena_new0(server->arena, Creel__ContainerList);
    uint32_t there = server->looks > TASKS + 1 ? TASKS + 1 : server->looks, first = 1;
    struct container_id after;

    if (container_id_parse(request->after, &after))
        first = after.number + 1;
    creel__container_list__init(list);
    list->containers = arena_array0(server->arena, 2, sizeof(*list->containers));
    for (uint32_t i = first; i <= there && list->n_containers < 2; i++) {
        list->containers[list->n_containers++] = container_report(server, i);
        list->next = list->containers[list->n_containers - 1]->container_id;
        if (i == there)
            list->next = arena_strdup(server->arena, "");
    }
    reply->body_case = CREEL__ENVELOPE__BODY_CONTAINER_LIST;
    reply->container_list = list;
}

static void reply_access(struct server *server, Creel__Envelope *reply)
{
    Creel__LogAccess *access = arena_new0(server->arena, Creel__LogAccess);

    creel__log_access__init(access);
    access->token.data = arena_dup(server->arena, "token", 5);
    access->token.len = 5;
    reply->body_case = CREEL__ENVELOPE__BODY_LOG_ACCESS;
    reply->log_access = access;
}

/* --- replies to AMs --------------------------------------------------------- */

static void reply_registered(struct server *server, Creel__Envelope *reply)
{
    Creel__RegisterAmReply *body = arena_new0(server->arena, Creel__RegisterAmReply);
    Creel__FileRef *file = arena_new0(server->arena, Creel__FileRef);

    creel__register_am_reply__init(body);
    creel__file_ref__init(file);
    file->name = arena_strdup(server->arena, "tool");
    file->hash.data = arena_alloc0(server->arena, 32);
    file->hash.len = 32;
    file->mode = 0500;
    body->allocate_interval_ms = 20;
    body->response_id = server->response_id = 7;
    body->job = arena_new0(server->arena, Creel__JobSpec);
    creel__job_spec__init(body->job);
    body->job->launch = arena_new0(server->arena, Creel__LaunchContext);
    creel__launch_context__init(body->job->launch);
    body->job->launch->command = arena_new0(server->arena, char *);
    body->job->launch->command[0] = arena_strdup(server->arena, "./job");
    body->job->launch->n_command = 1;
    body->job->resource = arena_new0(server->arena, Creel__Resource);
    creel__resource__init(body->job->resource);
    body->job->launch->files = arena_dup(server->arena, &file, sizeof(file));
    body->job->launch->n_files = 1;
    memset(server->containers, 0, sizeof(server->containers));
    server->next = 2;
    reply->body_case = CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY;
    reply->register_am_reply = body;
}

static Creel__Container *grant(struct server *server)
{
    Creel__Container *container = arena_new0(server->arena, Creel__Container);
    uint32_t number = server->next++;

    creel__container__init(container);
    server->containers[number].granted = true;
    container->container_id = arena_printf(server->arena, "container_1700000000000_0001_01_%06u", number);
    container->node_id = arena_strdup(server->arena, "n1:8041");
    container->node_address = arena_strdup(server->arena, server->cluster->agent_address);
    container->agent_key = arena_strdup(server->arena, server->cluster->agent_key.public_text);
    container->priority = 1;
    container->restores = number % 2 == 0;
    container->token.data = arena_dup(server->arena, &number, sizeof(number));
    container->token.len = sizeof(number);
    return container;
}

static void reply_allocated(struct server *server, Creel__Envelope *reply, const Creel__Allocate *request)
{
    Creel__AllocateReply *body = arena_new0(server->arena, Creel__AllocateReply);

    creel__allocate_reply__init(body);
    body->response_id = ++server->response_id;
    body->allocated = arena_array0(server->arena, CONTAINERS_MAX, sizeof(*body->allocated));
    body->completed = arena_array0(server->arena, CONTAINERS_MAX, sizeof(*body->completed));
    for (size_t i = 0; i < request->n_asks; i++)
        for (uint32_t n = 0; n < request->asks[i]->count; n++)
            body->allocated[body->n_allocated++] = grant(server);
    for (uint32_t n = 2; n < server->next; n++) {
        Creel__ContainerStatus *status;

        if (!server->containers[n].started || server->containers[n].reported)
            continue;
        server->containers[n].reported = true;
        status = arena_new0(server->arena, Creel__ContainerStatus);
        creel__container_status__init(status);
        status->container_id = arena_printf(server->arena, "container_1700000000000_0001_01_%06u", n);
        status->state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
        status->exit_status = server->containers[n].exit_status;
        body->completed[body->n_completed++] = status;
    }
    reply->body_case = CREEL__ENVELOPE__BODY_ALLOCATE_REPLY;
    reply->allocate_reply = body;
}

static void reply_finished(struct server *server, Creel__Envelope *reply)
{
    Creel__FinishAmReply *body = arena_new0(server->arena, Creel__FinishAmReply);

    creel__finish_am_reply__init(body);
    body->done = true;
    reply->body_case = CREEL__ENVELOPE__BODY_FINISH_AM_REPLY;
    reply->finish_am_reply = body;
}

/* --- the agent -------------------------------------------------------------- */

static void reply_started(struct server *server, Creel__Envelope *reply,
                          const Creel__StartContainers *request)
{
    Creel__StartContainersReply *body = arena_new0(server->arena, Creel__StartContainersReply);

    creel__start_containers_reply__init(body);
    body->results = arena_array0(server->arena, request->n_containers, sizeof(*body->results));
    for (size_t i = 0; i < request->n_containers; i++) {
        Creel__StartResult *result = arena_new0(server->arena, Creel__StartResult);
        const Creel__LaunchContext *launch = request->containers[i]->launch;
        const char *dot = strrchr(launch->title, '.');
        uint32_t number;

        memcpy(&number, request->containers[i]->token.data, sizeof(number));
        creel__start_result__init(result);
        result->container_id = arena_printf(server->arena, "container_1700000000000_0001_01_%06u", number);
        snprintf(server->containers[number].title, 64, "%s", dot ? dot + 1 : launch->title);
        server->containers[number].exit_status = launch->n_files == 0                         ? 99
                                                 : server->containers[number].title[0] == '2' ? 5
                                                                                              : 0;
        if (launch->escaped && !strcmp(launch_texts_restore(launch, server->arena)->command[0], "\xff"))
            server->containers[number].exit_status = 98;
        server->containers[number].started = true;
        body->results[body->n_results++] = result;
    }
    reply->body_case = CREEL__ENVELOPE__BODY_START_CONTAINERS_REPLY;
    reply->start_containers_reply = body;
}

static void write_log(const struct server *server, const char *container_id, bool is_stderr, char *text,
                      size_t room)
{
    struct container_id id = { .number = 0 };
    const char *title;
    char own[16];
    size_t size = 0;

    container_id_parse(container_id, &id);
    snprintf(own, sizeof(own), "%u", id.number - 2);
    title = server->containers[id.number % CONTAINERS_MAX].started
                ? server->containers[id.number % CONTAINERS_MAX].title
                : own;
    if (is_stderr) {
        snprintf(text, room, "trouble of %s\n", title);
        return;
    }
    for (int i = 0; i < CLUSTER_LINES; i++)
        size += (size_t)snprintf(text + size, room - size, "task %s line %d\n", title, i);
}

static void reply_log(struct server *server, Creel__Envelope *reply, const Creel__ReadLog *request)
{
    Creel__LogChunk *chunk = arena_new0(server->arena, Creel__LogChunk);
    char *text = arena_alloc0(server->arena, 8192);
    size_t size;

    write_log(server, request->container_id, !strcmp(request->file, "stderr"), text, 8192);
    size = strlen(text);
    creel__log_chunk__init(chunk);
    chunk->offset = request->offset;
    chunk->size_bytes = size;
    chunk->finished = true;
    chunk->data.data = (uint8_t *)text + request->offset;
    chunk->data.len = size - request->offset < PIECE ? size - request->offset : PIECE;
    reply->body_case = CREEL__ENVELOPE__BODY_LOG_CHUNK;
    reply->log_chunk = chunk;
}

/* --- requests --------------------------------------------------------------- */

static bool answer(struct server *server, const Creel__Envelope *request, Creel__Envelope *reply)
{
    switch (request->body_case) {
    case CREEL__ENVELOPE__BODY_WAIT_APP:
        reply_app(server, reply, request->wait_app->app_id);
        return true;
    case CREEL__ENVELOPE__BODY_LIST_APPS:
        reply_app(server, reply, request->list_apps->app_id);
        return true;
    case CREEL__ENVELOPE__BODY_LIST_CONTAINERS:
        reply_containers(server, reply, request->list_containers);
        return true;
    case CREEL__ENVELOPE__BODY_GET_LOG_ACCESS:
        reply_access(server, reply);
        return true;
    case CREEL__ENVELOPE__BODY_KILL_APP:
        server->killed = true;
        reply->body_case = CREEL__ENVELOPE__BODY_OK;
        reply->ok = arena_new0(server->arena, Creel__Ok);
        creel__ok__init(reply->ok);
        return true;
    case CREEL__ENVELOPE__BODY_REGISTER_AM:
        reply_registered(server, reply);
        return true;
    case CREEL__ENVELOPE__BODY_ALLOCATE:
        reply_allocated(server, reply, request->allocate);
        return true;
    case CREEL__ENVELOPE__BODY_FINISH_AM:
        reply_finished(server, reply);
        return true;
    case CREEL__ENVELOPE__BODY_START_CONTAINERS:
        reply_started(server, reply, request->start_containers);
        return true;
    case CREEL__ENVELOPE__BODY_READ_LOG:
        reply_log(server, reply, request->read_log);
        return true;
    default:
        return false;
    }
}

static void serve(struct server *server, struct channel_server *to, const struct peer *peer,
                  const Creel__Envelope *request)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;

    reply.request_id = request->request_id;
    if (request->token.len == 0 && request->body_case != CREEL__ENVELOPE__BODY_START_CONTAINERS &&
        request->body_case < CREEL__ENVELOPE__BODY_SUBMIT_APP)
        channel_server_refuse(to, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "no token");
    else if (answer(server, request, &reply))
        channel_server_send(to, peer->connection, &reply);
    arena_reset(server->arena);
}

static void rm_request(void *context, const struct peer *peer, const Creel__Envelope *request)
{
    struct server *server = context;

    serve(server, server->rm, peer, request);
}

static void agent_request(void *context, const struct peer *peer, const Creel__Envelope *request)
{
    struct server *server = context;

    serve(server, server->agent, peer, request);
}

/* --- the process ------------------------------------------------------------ */

static void stop_loop(void *context, int signal_number)
{
    (void)signal_number;
    loop_stop(context);
}

static void give_up(const struct err *err)
{
    fprintf(stderr, "the pretended cluster: %s\n", err->text);
    _exit(1);
}

static void run_server(const struct cluster *cluster, int ports_fd)
{
    struct server server = { .cluster = cluster, .arena = arena_new() };
    struct cluster *own = mem_dup(cluster, sizeof(*cluster));
    struct err err = { 0 };
    struct loop *loop;
    struct gateway_pool *pool;
    int ports[2];

    server.cluster = own;
    setenv("CREEL_GATEWAY", GATEWAY_PATH, 1);
    if (loop_new(&loop, &err) < 0 || gateway_pool_new(loop, NULL, NULL, 1, &pool, &err) < 0 ||
        loop_on_signal(loop, SIGTERM, stop_loop, loop, &err) < 0 ||
        channel_server_new(pool, "127.0.0.1:0", ADMISSION_ANY, &own->rm_key, rm_request, &server, &server.rm,
                           &err) < 0 ||
        channel_server_new(pool, "127.0.0.1:0", ADMISSION_ANY, &own->agent_key, agent_request, &server,
                           &server.agent, &err) < 0)
        give_up(&err);
    ports[0] = channel_server_port(server.rm);
    ports[1] = channel_server_port(server.agent);
    snprintf(own->agent_address, sizeof(own->agent_address), "127.0.0.1:%d", ports[1]);
    if (write(ports_fd, ports, sizeof(ports)) != sizeof(ports))
        _exit(1);
    loop_run(loop);
    channel_server_free(server.rm);
    channel_server_free(server.agent);
    gateway_pool_free(pool);
    loop_free(loop);
    arena_free(server.arena);
    free(own);
    _exit(0);
}

void cluster_start(struct cluster *cluster)
{
    int pipe_fds[2], ports[2];

    key_generate(&cluster->rm_key);
    key_generate(&cluster->agent_key);
    if (pipe(pipe_fds) < 0)
        abort();
    cluster->pid = fork();
    if (cluster->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(pipe_fds[0]);
        run_server(cluster, pipe_fds[1]);
    }
    close(pipe_fds[1]);
    if (cluster->pid < 0 || read(pipe_fds[0], ports, sizeof(ports)) != sizeof(ports))
        abort();
    close(pipe_fds[0]);
    snprintf(cluster->rm_address, sizeof(cluster->rm_address), "127.0.0.1:%d", ports[0]);
    snprintf(cluster->agent_address, sizeof(cluster->agent_address), "127.0.0.1:%d", ports[1]);
}

void cluster_stop(struct cluster *cluster)
{
    kill(cluster->pid, SIGTERM);
    while (waitpid(cluster->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}
