/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - scans the names of keys: finds labels and users in them, and warns about unknown keys */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/key_table.h"
#include "rm/sched/capacity/config/private.h"

#define HINT_DISTANCE 3
#define SIBLINGS_COMPARED_MAX 1000
#define WARNINGS_MAX \
    50 /* limit of warnings about queues that do not exist; further ones are only
          counted */
#define OLD_PREFIX "mapred.capacity-scheduler."

/* --- scanning all keys -------------------------------------------------------------- */

/* The keys of a queue that does not exist. */
struct stray {
    UT_hash_handle hh;
    char *path; /* owned */
    char *key;  /* owned; the first of these keys */
    size_t count;
    const struct capacity_queue *parent; /* the last existing queue on its path */
};

struct looking {
    struct capacity_reading *reading;
    struct stray *strays; /* owned */
    char *old, *orphan;   /* owned; the first key of Hadoop 1; the first key of a queue other than
                             root and default */
    bool queues;          /* there is a list of queues */
};

static struct capacity_reading *at_name(struct capacity_reading *reading, const char *name)
{
    capacity_get_named(reading, NULL, "", name + strlen(CAPACITY_PREFIX));
    return reading;
}

/* Warns of an unknown key. REST is the part of the key after the prefix or, if OF_QUEUE, after the path of a
 * queue. */
static void warn_of_unknown(struct capacity_reading *reading, const char *name, const char *rest,
                            bool of_queue)
{
    const char *near = capacity_key_nearest(rest, of_queue);
    scoped_free char *hint = near ? mem_printf(", did you mean %s?", near) : mem_strdup("");

    capacity_warning(at_name(reading, name), "unknown key, ignored%s", hint);
}

/* Reports a key if it has no effect in creel. If its value is another than the one that describes what creel
 * does, the cluster differs from YARN's. */
static void note_of_effect(struct capacity_reading *reading, const char *name, const char *value,
                           const struct capacity_key_info *row)
{
    bool any = row->as_here != NULL && text_equal(row->as_here, "*");

    if (capacity_key_has_effect(row))
        return;
    if (row->as_here != NULL && strcasecmp(value, row->as_here) == 0)
        capacity_note(at_name(reading, name), CONF_ALWAYS, "is always so here: %s", row->doc);
    else
        capacity_note(at_name(reading, name), any ? CONF_NO_EFFECT : CONF_CHANGES, "has no effect here: %s",
                      row->doc);
}

static void read_user_parallel(struct capacity_reading *reading, const char *name, const char *value,
                               const char *user)
{
    int64_t most;

    if (capacity_read_text(at_name(reading, name), CAPACITY_KEY_USER_PARALLEL, value, &most))
        capacity_number_set(&reading->config->user_parallel, user, (double)most);
}

static void check_global(struct capacity_reading *reading, const char *name, const char *value)
{
    const char *rest = name + strlen(CAPACITY_PREFIX);
    scoped_free char *user = NULL;
    const struct capacity_key_info *row = capacity_key_find(rest, false, &user);

    if (row == NULL)
        warn_of_unknown(reading, name, rest, false);
    else if (user)
        read_user_parallel(reading, name, value, user);
    else
        note_of_effect(reading, name, value, row);
}

static void declare_label(struct capacity_reading *reading, const char *name, const char *label)
{
    char shown[PROBLEMS_SHOWN_MAX];

    if (!text_is_label(label))
        capacity_problem(at_name(reading, name), "\"%s\" is no label: expected " TEXT_LABEL_RULE,
                         problems_show(label, shown));
    else if (capacity_config_label_add(reading->config, label) < 0)
        capacity_problem(at_name(reading, name), "label %s is one too many, at most %d",
                         problems_show(label, shown), CAPACITY_LABELS_MAX - 1);
}

static void declare_labels(struct capacity_reading *reading, const char *name, const char *value)
{
    scoped_free char *list = mem_strdup(value);
    char *rest = list, *label;

    while ((label = text_next_word(&rest)) != NULL)
        if (strcmp(label, "*") != 0)
            declare_label(reading, name, label);
}

