/* SPDX-License-Identifier: Apache-2.0 */
/* templates.c - lists the templates of the queues that are created below a queue, for reports */
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/config/private.h"

static const enum capacity_key kinds[] = {
    [CAPACITY_TEMPLATE_MANAGED] = CAPACITY_KEY_MANAGED_TEMPLATE,
    [CAPACITY_TEMPLATE_DYNAMIC] = CAPACITY_KEY_TEMPLATE,
    [CAPACITY_TEMPLATE_PARENT] = CAPACITY_KEY_PARENT_TEMPLATE,
    [CAPACITY_TEMPLATE_LEAF] = CAPACITY_KEY_LEAF_TEMPLATE,
};
#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

/* Finds the prefix of a template in KEY, "<path>.<prefix><name>". Returns the prefix, or NULL. */
static const char *find_prefix(const char *key, enum capacity_template_kind *kind)
{
    for (const char *dot = strchr(key, '.'); dot; dot = strchr(dot + 1, '.'))
        for (size_t i = 0; i < KIND_COUNT; i++)
            if (text_has_prefix(dot + 1, capacity_keys[kinds[i]].name)) {
                *kind = (enum capacity_template_kind)i;
                return dot + 1;
            }
    return NULL;
}

static void note_property(void *context, const char *name, const char *value, const char *origin)
{
    struct capacity_config *config = context;
    struct capacity_template *made;
    enum capacity_template_kind kind;
    const char *path = name + strlen(CAPACITY_PREFIX), *prefix;

    (void)origin;
    if (!text_has_prefix(name, CAPACITY_PREFIX) || (prefix = find_prefix(path, &kind)) == NULL)
        return;
    mem_grow(config->templates, config->template_count, config->template_capacity);
    made = &config->templates[config->template_count++];
    *made = (struct capacity_template){
        .path = mem_strndup(path, (size_t)(prefix - path) - 1),
        .kind = kind,
        .name = prefix + strlen(capacity_keys[kinds[kind]].name),
        .value = value,
    };
}

void capacity_note_templates(struct capacity_config *config, const struct conf *conf)
{
    conf_each(conf, note_property, config);
}

void capacity_free_templates(struct capacity_config *config)
{
    for (size_t i = 0; i < config->template_count; i++)
        free(config->templates[i].path);
    free(config->templates);
}

/* Compares PATH with PATTERN, whose last components may be "*". Returns the number of these, or -1 if PATTERN
 * is of other queues. */
static int match_path(const char *pattern, const char *path)
{
    int stars = 0;

    for (;;) {
        size_t length = strcspn(path, "."), given = strcspn(pattern, ".");
        bool is_star = given == 1 && *pattern == '*';

        if (!is_star && (stars > 0 || length != given || memcmp(path, pattern, length) != 0))
            return -1;
        stars += is_star ? 1 : 0;
        path += length;
        pattern += given;
        if (*path == '\0' || *pattern == '\0')
            return *path == *pattern ? stars : -1;
        path++;
        pattern++;
    }
}

void capacity_each_template(const struct capacity_config *config, const struct capacity_queue *queue,
                            capacity_template_fn *each, void *context)
{
    if (!queue->auto_create && !queue->auto_create_legacy)
        return;
    for (size_t i = 0; i < config->template_count; i++) {
        const struct capacity_template *template = &config->templates[i];
        bool is_managed = template->kind == CAPACITY_TEMPLATE_MANAGED;
        int stars = match_path(template->path, queue->path);

        if (stars < 0 || (is_managed ? stars > 0 || !queue->auto_create_legacy : !queue->auto_create))
            continue;
        each(context, template->kind, template->name, template->value, stars);
    }
}
