/* SPDX-License-Identifier: Apache-2.0 */
/* case_steps.c - reads conformance cases of kind scheduler: settings and steps */
#include <assert.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "sim/cases/case_json.h"

#define AT(type, field) offsetof(struct type, field)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- the fields of steps ---------------------------------------------------------------- */

/* Reads the refusal that a case expects: true, or a text that its message contains. */
static void read_refusal(struct reader *reader, const char *where, json_t *value, bool *refused,
                         const char **text)
{
    if (json_is_string(value))
        read_text(reader, where, value, text);
    else if (!json_is_true(value))
        reader_refuse(reader, value, "%s: expected true or a text", where);
    *refused = true;
}

static void read_error(struct reader *reader, const char *where, json_t *value, void *place)
{
    struct case_step *step = (void *)((char *)place - AT(case_step, refused));

    read_refusal(reader, where, value, &step->refused, &step->refusal);
}

/* Reads the size of a node or of a request. */
static void read_size(struct reader *reader, const char *where, json_t *value, void *place)
{
    const struct case_resource *size = place;

    read_amount(reader, where, value, place);
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        if (size->amount.value[t] < 0)
            reader_refuse(reader, value, "%s: expected amounts of at least 0", where);
}

static const struct field request_fields[] = {
    { "priority", read_whole, AT(case_request, priority), false, 0 },
    { "count", read_whole, AT(case_request, count), true, 0 },
    { "resource", read_size, AT(case_request, resource), true, 0 },
    { "where", read_where, AT(case_request, where), false, 0 },
    { "relax", read_flag, AT(case_request, relax), false, 0 },
    { "label", read_label, AT(case_request, label), false, 0 },
};

static void read_requests(struct reader *reader, const char *where, json_t *value, void *place)
{
    const struct case_request initial = { .priority = 1, .where = "*", .relax = true };
    struct case_step *step = (void *)((char *)place - AT(case_step, requests));
    void *items = NULL;

    read_list(reader, where, value, FIELDS(request_fields), &initial, sizeof(initial), &items,
              &step->request_count);
    step->requests = items;
}

#define STEP(name, read, field, required) \
    { \
        name, read, AT(case_step, field), required, 0 \
    }
#define EVERY_STEP { "op", read_nothing, 0, true, 0 }, STEP("error", read_error, refused, false)
#define NODE STEP("node", read_node, node, true)
#define APP STEP("app", read_name, app, true)
/* The queue of a step is any text: the scheduler judges it, as in YARN. */
#define QUEUE STEP("queue", read_text, queue, true)

static const struct field add_node[] = { EVERY_STEP, NODE, STEP("rack", read_rack, rack, false),
                                         STEP("resource", read_size, resource, true),
                                         STEP("label", read_label, label, false) };
static const struct field one_node[] = { EVERY_STEP, NODE };
static const struct field set_label[] = { EVERY_STEP, NODE, STEP("label", read_label, label, true) };
static const struct field update_node[] = { EVERY_STEP, NODE, STEP("resource", read_size, resource, true) };
static const struct field submit[] = { EVERY_STEP,
                                       APP,
                                       STEP("user", read_name, user, true),
                                       STEP("queue", read_text, queue, false),
                                       { "priority", read_integer, AT(case_step, priority), false,
                                         AT(case_step, priority_given) },
                                       { "am", read_size, AT(case_step, am), false, AT(case_step, am_given) },
                                       STEP("label", read_label, label, false),
                                       STEP("lifetime", read_whole, lifetime, false) };
static const struct field ask[] = { EVERY_STEP, APP, STEP("requests", read_requests, requests, true) };
static const struct field release[] = { EVERY_STEP, APP, STEP("count", read_whole, count, false),
                                        STEP("node", read_node, node, false) };
static const struct field resize[] = { EVERY_STEP, APP, STEP("node", read_node, node, false),
                                       STEP("index", read_whole, index, false),
                                       STEP("resource", read_size, resource, true) };
static const struct field blacklist[] = { EVERY_STEP, APP, STEP("add", read_places, add, false),
                                          STEP("remove", read_places, remove, false) };
static const struct field heartbeat[] = { EVERY_STEP, STEP("node", read_node_or_all, node, false),
                                          STEP("nodes", read_node_list, nodes, false),
                                          STEP("times", read_whole, times, false) };
