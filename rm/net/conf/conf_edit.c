/* SPDX-License-Identifier: Apache-2.0 */
/* conf_edit.c - edits of the configuration of queues */
#include "rm/net/conf/conf_edit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"

#define OVERRIDES_MAX 10000
#define BYTES_MAX ((size_t)1 << 20) /* of keys and values; the store keeps every version whole */
#define SUMMARY_BYTES 200
#define MONITOR_PREFIX "yarn.resourcemanager.monitor.capacity."
#define FILE_KEY CONF_EDIT_PREFIX "mapping-rule-json-file"

struct editing {
    const struct conf *conf;
    const char *user;
    int64_t now_ms;
    Creel__ConfOverride **items; /* sorted by key; owned */
    size_t count, capacity;
};

/* --- overrides ---------------------------------------------------------------- */

static Creel__ConfOverride *override_new(const char *key, const char *value, const char *by, int64_t since_ms)
{
    Creel__ConfOverride *override = mem_new0(Creel__ConfOverride);

    creel__conf_override__init(override);
    override->key = mem_strdup(key);
    override->value = mem_strdup(value != NULL ? value : "");
    override->removed = value == NULL;
    override->by = mem_strdup(by);
    override->since_ms = since_ms;
    return override;
}

/* Returns the place of KEY, or the place where it would be inserted. */
static size_t place_of(const struct editing *editing, const char *key, bool *found)
{
    size_t low = 0, high = editing->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (strcmp(editing->items[middle]->key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *found = low < editing->count && text_equal(editing->items[low]->key, key);
    return low;
}

static void insert(struct editing *editing, size_t at, Creel__ConfOverride *override)
{
    mem_grow(editing->items, editing->count, editing->capacity);
    memmove(&editing->items[at + 1], &editing->items[at], (editing->count - at) * sizeof(*editing->items));
    editing->items[at] = override;
    editing->count++;
}

/* Overrides KEY with VALUE. VALUE NULL: the override removes KEY. */
static void set(struct editing *editing, const char *key, const char *value)
{
    bool found;
    size_t at = place_of(editing, key, &found);
    Creel__ConfOverride *old = found ? editing->items[at] : NULL;
    Creel__ConfOverride *override;

    if (old != NULL && old->removed == (value == NULL) && (value == NULL || text_equal(old->value, value)))
        return;
    override = override_new(key, value, editing->user, editing->now_ms);
    if (old == NULL) {
        insert(editing, at, override);
        return;
    }
    creel__conf_override__free_unpacked(old, NULL);
    editing->items[at] = override;
}

/* Returns the value of KEY with the edits so far, or NULL. */
static const char *get(const struct editing *editing, const char *key)
{
    bool found;
    size_t at = place_of(editing, key, &found);

    if (!found)
        return conf_raw(editing->conf, key);
    return editing->items[at]->removed ? NULL : editing->items[at]->value;
}

/* --- checks ------------------------------------------------------------------- */

static bool is_plain(const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at <= ' ' || *at == 0x7f)
            return false;
    return *text != '\0';
}

static int judge_queue(const char *path, struct err *err)
{
    size_t length = strlen(path);

    if (is_plain(path) && strchr(path, ',') == NULL && path[0] != '.' && path[length - 1] != '.' &&
        strstr(path, "..") == NULL && strstr(path, "${") == NULL)
        return 0;
    return err_set(err, EINVAL, "queue \"%.100s\": expected the path of a queue, as root.a", path);
}

static int judge_value(const char *key, const char *value, struct err *err)
{
    if (strstr(value, "${") != NULL)
        return err_set(err, EINVAL, "%.200s: variables (${...}) are for files: write the value", key);
    return 0;
}

static int judge_key(const char *key, struct err *err)
{
    if (!is_plain(key))
        return err_set(err, EINVAL, "\"%.200s\": expected the name of a property", key);
    if (!text_has_prefix(key, CONF_EDIT_PREFIX) && !text_has_prefix(key, MONITOR_PREFIX))
        return err_set(err, EINVAL,
                       "%.200s: only properties of capacity-scheduler.xml (" CONF_EDIT_PREFIX
                       "*) are changed in this way",
                       key);
    if (text_equal(key, FILE_KEY))
        return err_set(err, EINVAL, "%s: names a file of the resource manager's host: set it in a file", key);
    return 0;
}

static int judge_size(const struct editing *editing, struct err *err)
{
    size_t bytes = 0;

    for (size_t i = 0; i < editing->count; i++)
        bytes += strlen(editing->items[i]->key) + strlen(editing->items[i]->value);
    if (editing->count <= OVERRIDES_MAX && bytes <= BYTES_MAX)
        return 0;
    return err_set(err, EMSGSIZE,
                   "%zu properties of %zu bytes would differ from the file, more than %d or %zu bytes: "
                   "change the file",
                   editing->count, bytes, OVERRIDES_MAX, BYTES_MAX);
}

/* --- edits -------------------------------------------------------------------- */

static int set_keys(struct editing *editing, const char *prefix, const Creel__SchedulerConfEdit *edit,
                    struct err *err)
{
    for (size_t i = 0; i < edit->n_keys; i++) {
        const Creel__ConfOverride *given = edit->keys[i];
        scoped_free char *key = mem_printf("%s%s", prefix, given->key);
        bool removed = given->removed || *given->value == '\0';
        int r = judge_key(key, err);

        if (r == 0 && !removed)
            r = judge_value(key, given->value, err);
        if (r < 0)
            return r;
        set(editing, key, removed ? NULL : given->value);
    }
    return 0;
}

static int set_queue_keys(struct editing *editing, const Creel__SchedulerConfEdit *edit, struct err *err)
{
    scoped_free char *prefix = mem_printf(CONF_EDIT_PREFIX "%s.", edit->queue);

    return set_keys(editing, prefix, edit, err);
}

/* Returns LIST without NAME; the caller frees the text. Sets *WITHOUT to whether LIST did not have NAME. */
static char *list_without(const char *list, const char *name, bool *without)
{
    scoped_free char *copy = mem_strdup(list);
    struct text_builder result = TEXT_BUILDER_MALLOC;
    char *rest = copy, *word;

    *without = true;
    while ((word = strsep(&rest, ", \t\r\n")) != NULL) {
        if (*word == '\0')
            continue;
        if (text_equal(word, name)) {
            *without = false;
            continue;
        }
        text_builder_separate(&result, ",");
        text_builder_add(&result, word);
    }
    return text_builder_finish(&result);
}

/* The key whose value lists a queue (the list of its parent), and the queue's name in that list. The caller
 * frees KEY. */
struct membership {
    char *key;
    const char *name;
};

static int find_membership(const char *path, struct membership *ret, struct err *err)
{
    const char *dot = strrchr(path, '.');

    if (dot == NULL)
        return err_set(err, EINVAL, "Queue %s has no parent: only queues below root are added or removed",
                       path);
    ret->key = mem_printf(CONF_EDIT_PREFIX "%.*s.queues", (int)(dot - path), path);
    ret->name = dot + 1;
    return 0;
}

static int add_queue(struct editing *editing, const Creel__SchedulerConfEdit *edit, struct err *err)
{
    struct membership of = { NULL, NULL };
    scoped_free char *others = NULL, *list = NULL;
    bool is_new = true;
    int r = find_membership(edit->queue, &of, err);

    if (r < 0)
        return r;
    others = list_without(get(editing, of.key) != NULL ? get(editing, of.key) : "", of.name, &is_new);
    if (is_new) {
        list = mem_printf("%s%s%s", others, *others != '\0' ? "," : "", of.name);
        set(editing, of.key, list);
    }
    free(of.key);
    if (!is_new)
        return err_set(err, EEXIST, "Can't add existing queue %s", edit->queue);
    return set_queue_keys(editing, edit, err);
}

struct removal {
    struct editing *editing;
    const char *prefix;
};

static void remove_property(void *context, const char *name, const char *value, const char *origin)
{
    const struct removal *removal = context;

    (void)value;
    (void)origin;
    if (text_has_prefix(name, removal->prefix))
        set(removal->editing, name, NULL);
}

static int remove_queue(struct editing *editing, const Creel__SchedulerConfEdit *edit, struct err *err)
{
    scoped_free char *prefix = mem_printf(CONF_EDIT_PREFIX "%s.", edit->queue), *others = NULL;
    struct removal removal = { editing, prefix };
    struct membership of = { NULL, NULL };
    bool missing = true;
    int r = find_membership(edit->queue, &of, err);

    if (r < 0)
        return r;
    others = list_without(get(editing, of.key) != NULL ? get(editing, of.key) : "", of.name, &missing);
    if (!missing)
        set(editing, of.key, *others != '\0' ? others : NULL);
    free(of.key);
    if (missing)
        return err_set(err, ENOENT, "Queue %s not found", edit->queue);
    conf_each(editing->conf, remove_property, &removal);
    for (size_t i = 0; i < editing->count; i++)
        remove_property(&removal, editing->items[i]->key, NULL, NULL);
    return 0;
}

static int apply_edit(struct editing *editing, const Creel__SchedulerConfEdit *edit, struct err *err)
{
    int r = 0;

    if (edit->part != CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_GLOBAL)
        r = judge_queue(edit->queue, err);
    if (r < 0)
        return r;
    switch (edit->part) {
    case CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_GLOBAL:
        return set_keys(editing, "", edit, err);
    case CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_UPDATE_QUEUE:
        return set_queue_keys(editing, edit, err);
    case CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_ADD_QUEUE:
        return add_queue(editing, edit, err);
    case CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_REMOVE_QUEUE:
        return remove_queue(editing, edit, err);
    default:
        return err_set(err, EINVAL, "an edit is of no known kind");
    }
}

/* --- the new version ------------------------------------------------------------ */

/* Returns a text like "remove-queue root.a, update-queue root.b", which the caller frees. */
static char *summarize(const Creel__ChangeSchedulerConf *change)
{
    static const char *const names[] = {
        [CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_GLOBAL] = "global-updates",
        [CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_UPDATE_QUEUE] = "update-queue ",
        [CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_ADD_QUEUE] = "add-queue ",
        [CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_REMOVE_QUEUE] = "remove-queue ",
    };
    char text[SUMMARY_BYTES + 32] = "";
    size_t length = 0;

    for (size_t i = 0; i < change->n_edits && length < SUMMARY_BYTES; i++) {
        const Creel__SchedulerConfEdit *edit = change->edits[i];
        bool global = edit->part == CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_GLOBAL;
        int n = snprintf(text + length, SUMMARY_BYTES - length, "%s%s%s", i > 0 ? ", " : "",
                         names[edit->part], global ? "" : edit->queue);

        length += (size_t)n;
    }
    if (length >= SUMMARY_BYTES)
        memcpy(text + SUMMARY_BYTES - 4, "...", 4);
    return mem_strdup(change->n_edits > 0 ? text : "nothing changed");
}

/* Copies the overrides of ROW, which may be NULL. */
static void copy_overrides(struct editing *editing, const Creel__StoredSchedulerConf *row)
{
    for (size_t i = 0; row != NULL && i < row->n_overrides; i++) {
        const Creel__ConfOverride *old = row->overrides[i];

        insert(editing, i, override_new(old->key, old->removed ? NULL : old->value, old->by, old->since_ms));
    }
}

/* Returns the version after NEWEST; takes ownership of the overrides and of SUMMARY. */
static Creel__StoredSchedulerConf *version_new(const struct editing *editing,
                                               const Creel__StoredSchedulerConf *newest, char *summary)
{
    Creel__StoredSchedulerConf *row = mem_new0(Creel__StoredSchedulerConf);

    creel__stored_scheduler_conf__init(row);
    row->version = newest != NULL ? newest->version + 1 : 2;
    row->by = mem_strdup(editing->user);
    row->at_ms = editing->now_ms;
    row->summary = summary;
    row->overrides = editing->items;
    row->n_overrides = editing->count;
    return row;
}

Creel__StoredSchedulerConf *conf_edit_roll_back(const Creel__StoredSchedulerConf *old,
                                                const Creel__StoredSchedulerConf *newest, const char *user,
                                                int64_t now_ms)
{
    struct editing editing = { .user = user, .now_ms = now_ms };

    copy_overrides(&editing, old);
    return version_new(&editing, newest,
                       mem_printf("rollback to %llu", old != NULL ? (unsigned long long)old->version : 1));
}

int conf_edit_apply(const struct conf *conf, const Creel__StoredSchedulerConf *before,
                    const Creel__ChangeSchedulerConf *change, const char *user, int64_t now_ms,
                    Creel__StoredSchedulerConf **ret, struct err *err)
{
    struct editing editing = { .conf = conf, .user = user, .now_ms = now_ms };
    Creel__StoredSchedulerConf *row;
    int r = 0;

    copy_overrides(&editing, before);
    for (size_t i = 0; r == 0 && i < change->n_edits; i++)
        r = apply_edit(&editing, change->edits[i], err);
    if (r == 0)
        r = judge_size(&editing, err);
    row = version_new(&editing, before, r == 0 ? summarize(change) : mem_strdup(""));
    if (r == 0)
        *ret = row;
    else
        creel__stored_scheduler_conf__free_unpacked(row, NULL);
    return r;
}

/* Returns a copy of NEW. If NEW is NULL, the override OLD was dropped: returns an entry that has the value of
 * the file again. */
static Creel__ConfOverride *changed_override(const Creel__ConfOverride *old, const Creel__ConfOverride *new,
                                             const Creel__StoredSchedulerConf *now)
{
    Creel__ConfOverride *changed;

    if (new != NULL)
        return override_new(new->key, new->removed ? NULL : new->value, now->by, now->at_ms);
    changed = override_new(old->key, "", now->by, now->at_ms);
    changed->as_file = true;
    return changed;
}

static void add_changed(Creel__SchedulerConfVersion *version, const Creel__StoredSchedulerConf *before,
                        const Creel__StoredSchedulerConf *now)
{
    size_t old_count = before != NULL ? before->n_overrides : 0, i = 0, k = 0;

    version->changed = mem_array0(old_count + now->n_overrides + 1, sizeof(*version->changed));
    while (i < old_count || k < now->n_overrides) {
        const Creel__ConfOverride *old = i < old_count ? before->overrides[i] : NULL;
        const Creel__ConfOverride *new = k < now->n_overrides ? now->overrides[k] : NULL;
        int order = old == NULL ? 1 : new == NULL ? -1 : strcmp(old->key, new->key);

        if (order != 0 || old->removed != new->removed || !text_equal(old->value, new->value))
            version->changed[version->n_changed++] = changed_override(old, order < 0 ? NULL : new, now);
        i += order <= 0;
        k += order >= 0;
    }
}

Creel__SchedulerConfVersion *conf_edit_version(const Creel__StoredSchedulerConf *before,
                                               const Creel__StoredSchedulerConf *now)
{
    Creel__SchedulerConfVersion *version = mem_new0(Creel__SchedulerConfVersion);

    creel__scheduler_conf_version__init(version);
    version->version = now->version;
    version->by = mem_strdup(now->by);
    version->at_ms = now->at_ms;
    version->summary = mem_strdup(now->summary);
    add_changed(version, before, now);
    return version;
}
