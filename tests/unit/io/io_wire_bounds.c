/* SPDX-License-Identifier: Apache-2.0 */
/* io_wire_bounds.c - test: fields out of bounds are refused with an error that names the field */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/wire/wire.h"
#include "tests/unit/io/io_sample.h"

static int decode_raw(const Creel__Envelope *envelope, struct err *err)
{
    Creel__Envelope *decoded = NULL;
    uint64_t request_id = 0;
    size_t size;
    scoped_free uint8_t *bytes = sample_pack(envelope, &size);
    int rc = wire_decode(bytes, size, &decoded, &request_id, err);

    assert_int_equal(request_id, envelope->request_id);
    if (rc == 0)
        wire_free(decoded);
    return rc;
}

/* Replaces the LEFT-th string of a message by BAD. The message must be refused with the path of exactly
 * that field. */
struct spoiler {
    int left; /* number of strings to skip */
    const char *bad;
    const ProtobufCFieldDescriptor *spoiled;
};

static void spoil(ProtobufCMessage *message, struct spoiler *spoiler)
{
    const ProtobufCMessageDescriptor *type = message->descriptor;

    for (unsigned i = 0; i < type->n_fields && spoiler->spoiled == NULL; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        char *base = (char *)message;
        bool list = field->label == PROTOBUF_C_LABEL_REPEATED;
        void **value = (void **)(void *)(base + field->offset);

        if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 &&
            *(uint32_t *)(void *)(base + field->quantifier_offset) != field->id)
            continue;
        if (list)
            value = *value;
        if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
            spoil(*value, spoiler);
        } else if (field->type == PROTOBUF_C_TYPE_STRING && spoiler->left-- == 0) {
            free(*value);
            *value = mem_strdup(spoiler->bad);
            spoiler->spoiled = field;
        }
    }
}

/* Strings that a program receives unchanged, and those that a parser of their own checks, may have control
 * characters. */
static bool is_exact(const ProtobufCFieldDescriptor *field)
{
    static const struct {
        const ProtobufCMessageDescriptor *message;
        const char *field;
    } exact[] = {
        { &creel__app_launch__descriptor, "directory" },
        { &creel__app_launch__descriptor, "err_file" },
        { &creel__app_launch__descriptor, "in_file" },
        { &creel__app_launch__descriptor, "out_file" },
        { &creel__app_launch__descriptor, "script" },
        { &creel__app_launch__descriptor, "submit_host" },
        { &creel__job_spec__descriptor, "array" },
        { &creel__job_spec__descriptor, "depends_on" },
        { &creel__job_spec__descriptor, "whole_array" },
        { &creel__kill_tasks__descriptor, "tasks" },
        { &creel__launch_context__descriptor, "command" },
        { &creel__launch_context__descriptor, "directory" },
        { &creel__launch_context__descriptor, "err_file" },
        { &creel__launch_context__descriptor, "fetch" },
        { &creel__launch_context__descriptor, "in_file" },
        { &creel__launch_context__descriptor, "out_file" },
        { &creel__launch_context__descriptor, "script" },
        { &creel__launch_context__descriptor, "submit_directory" },
        { &creel__sign_in__descriptor, "credential" },
        { &creel__start_exec__descriptor, "command" },
        { &creel__start_exec__descriptor, "escaped_command" },
        { &creel__variable__descriptor, "value" },
    };

    for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
        if (field == protobuf_c_message_descriptor_get_field_by_name(exact[i].message, exact[i].field))
            return true;
    return false;
}

/* Strings that may have more than WIRE_TEXT_MAX bytes. */
static bool is_argument(const ProtobufCFieldDescriptor *field)
{
    return field == protobuf_c_message_descriptor_get_field_by_name(&creel__launch_context__descriptor,
                                                                    "command") ||
           field ==
               protobuf_c_message_descriptor_get_field_by_name(&creel__start_exec__descriptor, "command") ||
           field == protobuf_c_message_descriptor_get_field_by_name(&creel__start_exec__descriptor,
                                                                    "escaped_command") ||
           field == protobuf_c_message_descriptor_get_field_by_name(&creel__variable__descriptor, "value");
}

static bool may_have(const ProtobufCFieldDescriptor *field, const char *bad, const char *expected)
{
    if (strcmp(expected, "control character") == 0)
        return is_exact(field);
    return strstr(expected, "more than") && is_argument(field) && strlen(bad) <= WIRE_ARGUMENT_BYTES_MAX;
}

