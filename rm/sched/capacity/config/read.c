/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - looks up values of keys, reads numbers and booleans, and reports problems */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/config/private.h"

#define KEY_SHOWN_MAX 300

/* --- keys ------------------------------------------------------------------------ */

/* Looks up KEY and makes it reading->key. The reading takes ownership of KEY. */
static const char *find_key(struct capacity_reading *reading, char *key)
{
    free(reading->key);
    reading->key = key;
    return conf_raw(reading->conf, key);
}

static const char *find_at(struct capacity_reading *reading, const char *path, const char *template,
                           const char *prefix, const char *name)
{
    return find_key(reading,
                    mem_printf(CAPACITY_PREFIX "%s%s%s%s%s", path, *path ? "." : "", template, prefix, name));
}

/* Looks up a key in the templates for the children of PARENT: first at the parent's own path, then at that
 * path with "*" as the last component, as the last two, and so on. */
static const char *find_in_templates(struct capacity_reading *reading, const struct capacity_queue *queue,
                                     const char *prefix, const char *name)
{
    const char *parent = queue->parent->path;
    const char *kind =
        capacity_keys[queue->leaf ? CAPACITY_KEY_LEAF_TEMPLATE : CAPACITY_KEY_PARENT_TEMPLATE].name;
    const char *every = capacity_keys[CAPACITY_KEY_TEMPLATE].name, *value = NULL;
    char stars[2 * CAPACITY_DEPTH_MAX + 1] = "";
    size_t length = strlen(parent), levels = 0;

    if (queue->parent->auto_create_legacy)
        return find_at(reading, parent, capacity_keys[CAPACITY_KEY_MANAGED_TEMPLATE].name, prefix, name);
    while (length > 0 && value == NULL) {
        scoped_free char *path = mem_printf("%.*s%s", (int)length, parent, stars);

        value = find_at(reading, path, kind, prefix, name);
        if (value == NULL)
            value = find_at(reading, path, every, prefix, name);
        while (length > 0 && parent[--length] != '.')
            continue;
        memcpy(stars + 2 * levels++, ".*", sizeof(".*"));
    }
    return value;
}

const char *capacity_get_named(struct capacity_reading *reading, const struct capacity_queue *queue,
                               const char *prefix, const char *name)
{
    const char *path = queue ? queue->path : "";
    const char *value = find_at(reading, path, "", prefix, name);

    if (value || queue == NULL || !queue->dynamic)
        return value;
    value = find_in_templates(reading, queue, prefix, name);
    if (value == NULL)
        find_at(reading, path, "", prefix, name); /* messages show the key of the queue itself */
    return value;
}

const char *capacity_get(struct capacity_reading *reading, const struct capacity_queue *queue,
                         enum capacity_key key, int label)
{
    const struct capacity_key_info *row = &capacity_keys[key];
    scoped_free char *prefix = NULL;

    if (row->scope == CAPACITY_SITE)
        return find_key(reading, mem_strdup(row->name));
    if (label > 0)
        prefix = mem_printf(CAPACITY_LABEL_PREFIX "%s.", reading->config->labels[label]);
    return capacity_get_named(reading, queue, prefix ? prefix : "", row->name);
}

const char *capacity_get_weight(struct capacity_reading *reading, const struct capacity_queue *queue,
                                const char *user)
{
    scoped_free char *name = mem_printf(CAPACITY_USER_PREFIX "%s.weight", user);

    return capacity_get_named(reading, queue, "", name);
}

struct capacity_reading *capacity_at(struct capacity_reading *reading, const struct capacity_queue *queue,
                                     enum capacity_key key, int label)
{
    capacity_get(reading, queue, key, label);
    return reading;
}

/* --- messages ---------------------------------------------------------------------- */

/* Returns "<file>:<line>: <key>", or only the key. The caller frees it. Long keys are shown in full, unless
 * they contain unprintable bytes. */
static char *subject(const struct capacity_reading *reading)
{
    char origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];
    const char *key = reading->key;
    bool plain = strlen(key) < KEY_SHOWN_MAX;

    for (const char *c = key; plain && *c; c++)
        plain = (unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7f;
    if (!plain)
        key = problems_show(key, shown);
    conf_origin(reading->conf, reading->key, origin, sizeof(origin));
    if (strchr(origin, ':') == NULL)
        return mem_strdup(key);
    return mem_printf("%s: %s", origin, key);
}

/* Returns "<file>:<line>: <key>: <value>: " and the text. The caller frees it. */
static __attribute__((format(printf, 2, 0))) char *message(const struct capacity_reading *reading,
                                                           const char *format, va_list args)
{
    scoped_free char *whose = subject(reading);
    const char *value = conf_raw(reading->conf, reading->key);
    char shown[PROBLEMS_SHOWN_MAX];
    scoped_free char *quoted = value ? mem_printf("\"%s\": ", problems_show(value, shown)) : mem_strdup("");
    scoped_free char *text = mem_vprintf(format, args);

    return mem_printf("%s: %s%s", whose, quoted, text);
}

