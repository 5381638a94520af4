/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit-rate.c - benchmark: submissions per second that a resource manager acknowledges
 *
 * N clients, a thread and a connection each, submit one application after another for some seconds. Only
 * acknowledged submissions count: the RM has them on disk.
 *   submit-rate KEY-DIR HOST:PORT CLIENTS SECONDS [MEMORY-MB [QUEUES]]
 * signs in as the user that `id -un` names, whose certificate must be below KEY-DIR/users. Each application
 * requests 1024 MB, or MEMORY-MB. With QUEUES they go to queues q0, q1 and so on in turn, else to default.
 * Prints one line: clients, acknowledged submissions per second, and the median and the 99th percentile of
 * their time.
 */
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/channel/channel.h"
#include "common/io/loop/loop_socket.h"

#define TIMEOUT_MS 30000

struct client {
    const char *address;
    struct key own, server;
    int64_t until_ms, memory_mb, queues, next_queue;
    double *took_ms; /* per acknowledged submission */
    size_t count, capacity;
    const char *failed; /* reason for giving up; NULL: none */
    struct err err;
};

static double monotonic_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1000 + (double)now.tv_nsec / 1e6;
}

static void submit(struct client *client, struct channel_client *channel)
{
    static char command_name[] = "true", job_name[] = "bench";
    char queue_name[32] = "default";
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__SubmitApp body = CREEL__SUBMIT_APP__INIT;
    Creel__JobSpec job = CREEL__JOB_SPEC__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    char *command = command_name;
    double start_ms = monotonic_ms();

    if (client->queues > 0)
        snprintf(queue_name, sizeof(queue_name), "q%lld", (long long)(client->next_queue++ % client->queues));
    launch.command = &command;
    launch.n_command = 1;
    resource.memory_mb = client->memory_mb;
    resource.vcores = 1;
    job.name = job_name;
    job.queue = queue_name;
    job.launch = &launch;
    job.resource = &resource;
    body.job = &job;
    request.body_case = CREEL__ENVELOPE__BODY_SUBMIT_APP;
    request.submit_app = &body;
    if (channel_client_call(channel, &request, TIMEOUT_MS, &reply, &client->err) < 0) {
        client->failed = client->err.text;
        return;
    }
    if (reply->body_case == CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY) {
        mem_grow(client->took_ms, client->count, client->capacity);
        client->took_ms[client->count++] = monotonic_ms() - start_ms;
    } else {
        err_set(&client->err, 1, "refused: %s",
                reply->body_case == CREEL__ENVELOPE__BODY_ERROR ? reply->error->message : "?");
        client->failed = client->err.text;
    }
    wire_free(reply);
}

static void *run_client(void *context)
{
    struct client *client = context;
    struct channel_client *channel;

    if (channel_client_new(NULL, client->address, client->server.public_text, &client->own, NULL, NULL,
                           &channel, &client->err) < 0) {
        client->failed = client->err.text;
        return NULL;
    }
    while (client->failed == NULL && loop_monotonic_ms() < client->until_ms)
        submit(client, channel);
    channel_client_free(channel);
    return NULL;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Prints the figures. Returns false if a client failed, or nothing was acknowledged. */
static bool report(struct client *clients, size_t count, double seconds)
{
    double *all = NULL;
    size_t total = 0, capacity = 0, failed = 0;

    for (size_t i = 0; i < count; i++) {
        failed += clients[i].failed != NULL;
        if (clients[i].failed != NULL)
            fprintf(stderr, "client %zu: %s\n", i, clients[i].failed);
        for (size_t j = 0; j < clients[i].count; j++) {
            mem_grow(all, total, capacity);
            all[total++] = clients[i].took_ms[j];
        }
        free(clients[i].took_ms);
    }
    if (total == 0) {
        fputs("submit-rate: no submission was acknowledged\n", stderr);
        return false;
    }
    qsort(all, total, sizeof(*all), compare);
    printf("%zu clients: %.0f submissions acknowledged per second, median %.2f ms, 99 %% %.2f ms\n", count,
           (double)total / seconds, all[total / 2], all[total * 99 / 100]);
    free(all);
    return failed == 0;
}

int main(int argc, char **argv)
{
    struct passwd *user = getpwuid(geteuid());
    int64_t count, seconds, memory_mb = 1024, queues = 0;
    struct client *clients;
    pthread_t *threads;
    struct err err = { 0 };
    double start_ms;
    bool measured;

    if (argc < 5 || argc > 7 || user == NULL || !text_parse_int64(argv[3], &count) || count < 1 ||
        !text_parse_int64(argv[4], &seconds) || seconds < 1 ||
        (argc > 5 && !text_parse_int64(argv[5], &memory_mb)) ||
        (argc > 6 && !text_parse_int64(argv[6], &queues))) {
        fputs("usage: submit-rate KEY-DIR HOST:PORT CLIENTS SECONDS [MEMORY-MB [QUEUES]]\n", stderr);
        return 2;
    }
    loop_socket_prepare_process();
    clients = mem_array0((size_t)count, sizeof(*clients));
    threads = mem_array0((size_t)count, sizeof(*threads));
    for (int64_t i = 0; i < count; i++) {
        clients[i].address = argv[2];
        clients[i].memory_mb = memory_mb;
        clients[i].queues = queues;
        clients[i].next_queue = i * queues / count;
        if (key_load_for(argv[1], KEY_RM, NULL, false, &clients[i].server, &err) < 0 ||
            key_load_for(argv[1], KEY_USER, user->pw_name, true, &clients[i].own, &err) < 0) {
            fprintf(stderr, "submit-rate: %s\n", err.text);
            free(threads);
            free(clients);
            return 1;
        }
    }
    start_ms = monotonic_ms();
    for (int64_t i = 0; i < count; i++) {
        clients[i].until_ms = loop_monotonic_ms() + seconds * 1000;
        if (pthread_create(&threads[i], NULL, run_client, &clients[i]) != 0)
            abort();
    }
    for (int64_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    measured = report(clients, (size_t)count, (monotonic_ms() - start_ms) / 1000);
    free(threads);
    free(clients);
    return measured ? 0 : 1;
}
