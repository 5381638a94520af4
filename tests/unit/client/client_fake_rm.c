/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_fake_rm.c - program: a fake resource manager with fixed answers, and a fake agent with one log
 *
 *     client_fake_rm DIR
 *
 * Makes keys and a configuration in DIR, prints "ready PORT", and answers requests until the end of its
 * standard input. The answers are always the same: see the table at the end of this file. The program also
 * acts as an agent, with a second key.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/loop/loop.h"
#include "common/io/wire/wire.h"
#include "tests/unit/client/client_fake_rm.h"

#define CONTAINER "container_1790000000000_0001_01_000001"
#define LOG "one\ntwo\nthree\n"

static char *plain(const char *text)
{
    return (char *)(uintptr_t)text;
}

void send_reply(struct fake *fake, const struct peer *peer, const Creel__Envelope *request,
                Creel__Envelope *reply)
{
    reply->request_id = request->request_id;
    if (!channel_server_send(fake->server, peer->connection, reply))
        fprintf(stderr, "fake rm: a reply was lost\n");
}

void send_ok(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__Ok ok = CREEL__OK__INIT;

    reply.body_case = CREEL__ENVELOPE__BODY_OK;
    reply.ok = &ok;
    send_reply(fake, peer, request, &reply);
}

/* --- applications ---------------------------------------------------------- */

