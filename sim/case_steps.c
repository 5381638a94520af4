/* SPDX-License-Identifier: Apache-2.0 */
/* case_steps.c - reads conformance cases of kind scheduler: steps and their expectations */
#include <assert.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "sim/case_json.h"

#define AT(type, field) offsetof(struct type, field)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- expectations -------------------------------------------------------------------- */

static const char *const figure_names[CASE_FIGURES] = {
    [FIGURE_EXISTS] = "exists",
    [FIGURE_STATE] = "state",
    [FIGURE_USED] = "used",
    [FIGURE_PENDING] = "pending",
    [FIGURE_DEMAND] = "demand",
    [FIGURE_RESERVED] = "reserved",
    [FIGURE_FAIR_SHARE] = "fair-share",
    [FIGURE_STEADY_FAIR_SHARE] = "steady-fair-share",
    [FIGURE_MIN_SHARE] = "min-share",
    [FIGURE_MAX_SHARE] = "max-share",
    [FIGURE_CAPACITY] = "capacity",
    [FIGURE_ABSOLUTE_CAPACITY] = "absolute-capacity",
    [FIGURE_ABSOLUTE_MAX_CAPACITY] = "absolute-max-capacity",
    [FIGURE_ABSOLUTE_USED] = "absolute-used",
    [FIGURE_USED_CAPACITY] = "used-capacity",
    [FIGURE_MAX_APPS] = "max-apps",
    [FIGURE_MAX_APPS_PER_USER] = "max-apps-per-user",
    [FIGURE_AM_LIMIT] = "am-limit",
    [FIGURE_AM_USED] = "am-used",
    [FIGURE_USER_LIMIT] = "user-limit",
    [FIGURE_ACTIVE_APPS] = "active-apps",
    [FIGURE_PENDING_APPS] = "pending-apps",
    [FIGURE_RUNNING_CONTAINERS] = "running-containers",
    [FIGURE_ORDER] = "order",
    [FIGURE_QUEUE] = "queue",
    [FIGURE_CONTAINERS] = "containers",
    [FIGURE_RESERVED_CONTAINERS] = "reserved-containers",
    [FIGURE_HEADROOM] = "headroom",
    [FIGURE_ON] = "on",
    [FIGURE_AM_RUNNING] = "am-running",
    [FIGURE_AVAILABLE] = "available",
    [FIGURE_RESERVED_BY] = "reserved-by",
    [FIGURE_RESOURCE] = "resource",
    [FIGURE_COUNT] = "count",
};

const char *case_figure_name(enum case_figure figure)
{
    return figure_names[figure];
}

struct expectable {
    enum case_figure figure;
    enum case_value value;
};

