/* SPDX-License-Identifier: Apache-2.0 */
/*
 * killed-peer.c - program: a client with many requests under way that is killed
 *
 *   killed-peer COUNT HOST:PORT SERVER-CERTIFICATE CERTIFICATE APP
 *
 * Sends COUNT SetPriority requests for APP, with the priorities 1 to COUNT, and a ListApps behind each,
 * without waiting for replies. When all are sent and a few are answered, it kills itself with SIGKILL: the
 * others are under way.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/io/channel/channel.h"
#include "common/io/keys/keys.h"
#include "common/io/loop/loop.h"
#include "common/io/loop/loop_socket.h"

#define DEADLINE_MS 60000
#define FIRST_REPLIES 10

struct killed {
    struct loop *loop;
    struct channel_client *client;
    char *app_id;
    uint64_t count, sent, answered;
};

static void die(const struct err *err)
{
    fprintf(stderr, "killed-peer: %s\n", err->text);
    exit(2);
}

static void on_reply(void *context, const Creel__Envelope *reply)
{
    struct killed *killed = context;

    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        fprintf(stderr, "killed-peer: %s\n", reply->error->message);
    killed->answered++;
}

static bool send_one(struct killed *killed)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__ListApps list = CREEL__LIST_APPS__INIT;
    Creel__SetPriority priority = CREEL__SET_PRIORITY__INIT;

    envelope.request_id = killed->sent + 1;
    if (killed->sent % 2 == 1) {
        list.app_id = killed->app_id;
        envelope.body_case = CREEL__ENVELOPE__BODY_LIST_APPS;
        envelope.list_apps = &list;
    } else {
        priority.app_id = killed->app_id;
        priority.priority = (int32_t)(killed->sent / 2 + 1);
        envelope.body_case = CREEL__ENVELOPE__BODY_SET_PRIORITY;
        envelope.set_priority = &priority;
    }
    return channel_client_send(killed->client, &envelope);
}

/* Sends what there is room for, and again a millisecond later. */
static void send_more(void *context)
{
    struct killed *killed = context;

    while (killed->sent < 2 * killed->count && send_one(killed))
        killed->sent++;
    if (killed->sent == 2 * killed->count && killed->answered >= FIRST_REPLIES)
        (void)raise(SIGKILL);
    loop_add_timer(killed->loop, 1, send_more, killed);
}

static void late(void *context)
{
    const struct killed *killed = context;

    fprintf(stderr, "killed-peer: %llu requests sent, %llu answered after %d s\n",
            (unsigned long long)killed->sent, (unsigned long long)killed->answered, DEADLINE_MS / 1000);
    exit(1);
}

int main(int argc, char **argv)
{
    struct killed killed = { .count = 0 };
    struct key server, own;
    struct err err = { 0 };

    if (argc != 6) {
        fputs("usage: killed-peer COUNT HOST:PORT SERVER-CERTIFICATE CERTIFICATE APP\n", stderr);
        return 2;
    }
    loop_socket_prepare_process();
    if (loop_new(&killed.loop, &err) < 0)
        die(&err);
    killed.count = strtoull(argv[1], NULL, 10);
    killed.app_id = argv[5];
    if (key_load(argv[3], false, &server, &err) < 0 || key_load(argv[4], true, &own, &err) < 0 ||
        channel_client_new(killed.loop, argv[2], server.public_text, &own, on_reply, &killed, &killed.client,
                           &err) < 0)
        die(&err);
    loop_add_timer(killed.loop, 0, send_more, &killed);
    loop_add_timer(killed.loop, DEADLINE_MS, late, &killed);
    loop_run(killed.loop);
    return 1;
}
