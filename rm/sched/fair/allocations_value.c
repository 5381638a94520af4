/* SPDX-License-Identifier: Apache-2.0 */
/* allocations_value.c - parses the values of the elements of an allocation file */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/fair/allocations_private.h"

#define SECONDS_MAX ((int64_t)1 << 40)
#define MESSAGE_MAX 1024

/* Returns the position of NODE for messages: "fair-scheduler.xml:12: queue root.dev: weight". A NODE without
 * a name is the queue itself. The caller frees the text. */
static char *place_of(const struct fair_reading *reading, const struct xml_node *node)
{
    char queue[PROBLEMS_SHOWN_MAX], name[PROBLEMS_SHOWN_MAX];

    if (reading->queue == NULL)
        return mem_printf("%s:%zu: %s", reading->file, node->line, problems_show(node->name, name));
    problems_show(reading->queue->path, queue);
    if (node->name == NULL)
        return mem_printf("%s:%zu: queue %s", reading->file, node->line, queue);
    return mem_printf("%s:%zu: queue %s: %s", reading->file, node->line, queue,
                      problems_show(node->name, name));
}

/* Returns the message with the position of NODE. The caller frees it. */
static __attribute__((format(printf, 3, 0))) char *
describe(const struct fair_reading *reading, const struct xml_node *node, const char *format, va_list args)
{
    scoped_free char *place = place_of(reading, node);
    char message[MESSAGE_MAX];

    vsnprintf(message, sizeof(message), format, args);
    return mem_printf("%s: %s", place, message);
}

void fair_problem(struct fair_reading *reading, const struct xml_node *node, const char *format, ...)
{
    scoped_free char *text = NULL;
    va_list args;

    va_start(args, format);
    text = describe(reading, node, format, args);
    va_end(args);
    problem_error(&reading->problems, EINVAL, "%s", text);
}

void fair_warning(struct fair_reading *reading, const struct xml_node *node, const char *format, ...)
{
    scoped_free char *text = NULL;
    va_list args;

    va_start(args, format);
    text = describe(reading, node, format, args);
    va_end(args);
    problem_warn(&reading->problems, "%s", text);
}

static void expected(struct fair_reading *reading, const struct xml_node *node, const char *what)
{
    scoped_free char *copy = mem_strdup(node->text);
    char shown[PROBLEMS_SHOWN_MAX];

    fair_problem(reading, node, "\"%s\": expected %s", problems_show(text_trim(copy), shown), what);
}

static bool parse_number(const struct xml_node *node, double *number)
{
    scoped_free char *copy = mem_strdup(node->text);

    return text_parse_double(text_trim(copy), number);
}

static bool parse_whole(const struct xml_node *node, int64_t *number)
{
    scoped_free char *copy = mem_strdup(node->text);

    return text_parse_int64(text_trim(copy), number);
}

void fair_read_count(struct fair_reading *reading, const struct xml_node *node, int64_t *count)
{
    int64_t number;

    if (parse_whole(node, &number) && number >= 0 && number <= INT32_MAX)
        *count = number == INT32_MAX ? FAIR_NO_LIMIT : number;
    else
        expected(reading, node, "a whole number from 0");
}

void fair_read_share(struct fair_reading *reading, const struct xml_node *node, float *share)
{
    double number;

    if (parse_number(node, &number) && (number >= 0 || (float)number == -1.0f))
        *share = number > 1 ? 1.0f : (float)number;
    else
        expected(reading, node, "a number from 0 to 1, or -1 for no limit");
}

void fair_read_weight(struct fair_reading *reading, const struct xml_node *node, float *weight)
{
    double number;

    if (parse_number(node, &number) && number >= 0 && number <= 1e30)
        *weight = (float)number;
    else
        expected(reading, node, "a number from 0");
}

void fair_read_threshold(struct fair_reading *reading, const struct xml_node *node, float *threshold)
{
    double number;

    if (!parse_number(node, &number)) {
        expected(reading, node, "a number from 0 to 1");
        return;
    }
    if (number < 0 || number > 1)
        fair_warning(reading, node, "%g is not between 0 and 1: taken for %d", number, number > 1);
    *threshold = number < 0 ? 0.0f : number > 1 ? 1.0f : (float)number;
}

