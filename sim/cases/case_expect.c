/* SPDX-License-Identifier: Apache-2.0 */
/* case_expect.c - reads the expectations of conformance cases of kind scheduler */
#include <string.h>

#include "common/base/mem.h"
#include "sim/cases/case_json.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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
    [FIGURE_SIZES] = "sizes",
    [FIGURE_AM_RUNNING] = "am-running",
    [FIGURE_AVAILABLE] = "available",
    [FIGURE_RESERVED_BY] = "reserved-by",
    [FIGURE_RESOURCE] = "resource",
    [FIGURE_ACCESSIBLE] = "accessible",
    [FIGURE_KILLABLE] = "killable",
    [FIGURE_LIFETIME] = "lifetime",
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
    { FIGURE_SIZES, VALUE_RESOURCES },
    { FIGURE_AM_RUNNING, VALUE_BOOL },
    { FIGURE_KILLABLE, VALUE_WHOLE },
    { FIGURE_LIFETIME, VALUE_WHOLE },
};
static const struct expectable of_queue_labels[] = {
    { FIGURE_ACCESSIBLE, VALUE_BOOL },
    { FIGURE_USED, VALUE_RESOURCE },
    { FIGURE_PENDING, VALUE_RESOURCE },
    { FIGURE_RESERVED, VALUE_RESOURCE },
    { FIGURE_MIN_SHARE, VALUE_RESOURCE },
    { FIGURE_MAX_SHARE, VALUE_RESOURCE },
    { FIGURE_CAPACITY, VALUE_FLOAT },
    { FIGURE_ABSOLUTE_CAPACITY, VALUE_FLOAT },
    { FIGURE_ABSOLUTE_MAX_CAPACITY, VALUE_FLOAT },
    { FIGURE_ABSOLUTE_USED, VALUE_FLOAT },
    { FIGURE_USED_CAPACITY, VALUE_FLOAT },
    { FIGURE_AM_LIMIT, VALUE_RESOURCE },
    { FIGURE_AM_USED, VALUE_RESOURCE },
};
static const struct expectable of_app_labels[] = {
    { FIGURE_USED, VALUE_RESOURCE },
    { FIGURE_PENDING, VALUE_RESOURCE },
    { FIGURE_RESERVED, VALUE_RESOURCE },
};
static const struct expectable of_users[] = {
    { FIGURE_USED, VALUE_RESOURCE },
    { FIGURE_ACTIVE_APPS, VALUE_WHOLE },
    { FIGURE_PENDING_APPS, VALUE_WHOLE },
};
static const struct expectable of_nodes[] = {
    { FIGURE_USED, VALUE_RESOURCE },    { FIGURE_AVAILABLE, VALUE_RESOURCE },
    { FIGURE_CONTAINERS, VALUE_WHOLE }, { FIGURE_RESERVED_BY, VALUE_TEXT },
    { FIGURE_STATE, VALUE_TEXT },       { FIGURE_KILLABLE, VALUE_WHOLE },
};
static const struct expectable of_cluster[] = {
    { FIGURE_RESOURCE, VALUE_RESOURCE },
    { FIGURE_USED, VALUE_RESOURCE },
    { FIGURE_AVAILABLE, VALUE_RESOURCE },
};

struct expectation {
    const char *name;
    enum case_subject subject;
    int depth; /* levels of names above the figures: queues 1, users 2, cluster 0 */
    const struct expectable *figures;
    size_t count;
    const struct expectation *of_labels; /* figures by label, under the key "labels"; NULL: none */
    name_fn *check_name;                 /* NULL: no names */
};

static const struct expectation queue_labels = {
    "labels", SUBJECT_QUEUE, 0, of_queue_labels, COUNT(of_queue_labels), NULL, NULL
};
static const struct expectation app_labels = { "labels", SUBJECT_APP, 0, of_app_labels, COUNT(of_app_labels),
                                               NULL,     NULL };

