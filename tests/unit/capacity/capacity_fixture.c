/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_fixture.c - fixture: a capacity scheduler configuration from a few lines of text */
#include "tests/unit/capacity/capacity_fixture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"

static void append(char **text, const char *more)
{
    char *longer = mem_printf("%s%s", *text ? *text : "", more);

    free(*text);
    *text = longer;
}

static void add_line(char **xml, const char *line, size_t length)
{
    scoped_free char *copy = mem_strndup(line, length);
    char *equals = strchr(copy, '=');
    bool whole =
        text_has_prefix(copy, "yarn.") || text_has_prefix(copy, "creel.") || text_has_prefix(copy, "mapred.");
    scoped_free char *property = NULL;

    assert_non_null(equals);
    *equals = '\0';
    property = mem_printf("<property><name>%s%s</name><value>%s</value></property>\n",
                          whole ? "" : "yarn.scheduler.capacity.", copy, equals + 1);
    append(xml, property);
}

static void note_warning(void *context, enum conf_effect effect, const char *text)
{
    struct capacity_fixture *fixture = context;

    (void)effect;
    append(&fixture->warnings, text);
    append(&fixture->warnings, "\n");
}

int capacity_try(struct capacity_fixture *fixture, const char *lines)
{
    scoped_free char *xml = mem_strdup("<configuration>\n");

    *fixture = (struct capacity_fixture){ .warnings = mem_strdup("") };
    while (*lines) {
        size_t length = strcspn(lines, "\n");

        add_line(&xml, lines, length);
        lines += length + (lines[length] == '\n');
    }
    append(&xml, "</configuration>\n");
    if (conf_load_buffer("cs.xml", xml, strlen(xml), NULL, NULL, &fixture->conf, &fixture->err) < 0)
        fail_msg("%s", fixture->err.text);
    return capacity_config_load(fixture->conf, note_warning, fixture, &fixture->config, &fixture->err);
}

void capacity_good(struct capacity_fixture *fixture, const char *lines)
{
    if (capacity_try(fixture, lines) != 0)
        fail_msg("%s\nrefused: %s", lines, fixture->err.text);
    assert_non_null(fixture->config);
}

void capacity_bad(const char *lines, const char *text)
{
    struct capacity_fixture fixture;

    if (capacity_try(&fixture, lines) == 0)
        fail_msg("%s\nloads, expected: %s", lines, text);
    assert_null(fixture.config);
    assert_int_equal(fixture.err.code, EINVAL);
    if (strstr(fixture.err.text, text) == NULL)
        fail_msg("%s\nrefused: %s\nexpected: %s", lines, fixture.err.text, text);
    capacity_done(&fixture);
}

void capacity_done(struct capacity_fixture *fixture)
{
    capacity_config_free(fixture->config);
    conf_free(fixture->conf);
    free(fixture->warnings);
}

struct capacity_queue *capacity_queue(const struct capacity_fixture *fixture, const char *path)
{
    struct capacity_queue *queue = capacity_config_find(fixture->config, path, NULL);

    if (queue == NULL)
        fail_msg("no queue %s", path);
    return queue;
}

void capacity_cluster(struct capacity_fixture *fixture, int64_t memory_mb, int64_t vcores)
{
    struct resource totals[CAPACITY_LABELS_MAX] = { { .value = { 0 } } };

    totals[0] = resource_of(memory_mb, vcores);
    capacity_config_compute(fixture->config, totals);
}

void assert_fraction(float got, double expected)
{
    if (fabs((double)got - expected) > 1e-4 * fabs(expected))
        fail_msg("%.9g, expected %.9g", (double)got, expected);
}

void assert_amount(const struct resource *got, int64_t memory_mb, int64_t vcores)
{
    assert_int_equal(got->value[RESOURCE_MEMORY_MB], memory_mb);
    assert_int_equal(got->value[RESOURCE_VCORES], vcores);
}