void fill_app(Creel__AppReport *app, Creel__Resource *resource, const char *id)
{
    static char *command[] = { (char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
                               (char *)(uintptr_t) "true" };

    creel__app_report__init(app);
    creel__resource__init(resource);
    resource->memory_mb = 1024;
    resource->vcores = 2;
    app->app_id = plain(id);
    app->name = plain("night job");
    app->user = plain("ann");
    app->queue = plain("root.default");
    app->type = plain("CREEL");
    app->state = CREEL__APP_STATE__APP_RUNNING;
    app->exit_status = -1000;
    app->progress = 0.25f;
    app->submitted_ms = INT64_C(1790000000000);
    app->started_ms = INT64_C(1790000001000);
    app->running_containers = 1;
    app->allocated = app->resource = resource;
    app->attempt = 1;
    app->max_attempts = 2;
    app->version = 1;
    app->n_command = 3;
    app->command = command;
}

static void list_apps(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    const Creel__ListApps *asked = request->list_apps;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__AppList list = CREEL__APP_LIST__INIT;
    Creel__AppReport apps[2], *pointers[2] = { &apps[0], &apps[1] };
    Creel__Resource resources[2];
    bool second_page = asked->after && *asked->after;

    if (*asked->app_id && strcmp(asked->app_id, "1") != 0 && strcmp(asked->app_id, APP) != 0) {
        channel_server_refuse(fake->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_NOT_FOUND, "application %s: not known", asked->app_id);
        return;
    }
    fill_app(&apps[0], &resources[0], second_page ? "application_1790000000000_0003" : APP);
    fill_app(&apps[1], &resources[1], "application_1790000000000_0002");
    apps[1].state = CREEL__APP_STATE__APP_FAILED;
    apps[1].final_status = CREEL__FINAL_STATUS__FINAL_FAILED;
    apps[1].exit_status = 137;
    apps[1].finished_ms = INT64_C(1790000009000);
    apps[1].diagnostics = plain("killed by the kernel: \"memory\"\nlimit");
    if (request->no_long_commands) {
        apps[1].n_command = 0;
        apps[1].command_left_out = true;
    }
    list.apps = pointers;
    list.n_apps = *asked->app_id || second_page ? 1 : 2;
    list.next = plain(*asked->app_id || second_page ? "" : "application_1790000000000_0002");
    reply.body_case = CREEL__ENVELOPE__BODY_APP_LIST;
    reply.app_list = &list;
    send_reply(fake, peer, request, &reply);
}

/* Two pages with one application each. */
static void list_job_history(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__JobHistory list = CREEL__JOB_HISTORY__INIT;
    bool second_page = *request->list_job_history->after != '\0';
    Creel__AppReport app, *pointer = &app;
    Creel__Resource resource;
    char *node = plain("n1:8041");

    fill_app(&app, &resource,
             second_page ? "application_1789000000000_0001" : "application_1789000000000_0002");
    app.state = CREEL__APP_STATE__APP_FINISHED;
    app.final_status = CREEL__FINAL_STATUS__FINAL_SUCCEEDED;
    app.exit_status = 0;
    app.finished_ms = INT64_C(1790000061000);
    app.from_history = true;
    app.ended_containers = 2;
    app.memory_peak_bytes = (uint64_t)300 << 20;
    app.cpu_time_us = 65000000;
    app.nodes = &node;
    app.n_nodes = app.node_count = 1;
    list.apps = &pointer;
    list.n_apps = 1;
    list.next = plain(second_page ? "" : "1790000061000/application_1789000000000_0002");
    list.warning = plain(second_page ? "" : "2 history files cannot be read");
    reply.body_case = CREEL__ENVELOPE__BODY_JOB_HISTORY;
    reply.job_history = &list;
    send_reply(fake, peer, request, &reply);
}

/* Reports the application as running first; as finished, with the next version, to a client that has the
 * first version. */
static void wait_app(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__AppList list = CREEL__APP_LIST__INIT;
    Creel__AppReport app, *pointer = &app;
    Creel__Resource resource;

    fill_app(&app, &resource, request->wait_app->app_id);
    if (request->wait_app->known_version && strcmp(app.app_id, APP) == 0) {
        app.state = CREEL__APP_STATE__APP_FINISHED;
        app.final_status = CREEL__FINAL_STATUS__FINAL_SUCCEEDED;
        app.exit_status = 0;
        app.version = 2;
    }
    list.apps = &pointer;
    list.n_apps = 1;
    reply.body_case = CREEL__ENVELOPE__BODY_APP_LIST;
    reply.app_list = &list;
    send_reply(fake, peer, request, &reply);
}

static void kill_app(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    const char *id = request->kill_app->app_id;

    if (!strcmp(id, APP))
        send_ok(fake, peer, request);
    else if (!strcmp(id, "application_1790000000000_0002"))
        channel_server_refuse(fake->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_BAD_STATE, "%s: is over", id);
    else
        channel_server_refuse(fake->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "%s: is bob's", id);
}

/* --- submissions ----------------------------------------------------------- */

static void have_blobs(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__HaveBlobsReply have = CREEL__HAVE_BLOBS_REPLY__INIT;

    have.n_missing = request->have_blobs->n_hashes;
    have.missing = request->have_blobs->hashes;
    reply.body_case = CREEL__ENVELOPE__BODY_HAVE_BLOBS_REPLY;
    reply.have_blobs_reply = &have;
    send_reply(fake, peer, request, &reply);
}

static void put_blob(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    const Creel__PutBlob *put = request->put_blob;

    fake->blob_bytes += put->data.len;
    fake->blobs += put->offset + put->data.len == put->size_bytes;
    send_ok(fake, peer, request);
}

/* The first try fails with UNAVAILABLE. Then the id encodes the number of different submissions, of files
 * and of file bytes received before. */
static void submit(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    const Creel__SubmitApp *asked = request->submit_app;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__SubmitAppReply answer = CREEL__SUBMIT_APP_REPLY__INIT;
    char id[80];

    if (!strcmp(asked->job->queue, "nowhere")) {
        channel_server_refuse(fake->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_NEVER_RUNS, "too large");
        return;
    }
    if (!*fake->first_key || strcmp(fake->first_key, asked->submission_key) != 0) {
        snprintf(fake->first_key, sizeof(fake->first_key), "%s", asked->submission_key);
        fake->submissions++;
        channel_server_refuse(fake->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_UNAVAILABLE, "in a moment");
        return;
    }
    snprintf(id, sizeof(id), "application_%llu_%04u", (unsigned long long)fake->blob_bytes + 1,
             fake->submissions * 1000 + fake->blobs);
    answer.app_id = id;
    reply.body_case = CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY;
    reply.submit_app_reply = &answer;
    send_reply(fake, peer, request, &reply);
}

/* --- containers, nodes, queues, the cluster -------------------------------- */

static void list_containers(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__ContainerReport report = CREEL__CONTAINER_REPORT__INIT, *pointer = &report;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__ContainerList list = CREEL__CONTAINER_LIST__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;

    resource.memory_mb = 1024;
    resource.vcores = 2;
    report.container_id = plain(CONTAINER);
    report.app_id = plain(APP);
    report.node_id = plain("n1:8041");
    report.user = plain("ann");
    report.state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    report.resource = &resource;
    report.allocated_ms = INT64_C(1790000000500);
    report.started_ms = INT64_C(1790000001000);
    report.finished_ms = INT64_C(1790000002000);
    report.exit_status = 3;
    report.master = true;
    report.memory_peak_bytes = 300 << 20;
    report.swap_peak_bytes = 50 << 20;
    report.read_bytes = 5 << 20;
    report.pids_peak = 3;
    report.node_address = fake->address;
    report.agent_key = fake->own.public_text;
    list.n_containers = 1;
    list.containers = &pointer;
    reply.body_case = CREEL__ENVELOPE__BODY_CONTAINER_LIST;
    reply.container_list = &list;
    send_reply(fake, peer, request, &reply);
}

static void list_nodes(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__NodeReport node = CREEL__NODE_REPORT__INIT, *pointer = &node;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__NodeList list = CREEL__NODE_LIST__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;

    if (!strcmp(request->list_nodes->node_id, "silent"))
        return;
    total.memory_mb = 8192;
    total.vcores = 8;
    node.node_id = plain("n1:8041");
    node.state = CREEL__NODE_STATE__NODE_RUNNING;
    node.total = &total;
    node.registered_ms = node.last_heartbeat_ms = INT64_C(1790000000000);
    node.cgroup_mode = plain("v2");
    node.version = plain("0.1.0");
    node.containers = 1;
    list.nodes = &pointer;
    list.n_nodes = 1;
    reply.body_case = CREEL__ENVELOPE__BODY_NODE_LIST;
    reply.node_list = &list;
    send_reply(fake, peer, request, &reply);
}

static void cluster_info(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__ClusterInfo info = CREEL__CLUSTER_INFO__INIT;

    info.cluster_ms = info.started_ms = INT64_C(1790000000000);
    info.now_ms = INT64_C(1790000060000);
    info.version = plain("0.1.0");
    info.scheduler = plain("fifo");
    info.nodes_running = 1;
    info.refreshed_ms = INT64_C(1790000030000);
    info.refreshed_by = plain("root");
    info.refresh_error = plain("capacity-scheduler.xml:3: wrong");
    info.user = plain(request->as_user && *request->as_user ? request->as_user : peer->principal);
    reply.body_case = CREEL__ENVELOPE__BODY_CLUSTER_INFO;
    reply.cluster_info = &info;
    send_reply(fake, peer, request, &reply);
}

/* --- logs ------------------------------------------------------------------ */

static void log_access(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__LogAccess access = CREEL__LOG_ACCESS__INIT;
    uint8_t token[] = "let me";

    access.token.data = token;
    access.token.len = sizeof(token);
    access.expires_ms = loop_now_ms() + 600000;
    reply.body_case = CREEL__ENVELOPE__BODY_LOG_ACCESS;
    reply.log_access = &access;
    send_reply(fake, peer, request, &reply);
}

static void read_log(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    const Creel__ReadLog *read = request->read_log;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__LogChunk chunk = CREEL__LOG_CHUNK__INIT;
    uint8_t text[] = LOG;
    uint64_t size = strlen(LOG);
    uint64_t offset = read->from_end ? (read->offset < size ? size - read->offset : 0) : read->offset;

    if (strcmp(read->file, "stdout") != 0 || request->token.len == 0) {
        channel_server_refuse(fake->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_NOT_FOUND, "the log has expired");
        return;
    }
    if (offset > size)
        offset = size;
    chunk.offset = offset;
    chunk.data.data = text + offset;
    chunk.data.len = (size_t)(size - offset);
    /* At most three bytes per chunk, so that the client has to join chunks. */
    if (chunk.data.len > 3)
        chunk.data.len = 3;
    if (chunk.data.len > read->max_bytes)
        chunk.data.len = read->max_bytes;
    chunk.size_bytes = size;
    chunk.finished = true;
    chunk.modified_ms = INT64_C(1790000001500);
    reply.body_case = CREEL__ENVELOPE__BODY_LOG_CHUNK;
    reply.log_chunk = &chunk;
    send_reply(fake, peer, request, &reply);
}

static void list_events(struct fake *fake, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__Event ended = CREEL__EVENT__INIT, drained = CREEL__EVENT__INIT, *events[] = { &ended, &drained };
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__EventList list = CREEL__EVENT_LIST__INIT;

    ended.number = 1;
    ended.time_ms = drained.time_ms = INT64_C(1790000000000);
    ended.kind = CREEL__EVENT_KIND__EVENT_CONTAINER_ENDED;
    ended.app_id = plain("application_1790000000000_0001");
    ended.container_id = plain(CONTAINER);
    ended.node_id = drained.node_id = plain("n1:8041");
    ended.queue = plain("root.default");
    ended.user = plain("ann");
    ended.exit_status = 3;
    ended.text = plain("it failed");
    drained.number = list.last = 2;
    drained.kind = CREEL__EVENT_KIND__EVENT_NODE_DRAINED;
    drained.exit_status = -1000;
    list.events = events;
    list.n_events = 2;
    list.now_ms = INT64_C(1790000001000);
    reply.body_case = CREEL__ENVELOPE__BODY_EVENT_LIST;
    reply.event_list = &list;
    send_reply(fake, peer, request, &reply);
}

/* --- table of answers ------------------------------------------------------ */

static void on_request(void *context, const struct peer *peer, const Creel__Envelope *request)
{
    static const struct {
        Creel__Envelope__BodyCase body;
        void (*answer)(struct fake *fake, const struct peer *peer, const Creel__Envelope *request);
    } parts[] = {
        { CREEL__ENVELOPE__BODY_LIST_APPS, list_apps },
        { CREEL__ENVELOPE__BODY_LIST_JOB_HISTORY, list_job_history },
        { CREEL__ENVELOPE__BODY_WAIT_APP, wait_app },
        { CREEL__ENVELOPE__BODY_KILL_APP, kill_app },
        { CREEL__ENVELOPE__BODY_HAVE_BLOBS, have_blobs },
        { CREEL__ENVELOPE__BODY_PUT_BLOB, put_blob },
        { CREEL__ENVELOPE__BODY_SUBMIT_APP, submit },
        { CREEL__ENVELOPE__BODY_LIST_CONTAINERS, list_containers },
        { CREEL__ENVELOPE__BODY_LIST_NODES, list_nodes },
        { CREEL__ENVELOPE__BODY_LIST_EVENTS, list_events },
        { CREEL__ENVELOPE__BODY_LIST_QUEUES, list_queues },
        { CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO, cluster_info },
        { CREEL__ENVELOPE__BODY_GET_LOG_ACCESS, log_access },
        { CREEL__ENVELOPE__BODY_READ_LOG, read_log },
        { CREEL__ENVELOPE__BODY_TEST_APP, test_app },
        { CREEL__ENVELOPE__BODY_EXPLAIN_APP, explain_app },
        { CREEL__ENVELOPE__BODY_MOVE_APP, move_app },
        { CREEL__ENVELOPE__BODY_SET_PRIORITY, set_priority },
        { CREEL__ENVELOPE__BODY_SET_LIFETIME, set_lifetime },
        { CREEL__ENVELOPE__BODY_LIST_QUEUE_USERS, list_queue_users },
        { CREEL__ENVELOPE__BODY_GET_QUEUE_ACCESS, queue_access },
        { CREEL__ENVELOPE__BODY_SET_QUEUE_STATE, set_queue_state },
        { CREEL__ENVELOPE__BODY_REFRESH_QUEUES, refresh_queues },
        { CREEL__ENVELOPE__BODY_REFRESH_NODES, refresh_nodes },
        { CREEL__ENVELOPE__BODY_SET_LOG_LEVEL, set_log_level },
        { CREEL__ENVELOPE__BODY_ACCEPT_STATE, accept_state },
        { CREEL__ENVELOPE__BODY_GET_SCHEDULER_CONF, scheduler_conf },
        { CREEL__ENVELOPE__BODY_CHANGE_SCHEDULER_CONF, scheduler_conf },
    };

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i].body == request->body_case)
            parts[i].answer(context, peer, request);
    }
}