static unsigned spoil_all(const char *bad, const char *expected)
{
    unsigned spoiled = 0;
    uint32_t body;

    for (unsigned n = 0; (body = sample_body(n)) != 0; n++) {
        for (int at = 0;; at++) {
            Creel__Envelope *envelope = sample_envelope(body);
            struct spoiler spoiler = { .left = at, .bad = bad };
            struct err err = { 0 };
            int rc;

            spoil(&envelope->base, &spoiler);
            rc = spoiler.spoiled != NULL ? decode_raw(envelope, &err) : 0;
            sample_free(envelope);
            if (spoiler.spoiled == NULL)
                break;
            if (may_have(spoiler.spoiled, bad, expected)) {
                assert_int_equal(rc, 0);
                continue;
            }
            if (rc != -EBADMSG)
                fail_msg("%s spoiled by a %s: accepted", spoiler.spoiled->name, expected);
            if (strstr(err.text, spoiler.spoiled->name) == NULL || strstr(err.text, expected) == NULL)
                fail_msg("%s spoiled: %s", spoiler.spoiled->name, err.text);
            spoiled++;
        }
    }
    return spoiled;
}

static void every_string_is_utf8_without_control_characters(void **state)
{
    (void)state;
    assert_true(spoil_all("half a character: \xc3", "UTF-8") > 150);
    assert_true(spoil_all("overlong: \xc0\xaf", "UTF-8") > 150);
    assert_true(spoil_all("surrogate: \xed\xa0\x80", "UTF-8") > 150);
    assert_true(spoil_all("beyond: \xf4\x90\x80\x80", "UTF-8") > 150);
    assert_true(spoil_all("escape: \x1b[2J", "control character") > 150);
    assert_true(spoil_all("C1: \xc2\x9b", "control character") > 150);
}

static void every_string_is_bounded(void **state)
{
    scoped_free char *text = mem_alloc(WIRE_TEXT_MAX + 2);

    (void)state;
    memset(text, 'a', WIRE_TEXT_MAX + 1);
    text[WIRE_TEXT_MAX + 1] = '\0';
    assert_true(spoil_all(text, "has 65537 bytes, more than") > 150);
}

/* Linux accepts no longer ones. */
static void every_argument_is_bounded(void **state)
{
    scoped_free char *text = mem_alloc(WIRE_ARGUMENT_BYTES_MAX + 2);

    (void)state;
    memset(text, 'a', WIRE_ARGUMENT_BYTES_MAX + 1);
    text[WIRE_ARGUMENT_BYTES_MAX + 1] = '\0';
    assert_true(spoil_all(text, "has 131072 bytes, more than") > 150);
}

static Creel__Envelope *envelope_of(Creel__Envelope__BodyCase body)
{
    return sample_envelope((uint32_t)body);
}

static void spoil_app_id(Creel__Envelope *e)
{
    sample_set_text(&e->kill_app->app_id, "application_1");
}
static void spoil_no_app(Creel__Envelope *e)
{
    sample_set_text(&e->kill_app->app_id, "");
}
static void spoil_node(Creel__Envelope *e)
{
    sample_set_text(&e->heartbeat->node_id, "n1");
}
static void spoil_no_node(Creel__Envelope *e)
{
    sample_set_text(&e->heartbeat->node_id, "");
}
static void spoil_container(Creel__Envelope *e)
{
    sample_set_text(&e->heartbeat->containers[1]->container_id, SAMPLE_APP);
}
static void spoil_state(Creel__Envelope *e)
{
    e->heartbeat->containers[1]->state = (Creel__ContainerState)99;
}
static void spoil_negative_state(Creel__Envelope *e)
{
    e->heartbeat->containers[0]->state = (Creel__ContainerState)-1;
}
static void spoil_time(Creel__Envelope *e)
{
    e->heartbeat->containers[0]->started_ms = -1;
}

static void spoil_clock_skew(Creel__Envelope *e)
{
    e->heartbeat->clock_skew_ms = INT64_MIN;
}

static void spoil_clock_error(Creel__Envelope *e)
{
    e->heartbeat->clock_error_ms = INT64_MAX;
}
static void spoil_rm_clock(Creel__Envelope *e)
{
    e->heartbeat_reply->now_ms = INT64_MAX;
}
static void spoil_limit(Creel__Envelope *e)
{
    e->node_orders->limits[0]->limit_ms = INT64_MIN;
}

