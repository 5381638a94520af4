/* SPDX-License-Identifier: Apache-2.0 */
/* master_hosts.c - test: include and exclude lists of hosts */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_world.h"

#define NORMAL CREEL__REFRESH_KIND__REFRESH_NORMAL
#define GRACEFUL CREEL__REFRESH_KIND__REFRESH_GRACEFUL
#define CLIENT CREEL__REFRESH_KIND__REFRESH_CLIENT
#define STATE(name) CREEL__NODE_STATE__NODE_##name

static const char *no_address(void *context, struct arena *arena, const char *host)
{
    (void)context;
    (void)arena;
    return strcmp(host, "n1") == 0 ? "10.0.0.1" : NULL;
}

static void configure(struct master_config *config)
{
    config->address = no_address;
}

/* Starts one node with a running command. */
static int set_up(void **state)
{
    struct world *w;

    world_set_up_with(state, configure);
    w = *state;
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 256, 0), "", w->app, NULL);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(agent_running(&w->a), 1);
    return 0;
}

static const Creel__NodeList *list(struct world *w)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_NODES);
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;

    envelope->list_nodes = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 1000, "ann", envelope)->node_list;
}

static Creel__NodeState state_of(struct world *w)
{
    return list(w)->nodes[0]->state;
}

/* Reloads the lists, which are now INCLUDE and EXCLUDE (NULL: no hosts). */
static const Creel__Envelope *refresh(struct world *w, const char *include, const struct master_host *exclude,
                                      Creel__RefreshKind kind, int64_t timeout_ms)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_REFRESH_NODES);
    Creel__RefreshNodes body = CREEL__REFRESH_NODES__INIT;
    struct master_host included = { .name = include };
    struct master_hosts hosts = { .include = &included,
                                  .include_count = include != NULL,
                                  .exclude = exclude,
                                  .exclude_count = exclude != NULL,
                                  .timeout_ms = 60000 };
    int before = w->h.host_reloads;
    uint64_t request_id = envelope->request_id;

    body.kind = kind;
    body.timeout_given = timeout_ms >= 0;
    body.timeout_ms = timeout_ms;
    envelope->refresh_nodes = &body;
    harness_ask(&w->h, MASTER_ADMIN, 1000, "admin", envelope);
    assert_int_equal(w->h.host_reloads, before + 1);
    master_reload_hosts(w->h.master, w->h.now, &w->h.host_reload, &hosts, NULL, NULL, &w->h.effects);
    harness_run_effects(&w->h);
    return harness_find_reply(&w->h, 1000, request_id);
}

static const struct master_host n1 = { .name = "n1" };

static const char *change(const Creel__Envelope *reply, size_t at)
{
    assert_true(reply->refresh_nodes_reply->compared);
    assert_true(at < reply->refresh_nodes_reply->n_changes);
    return reply->refresh_nodes_reply->changes[at];
}

static void an_excluded_node_leaves_at_once(void **state)
{
    struct world *w = *state;
    const Creel__Envelope *reply;

    reply = refresh(w, NULL, &n1, NORMAL, -1);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_REFRESH_NODES_REPLY);
    assert_int_equal(reply->refresh_nodes_reply->excluded, 1);
    assert_int_equal(reply->refresh_nodes_reply->leaving, 1);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(w->a.containers[0].exit_status, -100);
    assert_int_equal(state_of(w), STATE(DECOMMISSIONED));
    agent_heartbeat(&w->h, &w->a);
    assert_true(w->a.shut_down);
    agent_register(&w->h, &w->a);
    assert_true(w->a.shut_down);
    reply = refresh(w, NULL, NULL, NORMAL, -1);
    assert_int_equal(reply->refresh_nodes_reply->returned, 1);
    agent_register(&w->h, &w->a);
    assert_false(w->a.shut_down);
    assert_int_equal(state_of(w), STATE(RUNNING));
}

static void gracefully_it_has_its_time(void **state)
{
    struct world *w = *state;
    const struct master_host timed = { .name = "n1:8041", .timed = true, .timeout_ms = 5000 };
    int64_t since_ms;

    since_ms = w->h.now;
    refresh(w, NULL, &n1, GRACEFUL, -1);
    assert_int_equal(state_of(w), STATE(DECOMMISSIONING));
    assert_int_equal(list(w)->nodes[0]->admin_state->deadline_ms, since_ms + 60000);
    harness_tick(&w->h, 1000);
    refresh(w, NULL, &n1, GRACEFUL, 30000);
    assert_int_equal(list(w)->nodes[0]->admin_state->deadline_ms, since_ms + 30000);
    refresh(w, NULL, &timed, GRACEFUL, 30000); /* the host's own time takes precedence */
    assert_int_equal(list(w)->nodes[0]->admin_state->deadline_ms, since_ms + 5000);
    refresh(w, NULL, &timed, CLIENT, 30000);
    assert_int_equal(list(w)->nodes[0]->admin_state->deadline_ms, 0);
    refresh(w, NULL, NULL, GRACEFUL, -1);
    assert_int_equal(state_of(w), STATE(RUNNING));
    assert_int_equal(agent_running(&w->a), 1);
}

