/* SPDX-License-Identifier: Apache-2.0 */
/* account.c - what the resource manager keeps for each user */
#include <errno.h>
#include <string.h>

#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"

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
    TAILQ_INIT(&account->ended);
    HASH_ADD_KEYPTR(hh, m->accounts, account->user, strlen(account->user), account);
    return account;
}

static uint64_t size_of_array(const struct job_array *array)
{
    return array_states_bytes(array->spec.count) + array->spec.range_count * sizeof(*array->spec.ranges);
}

static uint64_t size_of(const struct app *app)
{
    return app->job_bytes + app->text_bytes + app->am_state_size +
           (app->array ? size_of_array(app->array) : 0);
}

void rm_account_enter(struct master *m, struct app *app)
{
    struct account *account = get(m, app->user);

    app->share = (struct account_share){ .account = account, .live = true, .bytes = size_of(app) };
    account->apps++;
    account->live_apps++;
    account->live_bytes += app->share.bytes;
    rm_kept_files_add(&account->files, app->job);
}

void rm_account_measure(struct app *app)
{
    struct account_share *share = &app->share;
    uint64_t *sum = share->live ? &share->account->live_bytes : &share->account->ended_bytes;

    *sum -= share->bytes;
    share->bytes = size_of(app);
    *sum += share->bytes;
}

static size_t size_of_text(const char *text)
{
    return text ? strlen(text) : 0;
}

void rm_account_set_text(struct app *app, char **text, const char *value)
{
    app->text_bytes -= size_of_text(*text);
    rm_text_set(text, value);
    app->text_bytes += size_of_text(*text);
    if (app->share.account)
        rm_account_measure(app);
}

static void set_asks(struct app *app, uint32_t rows)
{
    struct account_share *share = &app->share;

    share->account->ask_rows -= share->ask_rows;
    share->ask_rows = share->live ? rows : 0;
    share->account->ask_rows += share->ask_rows;
}

void rm_account_count_asks(struct app *app)
{
    set_asks(app, sched_app_rows(app->sched) + sched_app_blacklist_count(app->sched));
}

void rm_account_drop_asks(struct app *app)
{
    set_asks(app, 0);
}

/* Takes APP out of the sums of applications that have not ended. */
static void end(struct app *app)
{
    struct account_share *share = &app->share;

    set_asks(app, 0);
    share->live = false;
    share->account->live_apps--;
    share->account->live_bytes -= share->bytes;
    rm_kept_files_remove(&share->account->files, app->job);
}

void rm_account_end(struct master *m, struct app *app)
{
    struct account *account = app->share.account;

    end(app);
    account->ended_bytes += app->share.bytes;
    TAILQ_INSERT_TAIL(&account->ended, app, share.in_ended);
    if (!account->changed)
        TAILQ_INSERT_TAIL(&m->changed_accounts, account, in_changed);
    account->changed = true;
}

void rm_account_leave(struct master *m, struct app *app)
{
    struct account *account = app->share.account;

    if (app->share.live) {
        end(app);
    } else {
        account->ended_bytes -= app->share.bytes;
        TAILQ_REMOVE(&account->ended, app, share.in_ended);
    }
    app->share.account = NULL;
    if (--account->apps > 0)
        return;
    if (account->changed)
        TAILQ_REMOVE(&m->changed_accounts, account, in_changed);
    HASH_DEL(m->accounts, account);
    free(account->user);
    free(account);
}

/* --- audit ---------------------------------------------------------------------- */

static size_t size_of_texts(const struct app *app)
{
    size_t size = size_of_text(app->diagnostics) + size_of_text(app->kill_reason);
    const struct attempt *attempt;

    for (size_t i = 0; i < app->hold_count; i++)
        size += size_of_text(app->holds[i].reason);
    TAILQ_FOREACH(attempt, &app->attempts, link)
        size += size_of_text(attempt->diagnostics) + size_of_text(attempt->tracking_url) +
                size_of_text(attempt->am_host);
    return size;
}

/* Adds to SUM what APP counts. */
static void add_share(struct account *sum, const struct app *app)
{
    sum->apps++;
    sum->ask_rows += app->share.ask_rows;
    if (!app->share.live) {
        sum->ended_bytes += app->share.bytes;
        return;
    }
    sum->live_apps++;
    sum->live_bytes += app->share.bytes;
    rm_kept_files_add(&sum->files, app->job);
}

static int check(const struct master *m, const struct account *account, struct err *err)
{
    struct account sum = { .apps = 0 };
    struct app *app;
    bool equal;

    RB_FOREACH(app, rm_app_tree, (struct rm_app_tree *)(uintptr_t)&m->apps)
        if (app->share.account == account)
            add_share(&sum, app);
    equal = sum.apps == account->apps && sum.live_apps == account->live_apps &&
            sum.live_bytes == account->live_bytes && sum.ended_bytes == account->ended_bytes &&
            sum.ask_rows == account->ask_rows && sum.files.bytes == account->files.bytes;
    RB_FOREACH(app, rm_app_tree, (struct rm_app_tree *)(uintptr_t)&m->apps)
        if (app->share.account == account && app->share.live)
            rm_kept_files_remove(&sum.files, app->job);
    if (equal)
        return 0;
    return err_set(err, EINVAL,
                   "user %s: has %u of %u applications that have not ended, the account %u of %u",
                   account->user, sum.live_apps, sum.apps, account->live_apps, account->apps);
}

int rm_account_check(const struct master *m, struct err *err)
{
    const struct account *account;
    struct app *app;
    int r;

    RB_FOREACH(app, rm_app_tree, (struct rm_app_tree *)(uintptr_t)&m->apps)
        if (app->share.account == NULL || app->share.account != rm_account_find(m, app->user))
            return err_set(err, EINVAL, "%s: is not in the account of its user", app->text);
    RB_FOREACH(app, rm_app_tree, (struct rm_app_tree *)(uintptr_t)&m->apps)
        if (app->share.live == app->listed_ended || app->share.bytes != size_of(app) ||
            app->text_bytes != size_of_texts(app) || (app->share.ask_rows > 0 && app->sched == NULL))
            return err_set(err, EINVAL, "%s: its share of the account of its user is wrong", app->text);
    for (account = m->accounts; account; account = account->hh.next)
        if ((r = check(m, account, err)) < 0)
            return r;
    return 0;
}
