/* SPDX-License-Identifier: Apache-2.0 */
/* conf_page.c - pages of the configuration of queues, as messages for clients */
#include "rm/net/conf/conf_page.h"

#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/net/conf/conf_edit.h"

#define BYTES_MAX \
    ((size_t)1 << 20) /* of the rows of a page, except the first one; a frame may have 64 KiB more */
#define ROW_BYTES 32  /* of a row, beside its texts */

/* A page that is being made. */
struct listing {
    Creel__SchedulerConf *reply;
    size_t capacity;   /* of the reply's entries */
    uint32_t first;    /* row with which the page begins */
    uint32_t position; /* number of rows so far, of all pages */
    size_t bytes, rows;
};

/* Counts a row of BYTES. Returns true if it is on the page. */
static bool add_row(struct listing *listing, size_t bytes)
{
    uint32_t position = listing->position++;

    if (position < listing->first || listing->reply->next != 0)
        return false;
    if (listing->rows > 0 && listing->bytes + bytes > BYTES_MAX) {
        listing->reply->next = position;
        return false;
    }
    listing->bytes += bytes;
    listing->rows++;
    return true;
}

static void add_entry(void *context, const char *name, const char *value, const char *origin)
{
    struct listing *listing = context;
    Creel__SchedulerConf *reply = listing->reply;
    Creel__ConfigurationEntry *entry;

    if (!text_has_prefix(name, CONF_EDIT_PREFIX) || text_equal(origin, "default") ||
        !add_row(listing, strlen(name) + strlen(value) + strlen(origin) + ROW_BYTES))
        return;
    entry = mem_new0(Creel__ConfigurationEntry);
    creel__configuration_entry__init(entry);
    entry->key = mem_strdup(name);
    entry->value = mem_strdup(value);
    entry->origin = mem_strdup(origin);
    entry->refreshed = true;
    mem_grow(reply->entries, reply->n_entries, listing->capacity);
    reply->entries[reply->n_entries++] = entry;
}

/* Adds the part of VERSION that is on the page. Takes ownership of VERSION. */
static void add_version(struct listing *listing, Creel__SchedulerConfVersion *version)
{
    bool listed = add_row(listing, strlen(version->by) + strlen(version->summary) + ROW_BYTES);
    size_t changed = 0;

    for (size_t i = 0; i < version->n_changed; i++) {
        Creel__ConfOverride *change = version->changed[i];

        if (add_row(listing, creel__conf_override__get_packed_size(change) + ROW_BYTES))
            version->changed[changed++] = change;
        else
            creel__conf_override__free_unpacked(change, NULL);
    }
    version->n_changed = changed;
    if (listed || changed > 0)
        listing->reply->versions[listing->reply->n_versions++] = version;
    else
        creel__scheduler_conf_version__free_unpacked(version, NULL);
}

Creel__SchedulerConfVersion *conf_page_version(const struct scheduler_confs *confs, size_t i)
{
    const Creel__StoredSchedulerConf *row = confs->rows[i];

    /* Version 2 is compared with the files. */
    return conf_edit_version(i > 0 ? confs->rows[i - 1] : row->version > 2 ? row : NULL, row);
}

static void add_versions(const struct scheduler_confs *confs, struct listing *listing)
{
    Creel__StoredSchedulerConf files = CREEL__STORED_SCHEDULER_CONF__INIT;

    files.version = 1;
    files.summary = (char *)(uintptr_t) "the files alone";
    listing->reply->versions = mem_array0(confs->count + 2, sizeof(*listing->reply->versions));
    add_version(listing, conf_edit_version(NULL, &files));
    for (size_t i = 0; i < confs->count; i++)
        add_version(listing, conf_page_version(confs, i));
}

static void add_warnings(struct listing *listing, const struct conf_warnings *warnings)
{
    Creel__SchedulerConf *reply = listing->reply;

    reply->warnings = mem_array0(warnings->count + 1, sizeof(*reply->warnings));
    for (size_t i = 0; i < warnings->count; i++) {
        reply->warnings[reply->n_warnings++] = mem_strdup(warnings->texts[i]);
        listing->bytes += strlen(warnings->texts[i]) + ROW_BYTES;
    }
}

static struct listing begin(const struct scheduler_confs *confs, uint32_t first)
{
    const Creel__StoredSchedulerConf *newest = scheduler_confs_newest(confs);
    struct listing listing = { .reply = mem_new0(Creel__SchedulerConf), .first = first };

    creel__scheduler_conf__init(listing.reply);
    listing.reply->version = newest != NULL ? newest->version : 1;
    return listing;
}

Creel__SchedulerConf *conf_page_properties(const struct scheduler_confs *confs, const struct conf *conf,
                                           const struct conf_warnings *warnings, uint32_t first)
{
    struct listing listing = begin(confs, first);

    if (warnings != NULL && first == 0)
        add_warnings(&listing, warnings);
    conf_each(conf, add_entry, &listing);
    return listing.reply;
}

Creel__SchedulerConf *conf_page_versions(const struct scheduler_confs *confs, uint32_t first)
{
    struct listing listing = begin(confs, first);

    add_versions(confs, &listing);
    return listing.reply;
}
