/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_cost.c - test: what one field of a reply at its limit costs the client
 *
 * Commands run in this process: libcreel, the lists, and the output as a table and as JSON. The test answers
 * their requests in place of the channel. Every field of every reply that a command reads (io_grown.h) is at
 * its limit, one at a time: the reply is decoded as one that has arrived, and the command has the bounds of
 * cost.h. A list in twice as many pages costs twice as much, not four times.
 *
 * The replies are found in the schema: the comment of each request names its reply. The test fails if no
 * command of its table reads a reply. So a new request needs a command in the table, or a line in of_others.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/cli/frame/cli.h"
#include "client/libcreel/client.h"
#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "common/io/wire/wire.h"
#include "common/io/wire/wire_check.h"
#include "tests/unit/cost.h"
#include "tests/unit/io/io_grown.h"
#include "tests/unit/io/io_sample.h"

enum {
    WORDS_MAX = 8,
    READ_MAX = 8,
    CASES_MIN = 1500,
    OTHERS_MAX = 24,
    BODIES_MAX = 256,
    REPLIES_MIN = 50,
    LISTS_MIN = 12,
    READERS_MAX = 2
};

/* --- the commands ----------------------------------------------------------------- */

static const struct {
    const char *path;
    const char *words[WORDS_MAX];
} commands[] = {
    { "app list", { NULL } },
    { "status", { SAMPLE_APP } },
    { "app attempts", { SAMPLE_APP } },
    { "app rerun", { SAMPLE_APP } },
    { "why", { SAMPLE_APP } },
    { "events", { NULL } },
    { "history apps", { NULL } },
    { "history usage", { NULL } },
    { "history efficiency", { NULL } },
    { "container list", { "--app", SAMPLE_APP } },
    { "container show", { SAMPLE_CONTAINER } },
    { "container resize", { SAMPLE_CONTAINER, "-m", "2g" } },
    { "container logs", { SAMPLE_CONTAINER } },
    { "node list", { NULL } },
    { "node show", { SAMPLE_NODE } },
    { "node undrain", { SAMPLE_NODE } },
    { "label list", { NULL } },
    { "label map", { NULL } },
    { "token list", { NULL } },
    { "token list", { "--join" } },
    { "queue list", { NULL } },
    { "queue tree", { NULL } },
    { "queue show", { "a name" } },
    { "queue explain", { "a name" } },
    { "queue users", { "a name" } },
    { "queue access", { "a name" } },
    { "queue stop", { "a name" } },
    { "cluster info", { NULL } },
    { "cluster health", { NULL } },
    { "admin refresh", { "queues" } },
    { "admin refresh", { "nodes" } },
    { "admin refresh", { "acls" } },
    { "admin state", { "accept", "-y" } },
    { "admin log-level", { NULL } },
    { "conf show", { "--rm" } },
    { "conf diff", { NULL } },
    { "conf versions", { NULL } },
    { "submit", { "true" } },
    { "submit", { "-f", "/etc/hostname", "--", "true" } },
    { "submit", { "--test-only", "--", "true" } },
    { "whoami", { NULL } },
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

/* Replies that no command here reads: those for agents, AMs and creel-web, and those of an exchange. */
static const char *const of_others[OTHERS_MAX] = {
    "RegisterNodeReply", "HeartbeatReply", "FindKeysReply",  "BlobChunk", /* agents */
    "RegisterAmReply",   "AllocateReply",  "FinishAmReply",  "StartContainersReply",
    "AmAccess",                                              /* AMs */
    "Metrics",           "NewAppReply",    "Changes",        /* creel-web */
    "SignInReply",       "ExecPiece",      "WriteExecReply", /* an exchange: tests io_sign_in, linux_exec */
};

/* --- the resource manager, as the commands see it --------------------------------- */

/* What the resource manager answers to the command that runs. */
static struct {
    Creel__Envelope__BodyCase read[READ_MAX]; /* bodies that the command has read */
    size_t read_count;
    bool in_pages;          /* GROWN is a page of a list */
    Creel__Envelope *grown; /* the reply to the first requests for its body */
    size_t grown_left;      /* how often it is still sent: the pages of a list */
} rm;

static ProtobufCMessage *body_of(const Creel__Envelope *envelope)
{
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field(&creel__envelope__descriptor, envelope->body_case);

    return *(ProtobufCMessage *const *)(const void *)((const char *)envelope + field->offset);
}

static void note_read(Creel__Envelope__BodyCase body)
{
    for (size_t i = 0; i < rm.read_count; i++)
        if (rm.read[i] == body)
            return;
    assert_true(rm.read_count < READ_MAX);
    rm.read[rm.read_count++] = body;
}

/* Sets whether the list in ENVELOPE has a next page, if its body is a list in pages. */
static void set_next(Creel__Envelope *envelope, bool more)
{
    ProtobufCMessage *body = body_of(envelope);
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field_by_name(body->descriptor, "next");
    char *value = (char *)body + (field != NULL ? field->offset : 0);

    if (field != NULL && field->type == PROTOBUF_C_TYPE_STRING)
        sample_set_text((char **)(void *)value, more ? "more" : "");
    else if (field != NULL)
        *(uint32_t *)(void *)value = more;
    if (envelope->body_case == CREEL__ENVELOPE__BODY_EVENT_LIST) {
        envelope->event_list->more = more;
        envelope->event_list->last++;
    }
}

static void keep_one(ProtobufCMessage **list, size_t *count)
{
    while (*count > 1)
        protobuf_c_message_free_unpacked(list[--*count], NULL);
}

/* Makes a reply with a value in each field, as of one application. It has ended: no command waits for it. */
static Creel__Envelope *make_reply(Creel__Envelope__BodyCase body)
{
    Creel__Envelope *envelope = sample_envelope(body);

    set_next(envelope, false);
    if (body == CREEL__ENVELOPE__BODY_APP_LIST) {
        keep_one((ProtobufCMessage **)(void *)envelope->app_list->apps, &envelope->app_list->n_apps);
        envelope->app_list->apps[0]->state = CREEL__APP_STATE__APP_FINISHED;
    } else if (body == CREEL__ENVELOPE__BODY_CONTAINER_LIST) {
        keep_one((ProtobufCMessage **)(void *)envelope->container_list->containers,
                 &envelope->container_list->n_containers);
        envelope->container_list->containers[0]->state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    }
    return envelope;
}

/* The reply arrives: it is packed and decoded. */
static int deliver(const Creel__Envelope *sent, Creel__Envelope **reply, struct err *err)
{
    size_t size;
    uint8_t *bytes = sample_pack(sent, &size);
    int r = wire_decode(bytes, size, reply, NULL, err);

    free(bytes);
    return r;
}

static int answer(Creel__Envelope__BodyCase body, Creel__Envelope **reply, struct err *err)
{
    Creel__Envelope *sample;
    int r;

    note_read(body);
    if (rm.grown_left > 0 && rm.grown->body_case == body) {
        rm.grown_left--;
        if (rm.in_pages)
            set_next(rm.grown, rm.grown_left > 0);
        return deliver(rm.grown, reply, err);
    }
    sample = make_reply(body);
    r = deliver(sample, reply, err);
    sample_free(sample);
    return r;
}

int __wrap_client_call_waiting(struct creel_client *client, Creel__Envelope *request,
                               Creel__Envelope__BodyCase body, int64_t wait_ms, int64_t timeout_ms,
                               Creel__Envelope **reply, struct err *err);
int __wrap_client_call_waiting(struct creel_client *client, Creel__Envelope *request,
                               Creel__Envelope__BodyCase body, int64_t wait_ms, int64_t timeout_ms,
                               Creel__Envelope **reply, struct err *err)
{
    (void)client;
    (void)request;
    (void)wait_ms;
    (void)timeout_ms;
    return answer(body, reply, err);
}

int __wrap_client_call(struct creel_client *client, Creel__Envelope *request, Creel__Envelope__BodyCase body,
                       int64_t timeout_ms, Creel__Envelope **reply, struct err *err);
int __wrap_client_call(struct creel_client *client, Creel__Envelope *request, Creel__Envelope__BodyCase body,
                       int64_t timeout_ms, Creel__Envelope **reply, struct err *err)
{
    return __wrap_client_call_waiting(client, request, body, 0, timeout_ms, reply, err);
}

/* Requests to agents, and whoami. */
int __wrap_channel_client_call(struct channel_client *channel, Creel__Envelope *request, int64_t timeout_ms,
                               Creel__Envelope **reply, struct err *err);
int __wrap_channel_client_call(struct channel_client *channel, Creel__Envelope *request, int64_t timeout_ms,
                               Creel__Envelope **reply, struct err *err)
{
    (void)channel;
    (void)timeout_ms;
    switch (request->body_case) {
    case CREEL__ENVELOPE__BODY_READ_LOG:
        return answer(CREEL__ENVELOPE__BODY_LOG_CHUNK, reply, err);
    case CREEL__ENVELOPE__BODY_GET_IDENTITY:
        return answer(CREEL__ENVELOPE__BODY_IDENTITY, reply, err);
    default:
        return answer(CREEL__ENVELOPE__BODY_OK, reply, err);
    }
}

/* There is no connection. */
int __wrap_channel_client_new(struct loop *loop, const char *address, const char *peer_key,
                              const struct key *own, channel_client_fn *fn, void *context,
                              struct channel_client **ret, struct err *err);
int __wrap_channel_client_new(struct loop *loop, const char *address, const char *peer_key,
                              const struct key *own, channel_client_fn *fn, void *context,
                              struct channel_client **ret, struct err *err)
{
    (void)loop;
    (void)address;
    (void)peer_key;
    (void)own;
    (void)fn;
    (void)context;
    (void)err;
    *ret = (struct channel_client *)(void *)&rm;
    return 0;
}

void __wrap_channel_client_free(struct channel_client *channel);
void __wrap_channel_client_free(struct channel_client *channel)
{
    (void)channel;
}

void __wrap_channel_client_name_peer(struct channel_client *channel, const char *program, const char *hint);
void __wrap_channel_client_name_peer(struct channel_client *channel, const char *program, const char *hint)
{
    (void)channel;
    (void)program;
    (void)hint;
}

/* --- running a command ------------------------------------------------------------- */

static char directory[] = "/tmp/creel-client-cost.XXXXXX"; /* the configuration, without files */

static int run(size_t number, enum cli_format format)
{
    const struct command *command = command_find(commands[number].path);
    struct cli cli = { .command = command, .format = format, .format_given = true, .timeout_ms = 10000 };
    struct err err = { 0 };
    int code;

    assert_non_null(command);
    cli.conf_dir = directory;
    cli.client = mem_new0(struct creel_client);
    cli.client->interrupt_fd = -1;
    cli.client->timeout_ms = cli.timeout_ms;
    cli.client->address_text = mem_strdup("127.0.0.1:8032");
    cli.client->targets[0].address = mem_strdup(cli.client->address_text);
    cli.client->target_count = 1;
    cli.yes = true;
    if (options_parse(commands[number].words, command->options, cli_global_options, command->mode,
                      &cli.options, &err) < 0)
        fail_msg("%s: %s", commands[number].path, err.text);
    code = command->run(&cli);
    creel_disconnect(cli.client);
    conf_free(cli.conf);
    free(cli.found_conf_dir);
    options_done(&cli.options);
    fflush(stdout);
    return code;
}

/* The output of commands is not that of the test. */
struct output {
    int out, err;
};

static struct output hide_output(void)
{
    int none = open("/dev/null", O_WRONLY);
    struct output saved = { dup(1), dup(2) };

    fflush(stdout);
    dup2(none, 1);
    dup2(none, 2);
    close(none);
    return saved;
}

static void show_output(const struct output *saved)
{
    fflush(stdout);
    dup2(saved->out, 1);
    dup2(saved->err, 2);
    close(saved->out);
    close(saved->err);
}

static void run_hidden(size_t number, enum cli_format format)
{
    struct output output = hide_output();

    run(number, format);
    show_output(&output);
}

/* --- every field ------------------------------------------------------------------- */

struct test {
    size_t command;
    Creel__Envelope__BodyCase body;
    const ProtobufCMessageDescriptor *type; /* of the body */
    size_t cases;
    unsigned read[BODIES_MAX]; /* by field number of the envelope: how many commands have read it */
};

/* Returns a reply with the field at PLACE at its limit; NULL: the wire refuses it. */
static Creel__Envelope *grown_reply(Creel__Envelope__BodyCase body, const struct grown_place *place,
                                    enum grown_way way, size_t room)
{
    Creel__Envelope *envelope = make_reply(body);
    size_t size = protobuf_c_message_get_packed_size(&envelope->base);
    struct err err;

    grown_make(body_of(envelope), place, way, room - size);
    if (protobuf_c_message_get_packed_size(&envelope->base) <= WIRE_FRAME_MAX &&
        wire_check(&envelope->base, &err) == 0)
        return envelope;
    sample_free(envelope);
    return NULL;
}

static void try_place(void *context, const struct grown_place *place)
{
    struct test *test = context;
    bool is_list = place->path[place->depth - 1]->label == PROTOBUF_C_LABEL_REPEATED;
    char field[256], what[512];

    snprintf(what, sizeof(what), "%s: %s.%s", commands[test->command].path, wire_body_name(test->body),
             grown_name(place, field, sizeof(field)));
    for (int way = 0; way < (is_list ? GROWN_WAYS : 1); way++) {
        Creel__Envelope *reply = grown_reply(test->body, place, (enum grown_way)way, WIRE_CHUNK_MAX);

        if (reply == NULL)
            continue;
        for (int json = 0; json < 2; json++) {
            struct cost cost = cost_begin();

            rm.grown = reply;
            rm.in_pages = false;
            rm.grown_left = 1;
            run_hidden(test->command, json ? FORMAT_JSON : FORMAT_TABLE);
            cost_end(&cost, what, json ? "--json" : "the table");
            test->cases++;
        }
        sample_free(reply);
    }
}

/* Calls TRY for each field of the replies that command NUMBER reads. Two commands are enough for a reply. */
static void try_command(struct test *test, size_t number,
                        void (*try)(void *context, const struct grown_place *place))
{
    Creel__Envelope__BodyCase read[READ_MAX];
    size_t count;

    memset(&rm, 0, sizeof(rm));
    run_hidden(number, FORMAT_TABLE);
    count = rm.read_count;
    memcpy(read, rm.read, sizeof(read));
    test->command = number;
    for (size_t i = 0; i < count; i++) {
        test->body = read[i];
        if (test->read[read[i]]++ >= READERS_MAX)
            continue;
        test->type =
            protobuf_c_message_descriptor_get_field(&creel__envelope__descriptor, read[i])->descriptor;
        grown_each(test->type, try, test);
    }
}

/* --- lists in pages ------------------------------------------------------------------ */

enum { PAGE_BYTES = 64 * 1024, PAGES = 4, TRIES = 2, COMPARISONS = 5, MEASURABLE_US = 30000, GROWTH_MAX = 3 };

static bool has_pages(const ProtobufCMessageDescriptor *type)
{
    return protobuf_c_message_descriptor_get_field_by_name(type, "next") != NULL;
}

/* Returns the processor time of the command with a list of PAGES pages: the least of some runs. */
static int64_t time_pages_us(const struct test *test, Creel__Envelope *page, size_t pages)
{
    int64_t least_us = INT64_MAX;

    for (int i = 0; i < TRIES; i++) {
        int64_t begin_us = cost_processor_us(), took_us;

        rm.grown = page;
        rm.in_pages = true;
        rm.grown_left = pages;
        run_hidden(test->command, FORMAT_TABLE);
        took_us = cost_processor_us() - begin_us;
        least_us = took_us < least_us ? took_us : least_us;
    }
    return least_us;
}

static void try_list(void *context, const struct grown_place *place)
{
    struct test *test = context;
    const ProtobufCFieldDescriptor *field = place->path[0];
    int64_t once_us = 0, twice_us = 0;
    Creel__Envelope *page;
    bool is_linear = false;

    if (place->depth > 1 || !has_pages(test->type) || field->label != PROTOBUF_C_LABEL_REPEATED ||
        field->type != PROTOBUF_C_TYPE_MESSAGE)
        return;
    page = grown_reply(test->body, place, GROWN_MANY, PAGE_BYTES);
    if (page == NULL)
        return;
    for (int i = 0; i < COMPARISONS && !is_linear; i++) { /* other processes make single times longer */
        once_us = time_pages_us(test, page, PAGES);
        twice_us = time_pages_us(test, page, 2 * PAGES);
        is_linear = twice_us <= MEASURABLE_US || twice_us <= GROWTH_MAX * once_us;
    }
    if (!is_linear)
        fail_msg("%s: twice as many %s take %.1f times as long", commands[test->command].path, field->name,
                 (double)twice_us / (double)once_us);
    sample_free(page);
    test->cases++;
}

/* --- which replies there are --------------------------------------------------------- */

/* Reads the schema, with each comment in one line. The caller frees it. */
static char *read_schema(void)
{
    scoped_free char *path = mem_printf("%s/common/proto/creel.proto", getenv("srcdir"));
    struct text_builder text = TEXT_BUILDER_MALLOC;
    FILE *file = fopen(path, "r");
    char line[512];

    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        text_builder_printf(&text, "%s ", strncmp(line, "// ", 3) == 0 ? line + 3 : line);
    }
    fclose(file);
    return text_builder_finish(&text);
}

