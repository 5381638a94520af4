/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostile-peer.c - program: sends random messages, permitted and forbidden for its certificate
 *
 *   hostile-peer SEED COUNT HOST:PORT SERVER-CERTIFICATE OWN-CERTIFICATE [WORD...]
 *
 * Sends COUNT messages that are mostly within the bounds of the schema but make no sense: any body with any
 * content, ids and names from WORDs (application, container, attempt ids, node ids, users), and sometimes
 * damaged bytes. A WORD that begins with '@' is a file whose bytes are used as a token. OWN-CERTIFICATE "-"
 * means the key of the application master with that token; without a token, a key that the server does not
 * know. Reads the replies. Exits with 0 if the server answers a last request, with 1 if the server has
 * stopped answering.
 */
#include <czmq.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/arena.h"
#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/io/keys/derived_key.h"
#include "common/io/channel/channel.h"
#include "common/io/wire/wire_rules.h"
#include "common/io/loop/loop_socket.h"

#define WORDS_MAX 64
#define DEPTH_MAX 6
#define ANSWER_MS 20000
#define REPEAT_MS 500
#define LAST_REQUEST 0x7fffffffffffULL

struct world {
    struct rng rng;
    struct arena *arena;
    const char *words[WORDS_MAX];
    size_t word_count;
    ProtobufCBinaryData token;
    void *raw;
    bool answered;
};

/* --- values ---------------------------------------------------------------- */

static char *any_text(struct world *world, const struct wire_rule *rule)
{
    static const char *const odd[] = {
        "",
        "..",
        "../../etc/passwd",
        "a\nb",
        "\x1b[2J",
        "\xff\xfe",
        "root",
        "*",
        "%s%n",
        "-1",
        "=",
        "default",
        "0",
        "\xe2\x80\xae",
        "application_0_0000",
        "x:0",
        "[::]:65536",
    };
    char *text;

    if (rng_chance(&world->rng, 40))
        return arena_strdup(world->arena, odd[rng_below(&world->rng, sizeof(odd) / sizeof(odd[0]))]);
    if (rng_chance(&world->rng, 5)) {
        size_t length = rng_below(&world->rng, 70000);

        text = arena_alloc0(world->arena, length + 1);
        memset(text, 'a', length);
        return text;
    }
    /* Picks a word that fits, if there is one. */
    for (int tries = 0; world->word_count > 0 && tries < 20; tries++) {
        const char *word = world->words[rng_below(&world->rng, world->word_count)];

        if (rule == NULL || wire_text_problem(rule->text, word) == NULL)
            return arena_strdup(world->arena, word);
    }
    return arena_strdup(world->arena, "");
}

static ProtobufCBinaryData any_bytes(struct world *world, const struct wire_rule *rule)
{
    ProtobufCBinaryData bytes = { 0, NULL };

    if (world->token.len > 0 && rng_chance(&world->rng, 300))
        return world->token;
    bytes.len = rule != NULL && rule->size_min > 0 && rng_chance(&world->rng, 950)
                    ? rule->size_min
                    : rng_below(&world->rng, 300);
    bytes.data = arena_alloc0(world->arena, bytes.len + 1);
    for (size_t i = 0; i < bytes.len; i++)
        bytes.data[i] = (uint8_t)(rng_chance(&world->rng, 500) ? 0 : rng_next(&world->rng));
    return bytes;
}

static int64_t any_number(struct world *world)
{
    static const int64_t edges[] = {
        0,     1,       2,         3,          7,         -1,        128,           255,
        65535, 1000000, INT32_MAX, UINT32_MAX, INT64_MAX, INT64_MIN, 1700000000000,
    };

    return rng_chance(&world->rng, 700) ? rng_between(&world->rng, 0, 5)
                                        : edges[rng_below(&world->rng, sizeof(edges) / sizeof(edges[0]))];
}

/* --- messages -------------------------------------------------------------- */

static ProtobufCMessage *any_message(struct world *world, const ProtobufCMessageDescriptor *type, int depth);

static const struct wire_rule *rule_of(const ProtobufCMessageDescriptor *type, const char *field)
{
    size_t count;
    const struct wire_rule *own = wire_rules_of(type->short_name, &count);

    for (size_t i = 0; i < count; i++)
        if (strcmp(own[i].field, field) == 0)
            return &own[i];
    return wire_rule_for(field);
}

