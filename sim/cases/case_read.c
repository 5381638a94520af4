/* SPDX-License-Identifier: Apache-2.0 */
/* case_read.c - reads a conformance case: common keys, and the kinds fair-shares and preemption */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "sim/cases/case_json.h"

#define AT(type, field) offsetof(struct type, field)

/* The keys that every case has. */
#define COMMON_FIELDS \
    { "name", read_text, AT(test_case, name), true, 0 }, { "kind", read_nothing, 0, true, 0 }, \
        { "source", read_text, AT(test_case, source), false, 0 }, \
    { \
        "note", read_text, AT(test_case, note), false, 0 \
    }

/* --- kind fair-shares ------------------------------------------------------------- */

static const struct field member_fields[] = {
    { "name", read_name, AT(case_member, name), true, 0 },
    { "weight", read_number, AT(case_member, weight), false, 0 },
    { "min", read_amount, AT(case_member, minimum), false, 0 },
    { "max", read_maximum, AT(case_member, maximum), false, 0 },
    { "active", read_flag, AT(case_member, active), false, 0 },
};

static void read_members(struct reader *reader, const char *where, json_t *value, void *place)
{
    struct case_shares *shares = &reader->test->shares;
    struct case_member initial = { .weight = 1.0, .active = true };
    void *items = NULL;

    (void)place;
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        initial.maximum.amount.value[t] = INT64_MAX;
    read_list(reader, where, value, FIELDS(member_fields), &initial, sizeof(initial), &items,
              &shares->member_count);
    shares->members = items;
}

static void read_policy(struct reader *reader, const char *where, json_t *value, void *place)
{
    const char *policy = json_string_value(value);

    if (!text_equal(policy, "fair") && !text_equal(policy, "drf"))
        reader_refuse(reader, value, "%s: expected \"fair\" or \"drf\"", where);
    else
        read_text(reader, where, value, place);
}

static const struct field shares_fields[] = {
    COMMON_FIELDS,
    { "policy", read_policy, AT(test_case, shares.policy), true, 0 },
    { "steady", read_flag, AT(test_case, shares.steady), false, 0 },
    { "total", read_amount, AT(test_case, shares.total), true, 0 },
    { "schedulables", read_members, 0, true, 0 },
    { "expect", read_nothing, 0, true, 0 },
    { "tolerance", read_whole, AT(test_case, shares.tolerance), false, 0 },
};

/* Called when the members are known, because the keys can be in any order. */
static void read_expected_shares(struct reader *reader, json_t *value)
{
    struct case_shares *shares = &reader->test->shares;
    const char *key;
    json_t *item;

    if (!json_is_object(value)) {
        reader_refuse(reader, value, "expect: expected {name: resource}");
        return;
    }
    shares->expect = arena_array0(reader->arena, json_object_size(value), sizeof(struct case_share));
    json_object_foreach(value, key, item)
    {
        struct case_share *share = &shares->expect[shares->expect_count++];

        while (share->member < shares->member_count && !text_equal(shares->members[share->member].name, key))
            share->member++;
        if (share->member == shares->member_count) {
            reader_refuse(reader, key, "expect: \"%s\" is none of the schedulables", key);
            return;
        }
        share->name = arena_strdup(reader->arena, key);
        read_amount(reader, arena_printf(reader->arena, "expect: %s", key), item, &share->share);
    }
}

static void read_shares(struct reader *reader, json_t *root)
{
    read_object(reader, "case", root, FIELDS(shares_fields), reader->test);
    if (reader->result == 0)
        read_expected_shares(reader, json_object_get(root, "expect"));
}

/* --- kind preemption --------------------------------------------------------------- */

static const struct field group_fields[] = {
    { "count", read_whole, AT(case_group, count), true, 0 },
    { "size", read_amount, AT(case_group, size), true, 0 },
    { "priority", read_whole, AT(case_group, priority), false, 0 },
    { "am", read_flag, AT(case_group, am), false, 0 },
    { "node", read_node, AT(case_group, node), false, 0 },
};

static void read_groups(struct reader *reader, const char *where, json_t *value, void *place)
{
    const struct case_group initial = { .priority = 1 };
    struct case_groups *groups = place;
    void *items = NULL;

    read_list(reader, where, value, FIELDS(group_fields), &initial, sizeof(initial), &items, &groups->count);
    groups->items = items;
}

static const struct field app_fields[] = {
    { "id", read_name, AT(case_app, id), true, 0 },
    { "user", read_name, AT(case_app, user), true, 0 },
    { "priority", read_integer, AT(case_app, priority), false, 0 },
    { "pending", read_amount, AT(case_app, pending), false, 0 },
    { "containers", read_groups, AT(case_app, containers), false, 0 },
    { "reserved", read_groups, AT(case_app, reserved), false, 0 },
};

