/* SPDX-License-Identifier: Apache-2.0 */
/* agent_cluster.c - fixture: the real creel-nm as a process on this machine, and a fake resource manager */
#include "tests/unit/agent/agent_cluster.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "common/base/mem.h"

#define PATIENCE_MS 30000
#define LOOK_MS 20

extern char **environ;

/* --- the fake RM --------------------------------------------------------------- */

static struct seen *find_seen(struct cluster *cluster, const char *container_id)
{
    for (size_t i = 0; i < cluster->seen_count; i++) {
        if (strcmp(cluster->seen[i].id, container_id) == 0)
            return &cluster->seen[i];
    }
    return NULL;
}

static void hear(struct cluster *cluster, Creel__ContainerStatus *const *statuses, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct seen *seen = find_seen(cluster, statuses[i]->container_id);

        if (seen == NULL) {
            assert_true(cluster->seen_count < SEEN_MAX);
            seen = &cluster->seen[cluster->seen_count++];
            snprintf(seen->id, sizeof(seen->id), "%s", statuses[i]->container_id);
        }
        seen->state = statuses[i]->state;
        seen->exit_status = statuses[i]->exit_status;
        snprintf(seen->diagnostics, sizeof(seen->diagnostics), "%s", statuses[i]->diagnostics);
    }
}

static void on_register(struct cluster *cluster, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__RegisterNodeReply body = CREEL__REGISTER_NODE_REPLY__INIT;
    Creel__TokenKey keys[TOKEN_KEYS_MAX], *list[TOKEN_KEYS_MAX];
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    char why[] = "it is too small";

    creel__register_node__free_unpacked(cluster->node, NULL);
    cluster->node = (Creel__RegisterNode *)wire_copy(&request->register_node->base);
    cluster->registrations++;
    cluster->session++;
    cluster->seq = 0;
    cluster->connection = peer->connection;
    hear(cluster, request->register_node->containers, request->register_node->n_containers);
    for (size_t i = 0; i < TOKEN_KEYS_MAX && cluster->ring.keys[i].id != 0; i++) {
        creel__token_key__init(&keys[i]);
        keys[i].key_id = cluster->ring.keys[i].id;
        keys[i].key = (ProtobufCBinaryData){ TOKEN_KEY_BYTES, cluster->ring.keys[i].bytes };
        list[body.n_token_keys++] = &keys[i];
    }
    body.token_keys = list;
    body.session = cluster->session;
    body.heartbeat_interval_ms = 200;
    if (cluster->refuse) {
        body.action = CREEL__NODE_ACTION__NODE_SHUTDOWN;
        body.diagnostics = why;
    }
    envelope.request_id = request->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY;
    envelope.register_node_reply = &body;
    channel_server_send(cluster->rm, peer->connection, &envelope);
}

static void on_heartbeat(struct cluster *cluster, const struct peer *peer, const Creel__Envelope *request)
{
    const Creel__Heartbeat *heartbeat = request->heartbeat;
    Creel__HeartbeatReply body = CREEL__HEARTBEAT_REPLY__INIT;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;

    envelope.request_id = request->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY;
    envelope.heartbeat_reply = &body;
    if (heartbeat->session != cluster->session) {
        body.action = CREEL__NODE_ACTION__NODE_RESYNC;
    } else {
        hear(cluster, heartbeat->containers, heartbeat->n_containers);
        cluster->seq = heartbeat->seq;
        cluster->connection = peer->connection;
        for (size_t i = 0; i < heartbeat->n_finished_apps; i++)
            snprintf(cluster->cleaned, sizeof(cluster->cleaned), "%s", heartbeat->finished_apps[i]);
        cluster->orders.session = cluster->session;
        body.orders = &cluster->orders;
        body.acked_seq = cluster->seq;
    }
    channel_server_send(cluster->rm, peer->connection, &envelope);
}

