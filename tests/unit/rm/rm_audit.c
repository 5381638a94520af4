/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rm_audit.c - test: each message of the protocol either has an audit line or a reason why it has none
 *
 * A new message of the protocol needs a row in the table below.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "rm/net/requests/audit.h"

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

/* Why a message has no line. */
#define REPLY "a reply"
#define READS "it changes nothing"
#define DAEMON "of an agent: the log has lines about nodes and containers"
#define MASTER "of an application master: the log has lines about applications"
#define AGENT "an agent writes the line (exec_service.c), or the message belongs to a command that has one"
#define UPLOAD "a part of a submission, which has a line"

static const struct row {
    const char *field;     /* of Envelope */
    const char *operation; /* of the line; NULL: no line */
    const char *why;       /* NULL: there is a line */
} rows[] = {
    { "error", NULL, REPLY },
    { "ok", NULL, REPLY },
    { "register_node", NULL, DAEMON },
    { "heartbeat", NULL, DAEMON },
    { "node_orders", NULL, DAEMON },
    { "get_blob", NULL, READS },
    { "blob_chunk", NULL, REPLY },
    { "find_keys", NULL, READS },
    { "register_containers", NULL, DAEMON },
    { "register_am", NULL, MASTER },
    { "allocate", NULL, MASTER },
    { "finish_am", NULL, MASTER },
    { "am_wakeup", NULL, MASTER },
    { "start_containers", NULL, MASTER },
    { "stop_containers", NULL, MASTER },
    { "read_log", NULL, READS },
    { "log_chunk", NULL, REPLY },
    { "signal_container", NULL, AGENT },
    { "start_exec", NULL, AGENT },
    { "write_exec", NULL, AGENT },
    { "read_exec", NULL, AGENT },
    { "exec_piece", NULL, REPLY },
    { "end_exec", NULL, AGENT },
    { "submit_app", "Submit Application Request", NULL },
    { "new_app", NULL, "it assigns a number, and makes no application" },
    { "have_blobs", NULL, READS },
    { "put_blob", NULL, UPLOAD },
    { "kill_app", "Kill Application Request", NULL },
    { "list_apps", NULL, READS },
    { "app_list", NULL, REPLY },
    { "wait_app", NULL, READS },
    { "list_containers", NULL, READS },
    { "container_list", NULL, REPLY },
    { "list_nodes", NULL, READS },
    { "node_list", NULL, REPLY },
    { "get_cluster_info", NULL, READS },
    { "cluster_info", NULL, REPLY },
    { "get_log_access", NULL,
      "the agent that is sent the token writes a line for each use that changes something" },
    { "log_access", NULL, REPLY },
    { "list_queues", NULL, READS },
    { "queue_list", NULL, REPLY },
    { "explain_app", NULL, READS },
    { "app_explanation", NULL, REPLY },
    { "test_app", NULL, READS },
    { "move_app", "Move Application Request", NULL },
    { "set_priority", "Update Application Priority", NULL },
    { "set_lifetime", "Update Application Timeouts", NULL },
    { "list_queue_users", NULL, READS },
    { "queue_user_list", NULL, REPLY },
    { "get_queue_access", NULL, READS },
    { "queue_access", NULL, REPLY },
    { "set_queue_state", "updateQueueState", NULL },
    { "refresh_queues", "refreshQueues", NULL },
    { "hold_app", "Hold Application Request", NULL },
    { "release_app", "Release Application Request", NULL },
    { "kill_tasks", "Kill Array Tasks Request", NULL },
    { "set_array", "Update Array Request", NULL },
    { "set_name", "Update Application Name", NULL },
    { "change_app", "Update Application", NULL },
    { "requeue_app", "Requeue Application Request", NULL },
    { "resize_container", "Update Container Request", NULL },
    { "resize_container_reply", NULL, REPLY },
    { "get_am_access", "Get Application Master Access Request", NULL },
    { "am_access", NULL, REPLY },
    { "change_nodes", "updateNodeState", NULL },
    { "set_node_resources", "updateNodeResource", NULL },
    { "wait_nodes", NULL, READS },
    { "refresh_nodes", "refreshNodes", NULL },
    { "set_node_label", "replaceLabelsOnNode", NULL },
    { "list_labels", NULL, READS },
    { "label_list", NULL, REPLY },
    { "change_labels", "updateClusterNodeLabels", NULL },
    { "accept_state", "acceptState", NULL },
    { "get_changes", NULL, READS },
    { "changes", NULL, REPLY },
    { "get_metrics", NULL, READS },
    { "metrics", NULL, REPLY },
    { "create_access_token", "createAccessToken", NULL },
    { "list_access_tokens", NULL, READS },
    { "revoke_access_token", "revokeAccessToken", NULL },
    { "find_access_token", NULL, READS },
    { "access_token_list", NULL, REPLY },
    { "list_job_history", NULL, READS },
    { "job_history", NULL, REPLY },
    { "sum_job_history", NULL, READS },
    { "job_history_sums", NULL, REPLY },
    { "create_join_token", "createJoinToken", NULL },
    { "list_join_tokens", NULL, READS },
    { "revoke_join", "revokeJoin", NULL },
    { "join_list", NULL, REPLY },
    { "join_node", "joinNode", NULL },
    { "get_configuration", NULL, READS },
    { "get_rerun", NULL, READS },
    { "list_events", NULL, READS },
    { "event_list", NULL, REPLY },
    { "rerun", NULL, REPLY },
    { "configuration", NULL, REPLY },
    { "get_scheduler_conf", NULL, READS },
    { "change_scheduler_conf", "updateSchedulerConfiguration", NULL },
    { "scheduler_conf", NULL, REPLY },
    { "set_log_level", "setLogLevel", NULL },
    { "log_levels", NULL, REPLY },
    { "refresh_access", "refreshAdminAcls", NULL },
    { "sign_in", NULL, "it changes nothing but which key a user has" },
    { "get_identity", NULL, READS },
    { "identity", NULL, REPLY },
};

