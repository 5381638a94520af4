/* SPDX-License-Identifier: Apache-2.0 */
/* check_report.c - collects failed expectations, and creates the configuration of a case */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "sim/cases/check.h"

/* --- reports -------------------------------------------------------------------------- */

void report_append(struct report *report, const char *format, ...)
{
    va_list args;

    mem_grow(report->lines, report->count, report->capacity);
    va_start(args, format);
    report->lines[report->count++] = mem_vprintf(format, args);
    va_end(args);
}

void report_clear(struct report *report)
{
    for (size_t i = 0; i < report->count; i++)
        free(report->lines[i]);
    free(report->lines);
    *report = (struct report){ .count = 0 };
}

/* Formats the types in GIVEN: "memory-mb 1024, vcores 1". */
static char *amounts(const struct test_case *test, const struct resource *resource, uint32_t given)
{
    struct text_builder text = TEXT_BUILDER_MALLOC;

    for (int t = 0; t < test->type_count; t++) {
        if ((given & (1u << t)) == 0)
            continue;
        text_builder_printf(&text, "%s%s %" PRId64, text.length > 0 ? ", " : "", test->types[t],
                            resource->value[t]);
    }
    return text_builder_finish(&text);
}

/* Returns true if |A - B| <= TOLERANCE, without overflow. */
static bool is_near(int64_t a, int64_t b, int64_t tolerance)
{
    uint64_t distance = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;

    return distance <= (uint64_t)tolerance;
}

void report_resource(struct report *report, const struct test_case *test, const char *what,
                     const struct case_resource *wanted, const struct resource *got, int64_t tolerance)
{
    scoped_free char *expected = NULL, *actual = NULL;
    bool same = true;

    for (int t = 0; t < test->type_count; t++)
        if ((wanted->given & (1u << t)) != 0 && !is_near(wanted->amount.value[t], got->value[t], tolerance))
            same = false;
    if (same)
        return;
    expected = amounts(test, &wanted->amount, wanted->given);
    actual = amounts(test, got, wanted->given);
    report_append(report, "%s: expected %s, got %s", what, expected, actual);
}

/* --- settings -------------------------------------------------------------------------- */

const char *check_property(const struct case_properties *properties, const char *name)
{
    for (size_t i = 0; i < properties->count; i++)
        if (strcmp(properties->items[i].name, name) == 0)
            return properties->items[i].value;
    return NULL;
}

struct conf *check_conf(const struct case_properties *properties, struct report *report)
{
    struct conf *conf = conf_new_defaults();
    struct err err = { .code = 0 };

    for (size_t i = 0; i < properties->count; i++)
        if (conf_set(conf, properties->items[i].name, properties->items[i].value, &err) < 0) {
            report_append(report, "%s", err.text);
            conf_free(conf);
            return NULL;
        }
    return conf;
}
