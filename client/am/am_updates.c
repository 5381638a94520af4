/* SPDX-License-Identifier: Apache-2.0 */
/* am_updates.c - other sizes that an application master has requested for its containers */
#include "client/am/am_updates.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <uthash.h>

#include "common/base/mem.h"

#define PER_ALLOCATE_MAX 1000 /* the limit of the RM (common/io/wire/wire_rules.c) */

enum state {
    NEW,   /* has not been sent */
    SENT,  /* in the Allocate that has no reply yet */
    WAITS, /* the RM has it: an increase that waits for room */
    AGAIN, /* was sent before a registration */
};

struct am_update {
    Creel__ContainerUpdateType type;
    Creel__Resource *capability; /* owned */
    enum state state;
    uint32_t version; /* that it was sent with */
    TAILQ_ENTRY(am_update) in_list;
};

struct am_updated {
    char *container_id;                      /* owned */
    uint32_t version;                        /* the newest that the RM has reported */
    TAILQ_HEAD(update_list, am_update) list; /* in the order of the calls; never empty */
    UT_hash_handle hh;
};

static struct am_updated *find(const struct am_updates *updates, const char *container_id)
{
    struct am_updated *of;

    HASH_FIND_STR(updates->containers, container_id, of);
    return of;
}

static void drop(struct am_updated *of, struct am_update *update)
{
    TAILQ_REMOVE(&of->list, update, in_list);
    creel__resource__free_unpacked(update->capability, NULL);
    free(update);
}

static void drop_if_empty(struct am_updates *updates, struct am_updated *of)
{
    if (!TAILQ_EMPTY(&of->list))
        return;
    HASH_DEL(updates->containers, of);
    free(of->container_id);
    free(of);
}

static void drop_all(struct am_updates *updates, struct am_updated *of)
{
    while (!TAILQ_EMPTY(&of->list))
        drop(of, TAILQ_FIRST(&of->list));
    drop_if_empty(updates, of);
}

void am_updates_clear(struct am_updates *updates)
{
    struct am_updated *of, *next;

    HASH_ITER(hh, updates->containers, of, next)
        drop_all(updates, of);
}

void am_updates_add(struct am_updates *updates, const char *container_id, uint32_t version,
                    Creel__ContainerUpdateType type, Creel__Resource *capability)
{
    struct am_updated *of = find(updates, container_id);
    struct am_update *update = mem_new0(struct am_update);

    if (of == NULL) {
        of = mem_new0(struct am_updated);
        of->container_id = mem_strdup(container_id);
        of->version = version;
        TAILQ_INIT(&of->list);
        HASH_ADD_KEYPTR(hh, updates->containers, of->container_id, strlen(of->container_id), of);
    }
    update->type = type;
    update->capability = capability;
    TAILQ_INSERT_TAIL(&of->list, update, in_list);
}

void am_updates_send_again(struct am_updates *updates)
{
    struct am_updated *of, *next;
    struct am_update *update;

    HASH_ITER(hh, updates->containers, of, next)
        TAILQ_FOREACH(update, &of->list, in_list)
            update->state = update->state == NEW ? NEW : AGAIN;
}

/* --- replies of the RM ------------------------------------------------------ */

/* Notes the version of CONTAINER, and drops the updates that were sent before it had this version. */
static void note(struct am_updates *updates, const Creel__Container *container)
{
    struct am_updated *of = find(updates, container->container_id);
    struct am_update *update, *next;

    if (of == NULL)
        return;
    of->version = container->version;
    for (update = TAILQ_FIRST(&of->list); update != NULL; update = next) {
        next = TAILQ_NEXT(update, in_list);
        if (update->state != NEW && container->version > update->version)
            drop(of, update);
    }
    drop_if_empty(updates, of);
}

static void note_refused(struct am_updates *updates, const char *container_id)
{
    struct am_updated *of = find(updates, container_id);
    struct am_update *update;

    if (of == NULL)
        return;
    TAILQ_FOREACH(update, &of->list, in_list)
        if (update->state == SENT)
            break;
    if (update != NULL)
        drop(of, update);
    drop_if_empty(updates, of);
}

static void note_ended(struct am_updates *updates, const char *container_id)
{
    struct am_updated *of = find(updates, container_id);

    if (of != NULL)
        drop_all(updates, of);
}

/* Notes that the RM has accepted the updates that were sent and have no answer. They replace those that
 * waited. */
static void note_accepted(struct am_updates *updates)
{
    struct am_updated *of, *next;
    struct am_update *first, *second;

    HASH_ITER(hh, updates->containers, of, next) {
        first = TAILQ_FIRST(&of->list);
        second = TAILQ_NEXT(first, in_list);
        if (first->state == SENT) {
            first->state = WAITS;
        } else if (first->state == WAITS && second != NULL && second->state == SENT) {
            second->state = WAITS;
            drop(of, first);
        }
    }
}

void am_updates_note_registered(struct am_updates *updates, const Creel__RegisterAmReply *reply)
{
    for (size_t i = 0; updates->containers != NULL && i < reply->n_running; i++)
        note(updates, reply->running[i]);
    for (size_t i = 0; updates->containers != NULL && i < reply->n_completed; i++)
        note_ended(updates, reply->completed[i]->container_id);
}

void am_updates_note_allocated(struct am_updates *updates, const Creel__AllocateReply *reply)
{
    for (size_t i = 0; updates->containers != NULL && i < reply->n_updated; i++)
        note(updates, reply->updated[i]);
    for (size_t i = 0; updates->containers != NULL && i < reply->n_update_errors; i++)
        note_refused(updates, reply->update_errors[i]->container_id);
    for (size_t i = 0; updates->containers != NULL && i < reply->n_completed; i++)
        note_ended(updates, reply->completed[i]->container_id);
    note_accepted(updates);
}

/* --- sending ---------------------------------------------------------------- */

/* Returns the update of a container that is to be sent now; NULL: none. */
static struct am_update *due_of(const struct am_updated *of)
{
    struct am_update *update = TAILQ_FIRST(&of->list);

    if (update->state == WAITS)
        update = TAILQ_NEXT(update, in_list);
    return update != NULL && update->state != SENT ? update : NULL;
}

bool am_updates_is_due(const struct am_updates *updates)
{
    const struct am_updated *of;

    for (of = updates->containers; of != NULL; of = of->hh.next)
        if (due_of(of) != NULL)
            return true;
    return false;
}

static Creel__ContainerUpdate *message_of(const struct am_updated *of, const struct am_update *update,
                                          struct arena *arena)
{
    Creel__ContainerUpdate *message = arena_new0(arena, Creel__ContainerUpdate);

    creel__container_update__init(message);
    message->container_id = of->container_id;
    message->version = update->version;
    message->type = update->type;
    message->capability = update->capability;
    return message;
}

void am_updates_fill(struct am_updates *updates, struct arena *arena, Creel__Allocate *body)
{
    struct am_updated *of;

    body->updates = arena_array0(arena, HASH_COUNT(updates->containers) + 1, sizeof(*body->updates));
    for (of = updates->containers; of != NULL && body->n_updates < PER_ALLOCATE_MAX; of = of->hh.next) {
        struct am_update *update = due_of(of);

        if (update == NULL)
            continue;
        update->state = SENT;
        update->version = of->version;
        body->updates[body->n_updates++] = message_of(of, update, arena);
    }
}
