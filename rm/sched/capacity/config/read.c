/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - values of keys, with what is wrong about them */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/config/private.h"

#define KEY_SHOWN_MAX 300

/* reading->key becomes the parts one after the other; they may not be of it. */
static void set_key(struct capacity_reading *reading, const char *const parts[], size_t count)
{
    size_t length = 0;

    for (size_t i = 0; i < count; i++)
        length += strlen(parts[i]);
    if (length + 1 > reading->key_size) {
        reading->key_size = 2 * length + 1;
        reading->key = mem_resize(reading->key, reading->key_size, 1);
    }
    length = 0;
    for (size_t i = 0; i < count; i++) {
        size_t part = strlen(parts[i]);

        memcpy(reading->key + length, parts[i], part);
        length += part;
    }
    reading->key[length] = '\0';
}

static const char *look(struct capacity_reading *reading, const char *path, const char *between,
                        const char *suffix)
{
    const char *parts[] = { CAPACITY_PREFIX, path, *path ? "." : "", between, suffix };

    set_key(reading, parts, sizeof(parts) / sizeof(parts[0]));
    return conf_raw(reading->conf, reading->key);
}

/* Where the templates of PARENT's new queues are: its own path, then with "*" for its last
 * component, its last two, and so on; at most as many as a queue may be deep. */
static const char *look_in_templates(struct capacity_reading *reading,
                                     const struct capacity_queue *queue, const char *suffix)
{
    const char *parent = queue->parent->path;
    const char *kinds[] = { queue->leaf ? "auto-queue-creation-v2.leaf-template." :
                            "auto-queue-creation-v2.parent-template.",
                            "auto-queue-creation-v2.template." };
    const char *value = NULL;
    scoped_free char *path = mem_strdup(parent);
    size_t stars = 0;
    char *dot;

    if (queue->parent->auto_create_legacy)
        return look(reading, parent, "leaf-queue-template.", suffix);
    for (;;) {
        scoped_free char *pattern = mem_strdup(path);

        for (size_t i = 0; i < stars; i++) {
            char *longer = mem_printf("%s.*", pattern);

            free(pattern);
            pattern = longer;
        }
        for (size_t i = 0; i < 2 && value == NULL; i++)
            value = look(reading, pattern, kinds[i], suffix);
        dot = strrchr(path, '.');
        if (value || dot == NULL)
            return value;
        *dot = '\0';
        stars++;
    }
}

const char *capacity_get(struct capacity_reading *reading, const struct capacity_queue *queue,
                         const char *suffix)
{
    const char *value = look(reading, queue ? queue->path : "", "", suffix);

    if (value == NULL && queue && queue->dynamic) {
        value = look_in_templates(reading, queue, suffix);
        if (value == NULL)
            look(reading, queue->path, "", suffix);
    }
    return value;
}

/* --- messages ------------------------------------------------------------------ */

/* "<file>:<line>: <key>", or the key alone; owned by the caller. Keys with long paths are read
 * by people too, so they are cut only where problems_show would have to change them anyway. */
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

static __attribute__((format(printf, 4, 0)))
void report(struct capacity_reading *reading, bool error, bool with_value, const char *format,
            va_list args)
{
    scoped_free char *whose = subject(reading);
    const char *value = with_value ? conf_raw(reading->conf, reading->key) : NULL;
    char shown[PROBLEMS_SHOWN_MAX];
    scoped_free char *quoted = value ? mem_printf("\"%s\": ", problems_show(value, shown))
                                     : mem_strdup("");
    scoped_free char *text = mem_vprintf(format, args);

    if (error)
        problem_error(&reading->problems, EINVAL, "%s: %s%s", whose, quoted, text);
    else
        problem_warn(&reading->problems, "%s: %s%s", whose, quoted, text);
}

void capacity_problem(struct capacity_reading *reading, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    report(reading, true, true, format, args);
    va_end(args);
}

void capacity_warning(struct capacity_reading *reading, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    report(reading, false, true, format, args);
    va_end(args);
}

void capacity_problem_at(struct capacity_reading *reading, const struct capacity_queue *queue,
                         const char *suffix, const char *format, ...)
{
    va_list args;

    capacity_get(reading, queue, suffix);
    va_start(args, format);
    report(reading, true, true, format, args);
    va_end(args);
}

void capacity_warning_at(struct capacity_reading *reading, const struct capacity_queue *queue,
                         const char *suffix, const char *format, ...)
{
    va_list args;

    capacity_get(reading, queue, suffix);
    va_start(args, format);
    report(reading, false, true, format, args);
    va_end(args);
}

/* --- numbers ------------------------------------------------------------------- */

bool capacity_get_int(struct capacity_reading *reading, const struct capacity_queue *queue,
                      const char *suffix, int64_t minimum, int64_t maximum, int64_t *value)
{
    const char *text = capacity_get(reading, queue, suffix);
    int64_t number;

    if (text == NULL)
        return false;
    if (!text_parse_int64(text, &number) || number < minimum || number > maximum) {
        capacity_problem(reading, "expected a whole number from %" PRId64 " to %" PRId64, minimum,
                         maximum);
        return false;
    }
    *value = number;
    return true;
}

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

bool capacity_get_float(struct capacity_reading *reading, const struct capacity_queue *queue,
                        const char *suffix, float minimum, float maximum, bool minus_one,
                        float *value)
{
    const char *text = capacity_get(reading, queue, suffix);
    float number;

    if (text == NULL)
        return false;
    if (!capacity_parse_float(text, &number) ||
        ((number < minimum || number > maximum) && !(minus_one && number == -1.0f))) {
        capacity_problem(reading, "expected a number from %.10g to %.10g%s", (double)minimum,
                         (double)maximum, minus_one ? ", or -1" : "");
        return false;
    }
    *value = number;
    return true;
}

bool capacity_get_bool(struct capacity_reading *reading, const struct capacity_queue *queue,
                       const char *suffix, bool *value)
{
    const char *text = capacity_get(reading, queue, suffix);

    if (text == NULL)
        return false;
    if (strcasecmp(text, "true") != 0 && strcasecmp(text, "false") != 0) {
        capacity_warning(reading, "expected true or false, so it is %s", *value ? "true" : "false");
        return false;
    }
    *value = strcasecmp(text, "true") == 0;
    return true;
}

char *capacity_next_word(char **rest)
{
    char *word;

    while ((word = strsep(rest, ",")) != NULL) {
        word = text_trim(word);
        if (*word)
            return word;
    }
    return NULL;
}

/* --- a reading ------------------------------------------------------------------- */

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
