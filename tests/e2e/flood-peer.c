/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flood-peer.c - program: floods the resource manager with the changes of one user, and measures how long
 * another user waits
 *
 *   flood-peer COUNT HOST:PORT SERVER-CERTIFICATE CERTIFICATE APP OTHER-CERTIFICATE
 *
 * Sends COUNT SetPriority requests for APP, with the priorities 1 to COUNT, without waiting for replies, and
 * behind them a ListApps. When a few are answered, submits a held job with OTHER-CERTIFICATE. Prints how many
 * changes were answered before that submission, and the priority of APP in the reply to ListApps:
 * "212 of 3000, then priority 3000". Exits with 0 if all was answered without an error.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/io/channel/channel.h"
#include "common/io/keys/keys.h"
#include "common/io/loop/loop.h"
#include "common/io/loop/loop_socket.h"

#define DEADLINE_MS 60000
#define FIRST_REPLIES 10 /* of the flood, before the other user submits */
#define SUBMISSION 1

struct flood {
    struct loop *loop;
    struct channel_client *flooder, *other;
    char *app_id;
    uint64_t count, sent, answered;
    bool submitted;
    uint64_t before; /* ANSWERED when the submission was answered */
    bool other_answered, listed;
    int32_t priority; /* in the list */
    int errors;
};

static void die(const struct err *err)
{
    fprintf(stderr, "flood-peer: %s\n", err->text);
    exit(2);
}

static struct channel_client *connect_to(struct flood *flood, const char *address, const char *server_file,
                                         const char *own_file, channel_client_fn *fn)
{
    struct channel_client *client = NULL;
    struct key server, own;
    struct err err = { 0 };

    if (key_load(server_file, false, &server, &err) < 0 || key_load(own_file, true, &own, &err) < 0 ||
        channel_client_new(flood->loop, address, server.public_text, &own, fn, flood, &client, &err) < 0)
        die(&err);
    return client;
}

static void note_error(struct flood *flood, const Creel__Envelope *reply)
{
    if (reply->body_case != CREEL__ENVELOPE__BODY_ERROR)
        return;
    if (flood->errors++ == 0)
        fprintf(stderr, "flood-peer: %s\n", reply->error->message);
}

static void stop_if_done(struct flood *flood)
{
    if (flood->answered == flood->count && flood->listed && flood->other_answered)
        loop_stop(flood->loop);
}

static void on_flood_reply(void *context, const Creel__Envelope *reply)
{
    struct flood *flood = context;

    note_error(flood, reply);
    if (reply->request_id <= flood->count) {
        flood->answered++;
    } else {
        flood->listed = true;
        if (reply->body_case == CREEL__ENVELOPE__BODY_APP_LIST && reply->app_list->n_apps == 1)
            flood->priority = reply->app_list->apps[0]->priority;
    }
    stop_if_done(flood);
}

static void on_other_reply(void *context, const Creel__Envelope *reply)
{
    struct flood *flood = context;

    note_error(flood, reply);
    flood->before = flood->answered;
    flood->other_answered = true;
    stop_if_done(flood);
}

static bool send_change(struct flood *flood, uint64_t number)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__SetPriority body = CREEL__SET_PRIORITY__INIT;

    body.app_id = flood->app_id;
    body.priority = (int32_t)number;
    envelope.request_id = number;
    envelope.no_long_commands = true; /* as libcreel */
    envelope.body_case = CREEL__ENVELOPE__BODY_SET_PRIORITY;
    envelope.set_priority = &body;
    return channel_client_send(flood->flooder, &envelope);
}

static bool send_list(struct flood *flood)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__ListApps body = CREEL__LIST_APPS__INIT;

    body.app_id = flood->app_id;
    envelope.request_id = flood->count + 1;
    envelope.body_case = CREEL__ENVELOPE__BODY_LIST_APPS;
    envelope.list_apps = &body;
    return channel_client_send(flood->flooder, &envelope);
}

static bool submit(struct flood *flood)
{
    static char command[] = "true";
    static char *commands[] = { command };
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__SubmitApp body = CREEL__SUBMIT_APP__INIT;
    Creel__JobSpec job = CREEL__JOB_SPEC__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;

    resource.memory_mb = 16;
    resource.vcores = 1;
    launch.command = commands;
    launch.n_command = 1;
    job.kind = CREEL__APP_KIND__APP_COMMAND;
    job.launch = &launch;
    job.resource = &resource;
    job.hold = true;
    body.job = &job;
    envelope.request_id = SUBMISSION;
    envelope.body_case = CREEL__ENVELOPE__BODY_SUBMIT_APP;
    envelope.submit_app = &body;
    return channel_client_send(flood->other, &envelope);
}

/* Sends what there is room for, and again a millisecond later. */
static void send_more(void *context)
{
    struct flood *flood = context;

    while (flood->sent < flood->count && send_change(flood, flood->sent + 1))
        flood->sent++;
    if (flood->sent == flood->count && send_list(flood))
        flood->sent++;
    if (!flood->submitted && flood->answered >= FIRST_REPLIES)
        flood->submitted = submit(flood);
    loop_add_timer(flood->loop, 1, send_more, flood);
}

static void late(void *context)
{
    const struct flood *flood = context;

    fprintf(stderr, "flood-peer: not done after %d s: %llu of %llu changes are answered\n",
            DEADLINE_MS / 1000, (unsigned long long)flood->answered, (unsigned long long)flood->count);
    exit(1);
}

int main(int argc, char **argv)
{
    struct flood flood = { .count = 0 };
    struct err err = { 0 };

    if (argc != 7) {
        fputs("usage: flood-peer COUNT HOST:PORT SERVER-CERTIFICATE CERTIFICATE APP OTHER-CERTIFICATE\n",
              stderr);
        return 2;
    }
    loop_socket_prepare_process();
    if (loop_new(&flood.loop, &err) < 0)
        die(&err);
    flood.count = strtoull(argv[1], NULL, 10);
    flood.app_id = argv[5];
    flood.flooder = connect_to(&flood, argv[2], argv[3], argv[4], on_flood_reply);
    flood.other = connect_to(&flood, argv[2], argv[3], argv[6], on_other_reply);
    loop_add_timer(flood.loop, 0, send_more, &flood);
    loop_add_timer(flood.loop, DEADLINE_MS, late, &flood);
    loop_run(flood.loop);
    printf("%llu of %llu, then priority %d\n", (unsigned long long)flood.before,
           (unsigned long long)flood.count, (int)flood.priority);
    channel_client_free(flood.flooder);
    channel_client_free(flood.other);
    loop_free(flood.loop);
    return flood.errors > 0 ? 1 : 0;
}
