/* SPDX-License-Identifier: Apache-2.0 */
/* client_fake_rm.h - interface between the parts of the fake resource manager of the client tests */
#ifndef CREEL_TESTS_CLIENT_FAKE_RM_H
#define CREEL_TESTS_CLIENT_FAKE_RM_H

#include "common/io/channel/channel.h"
#include "common/io/keys/keys.h"
#include "common/proto/creel.pb-c.h"

#define APP "application_1790000000000_0001"

struct fake {
    struct loop *loop;
    struct channel_server *server;
    struct key own;
    char address[64];
    char first_key[64]; /* submission key of the first submission received */
    unsigned submissions;
    uint64_t blob_bytes; /* bytes of completely received files */
    unsigned blobs;
};

void send_reply(struct fake *fake, const struct peer *peer, const Creel__Envelope *request,
                Creel__Envelope *reply);
void send_ok(struct fake *fake, const struct peer *peer, const Creel__Envelope *request);
void fill_app(Creel__AppReport *app, Creel__Resource *resource, const char *id);

typedef void fake_part(struct fake *fake, const struct peer *peer, const Creel__Envelope *request);
fake_part list_queues, test_app, explain_app, move_app, set_priority, set_lifetime, list_queue_users,
    queue_access, set_queue_state, refresh_queues, refresh_nodes, scheduler_conf, set_log_level, accept_state,
    list_versions;

#endif
