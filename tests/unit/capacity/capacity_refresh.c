/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_refresh.c - test: capacity scheduler: which configurations a reload accepts */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "tests/unit/capacity/capacity_fixture.h"

/* Names the queue that is STOPPED and the queue that has apps (BUSY); NULL: none. */
struct running {
    const char *stopped, *busy;
};

static struct capacity_live live(void *context, const char *path)
{
    const struct running *running = context;

    return (struct capacity_live){ .stopped = text_equal(running->stopped, path),
                                   .has_apps = text_equal(running->busy, path) };
}

static const char base[] =
    "root.queues=a,b\nroot.a.queues=a1,a2\nroot.a.capacity=10.5\nroot.b.capacity=89.5\n"
    "root.a.a1.capacity=30\nroot.a.a2.capacity=70\n";

#define WITHOUT_A2 \
    "root.queues=a,b\nroot.a.queues=a1\nroot.a.capacity=10.5\nroot.b.capacity=89.5\n" \
    "root.a.a1.capacity=100\n"

/* Checks the reload from OLD to NEXT: must be refused with TEXT, or accepted if TEXT is NULL. */
static void follow(const char *old_lines, const char *next_lines, struct running running, const char *text)
{
    struct capacity_fixture old, next;
    struct err err = { .code = 0 };
    int result;

    capacity_good(&old, old_lines);
    capacity_good(&next, next_lines);
    result = capacity_config_accept(old.config, next.config, live, &running, &err);
    if (text == NULL && result != 0)
        fail_msg("%s\nrefused: %s", next_lines, err.text);
    if (text && (result != -EINVAL || strstr(err.text, text) == NULL))
        fail_msg("%s\n%d: %s\nexpected: %s", next_lines, result, err.text, text);
    capacity_done(&old);
    capacity_done(&next);
}

static void queues_go_only_when_stopped(void **state)
{
    (void)state;
    follow(base, base, (struct running){ 0 }, NULL);
    follow(base, WITHOUT_A2, (struct running){ 0 },
           "cs.xml:3: yarn.scheduler.capacity.root.a.queues: \"a1\": root.a.a2 is no longer there, "
           "but a2 is not STOPPED");
    follow(base, WITHOUT_A2, (struct running){ .stopped = "root.a.a2" }, NULL);
    follow(base, WITHOUT_A2 "root.a.a2.state=STOPPED\n", (struct running){ 0 }, NULL);
    follow(base, WITHOUT_A2 "root.a.a2.state=STOPPED\n", (struct running){ .busy = "root.a.a2" },
           "a2 has apps");
    follow(base, "root.queues=b\nroot.b.capacity=100\n", (struct running){ .stopped = "root.a.a2" },
           "cs.xml:2: yarn.scheduler.capacity.root.queues: \"b\": root.a is no longer there, but a is "
           "not STOPPED: first stop it and let it finish: creel queue stop root.a --drain\n"
           "cs.xml:2: yarn.scheduler."
           "capacity.root.queues: \"b\": root.a.a1 is no longer there");
    /* A queue that moves to another parent counts as deleted. */
    follow(base,
           "root.queues=a,b,a2\nroot.a.queues=a1\nroot.a.capacity=10.5\nroot.b.capacity=80\n"
           "root.a2.capacity=9.5\nroot.a.a1.capacity=100\n",
           (struct running){ 0 }, "root.a.a2 is no longer there");
}

static void a_leaf_becomes_a_parent_only_when_stopped(void **state)
{
    static const char more[] =
        "root.queues=a,b\nroot.a.queues=a1,a2\nroot.a.capacity=10.5\nroot.b.capacity=89.5\n"
        "root.a.a1.capacity=30\nroot.a.a2.capacity=70\nroot.b.queues=x\nroot.b.x.capacity=100\n";
    (void)state;

    follow(base, more, (struct running){ 0 },
           "cs.xml:8: yarn.scheduler.capacity.root.b.queues: \"x\": "
           "root.b had no queues below it until now, and is not STOPPED");
    follow(base, more, (struct running){ .stopped = "root.b" }, NULL);
    follow(more, base, (struct running){ .stopped = "root.b.x" }, NULL);
    follow(base,
           "root.queues=a,b\nroot.a.queues=a1,a2\nroot.a.capacity=10.5\nroot.b.capacity=89.5\n"
           "root.a.a1.capacity=30\nroot.a.a2.capacity=70\nroot.b.auto-create-child-queue.enabled=true\n",
           (struct running){ 0 },
           "root.b.auto-create-child-queue.enabled: \"true\": root.b had no "
           "queues below it until now");
}