static void read_apps(struct reader *reader, const char *where, json_t *value, void *place)
{
    struct case_queue *queue = (void *)((char *)place - AT(case_queue, apps));
    void *items = NULL;

    read_list(reader, where, value, FIELDS(app_fields), NULL, sizeof(struct case_app), &items,
              &queue->app_count);
    queue->apps = items;
}

static const struct field queue_fields[] = {
    { "path", read_path, AT(case_queue, path), true, 0 },
    { "guaranteed", read_amount, AT(case_queue, guaranteed), true, 0 },
    { "max", read_maximum, AT(case_queue, maximum), false, 0 },
    { "used", read_amount, AT(case_queue, used), false, 0 },
    { "pending", read_amount, AT(case_queue, pending), false, AT(case_queue, pending_given) },
    { "reserved", read_amount, AT(case_queue, reserved), false, 0 },
    { "priority", read_integer, AT(case_queue, priority), false, 0 },
    { "disable-preemption", read_flag, AT(case_queue, disable), false, AT(case_queue, disable_given) },
    { "max-am-percent", read_number, AT(case_queue, max_am_percent), false, 0 },
    { "user-limit-percent", read_number, AT(case_queue, user_limit_percent), false, 0 },
    { "user-limit", read_amount, AT(case_queue, user_limit), false, AT(case_queue, user_limit_given) },
    { "apps", read_apps, AT(case_queue, apps), false, AT(case_queue, apps_given) },
};

static void read_queues(struct reader *reader, const char *where, json_t *value, void *place)
{
    struct case_queue initial = { .max_am_percent = 0.1, .user_limit_percent = 100 };
    struct case_preemption *preemption = &reader->test->preemption;
    void *items = NULL;

    (void)place;
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        initial.maximum.amount.value[t] = INT64_MAX;
    read_list(reader, where, value, FIELDS(queue_fields), &initial, sizeof(initial), &items,
              &preemption->queue_count);
    preemption->queues = items;
}

static const struct field node_fields[] = {
    { "name", read_node, AT(case_node, name), true, 0 },
    { "resource", read_amount, AT(case_node, total), true, 0 },
    { "available", read_amount, AT(case_node, available), false, 0 },
};

static void read_nodes(struct reader *reader, const char *where, json_t *value, void *place)
{
    struct case_preemption *preemption = &reader->test->preemption;
    void *items = NULL;

    (void)place;
    read_list(reader, where, value, FIELDS(node_fields), NULL, sizeof(struct case_node), &items,
              &preemption->node_count);
    preemption->nodes = items;
}

static void read_on(struct reader *reader, const char *where, json_t *value, void *place)
{
    struct case_round *round = (void *)((char *)place - AT(case_round, on));
    const char *key, *node;
    json_t *item, *number;

    if (!json_is_object(value)) {
        reader_refuse(reader, value, "%s: expected {app: {node: number}}", where);
        return;
    }
    round->on = arena_array0(reader->arena, json_object_size(value), sizeof(*round->on));
    json_object_foreach(value, key, item)
    {
        struct case_node_counts *on = &round->on[round->on_count++];

        on->app = arena_strdup(reader->arena, key);
        read_counts(reader, arena_printf(reader->arena, "%s: %s", where, key), item, &on->nodes);
        json_object_foreach(item, node, number) case_check_node(reader, where, node, node);
    }
}

static void read_others(struct reader *reader, const char *where, json_t *value, void *place)
{
    if (!text_equal(json_string_value(value), "any"))
        reader_refuse(reader, value, "%s: expected \"any\"", where);
    else
        *(bool *)place = true;
}

static const struct field round_expect_fields[] = {
    { "preempt", read_counts, AT(case_round, preempt), false, 0 },
    { "kill", read_counts, AT(case_round, kill), false, 0 },
    { "preempt-at-least", read_counts, AT(case_round, at_least), false, 0 },
    { "never", read_texts, AT(case_round, never), false, 0 },
    { "preempt-on", read_on, AT(case_round, on), false, 0 },
    { "others", read_others, AT(case_round, others_any), false, 0 },
};

static void read_round_expect(struct reader *reader, const char *where, json_t *value, void *place)
{
    read_object(reader, where, value, FIELDS(round_expect_fields), place);
}

static const struct field round_fields[] = {
    { "at-ms", read_whole, AT(case_round, at_ms), true, 0 },
    { "gone", read_counts, AT(case_round, gone), false, 0 },
    { "expect", read_round_expect, 0, true, 0 },
};

static void read_rounds(struct reader *reader, const char *where, json_t *value, void *place)
{
    struct case_preemption *preemption = &reader->test->preemption;
    void *items = NULL;

    (void)place;
    read_list(reader, where, value, FIELDS(round_fields), NULL, sizeof(struct case_round), &items,
              &preemption->round_count);
    preemption->rounds = items;
    for (size_t i = 0; reader->result == 0 && i < preemption->round_count; i++) {
        json_t *item = json_array_get(value, i);

        preemption->rounds[i].line = json_line(reader->lines, item);
        if (i > 0 && preemption->rounds[i].at_ms < preemption->rounds[i - 1].at_ms)
            reader_refuse(reader, item, "%s %zu: at-ms is before that of the round before", where, i + 1);
    }
}