static void restart_continues_and_reads_new_lists(void **state)
{
    struct world *w = *state;
    const struct master_hosts excluded = { .exclude = &n1, .exclude_count = 1, .timeout_ms = 60000 };
    int64_t since_ms;

    since_ms = w->h.now;
    refresh(w, NULL, &n1, GRACEFUL, -1);
    w->h.hosts = &excluded;
    harness_restart(&w->h);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(state_of(w), STATE(DECOMMISSIONING));
    assert_int_equal(list(w)->nodes[0]->admin_state->deadline_ms, since_ms + 60000);
    assert_int_equal(agent_running(&w->a), 1);
    w->h.hosts = NULL; /* removed from the include list while the RM was down */
    harness_restart(&w->h);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(state_of(w), STATE(RUNNING));
    w->h.hosts = &excluded; /* and added to the exclude list: same effect as a reload that is
                               not graceful */
    harness_restart(&w->h);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(state_of(w), STATE(DECOMMISSIONED));
    assert_true(w->a.shut_down);
}

static void host_outside_the_include_list_is_excluded_also_by_address(void **state)
{
    struct world *w = *state;
    const struct master_host address = { .name = "10.0.0.1" };
    const struct master_host unknown = { .name = "n9" };

    refresh(w, "n1", NULL, NORMAL, -1);
    assert_int_equal(state_of(w), STATE(RUNNING));
    refresh(w, "10.0.0.1", NULL, NORMAL, -1);
    assert_int_equal(state_of(w), STATE(RUNNING));
    refresh(w, "n2", NULL, GRACEFUL, -1);
    assert_int_equal(state_of(w), STATE(DECOMMISSIONING));
    assert_non_null(strstr(list(w)->nodes[0]->admin_state->reason, "include-path"));
    refresh(w, NULL, &address, GRACEFUL, -1);
    assert_int_equal(state_of(w), STATE(DECOMMISSIONING));
    refresh(w, NULL, &unknown, NORMAL, -1);
    assert_int_equal(state_of(w), STATE(RUNNING));
    assert_int_equal(list(w)->n_nodes, 2);
    assert_string_equal(list(w)->nodes[1]->node_id, "n9");
    assert_int_equal(list(w)->nodes[1]->state, STATE(DECOMMISSIONED));
}

static void each_change_is_reported_with_what_was_before(void **state)
{
    struct world *w = *state;
    const struct master_host timed = { .name = "n1", .timed = true, .timeout_ms = 5000 };
    const struct master_host untimed = { .name = "n1", .timed = true, .timeout_ms = -1 };
    const Creel__Envelope *reply;

    reply = refresh(w, NULL, NULL, NORMAL, -1);
    reply = refresh(w, NULL, NULL, NORMAL, -1);
    assert_true(reply->refresh_nodes_reply->compared);
    assert_int_equal(reply->refresh_nodes_reply->n_changes, 0);
    reply = refresh(w, NULL, &n1, GRACEFUL, -1);
    assert_int_equal(reply->refresh_nodes_reply->n_changes, 2);
    assert_string_equal(change(reply, 0), "host n1: not listed -> excluded");
    assert_string_equal(change(reply, 1), "node n1:8041: RUNNING -> DECOMMISSIONING (ends in 1m)");
    reply = refresh(w, NULL, &timed, GRACEFUL, -1);
    assert_string_equal(change(reply, 0), "host n1: excluded -> excluded (timeout 5s)");
    assert_string_equal(change(reply, 1),
                        "node n1:8041: DECOMMISSIONING (ends in 1m) -> DECOMMISSIONING (ends in 5s)");
    reply = refresh(w, "n2", &untimed, GRACEFUL, -1);
    assert_string_equal(change(reply, 0), "host n2: not listed -> included");
    assert_string_equal(change(reply, 1), "host n1: excluded (timeout 5s) -> excluded (no timeout)");
    assert_string_equal(change(reply, 2),
                        "node n1:8041: DECOMMISSIONING (ends in 5s) -> DECOMMISSIONING (no deadline)");
    reply = refresh(w, "n1", &untimed, NORMAL, -1);
    assert_string_equal(change(reply, 0),
                        "host n1: excluded (no timeout) -> included and excluded (no timeout)");
    assert_string_equal(change(reply, 1), "host n2: included -> not listed");
    assert_string_equal(change(reply, 2), "node n1:8041: DECOMMISSIONING (no deadline) -> DECOMMISSIONING "
                                          "(its containers are stopped)");
    reply = refresh(w, NULL, NULL, NORMAL, -1);
    assert_int_equal(reply->refresh_nodes_reply->n_changes, 2);
    assert_string_equal(change(reply, 1),
                        "node n1:8041: DECOMMISSIONING (its containers are stopped) -> RUNNING");
}