static void on_get_blob(struct cluster *cluster, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__BlobChunk body = CREEL__BLOB_CHUNK__INIT;
    uint64_t offset = request->get_blob->offset;
    size_t left = cluster->blob_size - (size_t)offset;

    cluster->blob_requests++;
    if (cluster->blob == NULL) {
        channel_server_refuse(cluster->rm, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_NOT_FOUND, "there is no such file");
        return;
    }
    assert_true(offset <= cluster->blob_size);
    body.size_bytes = cluster->blob_size;
    body.offset = offset;
    body.data.len = left < WIRE_CHUNK_MAX ? left : WIRE_CHUNK_MAX;
    body.data.data = mem_dup(cluster->blob + offset, body.data.len);
    envelope.request_id = request->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_BLOB_CHUNK;
    envelope.blob_chunk = &body;
    channel_server_send(cluster->rm, peer->connection, &envelope);
    free(body.data.data);
}

static void on_find_keys(struct cluster *cluster, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__FindKeysReply body = CREEL__FIND_KEYS_REPLY__INIT;

    cluster->key_requests++;
    if (cluster->old_rm) {
        channel_server_refuse(cluster->rm, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_UNSUPPORTED, "find_keys is not known here");
        return;
    }
    if (!cluster->no_keys) {
        body.known_keys = request->find_keys->public_keys;
        body.n_known_keys = request->find_keys->n_public_keys;
    }
    envelope.request_id = request->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_FIND_KEYS_REPLY;
    envelope.find_keys_reply = &body;
    channel_server_send(cluster->rm, peer->connection, &envelope);
}

static void on_message(void *context, const struct peer *peer, const Creel__Envelope *envelope)
{
    struct cluster *cluster = context;

    if (cluster->deaf)
        return;
    if (envelope->body_case == CREEL__ENVELOPE__BODY_REGISTER_NODE)
        on_register(cluster, peer, envelope);
    else if (envelope->body_case == CREEL__ENVELOPE__BODY_HEARTBEAT)
        on_heartbeat(cluster, peer, envelope);
    else if (envelope->body_case == CREEL__ENVELOPE__BODY_GET_BLOB)
        on_get_blob(cluster, peer, envelope);
    else if (envelope->body_case == CREEL__ENVELOPE__BODY_FIND_KEYS)
        on_find_keys(cluster, peer, envelope);
    else
        fail_msg("an agent sends %s", wire_body_name(envelope->body_case));
}

/* --- set-up and tear-down --------------------------------------------------------- */

static void must(int r, const struct err *err)
{
    if (r < 0)
        fail_msg("%s", err->text);
}

static int free_port(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    close(fd);
    return ntohs(address.sin_port);
}

void cluster_configure(struct cluster *cluster, const char *extra)
{
    static const char property[] = "<property><name>%s</name><value>%s%s%.0d</value></property>\n";
    scoped_free char *path = mem_printf("%s/creel-site.xml", cluster->base);
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    fputs("<configuration>\n", file);
    fprintf(file, property, "creel.security.key-dir", cluster->base, "/keys", 0);
    fprintf(file, property, "creel.nodemanager.state-dir", cluster->base, "/state", 0);
    fprintf(file, property, "yarn.nodemanager.linux-container-executor.cgroups.hierarchy", cluster->root, "",
            0);
    fprintf(file, property, "yarn.nodemanager.resource.memory-mb", "1000", "", 0);
    fprintf(file, property, "creel.container.allowed-system-users", "root", "", 0);
    fprintf(file,
            "<property><name>yarn.nodemanager.address</name><value>127.0.0.1:%d</value>"
            "</property>\n",
            cluster->port);
    fprintf(file,
            "<property><name>yarn.resourcemanager.resource-tracker.address</name>"
            "<value>127.0.0.1:%d</value></property>\n%s</configuration>\n",
            channel_server_port(cluster->rm), extra);
    assert_int_equal(fclose(file), 0);
}

