/* SPDX-License-Identifier: Apache-2.0 */
/* master_labels.c - test: node labels: nodes that change their partition while containers run */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/capacity/capacity_cluster.h"

#define PEOPLE 1000

struct world {
    struct capacity_cluster c;
    const char *labels; /* value of creel.node-labels */
    char app[80];
};

/* Configures queue default and label fast, which the queue may not use; without that label, label named,
 * which the queue may use. */
static void build(struct world *w)
{
    const char *const settings[][2] = {
        { "yarn.node-labels.enabled", "true" },
        { "creel.node-labels", w->labels },
        { "yarn.resourcemanager.node-labels.am.allow-non-exclusive-allocation", "false" },
        { "yarn.scheduler.capacity.root.queues", "default" },
        { "yarn.scheduler.capacity.root.default.capacity", "100" },
        { "yarn.scheduler.capacity.maximum-am-resource-percent", "1" },
        { "yarn.scheduler.capacity.root.default.accessible-node-labels", *w->labels ? " " : "named" },
    };

    w->c.conf = conf_of(settings, sizeof(settings) / sizeof(settings[0]));
    w->c.sched = capacity_of(w->c.conf);
}

static int setup(void **state)
{
    static struct world w;

    w = (struct world){ .labels = "fast" };
    capacity_cluster_init(&w.c);
    build(&w);
    w.c.h.config.admin_users = "admin";
    capacity_cluster_start(&w.c, NULL, 0);
    *state = &w;
    return 0;
}

static int teardown(void **state)
{
    capacity_cluster_end(&((struct world *)*state)->c);
    return 0;
}

static void submit(struct world *w)
{
    const Creel__Error *error = NULL;

    people_submit(&w->c.h, job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 0), NULL, w->app, &error);
    if (*w->app == '\0')
        fail_msg("%s", error->message);
    agent_listen(&w->c.h, &w->c.a);
    agent_heartbeat(&w->c.h, &w->c.a);
}

static const Creel__Envelope *set_label(struct world *w, const char *user, const char *label)
{
    Creel__Envelope *envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_SET_NODE_LABEL);
    Creel__SetNodeLabel body = CREEL__SET_NODE_LABEL__INIT;

    body.node = (char *)(uintptr_t) "n1";
    body.label = (char *)(uintptr_t)label;
    envelope->set_node_label = &body;
    return harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, user, envelope);
}

static const Creel__Envelope *change_labels(struct world *w, const char *user, bool remove, const char *name,
                                            bool shared)
{
    Creel__Envelope *envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_CHANGE_LABELS);
    Creel__ChangeLabels body = CREEL__CHANGE_LABELS__INIT;
    Creel__LabelSpec spec = CREEL__LABEL_SPEC__INIT, *specs[] = { &spec };

    spec.name = (char *)(uintptr_t)name;
    spec.shared = shared;
    body.remove = remove;
    body.labels = specs;
    body.n_labels = 1;
    envelope->change_labels = &body;
    return harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, user, envelope);
}

static const Creel__LabelReport *find_label(struct world *w, const char *name)
{
    Creel__Envelope *envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_LIST_LABELS);
    Creel__ListLabels body = CREEL__LIST_LABELS__INIT;
    const Creel__LabelList *list;

    envelope->list_labels = &body;
    list = harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, "ann", envelope)->label_list;
    for (size_t i = 0; i < list->n_labels; i++)
        if (strcmp(list->labels[i]->name, name) == 0)
            return list->labels[i];
    return NULL;
}

static const Creel__LabelReport *show_label(struct world *w)
{
    Creel__Envelope *envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_LIST_LABELS);
    Creel__ListLabels body = CREEL__LIST_LABELS__INIT;
    const Creel__Envelope *reply;

    envelope->list_labels = &body;
    reply = harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, "ann", envelope);
    assert_int_equal(reply->label_list->n_labels, 1);
    assert_string_equal(reply->label_list->labels[0]->name, "fast");
    return reply->label_list->labels[0];
}

static void refused(const Creel__Envelope *reply, Creel__ErrorCode code, const char *words)
{
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, code);
    if (strstr(reply->error->message, words) == NULL)
        fail_msg("%s", reply->error->message);
}