static void the_maximum_of_a_container_does_not_fall(void **state)
{
    (void)state;
    follow("root.queues=a\nroot.a.capacity=100\n",
           "root.queues=a\nroot.a.capacity=100\nroot.a.maximum-allocation-mb=4096\n", (struct running){ 0 },
           "cs.xml:4: yarn.scheduler.capacity.root.a.maximum-allocation-mb: "
           "\"4096\": the maximum allocation of root.a would fall from 8192 of memory-mb to 4096");
    follow("root.queues=a\nroot.a.capacity=100\n",
           "root.queues=a\nroot.a.capacity=100\nroot.maximum-allocation=memory=8192,vcores=3\n",
           (struct running){ 0 },
           "root.maximum-allocation: \"memory=8192,vcores=3\": the maximum "
           "allocation of root would fall from 4 of vcores to 3");
    follow("root.queues=a\nroot.a.capacity=100\nroot.a.maximum-allocation-mb=4096\n",
           "root.queues=a\nroot.a.capacity=100\n", (struct running){ 0 }, NULL);
    follow("yarn.scheduler.maximum-allocation-mb=9000\n", "yarn.scheduler.maximum-allocation-mb=8000\n",
           (struct running){ 0 },
           "cs.xml:2: yarn.scheduler.maximum-allocation-mb: would fall from 9000 to 8000");
}

#define MAKING \
    "root.queues=t\nroot.t.capacity=1w\nroot.t.auto-queue-creation-v2.enabled=true\n" \
    "root.t.auto-queue-creation-v2.template.capacity="

static void dynamic_queues_are_kept(void **state)
{
    struct capacity_fixture old, next;
    struct capacity_queue *made = NULL;
    struct running running = { .busy = "root.t.x.y" };
    struct err err = { .code = 0 };
    (void)state;

    capacity_good(&old, MAKING "2w\n");
    assert_int_equal(capacity_config_create(old.config, "root.t.x.y", &made, &err), 0);
    assert_int_equal(capacity_config_create(old.config, "root.t.z", &made, &err), 0);
    capacity_good(&next, MAKING "5w\n");
    assert_int_equal(capacity_config_accept(old.config, next.config, live, &running, &err), 0);
    assert_int_equal(next.config->queue_count, old.config->queue_count);
    made = capacity_queue(&next, "root.t.z");
    assert_true(made->dynamic);
    assert_true(made->shares[0].configured == 5);
    assert_false(capacity_queue(&next, "root.t.x")->leaf);
    assert_true(capacity_queue(&next, "root.t.x.y")->leaf);
    capacity_done(&next);

    /* If its parent is deleted, an empty queue is deleted, too; a queue with apps makes the reload fail. */
    capacity_good(&next, "root.queues=u\nroot.u.capacity=1w\n");
    running.stopped = "root.t";
    assert_int_equal(capacity_config_accept(old.config, next.config, live, &running, &err), -EINVAL);
    assert_non_null(strstr(err.text, "root.t.x.y, which a submission made, has apps"));
    capacity_done(&next);
    capacity_good(&next, "root.queues=u\nroot.u.capacity=1w\n");
    running.busy = NULL;
    assert_int_equal(capacity_config_accept(old.config, next.config, live, &running, &err), 0);
    assert_int_equal(next.config->queue_count, 2);
    capacity_done(&next);
    capacity_done(&old);
}

static void labels_of_nodes_and_of_the_file_are_both_valid(void **state)
{
    struct capacity_fixture old, next;
    struct running running = { 0 };
    struct err err = { .code = 0 };
    char label[16];
    (void)state;

    capacity_good(&old, "root.queues=a\nroot.a.capacity=100\n");
    for (int i = 1; i < CAPACITY_LABELS_MAX; i++) {
        snprintf(label, sizeof(label), "node%d", i);
        assert_int_equal(capacity_config_label_add(old.config, label), i);
    }
    capacity_good(&next, "creel.node-labels=node7\nroot.queues=a\nroot.a.capacity=100\n");
    assert_int_equal(capacity_config_accept(old.config, next.config, live, &running, &err), 0);
    capacity_done(&next);
    capacity_good(&next, "creel.node-labels=node7,red\nroot.queues=a\nroot.a.capacity=100\n");
    assert_int_equal(capacity_config_accept(old.config, next.config, live, &running, &err), -EINVAL);
    assert_string_equal(err.text, "label red is one too many, with those of nodes there are at most 31");
    capacity_done(&old);
    capacity_done(&next);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_go_only_when_stopped),
        cmocka_unit_test(a_leaf_becomes_a_parent_only_when_stopped),
        cmocka_unit_test(the_maximum_of_a_container_does_not_fall),
        cmocka_unit_test(dynamic_queues_are_kept),
        cmocka_unit_test(labels_of_nodes_and_of_the_file_are_both_valid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