struct scene {
    int saved, ends[2];
    struct audit audit;
    char written[65536];
};

static int set_up(void **state)
{
    struct scene *scene = mem_new0(struct scene);

    unsetenv("JOURNAL_STREAM");
    *state = scene;
    scene->saved = dup(STDERR_FILENO);
    return pipe(scene->ends);
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    close(scene->saved);
    close(scene->ends[0]);
    close(scene->ends[1]);
    free(scene);
    return 0;
}

/* Returns what was written to standard error since the last call. */
static const char *written(struct scene *scene)
{
    size_t used = 0;

    assert_int_equal(write(scene->ends[1], "\x01", 1), 1);
    while (used == 0 || scene->written[used - 1] != '\x01') {
        ssize_t got = read(scene->ends[0], scene->written + used, sizeof(scene->written) - 1 - used);

        assert_true(got > 0);
        used += (size_t)got;
    }
    scene->written[used - 1] = '\0';
    return scene->written;
}

static Creel__Envelope refusal(Creel__Error *error)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;

    creel__error__init(error);
    error->message = (char *)(uintptr_t) "no";
    reply.body_case = CREEL__ENVELOPE__BODY_ERROR;
    reply.error = error;
    return reply;
}

/* Writes the line of REQUEST of USER, with the outcome REPLY. */
static const char *line(struct scene *scene, const char *user, const Creel__Envelope *request,
                        const Creel__Envelope *reply)
{
    struct master_peer peer = { MASTER_CLIENT, 1, user, NULL };

    assert_true(dup2(scene->ends[1], STDERR_FILENO) >= 0);
    audit_write(
        &scene->audit,
        &(struct audit_request){
            .peer = &peer, .address = "10.0.0.7", .method = "munge", .request = request, .reply = reply });
    assert_true(dup2(scene->saved, STDERR_FILENO) >= 0);
    return written(scene);
}

