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
    FILE *out; /* writes TEXT */
    char *text;
    size_t size;
    bool open_metrics;
    const char *name; /* of the current family */
};

struct exposition *exposition_new(bool open_metrics)
{
    struct exposition *exposition = mem_new0(struct exposition);

    exposition->open_metrics = open_metrics;
    exposition->out = open_memstream(&exposition->text, &exposition->size);
    if (exposition->out == NULL)
        abort();
    return exposition;
}

char *exposition_finish(struct exposition *exposition, size_t *size)
{
    char *text;

    if (exposition->open_metrics)
        fputs("# EOF\n", exposition->out);
    if (fclose(exposition->out) != 0)
        abort();
    text = exposition->text;
    *size = exposition->size;
    free(exposition);
    return text;
}

/* Returns the length of the family's name: OpenMetrics omits the suffix that the samples have. */
static int family_length(const struct exposition *exposition, const char *name, enum exposition_type type)
{
    const char *suffix = type == EXPOSITION_COUNTER ? "_total" : type == EXPOSITION_INFO ? "_info" : "";
    size_t length = strlen(name);

    if (exposition->open_metrics && text_has_suffix(name, suffix))
        length -= strlen(suffix);
    return (int)length;
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
    int length = family_length(exposition, name, type);

    exposition->name = name;
    fprintf(exposition->out, "# HELP %.*s %s\n# TYPE %.*s %s\n", length, name, help, length, name,
            types[type][exposition->open_metrics ? 1 : 0]);
}

static void put_value_of_label(FILE *out, const char *value)
{
    const unsigned char *at = (const unsigned char *)value;

    while (*at != '\0') {
        size_t length = utf8_length(at);

        if (length == 0)
            fputs("\xef\xbf\xbd", out);
        else if (*at == '\n')
            fputs("\\n", out);
        else if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else
            fwrite(at, 1, length, out);
        at += length > 0 ? length : 1;
    }
}

static void put_number(FILE *out, double value)
{
    char text[NUMBER_TEXT_MAX];

    if (!isfinite(value)) {
        fputs(isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf", out);
        return;
    }
    number_format_double(value, text);
    fputs(text, out);
}

/* Writes the pairs of LABELS. Returns true if there are any: the brace is open then. */
static bool put_labels(FILE *out, va_list labels)
{
    const char *label;
    bool any = false;

    while ((label = va_arg(labels, const char *)) != NULL) {
        fprintf(out, "%s%s=\"", any ? "," : "{", label);
        put_value_of_label(out, va_arg(labels, const char *));
        fputc('"', out);
        any = true;
    }
    return any;
}

void exposition_sample(struct exposition *exposition, double value, ...)
{
    FILE *out = exposition->out;
    va_list labels;

    fputs(exposition->name, out);
    va_start(labels, value);
    fputs(put_labels(out, labels) ? "} " : " ", out);
    va_end(labels);
    put_number(out, value);
    fputc('\n', out);
}

/* OpenMetrics wants a bound to be written as a floating-point number: "1.0". */
static void put_bound(const struct exposition *exposition, double bound)
{
    char text[NUMBER_TEXT_MAX];

    number_format_double(bound, text);
    fprintf(exposition->out, "%s%s", text,
            exposition->open_metrics && strpbrk(text, ".e") == NULL ? ".0" : "");
}

static void put_bucket(const struct exposition *exposition, const double *bound, uint64_t count,
                       va_list labels)
{
    FILE *out = exposition->out;

    fprintf(out, "%s_bucket", exposition->name);
    fputs(put_labels(out, labels) ? ",le=\"" : "{le=\"", out);
    if (bound != NULL)
        put_bound(exposition, *bound);
    else
        fputs("+Inf", out);
    fprintf(out, "\"} %" PRIu64 "\n", count);
}

static void put_part(const struct exposition *exposition, const char *suffix, double value, va_list labels)
{
    FILE *out = exposition->out;

    fprintf(out, "%s_%s", exposition->name, suffix);
    fputs(put_labels(out, labels) ? "} " : " ", out);
    put_number(out, value);
    fputc('\n', out);
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
