/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many-agents.c - load generator: many simulated agents, which run no processes, against one resource manager
 *
 * Each agent has its own secure connection and node id (sim1:1 and so on), registers, and sends heartbeats at
 * the resource manager's interval. An ordered container is reported as running in the next heartbeat, and as
 * successfully ended in the one after. Up to 250 agents share a process.
 *   many-agents KEY-DIR HOST:PORT AGENTS SECONDS [FIRST]
 * uses the certificate agents/default of KEY-DIR. FIRST is the number of the first agent, from 0. SECONDS
 * count from the time when all agents have registered. Prints a line: answered heartbeats per second, time
 * per answer, containers run.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/id.h"
#include "common/base/job/exit_status.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/channel/channel.h"

#define GROUP 250         /* agents per process; each turn of the process's loop visits all of them */
#define CONTAINERS_MAX 64 /* per agent, at a time */
#define FINISHED_MAX 64
#define RETRY_MS 200
#define PATIENCE_MS 5000 /* time without an answer after which the agent registers again */
#define MEMORY_MB 65536
#define VCORES 64

struct container {
    char id[ID_TEXT_MAX];
    bool ran;                /* was reported as running */
    uint64_t first_sent_seq; /* first heartbeat that reported its end; 0: none yet */
};

struct node {
    struct group *group;
    struct channel_client *channel;
    char id[32];
    uint64_t request, session, seq;
    int64_t sent_ms; /* time of the unanswered request; 0: none */
    uint32_t interval_ms;
    bool registered;
    struct container containers[CONTAINERS_MAX];
    size_t container_count;
    char *finished[FINISHED_MAX]; /* owned: ended applications to be confirmed */
    size_t finished_count;
};

struct results {
    uint64_t registered, answered, ended, lost;
    uint32_t took_ms[1000]; /* histogram: answers by time in ms; the last entry: or longer */
};

struct group {
    struct loop *loop;
    struct node *nodes;
    size_t count;
    int ready_fd, results_fd;
    int64_t started_ms; /* time of the start, used as the incarnation of the agents */
    bool counting;
    struct results results;
};

/* --- one agent --------------------------------------------------------------- */

static void turn(void *context);

static void send_register(struct node *node)
{
    static char label[] = "", version[] = "bench";
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__RegisterNode body = CREEL__REGISTER_NODE__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;

    total.memory_mb = MEMORY_MB;
    total.vcores = VCORES;
    body.node_id = node->id;
    body.address = node->id;
    body.total = &total;
    body.incarnation = (uint64_t)node->group->started_ms;
    body.version = version;
    body.label = label;
    envelope.request_id = ++node->request;
    envelope.body_case = CREEL__ENVELOPE__BODY_REGISTER_NODE;
    envelope.register_node = &body;
    node->registered = false;
    node->container_count = 0;
    node->sent_ms = channel_client_send(node->channel, &envelope) ? loop_monotonic_ms() : 0;
}

static void fill_status(struct node *node, struct container *container, Creel__ContainerStatus *status)
{
    creel__container_status__init(status);
    status->container_id = container->id;
    status->started_ms = loop_now_ms();
    status->exit_status = CONTAINER_EXIT_NONE;
    status->state = CREEL__CONTAINER_STATE__CONTAINER_RUNNING;
    if (!container->ran) {
        container->ran = true;
        return;
    }
    if (container->first_sent_seq == 0)
        container->first_sent_seq = node->seq;
    status->state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    status->exit_status = 0;
    status->finished_ms = status->started_ms;
}

static void send_heartbeat(struct node *node)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Heartbeat body = CREEL__HEARTBEAT__INIT;
    Creel__ContainerStatus statuses[CONTAINERS_MAX], *list[CONTAINERS_MAX];

    node->seq++;
    for (size_t i = 0; i < node->container_count; i++) {
        fill_status(node, &node->containers[i], &statuses[i]);
        list[i] = &statuses[i];
    }
    body.node_id = node->id;
    body.session = node->session;
    body.seq = node->seq;
    body.containers = list;
    body.n_containers = node->container_count;
    body.finished_apps = node->finished;
    body.n_finished_apps = node->finished_count;
    envelope.request_id = ++node->request;
    envelope.body_case = CREEL__ENVELOPE__BODY_HEARTBEAT;
    envelope.heartbeat = &body;
    node->sent_ms = channel_client_send(node->channel, &envelope) ? loop_monotonic_ms() : 0;
    if (node->sent_ms == 0)
        node->registered = false;
}