/* Notes the user named by KEY, user-settings.<user>.weight, of a queue or in a template. */
static void note_user(struct capacity_config *config, const char *key)
{
    scoped_free char *user = NULL;

    capacity_key_find(key, true, &user);
    if (user)
        capacity_number_set(&config->weighted_users, user, 0);
}

/* Processes REST, the part of a key after the path of QUEUE: a known key, possibly of a template. */
static void check_queue_key(struct capacity_reading *reading, struct capacity_queue *queue, const char *name,
                            const char *rest, const char *value)
{
    scoped_free char *named = NULL;
    const struct capacity_key_info *row = capacity_key_find(rest, true, &named);

    if (row == NULL)
        return; /* of a template: read when a queue is created */
    if (row == &capacity_keys[CAPACITY_KEY_USER_WEIGHT])
        capacity_read_user_weight(reading, queue, named);
    else if (named)
        declare_label(reading, name, named);
    else if (row == &capacity_keys[CAPACITY_KEY_ACCESS])
        declare_labels(reading, name, value);
    else
        note_of_effect(reading, name, value, row);
}

static bool is_known(const char *rest)
{
    return capacity_key_find(capacity_key_behind_templates(rest), true, NULL) != NULL;
}

/* Returns the key in REST if REST, the text after the path of a queue, is "<another queue>.<known key>"; or
 * NULL. */
static const char *key_of_stray(const char *rest)
{
    for (const char *dot = strchr(rest, '.'); dot; dot = strchr(dot + 1, '.'))
        if (dot > rest && is_known(dot + 1))
            return dot + 1;
    return NULL;
}

static void note_stray(struct looking *looking, const struct capacity_queue *parent, const char *name,
                       const char *rest)
{
    scoped_free char *path = mem_printf("%s.%.*s", parent->path, (int)strcspn(rest, "."), rest);
    struct stray *stray;

    HASH_FIND_STR(looking->strays, path, stray);
    if (stray == NULL) {
        stray = mem_new0(struct stray);
        stray->key = mem_strdup(name);
        stray->parent = parent;
        stray->path = path;
        path = NULL;
        HASH_ADD_KEYPTR(hh, looking->strays, stray->path, strlen(stray->path), stray);
    }
    stray->count++;
}

static void check_queue(struct looking *looking, const char *name, const char *value)
{
    struct capacity_reading *reading = looking->reading;
    const char *text = name + strlen(CAPACITY_PREFIX);
    struct capacity_queue *queue = capacity_queue_above(reading->config, text);
    const char *rest = text + strlen(queue->path) + 1, *key;

    if (is_known(rest)) {
        check_queue_key(reading, queue, name, rest, value);
        return;
    }
    /* "root.team.*.auto-queue-creation-v2...": for queues that will be created later. */
    if (strstr(rest, "*.auto-queue-creation-v2.") == rest || strstr(rest, ".*.auto-queue-creation"))
        return;
    key = key_of_stray(rest);
    if (key == NULL) {
        warn_of_unknown(reading, name, rest, true);
    } else if (*value && text_equal(key, capacity_keys[CAPACITY_KEY_QUEUES].name)) {
        capacity_problem(at_name(reading, name),
                         "these queues have no parent: no list of queues "
                         "has %.*s",
                         (int)(key - 1 - text), text);
    } else {
        note_stray(looking, queue, name, rest);
    }
}

static void check_property(void *context, const char *name, const char *value, const char *origin)
{
    struct looking *looking = context;
    const char *users = strstr(name, "." CAPACITY_USER_PREFIX);

    (void)origin;
    if (!text_has_prefix(name, CAPACITY_PREFIX))
        return;
    if (users)
        note_user(looking->reading->config, users + 1);
    if (text_has_prefix(name, CAPACITY_PREFIX "root."))
        check_queue(looking, name, value);
    else
        check_global(looking->reading, name, value);
}

