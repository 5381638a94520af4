/* SPDX-License-Identifier: Apache-2.0 */
/* job_dialogue.c - plays the RM and the agents in a message-by-message dialogue with the task master */
#include "tests/unit/am/job_dialogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/base/mem.h"

void script_begin(struct script *script, uint32_t tasks, const struct task_options *options)
{
    script_begin_input(script, tasks, options, &(struct script_input){ .none = true });
}

void script_begin_input(struct script *script, uint32_t tasks, const struct task_options *options,
                        const struct script_input *input)
{
    Creel__JobSpec job = CREEL__JOB_SPEC__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    Creel__Variable own = CREEL__VARIABLE__INIT, forged = CREEL__VARIABLE__INIT;
    Creel__Variable *environment[] = { &own, &forged };
    char command[] = "work", own_name[] = "A", own_value[] = "1";
    char forged_name[] = "CREEL_TASK_INDEX", *argv[] = { command };

    *script = (struct script){ .now_ms = 1000, .next = 2 };
    task_effects_init(&script->effects);
    own.name = own_name;
    own.value = own_value;
    forged.name = forged_name;
    forged.value = own_value;
    launch.command = argv;
    launch.n_command = 1;
    launch.environment = environment;
    launch.n_environment = 2;
    launch.escaped = input->escaped;
    launch.input = !input->none;
    launch.input_task = input->task;
    launch.input_all = input->all;
    resource.memory_mb = 64;
    job.launch = &launch;
    job.resource = &resource;
    job.task_count = tasks;
    job.no_requeue = input->no_requeue;
    assert_int_equal(task_master_new(&job, options, &script->master, NULL), 0);
    task_master_on_start(script->master, script->now_ms, &script->effects);
}

void script_end(struct script *script)
{
    task_master_free(script->master);
    task_effects_done(&script->effects);
}

const struct task_effect *script_only(const struct script *script, enum task_effect_kind kind)
{
    const struct task_effect *found = NULL;

    for (size_t i = 0; i < script->effects.count; i++) {
        if (script->effects.items[i].kind != kind)
            continue;
        assert_null(found);
        found = &script->effects.items[i];
    }
    return found;
}

const struct task_event *script_event(const struct script *script, enum task_event_kind kind)
{
    for (size_t i = 0; i < script->effects.count; i++)
        if (script->effects.items[i].kind == TASK_EVENT && script->effects.items[i].event.kind == kind)
            return &script->effects.items[i].event;
    return NULL;
}

const Creel__Envelope *script_sent(struct script *script, Creel__Envelope__BodyCase body)
{
    const struct task_effect *effect = script_only(script, TASK_SEND_RM);

    assert_non_null(effect);
    assert_int_equal(effect->envelope->body_case, body);
    script->request_id = effect->envelope->request_id;
    return effect->envelope;
}

void script_hear(struct script *script, Creel__Envelope *envelope)
{
    struct err err;

    task_effects_reset(&script->effects);
    task_master_on_rm(script->master, script->now_ms, envelope, &script->effects);
    if (task_master_check(script->master, &err) < 0)
        fail_msg("%s", err.text);
}

void script_wait_until(struct script *script, int64_t now_ms)
{
    task_effects_reset(&script->effects);
    script->now_ms = now_ms;
    task_master_on_timer(script->master, now_ms, &script->effects);
}

static void name_container(char text[64], uint32_t number)
{
    snprintf(text, 64, "container_1700000000000_0001_01_%06u", number);
}

void script_registered(struct script *script)
{
    script_registered_with(script, 0, NULL);
}

