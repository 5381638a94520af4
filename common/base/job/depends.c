/* SPDX-License-Identifier: Apache-2.0 */
/* depends.c - parses the dependencies of a job */
#include "common/base/job/depends.h"

#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"

static const struct {
    const char *word;
    enum depends_on on;
} words[] = {
    /* The first keyword of each kind is creel's own; a second one is Slurm's name for the same kind. */
    { "ok", DEPENDS_OK },          { "any", DEPENDS_ANY },      { "notok", DEPENDS_NOT_OK },
    { "after", DEPENDS_AFTER },    { "corr", DEPENDS_CORR },    { "singleton", DEPENDS_SINGLETON },
    { "afterok", DEPENDS_OK },     { "afterany", DEPENDS_ANY }, { "afternotok", DEPENDS_NOT_OK },
    { "aftercorr", DEPENDS_CORR },
};

#define WORDS (sizeof(words) / sizeof(words[0]))

const char *depends_word(enum depends_on on)
{
    for (size_t i = 0; i < WORDS; i++)
        if (words[i].on == on)
            return words[i].word;
    return "";
}

static bool find_word(const char *word, enum depends_on *on)
{
    for (size_t i = 0; i < WORDS; i++) {
        if (!text_equal(words[i].word, word))
            continue;
        *on = words[i].on;
        return true;
    }
    return false;
}

#define SLOTS 4096 /* of which at most DEPENDS_MAX are used */

struct reader {
    struct arena *arena;
    struct depends_item *items; /* owned */
    size_t count, capacity;
    uint16_t *slots; /* SLOTS, in ARENA: the numbers of items by their hash, from 1; 0: none */
    bool one_is_enough;
    struct err *err;
};

/* Returns the slot of the item; its number is 0 if there is no such item. */
static uint16_t *find_slot(const struct reader *reader, enum depends_on on, const char *id)
{
    uint32_t at = text_hash(id ? id : "") + (uint32_t)on;

    for (;; at++) {
        uint16_t *slot = &reader->slots[at % SLOTS];
        const struct depends_item *item = *slot > 0 ? &reader->items[*slot - 1] : NULL;

        if (!item || (item->on == on && text_equal(item->id ? item->id : "", id ? id : "")))
            return slot;
    }
}

/* A job that is named twice for the same condition counts once. */
static int add(struct reader *reader, enum depends_on on, const char *id)
{
    uint16_t *slot = find_slot(reader, on, id);

    if (*slot > 0)
        return 0;
    if (reader->count == DEPENDS_MAX)
        return err_set(reader->err, EMSGSIZE, "it depends on more than %d jobs and tasks", DEPENDS_MAX);
    mem_grow(reader->items, reader->count, reader->capacity);
    reader->items[reader->count++] = (struct depends_item){ on, id };
    *slot = (uint16_t)reader->count;
    return 0;
}

/* Parses ITEM, one keyword with its ids, and adds its dependencies to READER. Modifies ITEM. */
static int read_item(struct reader *reader, char *item)
{
    const char *whole = arena_strdup(reader->arena, item);
    char *ids = strchr(item, ':'), *id;
    enum depends_on on;
    int r = 0;

    if (ids)
        *ids++ = '\0';
    if (!find_word(item, &on))
        return err_set(reader->err, EINVAL,
                       "dependency \"%s\": expected ok:ID, any:ID, notok:ID, after:ID, "
                       "corr:ID or singleton",
                       whole);
    if (on == DEPENDS_CORR && reader->one_is_enough)
        return err_set(reader->err, EINVAL, "dependency \"%s\": corr and '?' cannot be combined", whole);
    if (on == DEPENDS_SINGLETON)
        return ids ? err_set(reader->err, EINVAL, "dependency \"%s\": singleton has no id", whole)
                   : add(reader, on, NULL);
    if (ids == NULL)
        return err_set(reader->err, EINVAL, "dependency \"%s\": on which job? expected %s:ID", whole, item);
    if (strchr(ids, '+')) /* Slurm's after:41+5 */
        return err_set(reader->err, EINVAL, "dependency \"%s\": a delay (+MINUTES) is not supported", whole);
    while (r == 0 && (id = strsep(&ids, ":")) != NULL)
        r = *id ? add(reader, on, id)
                : err_set(reader->err, EINVAL, "dependency \"%s\": an id is missing", whole);
    return r;
}

bool depends_one_is_enough(const char *text)
{
    return strchr(text, '?') != NULL;
}

int depends_parse(struct arena *arena, const char *text, struct depends *ret, struct err *err)
{
    bool one_is_enough = depends_one_is_enough(text);
    struct reader reader = { .arena = arena,
                             .slots = arena_array0(arena, SLOTS, sizeof(*reader.slots)),
                             .one_is_enough = one_is_enough,
                             .err = err };
    char *left = arena_strdup(arena, text), *item;
    int r = 0;

    if (one_is_enough && strchr(text, ','))
        return err_set(err, EINVAL,
                       "dependencies \"%s\": ',' (all of them) and '?' (one is enough) cannot "
                       "be mixed",
                       text);
    while (r == 0 && (item = strsep(&left, ",?")) != NULL)
        r = read_item(&reader, item);
    if (r == 0)
        *ret = (struct depends){
            .one_is_enough = one_is_enough,
            .count = reader.count,
            .items = arena_dup(arena, reader.items, reader.count * sizeof(*reader.items)),
        };
    free(reader.items);
    return r;
}