static void spoil_time_limit(Creel__Envelope *e)
{
    e->submit_app->job->time_limit_s = INT64_MAX;
}
static void spoil_memory(Creel__Envelope *e)
{
    e->submit_app->job->resource->memory_mb = -1;
}
static void spoil_huge_memory(Creel__Envelope *e)
{
    e->submit_app->job->resource->memory_mb = INT64_MAX;
}
static void spoil_vcores(Creel__Envelope *e)
{
    e->submit_app->job->resource->vcores = -4;
}
static void spoil_other(Creel__Envelope *e)
{
    e->submit_app->job->resource->others[0]->amount = INT64_MIN;
}
static void spoil_file_slash(Creel__Envelope *e)
{
    sample_set_text(&e->submit_app->job->launch->files[1]->name, "../../etc/passwd");
}
static void spoil_file_dots(Creel__Envelope *e)
{
    sample_set_text(&e->submit_app->job->launch->files[0]->name, "..");
}
static void spoil_file_empty(Creel__Envelope *e)
{
    sample_set_text(&e->submit_app->job->launch->files[0]->name, "");
}
static void spoil_file_mode(Creel__Envelope *e)
{
    e->submit_app->job->launch->files[0]->mode = 04755;
}
static void spoil_hash(Creel__Envelope *e)
{
    e->submit_app->job->launch->files[0]->hash.len = 31;
}
static void spoil_no_hash(Creel__Envelope *e)
{
    e->get_blob->hash.len = 0;
}
static void spoil_list_hash(Creel__Envelope *e)
{
    e->have_blobs->hashes[1].len = 0;
}
static void spoil_command(Creel__Envelope *e)
{
    sample_set_text(&e->submit_app->job->launch->command[0], "");
}
static void spoil_variable(Creel__Envelope *e)
{
    sample_set_text(&e->submit_app->job->launch->environment[0]->name, "A=B");
}
static void spoil_variable_name(Creel__Envelope *e)
{
    sample_set_text(&e->submit_app->job->launch->environment[1]->name, "");
}
static void spoil_no_job(Creel__Envelope *e)
{
    creel__job_spec__free_unpacked(e->submit_app->job, NULL);
    e->submit_app->job = NULL;
}
static char *text_of(size_t length)
{
    char *text = mem_alloc(length + 1);

    memset(text, 'a', length);
    text[length] = '\0';
    return text;
}
static void spoil_out_file(Creel__Envelope *e)
{
    free(e->submit_app->job->launch->out_file);
    e->submit_app->job->launch->out_file = text_of(4096);
}
static void spoil_tags(Creel__Envelope *e)
{
    Creel__JobSpec *job = e->submit_app->job;

    for (size_t i = 0; i < job->n_tags; i++)
        free(job->tags[i]);
    job->tags = mem_resize(job->tags, 100, sizeof(char *));
    for (job->n_tags = 0; job->n_tags < 100; job->n_tags++)
        job->tags[job->n_tags] = text_of(164);
}
static void spoil_tasks(Creel__Envelope *e)
{
    e->submit_app->job->task_count = 4000000000u;
}
static void spoil_progress(Creel__Envelope *e)
{
    e->allocate->progress = 1.5f;
}
static void spoil_nan(Creel__Envelope *e)
{
    e->allocate->progress = NAN;
}
static void spoil_key(Creel__Envelope *e)
{
    sample_set_text(&e->register_node->agent_key, "short");
}
static void spoil_token_key(Creel__Envelope *e)
{
    e->register_node_reply->token_keys[0]->key.len = 16;
}
static void spoil_offset(Creel__Envelope *e)
{
    e->get_blob->offset = UINT64_MAX;
}
static void spoil_newline(Creel__Envelope *e)
{
    sample_set_text(&e->submit_app->job->name, "a\nb");
}
static void spoil_user(Creel__Envelope *e)
{
    sample_set_text(&e->as_user, "root\n");
}

