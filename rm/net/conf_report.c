/* SPDX-License-Identifier: Apache-2.0 */
/* conf_report.c - the configuration in force, for clients */
#include "rm/net/conf_report.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/net/reload.h"

#define PAGE_BYTES_MAX ((size_t)512 << 10) /* of the entries of a page, except the last one */

struct conf_report {
    Creel__Configuration all; /* owns the entries */
    Creel__Configuration page;
    size_t capacity;
    const struct conf *started,
        *refreshed; /* of the start and of the last refresh; valid in conf_report_new() alone */
};

static bool is_hidden(const char *name)
{
    static const char *const words[] = { "password", "secret", "credential" };
    const char *last = strrchr(name, '.');

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(last != NULL ? last : name, words[i]) != NULL)
            return true;
    return false;
}

static void add(struct conf_report *report, const char *name, const char *value, const char *origin)
{
    Creel__ConfigurationEntry *entry = mem_new0(Creel__ConfigurationEntry);

    creel__configuration_entry__init(entry);
    entry->hidden = is_hidden(name);
    entry->key = mem_strdup(name);
    entry->value = mem_strdup(entry->hidden ? "" : value);
    entry->origin = mem_strdup(origin);
    entry->refreshed = reload_applies(name) || reload_access_reads(name);
    mem_grow(report->all.entries, report->all.n_entries, report->capacity);
    report->all.entries[report->all.n_entries++] = entry;
}

/* Adds a key of the configuration of the start; its value is that of the last refresh if a refresh applies
 * the key. */
static void add_started(void *context, const char *name, const char *value, const char *origin)
{
    struct conf_report *report = context;
    char text[CONF_ORIGIN_MAX];

    if (!reload_applies(name))
        add(report, name, value, origin);
    else if (conf_show(report->refreshed, name) != NULL)
        add(report, name, conf_show(report->refreshed, name),
            conf_origin(report->refreshed, name, text, sizeof(text)));
}

/* Adds a key of the configuration of the last refresh, if the configuration of the start does not have it. */
static void add_refreshed(void *context, const char *name, const char *value, const char *origin)
{
    struct conf_report *report = context;

    if (reload_applies(name) && conf_show(report->started, name) == NULL)
        add(report, name, value, origin);
}

struct conf_report *conf_report_new(const struct conf *started, const struct conf *refreshed)
{
    struct conf_report *report = mem_new0(struct conf_report);

    creel__configuration__init(&report->all);
    report->started = started;
    report->refreshed = refreshed;
    conf_each(started, add_started, report);
    if (refreshed != started)
        conf_each(refreshed, add_refreshed, report);
    return report;
}

void conf_report_replace(struct conf_report *report, const char *key, const struct conf *conf)
{
    const char *value = conf_show(conf, key);
    char text[CONF_ORIGIN_MAX];

    for (size_t i = 0; i < report->all.n_entries; i++) {
        Creel__ConfigurationEntry *entry = report->all.entries[i];

        if (strcmp(entry->key, key) != 0)
            continue;
        free(entry->value);
        free(entry->origin);
        entry->value = mem_strdup(value != NULL ? value : "");
        entry->origin = mem_strdup(conf_origin(conf, key, text, sizeof(text)));
        return;
    }
    if (value != NULL)
        add(report, key, value, conf_origin(conf, key, text, sizeof(text)));
}

Creel__Configuration *conf_report_page(struct conf_report *report, uint32_t first)
{
    size_t count = report->all.n_entries, begin = first < count ? first : count, end = begin, bytes = 0;

    while (end < count && bytes < PAGE_BYTES_MAX)
        bytes += creel__configuration_entry__get_packed_size(report->all.entries[end++]);
    creel__configuration__init(&report->page);
    report->page.entries = report->all.entries + begin;
    report->page.n_entries = end - begin;
    report->page.next = end < count ? (uint32_t)end : 0;
    return &report->page;
}

void conf_report_free(struct conf_report *report)
{
    if (report == NULL)
        return;
    for (size_t i = 0; i < report->all.n_entries; i++)
        creel__configuration_entry__free_unpacked(report->all.entries[i], NULL);
    free(report->all.entries);
    free(report);
}
