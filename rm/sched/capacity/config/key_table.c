/* SPDX-License-Identifier: Apache-2.0 */
/* key_table.c - the tables of key_table.h as an array, and look-up of keys */
#include "rm/sched/capacity/config/key_table.h"

#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/key_table.h"
#include "rm/sched/capacity/config/private.h"

#define HINT_DISTANCE 3

#define NO_MEMBER 0, 0
#define MEMBER(type, member) offsetof(struct type, member), sizeof(((struct type *)0)->member)
#define CONFIG(member) MEMBER(capacity_config, member)
#define OF_QUEUE(member) MEMBER(capacity_queue, member)
#define OF_SHARE(member) MEMBER(capacity_share, member)

const struct capacity_key_info capacity_keys[CAPACITY_ROW_COUNT] = {
/* One row of the table: */
/* clang-format off */
#define NUMBER(key, name, scope, type, member, usual, minimum, maximum, inherits, doc) \
    { name, CAPACITY_##scope, CAPACITY_TYPE_##type, member, usual, minimum, maximum, \
      CAPACITY_##inherits, NULL, doc },
#define SWITCH(key, name, scope, type, member, usual, inherits, doc) \
    { name, CAPACITY_##scope, CAPACITY_TYPE_##type, member, usual, 0, 1, CAPACITY_##inherits, NULL, doc },
#define OTHER(key, name, scope, type, inherits, doc) \
    { name, CAPACITY_##scope, CAPACITY_TYPE_##type, NO_MEMBER, 0, 0, 0, CAPACITY_##inherits, NULL, doc },
#define WITHOUT_EFFECT(name, scope, as_here, reason) \
    { name, CAPACITY_##scope, CAPACITY_TYPE_ELSEWHERE, NO_MEMBER, 0, 0, 0, CAPACITY_DEFAULT, \
      as_here, reason },
    CAPACITY_KEYS(NUMBER, SWITCH, OTHER)
    CAPACITY_KEYS_WITHOUT_EFFECT(WITHOUT_EFFECT)
    /* clang-format on */
};

bool capacity_key_has_effect(const struct capacity_key_info *row)
{
    return row < capacity_keys + CAPACITY_KEY_COUNT;
}

static bool is_in(const struct capacity_key_info *row, bool of_queue)
{
    if (row->scope == CAPACITY_TEMPLATE || row->scope == CAPACITY_SITE)
        return false;
    return of_queue ? row->scope != CAPACITY_ALL
                    : row->scope == CAPACITY_ALL || row->inherits == CAPACITY_EVERY;
}

/* The text that a name has in place of <label> or <user>; LENGTH 0: there is none. */
struct hole {
    const char *text; /* borrowed */
    size_t length;
};

/* Compares NAME with PATTERN, a name in the table. A label has no dots, a user may have some. */
static bool matches(const char *pattern, const char *name, struct hole *hole)
{
    size_t before = strcspn(pattern, "<*"), after;
    const char *rest = pattern + before;

    if (pattern[0] != name[0] || strncmp(pattern, name, before) != 0)
        return false;
    if (*rest != '<')
        return *rest == '*' || name[before] == '\0';
    rest = strchr(rest, '>') + 1;
    after = strlen(rest);
    hole->text = name + before;
    hole->length = strlen(hole->text);
    if (hole->length <= after || !text_has_suffix(hole->text, rest))
        return false;
    hole->length -= after;
    return pattern[before + 1] == 'u' || memchr(hole->text, '.', hole->length) == NULL;
}

static const struct capacity_key_info *find_row(const char *name, bool of_queue, bool of_label,
                                                struct hole *hole)
{
    const struct capacity_key_info *row = capacity_keys;

    for (; row < capacity_keys + CAPACITY_ROW_COUNT; row++) {
        *hole = (struct hole){ .length = 0 };
        if (is_in(row, of_queue) && (!of_label || row->scope == CAPACITY_LABEL) &&
            matches(row->name, name, hole))
            return row;
    }
    return NULL;
}

/* Finds the row of a key for a label: LABEL is a label name, a dot, and the name of a key. */
static const struct capacity_key_info *find_of_label(const char *label, struct hole *hole)
{
    const char *dot = strchr(label, '.');
    const struct capacity_key_info *row = dot && dot > label ? find_row(dot + 1, true, true, hole) : NULL;

    if (row)
        *hole = (struct hole){ label, (size_t)(dot - label) };
    return row;
}

const struct capacity_key_info *capacity_key_find(const char *name, bool of_queue, char **named)
{
    struct hole hole;
    const struct capacity_key_info *row = find_row(name, of_queue, false, &hole);

    if (row == NULL && of_queue && text_has_prefix(name, CAPACITY_LABEL_PREFIX))
        row = find_of_label(name + strlen(CAPACITY_LABEL_PREFIX), &hole);
    if (named)
        *named = row && hole.length > 0 ? mem_strndup(hole.text, hole.length) : NULL;
    return row;
}

const char *capacity_key_nearest(const char *name, bool of_queue)
{
    struct conf_nearest nearest = conf_nearest_begin(name, HINT_DISTANCE, 3);

    for (size_t i = 0; i < CAPACITY_ROW_COUNT; i++)
        if (is_in(&capacity_keys[i], of_queue) && strpbrk(capacity_keys[i].name, "<*") == NULL)
            conf_nearest_offer(&nearest, capacity_keys[i].name);
    return nearest.found;
}

const char *capacity_key_behind_templates(const char *name)
{
    const struct capacity_key_info *row = capacity_keys;

    for (; row < capacity_keys + CAPACITY_KEY_COUNT; row++)
        if (row->scope == CAPACITY_TEMPLATE && text_has_prefix(name, row->name))
            return capacity_key_behind_templates(name + strlen(row->name));
    return name;
}
