/* SPDX-License-Identifier: Apache-2.0 */
/* value.c - checks the text of a configuration value against the type of its key, and parses it */
#include "common/conf/value.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text.h"

struct suffix {
    const char *name;
    int64_t factor;
};

/* In descending order of size. */
static const struct suffix duration_suffixes[] = {
    { "d", 86400000 }, { "h", 3600000 }, { "m", 60000 }, { "s", 1000 }, { "ms", 1 },
};
static const struct suffix size_suffixes[] = {
    { "t", INT64_C(1) << 40 }, { "g", 1 << 30 }, { "m", 1 << 20 }, { "k", 1 << 10 }, { "", 1 },
};

int64_t conf_value_default_unit_ms(const char *name)
{
    static const char *const second_names[] = { "-secs", "-sec", ".sec", ".secs", "-seconds", ".seconds" };

    for (size_t i = 0; i < sizeof(second_names) / sizeof(second_names[0]); i++)
        if (text_has_suffix(name, second_names[i]))
            return 1000;
    return 1;
}

/* Returns the words after "one of: " in KEY's documentation, separated by blanks. */
static const char *conf_value_choices(const struct conf_key_info *key)
{
    const char *words = strstr(key->doc, "one of: ");

    assert(words);
    return words + strlen("one of: ");
}

/* Returns the word of KEY's choices that equals TEXT in any case, owned by the caller, or NULL. */
static char *find_choice(const struct conf_key_info *key, const char *text)
{
    size_t wanted = strlen(text), length;

    for (const char *word = conf_value_choices(key); *word; word += strspn(word, " ")) {
        length = strcspn(word, " ");
        if (length == wanted && strncasecmp(word, text, length) == 0)
            return mem_strndup(word, length);
        word += length;
    }
    return NULL;
}

static bool in_range(const struct conf_key_info *key, int64_t number)
{
    return number >= key->minimum && number <= key->maximum;
}

static bool judge_bool(const struct conf_key_info *key, const char *text, struct conf_value *found)
{
    bool known = strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0;

    found->fell_back = !known;
    found->number = strcasecmp(known ? text : key->default_text, "true") == 0;
    found->text = mem_strdup(found->number ? "true" : "false");
    return true;
}

bool conf_value_judge(const struct conf_key_info *key, const char *text, struct conf_value *value)
{
    struct conf_value found = { .number = 0 };
    bool good = false;

    switch (key->type) {
    case CONF_INT:
        good = text_parse_int64(text, &found.number) && in_range(key, found.number);
        break;
    case CONF_DURATION:
        good = text_parse_duration_ms(text, conf_value_default_unit_ms(key->name), &found.number) &&
               in_range(key, found.number);
        break;
    case CONF_CUTOFF:
        good = text_parse_on_disconnect(text, &found.number);
        break;
    case CONF_SIZE:
        good = text_parse_size_bytes(text, 1, &found.number) && in_range(key, found.number);
        break;
    case CONF_FLOAT:
        good = text_parse_double(text, &found.real) && found.real >= (double)key->minimum &&
               found.real <= (double)key->maximum;
        break;
    case CONF_BOOL:
        good = judge_bool(key, text, &found);
        break;
    case CONF_TEXT:
    case CONF_ACL:
        good = true;
        break;
    case CONF_CHOICE:
        found.text = find_choice(key, text);
        good = found.text != NULL;
        break;
    }
    if (!good)
        return false;
    if (found.text == NULL)
        found.text = mem_strdup(text);
    *value = found;
    return true;
}

const char *conf_value_limit(const struct conf_key_info *key, int64_t limit, char text[CONF_VALUE_LIMIT_MAX])
{
    const struct suffix *suffix = NULL;

    if (key->type == CONF_DURATION)
        suffix = duration_suffixes;
    else if (key->type == CONF_SIZE)
        suffix = size_suffixes;
    if (suffix == NULL || limit == 0) {
        snprintf(text, CONF_VALUE_LIMIT_MAX, "%" PRId64, limit);
        return text;
    }
    while (limit % suffix->factor != 0)
        suffix++; /* the loop ends: the last factor is 1 */
    snprintf(text, CONF_VALUE_LIMIT_MAX, "%" PRId64 "%s", limit / suffix->factor, suffix->name);
    return text;
}

const char *conf_value_type_name(enum conf_type type)
{
    static const char *const names[] = {
        [CONF_INT] = "whole number",
        [CONF_FLOAT] = "number",
        [CONF_BOOL] = "true or false",
        [CONF_TEXT] = "text",
        [CONF_ACL] = "access list",
        [CONF_CHOICE] = "choice",
        [CONF_DURATION] = "duration",
        [CONF_SIZE] = "size",
        [CONF_CUTOFF] = "keep or stop-after DURATION",
    };

    return names[type];
}

/* Writes the values that the type allows, without the limits of the key. */
static int print_shape(const struct conf_key_info *key, char *text, size_t size)
{
    switch (key->type) {
    case CONF_INT:
        return snprintf(text, size, "a whole number");
    case CONF_FLOAT:
        return snprintf(text, size, "a number");
    case CONF_DURATION:
        return snprintf(text, size, "a duration (500ms, 30s, 5m, 2h, 1d; bare: %s)",
                        conf_value_default_unit_ms(key->name) == 1000 ? "seconds" : "milliseconds");
    case CONF_SIZE:
        return snprintf(text, size, "a size (512k, 64m, 2g; bare: bytes)");
    case CONF_CUTOFF:
        return snprintf(text, size, "keep, or stop-after with a time of a second at least (stop-after 30s)");
    case CONF_BOOL:
        return snprintf(text, size, "true or false");
    case CONF_CHOICE:
        return snprintf(text, size, "one of: %s", conf_value_choices(key));
    case CONF_TEXT:
    case CONF_ACL:
        break;
    }
    return snprintf(text, size, "text");
}

const char *conf_value_expected(const struct conf_key_info *key, char text[CONF_VALUE_EXPECTED_MAX])
{
    int used = print_shape(key, text, CONF_VALUE_EXPECTED_MAX);
    char low[CONF_VALUE_LIMIT_MAX], high[CONF_VALUE_LIMIT_MAX];

    assert(used > 0 && used < CONF_VALUE_EXPECTED_MAX);
    if (key->type == CONF_BOOL || key->type == CONF_TEXT || key->type == CONF_ACL ||
        key->type == CONF_CHOICE || key->type == CONF_CUTOFF || key->minimum == CONF_NO_MIN)
        return text;
    conf_value_limit(key, key->minimum, low);
    conf_value_limit(key, key->maximum, high);
    if (key->maximum == CONF_NO_MAX)
        snprintf(text + used, CONF_VALUE_EXPECTED_MAX - (size_t)used, " of at least %s", low);
    else
        snprintf(text + used, CONF_VALUE_EXPECTED_MAX - (size_t)used, " from %s to %s", low, high);
    return text;
}