static const struct expectation expectations[] = {
    { "queues", SUBJECT_QUEUE, 1, of_queues, COUNT(of_queues), &queue_labels, case_check_path },
    { "apps", SUBJECT_APP, 1, of_apps, COUNT(of_apps), &app_labels, case_check_name },
    { "users", SUBJECT_USER, 2, of_users, COUNT(of_users), NULL, case_check_name },
    { "nodes", SUBJECT_NODE, 1, of_nodes, COUNT(of_nodes), NULL, case_check_node },
    { "cluster", SUBJECT_CLUSTER, 0, of_cluster, COUNT(of_cluster), NULL, NULL },
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

static void read_amounts(struct reader *reader, const char *where, json_t *value,
                         struct case_resources *resources)
{
    json_t *item;
    size_t i;

    if (!json_is_array(value)) {
        reader_refuse(reader, value, "%s: expected a list of resources", where);
        return;
    }
    resources->count = json_array_size(value);
    resources->items = arena_array0(reader->arena, resources->count, sizeof(*resources->items));
    json_array_foreach(value, i, item) read_amount(reader, where, item, &resources->items[i]);
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
    case VALUE_RESOURCES:
        read_amounts(reader, where, value, &claim->resources);
        return;
    }
}

/* The names above the figures of one object. */
struct place {
    const char *name, *queue, *label; /* as in struct case_claim */
};

static void read_figures(struct reader *reader, const char *where, json_t *object,
                         const struct expectation *expectation, const struct place *place,
                         struct claims *claims);

/* Reads {label: {figure: value}}. */
static void read_labels(struct reader *reader, const char *where, json_t *object,
                        const struct expectation *expectation, const struct place *place,
                        struct claims *claims)
{
    struct place inner = *place;
    const char *label;
    json_t *item;

    if (!json_is_object(object)) {
        reader_refuse(reader, object, "%s: expected {label: {figure: value}}", where);
        return;
    }
    json_object_foreach(object, label, item)
    {
        if (*label == '\0') {
            reader_refuse(reader, label, "%s: \"\" is no label; figures without a label need no \"labels\"",
                          where);
            return;
        }
        case_check_label(reader, where, label, label);
        inner.label = arena_strdup(reader->arena, label);
        read_figures(reader, arena_printf(reader->arena, "%s: %s", where, label), item, expectation, &inner,
                     claims);
    }
}

static void read_figure(struct reader *reader, const char *where, const char *key, json_t *value,
                        const struct expectation *expectation, const struct place *place,
                        struct claims *claims)
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
                                  .name = place->name,
                                  .queue = place->queue,
                                  .label = place->label,
                                  .subject = expectation->subject,
                                  .figure = figure->figure,
                                  .value = figure->value };
    reader->key = key;
    read_value(reader, arena_printf(reader->arena, "%s: %s", where, key), value, claim);
}

static void read_figures(struct reader *reader, const char *where, json_t *object,
                         const struct expectation *expectation, const struct place *place,
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
        if (reader->result < 0)
            return;
        if (expectation->of_labels != NULL && strcmp(key, "labels") == 0)
            read_labels(reader, arena_printf(reader->arena, "%s: labels", where), value,
                        expectation->of_labels, place, claims);
        else
            read_figure(reader, where, key, value, expectation, place, claims);
    }
}

static void read_expectation(struct reader *reader, json_t *object, const struct expectation *expectation,
                             struct claims *claims)
{
    const char *name, *queue, *where = expectation->name;
    struct place place = { .name = NULL };
    json_t *item, *inner;

    if (expectation->depth == 0) {
        read_figures(reader, where, object, expectation, &place, claims);
        return;
    }
    if (!json_is_object(object)) {
        reader_refuse(reader, object, "%s: expected {name: …}", where);
        return;
    }
    json_object_foreach(object, name, item)
    {
        expectation->check_name(reader, expectation->name, name, name);
        place = (struct place){ .name = arena_strdup(reader->arena, name) };
        where = arena_printf(reader->arena, "%s: %s", expectation->name, name);
        if (expectation->depth == 1) {
            read_figures(reader, where, item, expectation, &place, claims);
            continue;
        }
        if (!json_is_object(item)) {
            reader_refuse(reader, name, "%s: expected {queue: {figure: value}}", where);
            return;
        }
        json_object_foreach(item, queue, inner)
        {
            case_check_path(reader, where, queue, queue);
            place.queue = arena_strdup(reader->arena, queue);
            read_figures(reader, arena_printf(reader->arena, "%s: %s", where, queue), inner, expectation,
                         &place, claims);
        }
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

void read_claims(struct reader *reader, json_t *step, struct case_step *place)
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
    if (claims.count == 0)
        reader_refuse(reader, step, "expect: compares nothing, expected at least one figure");
}