static const struct field advance[] = { EVERY_STEP, STEP("ms", read_whole, ms, true) };
static const struct field nothing_more[] = { EVERY_STEP };
static const struct field one_app[] = { EVERY_STEP, APP };
static const struct field move[] = { EVERY_STEP, APP, QUEUE };
static const struct field set_priority[] = { EVERY_STEP, APP,
                                             STEP("priority", read_integer, priority, true) };
static const struct field refresh[] = { EVERY_STEP, STEP("capacity", read_properties, capacity, false),
                                        STEP("fair", read_text, fair, false) };
static const struct field one_queue[] = { EVERY_STEP, QUEUE };
static const struct field expect[] = {
    { "op", read_nothing, 0, true, 0 },       STEP("tolerance", read_whole, tolerance, false),
    { "queues", read_nothing, 0, false, 0 },  { "apps", read_nothing, 0, false, 0 },
    { "users", read_nothing, 0, false, 0 },   { "nodes", read_nothing, 0, false, 0 },
    { "cluster", read_nothing, 0, false, 0 }, { "preempted", read_nothing, 0, false, 0 },
    { "killed", read_nothing, 0, false, 0 }
};

static const struct {
    const char *name;
    const struct field *fields;
    size_t count;
} ops[CASE_OPS] = {
    [OP_ADD_NODE] = { "add-node", FIELDS(add_node) },
    [OP_REMOVE_NODE] = { "remove-node", FIELDS(one_node) },
    [OP_UPDATE_NODE] = { "update-node", FIELDS(update_node) },
    [OP_DRAIN_NODE] = { "drain-node", FIELDS(one_node) },
    [OP_RESUME_NODE] = { "resume-node", FIELDS(one_node) },
    [OP_SET_LABEL] = { "set-label", FIELDS(set_label) },
    [OP_SUBMIT] = { "submit", FIELDS(submit) },
    [OP_ASK] = { "ask", FIELDS(ask) },
    [OP_RELEASE] = { "release", FIELDS(release) },
    [OP_BLACKLIST] = { "blacklist", FIELDS(blacklist) },
    [OP_HEARTBEAT] = { "heartbeat", FIELDS(heartbeat) },
    [OP_ADVANCE] = { "advance", FIELDS(advance) },
    [OP_UPDATE] = { "update", FIELDS(nothing_more) },
    [OP_PREEMPT] = { "preempt", FIELDS(nothing_more) },
    [OP_COMPLETE] = { "complete", FIELDS(release) },
    [OP_RESIZE] = { "resize", FIELDS(resize) },
    [OP_FINISH] = { "finish", FIELDS(one_app) },
    [OP_KILL_APP] = { "kill-app", FIELDS(one_app) },
    [OP_MOVE] = { "move", FIELDS(move) },
    [OP_SET_PRIORITY] = { "set-priority", FIELDS(set_priority) },
    [OP_REFRESH] = { "refresh", FIELDS(refresh) },
    [OP_STOP_QUEUE] = { "stop-queue", FIELDS(one_queue) },
    [OP_START_QUEUE] = { "start-queue", FIELDS(one_queue) },
    [OP_EXPECT] = { "expect", FIELDS(expect) },
};

const char *case_op_name(enum case_op op)
{
    return ops[op].name;
}

/* --- steps ------------------------------------------------------------------------------ */

/* Refuses settings of another scheduler than that of the case. */
static void check_settings(struct reader *reader, const char *where, json_t *object)
{
    static const char *const names[] = { "capacity", "fair" };

    for (size_t i = 0; i < COUNT(names); i++)
        if (json_object_get(object, names[i]) && !text_equal(reader->test->script.scheduler, names[i]))
            reader_refuse(reader, json_object_get(object, names[i]),
                          "%s: %s: these settings are for another scheduler than %s", where, names[i],
                          reader->test->script.scheduler);
}

static void check_step(struct reader *reader, const char *where, json_t *object, const struct case_step *step)
{
    if (step->op == OP_REFRESH)
        check_settings(reader, where, object);
    if (step->op == OP_HEARTBEAT && (step->node != NULL) == (step->nodes.count > 0))
        reader_refuse(reader, object, "%s: expected either \"node\" or \"nodes\"", where);
    if (step->op == OP_SUBMIT && step->lifetime > CASE_LIFETIME_MAX)
        reader_refuse(reader, object, "%s: lifetime: at most %d", where, CASE_LIFETIME_MAX);
    if (step->op == OP_REFRESH && step->fair == NULL && json_object_get(object, "capacity") == NULL)
        reader_refuse(reader, object, "%s: expected \"capacity\" or \"fair\"", where);
}