int cluster_open(void **state)
{
    static int number;
    struct cluster *cluster = mem_new0(struct cluster);
    scoped_free char *keys = NULL;
    struct err err = { 0 };
    struct key key;

    *state = cluster;
    snprintf(cluster->base, sizeof(cluster->base), "/tmp/creel-agent-%d-%d", (int)getpid(), number++);
    snprintf(cluster->root, sizeof(cluster->root), "/creel-test-%d", (int)getpid());
    keys = mem_printf("%s/keys", cluster->base);
    assert_int_equal(mkdir(cluster->base, 0755), 0);
    must(key_make(keys, KEY_RM, NULL, &err), &err);
    must(key_make(keys, KEY_AGENT, "default", &err), &err);
    must(key_load_for(keys, KEY_RM, NULL, true, &key, &err), &err);
    setenv("CREEL_GATEWAY", GATEWAY_PATH, 1);
    must(loop_new(&cluster->loop, &err), &err);
    must(keys_open(keys, &cluster->keys, &err), &err);
    must(gateway_pool_new(cluster->loop, cluster->keys, NULL, 1, &cluster->pool, &err), &err);
    must(channel_server_new(cluster->pool, "127.0.0.1:0", ADMISSION_AGENTS, &key, on_message, cluster,
                            &cluster->rm, &err),
         &err);
    token_ring_roll(&cluster->ring);
    creel__node_orders__init(&cluster->orders);
    cluster->port = free_port();
    cluster_configure(cluster, "");
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status;
    (void)type;
    (void)where;
    return remove(path);
}

/* Runs the shell command COMMAND. Returns the number of lines printed. */
static size_t count_lines(const char *command)
{
    FILE *output = popen(command, "re");
    char line[512];
    size_t count = 0;

    assert_non_null(output);
    while (fgets(line, sizeof(line), output) != NULL)
        count++;
    pclose(output);
    return count;
}

/* Removes the cgroups below TOP and kills processes left in these groups by a failed test. Returns the
 * number of container groups found. The agent's own groups do not count: they may remain. */
static size_t remove_groups(const char *top)
{
    scoped_free char *find = mem_printf("find /sys/fs/cgroup -depth -type d -path '*%s/agent-*/*'", top);
    scoped_free char *end =
        mem_printf("find /sys/fs/cgroup -path '*%s/*' -name cgroup.procs -exec cat {} + | "
                   "sort -u | xargs -r kill -9",
                   top);
    scoped_free char *clear =
        mem_printf("find /sys/fs/cgroup -depth -type d -path '*%s*' -exec rmdir {} + 2>&1", top);
    size_t count = count_lines(find);

    if (count > 0)
        count_lines(end);
    for (int i = 0; i < 200 && count_lines(clear) > 0; i++)
        ;
    return count;
}