static const struct field preemption_fields[] = {
    COMMON_FIELDS,
    { "properties", read_properties, AT(test_case, preemption.properties), false, 0 },
    { "cluster", read_amount, AT(test_case, preemption.cluster), true, 0 },
    { "nodes", read_nodes, 0, false, 0 },
    { "queues", read_queues, 0, true, 0 },
    { "rounds", read_rounds, 0, true, 0 },
};

static bool is_parent(const char *parent, const char *path)
{
    size_t length = strlen(parent);

    return strncmp(parent, path, length) == 0 && path[length] == '.' &&
           strchr(path + length + 1, '.') == NULL;
}

/* Checks that parents precede their children, that "root" is first, and that each path occurs once. */
static void check_paths(struct reader *reader, json_t *queues)
{
    const struct case_preemption *preemption = &reader->test->preemption;

    for (size_t i = 0; i < preemption->queue_count; i++) {
        const char *path = preemption->queues[i].path;
        bool found = i == 0 && strcmp(path, "root") == 0;

        for (size_t j = 0; j < i; j++) {
            found |= is_parent(preemption->queues[j].path, path);
            if (strcmp(preemption->queues[j].path, path) == 0)
                reader_refuse(reader, json_array_get(queues, i), "queue %s: is there twice", path);
        }
        if (!found)
            reader_refuse(reader, json_array_get(queues, i),
                          "queue %s: its parent must precede it in the list, \"root\" is first", path);
    }
    if (preemption->queue_count == 0)
        reader_refuse(reader, queues, "queues: none");
}

static void read_preemption(struct reader *reader, json_t *root)
{
    read_object(reader, "case", root, FIELDS(preemption_fields), reader->test);
    if (reader->result == 0)
        check_paths(reader, json_object_get(root, "queues"));
}

/* --- all kinds ---------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum case_kind kind;
    void (*read)(struct reader *reader, json_t *root);
} kinds[] = {
    { "fair-shares", CASE_FAIR_SHARES, read_shares },
    { "preemption", CASE_PREEMPTION, read_preemption },
    { "scheduler", CASE_SCHEDULER, read_script },
};

static void read_kind(struct reader *reader, json_t *root)
{
    json_t *kind = json_object_get(root, "kind");

    if (!json_is_object(root)) {
        reader_refuse(reader, root, "expected an object");
        return;
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (text_equal(json_string_value(kind), kinds[i].name)) {
            reader->test->kind = kinds[i].kind;
            kinds[i].read(reader, root);
            return;
        }
    reader_refuse(reader, kind != NULL ? kind : root,
                  "kind: expected \"fair-shares\", \"preemption\" or \"scheduler\"");
}

static struct test_case *new_case(void)
{
    struct arena *arena = arena_new();
    struct test_case *test = arena_new0(arena, struct test_case);

    test->arena = arena;
    test->types[RESOURCE_MEMORY_MB] = "memory-mb";
    test->types[RESOURCE_VCORES] = "vcores";
    test->type_count = 2;
    return test;
}

static int fail_large(const char *name, struct err *err)
{
    return err_set(err, EINVAL, "%s: larger than %u bytes", name, CASE_BYTES_MAX);
}

int case_read(const char *name, const char *text, size_t size, struct test_case **ret, struct err *err)
{
    struct test_case *test;
    struct reader reader;
    json_error_t error;
    json_t *root;

    if (size > CASE_BYTES_MAX)
        return fail_large(name, err);
    root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        return err_set(err, EINVAL, "%s:%d:%d: %s", name, error.line, error.column, error.text);
    test = new_case();
    reader = (struct reader){ .file = name,
                              .test = test,
                              .arena = test->arena,
                              .err = err,
                              .lines = json_lines_new(text, size, root) };
    read_kind(&reader, root);
    json_lines_free(reader.lines);
    json_decref(root);
    if (reader.result < 0) {
        case_free(test);
        return reader.result;
    }
    *ret = test;
    return 0;
}

int case_read_file(const char *path, struct test_case **ret, struct err *err)
{
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    scoped_free char *text = NULL;
    size_t size = 0;
    int r = fd < 0 ? -errno : file_read(fd, CASE_BYTES_MAX, &text, &size);

    if (r == -EFBIG)
        return fail_large(path, err);
    return r < 0 ? err_set_errno(err, -r, "%s", path) : case_read(path, text, size, ret, err);
}

void case_free(struct test_case *test)
{
    if (test != NULL)
        arena_free(test->arena);
}
