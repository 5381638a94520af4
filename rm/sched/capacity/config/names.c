/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - names of keys: those that mean nothing, and labels and users that are in them */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/config/private.h"

#define HINT_DISTANCE 4
#define SIBLINGS_COMPARED_MAX 1000
#define WARNINGS_MAX 50         /* of queues that do not exist; the others are counted */
#define OLD_PREFIX "mapred.capacity-scheduler."
#define LABEL_PREFIX "accessible-node-labels."
#define SETTINGS_PREFIX "user-settings."

static const char *const queue_keys[] = {
    "queues", "capacity", "maximum-capacity", "state", "priority", "ordering-policy",
    "default-application-priority", "minimum-user-limit-percent", "user-limit-factor",
    "maximum-applications", "max-parallel-apps", "maximum-am-resource-percent",
    "acl_submit_applications", "acl_administer_queue", "acl_administer_jobs",
    "acl_application_max_priority", "acl_list_reservations", "acl_administer_reservations",
    "acl_submit_reservations", "maximum-allocation", "maximum-allocation-mb",
    "maximum-allocation-vcores", "maximum-application-lifetime", "default-application-lifetime",
    "disable_preemption", "intra-queue-preemption.disable_preemption", "accessible-node-labels",
    "default-node-label-expression", "allow-zero-capacity-sum",
    "auto-create-child-queue.enabled", "auto-create-child-queue.max-queues",
    "auto-create-child-queue.management-policy",
    "auto-create-child-queue.fail-on-exceeding-parent-capacity",
    "auto-queue-creation-v2.enabled", "auto-queue-creation-v2.max-queues",
    "auto-queue-creation-v2.maximum-queue-depth",
    "auto-queue-creation-v2.queue-auto-removal.enable", "reservable",
    "show-reservations-as-queues", "average-capacity", "instantaneous-max-capacity",
    "multi-node-sorting.policy", "legacy-auto-queue-creation.max-queues",
};

/* Keys of a queue with anything behind. */
static const char *const queue_families[] = { "ordering-policy.", "reservation-" };

/* Templates: behind them stands a key of a queue again. */
static const char *const templates[] = {
    "auto-queue-creation-v2.template.", "auto-queue-creation-v2.leaf-template.",
    "auto-queue-creation-v2.parent-template.", "leaf-queue-template.",
};

static const char *const label_keys[] = {
    "capacity", "maximum-capacity", "maximum-am-resource-percent", "maximum-applications",
};

static const char *const global_keys[] = {
    "maximum-applications", "maximum-am-resource-percent", "resource-calculator",
    "node-locality-delay", "rack-locality-additional-delay", "rack-locality-full-reset",
    "queue-mappings", "queue-mappings-override.enable", "mapping-rule-format",
    "mapping-rule-json", "mapping-rule-json-file",
    "per-node-heartbeat.multiple-assignments-enabled",
    "per-node-heartbeat.maximum-container-assignments",
    "per-node-heartbeat.maximum-offswitch-assignments", "application.fail-fast",
    "reservations-continue-look-all-nodes", "lazy-preemption-enabled",
    "legacy-queue-mode.enabled", "global-queue-max-application", "max-parallel-apps",
    "user.max-parallel-apps", "minimum-user-limit-percent", "user-limit-factor",
    "auto-queue-creation-v2.queue-expiration-time", "multi-node-placement-enabled",
    "skip-allocate-on-nodes-with-reserved-containers", "user-metrics.enable",
    "workflow-priority-mappings", "workflow-priority-mappings-override.enable",
    "default-application-priority", "disable_preemption",
};