/* --- queues that do not exist ------------------------------------------------------------ */

static char *hint_of_sibling(const struct stray *stray)
{
    const struct capacity_queue *child;
    struct conf_nearest nearest = conf_nearest_begin(strrchr(stray->path, '.') + 1, HINT_DISTANCE, 2);
    size_t compared = 0;

    TAILQ_FOREACH(child, &stray->parent->children, sibling) {
        conf_nearest_offer(&nearest, child->name);
        if (++compared == SIBLINGS_COMPARED_MAX)
            break;
    }
    return nearest.found ? mem_printf(", did you mean %s.%s?", stray->parent->path, nearest.found)
                         : mem_strdup("");
}

static void warn_of_stray(struct capacity_reading *reading, const struct stray *stray)
{
    char shown[PROBLEMS_SHOWN_MAX];
    scoped_free char *hint = hint_of_sibling(stray);
    scoped_free char *others =
        stray->count > 1 ? mem_printf(" and %zu more of it are", stray->count - 1) : mem_strdup(" is");

    capacity_warning(at_name(reading, stray->key), "there is no queue %s: this key%s ignored%s",
                     problems_show(stray->path, shown), others, hint);
}

static void strays_done(struct looking *looking)
{
    struct stray *stray, *next;
    size_t number = 0;

    HASH_ITER(hh, looking->strays, stray, next) {
        if (number++ < WARNINGS_MAX)
            warn_of_stray(looking->reading, stray);
        HASH_DEL(looking->strays, stray);
        free(stray->path);
        free(stray->key);
        free(stray);
    }
    if (number > WARNINGS_MAX)
        problem_warn(&looking->reading->problems,
                     CAPACITY_PREFIX "root...: keys of %zu more "
                                     "queues that do not exist are ignored",
                     number - WARNINGS_MAX);
}

void capacity_names_check(struct capacity_reading *reading)
{
    struct looking looking = { .reading = reading };

    conf_each(reading->conf, check_property, &looking);
    strays_done(&looking);
}

/* --- files of other programs ------------------------------------------------------------- */

static void check_kind(void *context, const char *name, const char *value, const char *origin)
{
    static const char root[] = CAPACITY_PREFIX "root.";
    struct looking *looking = context;
    const char *rest = name + strlen(root);

    (void)value;
    (void)origin;
    if (looking->old == NULL && text_has_prefix(name, OLD_PREFIX))
        looking->old = mem_strdup(name);
    if (!text_has_prefix(name, root))
        return;
    looking->queues |= text_equal(rest, capacity_keys[CAPACITY_KEY_QUEUES].name);
    if (looking->orphan == NULL && !is_known(rest) && key_of_stray(rest) &&
        !text_has_prefix(rest, "default."))
        looking->orphan = mem_strdup(name);
}

bool capacity_names_are_ours(struct capacity_reading *reading)
{
    struct looking kinds = { .reading = reading };
    char origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];
    bool ours = true;

    conf_each(reading->conf, check_kind, &kinds);
    if (kinds.old && !kinds.queues) {
        problem_error(&reading->problems, EINVAL,
                      "%s: %s: OLD FORMAT: keys of Hadoop 1, which "
                      "are not read; expected " CAPACITY_PREFIX "root.queues and the like",
                      conf_origin(reading->conf, kinds.old, origin, sizeof(origin)),
                      problems_show(kinds.old, shown));
        ours = false;
    } else if (kinds.orphan && !kinds.queues) {
        capacity_problem(at_name(reading, kinds.orphan), "is a key of a queue, but " CAPACITY_PREFIX
                                                         "root.queues, which lists them, is missing");
        ours = false;
    } else if (kinds.old) {
        problem_warn(&reading->problems, "%s: %s: a key of Hadoop 1; such keys are ignored",
                     conf_origin(reading->conf, kinds.old, origin, sizeof(origin)),
                     problems_show(kinds.old, shown));
    }
    free(kinds.old);
    free(kinds.orphan);
    return ours;
}