static const struct row *row_of(const char *field)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].field, field) == 0)
            return &rows[i];
    return NULL;
}

static bool is_reply(const char *field)
{
    size_t length = strlen(field);

    return length > 6 && strcmp(field + length - 6, "_reply") == 0;
}

/* Makes the request whose body is FIELD, with default values. */
static Creel__Envelope request_of(const ProtobufCFieldDescriptor *field, ProtobufCMessage **body)
{
    const ProtobufCMessageDescriptor *descriptor = field->descriptor;
    Creel__Envelope request = CREEL__ENVELOPE__INIT;

    *body = mem_alloc(descriptor->sizeof_message);
    protobuf_c_message_init(descriptor, *body);
    memcpy((char *)&request + field->offset, body, sizeof(*body));
    request.body_case = (Creel__Envelope__BodyCase)field->id;
    if (request.body_case == CREEL__ENVELOPE__BODY_SET_LOG_LEVEL)
        request.set_log_level->level = CREEL__LOG_LEVEL__LOG_LEVEL_DEBUG;
    return request;
}

static void check_field(struct scene *scene, const ProtobufCFieldDescriptor *field)
{
    const struct row *row = row_of(field->name);
    Creel__Envelope reply = CREEL__ENVELOPE__INIT, request;
    Creel__Ok ok = CREEL__OK__INIT;
    ProtobufCMessage *body;
    scoped_free char *wanted = NULL;
    const char *text;

    if (row == NULL && is_reply(field->name))
        return;
    if (row == NULL)
        fail_msg("%s: has no row here: does it need an audit line (rm/net/requests/audit.c)?", field->name);
    reply.body_case = CREEL__ENVELOPE__BODY_OK;
    reply.ok = &ok;
    request = request_of(field, &body);
    text = line(scene, "ann", &request, &reply);
    wanted = mem_printf("ann\tIP=10.0.0.7\tOPERATION=%s\t", row->operation ? row->operation : "");
    if (row->operation == NULL ? *text != '\0' : strstr(text, wanted) == NULL)
        fail_msg("%s: expected %s, got %s", field->name, row->operation ? wanted : "no line", text);
    if (row->operation != NULL &&
        (strstr(text, "\tRESULT=SUCCESS") == NULL || strstr(text, "\tAUTH=munge") == NULL))
        fail_msg("%s: no RESULT or AUTH in %s", field->name, text);
    free(body);
}

static void each_message_has_a_line_or_a_reason(void **state)
{
    const ProtobufCMessageDescriptor *descriptor = &creel__envelope__descriptor;
    size_t bodies = 0;

    for (unsigned i = 0; i < descriptor->n_fields; i++)
        if (descriptor->fields[i].type == PROTOBUF_C_TYPE_MESSAGE &&
            (descriptor->fields[i].flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0) {
            check_field(*state, &descriptor->fields[i]);
            bodies++;
        }
    assert_true(bodies > 90);
}

static void a_request_that_only_reads_the_log_level_has_no_line(void **state)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, reply = CREEL__ENVELOPE__INIT;
    Creel__SetLogLevel set = CREEL__SET_LOG_LEVEL__INIT;

    request.body_case = CREEL__ENVELOPE__BODY_SET_LOG_LEVEL;
    request.set_log_level = &set;
    assert_string_equal(line(*state, "ann", &request, &reply), "");
}

