/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list-load.c - load generator: many clients that list all applications repeatedly
 *
 * Each client has a connection, and requests one page after the other, as `creel ps` does.
 *   list-load KEY-DIR HOST:PORT CLIENTS SECONDS [OWNER]
 * signs in as the user that `id -un` names, whose certificate must be below KEY-DIR/users. With OWNER, lists
 * only that user's applications. Prints a line: pages per second, time per page, and the smallest and largest
 * number of pages per client.
 */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/channel/channel.h"
#include "common/io/loop/loop_socket.h"

#define LOOK_MS 200
#define PATIENCE_MS 20000 /* timeout after which a page is requested again */
#define TOOK_MAX 20000

struct load {
    struct loop *loop;
    char *owner; /* NULL: all owners */
    uint64_t pages, rows, busy, unanswered;
    uint32_t took_ms[TOOK_MAX]; /* histogram: pages by time in ms; the last entry: or longer */
};

struct client {
    struct load *load;
    struct channel_client *channel;
    uint64_t request, pages;
    int64_t sent_ms; /* 0: no unanswered request */
    char after[ID_TEXT_MAX];
};

static void ask(struct client *client)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__ListApps body = CREEL__LIST_APPS__INIT;

    body.after = client->after;
    body.users = &client->load->owner;
    body.n_users = client->load->owner != NULL ? 1 : 0;
    envelope.request_id = ++client->request;
    envelope.body_case = CREEL__ENVELOPE__BODY_LIST_APPS;
    envelope.list_apps = &body;
    client->sent_ms = channel_client_send(client->channel, &envelope) ? loop_monotonic_ms() : 0;
}

/* Repeats requests that were not sent, not answered, or refused. */
static void retry_requests(void *context)
{
    struct client *client = context;

    if (client->sent_ms > 0 && loop_monotonic_ms() - client->sent_ms > PATIENCE_MS) {
        client->load->unanswered++;
        client->sent_ms = 0;
    }
    if (client->sent_ms == 0)
        ask(client);
    loop_add_timer(client->load->loop, LOOK_MS, retry_requests, client);
}

static void count_page(struct client *client, const Creel__AppList *list)
{
    struct load *load = client->load;
    size_t took = (size_t)(loop_monotonic_ms() - client->sent_ms);

    load->pages++;
    load->rows += list->n_apps;
    load->took_ms[took < TOOK_MAX ? took : TOOK_MAX - 1]++;
    client->pages++;
}

static void hear(void *context, const Creel__Envelope *envelope)
{
    struct client *client = context;

    if (envelope->request_id != client->request || client->sent_ms == 0)
        return;
    if (envelope->body_case == CREEL__ENVELOPE__BODY_APP_LIST) {
        count_page(client, envelope->app_list);
        snprintf(client->after, sizeof(client->after), "%s", envelope->app_list->next);
        ask(client);
    } else if (envelope->body_case == CREEL__ENVELOPE__BODY_ERROR &&
               envelope->error->code == CREEL__ERROR_CODE__ERROR_UNAVAILABLE) {
        client->load->busy++;
        client->sent_ms = 0;
    } else {
        fprintf(stderr, "list-load: %s\n",
                envelope->body_case == CREEL__ENVELOPE__BODY_ERROR ? envelope->error->message : "not a list");
        exit(1);
    }
}

static void end(void *context)
{
    loop_stop(context);
}

static size_t quantile(const struct load *load, uint64_t permille)
{
    uint64_t seen = 0;
    size_t ms = 0;

    while (ms < TOOK_MAX - 1 && (seen += load->took_ms[ms]) * 1000 < load->pages * permille)
        ms++;
    return ms;
}

static void report(const struct load *load, const struct client *clients, size_t count, int64_t seconds)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (size_t i = 0; i < count; i++) {
        least = clients[i].pages < least ? clients[i].pages : least;
        most = clients[i].pages > most ? clients[i].pages : most;
    }
    printf("%zu clients: %.0f pages a second with %.0f rows, median %zu ms, 99 %% %zu ms; pages of a "
           "client: %llu to %llu; %llu busy, %llu unanswered\n",
           count, (double)load->pages / (double)seconds, (double)load->rows / (double)seconds,
           quantile(load, 500), quantile(load, 990), (unsigned long long)least, (unsigned long long)most,
           (unsigned long long)load->busy, (unsigned long long)load->unanswered);
}

static int fail(const struct err *err)
{
    fprintf(stderr, "list-load: %s\n", err->text);
    return 1;
}

int main(int argc, char **argv)
{
    struct passwd *user = getpwuid(geteuid());
    static struct load load;
    int64_t count, seconds;
    struct client *clients;
    struct key own, server;
    struct err err = { 0 };

    if (argc < 5 || argc > 6 || user == NULL || !text_parse_int64(argv[3], &count) || count < 1 ||
        count > 10000 || !text_parse_int64(argv[4], &seconds) || seconds < 1 || seconds > 100000) {
        fputs("usage: list-load KEY-DIR HOST:PORT CLIENTS SECONDS [OWNER]\n", stderr);
        return 2;
    }
    load.owner = argc > 5 ? argv[5] : NULL;
    clients = mem_array0((size_t)count, sizeof(*clients));
    if (loop_new(&load.loop, &err) < 0 || key_load_for(argv[1], KEY_RM, NULL, false, &server, &err) < 0 ||
        key_load_for(argv[1], KEY_USER, user->pw_name, true, &own, &err) < 0)
        return fail(&err);
    for (int64_t i = 0; i < count; i++) {
        clients[i].load = &load;
        if (channel_client_new(load.loop, argv[2], server.public_text, &own, hear, &clients[i],
                               &clients[i].channel, &err) < 0)
            return fail(&err);
        loop_add_timer(load.loop, i % LOOK_MS, retry_requests, &clients[i]);
    }
    loop_add_timer(load.loop, seconds * 1000, end, load.loop);
    loop_run(load.loop);
    report(&load, clients, (size_t)count, seconds);
    for (int64_t i = 0; i < count; i++)
        channel_client_free(clients[i].channel);
    loop_free(load.loop);
    free(clients);
    return 0;
}
