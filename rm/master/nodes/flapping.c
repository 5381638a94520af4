/* SPDX-License-Identifier: Apache-2.0 */
/* flapping.c - nodes that become silent again and again */
#include "rm/master/nodes/flapping.h"

#include "common/base/text_builder.h"
#include "rm/master/state.h"

void rm_flapping_init(struct master *m)
{
    rm_node_list_init(&m->contacts.flapping);
}

static void set_listed(struct master *m, struct node *node, bool listed)
{
    rm_node_list_set(&m->contacts.flapping, &node->faulty.flaps.in_flapping, node, listed);
}

void rm_flapping_note(struct master *m, struct node *node)
{
    if (m->now_ms - node->faulty.flaps.last_ms >= FLAPPING_MS)
        node->faulty.flaps.silences = 0;
    node->faulty.flaps.silences++;
    node->faulty.flaps.last_ms = m->now_ms;
    set_listed(m, node, false); /* it becomes the last one */
    set_listed(m, node, node->faulty.flaps.silences >= FLAPPING_SILENCES);
}

void rm_flapping_forget(struct master *m, struct node *node)
{
    set_listed(m, node, false);
    node->faulty.flaps.silences = 0;
}

static void forget_old(struct master *m)
{
    struct node *node;

    while ((node = rm_node_list_first(&m->contacts.flapping)) != NULL &&
           m->now_ms - node->faulty.flaps.last_ms >= FLAPPING_MS)
        rm_flapping_forget(m, node);
}

static void describe(struct text_builder *text, const struct node *node)
{
    text_builder_printf(text, "%s (silent %u times)", node->id, node->faulty.flaps.silences);
}

void rm_flapping_find(struct master *m, struct master_node_faults *ret)
{
    forget_old(m);
    ret->flapping = m->contacts.flapping.count;
    ret->flapping_text = rm_node_list_text(&m->contacts.flapping, m->out->arena, describe);
}