void script_registered_with(struct script *script, uint32_t number, const char *token)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__RegisterAmReply body = CREEL__REGISTER_AM_REPLY__INIT;
    Creel__Container container = CREEL__CONTAINER__INIT, *running[] = { &container };
    scoped_free uint8_t *bytes = token ? mem_dup(token, strlen(token) + 1) : NULL;
    char id[64], node[] = "n1:8041", key[] = "key";

    script_sent(script, CREEL__ENVELOPE__BODY_REGISTER_AM);
    name_container(id, number);
    container.container_id = id;
    container.node_id = container.node_address = node;
    container.agent_key = key;
    if (script->title)
        container.title = script->title;
    container.token.data = bytes;
    container.token.len = token ? strlen(token) + 1 : 0;
    body.running = running;
    body.n_running = number != 0;
    body.response_id = script->response_id = 10;
    envelope.request_id = script->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY;
    envelope.register_am_reply = &body;
    script_hear(script, &envelope);
}

void script_error(struct script *script, Creel__ErrorCode code, const char *text)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    error.code = code;
    error.message = mem_strdup(text);
    envelope.request_id = script->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
    envelope.error = &error;
    script_hear(script, &envelope);
    free(error.message);
}

void script_allocated(struct script *script, uint32_t grants, uint32_t ended, int status, const char *words)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__AllocateReply body = CREEL__ALLOCATE_REPLY__INIT;
    Creel__Container containers[8], *granted[8];
    Creel__ContainerStatus report = CREEL__CONTAINER_STATUS__INIT, *completed[] = { &report };
    char ids[9][64], node[] = "n1:8041", key[] = "key";
    uint8_t token[] = "token";

    assert_in_range(grants, 0, 8);
    for (uint32_t i = 0; i < grants; i++) {
        creel__container__init(&containers[i]);
        name_container(ids[i], script->next++);
        containers[i].container_id = ids[i];
        containers[i].node_id = containers[i].node_address = node;
        containers[i].agent_key = key;
        containers[i].priority = 1;
        containers[i].restores = script->restores;
        containers[i].token.data = token;
        containers[i].token.len = sizeof(token);
        granted[i] = &containers[i];
    }
    name_container(ids[8], ended);
    report.container_id = ids[8];
    report.state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    report.exit_status = status;
    report.diagnostics = mem_strdup(words);
    report.retry_elsewhere = script->elsewhere;
    body.cluster_nodes = script->cluster_nodes;
    body.response_id = ++script->response_id;
    body.n_allocated = grants;
    body.allocated = granted;
    body.n_completed = ended != 0;
    body.completed = completed;
    envelope.request_id = script->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_ALLOCATE_REPLY;
    envelope.allocate_reply = &body;
    script_hear(script, &envelope);
    free(report.diagnostics);
}

void script_started(struct script *script, uint32_t number, Creel__Error *error)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__StartContainersReply body = CREEL__START_CONTAINERS_REPLY__INIT;
    Creel__StartResult result = CREEL__START_RESULT__INIT, *results[] = { &result };
    char id[64];

    name_container(id, number);
    result.container_id = id;
    result.error = error;
    body.n_results = 1;
    body.results = results;
    envelope.body_case = CREEL__ENVELOPE__BODY_START_CONTAINERS_REPLY;
    envelope.start_containers_reply = &body;
    task_effects_reset(&script->effects);
    task_master_on_agent(script->master, script->now_ms, "n1:8041", &envelope, &script->effects);
}

void script_finished(struct script *script)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__FinishAmReply body = CREEL__FINISH_AM_REPLY__INIT;

    body.done = true;
    envelope.request_id = script->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_FINISH_AM_REPLY;
    envelope.finish_am_reply = &body;
    script_hear(script, &envelope);
}

void script_exchange(struct script *script, uint32_t grants, uint32_t ended, int status, const char *words)
{
    script_sent(script, CREEL__ENVELOPE__BODY_ALLOCATE);
    script_allocated(script, grants, ended, status, words);
}

void script_run_one(struct script *script, const struct task_options *options)
{
    script_begin(script, 1, options);
    script_registered(script);
    script_exchange(script, 1, 0, 0, "");
    script_started(script, 2, NULL);
    script_wait_until(script, script->now_ms + 1000);
    script_sent(script, CREEL__ENVELOPE__BODY_ALLOCATE);
}