static __attribute__((format(printf, 3, 0))) void
remark(struct capacity_reading *reading, enum conf_effect effect, const char *format, va_list args)
{
    scoped_free char *text = message(reading, format, args);

    if (!reading->quiet)
        problem_note(&reading->problems, effect, "%s", text);
}

void capacity_problem(struct capacity_reading *reading, const char *format, ...)
{
    scoped_free char *text = NULL;
    va_list args;

    va_start(args, format);
    text = message(reading, format, args);
    va_end(args);
    if (!reading->quiet)
        problem_error(&reading->problems, EINVAL, "%s", text);
}

void capacity_warning(struct capacity_reading *reading, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    remark(reading, CONF_WARNING, format, args);
    va_end(args);
}

void capacity_note(struct capacity_reading *reading, enum conf_effect effect, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    remark(reading, effect, format, args);
    va_end(args);
}

/* --- numbers and booleans -------------------------------------------------------------- */

bool capacity_parse_float(const char *text, float *value)
{
    size_t length = strlen(text);
    scoped_free char *copy = mem_strdup(text);
    double number;

    if (length > 1 && strchr("fFdD", text[length - 1]))
        copy[length - 1] = '\0';
    if (!text_parse_double(copy, &number) || number > 1e30 || number < -1e30)
        return false;
    *value = (float)number;
    return true;
}

static bool read_float(struct capacity_reading *reading, const struct capacity_key_info *row,
                       const char *text, float *member)
{
    bool or_minus_one = row->type == CAPACITY_TYPE_FACTOR;
    float number, least = (float)row->minimum, most = (float)row->maximum;

    if (capacity_parse_float(text, &number) &&
        ((number >= least && number <= most) || (or_minus_one && number == -1.0f))) {
        *member = number;
        return true;
    }
    capacity_problem(reading, "expected a number from %.10g to %.10g%s", (double)least, (double)most,
                     or_minus_one ? ", or -1" : "");
    return false;
}

static bool read_bool(struct capacity_reading *reading, const char *text, bool *member)
{
    if (strcasecmp(text, "true") != 0 && strcasecmp(text, "false") != 0) {
        capacity_warning(reading, "expected true or false, so it is %s", *member ? "true" : "false");
        return false;
    }
    *member = strcasecmp(text, "true") == 0;
    return true;
}

static bool read_int(struct capacity_reading *reading, const struct capacity_key_info *row, const char *text,
                     void *member)
{
    bool seconds = row->type == CAPACITY_TYPE_SECONDS, time = seconds || row->type == CAPACITY_TYPE_MS;
    int64_t number;

    if ((time ? text_parse_duration_ms(text, seconds ? 1000 : 1, &number)
              : text_parse_int64(text, &number)) &&
        number >= row->minimum && number <= row->maximum) {
        if (row->size == sizeof(int32_t))
            *(int32_t *)member = (int32_t)number;
        else
            *(int64_t *)member = number;
        return true;
    }
    if (time)
        capacity_problem(reading, seconds ? "expected a duration (30s, 5m; bare: seconds)"
                                          : "expected a time in ms, above 0");
    else
        capacity_problem(reading, "expected a whole number from %" PRId64 " to %" PRId64, row->minimum,
                         row->maximum);
    return false;
}

bool capacity_read_text(struct capacity_reading *reading, enum capacity_key key, const char *text,
                        void *member)
{
    const struct capacity_key_info *row = &capacity_keys[key];

    switch (row->type) {
    case CAPACITY_TYPE_BOOL:
    case CAPACITY_TYPE_CREATION:
        return read_bool(reading, text, member);
    case CAPACITY_TYPE_FLOAT:
    case CAPACITY_TYPE_FRACTION:
    case CAPACITY_TYPE_FACTOR:
        return read_float(reading, row, text, member);
    default:
        return read_int(reading, row, text, member);
    }
}

bool capacity_read_value(struct capacity_reading *reading, const struct capacity_queue *queue,
                         enum capacity_key key, void *member)
{
    const char *text = capacity_get(reading, queue, key, 0);

    return text && capacity_read_text(reading, key, text, member);
}

void capacity_read_plain(struct capacity_reading *reading, struct capacity_queue *queue, const char *text)
{
    (void)queue;
    if (text && reading->member)
        capacity_read_text(reading, reading->row, text, reading->member);
}

/* --- begin and end of reading ----------------------------------------------------- */

void capacity_reading_begin(struct capacity_reading *reading, struct capacity_config *config,
                            const struct conf *conf)
{
    *reading = (struct capacity_reading){ .config = config, .conf = conf };
}

int capacity_reading_end(struct capacity_reading *reading, struct err *err)
{
    free(reading->key);
    reading->key = NULL;
    return problems_finish(&reading->problems, err);
}