static const char *const global_families[] = {
    "schedule-asynchronously.", "multi-node-sorting.", "ordering-policy.", "queue-management-policy.",
    "app.", "autoqueue.", "auto-create-child-queue.", "queue.auto.refresh.", "node-labels.",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_one_of(const char *text, const char *const words[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

/* What stands behind that of PREFIXES with which TEXT begins, or NULL. */
static const char *behind_one_of(const char *text, const char *const prefixes[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_has_prefix(text, prefixes[i]))
            return text + strlen(prefixes[i]);
    return NULL;
}

static const char *nearest(const char *text, const char *const words[], size_t count)
{
    size_t best = HINT_DISTANCE;
    const char *found = NULL;

    for (size_t i = 0; i < count; i++) {
        size_t distance = conf_key_distance(text, words[i]);

        if (distance < best && distance * 3 <= strlen(text)) {
            best = distance;
            found = words[i];
        }
    }
    return found;
}

/* The label of "accessible-node-labels.<label>.<key>": its length, or 0. */
static size_t label_length(const char *suffix)
{
    const char *label, *dot;

    if (!text_has_prefix(suffix, LABEL_PREFIX))
        return 0;
    label = suffix + strlen(LABEL_PREFIX);
    dot = strchr(label, '.');
    return dot && is_one_of(dot + 1, label_keys, COUNT(label_keys)) ? (size_t)(dot - label) : 0;
}

/* The same for "user-settings.<user>.weight"; users may have dots. */
static size_t setting_length(const char *suffix)
{
    size_t length = strlen(suffix), around = strlen(SETTINGS_PREFIX) + strlen(".weight");

    if (!text_has_prefix(suffix, SETTINGS_PREFIX) || !text_has_suffix(suffix, ".weight"))
        return 0;
    return length > around ? length - around : 0;
}

bool capacity_key_known(const char *suffix)
{
    const char *rest = behind_one_of(suffix, templates, COUNT(templates));

    while (rest) {
        suffix = rest;
        rest = behind_one_of(suffix, templates, COUNT(templates));
    }
    return is_one_of(suffix, queue_keys, COUNT(queue_keys)) ||
           behind_one_of(suffix, queue_families, COUNT(queue_families)) ||
           label_length(suffix) > 0 || setting_length(suffix) > 0;
}

/* --- going through all keys -------------------------------------------------------- */

/* Keys of a queue that does not exist. */
struct stray {
    UT_hash_handle hh;
    char *path;                 /* owned */
    char *key;                  /* owned; the first of them */
    size_t count;
    const struct capacity_queue *parent;        /* the last one on its path that does exist */
};

struct looking {
    struct capacity_reading *reading;
    struct stray *strays;       /* owned */
};

static void set_reading_key(struct capacity_reading *reading, const char *name)
{
    capacity_get(reading, NULL, name + strlen(CAPACITY_PREFIX));
}

static void unknown(struct capacity_reading *reading, const char *name, const char *near)
{
    set_reading_key(reading, name);
    capacity_warning(reading, "unknown key, passed over%s%s%s", near ? ", did you mean " : "",
                     near ? near : "", near ? "?" : "");
}

static void take_user_parallel(struct capacity_reading *reading, const char *name,
                               const char *user, size_t length)
{
    struct capacity_config *config = reading->config;
    struct capacity_user_parallel *entry;
    int64_t most;

    if (!capacity_get_int(reading, NULL, name + strlen(CAPACITY_PREFIX), 0, INT32_MAX, &most))
        return;
    entry = mem_new0(struct capacity_user_parallel);
    entry->user = mem_strndup(user, length);
    entry->most = most;
    HASH_ADD_KEYPTR(hh, config->user_parallel, entry->user, length, entry);
}

static void look_at_global(struct capacity_reading *reading, const char *name, const char *value)
{
    const char *rest = name + strlen(CAPACITY_PREFIX);
    static const char suffix[] = ".max-parallel-apps";

    if (is_one_of(rest, global_keys, COUNT(global_keys)) ||
        behind_one_of(rest, global_families, COUNT(global_families)))
        capacity_warn_of_effect(reading, NULL, rest, value);
    else if (text_has_prefix(rest, "user.") && text_has_suffix(rest, suffix) &&
        strlen(rest) > strlen("user.") + strlen(suffix))
        take_user_parallel(reading, name, rest + strlen("user."),
                           strlen(rest) - strlen("user.") - strlen(suffix));
    else
        unknown(reading, name, nearest(rest, global_keys, COUNT(global_keys)));
}

static void declare_label(struct capacity_reading *reading, const char *name, const char *label)
{
    char shown[PROBLEMS_SHOWN_MAX];
    bool good = strlen(label) <= CAPACITY_LABEL_NAME_MAX &&
                strspn(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                strlen(label);

    if (!good) {
        set_reading_key(reading, name);
        capacity_problem(reading, "\"%s\" is no label: expected at most %d letters, digits, - and _",
                         problems_show(label, shown), CAPACITY_LABEL_NAME_MAX);
    } else if (capacity_config_label_add(reading->config, label) < 0) {
        set_reading_key(reading, name);
        capacity_problem(reading, "label %s is one too many, at most %d",
                         problems_show(label, shown), CAPACITY_LABELS_MAX - 1);
    }
}

static void take_setting(struct capacity_reading *reading, struct capacity_queue *queue,
                         const char *suffix)
{
    struct capacity_user_setting *setting;
    float weight;

    if (!capacity_get_float(reading, queue, suffix, 0, 10000, false, &weight))
        return;
    queue->user_settings = mem_resize(queue->user_settings, queue->user_setting_count + 1,
                                      sizeof(*queue->user_settings));
    setting = &queue->user_settings[queue->user_setting_count++];
    setting->user = mem_strndup(suffix + strlen(SETTINGS_PREFIX), setting_length(suffix));
    setting->weight = weight;
}

static void take_labels(struct capacity_reading *reading, const char *name, const char *value)
{
    scoped_free char *list = mem_strdup(value);
    char *rest = list, *label;

    while ((label = capacity_next_word(&rest)) != NULL)
        if (strcmp(label, "*") != 0)
            declare_label(reading, name, label);
}

/* SUFFIX is a known key of QUEUE. */
static void look_at_queue_key(struct capacity_reading *reading, struct capacity_queue *queue,
                              const char *name, const char *suffix, const char *value)
{
    size_t length = label_length(suffix);

    if (length > 0) {
        scoped_free char *label = mem_strndup(suffix + strlen(LABEL_PREFIX), length);

        declare_label(reading, name, label);
    } else if (setting_length(suffix) > 0) {
        take_setting(reading, queue, suffix);
    } else if (strcmp(suffix, "accessible-node-labels") == 0) {
        take_labels(reading, name, value);
    } else {
        capacity_warn_of_effect(reading, queue, suffix, value);
    }
}

/* Is REST, behind the path of a queue, "<queue that does not exist>.<known key>"? The key, or NULL. */
static const char *key_of_stray(const char *rest)
{
    for (const char *dot = strchr(rest, '.'); dot; dot = strchr(dot + 1, '.'))
        if (dot > rest && capacity_key_known(dot + 1))
            return dot + 1;
    return NULL;
}

static void note_stray(struct looking *looking, const struct capacity_queue *parent,
                       const char *name, const char *rest)
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

/* The queue with the longest path with which TEXT begins: root at least. */
static struct capacity_queue *longest_queue(const struct capacity_config *config, const char *text)
{
    size_t length = strlen(text);

    for (;;) {
        struct capacity_queue *queue;

        while (length > 0 && text[length - 1] != '.')
            length--;
        if (length == 0)
            return config->root;
        queue = capacity_queue_at(config, text, --length);
        if (queue)
            return queue;
    }
}

static void look_at_queue(struct looking *looking, const char *name, const char *value)
{
    struct capacity_reading *reading = looking->reading;
    const char *text = name + strlen(CAPACITY_PREFIX);
    struct capacity_queue *queue = longest_queue(reading->config, text);
    const char *rest = text + strlen(queue->path) + 1, *key;

    if (capacity_key_known(rest)) {
        look_at_queue_key(reading, queue, name, rest, value);
        return;
    }
    /* "root.team.*.auto-queue-creation-v2...": for queues that are yet to be made. */
    if (strstr(rest, "*.auto-queue-creation-v2.") == rest || strstr(rest, ".*.auto-queue-creation"))
        return;
    key = key_of_stray(rest);
    if (key == NULL) {
        unknown(reading, name, nearest(rest, queue_keys, COUNT(queue_keys)));
    } else if (strcmp(key, "queues") == 0 && *value) {
        set_reading_key(reading, name);
        capacity_problem(reading, "these queues have no parent: no list of queues has %.*s",
                         (int)(key - 1 - text), text);
    } else {
        note_stray(looking, queue, name, rest);
    }
}

/* --- users of queues that submissions make ------------------------------------------ */

struct settings_search {
    struct capacity_reading *reading;
    struct capacity_queue *queue;
};

static bool has_setting(const struct capacity_queue *queue, const char *suffix)
{
    for (size_t i = 0; i < queue->user_setting_count; i++)
        if (strncmp(suffix + strlen(SETTINGS_PREFIX), queue->user_settings[i].user,
                    setting_length(suffix)) == 0 &&
            strlen(queue->user_settings[i].user) == setting_length(suffix))
            return true;
    return false;
}

static void look_for_setting(void *context, const char *name, const char *value, const char *origin)
{
    const struct settings_search *search = context;
    const char *at = strstr(name, "." SETTINGS_PREFIX);

    (void)value;
    (void)origin;
    if (at == NULL || !text_has_prefix(name, CAPACITY_PREFIX) || setting_length(at + 1) == 0 ||
        has_setting(search->queue, at + 1))
        return;
    if (capacity_get(search->reading, search->queue, at + 1))
        take_setting(search->reading, search->queue, at + 1);
}

void capacity_names_settings(struct capacity_reading *reading, struct capacity_queue *queue)
{
    struct settings_search search = { reading, queue };

    if (reading->config->names_users)
        conf_each(reading->conf, look_for_setting, &search);
}

static void look_at_property(void *context, const char *name, const char *value,
                             const char *origin)
{
    struct looking *looking = context;

    (void)origin;
    if (!text_has_prefix(name, CAPACITY_PREFIX))
        return;
    if (strstr(name, "." SETTINGS_PREFIX))
        looking->reading->config->names_users = true;
    if (text_has_prefix(name, CAPACITY_PREFIX "root."))
        look_at_queue(looking, name, value);
    else
        look_at_global(looking->reading, name, value);
}

/* --- queues that do not exist ------------------------------------------------------------ */

static const char *nearest_sibling(const struct capacity_queue *parent, const char *name)
{
    const struct capacity_queue *child;
    size_t best = HINT_DISTANCE, compared = 0;
    const char *found = NULL;

    TAILQ_FOREACH(child, &parent->children, sibling) {
        size_t distance = conf_key_distance(name, child->name);

        if (distance < best && distance * 2 <= strlen(name)) {
            best = distance;
            found = child->path;
        }
        if (++compared == SIBLINGS_COMPARED_MAX)
            break;
    }
    return found;
}

static void warn_of_stray(struct capacity_reading *reading, const struct stray *stray)
{
    const char *near = nearest_sibling(stray->parent, strrchr(stray->path, '.') + 1);
    char shown[PROBLEMS_SHOWN_MAX];
    scoped_free char *others = stray->count > 1 ?
        mem_printf(" and %zu more of it", stray->count - 1) : mem_strdup("");

    set_reading_key(reading, stray->key);
    capacity_warning(reading, "there is no queue %s: this key%s passed over%s%s%s",
                     problems_show(stray->path, shown), others, near ? ", did you mean " : "",
                     near ? near : "", near ? "?" : "");
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
        problem_warn(&looking->reading->problems, CAPACITY_PREFIX "root...: keys of %zu more "
                     "queues that do not exist are passed over", number - WARNINGS_MAX);
}

void capacity_names_look(struct capacity_reading *reading)
{
    struct looking looking = { .reading = reading };

    conf_each(reading->conf, look_at_property, &looking);
    strays_done(&looking);
}

/* --- files of others ----------------------------------------------------------------------- */

struct kinds {
    const struct conf *conf;
    char *old;                  /* owned; the first key of Hadoop 1 */
    char *orphan;               /* owned; the first key of a queue other than root and default */
    bool queues;
};

static void count_kind(void *context, const char *name, const char *value, const char *origin)
{
    struct kinds *kinds = context;
    const char *root = CAPACITY_PREFIX "root.", *rest;

    (void)value;
    (void)origin;
    if (kinds->old == NULL && text_has_prefix(name, OLD_PREFIX))
        kinds->old = mem_strdup(name);
    if (!text_has_prefix(name, root))
        return;
    rest = name + strlen(root);
    if (strcmp(rest, "queues") == 0)
        kinds->queues = true;
    else if (kinds->orphan == NULL && !capacity_key_known(rest) && key_of_stray(rest) &&
             !text_has_prefix(rest, "default."))
        kinds->orphan = mem_strdup(name);
}

bool capacity_names_are_ours(struct capacity_reading *reading)
{
    struct kinds kinds = { .conf = reading->conf };
    char origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];
    bool ours = true;

    conf_each(reading->conf, count_kind, &kinds);
    if (kinds.old && !kinds.queues) {
        problem_error(&reading->problems, EINVAL, "%s: %s: OLD FORMAT: keys of Hadoop 1, which "
                      "are not read; expected " CAPACITY_PREFIX "root.queues and the like",
                      conf_origin(reading->conf, kinds.old, origin, sizeof(origin)),
                      problems_show(kinds.old, shown));
        ours = false;
    } else if (kinds.orphan && !kinds.queues) {
        set_reading_key(reading, kinds.orphan);
        capacity_problem(reading, "is a key of a queue, but " CAPACITY_PREFIX "root.queues, "
                         "which lists them, is missing");
        ours = false;
    } else if (kinds.old) {
        problem_warn(&reading->problems, "%s: %s: a key of Hadoop 1, passed over as are others "
                     "like it", conf_origin(reading->conf, kinds.old, origin, sizeof(origin)),
                     problems_show(kinds.old, shown));
    }
    free(kinds.old);
    free(kinds.orphan);
    return ours;
}