static void put_value(struct world *world, const ProtobufCFieldDescriptor *field,
                      const struct wire_rule *rule, void *value, int depth)
{
    int64_t number = any_number(world);

    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
        *(char **)value = any_text(world, rule);
        break;
    case PROTOBUF_C_TYPE_BYTES:
        *(ProtobufCBinaryData *)value = any_bytes(world, rule);
        break;
    case PROTOBUF_C_TYPE_MESSAGE:
        *(ProtobufCMessage **)value = any_message(world, field->descriptor, depth + 1);
        break;
    case PROTOBUF_C_TYPE_ENUM:
        *(int *)value = (int)rng_below(&world->rng, 10);
        break;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_SINT32:
        *(uint32_t *)value = (uint32_t)number;
        break;
    case PROTOBUF_C_TYPE_FLOAT:
        *(float *)value = (float)number / 3;
        break;
    case PROTOBUF_C_TYPE_DOUBLE:
        *(double *)value = (double)number / 3;
        break;
    case PROTOBUF_C_TYPE_BOOL:
        *(protobuf_c_boolean *)value = number & 1;
        break;
    default:
        *(int64_t *)value = number;
        break;
    }
}

static size_t size_of(ProtobufCType type)
{
    return type == PROTOBUF_C_TYPE_BYTES  ? sizeof(ProtobufCBinaryData)
           : type == PROTOBUF_C_TYPE_ENUM ? sizeof(int)
                                          : sizeof(void *);
}

static void put_list(struct world *world, const ProtobufCFieldDescriptor *field, const struct wire_rule *rule,
                     char *base, int depth)
{
    size_t count = rng_chance(&world->rng, 20) ? rng_below(&world->rng, 400) : rng_below(&world->rng, 4);
    char *items = arena_alloc0(world->arena, (count + 1) * size_of(field->type));

    for (size_t i = 0; i < count; i++)
        put_value(world, field, rule, items + i * size_of(field->type), depth);
    *(char **)(void *)(base + field->offset) = items;
    *(size_t *)(void *)(base + field->quantifier_offset) = count;
}

static ProtobufCMessage *any_message(struct world *world, const ProtobufCMessageDescriptor *type, int depth)
{
    ProtobufCMessage *message = arena_alloc0(world->arena, type->sizeof_message);
    char *base = (char *)message;

    protobuf_c_message_init(type, message);
    for (unsigned i = 0; depth < DEPTH_MAX && i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        const struct wire_rule *rule = rule_of(type, field->name);

        if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF ||
            ((rule == NULL || !rule->required) && rng_chance(&world->rng, 200)))
            continue;
        if (field->label == PROTOBUF_C_LABEL_REPEATED)
            put_list(world, field, rule, base, depth);
        else
            put_value(world, field, rule, base + field->offset, depth);
    }
    return message;
}

static Creel__Envelope *any_envelope(struct world *world)
{
    const ProtobufCMessageDescriptor *type = &creel__envelope__descriptor;
    Creel__Envelope *envelope = (Creel__Envelope *)any_message(world, type, 0);
    const ProtobufCFieldDescriptor *body;

    do
        body = &type->fields[rng_below(&world->rng, type->n_fields)];
    while ((body->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) == 0);
    envelope->version = rng_chance(&world->rng, 980) ? 1 : (uint32_t)any_number(world);
    envelope->request_id = (uint64_t)any_number(world);
    if (rng_chance(&world->rng, 800))
        envelope->as_user = arena_strdup(world->arena, "");
    if (world->token.len > 0 && rng_chance(&world->rng, 900))
        envelope->token = world->token;
    envelope->body_case = (Creel__Envelope__BodyCase)body->id;
    put_value(world, body, NULL, (char *)envelope + body->offset, 0);
    return envelope;
}

/* --- sending --------------------------------------------------------------- */

static void read_answers(struct world *world, long wait_ms)
{
    zmq_pollitem_t item = { world->raw, -1, ZMQ_POLLIN, 0 };

    while (zmq_poll(&item, 1, wait_ms) > 0) {
        Creel__Envelope *envelope = NULL;
        zmq_msg_t message;

        zmq_msg_init(&message);
        if (zmq_msg_recv(&message, world->raw, ZMQ_DONTWAIT) >= 0 &&
            wire_decode(zmq_msg_data(&message), zmq_msg_size(&message), &envelope, NULL, NULL) == 0)
            world->answered = world->answered || envelope->request_id == LAST_REQUEST;
        wire_free(envelope);
        zmq_msg_close(&message);
        if (world->answered)
            return;
        wait_ms = wait_ms > 0 ? wait_ms : 0;
    }
}

