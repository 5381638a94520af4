/* SPDX-License-Identifier: Apache-2.0 */
/* log_client.c - sends the queries of handlers for pieces of logs to the agent */
#include "nm-agent/web/log_client.h"

#include "common/base/mem.h"
#include "common/io/wire/wire.h"
#include "common/upstream/reply.h"

struct pending {
    struct log_client *client;
    uint64_t number; /* 0: the entry is free */
    int timer;
    site_reply_fn *reply;
    void *context;
};

struct log_client {
    struct loop *loop;
    log_client_send_fn *send;
    void *context;
    uint64_t last; /* number of the newest query */
    struct pending pending[LOG_CLIENT_MAX];
};

struct log_client *log_client_new(struct loop *loop, log_client_send_fn *send, void *context)
{
    struct log_client *client = mem_new0(struct log_client);

    *client = (struct log_client){ .loop = loop, .send = send, .context = context };
    return client;
}

static struct pending *find(struct log_client *client, uint64_t number)
{
    for (size_t i = 0; i < LOG_CLIENT_MAX; i++)
        if (client->pending[i].number == number)
            return &client->pending[i];
    return NULL;
}

static void give_up(void *context)
{
    struct pending *pending = context;

    pending->timer = 0;
    pending->number = 0;
    upstream_refuse(pending->reply, pending->context, "the agent did not answer in time");
}

void log_client_ask(void *context, const Creel__Envelope *query, bool authenticated, site_reply_fn *reply,
                    void *reply_context)
{
    struct log_client *client = context;
    struct pending *pending = find(client, 0);
    scoped_free uint8_t *bytes = NULL;
    Creel__Envelope copy = *query;
    size_t size = 0;

    (void)authenticated;
    if (pending == NULL) {
        upstream_refuse(reply, reply_context, "too many logs are read at this time: try again");
        return;
    }
    copy.as_user = (char *)(uintptr_t) ""; /* the agent does not read it */
    if (wire_pack(&copy, &bytes, &size, NULL) < 0) {
        upstream_refuse(reply, reply_context, "the request is not valid");
        return;
    }
    *pending = (struct pending){ client, ++client->last, 0, reply, reply_context };
    pending->timer = loop_add_timer(client->loop, LOG_CLIENT_WAIT_MS, give_up, pending);
    client->send(client->context, pending->number, bytes, size);
}

bool log_client_handle_reply(struct log_client *client, uint64_t number, const void *bytes, size_t size)
{
    struct pending *pending = number != 0 ? find(client, number) : NULL;
    Creel__Envelope *envelope = NULL;

    if (wire_decode(bytes, size, &envelope, NULL, NULL) < 0)
        return false;
    if (pending != NULL) { /* (NULL: it came after the timeout) */
        loop_cancel_timer(client->loop, pending->timer);
        pending->number = 0;
        pending->timer = 0;
        pending->reply(pending->context, envelope);
    }
    wire_free(envelope);
    return true;
}
