/* SPDX-License-Identifier: Apache-2.0 */
/* fair_rules.c - test: the fair scheduler's placement rules */
#include <errno.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rm/sched/fair/placement.h"

/* KIND: p or l for a parent or leaf of the file, P or L for one created by a submission. */
struct queue {
    const char *path;
    char kind;
};

static enum fair_queue_kind kind_of(void *context, const char *path, bool configured)
{
    for (const struct queue *queue = context; queue->path; queue++) {
        if (strcmp(queue->path, path) != 0 || (configured && strchr("PL", queue->kind)))
            continue;
        return strchr("pP", queue->kind) ? FAIR_QUEUE_PARENT : FAIR_QUEUE_LEAF;
    }
    return FAIR_QUEUE_NONE;
}

static enum fair_queue_kind configured(void *context, const char *path)
{
    return kind_of(context, path, true);
}

static enum fair_queue_kind existing(void *context, const char *path)
{
    return kind_of(context, path, false);
}

static struct queue tree[] = {
    { "root", 'p' },
    { "root.default", 'l' },
    { "root.a", 'l' },
    { "root.users", 'p' },
    { "root.users.alice", 'l' },
    { "root.staff", 'p' },
    { "root.ops", 'l' },
    { "root.users.ops", 'l' },
    { "root.made", 'L' },
    { "root.madeparent", 'P' },
    { NULL, 0 },
};

/* Builds rules from "nestedUserQueue;>primaryGroup,create=false;default,queue=root.x": a rule with ">" is
 * nested in the previous rule. Returns 0, or -errno with ERR filled and no policy. */
static int build(const char *text, struct fair_placement **ret, struct err *err)
{
    struct fair_placement *placement = fair_placement_new();
    struct fair_rule *outer = NULL;
    char copy[500], *rest = copy;
    int r = 0, line = 1;

    snprintf(copy, sizeof(copy), "%s", text);
    for (char *word; r == 0 && (word = strsep(&rest, ";")) != NULL; line++) {
        char *name = strsep(&word, ","), *create = NULL, *queue = NULL, where[40];
        struct fair_rule *rule;
        bool inner = *name == '>';

        for (char *part; (part = strsep(&word, ",")) != NULL;) {
            if (strncmp(part, "create=", 7) == 0)
                create = part + 7;
            else
                queue = part + 6;
        }
        snprintf(where, sizeof(where), "fair-scheduler.xml:%d", line);
        r = fair_placement_add(placement, inner ? outer : NULL,
                               &(struct fair_rule_spec){ name + inner, create, queue, where }, &rule, err);
        if (r == 0 && !inner)
            outer = rule;
    }
    if (r == 0)
        r = fair_placement_finish(placement, err);
    if (r == 0)
        *ret = placement;
    else
        fair_placement_free(placement);
    return r;
}

static const char *place_by(const struct fair_placement *placement, const char *user, const char *groups,
                            const char *queue)
{
    static char text[5000];
    const struct fair_queue_view view = { tree, configured, existing };
    const char *list[8];
    struct placement_request request = { .person = { .user = user, .groups = list }, .queue = queue };
    struct placement_result result = { .queue = NULL };
    char names[100], *rest = names;
    struct err err;

    snprintf(names, sizeof(names), "%s", groups);
    for (char *group; (group = strsep(&rest, ",")) != NULL;)
        if (*group)
            list[request.person.group_count++] = group;
    if (fair_placement_decide(placement, &view, &request, NULL, NULL, &result, &err) < 0) {
        assert_null(result.queue);
        snprintf(text, sizeof(text), "%s", err.text);
        return text;
    }
    snprintf(text, sizeof(text), "%s%s", result.queue, result.create ? " (created)" : "");
    placement_result_clear(&result);
    return text;
}

static const char *place(const char *policy, const char *user, const char *groups, const char *queue)
{
    struct fair_placement *placement;
    struct err err;
    const char *text;

    if (build(policy, &placement, &err) < 0)
        fail_msg("%s: %s", policy, err.text);
    text = place_by(placement, user, groups, queue);
    fair_placement_free(placement);
    return text;
}