static const struct expectable of_queues[] = {
    { FIGURE_EXISTS, VALUE_BOOL },
    { FIGURE_STATE, VALUE_TEXT },
    { FIGURE_USED, VALUE_RESOURCE },
    { FIGURE_PENDING, VALUE_RESOURCE },
    { FIGURE_DEMAND, VALUE_RESOURCE },
    { FIGURE_RESERVED, VALUE_RESOURCE },
    { FIGURE_FAIR_SHARE, VALUE_RESOURCE },
    { FIGURE_STEADY_FAIR_SHARE, VALUE_RESOURCE },
    { FIGURE_MIN_SHARE, VALUE_RESOURCE },
    { FIGURE_MAX_SHARE, VALUE_RESOURCE },
    { FIGURE_CAPACITY, VALUE_FLOAT },
    { FIGURE_ABSOLUTE_CAPACITY, VALUE_FLOAT },
    { FIGURE_ABSOLUTE_MAX_CAPACITY, VALUE_FLOAT },
    { FIGURE_ABSOLUTE_USED, VALUE_FLOAT },
    { FIGURE_USED_CAPACITY, VALUE_FLOAT },
    { FIGURE_MAX_APPS, VALUE_WHOLE },
    { FIGURE_MAX_APPS_PER_USER, VALUE_WHOLE },
    { FIGURE_AM_LIMIT, VALUE_RESOURCE },
    { FIGURE_AM_USED, VALUE_RESOURCE },
    { FIGURE_USER_LIMIT, VALUE_RESOURCE },
    { FIGURE_ACTIVE_APPS, VALUE_WHOLE },
    { FIGURE_PENDING_APPS, VALUE_WHOLE },
    { FIGURE_RUNNING_CONTAINERS, VALUE_WHOLE },
    { FIGURE_ORDER, VALUE_TEXTS },
};
static const struct expectable of_apps[] = {
    { FIGURE_STATE, VALUE_TEXT },
    { FIGURE_QUEUE, VALUE_TEXT },
    { FIGURE_CONTAINERS, VALUE_WHOLE },
    { FIGURE_USED, VALUE_RESOURCE },
    { FIGURE_PENDING, VALUE_RESOURCE },
    { FIGURE_RESERVED, VALUE_RESOURCE },
    { FIGURE_RESERVED_CONTAINERS, VALUE_WHOLE },
    { FIGURE_HEADROOM, VALUE_RESOURCE },
    { FIGURE_FAIR_SHARE, VALUE_RESOURCE },
    { FIGURE_ON, VALUE_COUNTS },
    { FIGURE_AM_RUNNING, VALUE_BOOL },
};
static const struct expectable of_users[] = {
    { FIGURE_USED, VALUE_RESOURCE },
    { FIGURE_ACTIVE_APPS, VALUE_WHOLE },
    { FIGURE_PENDING_APPS, VALUE_WHOLE },
};
static const struct expectable of_nodes[] = {
    { FIGURE_USED, VALUE_RESOURCE },    { FIGURE_AVAILABLE, VALUE_RESOURCE },
    { FIGURE_CONTAINERS, VALUE_WHOLE }, { FIGURE_RESERVED_BY, VALUE_TEXT },
    { FIGURE_STATE, VALUE_TEXT },
};
static const struct expectable of_cluster[] = {
    { FIGURE_RESOURCE, VALUE_RESOURCE },
    { FIGURE_USED, VALUE_RESOURCE },
    { FIGURE_AVAILABLE, VALUE_RESOURCE },
};

static const struct expectation {
    const char *name;
    enum case_subject subject;
    int depth; /* levels of names above the figures: queues 1, users 2, cluster 0 */
    const struct expectable *figures;
    size_t count;
} expectations[] = {
    { "queues", SUBJECT_QUEUE, 1, of_queues, COUNT(of_queues) },
    { "apps", SUBJECT_APP, 1, of_apps, COUNT(of_apps) },
    { "users", SUBJECT_USER, 2, of_users, COUNT(of_users) },
    { "nodes", SUBJECT_NODE, 1, of_nodes, COUNT(of_nodes) },
    { "cluster", SUBJECT_CLUSTER, 0, of_cluster, COUNT(of_cluster) },
};

/* A growing list of claims; each is copied, its texts are in the arena. */
struct claims {
    struct case_claim *items;
    size_t count, capacity;
};

static const struct expectable *find_figure(const struct expectation *expectation, const char *name)
{
    for (size_t i = 0; i < expectation->count; i++)
        if (strcmp(figure_names[expectation->figures[i].figure], name) == 0)
            return &expectation->figures[i];
    return NULL;
}

static void read_value(struct reader *reader, const char *where, json_t *value, struct case_claim *claim)
{
    switch (claim->value) {
    case VALUE_BOOL:
        read_flag(reader, where, value, &claim->truth);
        return;
    case VALUE_WHOLE:
        read_integer(reader, where, value, &claim->whole);
        return;
    case VALUE_FLOAT:
        read_number(reader, where, value, &claim->real);
        return;
    case VALUE_TEXT:
        if (claim->figure != FIGURE_RESERVED_BY || !json_is_null(value))
            read_text(reader, where, value, &claim->text);
        return;
    case VALUE_RESOURCE:
        read_amount(reader, where, value, &claim->resource);
        return;
    case VALUE_TEXTS:
        read_texts(reader, where, value, &claim->texts);
        return;
    case VALUE_COUNTS:
        read_counts(reader, where, value, &claim->counts);
        return;
    }
}