/* Restarts the RM with another value of creel.node-labels. */
static void restart(struct world *w, const char *labels)
{
    struct conf *old = w->c.conf;

    w->labels = labels;
    build(w);
    harness_restart(&w->c.h);
    conf_free(old);
    agent_register(&w->c.h, &w->c.a);
}

static void a_node_changes_its_label_while_it_runs(void **state)
{
    struct world *w = *state;
    const Creel__NodeReport *node;
    char first[80];

    submit(w);
    snprintf(first, sizeof(first), "%s", w->app);
    assert_int_equal(people_show(&w->c.h, first)->running_containers, 1);
    assert_int_equal(show_label(w)->nodes, 0);
    node = set_label(w, "admin", "fast")->node_list->nodes[0];
    assert_string_equal(node->label, "fast");
    assert_int_equal(node->containers, 1);
    assert_int_equal(node->used->memory_mb, 1024);
    assert_int_equal(show_label(w)->nodes, 1);
    assert_int_equal(show_label(w)->total->memory_mb, 4096);
    assert_int_equal(people_show(&w->c.h, first)->running_containers, 1);
    submit(w); /* no unlabelled node is left for this request */
    assert_int_equal(agent_running(&w->c.a), 1);
    agent_register(&w->c.h, &w->c.a); /* the agent does not know its label */
    assert_int_equal(show_label(w)->nodes, 1);
    assert_string_equal(set_label(w, "admin", "")->node_list->nodes[0]->label, "");
    agent_listen(&w->c.h, &w->c.a);
    assert_int_equal(agent_running(&w->c.a), 2);
    assert_int_equal(show_label(w)->nodes, 0);
}

static void containers_on_the_relabelled_node_end_normally(void **state)
{
    struct world *w = *state;

    submit(w);
    set_label(w, "admin", "fast");
    agent_exit(&w->c.a, w->c.a.containers[0].id, 0);
    agent_heartbeat(&w->c.h, &w->c.a);
    agent_heartbeat(&w->c.h, &w->c.a);
    assert_int_equal(people_show(&w->c.h, w->app)->state, CREEL__APP_STATE__APP_FINISHED);
    assert_int_equal(set_label(w, "admin", "fast")->node_list->nodes[0]->used->memory_mb, 0);
}

static void a_label_is_kept_over_restarts(void **state)
{
    struct world *w = *state;

    set_label(w, "admin", "fast");
    for (int time = 0; time < 2; time++) {
        restart(w, "fast");
        assert_int_equal(show_label(w)->nodes, time == 0);
        set_label(w, "admin", "");
    }
}

static void unauthorized_users_and_unknown_labels_are_refused(void **state)
{
    struct world *w = *state;

    refused(set_label(w, "ann", "fast"), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "yarn.admin.acl");
    refused(set_label(w, "admin", "slow"), CREEL__ERROR_CODE__ERROR_NOT_FOUND,
            "label slow: not defined; there is fast");
    assert_int_equal(show_label(w)->nodes, 0);
}

static void labels_are_added_and_removed_while_it_runs(void **state)
{
    struct world *w = *state;
    const Creel__LabelReport *label;

    change_labels(w, "admin", false, "night", true);
    label = find_label(w, "night");
    assert_non_null(label);
    assert_false(label->exclusive);
    assert_int_equal(label->source, CREEL__LABEL_SOURCE__LABEL_ADDED);
    assert_string_equal(label->by, "admin");
    assert_string_equal(set_label(w, "admin", "night")->node_list->nodes[0]->label, "night");
    for (int time = 0; time < 2; time++) {
        restart(w, "fast");
        assert_false(find_label(w, "night")->exclusive);
        assert_int_equal(find_label(w, "night")->nodes, 1);
    }
    change_labels(w, "admin", true, "night", false);
    assert_null(find_label(w, "night"));
    submit(w); /* after the removal the node has no label */
    assert_int_equal(agent_running(&w->c.a), 1);
    refused(set_label(w, "admin", "night"), CREEL__ERROR_CODE__ERROR_NOT_FOUND, "there is fast");
    restart(w, "fast");
    assert_null(find_label(w, "night"));
}

