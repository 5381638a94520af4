/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - loads the configuration: reads all keys, builds the tree of queues, and checks the result */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/capacity/config/private.h"
#include "rm/sched/queue_name.h"

/* Returns why NAME cannot be a child of PARENT, or NULL. */
static const char *objection(const struct capacity_config *config, const struct capacity_queue *parent,
                             const char *name)
{
    scoped_free char *path = mem_printf("%s.%s", parent->path, name);

    if (strcmp(name, config->root->path) == 0 || capacity_queue_at(config, name, strlen(name)))
        return "would be above itself: names of queues below are without the path before them, and "
               "none is root";
    if (strchr(name, '.'))
        return "has a dot: expected names without the path before them";
    if (strcmp(name, "*") == 0 || strpbrk(name, "\n\r\t"))
        return "cannot be the name of a queue";
    if (strlen(path) > CAPACITY_PATH_MAX)
        return "makes a path that is too long: expected at most 255 bytes with root and the dots";
    if (capacity_queue_at(config, path, strlen(path)))
        return "is there twice";
    return NULL;
}

static bool add_child(struct capacity_reading *reading, struct capacity_queue *parent, const char *name)
{
    struct capacity_config *config = reading->config;
    const char *wrong = objection(config, parent, name);
    char shown[PROBLEMS_SHOWN_MAX];

    if (config->queue_count == CAPACITY_QUEUES_MAX) {
        capacity_problem(capacity_at(reading, parent, CAPACITY_KEY_QUEUES, 0), "more than %d queues",
                         CAPACITY_QUEUES_MAX);
        return false;
    }
    if (wrong)
        capacity_problem(capacity_at(reading, parent, CAPACITY_KEY_QUEUES, 0), "%s %s",
                         problems_show(name, shown), wrong);
    else
        capacity_queue_new(config, parent, name);
    return true;
}

/* Adds the children of PARENT. Returns false if loading must stop. */
static bool add_children(struct capacity_reading *reading, struct capacity_queue *parent)
{
    const char *value = capacity_get(reading, parent, CAPACITY_KEY_QUEUES, 0);
    scoped_free char *list = mem_strdup(value ? value : "");
    char *rest = list, *name;

    if (value && queue_path_depth(parent->path) == CAPACITY_DEPTH_MAX) {
        capacity_problem(reading, "queues are deeper than %d", CAPACITY_DEPTH_MAX);
        return true;
    }
    while ((name = text_next_word(&rest)) != NULL)
        if (!add_child(reading, parent, name))
            return false;
    return true;
}

static void build_tree(struct capacity_reading *reading)
{
    struct capacity_config *config = reading->config;
    struct capacity_queue *queue = capacity_queue_new(config, NULL, "root");
    bool makes = false;

    /* The list grows after the present queue. */
    for (; queue; queue = TAILQ_NEXT(queue, link))
        if (!add_children(reading, queue))
            return;
    if (!TAILQ_EMPTY(&config->root->children) || reading->problems.count > 0)
        return;
    capacity_read_value(reading, config->root, CAPACITY_KEY_AUTO_CREATE, &makes);
    if (capacity_get(reading, config->root, CAPACITY_KEY_QUEUES, 0))
        capacity_problem(reading, "expected at least one queue below root");
    else if (!makes)
        capacity_queue_new(config, config->root, "default");
}

/* Sets the default configuration of YARN, if there is no configuration. */
static void set_default_all(struct capacity_reading *reading)
{
    struct capacity_config *config = reading->config;
    struct capacity_queue *queue = TAILQ_FIRST(&config->root->children);

    if (queue && !capacity_get(reading, config->root, CAPACITY_KEY_QUEUES, 0) &&
        !capacity_get(reading, queue, CAPACITY_KEY_CAPACITY, 0))
        queue->shares[0].configured = 100;
}

static void read_all(struct capacity_reading *reading)
{
    struct capacity_config *config = reading->config;
    struct capacity_queue *queue;

    TAILQ_INIT(&config->queues);
    config->labels[config->label_count++] = mem_strdup("");
    capacity_read_scheduler(reading);
    if (!capacity_names_are_ours(reading))
        return;
    build_tree(reading);
    capacity_note_templates(config, reading->conf);
    capacity_names_check(reading);
    TAILQ_FOREACH(queue, &config->queues, link)
        capacity_read_queue(reading, queue);
    set_default_all(reading);
    if (reading->problems.count == 0)
        capacity_judge(reading);
}

int capacity_config_load(const struct conf *conf, conf_warn_fn *warn, void *context,
                         struct capacity_config **ret, struct err *err)
{
    struct capacity_config *config = mem_new0(struct capacity_config);
    struct capacity_reading reading;
    int result;

    config->conf = conf;
    capacity_reading_begin(&reading, config, conf);
    reading.problems.warn = warn;
    reading.problems.context = context;
    read_all(&reading);
    result = capacity_reading_end(&reading, err);
    if (result < 0)
        capacity_config_free(config);
    else
        *ret = config;
    return result;
}