static void on_input(void *context, int fd)
{
    struct fake *fake = context;
    char byte;

    if (read(fd, &byte, 1) <= 0)
        loop_stop(fake->loop);
}

static int die(const struct err *err)
{
    fprintf(stderr, "client_fake_rm: %s\n", err->text);
    return 1;
}

static int write_conf(const struct fake *fake, const char *dir)
{
    scoped_free char *path = mem_printf("%s/creel-site.xml", dir);
    FILE *file = fopen(path, "w");

    if (!file)
        return -1;
    fprintf(file,
            "<configuration>\n"
            "<property><name>yarn.resourcemanager.address</name><value>%s</value></property>\n"
            "<property><name>creel.security.key-dir</name><value>%s/keys</value></property>\n"
            "<property><name>creel.security.user-key</name><value>%s/keys/users/ann</value>"
            "</property>\n</configuration>\n",
            fake->address, dir, dir);
    return fclose(file);
}

int main(int argc, char **argv)
{
    scoped_free char *keys_dir = argc == 2 ? mem_printf("%s/keys", argv[1]) : NULL;
    struct fake fake = { .submissions = 0 };
    struct gateway_pool *pool = NULL;
    struct keys *keys = NULL;
    struct err err = { 0 };

    if (!keys_dir)
        return 2;
    setenv("CREEL_GATEWAY", GATEWAY_PATH, 1);
    if (loop_new(&fake.loop, &err) < 0 || key_make(keys_dir, KEY_RM, NULL, &err) < 0 ||
        key_make(keys_dir, KEY_USER, "ann", &err) < 0 ||
        key_load_for(keys_dir, KEY_RM, NULL, true, &fake.own, &err) < 0 ||
        keys_open(keys_dir, &keys, &err) < 0 || gateway_pool_new(fake.loop, keys, NULL, 1, &pool, &err) < 0 ||
        channel_server_new(pool, "127.0.0.1:0", ADMISSION_USERS, &fake.own, on_request, &fake, &fake.server,
                           &err) < 0 ||
        loop_add_fd(fake.loop, STDIN_FILENO, false, on_input, &fake, &err) < 0)
        return die(&err);
    snprintf(fake.address, sizeof(fake.address), "127.0.0.1:%d", channel_server_port(fake.server));
    if (write_conf(&fake, argv[1]) != 0)
        return 1;
    printf("ready %s\n", fake.address);
    fflush(stdout);
    loop_run(fake.loop);
    channel_server_free(fake.server);
    gateway_pool_free(pool);
    keys_free(keys);
    loop_free(fake.loop);
    return 0;
}