static void a_label_in_use_stays(void **state)
{
    struct world *w = *state;

    refused(change_labels(w, "admin", true, "fast", false), CREEL__ERROR_CODE__ERROR_BAD_STATE,
            "creel.node-labels names it");
    restart(w, ""); /* the queue's share names the label */
    assert_int_equal(find_label(w, "named")->source, CREEL__LABEL_SOURCE__LABEL_OF_QUEUE);
    refused(change_labels(w, "admin", true, "named", false), CREEL__ERROR_CODE__ERROR_BAD_STATE,
            "queue root.default names it in "
            "yarn.scheduler.capacity.root.default.accessible-node-labels: remove");
    change_labels(w, "admin", false, "named", true);
    assert_int_equal(find_label(w, "named")->source, CREEL__LABEL_SOURCE__LABEL_ADDED);
    assert_false(find_label(w, "named")->exclusive);
    refused(change_labels(w, "admin", false, "named", false), CREEL__ERROR_CODE__ERROR_BAD_STATE,
            "is shared; that cannot be changed");
    assert_int_equal(change_labels(w, "admin", false, "named", true)->body_case,
                     CREEL__ENVELOPE__BODY_LABEL_LIST);
    refused(change_labels(w, "admin", true, "named", false), CREEL__ERROR_CODE__ERROR_BAD_STATE,
            "queue root.default names it in "
            "yarn.scheduler.capacity.root.default.accessible-node-labels: remove");
    refused(change_labels(w, "admin", true, "slow", false), CREEL__ERROR_CODE__ERROR_NOT_FOUND,
            "label slow: not defined; there is named");
}

/* The only node lends its label, but not to application masters: no line counts it as a node with room. */
static void a_master_that_may_not_borrow_has_one_reason(void **state)
{
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;
    const Creel__AppExplanation *explanation;
    struct world *w = *state;
    Creel__Envelope *envelope;

    change_labels(w, "admin", false, "night", true);
    set_label(w, "admin", "night");
    people_submit(&w->c.h, job_of(CREEL__APP_KIND__APP_TASKS, 512, 2), "", w->app, NULL);
    agent_heartbeat(&w->c.h, &w->c.a);
    envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    body.app_id = w->app;
    envelope->explain_app = &body;
    explanation = harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, "ann", envelope)->app_explanation;
    assert_string_equal(explanation->items[0]->text,
                        "it asks for a node without a label, and all nodes have one");
    assert_string_equal(explanation->items[explanation->n_items - 1]->text,
                        "0 of 1 have room; 1 has a shared label, which application masters may not use");
}

static void configured_label_settings_apply(void **state)
{
    struct world *w = *state;

    change_labels(w, "admin", false, "night", true);
    restart(w, "fast,night(exclusive=true)");
    assert_true(find_label(w, "night")->exclusive);
    restart(w, "fast");
    assert_null(find_label(w, "night"));
}

static void labels_that_cannot_be_are_refused(void **state)
{
    struct world *w = *state;
    char name[16];

    refused(change_labels(w, "ann", false, "x", false), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
            "yarn.admin.acl");
    refused(change_labels(w, "admin", false, "a.b", false), CREEL__ERROR_CODE__ERROR_BAD_REQUEST,
            "expected letters");
    for (int i = 2; i < 32; i++) {
        snprintf(name, sizeof(name), "l%d", i);
        assert_int_equal(change_labels(w, "admin", false, name, false)->body_case,
                         CREEL__ENVELOPE__BODY_LABEL_LIST);
    }
    refused(change_labels(w, "admin", false, "more", false), CREEL__ERROR_CODE__ERROR_BAD_STATE,
            "at most 31 labels");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_node_changes_its_label_while_it_runs),
        TEST(containers_on_the_relabelled_node_end_normally),
        TEST(a_label_is_kept_over_restarts),
        TEST(unauthorized_users_and_unknown_labels_are_refused),
        TEST(labels_are_added_and_removed_while_it_runs),
        TEST(a_label_in_use_stays),
        TEST(a_master_that_may_not_borrow_has_one_reason),
        TEST(configured_label_settings_apply),
        TEST(labels_that_cannot_be_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