static const struct bound {
    Creel__Envelope__BodyCase body;
    void (*spoil)(Creel__Envelope *envelope);
    const char *path;
    const char *problem;
} bounds[] = {
    { CREEL__ENVELOPE__BODY_KILL_APP, spoil_app_id, "kill_app.app_id", "not an application id" },
    { CREEL__ENVELOPE__BODY_KILL_APP, spoil_no_app, "kill_app.app_id", "is missing" },
    { CREEL__ENVELOPE__BODY_HEARTBEAT, spoil_node, "heartbeat.node_id", "not HOST:PORT" },
    { CREEL__ENVELOPE__BODY_HEARTBEAT, spoil_no_node, "heartbeat.node_id", "is missing" },
    { CREEL__ENVELOPE__BODY_HEARTBEAT, spoil_container, "heartbeat.containers[1].container_id",
      "not a container id" },
    { CREEL__ENVELOPE__BODY_HEARTBEAT, spoil_state, "heartbeat.containers[1].state", "is 99" },
    { CREEL__ENVELOPE__BODY_HEARTBEAT, spoil_negative_state, "heartbeat.containers[0].state", "is -1" },
    { CREEL__ENVELOPE__BODY_HEARTBEAT, spoil_time, "heartbeat.containers[0].started_ms", "is -1" },
    { CREEL__ENVELOPE__BODY_HEARTBEAT, spoil_clock_skew, "heartbeat.clock_skew_ms", "must be from" },
    { CREEL__ENVELOPE__BODY_HEARTBEAT, spoil_clock_error, "heartbeat.clock_error_ms", "must be from" },
    { CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY, spoil_rm_clock, "heartbeat_reply.now_ms", "must be from" },
    { CREEL__ENVELOPE__BODY_NODE_ORDERS, spoil_limit, "node_orders.limits[0].limit_ms", "must be from" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_time_limit, "submit_app.job.time_limit_s", "must be from" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_memory, "submit_app.job.resource.memory_mb", "is -1" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_huge_memory, "submit_app.job.resource.memory_mb",
      "must be from 0 to" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_out_file, "submit_app.job.launch.out_file",
      "has 4096 bytes, more than 4095" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_tags, "submit_app.job.tags",
      "its 100 elements have 16400 bytes in all, more than 16384" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_vcores, "submit_app.job.resource.vcores", "is -4" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_other, "submit_app.job.resource.others[0].amount",
      "must be from 0" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_file_slash, "submit_app.job.launch.files[1].name",
      "not a plain file name" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_file_dots, "submit_app.job.launch.files[0].name",
      "not a plain file name" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_file_empty, "submit_app.job.launch.files[0].name",
      "is missing" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_file_mode, "submit_app.job.launch.files[0].mode",
      "must be from 0 to 511" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_hash, "submit_app.job.launch.files[0].hash",
      "has 31 bytes, must have 32" },
    { CREEL__ENVELOPE__BODY_GET_BLOB, spoil_no_hash, "get_blob.hash", "is missing" },
    { CREEL__ENVELOPE__BODY_HAVE_BLOBS, spoil_list_hash, "have_blobs.hashes[1]",
      "has 0 bytes, must have 32" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_command, "submit_app.job.launch.command[0]", "is missing" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_variable, "submit_app.job.launch.environment[0].name",
      "has '=' in it" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_variable_name, "submit_app.job.launch.environment[1].name",
      "is missing" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_no_job, "submit_app.job", "is missing" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_tasks, "submit_app.job.task_count", "must be from" },
    { CREEL__ENVELOPE__BODY_ALLOCATE, spoil_progress, "allocate.progress", "is 1.5" },
    { CREEL__ENVELOPE__BODY_ALLOCATE, spoil_nan, "allocate.progress", "not a finite number" },
    { CREEL__ENVELOPE__BODY_REGISTER_NODE, spoil_key, "register_node.agent_key", "not a CURVE key" },
    { CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY, spoil_token_key, "register_node_reply.token_keys[0].key",
      "has 16 bytes, must have 32" },
    { CREEL__ENVELOPE__BODY_GET_BLOB, spoil_offset, "get_blob.offset", "too large" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_newline, "submit_app.job.name", "control character" },
    { CREEL__ENVELOPE__BODY_SUBMIT_APP, spoil_user, "as_user", "control character" },
};

static void each_bound_is_named_and_held_on_both_sides(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        Creel__Envelope *envelope = envelope_of(bounds[i].body);
        struct err err = { 0 };
        uint8_t *bytes;
        size_t size;

        bounds[i].spoil(envelope);
        assert_int_equal(decode_raw(envelope, &err), -EBADMSG);
        if (strncmp(err.text, bounds[i].path, strlen(bounds[i].path)) != 0 ||
            strstr(err.text, bounds[i].problem) == NULL)
            fail_msg("%s: %s", bounds[i].path, err.text);
        assert_int_equal(wire_pack(envelope, &bytes, &size, &err), -EBADMSG);
        sample_free(envelope);
    }
}

static void absent_ids_and_negative_exit_statuses_pass(void **state)
{
    Creel__Envelope *envelope = envelope_of(CREEL__ENVELOPE__BODY_APP_LIST);
    struct err err = { 0 };

    (void)state;
    sample_set_text(&envelope->app_list->apps[0]->master_container_id, "");
    sample_set_text(&envelope->app_list->apps[0]->master_node_id, "");
    envelope->app_list->apps[0]->exit_status = -1000;
    assert_int_equal(decode_raw(envelope, &err), 0);
    sample_free(envelope);
}