static void read_figures(struct reader *reader, const char *where, json_t *object,
                         const struct expectation *expectation, const char *name, const char *queue,
                         struct claims *claims)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object)) {
        reader_refuse(reader, object, "%s: expected {figure: value}", where);
        return;
    }
    json_object_foreach(object, key, value)
    {
        const struct expectable *figure = find_figure(expectation, key);
        struct case_claim *claim;

        if (figure == NULL) {
            reader_refuse(reader, key, "%s: unknown figure \"%s\"", where, key);
            return;
        }
        mem_grow(claims->items, claims->count, claims->capacity);
        claim = &claims->items[claims->count++];
        *claim = (struct case_claim){ .line = json_line(reader->lines, key),
                                      .name = name,
                                      .queue = queue,
                                      .subject = expectation->subject,
                                      .figure = figure->figure,
                                      .value = figure->value };
        reader->key = key;
        read_value(reader, arena_printf(reader->arena, "%s: %s", where, key), value, claim);
    }
}

static void read_expectation(struct reader *reader, json_t *object, const struct expectation *expectation,
                             struct claims *claims)
{
    const char *name, *queue, *where = expectation->name;
    json_t *item, *inner;

    if (expectation->depth == 0) {
        read_figures(reader, where, object, expectation, NULL, NULL, claims);
        return;
    }
    if (!json_is_object(object)) {
        reader_refuse(reader, object, "%s: expected {name: …}", where);
        return;
    }
    json_object_foreach(object, name, item)
    {
        const char *kept = arena_strdup(reader->arena, name);

        where = arena_printf(reader->arena, "%s: %s", expectation->name, name);
        if (expectation->depth == 1) {
            read_figures(reader, where, item, expectation, kept, NULL, claims);
            continue;
        }
        if (!json_is_object(item)) {
            reader_refuse(reader, name, "%s: expected {queue: {figure: value}}", where);
            return;
        }
        json_object_foreach(item, queue, inner)
            read_figures(reader, arena_printf(reader->arena, "%s: %s", where, queue), inner, expectation,
                         kept, arena_strdup(reader->arena, queue), claims);
    }
}

static void read_events(struct reader *reader, json_t *object, const char *where, enum case_subject subject,
                        struct claims *claims)
{
    struct case_counts counts = { 0 };
    int line = json_line(reader->lines, object);

    if (object == NULL)
        return;
    read_counts(reader, where, object, &counts);
    for (size_t i = 0; i < counts.count; i++) {
        mem_grow(claims->items, claims->count, claims->capacity);
        claims->items[claims->count++] = (struct case_claim){ .line = line,
                                                              .subject = subject,
                                                              .name = counts.items[i].name,
                                                              .figure = FIGURE_COUNT,
                                                              .value = VALUE_WHOLE,
                                                              .whole = counts.items[i].count };
    }
}

static void read_claims(struct reader *reader, json_t *step, struct case_step *place)
{
    struct claims claims = { 0 };

    for (size_t i = 0; i < COUNT(expectations); i++) {
        json_t *object = json_object_get(step, expectations[i].name);

        if (object != NULL)
            read_expectation(reader, object, &expectations[i], &claims);
    }
    read_events(reader, json_object_get(step, "preempted"), "preempted", SUBJECT_PREEMPTED, &claims);
    read_events(reader, json_object_get(step, "killed"), "killed", SUBJECT_KILLED, &claims);
    place->claim_count = claims.count;
    place->claims = arena_array0(reader->arena, claims.count, sizeof(struct case_claim));
    if (claims.count > 0)
        memcpy(place->claims, claims.items, claims.count * sizeof(struct case_claim));
    free(claims.items);
}

/* --- the fields of steps ---------------------------------------------------------------- */

