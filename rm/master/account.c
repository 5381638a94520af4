/* SPDX-License-Identifier: Apache-2.0 */
/* account.c - what the resource manager keeps for each user */
#include <errno.h>
#include <string.h>

#include "rm/master/index.h"

/* --- the accounts -------------------------------------------------------------- */

struct account *rm_account_find(const struct master *m, const char *user)
{
    struct account *account;

    HASH_FIND_STR(m->accounts, user, account);
    return account;
}

static struct account *get(struct master *m, const char *user)
{
    struct account *account = rm_account_find(m, user);

    if (account)
        return account;
    account = mem_new0(struct account);
    account->user = mem_strdup(user);
    HASH_ADD_KEYPTR(hh, m->accounts, account->user, strlen(account->user), account);
    return account;
}

void rm_account_enter(struct master *m, struct app *app)
{
    struct account *account = get(m, app->user);

    account->apps++;
    account->live_apps++;
    app->share = (struct account_share){ .account = account, .live = true };
}

void rm_account_end(struct app *app)
{
    if (!app->share.live)
        return;
    app->share.live = false;
    app->share.account->live_apps--;
}

void rm_account_leave(struct master *m, struct app *app)
{
    struct account *account = app->share.account;

    rm_account_end(app);
    app->share.account = NULL;
    if (--account->apps > 0)
        return;
    HASH_DEL(m->accounts, account);
    free(account->user);
    free(account);
}

/* --- audit ---------------------------------------------------------------------- */

static int check(const struct master *m, const struct account *account, struct err *err)
{
    uint32_t apps = 0, live_apps = 0;
    struct app *app;

    RB_FOREACH(app, rm_app_tree, (struct rm_app_tree *)(uintptr_t)&m->apps) {
        if (app->share.account != account)
            continue;
        apps++;
        live_apps += !app->listed_ended;
    }
    if (apps == account->apps && live_apps == account->live_apps)
        return 0;
    return err_set(err, EINVAL, "user %s: %u applications of %u have not ended, the account has %u of %u",
                   account->user, live_apps, apps, account->live_apps, account->apps);
}

int rm_account_check(const struct master *m, struct err *err)
{
    const struct account *account;
    struct app *app;
    int r;

    RB_FOREACH(app, rm_app_tree, (struct rm_app_tree *)(uintptr_t)&m->apps)
        if (app->share.account == NULL || app->share.account != rm_account_find(m, app->user))
            return err_set(err, EINVAL, "%s: is not in the account of its user", app->text);
    for (account = m->accounts; account; account = account->hh.next)
        if ((r = check(m, account, err)) < 0)
            return r;
    return 0;
}
