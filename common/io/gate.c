/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.c - who is let in: the ZAP handler (ZeroMQ RFC 27) of this process
 *
 * libzmq asks it over inproc about each connection that has proved to hold the
 * secret half of some key. Servers enforce that it is there, so without a gate
 * nobody gets in.
 */
#include "common/io/gate.h"

#include <assert.h>
#include <czmq.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/channel_socket.h"
#include "common/io/log.h"
#include "common/io/loop_socket.h"

#define ENDPOINT "inproc://zeromq.zap.01"
#define REQUEST_PARTS_MAX 8
#define PART_BYTES_MAX 256

/* The parts of a request, in RFC 27's order. */
enum { PART_VERSION, PART_ID, PART_DOMAIN, PART_ADDRESS, PART_IDENTITY, PART_MECHANISM, PART_KEY };

struct part {
    size_t size;
    char bytes[PART_BYTES_MAX];         /* terminated */
};

struct gate {
    struct loop *loop;
    struct keys *keys;
    zsock_t *sock;
    void *raw;
    struct loop_socket *watch;
    struct log_limit refusals;
};

static const char *const domains[] = {
    [GATE_AGENTS] = "creel-agents",
    [GATE_USERS] = "creel-users",
    [GATE_ANY] = "creel-any",
};

const char *gate_domain(enum gate_policy policy)
{
    return domains[policy];
}

/* The name behind a key, or NULL. Under GATE_ANY the key is the name. */
static const char *judge(struct gate *gate, const struct part *parts, size_t count, char *key)
{
    if (count <= PART_KEY || strcmp(parts[PART_VERSION].bytes, "1.0") != 0 ||
        strcmp(parts[PART_MECHANISM].bytes, "CURVE") != 0 || parts[PART_KEY].size != 32)
        return NULL;
    zmq_z85_encode(key, (const uint8_t *)parts[PART_KEY].bytes, 32);
    if (strcmp(parts[PART_DOMAIN].bytes, domains[GATE_AGENTS]) == 0)
        return keys_find(gate->keys, KEY_AGENT, key);
    if (strcmp(parts[PART_DOMAIN].bytes, domains[GATE_USERS]) == 0)
        return keys_find(gate->keys, KEY_USER, key);
    if (strcmp(parts[PART_DOMAIN].bytes, domains[GATE_ANY]) == 0)
        return key;
    return NULL;
}

static void log_refusal(struct gate *gate, const struct part *parts, const char *key)
{
    char more[LOG_MORE_MAX];

    if (!log_limit_pass(&gate->refusals, more))
        return;
    log_line(LOG_LEVEL_WARN, "connection from %s: refused, its key %.8s... has no certificate "
             "among the %s%s", parts[PART_ADDRESS].bytes, key,
             strcmp(parts[PART_DOMAIN].bytes, domains[GATE_AGENTS]) == 0 ? "agents" : "users",
             more);
}

static size_t read_request(struct gate *gate, struct part parts[REQUEST_PARTS_MAX])
{
    size_t count = 0;
    bool more = true;

    memset(parts, 0, REQUEST_PARTS_MAX * sizeof(parts[0]));
    while (more) {
        zmq_msg_t part;

        zmq_msg_init(&part);
        if (zmq_msg_recv(&part, gate->raw, ZMQ_DONTWAIT) < 0) {
            zmq_msg_close(&part);
            return 0;
        }
        more = zmq_msg_more(&part) != 0;
        if (count < REQUEST_PARTS_MAX && zmq_msg_size(&part) < PART_BYTES_MAX) {
            parts[count].size = zmq_msg_size(&part);
            memcpy(parts[count].bytes, zmq_msg_data(&part), parts[count].size);
        }
        count++;
        zmq_msg_close(&part);
    }
    return count <= REQUEST_PARTS_MAX ? count : 1;
}

static void send_part(struct gate *gate, const void *bytes, size_t size, bool more)
{
    /* The asking session may have ended: nothing is lost then. */
    zmq_send(gate->raw, bytes, size, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0));
}

static void answer(void *context)
{
    struct gate *gate = context;
    struct part parts[REQUEST_PARTS_MAX];
    size_t count;

    for (unsigned i = 0; i < CHANNEL_TURN_MAX && (count = read_request(gate, parts)) > 0; i++) {
        char key[KEY_TEXT] = "";
        const char *name = judge(gate, parts, count, key);

        if (name == NULL)
            log_refusal(gate, parts, key);
        send_part(gate, "1.0", 3, true);
        send_part(gate, parts[PART_ID].bytes, parts[PART_ID].size, true);
        send_part(gate, name != NULL ? "200" : "400", 3, true);
        send_part(gate, name != NULL ? "OK" : "no certificate", name != NULL ? 2 : 14, true);
        send_part(gate, name != NULL ? name : "", name != NULL ? strlen(name) : 0, true);
        send_part(gate, "", 0, false);
    }
}

int gate_new(struct loop *loop, struct keys *keys, struct gate **ret, struct err *err)
{
    struct gate *gate = mem_new0(struct gate);

    loop_socket_prepare_process();
    gate->loop = loop;
    gate->keys = keys;
    gate->sock = zsock_new(ZMQ_REP);
    gate->raw = zsock_resolve(gate->sock);
    if (zmq_bind(gate->raw, ENDPOINT) < 0) {
        zsock_destroy(&gate->sock);
        free(gate);
        return err_set(err, EEXIST, "this process has a gate for connections already");
    }
    gate->watch = loop_socket_add(loop, gate->raw, answer, gate);
    *ret = gate;
    return 0;
}

void gate_free(struct gate *gate)
{
    if (gate == NULL)
        return;
    loop_socket_remove(gate->watch);
    zmq_unbind(gate->raw, ENDPOINT);
    zsock_destroy(&gate->sock);
    free(gate);
}