static void a_refresh_has_its_line_when_the_outcome_is_known(void **state)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, reply;
    Creel__RefreshQueues refresh = CREEL__REFRESH_QUEUES__INIT;
    Creel__RefreshAccess access = CREEL__REFRESH_ACCESS__INIT;
    Creel__Error error;

    request.body_case = CREEL__ENVELOPE__BODY_REFRESH_QUEUES;
    request.refresh_queues = &refresh;
    assert_string_equal(line(*state, "ann", &request, NULL), "");
    reply = refusal(&error);
    assert_non_null(strstr(line(*state, "ann", &request, &reply),
                           "OPERATION=refreshQueues\tRESULT=FAILURE\tDESCRIPTION=no"));
    request.body_case = CREEL__ENVELOPE__BODY_REFRESH_ACCESS;
    request.refresh_access = &access;
    access.part = CREEL__ACCESS_PART__ACCESS_PART_GROUPS;
    assert_non_null(strstr(line(*state, "ann", &request, &reply), "OPERATION=refreshUserToGroupsMappings\t"));
}

static void a_request_of_a_job_names_the_job(void **state)
{
    struct scene *scene = *state;
    struct master_peer peer = { MASTER_CLIENT, 1, "ann", "application_1_0001" };
    Creel__Envelope request = CREEL__ENVELOPE__INIT, reply = CREEL__ENVELOPE__INIT;
    Creel__KillApp kill = CREEL__KILL_APP__INIT;
    Creel__Ok ok = CREEL__OK__INIT;
    struct audit_request handled = { .peer = &peer, .method = "job", .request = &request, .reply = &reply };

    request.body_case = CREEL__ENVELOPE__BODY_KILL_APP;
    request.kill_app = &kill;
    reply.body_case = CREEL__ENVELOPE__BODY_OK;
    reply.ok = &ok;
    handled.stores = true;
    assert_true(dup2(scene->ends[1], STDERR_FILENO) >= 0);
    audit_write(&scene->audit, &handled); /* is held until the rows are stored */
    audit_stored(&scene->audit);
    assert_true(dup2(scene->saved, STDERR_FILENO) >= 0);
    assert_non_null(strstr(written(scene), "\tAUTH=job\tCALLERCONTEXT=application_1_0001"));
}

/* While the store fails, the answer to a kill is an error; the kill is done, and stored later. */
static void a_change_that_is_stored_later_is_no_failure(void **state)
{
    struct scene *scene = *state;
    struct master_peer peer = { MASTER_CLIENT, 1, "ann", NULL };
    Creel__Envelope request = CREEL__ENVELOPE__INIT, reply;
    Creel__KillApp kill = CREEL__KILL_APP__INIT;
    Creel__Error error;
    struct audit_request handled = { .peer = &peer, .request = &request, .reply = &reply, .stores = true };

    request.body_case = CREEL__ENVELOPE__BODY_KILL_APP;
    request.kill_app = &kill;
    reply = refusal(&error);
    error.code = CREEL__ERROR_CODE__ERROR_STORE;
    assert_true(dup2(scene->ends[1], STDERR_FILENO) >= 0);
    audit_write(&scene->audit, &handled);
    audit_store_failed(&scene->audit, "the disk is full");
    assert_true(dup2(scene->saved, STDERR_FILENO) >= 0);
    assert_string_equal(written(scene), "");
    assert_true(dup2(scene->ends[1], STDERR_FILENO) >= 0);
    audit_stored(&scene->audit);
    assert_true(dup2(scene->saved, STDERR_FILENO) >= 0);
    assert_non_null(strstr(written(scene), "OPERATION=Kill Application Request\tRESULT=SUCCESS"));
    handled.stores = false; /* one that has changed nothing */
    assert_true(dup2(scene->ends[1], STDERR_FILENO) >= 0);
    audit_write(&scene->audit, &handled);
    assert_true(dup2(scene->saved, STDERR_FILENO) >= 0);
    assert_non_null(strstr(written(scene), "OPERATION=Kill Application Request\tRESULT=FAILURE"));
}

/* Returns the end of the line of REQUEST, which is accepted, from RESULT on. */
static const char *result_of(struct scene *scene, const Creel__Envelope *request)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__Ok ok = CREEL__OK__INIT;

    reply.body_case = CREEL__ENVELOPE__BODY_OK;
    reply.ok = &ok;
    return strstr(line(scene, "ann", request, &reply), "RESULT=");
}