/* Returns false if there was no connection to send it within ANSWER_MS. */
static bool send_one(struct world *world, const Creel__Envelope *envelope, bool damage)
{
    size_t size = creel__envelope__get_packed_size(envelope);
    uint8_t *bytes = arena_alloc0(world->arena, size + 1);
    zmq_pollitem_t item = { world->raw, -1, ZMQ_POLLOUT, 0 };

    creel__envelope__pack(envelope, bytes);
    if (damage && size > 0)
        for (int i = 0; i < 3; i++)
            bytes[rng_below(&world->rng, size)] = (uint8_t)rng_next(&world->rng);
    for (int waited_ms = 0; zmq_poll(&item, 1, 0) == 0; waited_ms++) {
        if (waited_ms == ANSWER_MS)
            return false;
        read_answers(world, 1);
    }
    (void)zmq_send(world->raw, bytes, size, ZMQ_DONTWAIT);
    return true;
}

static void send_all(struct world *world, unsigned count)
{
    Creel__Envelope last = CREEL__ENVELOPE__INIT;
    Creel__Ok ok = CREEL__OK__INIT;

    for (unsigned i = 0; i < count; i++) {
        if (!send_one(world, any_envelope(world), rng_chance(&world->rng, 30)))
            return;
        read_answers(world, 0);
        arena_reset(world->arena);
    }
    last.version = 1;
    last.request_id = LAST_REQUEST; /* an envelope without a body, which every port answers */
    last.body_case = CREEL__ENVELOPE__BODY_OK;
    last.ok = &ok;
    /* Repeated: a message that was too long ends the connection, and the messages behind it are lost. */
    for (int i = 0; i < ANSWER_MS / REPEAT_MS && !world->answered; i++) {
        if (!send_one(world, &last, false))
            return;
        read_answers(world, REPEAT_MS);
    }
}

/* --- start ----------------------------------------------------------------- */

static void read_token(struct world *world, const char *file)
{
    scoped_fd int fd = open(file, O_RDONLY | O_CLOEXEC);
    uint8_t *bytes = mem_alloc(8192);
    ssize_t got = fd < 0 ? -1 : read(fd, bytes, 8192);

    if (got <= 0) {
        fprintf(stderr, "hostile-peer: %s: %s\n", file, got < 0 ? strerror(errno) : "is empty");
        exit(2);
    }
    world->token = (ProtobufCBinaryData){ (size_t)got, bytes };
}

static void die(const struct err *err)
{
    fprintf(stderr, "hostile-peer: %s\n", err->text);
    exit(2);
}

int main(int argc, char **argv)
{
    struct world world = { .arena = NULL };
    struct key own, server;
    struct err err = { 0 };
    char endpoint[300];
    zsock_t *sock;

    if (argc < 6 || argc - 6 > WORDS_MAX) {
        fputs("usage: hostile-peer SEED COUNT HOST:PORT SERVER-CERTIFICATE OWN-CERTIFICATE|- "
              "[WORD|@TOKEN-FILE...]\n",
              stderr);
        return 2;
    }
    loop_socket_prepare_process();
    rng_seed(&world.rng, strtoull(argv[1], NULL, 10));
    world.arena = arena_new();
    key_generate(&own);
    if (key_load(argv[4], false, &server, &err) < 0 ||
        (strcmp(argv[5], "-") != 0 && key_load(argv[5], true, &own, &err) < 0))
        die(&err);
    for (int i = 6; i < argc; i++) {
        if (argv[i][0] == '@')
            read_token(&world, argv[i] + 1);
        else
            world.words[world.word_count++] = argv[i];
    }
    if (strcmp(argv[5], "-") == 0 && world.token.len > 0)
        derived_key_make(world.token.data, world.token.len, &own);
    sock = zsock_new(ZMQ_DEALER);
    world.raw = zsock_resolve(sock);
    zsock_set_linger(sock, 0);
    zsock_set_curve_serverkey(sock, server.public_text);
    zsock_set_curve_publickey(sock, own.public_text);
    zsock_set_curve_secretkey(sock, own.secret_text);
    snprintf(endpoint, sizeof(endpoint), "tcp://%s", argv[3]);
    if (zmq_connect(world.raw, endpoint) < 0) {
        perror(endpoint);
        return 2;
    }
    send_all(&world, (unsigned)strtoul(argv[2], NULL, 10));
    zsock_destroy(&sock);
    arena_free(world.arena);
    if (!world.answered)
        fprintf(stderr, "hostile-peer: %s has fallen silent\n", argv[3]);
    free(world.token.data);
    return world.answered ? 0 : 1;
}