/* Returns the field number of the body of NAME; 0: there is none. */
static unsigned body_of_name(const char *name, size_t length)
{
    const ProtobufCMessageDescriptor *type = &creel__envelope__descriptor;

    for (unsigned i = 0; i < type->n_fields; i++)
        if (type->fields[i].type == PROTOBUF_C_TYPE_MESSAGE) {
            const ProtobufCMessageDescriptor *body = type->fields[i].descriptor;

            if (strlen(body->short_name) == length && strncmp(body->short_name, name, length) == 0)
                return type->fields[i].id;
        }
    return 0;
}

static bool is_of_others(const char *name, size_t length)
{
    for (size_t i = 0; i < OTHERS_MAX && of_others[i] != NULL; i++)
        if (strlen(of_others[i]) == length && strncmp(of_others[i], name, length) == 0)
            return true;
    return false;
}

static void check_replies(const struct test *test)
{
    static const char mark[] = "Reply: ";
    scoped_free char *schema = read_schema();
    size_t replies = 0;

    for (const char *at = schema; (at = strstr(at, mark)) != NULL;) {
        size_t length = strspn(at += strlen(mark), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
        unsigned body = body_of_name(at, length);

        replies += body != 0;
        if (body != 0 && test->read[body] == 0 && !is_of_others(at, length))
            fail_msg("no command of this test reads %.*s: add one that does", (int)length, at);
    }
    assert_true(replies >= REPLIES_MIN);
}

static void no_field_of_a_reply_exceeds_the_bounds(void **state)
{
    struct test test = { .cases = 0 };

    (void)state;
    for (size_t i = 0; i < COMMANDS; i++)
        try_command(&test, i, try_place);
    check_replies(&test);
    assert_true(test.cases >= CASES_MIN);
}

static void lists_cost_as_much_as_they_are_long(void **state)
{
    struct test test = { .cases = 0 };

    (void)state;
    for (size_t i = 0; i < COMMANDS; i++)
        try_command(&test, i, try_list);
    assert_true(test.cases >= LISTS_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_cost_as_much_as_they_are_long),
        cmocka_unit_test(no_field_of_a_reply_exceeds_the_bounds),
    };
    int failed;

    if (mkdtemp(directory) == NULL)
        return EXIT_FAILURE;
    failed = cmocka_run_group_tests_name("client_cost", tests, NULL, NULL);
    rmdir(directory);
    return failed;
}