static void a_line_has_what_was_changed(void **state)
{
    Creel__NamedAmount licence = CREEL__NAMED_AMOUNT__INIT, *others[] = { &licence };
    Creel__Resource size = CREEL__RESOURCE__INIT;
    Creel__ResizeContainer resize = CREEL__RESIZE_CONTAINER__INIT;
    Creel__SetPriority priority = CREEL__SET_PRIORITY__INIT;
    Creel__ChangeApp change = CREEL__CHANGE_APP__INIT;
    Creel__MoveApp move = CREEL__MOVE_APP__INIT;
    Creel__SetName name = CREEL__SET_NAME__INIT;
    Creel__SetNodeResources resources = CREEL__SET_NODE_RESOURCES__INIT;
    Creel__Envelope request = CREEL__ENVELOPE__INIT;

    size.memory_mb = 512;
    size.vcores = 4;
    licence.name = (char[]){ "licence" };
    licence.amount = 1;
    size.others = others;
    size.n_others = 1;
    request.body_case = CREEL__ENVELOPE__BODY_RESIZE_CONTAINER;
    request.resize_container = &resize;
    resize.resource = &size;
    assert_non_null(
        strstr(result_of(*state, &request), "RESULT=SUCCESS\tDESCRIPTION=512 MiB, 4 vcores, 1 of licence\t"));
    resize.cancel = true;
    assert_non_null(strstr(result_of(*state, &request), "\tDESCRIPTION=cancel\t"));
    request.body_case = CREEL__ENVELOPE__BODY_SET_PRIORITY;
    request.set_priority = &priority;
    priority.priority = -3;
    assert_non_null(strstr(result_of(*state, &request), "\tDESCRIPTION=priority -3\t"));
    request.body_case = CREEL__ENVELOPE__BODY_CHANGE_APP;
    request.change_app = &change;
    change.priority = &priority;
    change.move = &move;
    move.queue = (char[]){ "dev" };
    change.name = &name;
    name.name = (char[]){ "new\tRESULT=FAILURE" };
    assert_null(strstr(result_of(*state, &request), "\tRESULT=FAILURE"));
    assert_non_null(strstr(result_of(*state, &request), "\tDESCRIPTION=queue dev, priority -3, name new"));
    request.body_case = CREEL__ENVELOPE__BODY_SET_NODE_RESOURCES;
    request.set_node_resources = &resources;
    assert_non_null(strstr(result_of(*state, &request), "\tDESCRIPTION=what the agent offers\t"));
    resources.total = &size;
    size.vcores = 1;
    assert_non_null(strstr(result_of(*state, &request), "\tDESCRIPTION=512 MiB, 1 vcore, 1 of licence\t"));
}

static void a_user_cannot_hide_the_refusals_of_another(void **state)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, reply;
    Creel__RefreshQueues refresh = CREEL__REFRESH_QUEUES__INIT;
    Creel__Error error;
    size_t lines = 0;

    request.body_case = CREEL__ENVELOPE__BODY_REFRESH_QUEUES;
    request.refresh_queues = &refresh;
    reply = refusal(&error);
    for (int i = 0; i < 1000; i++)
        lines += *line(*state, "mallory", &request, &reply) != '\0';
    assert_in_range(lines, AUDIT_REFUSALS_AT_ONCE, AUDIT_REFUSALS_AT_ONCE + 60);
    for (int i = 0; i < 5; i++)
        assert_non_null(strstr(line(*state, "bob", &request, &reply), "USER=bob\t"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_message_has_a_line_or_a_reason),
        TEST(a_request_that_only_reads_the_log_level_has_no_line),
        TEST(a_refresh_has_its_line_when_the_outcome_is_known),
        TEST(a_request_of_a_job_names_the_job),
        TEST(a_change_that_is_stored_later_is_no_failure),
        TEST(a_line_has_what_was_changed),
        TEST(a_user_cannot_hide_the_refusals_of_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
