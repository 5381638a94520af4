/* SPDX-License-Identifier: Apache-2.0 */
/* missing_accounts.c - nodes that lack the UNIX accounts of users who have them on other nodes */
#include "rm/master/nodes/missing_accounts.h"

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "rm/master/parts/format.h"
#include "rm/master/state.h"
#include "rm/master/state/account.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/copy.h"

static void forget(struct missing_accounts *missing, size_t at)
{
    free(missing->items[at].user);
    missing->items[at] = missing->items[--missing->count];
}

static struct missing_account *find(struct missing_accounts *missing, const char *user)
{
    for (size_t i = 0; i < missing->count; i++)
        if (text_equal(missing->items[i].user, user))
            return &missing->items[i];
    return NULL;
}

static void add(struct missing_accounts *missing, const char *user, int64_t now_ms)
{
    struct missing_account *known = find(missing, user);

    if (known == NULL && missing->count < MISSING_ACCOUNTS_MAX) {
        known = &missing->items[missing->count++];
        *known = (struct missing_account){ .user = mem_strdup(user), .first_ms = now_ms };
    }
    if (known != NULL)
        known->last_ms = now_ms;
}

void rm_missing_accounts_count(struct master *m, const struct container *container,
                               const Creel__ContainerStatus *status)
{
    struct missing_accounts *missing = &container->node->faulty.missing;
    const char *user = container->app->user;
    struct missing_account *known;
    struct account *account;

    if (container->state == CONTAINER_COMPLETED) /* a repeated report */
        return;
    if (status->no_account)
        add(missing, user, m->now_ms);
    if (status->started_ms == 0 || container->started_ms != 0)
        return;
    if ((known = find(missing, user)) != NULL)
        forget(missing, (size_t)(known - missing->items));
    if ((account = rm_account_find(m, user)) != NULL)
        account->started_ms = m->now_ms;
}

/* Returns true if a container of the user has started since. The node itself would have forgotten MISSING. */
static bool is_elsewhere(const struct master *m, const struct missing_account *missing)
{
    const struct account *account = rm_account_find(m, missing->user);

    return account != NULL && account->started_ms >= missing->first_ms;
}

static void drop_old(const struct master *m, struct node *node)
{
    struct missing_accounts *missing = &node->faulty.missing;

    for (size_t i = missing->count; i-- > 0;)
        if (node->session == 0 || m->now_ms - missing->items[i].last_ms > MISSING_SHOWN_MS)
            forget(missing, i);
}

void rm_missing_accounts_update(struct master *m, struct node *node)
{
    struct missing_accounts *missing = &node->faulty.missing;
    scoped_text_builder struct text_builder text = TEXT_BUILDER_MALLOC;
    uint32_t count = 0;

    if (missing->count == 0 && missing->text == NULL)
        return;
    drop_old(m, node);
    for (size_t i = 0; i < missing->count; i++) {
        if (!is_elsewhere(m, &missing->items[i]) || ++count > FORMAT_NAMES)
            continue;
        text_builder_add(&text, count == 1 ? "accounts that other nodes have are missing: " : ", ");
        text_builder_add(&text, missing->items[i].user);
    }
    if (count > FORMAT_NAMES)
        text_builder_printf(&text, " and %u more", count - FORMAT_NAMES);
    if (rm_text_set_brief(&missing->text, text_builder_text(&text)) && node->session != 0)
        rm_changes_node(m, node);
}

void rm_missing_accounts_add_report(struct text_builder *text, const struct node *node)
{
    const char *missing = node->faulty.missing.text;

    if (!rm_text_is_empty(node->health_report))
        text_builder_printf(text, "%s%s", node->health_report, missing != NULL ? "; " : "");
    if (missing != NULL)
        text_builder_add(text, missing);
}

const char *rm_missing_accounts_report(const struct master *m, const struct node *node)
{
    struct text_builder text = TEXT_BUILDER_IN(m->out->arena);

    rm_missing_accounts_add_report(&text, node);
    return text_builder_finish(&text);
}

void rm_missing_accounts_done(struct missing_accounts *missing)
{
    while (missing->count > 0)
        forget(missing, 0);
    free(missing->text);
}