static void many_changes_are_counted_and_a_new_default_timeout_is_one(void **state)
{
    struct world *w = *state;
    char names[150][8];
    struct master_host hosts[150] = { { .name = NULL } };
    const struct master_hosts lists = { .exclude = hosts, .exclude_count = 150, .timeout_ms = -1 };
    struct master_hosts_result result;

    refresh(w, NULL, NULL, NORMAL, -1);
    for (size_t i = 0; i < 150; i++) {
        snprintf(names[i], sizeof(names[i]), "h%zu", i);
        hosts[i].name = names[i];
    }
    master_reload_hosts(w->h.master, w->h.now, &w->h.host_reload, &lists, NULL, &result, &w->h.effects);
    assert_int_equal(result.change_count, 100);
    assert_string_equal(result.changes[0],
                        "yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs: "
                        "\"60\" -> \"-1\"");
    assert_string_equal(result.changes[1], "host h0: not listed -> excluded");
    assert_string_equal(result.changes[99], "... and 52 more changes");
    harness_run_effects(&w->h);
}

static void lists_that_cannot_be_read_change_nothing(void **state)
{
    struct world *w = *state;
    struct err err = { .code = 22, .text = "/etc/exclude:3: nonsense" };
    const Creel__Envelope *reply;

    refresh(w, NULL, &n1, GRACEFUL, -1);
    master_reload_hosts(w->h.master, w->h.now, &w->h.host_reload, NULL, &err, NULL, &w->h.effects);
    harness_run_effects(&w->h);
    reply = harness_find_reply(&w->h, 1000, w->h.host_reload.request_id);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_BAD_CONFIG);
    assert_string_equal(reply->error->message, err.text);
    assert_int_equal(state_of(w), STATE(DECOMMISSIONING));
}

static void node_in_no_list_is_removed(void **state)
{
    struct world *w = *state;
    const struct master_host n2 = { .name = "n2" };
    const struct master_hosts other = { .include = &n2, .include_count = 1, .timeout_ms = 60000 };

    refresh(w, "n2", NULL, NORMAL, -1);
    for (int i = 0; i < 3; i++)
        agent_heartbeat(&w->h, &w->a);
    assert_int_equal(state_of(w), STATE(DECOMMISSIONED));
    harness_tick(&w->h, 15000);
    assert_int_equal(list(w)->n_nodes, 1);
    refresh(w, "n2", &n1, NORMAL, -1); /* listed again: its time starts again */
    harness_tick(&w->h, 15000);
    assert_int_equal(list(w)->n_nodes, 1);
    refresh(w, "n2", NULL, NORMAL, -1);
    harness_tick(&w->h, 15000);
    assert_int_equal(list(w)->n_nodes, 1);
    harness_tick(&w->h, 6000);
    assert_int_equal(list(w)->n_nodes, 0);
    people_show(&w->h, w->app); /* the application still refers to the node */
    w->h.hosts = &other;
    harness_restart(&w->h); /* after which the node's row is deleted, too */
    harness_tick(&w->h, 40000);
    assert_int_equal(list(w)->n_nodes, 0);
    agent_register(&w->h, &w->a);
    assert_true(w->a.shut_down);
    refresh(w, "n1", NULL, NORMAL, -1);
    agent_register(&w->h, &w->a);
    assert_int_equal(state_of(w), STATE(RUNNING));
}

static void lost_node_is_removed_only_if_it_is_in_no_list(void **state)
{
    struct world *w = *state;

    harness_tick(&w->h, 60000);
    assert_int_equal(state_of(w), STATE(LOST));
    harness_tick(&w->h, 60000); /* all hosts are included: no node is untracked */
    assert_int_equal(list(w)->n_nodes, 1);
    refresh(w, "n2", NULL, NORMAL, -1);
    harness_tick(&w->h, 10000);
    assert_int_equal(list(w)->n_nodes, 1);
    harness_tick(&w->h, 11000);
    assert_int_equal(list(w)->n_nodes, 0);
}

#define WORLD_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(an_excluded_node_leaves_at_once),
        WORLD_TEST(gracefully_it_has_its_time),
        WORLD_TEST(restart_continues_and_reads_new_lists),
        WORLD_TEST(host_outside_the_include_list_is_excluded_also_by_address),
        WORLD_TEST(each_change_is_reported_with_what_was_before),
        WORLD_TEST(many_changes_are_counted_and_a_new_default_timeout_is_one),
        WORLD_TEST(lists_that_cannot_be_read_change_nothing),
        WORLD_TEST(node_in_no_list_is_removed),
        WORLD_TEST(lost_node_is_removed_only_if_it_is_in_no_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
