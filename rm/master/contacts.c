/* SPDX-License-Identifier: Apache-2.0 */
/* contacts.c - records of the contact with agents: nodes in the order of their last heartbeat */
#include "rm/master/changes.h"
#include "rm/master/state.h"

#define SILENCE_INTERVALS 5 /* missing heartbeats after which a node is silent */
#define SILENCE_MIN_MS 10000

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
    rm_deadline_init(&m->contacts.silence, DEADLINE_SILENCE, m);
}

void rm_contacts_begin(struct master *m, struct node *node)
{
    TAILQ_INSERT_TAIL(&m->contacts.heard, node, in_contact);
    watch(m);
}

void rm_contacts_end(struct master *m, struct node *node)
{
    leave(m, node);
    watch(m);
}

void rm_contacts_heard(struct master *m, struct node *node)
{
    node->seen_ms = m->now_ms;
    if (node->sched == NULL)
        return;
    if (node->silent) {
        rm_changes_node(m, node);
        sched_node_set_silent(m->sched, node->sched, false);
    }
    leave(m, node);
    TAILQ_INSERT_TAIL(&m->contacts.heard, node, in_contact);
    watch(m);
}

void rm_contacts_on_timer(struct master *m)
{
    struct node *node;

    while ((node = TAILQ_FIRST(&m->contacts.heard)) != NULL && m->now_ms >= node->seen_ms + silence_ms(m)) {
        TAILQ_REMOVE(&m->contacts.heard, node, in_contact);
        TAILQ_INSERT_TAIL(&m->contacts.silent, node, in_contact);
        node->silent = true;
        sched_node_set_silent(m->sched, node->sched, true);
        m->contacts.silent_count++;
        rm_changes_node(m, node);
    }
    watch(m);
}