static int list_of(size_t count, struct err *err)
{
    Creel__Envelope *envelope = envelope_of(CREEL__ENVELOPE__BODY_SUBMIT_APP);
    Creel__LaunchContext *launch = envelope->submit_app->job->launch;
    int rc;

    launch->command = mem_resize(launch->command, count, sizeof(char *));
    for (size_t i = launch->n_command; i < count; i++)
        launch->command[i] = mem_strdup("x");
    launch->n_command = count;
    rc = decode_raw(envelope, err);
    sample_free(envelope);
    return rc;
}

/* Lists that the receiver scans once per object of its own, or before it authenticates the sender. */
static void costly_lists_are_short(void **state)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__ListApps apps = CREEL__LIST_APPS__INIT;
    Creel__ListNodes nodes = CREEL__LIST_NODES__INIT;
    Creel__StopContainers stop = CREEL__STOP_CONTAINERS__INIT;
    Creel__NodeState states[257] = { CREEL__NODE_STATE__NODE_RUNNING };
    ProtobufCBinaryData tokens[1025];
    char name[] = "ann", *users[257];
    struct err err = { 0 };

    (void)state;
    for (size_t i = 0; i < 1025; i++)
        tokens[i] = (ProtobufCBinaryData){ .len = 1, .data = (uint8_t *)name };
    for (size_t i = 0; i < 257; i++)
        users[i] = name;
    envelope.version = WIRE_VERSION;
    envelope.list_apps = &apps;
    envelope.body_case = CREEL__ENVELOPE__BODY_LIST_APPS;
    apps.users = users;
    for (apps.n_users = 256; apps.n_users <= 257; apps.n_users++)
        assert_int_equal(decode_raw(&envelope, &err), apps.n_users == 256 ? 0 : -EBADMSG);
    assert_string_equal(err.text, "list_apps.users: has 257 elements, more than 256");
    envelope.list_nodes = &nodes;
    envelope.body_case = CREEL__ENVELOPE__BODY_LIST_NODES;
    nodes.states = states;
    for (nodes.n_states = 256; nodes.n_states <= 257; nodes.n_states++)
        assert_int_equal(decode_raw(&envelope, &err), nodes.n_states == 256 ? 0 : -EBADMSG);
    envelope.stop_containers = &stop;
    envelope.body_case = CREEL__ENVELOPE__BODY_STOP_CONTAINERS;
    stop.tokens = tokens;
    for (stop.n_tokens = 1024; stop.n_tokens <= 1025; stop.n_tokens++)
        assert_int_equal(decode_raw(&envelope, &err), stop.n_tokens == 1024 ? 0 : -EBADMSG);
}

static void lists_and_chunks_are_bounded(void **state)
{
    Creel__Envelope *envelope = envelope_of(CREEL__ENVELOPE__BODY_LOG_CHUNK);
    struct err err = { 0 };

    (void)state;
    assert_int_equal(list_of(WIRE_ARGUMENTS_MAX, &err), 0);
    assert_int_equal(list_of(WIRE_ARGUMENTS_MAX + 1, &err), -EBADMSG);
    assert_string_equal(err.text, "submit_app.job.launch.command: has 65537 elements, more than 65536");

    /* A log chunk may contain any bytes, up to 1 MiB. */
    free(envelope->log_chunk->data.data);
    envelope->log_chunk->data.data = mem_alloc(WIRE_CHUNK_MAX + 1);
    for (size_t i = 0; i <= WIRE_CHUNK_MAX; i++)
        envelope->log_chunk->data.data[i] = (uint8_t)i;
    envelope->log_chunk->data.len = WIRE_CHUNK_MAX;
    assert_int_equal(decode_raw(envelope, &err), 0);
    envelope->log_chunk->data.len = WIRE_CHUNK_MAX + 1;
    assert_int_equal(decode_raw(envelope, &err), -EBADMSG);
    sample_free(envelope);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_string_is_utf8_without_control_characters),
        cmocka_unit_test(every_string_is_bounded),
        cmocka_unit_test(every_argument_is_bounded),
        cmocka_unit_test(each_bound_is_named_and_held_on_both_sides),
        cmocka_unit_test(absent_ids_and_negative_exit_statuses_pass),
        cmocka_unit_test(lists_and_chunks_are_bounded),
        cmocka_unit_test(costly_lists_are_short),
    };

    return cmocka_run_group_tests_name("io_wire_bounds", tests, NULL, NULL);
}
