/* SPDX-License-Identifier: Apache-2.0 */
/* wait_pool.c - places for requests that wait for a change, of which each user gets a share */
#include "rm/master/state/wait_pool.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "rm/master/state.h"

struct waiting {
    UT_hash_handle hh;
    char *user; /* owned */
    uint32_t count;
    TAILQ_HEAD(, wait) waits; /* oldest first */
    struct wait *next_early;  /* the oldest that is not early; NULL: all are */
    uint32_t early;
    int64_t early_ms; /* deadline of the last one that became early */
};

static struct waiting *find(const struct wait_pool *pool, const char *user)
{
    struct waiting *waiting;

    HASH_FIND_STR(pool->users, user, waiting);
    return waiting;
}

static struct waiting *get(struct wait_pool *pool, const char *user)
{
    struct waiting *waiting = find(pool, user);

    if (waiting)
        return waiting;
    waiting = mem_new0(struct waiting);
    waiting->user = mem_strdup(user);
    TAILQ_INIT(&waiting->waits);
    HASH_ADD_KEYPTR(hh, pool->users, waiting->user, strlen(waiting->user), waiting);
    return waiting;
}

bool rm_wait_pool_refuses(struct wait_pool *pool)
{
    bool full = pool->count >= pool->max;

    pool->refused_full += full ? 1 : 0;
    return full;
}

struct wait *rm_wait_pool_oldest(struct wait_pool *pool, const char *user)
{
    struct waiting *waiting = find(pool, user);

    if (waiting == NULL || waiting->count < pool->of_user_max)
        return NULL;
    pool->refused_owner++;
    return TAILQ_FIRST(&waiting->waits);
}

/* Makes the oldest request of WAITING early that is not so yet. */
static void hasten(struct master *m, struct wait_pool *pool, struct waiting *waiting)
{
    struct wait *wait = waiting->next_early;

    waiting->next_early = TAILQ_NEXT(wait, of_user);
    waiting->early++;
    wait->early = true;
    pool->refused_owner++;
    if (waiting->early_ms < m->now_ms)
        waiting->early_ms = m->now_ms;
    waiting->early_ms += WAIT_EARLY_MS;
    /* Early requests may have left before their deadlines. */
    if (waiting->early_ms > m->now_ms + (int64_t)waiting->early * WAIT_EARLY_MS)
        waiting->early_ms = m->now_ms + (int64_t)waiting->early * WAIT_EARLY_MS;
    if (waiting->early_ms < wait->deadline.at_ms)
        rm_deadline_set(m, &wait->deadline, waiting->early_ms);
}

void rm_wait_pool_enter(struct master *m, struct wait_pool *pool, struct wait *wait, const char *user,
                        int64_t at_ms)
{
    struct waiting *waiting = get(pool, user);

    wait->waiting = waiting;
    TAILQ_INSERT_TAIL(&waiting->waits, wait, of_user);
    if (waiting->next_early == NULL)
        waiting->next_early = wait;
    waiting->count++;
    pool->count++;
    rm_deadline_set(m, &wait->deadline, at_ms);
    if (waiting->count - waiting->early > pool->of_user_share)
        hasten(m, pool, waiting);
}

void rm_wait_pool_leave(struct master *m, struct wait_pool *pool, struct wait *wait)
{
    struct waiting *waiting = wait->waiting;

    rm_deadline_clear(m, &wait->deadline);
    waiting->early -= wait->early;
    if (waiting->next_early == wait)
        waiting->next_early = TAILQ_NEXT(wait, of_user);
    TAILQ_REMOVE(&waiting->waits, wait, of_user);
    pool->count--;
    if (--waiting->count > 0)
        return;
    HASH_DEL(pool->users, waiting);
    free(waiting->user);
    free(waiting);
}

struct master_peer rm_wait_peer(const struct wait *wait)
{
    return (struct master_peer){ wait->channel, wait->connection, wait->waiting->user, NULL };
}
