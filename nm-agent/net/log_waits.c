/* SPDX-License-Identifier: Apache-2.0 */
/* log_waits.c - clients that wait for more of a container's log */
#include "nm-agent/net/log_waits.h"

#include <bsd/sys/queue.h>

#include "common/base/mem.h"

struct entry {
    struct log_wait wait;
    TAILQ_ENTRY(entry) next;
};

struct log_waits {
    size_t count;
    TAILQ_HEAD(, entry) entries;
};

struct log_waits *log_waits_new(void)
{
    struct log_waits *waits = mem_new0(struct log_waits);

    TAILQ_INIT(&waits->entries);
    return waits;
}

static void remove_entry(struct log_waits *waits, struct entry *entry)
{
    TAILQ_REMOVE(&waits->entries, entry, next);
    waits->count--;
    free(entry);
}

void log_waits_free(struct log_waits *waits)
{
    struct entry *entry;

    if (waits == NULL)
        return;
    while ((entry = TAILQ_FIRST(&waits->entries)) != NULL)
        remove_entry(waits, entry);
    free(waits);
}

size_t log_waits_count(const struct log_waits *waits)
{
    return waits->count;
}

bool log_waits_add(struct log_waits *waits, const struct log_wait *wait)
{
    struct entry *entry;

    if (waits->count >= LOG_WAITS_MAX)
        return false;
    entry = mem_new0(struct entry);
    entry->wait = *wait;
    TAILQ_INSERT_TAIL(&waits->entries, entry, next);
    waits->count++;
    return true;
}

void log_waits_check(struct log_waits *waits, bool (*look)(void *context, const struct log_wait *wait),
                     void *context)
{
    struct entry *entry, *next;

    TAILQ_FOREACH_SAFE(entry, &waits->entries, next, next) {
        if (look(context, &entry->wait))
            remove_entry(waits, entry);
    }
}