static void again(struct node *node, int64_t delay_ms)
{
    loop_add_timer(node->group->loop, delay_ms, turn, node);
}

static void turn(void *context)
{
    struct node *node = context;

    if (node->sent_ms > 0 && loop_monotonic_ms() - node->sent_ms < PATIENCE_MS) {
        again(node, RETRY_MS);
        return;
    }
    if (node->sent_ms > 0) {
        node->group->results.lost++;
        node->registered = false;
    }
    if (node->registered)
        send_heartbeat(node);
    else
        send_register(node);
    again(node, node->registered ? node->interval_ms : RETRY_MS);
}

/* --- messages from the RM ----------------------------------------------------- */

static void drop_acknowledged(struct node *node, uint64_t seq)
{
    for (size_t i = node->container_count; i-- > 0;)
        if (node->containers[i].first_sent_seq > 0 && node->containers[i].first_sent_seq <= seq) {
            node->containers[i] = node->containers[--node->container_count];
            node->group->results.ended += node->group->counting ? 1 : 0;
        }
}

static void handle_orders(struct node *node, const Creel__NodeOrders *orders)
{
    if (orders == NULL || orders->session != node->session)
        return;
    for (size_t i = 0; i < orders->n_start && node->container_count < CONTAINERS_MAX; i++) {
        const char *id = orders->start[i]->grant->container_id;
        size_t at = 0;

        while (at < node->container_count && strcmp(node->containers[at].id, id) != 0)
            at++;
        if (at < node->container_count)
            continue;
        node->containers[at] = (struct container){ .ran = false };
        snprintf(node->containers[at].id, sizeof(node->containers[at].id), "%s", id);
        node->container_count++;
    }
    while (node->finished_count > 0)
        free(node->finished[--node->finished_count]);
    while (node->finished_count < orders->n_finished_apps && node->finished_count < FINISHED_MAX) {
        node->finished[node->finished_count] = mem_strdup(orders->finished_apps[node->finished_count]);
        node->finished_count++;
    }
}

static void ready(struct group *group)
{
    if (++group->results.registered == group->count && write(group->ready_fd, "r", 1) != 1)
        _exit(1);
}

static void count_answer(struct node *node)
{
    struct results *results = &node->group->results;
    size_t most = sizeof(results->took_ms) / sizeof(results->took_ms[0]) - 1;
    size_t took = (size_t)(loop_monotonic_ms() - node->sent_ms);

    if (!node->group->counting)
        return;
    results->answered++;
    results->took_ms[took < most ? took : most]++;
}

static void hear(void *context, const Creel__Envelope *envelope)
{
    struct node *node = context;

    if (envelope->body_case == CREEL__ENVELOPE__BODY_NODE_ORDERS) {
        handle_orders(node, envelope->node_orders);
    } else if (envelope->request_id != node->request) {
        return;
    } else if (envelope->body_case == CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY &&
               envelope->register_node_reply->action == CREEL__NODE_ACTION__NODE_NORMAL) {
        node->session = envelope->register_node_reply->session;
        node->interval_ms = envelope->register_node_reply->heartbeat_interval_ms;
        node->seq = 0;
        node->sent_ms = 0;
        node->registered = true;
        ready(node->group);
    } else if (envelope->body_case == CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY) {
        count_answer(node);
        node->sent_ms = 0;
        node->registered = envelope->heartbeat_reply->action == CREEL__NODE_ACTION__NODE_NORMAL;
        drop_acknowledged(node, envelope->heartbeat_reply->acked_seq);
        handle_orders(node, envelope->heartbeat_reply->orders);
    } else if (envelope->body_case == CREEL__ENVELOPE__BODY_ERROR) {
        fprintf(stderr, "%s: %s\n", node->id, envelope->error->message);
        _exit(1);
    }
}

/* --- a process with several agents --------------------------------------------- */

static void stop(void *context, int signal_number)
{
    struct group *group = context;

    (void)signal_number;
    if (write(group->results_fd, &group->results, sizeof(group->results)) != (ssize_t)sizeof(group->results))
        _exit(1);
    _exit(0);
}

static void begin_counting(void *context, int signal_number)
{
    struct group *group = context;

    (void)signal_number;
    group->counting = true;
}

static void fail(const struct err *err)
{
    fprintf(stderr, "many-agents: %s\n", err->text);
    exit(1);
}

