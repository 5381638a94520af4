/* SPDX-License-Identifier: Apache-2.0 */
/* exposition.c - writes metrics in Prometheus' text format or in OpenMetrics */
#include "web/text/exposition.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/utf8.h"
#include "web/text/number.h"

struct exposition {
    char *text; /* owned; not terminated */
    size_t size, capacity;
    bool open_metrics;
    const char *name; /* of the current family */
};

static void put(struct exposition *exposition, const char *bytes, size_t size)
{
    if (size > exposition->capacity - exposition->size) {
        exposition->capacity = 2 * exposition->capacity + size;
        exposition->text = mem_resize(exposition->text, exposition->capacity, 1);
    }
    memcpy(exposition->text + exposition->size, bytes, size);
    exposition->size += size;
}

static void put_text(struct exposition *exposition, const char *text)
{
    put(exposition, text, strlen(text));
}

struct exposition *exposition_new(bool open_metrics)
{
    struct exposition *exposition = mem_new0(struct exposition);

    exposition->open_metrics = open_metrics;
    return exposition;
}

char *exposition_finish(struct exposition *exposition, size_t *size)
{
    char *text;

    if (exposition->open_metrics)
        put_text(exposition, "# EOF\n");
    *size = exposition->size;
    put(exposition, "", 1);
    text = exposition->text;
    free(exposition);
    return text;
}

void exposition_free(struct exposition *exposition)
{
    if (exposition == NULL)
        return;
    free(exposition->text);
    free(exposition);
}

void exposition_take(struct exposition *exposition, struct text_builder *out)
{
    text_builder_add_bytes(out, exposition->text, exposition->size);
    exposition->size = 0;
}

/* Returns the length of the family's name: OpenMetrics omits the suffix that the samples have. */
static size_t family_length(const struct exposition *exposition, const char *name, enum exposition_type type)
{
    const char *suffix = type == EXPOSITION_COUNTER ? "_total" : type == EXPOSITION_INFO ? "_info" : "";
    size_t length = strlen(name);

    if (exposition->open_metrics && text_has_suffix(name, suffix))
        length -= strlen(suffix);
    return length;
}

void exposition_family(struct exposition *exposition, const char *name, enum exposition_type type,
                       const char *help)
{
    static const char *const types[][2] = {
        [EXPOSITION_GAUGE] = { "gauge", "gauge" },
        [EXPOSITION_COUNTER] = { "counter", "counter" },
        [EXPOSITION_INFO] = { "gauge", "info" },
        [EXPOSITION_COUNTER_BESIDE] = { "counter", "unknown" },
        [EXPOSITION_HISTOGRAM] = { "histogram", "histogram" },
    };
    size_t length = family_length(exposition, name, type);

    exposition->name = name;
    put_text(exposition, "# HELP ");
    put(exposition, name, length);
    put_text(exposition, " ");
    put_text(exposition, help);
    put_text(exposition, "\n# TYPE ");
    put(exposition, name, length);
    put_text(exposition, " ");
    put_text(exposition, types[type][exposition->open_metrics ? 1 : 0]);
    put_text(exposition, "\n");
}

/* Returns the length of the bytes that need no change. */
static size_t plain_length(const unsigned char *text)
{
    size_t length = 0, next;

    while (text[length] != '\0' && strchr("\n\"\\", text[length]) == NULL &&
           (next = text[length] < 0x80 ? 1 : utf8_length(text + length)) > 0)
        length += next;
    return length;
}

static void put_value_of_label(struct exposition *exposition, const char *value)
{
    const unsigned char *at = (const unsigned char *)value;

    while (*at != '\0') {
        size_t length = plain_length(at);

        put(exposition, (const char *)at, length);
        at += length;
        if (*at == '\0')
            break;
        put_text(exposition, *at == '\n'   ? "\\n"
                             : *at == '"'  ? "\\\""
                             : *at == '\\' ? "\\\\"
                                           : "\xef\xbf\xbd");
        at++;
    }
}

static void put_number(struct exposition *exposition, double value)
{
    char text[NUMBER_TEXT_MAX];

    if (!isfinite(value)) {
        put_text(exposition, isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
        return;
    }
    number_format_double(value, text);
    put_text(exposition, text);
}

/* Writes the pairs of LABELS. Returns true if there are any: the brace is open then. */
static bool put_labels(struct exposition *exposition, va_list labels)
{
    const char *label;
    bool any = false;

    while ((label = va_arg(labels, const char *)) != NULL) {
        put_text(exposition, any ? "," : "{");
        put_text(exposition, label);
        put_text(exposition, "=\"");
        put_value_of_label(exposition, va_arg(labels, const char *));
        put_text(exposition, "\"");
        any = true;
    }
    return any;
}

void exposition_sample(struct exposition *exposition, double value, ...)
{
    va_list labels;

    put_text(exposition, exposition->name);
    va_start(labels, value);
    put_text(exposition, put_labels(exposition, labels) ? "} " : " ");
    va_end(labels);
    put_number(exposition, value);
    put_text(exposition, "\n");
}

/* OpenMetrics wants a bound to be written as a floating-point number: "1.0". */
static void put_bound(struct exposition *exposition, double bound)
{
    char text[NUMBER_TEXT_MAX];

    number_format_double(bound, text);
    put_text(exposition, text);
    if (exposition->open_metrics && strpbrk(text, ".e") == NULL)
        put_text(exposition, ".0");
}

static void put_bucket(struct exposition *exposition, const double *bound, uint64_t count, va_list labels)
{
    char number[24];

    snprintf(number, sizeof(number), "%" PRIu64, count);
    put_text(exposition, exposition->name);
    put_text(exposition, "_bucket");
    put_text(exposition, put_labels(exposition, labels) ? ",le=\"" : "{le=\"");
    if (bound != NULL)
        put_bound(exposition, *bound);
    else
        put_text(exposition, "+Inf");
    put_text(exposition, "\"} ");
    put_text(exposition, number);
    put_text(exposition, "\n");
}

static void put_part(struct exposition *exposition, const char *suffix, double value, va_list labels)
{
    put_text(exposition, exposition->name);
    put_text(exposition, "_");
    put_text(exposition, suffix);
    put_text(exposition, put_labels(exposition, labels) ? "} " : " ");
    put_number(exposition, value);
    put_text(exposition, "\n");
}

void exposition_histogram(struct exposition *exposition, const struct histogram *histogram, ...)
{
    uint64_t count = 0;
    va_list labels;

    for (size_t i = 0; i <= histogram->count; i++) {
        bool last = i == histogram->count;

        count = last ? histogram->total : count + histogram->buckets[i];
        va_start(labels, histogram);
        put_bucket(exposition, last ? NULL : &histogram->bounds[i], count, labels);
        va_end(labels);
    }
    va_start(labels, histogram);
    put_part(exposition, "sum", histogram->sum, labels);
    va_end(labels);
    va_start(labels, histogram);
    put_part(exposition, "count", (double)histogram->total, labels);
    va_end(labels);
}
