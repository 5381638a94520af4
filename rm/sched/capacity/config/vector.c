/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector.c - parses the capacities of queues (yarn-behaviour 5.1)
 *
 *   12.5                       percent of the parent
 *   3w                         weight among the siblings; -1w is none
 *   [memory=10240,vcores=12]   amounts; outside of legacy mode also 50% and 2w, by type
 */
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/config/private.h"

/* Finds the resource type NAME. "memory" and "memory-mb" are the same type. */
static int find_type(struct capacity_reading *reading, const char *name)
{
    const struct resource_types *types = &reading->config->types;
    int type = resource_types_index(types, name, strlen(name));
    char shown[PROBLEMS_SHOWN_MAX], list[RESOURCE_TYPES_MAX * (RESOURCE_TYPE_NAME_MAX + 2)] = "";
    size_t used = 0;

    if (type >= 0)
        return type;
    for (size_t i = 0; i < types->count; i++)
        used +=
            (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", types->type[i].name);
    capacity_problem(reading, "there is no resource called \"%s\", only %s", problems_show(name, shown),
                     list);
    return -1;
}

/* Splits "memory-mb = 8192" in two. Returns false, with a report, if PAIR has another form. */
static bool split_pair(struct capacity_reading *reading, char *pair, char **value)
{
    char shown[PROBLEMS_SHOWN_MAX];
    char *equals = strchr(pair, '=');

    if (equals == NULL) {
        capacity_problem(reading, "expected <resource>=<amount> instead of \"%s\"",
                         problems_show(pair, shown));
        return false;
    }
    *equals = '\0';
    *value = text_trim(equals + 1);
    text_trim(pair);
    return true;
}

static bool read_amount(struct capacity_reading *reading, int type, const char *name, const char *text,
                        int64_t *amount)
{
    char shown[PROBLEMS_SHOWN_MAX], shown_name[PROBLEMS_SHOWN_MAX];

    if (resource_types_amount(&reading->config->types, type, text, amount))
        return true;
    capacity_problem(reading, "expected a whole number of at least 0 for %s instead of \"%s\"",
                     problems_show(name, shown_name), problems_show(text, shown));
    return false;
}

/* Reads "50%" or "2w" of one type. */
static bool read_relative(struct capacity_reading *reading, char *text, double *value)
{
    size_t length = strlen(text);
    bool percent = text[length - 1] == '%';
    float most = percent ? 100.0f : CAPACITY_WEIGHT_MAX, number;
    char shown[PROBLEMS_SHOWN_MAX];
    scoped_free char *copy = mem_strndup(text, length - 1);

    if (reading->config->legacy_queue_mode) {
        capacity_problem(reading,
                         "\"%s\": percentages and weights by type are for " CAPACITY_PREFIX
                         "legacy-queue-mode.enabled false",
                         problems_show(text, shown));
        return false;
    }
    if (!capacity_parse_float(text_trim(copy), &number) || number < 0 || number > most) {
        capacity_problem(reading,
                         "expected a number from 0 to %.10g before the %c instead of "
                         "\"%s\"",
                         (double)most, percent ? '%' : 'w', problems_show(text, shown));
        return false;
    }
    *value = (double)number;
    return true;
}

static bool read_component(struct capacity_reading *reading, char *pair, struct capacity_vector *vector)
{
    char *text = NULL;
    int64_t amount;
    char last;
    int type;

    if (!split_pair(reading, pair, &text))
        return false;
    type = find_type(reading, pair);
    if (type < 0)
        return false;
    if (vector->given[type]) {
        capacity_problem(reading, "gives %s twice", reading->config->types.type[type].name);
        return false;
    }
    last = *text ? text[strlen(text) - 1] : '\0';
    vector->given[type] = true;
    vector->unit[type] = last == '%'   ? CAPACITY_UNIT_PERCENT
                         : last == 'w' ? CAPACITY_UNIT_WEIGHT
                                       : CAPACITY_UNIT_ABSOLUTE;
    if (vector->unit[type] != CAPACITY_UNIT_ABSOLUTE)
        return read_relative(reading, text, &vector->value[type]);
    if (!read_amount(reading, type, pair, text, &amount))
        return false;
    vector->value[type] = (double)amount; /* exact: below 2^53 */
    return true;
}

/* Reads a vector; TEXT begins with '['. Returns NULL, with a report, if TEXT is invalid. */
static struct capacity_vector *read_vector(struct capacity_reading *reading, const char *text)
{
    size_t length = strlen(text);
    struct capacity_vector vector = { .given = { false } };
    scoped_free char *inner = NULL;
    bool any = false;
    char *rest, *pair;

    if (text[length - 1] != ']') {
        capacity_problem(reading, "expected [<resource>=<amount>,...] with ] at its end");
        return NULL;
    }
    inner = mem_strndup(text + 1, length - 2);
    for (rest = inner; (pair = text_next_word(&rest)) != NULL; any = true)
        if (!read_component(reading, pair, &vector))
            return NULL;
    if (!any) {
        capacity_problem(reading, "expected [<resource>=<amount>,...], not nothing");
        return NULL;
    }
    return mem_dup(&vector, sizeof(vector));
}

bool capacity_read_resource(struct capacity_reading *reading, const char *text, struct resource *ret)
{
    size_t length = strlen(text);
    bool brackets = length >= 2 && text[0] == '[' && text[length - 1] == ']';
    scoped_free char *copy = brackets ? mem_strndup(text + 1, length - 2) : mem_strdup(text);
    struct resource result = *ret;
    char *rest, *pair, *value = NULL;

    for (rest = copy; (pair = text_next_word(&rest)) != NULL;) {
        int type;

        if (!split_pair(reading, pair, &value))
            return false;
        type = find_type(reading, pair);
        if (type < 0 || !read_amount(reading, type, pair, value, &result.value[type]))
            return false;
    }
    *ret = result;
    return true;
}

/* --- a share ---------------------------------------------------------------------- */

static void read_weight(struct capacity_reading *reading, const char *text, struct capacity_share *share)
{
    scoped_free char *number = mem_strndup(text, strlen(text) - 1);
    float weight;

    if (!capacity_parse_float(text_trim(number), &weight) ||
        ((weight < 0 || weight > CAPACITY_WEIGHT_MAX) && weight != -1.0f)) {
        capacity_problem(reading, "expected a weight from 0w to %.0fw", (double)CAPACITY_WEIGHT_MAX);
        return;
    }
    if (weight == -1.0f)
        return; /* the same as no weight */
    share->mode = CAPACITY_WEIGHT;
    share->configured = weight;
}

static void read_capacity(struct capacity_reading *reading, const char *text, struct capacity_share *share)
{
    size_t length = strlen(text);
    float percent;

    if (*text == '[') {
        share->minimum_vector = read_vector(reading, text);
        if (share->minimum_vector) {
            share->mode = CAPACITY_VECTOR;
            share->configured = 0;
        }
    } else if (length > 0 && text[length - 1] == 'w') {
        read_weight(reading, text, share);
    } else if (!capacity_parse_float(text, &percent) || percent < 0 || percent > 100) {
        capacity_problem(reading, "expected a percentage from 0 to 100, a weight like 3w or amounts "
                                  "like [memory=10240,vcores=12]");
    } else {
        share->mode = CAPACITY_PERCENT;
        share->configured = percent;
    }
}

void capacity_read_maximum(struct capacity_reading *reading, struct capacity_queue *queue, const char *text)
{
    struct capacity_share *share = &queue->shares[reading->label];
    float percent;

    if (text == NULL)
        return;
    if (*text == '[')
        share->maximum_vector = read_vector(reading, text);
    else if (!capacity_parse_float(text, &percent) || ((percent < 0 || percent > 100) && percent != -1.0f))
        capacity_problem(reading, "expected a percentage from 0 to 100, or amounts like "
                                  "[memory=10240,vcores=12]");
    else
        share->configured_maximum = percent == -1.0f ? 100 : percent;
}

/* As in YARN (getNonLabeledQueueCapacity), root has 100 %, whatever the file sets. */
static void read_root_capacity(struct capacity_reading *reading, const char *text,
                               struct capacity_share *share)
{
    float percent;

    share->configured = 100;
    if (text && !(capacity_parse_float(text, &percent) && percent == 100.0f))
        capacity_warning(reading, "has no effect: root is the whole cluster");
}

/* Returns true if QUEUE is root, or a key of the label being read is set for it. */
static bool is_label_configured(struct capacity_reading *reading, const struct capacity_queue *queue)
{
    static const enum capacity_key keys[] = { CAPACITY_KEY_CAPACITY, CAPACITY_KEY_MAXIMUM,
                                              CAPACITY_KEY_AM_FRACTION };

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (capacity_get(reading, queue, keys[i], reading->label))
            return true;
    return queue->parent == NULL;
}

void capacity_read_capacity(struct capacity_reading *reading, struct capacity_queue *queue, const char *text)
{
    struct capacity_share *share = &queue->shares[reading->label];
    bool first = reading->label == 0;

    /* Defaults without a label: root has all, dynamic queues have weight 1, others have nothing. With a
     * label, a queue for which no key of that label is set may use nothing (getConfiguredNodeLabels). */
    *share = (struct capacity_share){
        .configured_maximum = first || text || is_label_configured(reading, queue) ? 100 : 0,
    };
    if (first && queue->dynamic && !queue->parent->auto_create_legacy) {
        share->mode = CAPACITY_WEIGHT;
        share->configured = 1;
    }
    if (first && queue->parent == NULL)
        read_root_capacity(reading, text, share);
    else if (text)
        read_capacity(reading, text, share);
}

double capacity_share_amount(const struct capacity_share *share, size_t t, enum capacity_unit *unit)
{
    *unit = share->mode == CAPACITY_WEIGHT ? CAPACITY_UNIT_WEIGHT : CAPACITY_UNIT_PERCENT;
    if (share->mode != CAPACITY_VECTOR)
        return (double)share->configured;
    *unit = share->minimum_vector->unit[t];
    return share->minimum_vector->given[t] ? share->minimum_vector->value[t] : 0;
}

double capacity_amount_of_children(const struct capacity_queue *parent, int label, size_t t,
                                   enum capacity_unit unit)
{
    const struct capacity_queue *child;
    enum capacity_unit its_unit;
    double sum = 0;

    TAILQ_FOREACH(child, &parent->children, sibling) {
        double amount = capacity_share_amount(&child->shares[label], t, &its_unit);

        if (its_unit == unit && !child->shares[label].idle)
            sum += amount;
    }
    return sum;
}