/* Reads "error": true, or a text. */
static void read_error(struct reader *reader, const char *where, json_t *value, void *place)
{
    struct case_step *step = (void *)((char *)place - AT(case_step, refused));

    if (json_is_string(value)) {
        read_text(reader, where, value, &step->refusal);
        step->refused = true;
    } else {
        read_flag(reader, where, value, &step->refused);
    }
}

static const struct field request_fields[] = {
    { "priority", read_whole, AT(case_request, priority), false, 0 },
    { "count", read_whole, AT(case_request, count), true, 0 },
    { "resource", read_amount, AT(case_request, resource), true, 0 },
    { "where", read_text, AT(case_request, where), false, 0 },
    { "relax", read_flag, AT(case_request, relax), false, 0 },
    { "label", read_text, AT(case_request, label), false, 0 },
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
#define NODE STEP("node", read_text, node, true)
#define APP STEP("app", read_text, app, true)
#define QUEUE STEP("queue", read_text, queue, true)

static const struct field add_node[] = { EVERY_STEP, NODE, STEP("rack", read_text, rack, false),
                                         STEP("resource", read_amount, resource, true),
                                         STEP("label", read_text, label, false) };
static const struct field one_node[] = { EVERY_STEP, NODE };
static const struct field update_node[] = { EVERY_STEP, NODE, STEP("resource", read_amount, resource, true) };
static const struct field submit[] = {
    EVERY_STEP,
    APP,
    STEP("user", read_text, user, true),
    STEP("queue", read_text, queue, false),
    { "priority", read_integer, AT(case_step, priority), false, AT(case_step, priority_given) },
    { "am", read_amount, AT(case_step, am), false, AT(case_step, am_given) },
    STEP("label", read_text, label, false)
};
static const struct field ask[] = { EVERY_STEP, APP, STEP("requests", read_requests, requests, true) };
static const struct field release[] = { EVERY_STEP, APP, STEP("count", read_whole, count, false),
                                        STEP("node", read_text, node, false) };
static const struct field blacklist[] = { EVERY_STEP, APP, STEP("add", read_texts, add, false),
                                          STEP("remove", read_texts, remove, false) };
static const struct field heartbeat[] = { EVERY_STEP, STEP("node", read_text, node, false),
                                          STEP("nodes", read_texts, nodes, false),
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
static const struct field expect[] = { EVERY_STEP,
                                       STEP("tolerance", read_whole, tolerance, false),
                                       { "queues", read_nothing, 0, false, 0 },
                                       { "apps", read_nothing, 0, false, 0 },
                                       { "users", read_nothing, 0, false, 0 },
                                       { "nodes", read_nothing, 0, false, 0 },
                                       { "cluster", read_nothing, 0, false, 0 },
                                       { "preempted", read_nothing, 0, false, 0 },
                                       { "killed", read_nothing, 0, false, 0 } };

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
    [OP_SUBMIT] = { "submit", FIELDS(submit) },
    [OP_ASK] = { "ask", FIELDS(ask) },
    [OP_RELEASE] = { "release", FIELDS(release) },
    [OP_BLACKLIST] = { "blacklist", FIELDS(blacklist) },
    [OP_HEARTBEAT] = { "heartbeat", FIELDS(heartbeat) },
    [OP_ADVANCE] = { "advance", FIELDS(advance) },
    [OP_UPDATE] = { "update", FIELDS(nothing_more) },
    [OP_PREEMPT] = { "preempt", FIELDS(nothing_more) },
    [OP_COMPLETE] = { "complete", FIELDS(release) },
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

static void check_step(struct reader *reader, const char *where, json_t *object, const struct case_step *step)
{
    if (step->op == OP_HEARTBEAT && (step->node != NULL) == (step->nodes.count > 0))
        reader_refuse(reader, object, "%s: expected either \"node\" or \"nodes\"", where);
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
    if (json_is_string(value)) {
        read_text(reader, where, value, &script->load_refusal);
        script->load_refused = true;
    } else {
        read_flag(reader, where, value, &script->load_refused);
    }
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
    read_steps(reader, json_object_get(root, "steps"));
}
