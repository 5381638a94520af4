/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capacity_config.c - fuzz target: configurations of the capacity scheduler, as arbitrary lines "key=value"
 *
 * Keys are without their common prefix. For an accepted configuration, amounts are computed, the cluster
 * grows, and a reload of the same configuration must be accepted.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/capacity/config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore_warning(void *context, enum conf_effect effect, const char *text)
{
    (void)context;
    if (strlen(text) == 0 || effect >= CONF_EFFECT_COUNT)
        abort();
}

static void append(char **xml, size_t *used, const char *text, size_t length)
{
    *xml = mem_resize(*xml, *used + length + 1, 1);
    memcpy(*xml + *used, text, length);
    *used += length;
    (*xml)[*used] = '\0';
}

static void append_text(char **xml, size_t *used, const char *text)
{
    append(xml, used, text, strlen(text));
}

/* Escapes "<" and "&", since invalid XML would only test the XML reader, which has its own fuzz target. */
static char *to_xml(const uint8_t *data, size_t size, size_t *length)
{
    scoped_free char *text = mem_strndup((const char *)data, size);
    char *xml = NULL, *rest = text, *line;

    *length = 0;
    append_text(&xml, length, "<configuration>");
    for (char *c = text; *c; c++)
        if (strchr("<>&", *c) || (unsigned char)*c >= 0x80 || ((unsigned char)*c < 0x20 && *c != '\n'))
            *c = '_';
    while ((line = strsep(&rest, "\n")) != NULL) {
        char *value = strchr(line, '=');

        if (value == NULL)
            continue;
        *value++ = '\0';
        append_text(&xml, length, "<property><name>");
        append_text(&xml, length, *line == '!' ? line + 1 : "yarn.scheduler.capacity.");
        append_text(&xml, length, *line == '!' ? "" : line);
        append_text(&xml, length, "</name><value>");
        append_text(&xml, length, value);
        append_text(&xml, length, "</value></property>\n");
    }
    append_text(&xml, length, "</configuration>");
    return xml;
}

static void check_config(struct capacity_config *config)
{
    struct resource totals[CAPACITY_LABELS_MAX];
    const struct capacity_queue *queue;
    size_t count = 0;

    for (int i = 0; i < CAPACITY_LABELS_MAX; i++)
        totals[i] = resource_of(INT64_C(1) << (i + 10), i);
    capacity_config_compute(config, totals);
    TAILQ_FOREACH(queue, &config->queues, link) {
        const struct capacity_share *share = &queue->shares[0];

        if (!(share->absolute >= 0) || share->absolute > 1.01f || !(share->capacity >= 0) ||
            resource_any_negative(&share->effective_minimum) ||
            resource_any_negative(&share->effective_maximum) || queue->max_apps < 0 ||
            queue->max_apps_per_user > queue->max_apps)
            abort();
        if (capacity_config_find(config, queue->path, NULL) != queue ||
            queue->leaf != (queue->leaf && TAILQ_EMPTY(&queue->children)))
            abort();
        capacity_queue_user_weight(queue, "u");
        count++;
    }
    if (count != config->queue_count)
        abort();
}

static struct capacity_live nobody_runs(void *context, const char *path)
{
    (void)context;
    (void)path;
    return (struct capacity_live){ .stopped = false };
}

static void grow(struct capacity_config *config)
{
    static const char *const paths[] = { "root.x", "root.a.x", "root.a.x.y", "root.b.x", "root.a.z" };
    struct capacity_queue *queue;
    struct err err;

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        queue = NULL;
        if ((capacity_config_create(config, paths[i], &queue, &err) == 0) != (queue != NULL))
            abort();
    }
    if (capacity_config_label_add(config, "another") >= 0)
        check_config(config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct capacity_config *config = NULL, *again = NULL;
    struct conf *conf = NULL;
    struct err err = { .code = 0 };
    size_t length;
    scoped_free char *xml = to_xml(data, size, &length);

    if (conf_load_buffer("/nowhere/cs.xml", xml, length, NULL, NULL, &conf, &err) != 0)
        return 0;
    if (capacity_config_load(conf, ignore_warning, NULL, &config, &err) != 0) {
        if (config != NULL || err.text[0] == '\0')
            abort();
    } else {
        check_config(config);
        grow(config);
        check_config(config);
        if (capacity_config_load(conf, NULL, NULL, &again, &err) != 0)
            abort();
        if (capacity_config_accept(config, again, nobody_runs, NULL, &err) != 0)
            abort(); /* a reload without changes must be accepted */
        check_config(again);
    }
    capacity_config_free(config);
    capacity_config_free(again);
    conf_free(conf);
    return 0;
}
