/* SPDX-License-Identifier: Apache-2.0 */
/* contacts.c - records of the contact with agents: nodes in the order of their last heartbeat */
#include <stdlib.h>

#include "rm/master/nodes/cutoff.h"
#include "rm/master/state.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/index.h"
#include "rm/master/state/rows.h"

#define SILENCE_INTERVALS 5 /* missing heartbeats after which a node is silent */
#define SILENCE_MIN_MS 10000
/* An agent tries to register every 12 s at least (nm-agent/core/link.c). A node that was silent before a
 * start of the resource manager has the time of two attempts: its agent may have come back while none
 * answered. */
#define RETURN_MS 25000

static int64_t silence_ms(const struct master *m)
{
    int64_t intervals_ms = SILENCE_INTERVALS * m->config.heartbeat_interval_ms;

    return intervals_ms > SILENCE_MIN_MS ? intervals_ms : SILENCE_MIN_MS;
}

static void watch(struct master *m)
{
    const struct node *first = TAILQ_FIRST(&m->contacts.heard);

    if (first == NULL)
        rm_deadline_clear(m, &m->contacts.silence);
    else if (!m->contacts.silence.armed)
        rm_deadline_set(m, &m->contacts.silence, first->seen_ms + silence_ms(m));
}

static void leave(struct master *m, struct node *node)
{
    if (!node->expected)
        return;
    node->expected = false;
    if (node->silent) {
        TAILQ_REMOVE(&m->contacts.silent, node, in_contact);
        m->contacts.silent_count--;
        node->silent = false;
    } else {
        TAILQ_REMOVE(&m->contacts.heard, node, in_contact);
    }
}

void rm_contacts_init(struct master *m)
{
    TAILQ_INIT(&m->contacts.heard);
    TAILQ_INIT(&m->contacts.silent);
    rm_flapping_init(m);
    rm_deadline_init(&m->contacts.silence, DEADLINE_SILENCE, m);
}

/* NODE was heard of now, and has no place on a list. */
static void join(struct master *m, struct node *node)
{
    TAILQ_INSERT_TAIL(&m->contacts.heard, node, in_contact);
    node->expected = true;
}

/* A node that has not registered since the start has no place in the scheduler. */
static void mark(struct master *m, struct node *node, bool silent)
{
    if (node->sched != NULL)
        sched_node_set_silent(m->sched, node->sched, silent);
    if (silent) {
        m->contacts.silences++;
        rm_flapping_note(m, node);
    }
    rm_changes_node(m, node);
}

void rm_contacts_begin(struct master *m, struct node *node)
{
    bool silent = node->silent;

    leave(m, node);
    join(m, node);
    if (silent)
        rm_store_node(m, node);
    watch(m);
}

void rm_contacts_end(struct master *m, struct node *node)
{
    leave(m, node);
    rm_flapping_forget(m, node);
    watch(m);
}

void rm_contacts_heard(struct master *m, struct node *node)
{
    node->seen_ms = m->now_ms;
    if (!node->expected)
        return;
    if (node->silent)
        mark(m, node, false);
    rm_contacts_begin(m, node);
}

static void fall_silent(struct master *m, struct node *node)
{
    TAILQ_INSERT_TAIL(&m->contacts.silent, node, in_contact);
    m->contacts.silent_count++;
    node->silent = true;
    mark(m, node, true);
}

void rm_contacts_on_timer(struct master *m)
{
    struct node *node;

    while ((node = TAILQ_FIRST(&m->contacts.heard)) != NULL && m->now_ms >= node->seen_ms + silence_ms(m)) {
        TAILQ_REMOVE(&m->contacts.heard, node, in_contact);
        fall_silent(m, node);
        rm_store_node(m, node);
    }
    watch(m);
}

/* --- after a start --------------------------------------------------------------- */

static int compare_contacts(const void *a, const void *b)
{
    const struct node *first = *(struct node *const *)a, *second = *(struct node *const *)b;

    return (first->seen_ms > second->seen_ms) - (first->seen_ms < second->seen_ms);
}

/* Returns when a node of the stored state was last heard of, by the clock of this start; 0: it was not
 * silent. */
static int64_t stored_contact_ms(const struct master *m, const struct node *node)
{
    int64_t contact_ms = node->seen_ms == 0 ? 0 : node->seen_ms + m->config.clock_set_ms;

    return contact_ms < m->now_ms ? contact_ms : m->now_ms;
}

/* NODE was silent before the start. It is lost when it would have been lost without the start. */
static void resume_silence(struct master *m, struct node *node)
{
    int64_t lost_ms = node->seen_ms + rm_cutoff_silence_ms(m, node);
    int64_t return_ms = RETURN_MS < m->config.node_expiry_ms ? RETURN_MS : m->config.node_expiry_ms;

    fall_silent(m, node);
    node->expected = true;
    /* The stored time of the contact was changed: the next start must not begin with the old one. */
    if (m->config.clock_set_ms != 0 || node->seen_ms == m->now_ms)
        rm_store_node(m, node);
    rm_deadline_set(m, &node->expiry, lost_ms > m->now_ms + return_ms ? lost_ms : m->now_ms + return_ms);
}

void rm_contacts_recovered(struct master *m)
{
    scoped_free struct node **silent = NULL;
    size_t count = 0, capacity = 0;
    struct node *node;

    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        int64_t contact_ms = stored_contact_ms(m, node);

        node->seen_ms = m->now_ms;
        if (node->state != NODE_STATE_NEW)
            continue;
        rm_deadline_set(m, &node->expiry, m->now_ms + m->config.node_expiry_ms);
        if (!node->registered && node->container_count == 0)
            continue;
        if (contact_ms == 0) {
            rm_contacts_begin(m, node);
            continue;
        }
        node->seen_ms = contact_ms;
        mem_grow(silent, count, capacity);
        silent[count++] = node;
    }
    if (count > 0)
        qsort(silent, count, sizeof(struct node *), compare_contacts);
    for (size_t i = 0; i < count; i++)
        resume_silence(m, silent[i]);
}

void master_each_expected_node(const struct master *m, void (*each)(void *context, const char *node_id),
                               void *context)
{
    const struct node *node;

    TAILQ_FOREACH(node, &m->contacts.heard, in_contact)
        if (node->state == NODE_STATE_NEW)
            each(context, node->id);
    TAILQ_FOREACH(node, &m->contacts.silent, in_contact)
        if (node->state == NODE_STATE_NEW)
            each(context, node->id);
}