int cluster_close(void **state)
{
    struct cluster *cluster = *state;
    size_t groups;

    if (cluster->agent > 0)
        cluster_end_agent(cluster, SIGTERM);
    channel_server_free(cluster->rm);
    gateway_pool_free(cluster->pool);
    keys_free(cluster->keys);
    loop_free(cluster->loop);
    creel__register_node__free_unpacked(cluster->node, NULL);
    groups = remove_groups(cluster->root);
    nftw(cluster->base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (groups > 0)
        print_error("%zu cgroups were left below %s\n", groups, cluster->root);
    free(cluster);
    return groups > 0 ? -1 : 0;
}

/* --- the agent ----------------------------------------------------------------------- */

static pid_t spawn(struct cluster *cluster, const char *const *args, const char *output)
{
    char program[] = AGENT_PATH, option[] = "--conf", *argv[8] = { program, option, cluster->base };
    posix_spawn_file_actions_t actions;
    sigset_t none;
    posix_spawnattr_t attributes;
    pid_t pid;
    int r;

    for (size_t i = 0; args != NULL && args[i] != NULL; i++) {
        if (i == 0)
            argv[1] = argv[2] = NULL;
        argv[1 + i] = mem_strdup(args[i]);
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, output, O_WRONLY | O_CREAT | O_APPEND, 0644);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    r = posix_spawn(&pid, AGENT_PATH, &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    for (size_t i = 0; args != NULL && args[i] != NULL; i++)
        free(argv[1 + i]);
    assert_int_equal(r, 0);
    return pid;
}

static bool has_registered(struct cluster *cluster, const char *argument)
{
    (void)argument;
    return cluster->node != NULL && cluster->seq > 0;
}

void cluster_start_agent(struct cluster *cluster)
{
    scoped_free char *log = mem_printf("%s/log", cluster->base);

    creel__register_node__free_unpacked(cluster->node, NULL);
    cluster->node = NULL;
    cluster->agent = spawn(cluster, NULL, log);
    cluster_until(cluster, "the agent registers", has_registered, NULL);
}

int cluster_end_agent(struct cluster *cluster, int signal_number)
{
    int status = 0;

    assert_int_equal(kill(cluster->agent, signal_number), 0);
    assert_int_equal(waitpid(cluster->agent, &status, 0), cluster->agent);
    cluster->agent = 0;
    return status;
}

int cluster_run_agent(struct cluster *cluster, const char *const *args, char output[4096])
{
    scoped_free char *file = mem_printf("%s/output", cluster->base);
    pid_t pid = spawn(cluster, args, file);
    int status = 0, fd;
    ssize_t got;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    fd = open(file, O_RDONLY | O_CLOEXEC);
    got = fd >= 0 ? read(fd, output, 4095) : 0;
    output[got > 0 ? got : 0] = '\0';
    if (fd >= 0)
        close(fd);
    unlink(file);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* --- waiting for conditions ------------------------------------------------------------ */

struct wait {
    struct cluster *cluster;
    bool (*condition)(struct cluster *cluster, const char *argument);
    const char *argument;
    int64_t until_ms;
    bool held;
};

static void check_condition(void *context)
{
    struct wait *wait = context;

    wait->held = wait->condition(wait->cluster, wait->argument);
    if (wait->held || loop_monotonic_ms() > wait->until_ms)
        loop_stop(wait->cluster->loop);
    else
        loop_add_timer(wait->cluster->loop, LOOK_MS, check_condition, wait);
}

static void print_log(const struct cluster *cluster)
{
    scoped_free char *path = mem_printf("%s/log", cluster->base);
    FILE *file = fopen(path, "re");
    char line[1000];

    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        print_error("%s", line);
    if (file != NULL)
        fclose(file);
}

void cluster_until(struct cluster *cluster, const char *what,
                   bool (*condition)(struct cluster *cluster, const char *argument), const char *argument)
{
    struct wait wait = { cluster, condition, argument, loop_monotonic_ms() + PATIENCE_MS, false };

    loop_add_timer(cluster->loop, 0, check_condition, &wait);
    loop_run(cluster->loop);
    if (wait.held)
        return;
    print_log(cluster);
    fail_msg("not within %d ms: %s", PATIENCE_MS, what);
}

const struct seen *cluster_seen(struct cluster *cluster, const char *container_id)
{
    return find_seen(cluster, container_id);
}

static bool is_in(struct cluster *cluster, const char *container_id, Creel__ContainerState state)
{
    const struct seen *seen = cluster_seen(cluster, container_id);

    return seen != NULL && seen->state == state;
}

bool cluster_is_running(struct cluster *cluster, const char *container_id)
{
    return is_in(cluster, container_id, CREEL__CONTAINER_STATE__CONTAINER_RUNNING);
}

bool cluster_is_complete(struct cluster *cluster, const char *container_id)
{
    return is_in(cluster, container_id, CREEL__CONTAINER_STATE__CONTAINER_COMPLETE);
}

bool cluster_is_cleaned(struct cluster *cluster, const char *app_id)
{
    return strcmp(cluster->cleaned, app_id) == 0;
}

bool cluster_is_there(struct cluster *cluster, const char *path)
{
    scoped_free char *full = mem_printf("%s/%s", cluster->base, path);

    return access(full, F_OK) == 0;
}

bool cluster_logged(struct cluster *cluster, const char *text)
{
    scoped_free char *path = mem_printf("%s/log", cluster->base);
    FILE *file = fopen(path, "re");
    bool found = false;
    char line[4096];

    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL)
        found = strstr(line, text) != NULL;
    if (file != NULL)
        fclose(file);
    return found;
}

bool cluster_is_gone(struct cluster *cluster, const char *path)
{
    return !cluster_is_there(cluster, path);
}
