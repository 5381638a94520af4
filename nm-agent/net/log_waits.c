/* SPDX-License-Identifier: Apache-2.0 */
/* log_waits.c - clients that wait for more of a container's log */
#include "nm-agent/net/log_waits.h"

#include <bsd/sys/queue.h>

#include "common/base/mem.h"
#include "common/base/shares.h"

struct entry {
    struct log_wait wait;
    char *user; /* owned */
    TAILQ_ENTRY(entry) next;
};

struct log_waits {
    struct shares *places;
    TAILQ_HEAD(, entry) entries;
};

struct log_waits *log_waits_new(void)
{
    struct log_waits *waits = mem_new0(struct log_waits);

    waits->places = shares_new(LOG_WAITS_MAX, LOG_WAITS_OF_USER_MAX);
    TAILQ_INIT(&waits->entries);
    return waits;
}

static void remove_entry(struct log_waits *waits, struct entry *entry)
{
    TAILQ_REMOVE(&waits->entries, entry, next);
    shares_remove(waits->places, entry->user);
    free(entry->user);
    free(entry);
}

void log_waits_free(struct log_waits *waits)
{
    struct entry *entry;

    if (waits == NULL)
        return;
    while ((entry = TAILQ_FIRST(&waits->entries)) != NULL)
        remove_entry(waits, entry);
    shares_free(waits->places);
    free(waits);
}

size_t log_waits_count(const struct log_waits *waits)
{
    return shares_used(waits->places);
}

const struct shares *log_waits_places(const struct log_waits *waits)
{
    return waits->places;
}

bool log_waits_add(struct log_waits *waits, const struct log_wait *wait, const char *user)
{
    enum shares_room room = shares_room(waits->places, user);
    struct entry *entry;

    if (room != SHARES_FREE) {
        shares_count_refused(waits->places, room);
        return false;
    }
    entry = mem_new0(struct entry);
    entry->wait = *wait;
    entry->user = mem_strdup(user);
    shares_add(waits->places, user);
    TAILQ_INSERT_TAIL(&waits->entries, entry, next);
    return true;
}

bool log_waits_check(struct log_waits *waits, log_look_fn *look, void *context)
{
    struct entry *entry, *next;

    TAILQ_FOREACH_SAFE(entry, &waits->entries, next, next) {
        enum log_look seen = look(context, &entry->wait);

        if (seen == LOG_LOOK_LATER)
            return false;
        if (seen == LOG_LOOK_ANSWERED)
            remove_entry(waits, entry);
    }
    return true;
}