static void read_step(struct reader *reader, const char *where, json_t *object, struct case_step *step)
{
    const char *name = json_string_value(json_object_get(object, "op"));
    int op = 0;

    if (reader->result < 0)
        return;
    if (name == NULL) {
        reader_refuse(reader, object, "%s: expected an object with an \"op\"", where);
        return;
    }
    while (op < CASE_OPS && strcmp(ops[op].name, name) != 0)
        op++;
    if (op == CASE_OPS) {
        reader_refuse(reader, json_object_get(object, "op"), "%s: unknown op \"%s\"", where, name);
        return;
    }
    *step = (struct case_step){
        .line = json_line(reader->lines, object), .op = (enum case_op)op, .count = 1, .times = 1
    };
    where = arena_printf(reader->arena, "%s (%s)", where, name);
    read_object(reader, where, object, ops[op].fields, ops[op].count, step);
    check_step(reader, where, object, step);
    if (op == OP_EXPECT && reader->result == 0)
        read_claims(reader, object, step);
}

static void read_steps(struct reader *reader, json_t *list)
{
    struct case_script *script = &reader->test->script;
    json_t *item;
    size_t i;

    if (!json_is_array(list)) {
        reader_refuse(reader, list, "steps: expected a list");
        return;
    }
    script->step_count = json_array_size(list);
    script->steps = arena_array0(reader->arena, script->step_count, sizeof(struct case_step));
    json_array_foreach(list, i, item)
        read_step(reader, arena_printf(reader->arena, "step %zu", i + 1), item, &script->steps[i]);
}

static void read_load_error(struct reader *reader, const char *where, json_t *value, void *place)
{
    struct case_script *script = &reader->test->script;

    (void)place;
    read_refusal(reader, where, value, &script->load_refused, &script->load_refusal);
}

static void read_scheduler(struct reader *reader, const char *where, json_t *value, void *place)
{
    const char *name = json_string_value(value);

    if (!text_equal(name, "capacity") && !text_equal(name, "fair") && !text_equal(name, "fifo"))
        reader_refuse(reader, value, "%s: expected \"capacity\", \"fair\" or \"fifo\"", where);
    else
        read_text(reader, where, value, place);
}

static const struct field script_fields[] = {
    { "name", read_text, AT(test_case, name), true, 0 },
    { "kind", read_nothing, 0, true, 0 },
    { "source", read_text, AT(test_case, source), false, 0 },
    { "note", read_text, AT(test_case, note), false, 0 },
    { "scheduler", read_scheduler, AT(test_case, script.scheduler), true, 0 },
    { "site", read_properties, AT(test_case, script.site), false, 0 },
    { "capacity", read_properties, AT(test_case, script.capacity), false, 0 },
    { "fair", read_text, AT(test_case, script.fair), false, 0 },
    { "load-error", read_load_error, 0, false, 0 },
    { "steps", read_nothing, 0, true, 0 },
};

/* Adds the types that the settings declare, so that they precede types that only steps name. */
static void declare_types(struct reader *reader)
{
    const struct case_properties *site = &reader->test->script.site;

    for (size_t i = 0; i < site->count; i++) {
        char *name, *rest;

        if (strcmp(site->items[i].name, "yarn.resource-types") != 0)
            continue;
        rest = arena_strdup(reader->arena, site->items[i].value);
        while ((name = text_next_word(&rest)) != NULL) {
            if (strcmp(name, "memory-mb") != 0 && strcmp(name, "vcores") != 0 &&
                reader->test->type_count < RESOURCE_TYPES_MAX)
                reader->test->types[reader->test->type_count++] = name;
        }
    }
}

void read_script(struct reader *reader, json_t *root)
{
    read_object(reader, "case", root, FIELDS(script_fields), reader->test);
    if (reader->result < 0)
        return;
    declare_types(reader);
    check_settings(reader, "case", root);
    read_steps(reader, json_object_get(root, "steps"));
    if (reader->test->script.load_refused && reader->test->script.step_count > 0)
        reader_refuse(reader, json_object_get(root, "steps"),
                      "steps: expected none, since load-error expects that the settings are refused");
}