static void test_rules(void **state)
{
    static const struct {
        const char *policy, *user, *groups, *queue, *where;
    } cases[] = {
        { "specified;user", "bob", "", "a", "root.a" },
        { "specified;user", "bob", "", "root.a", "root.a" },
        { "specified;user", "bob", "", "new.queue", "root.new.queue (created)" },
        { "specified;user", "bob", "", NULL, "root.bob (created)" },
        { "specified;user", "bob", "", "", "root.bob (created)" },
        { "specified;user", "bob", "", "default", "root.bob (created)" },
        { "specified;user", "bob", "", "root.default", "root.default" },
        { "specified;user", "root", "", NULL, "root.root (created)" },
        { "specified;user", "first.last", "", NULL, "root.first_dot_last (created)" },
        { "specified,create=false;default", "bob", "", "new", "root.default" },
        { "specified,create=FALSE;default", "bob", "", "a", "root.a" },
        /* A queue created by a submission does not count as configured. */
        { "specified,create=false;default", "bob", "", "made", "root.default" },
        { "specified;default", "bob", "", "made", "root.made" },
        { "user,create=false;default", "a", "", NULL, "root.a" },
        { "user,create=false;default", "b", "", NULL, "root.default" },
        { "primaryGroup", "bob", "g.h,ops", NULL, "root.g_dot_h (created)" },
        { "primaryGroup,create=false;default", "bob", "ops", NULL, "root.ops" },
        { "primaryGroup,create=false;default", "bob", "staf", NULL, "root.default" },
        { "secondaryGroupExistingQueue;default", "bob", "y,x,a", NULL, "root.a" },
        { "secondaryGroupExistingQueue;default", "bob", "y,x", NULL, "root.default" },
        { "secondaryGroupExistingQueue;default", "bob", "ops,a", NULL, "root.ops" }, /* the primary
                                                                                        group */
        { "default,queue=other", "bob", "", "a", "root.other (created)" },
        { "default,queue=root.users.alice", "bob", "", NULL, "root.users.alice" },
        { "default,queue=", "bob", "", NULL, "root.default" },
        { "specified;reject", "bob", "", "a", "root.a" },
        /* Nested rules. */
        { "nestedUserQueue;>primaryGroup", "bob", "staff", NULL, "root.staff.bob (created)" },
        { "nestedUserQueue;>primaryGroup", "bob", "new", NULL, "root.new.bob (created)" },
        { "nestedUserQueue;>primaryGroup,create=false;default", "b", "staff", NULL,
          "root.staff.b (created)" },
        { "nestedUserQueue;>primaryGroup,create=false;default", "b", "new", NULL, "root.default" },
        { "nestedUserQueue,create=false;>primaryGroup;default", "b", "staff", NULL, "root.default" },
        { "nestedUserQueue;>specified,create=false;default", "alice", "", "users", "root.users.alice" },
        { "nestedUserQueue;>specified,create=false;default", "b", "", "users", "root.users.b (created)" },
        /* The parent found is a leaf: the next rule applies. */
        { "nestedUserQueue;>specified;default", "alice", "", "a", "root.default" },
        { "nestedUserQueue;>specified;default", "alice", "", "made", "root.default" },
        { "nestedUserQueue;>default,queue=a;default", "bob", "", NULL, "root.default" },
        { "nestedUserQueue;>secondaryGroupExistingQueue;default", "x", "a,ops,staff", NULL,
          "root.default" }, /* root.a is a leaf */
        { "nestedUserQueue;>secondaryGroupExistingQueue;default", "x", "y,staff,ops", NULL,
          "root.staff.x (created)" },
        { "user;>default,queue=users", "alice", "", NULL, "root.users.alice" },
        { "secondaryGroupExistingQueue;>default,queue=users;default", "x", "a,a,ops", NULL,
          "root.users.ops" },
        { "nestedUserQueue;>primaryGroup;>default,queue=users", "alice", "staff", NULL,
          "root.users.alice" }, /* the second nested rule counts */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(place(cases[i].policy, cases[i].user, cases[i].groups, cases[i].queue),
                            cases[i].where);
}

static void test_submissions_refused(void **state)
{
    static const struct {
        const char *policy, *user, *queue, *text;
    } cases[] = {
        { "specified;reject", "bob", NULL, "rejected by the placement rule reject (fair-scheduler.xml:2)" },
        { "specified;default", "bob", ".a", "queue \".a\": cannot be the name of one" },
        { "specified;default", "bob", "a.", "cannot be the name of one" },
        { "specified;default", "bob", "a ", "cannot be the name of one" },
        { "specified;default", "bob", "x..y", "cannot be the name of one" },
        { "specified;default", "bob", "users",
          "rule 1, specified (fair-scheduler.xml:1): queue "
          "root.users: not a leaf queue" },
        { "specified;default", "bob", "root", "queue root: not a leaf queue" },
        { "specified;default", "bob", "madeparent", "not a leaf queue" },
        { "specified;default", "bob", "a.b.c", "queue root.a.b.c: cannot be made: root.a is a leaf" },
        { "user", "users", NULL, "root.users: not a leaf queue" },
        { "nestedUserQueue;>default,queue=a", "bob", NULL, "no placement rule accepts it" },
        { "primaryGroup,create=false;default", "bob", NULL,
          "rule primaryGroup (fair-scheduler.xml:1): user bob has no group" },
        { "secondaryGroupExistingQueue;default", "bob", NULL, "user bob has no group" },
        { "nestedUserQueue;>primaryGroup,create=false;default", "bob", NULL, "user bob has no group" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *text = place(cases[i].policy, cases[i].user, "", cases[i].queue);

        if (strstr(text, cases[i].text) == NULL)
            fail_msg("\"%s\" is not in: %s", cases[i].text, text);
    }
}

static void test_policies_refused(void **state)
{
    static const struct {
        const char *policy, *text;
    } cases[] = {
        { "specified;user,create=false", "fair-scheduler.xml:2: rule user: is the last one and may pass on" },
        { "specified", "may pass on" },
        { "secondaryGroupExistingQueue", "may pass on" },
        { "secondaryGroupExistingQueue;default,queue=x,create=false", "rule default: is the last one" },
        { "nestedUserQueue;>primaryGroup,create=false", "rule nestedUserQueue: is the last one" },
        { "nestedUserQueue,create=false;>primaryGroup", "rule nestedUserQueue: is the last one" },
        { "default;specified;reject",
          "fair-scheduler.xml:2: rule specified: is never reached: rule default" },
        { "user;default", "rule default: is never reached: rule user (fair-scheduler.xml:1)" },
        { "reject;reject", "is never reached" },
        { "nestedUserQueue;default", "rule nestedUserQueue: needs a rule inside" },
        { "nestedUserQueue;>unknownRule", "fair-scheduler.xml:2: rule \"unknownRule\": not known" },
        { "Specified;default", "rule \"Specified\": not known" },
        { "", "the attribute name is missing" },
        { "nestedUserQueue;>reject", "rule reject: cannot be inside another" },
        { "nestedUserQueue;>nestedUserQueue", "cannot be inside another" },
        { "nestedUserQueue;>user", "is of the same kind as the rule around it" },
        { "specified;>default", "the rule specified around it has none inside" },
        { "default;>specified", "the rule default around it has none inside" },
        { "default,queue=a..b", "queue \"a..b\": a part of this path is empty" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fair_placement *placement;
        struct err err;

        if (build(cases[i].policy, &placement, &err) == 0)
            fail_msg("%s: was taken", cases[i].policy);
        if (strstr(err.text, cases[i].text) == NULL)
            fail_msg("\"%s\" is not in: %s", cases[i].text, err.text);
    }
}

static void test_no_rules(void **state)
{
    struct fair_placement *placement = fair_placement_new();
    struct err err;

    (void)state;
    assert_int_equal(fair_placement_finish(placement, &err), -EINVAL);
    assert_string_equal(err.text, "queuePlacementPolicy: has no rule");
    fair_placement_free(placement);
}

static void test_rule_inside_an_inner_one(void **state)
{
    static const struct fair_rule_spec specs[] = {
        { .name = "nestedUserQueue", .where = "f:1" },
        { .name = "primaryGroup", .where = "f:2" },
        { .name = "default", .where = "f:3" },
    };
    struct fair_placement *placement = fair_placement_new();
    struct fair_rule *outer, *inner;
    struct err err;

    (void)state;
    assert_int_equal(fair_placement_add(placement, NULL, &specs[0], &outer, &err), 0);
    assert_int_equal(fair_placement_add(placement, outer, &specs[1], &inner, &err), 0);
    assert_int_equal(fair_placement_add(placement, inner, &specs[2], NULL, &err), -EINVAL);
    assert_string_equal(err.text, "f:3: rule default: a rule that is inside another has none inside "
                                  "itself");
    fair_placement_free(placement);
}

/* Without rules in the file. */
static void test_defaults(void **state)
{
    static const struct {
        bool user, undeclared;
        const char *queue, *where;
    } cases[] = {
        { true, true, NULL, "root.bob (created)" },
        { true, true, "new", "root.new (created)" },
        { true, false, NULL, "root.default" },
        { true, false, "new", "root.default" },
        { true, false, "a", "root.a" },
        { false, true, NULL, "root.default" },
        { false, true, "new", "root.new (created)" },
        { false, false, "new", "root.default" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fair_placement *placement = fair_placement_default(cases[i].user, cases[i].undeclared);

        assert_string_equal(place_by(placement, "bob", "", cases[i].queue), cases[i].where);
        fair_placement_free(placement);
    }
}

static void append_trace(void *context, int rule, const char *text, const char *outcome)
{
    char *kept = context;
    size_t used = strlen(kept);

    snprintf(kept + used, 1000 - used, "%d %s: %s\n", rule, text, outcome);
}

static void test_explained(void **state)
{
    const struct fair_queue_view view = { tree, configured, existing };
    const struct placement_request request = { .person = { .user = "bob" } };
    struct fair_placement *placement;
    struct placement_result result;
    char trace[1000] = "";

    (void)state;
    assert_int_equal(build("specified,create=false;nestedUserQueue;>default,queue=users", &placement, NULL),
                     0);
    assert_int_equal(fair_placement_decide(placement, &view, &request, append_trace, trace, &result, NULL),
                     0);
    assert_string_equal(trace, "1 specified, create=false (fair-scheduler.xml:1): passes on\n"
                               "2 nestedUserQueue in default (fair-scheduler.xml:2): root.users.bob\n");
    assert_int_equal(result.rule, 2);
    assert_string_equal(result.why, "nestedUserQueue in default (fair-scheduler.xml:2)");
    placement_result_clear(&result);
    fair_placement_free(placement);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_submissions_refused),
        cmocka_unit_test(test_policies_refused),
        cmocka_unit_test(test_no_rules),
        cmocka_unit_test(test_rule_inside_an_inner_one),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_explained),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