/* Runs COUNT agents; FIRST is the number of the first agent, from 0. Does not return. */
static void run_group(char **argv, size_t first, size_t count, int ready_fd, int results_fd)
{
    struct group group = {
        .count = count, .ready_fd = ready_fd, .results_fd = results_fd, .started_ms = loop_now_ms()
    };
    struct key own, server;
    struct err err = { 0 };

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    group.nodes = mem_array0(count, sizeof(*group.nodes));
    if (loop_new(&group.loop, &err) < 0 ||
        loop_on_signal(group.loop, SIGUSR1, begin_counting, &group, &err) < 0 ||
        loop_on_signal(group.loop, SIGTERM, stop, &group, &err) < 0 ||
        key_load_for(argv[1], KEY_RM, NULL, false, &server, &err) < 0 ||
        key_load_for(argv[1], KEY_AGENT, KEY_AGENT_SHARED, true, &own, &err) < 0)
        fail(&err);
    for (size_t i = 0; i < count; i++) {
        struct node *node = &group.nodes[i];

        node->group = &group;
        node->interval_ms = 1000;
        snprintf(node->id, sizeof(node->id), "sim%zu:1", first + i + 1);
        if (channel_client_new(group.loop, argv[2], server.public_text, &own, hear, node, &node->channel,
                               &err) < 0)
            fail(&err);
        again(node, (int64_t)(first + i) % 1000);
    }
    loop_run(group.loop);
    exit(1);
}

/* --- all processes -------------------------------------------------------------- */

static uint32_t quantile(const struct results *results, uint64_t permille)
{
    uint64_t seen = 0;
    uint32_t ms = 0;

    while (ms < 999 && (seen += results->took_ms[ms]) * 1000 < results->answered * permille)
        ms++;
    return ms;
}

static void add(struct results *sum, const struct results *one)
{
    sum->registered += one->registered;
    sum->answered += one->answered;
    sum->ended += one->ended;
    sum->lost += one->lost;
    for (size_t i = 0; i < sizeof(sum->took_ms) / sizeof(sum->took_ms[0]); i++)
        sum->took_ms[i] += one->took_ms[i];
}

static void signal_all(const pid_t *children, size_t count, int signal_number)
{
    for (size_t i = 0; i < count; i++)
        kill(children[i], signal_number);
}

int main(int argc, char **argv)
{
    struct results sum = { .answered = 0 }, one;
    int64_t agents, seconds, first = 0;
    int ready_pipe[2], result_pipe[2];
    size_t groups, whole = 0;
    pid_t *children;
    char byte;

    if (argc < 5 || argc > 6 || !text_parse_int64(argv[3], &agents) || agents < 1 || agents > 100000 ||
        !text_parse_int64(argv[4], &seconds) || seconds < 1 || seconds > 100000 ||
        (argc > 5 && (!text_parse_int64(argv[5], &first) || first < 0))) {
        fputs("usage: many-agents KEY-DIR HOST:PORT AGENTS SECONDS [FIRST]\n", stderr);
        return 2;
    }
    groups = ((size_t)agents + GROUP - 1) / GROUP;
    children = mem_array0(groups, sizeof(*children));
    if (pipe(ready_pipe) < 0 || pipe(result_pipe) < 0)
        return 1;
    for (size_t g = 0; g < groups; g++) {
        size_t count = g + 1 < groups ? GROUP : (size_t)agents - g * GROUP;

        children[g] = fork();
        if (children[g] == 0)
            run_group(argv, (size_t)first + g * GROUP, count, ready_pipe[1], result_pipe[1]);
    }
    close(ready_pipe[1]);
    close(result_pipe[1]);
    for (size_t g = 0; g < groups; g++)
        if (read(ready_pipe[0], &byte, 1) != 1)
            return 1;
    puts("all are registered");
    fflush(stdout);
    signal_all(children, groups, SIGUSR1);
    poll(NULL, 0, (int)seconds * 1000);
    signal_all(children, groups, SIGTERM);
    while (read(result_pipe[0], &one, sizeof(one)) == (ssize_t)sizeof(one)) {
        add(&sum, &one);
        whole++;
    }
    while (wait(NULL) > 0 || errno == EINTR)
        ;
    printf("%lld agents: %.0f heartbeats answered a second, median %u ms, 99 %% %u ms, %llu unanswered; "
           "%llu containers run\n",
           (long long)agents, (double)sum.answered / (double)seconds, quantile(&sum, 500),
           quantile(&sum, 990), (unsigned long long)sum.lost, (unsigned long long)sum.ended);
    free(children);
    return whole == groups ? 0 : 1;
}