void fair_read_seconds(struct fair_reading *reading, const struct xml_node *node, int64_t *ms)
{
    int64_t number;

    if (!parse_whole(node, &number)) {
        expected(reading, node, "a whole number of seconds");
        return;
    }
    /* YARN accepts a negative value: the queue is then starved at once. */
    if (number < 0)
        fair_warning(reading, node, "%lld seconds are taken for 0", (long long)number);
    *ms = number < 0 ? 0 : number > SECONDS_MAX ? FAIR_NEVER_MS : number * 1000;
}

void fair_read_bool(struct fair_reading *reading, const struct xml_node *node, bool *value)
{
    scoped_free char *copy = mem_strdup(node->text);
    const char *text = text_trim(copy);
    char shown[PROBLEMS_SHOWN_MAX];

    *value = strcasecmp(text, "true") == 0;
    if (!*value && strcasecmp(text, "false") != 0)
        fair_warning(reading, node, "\"%s\" is neither true nor false: counts as false",
                     problems_show(text, shown));
}

void fair_read_policy(struct fair_reading *reading, const struct xml_node *node, enum fair_policy *policy)
{
    static const struct {
        const char *name, *class;
    } names[] = {
        [FAIR_POLICY_FAIR] = { "fair", "FairSharePolicy" },
        [FAIR_POLICY_DRF] = { "drf", "DominantResourceFairnessPolicy" },
        [FAIR_POLICY_FIFO] = { "fifo", "FifoPolicy" },
    };
    scoped_free char *copy = mem_strdup(node->text);
    const char *text = text_trim(copy), *last = strrchr(text, '.');

    for (int p = FAIR_POLICY_FAIR; p <= FAIR_POLICY_FIFO; p++) {
        if (strcasecmp(text, names[p].name) == 0 || text_equal(last ? last + 1 : text, names[p].class)) {
            *policy = (enum fair_policy)p;
            return;
        }
    }
    expected(reading, node, "fair, drf or fifo");
}

static bool read_amount(struct fair_reading *reading, const struct xml_node *node, int64_t missing,
                        struct fair_amount *amount)
{
    scoped_free char *rest = NULL;
    char shown[PROBLEMS_SHOWN_MAX];
    struct err err;

    if (fair_amount_parse(&reading->options->types, node->text, missing, amount, &rest, &err) < 0) {
        scoped_free char *copy = mem_strdup(node->text);

        fair_problem(reading, node, "\"%s\": %s", problems_show(text_trim(copy), shown), err.text);
        return false;
    }
    if (rest)
        fair_warning(reading, node, "\"%s\" is ignored", problems_show(rest, shown));
    return true;
}

void fair_read_maximum(struct fair_reading *reading, const struct xml_node *node, struct fair_amount *amount)
{
    struct fair_amount found;

    if (read_amount(reading, node, FAIR_UNBOUNDED, &found))
        *amount = found;
}

void fair_read_absolute(struct fair_reading *reading, const struct xml_node *node, int64_t missing,
                        struct resource *amount)
{
    struct fair_amount found;

    if (!read_amount(reading, node, missing, &found))
        return;
    if (found.relative)
        fair_warning(reading, node, "a percentage has no effect here: give amounts");
    else
        *amount = found.value;
}

void fair_read_acl(struct fair_reading *reading, const struct xml_node *node, struct acl **acl)
{
    scoped_free char *copy = mem_strdup(node->text);
    size_t blanks = strspn(node->text, " \t\r\n");
    /* A blank before the groups matters; line breaks before the text do not. */
    bool groups_only = blanks > 0 && memchr(node->text, '\n', blanks) == NULL;
    scoped_free char *list = mem_printf("%s%s", groups_only ? " " : "", text_trim(copy));

    acl_free(*acl);
    *acl = acl_new(list);
    if (acl_complaint(*acl))
        fair_warning(reading, node, "%s: %s", acl_text(*acl), acl_complaint(*acl));
}
