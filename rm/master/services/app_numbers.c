/* SPDX-License-Identifier: Apache-2.0 */
/* app_numbers.c - numbers of applications that are assigned before the submission */
#include "rm/master/services/app_numbers.h"

#include <stdio.h>
#include <string.h>

#include "rm/master/state/settings.h"

#define NAME_LAST "last"
#define NAME_ANYBODY "dr.who" /* the user of REST requests that name none */

struct app_number {
    UT_hash_handle hh;               /* by SEQ, in master->numbers */
    TAILQ_ENTRY(app_number) of_user; /* the oldest first */
    struct numbers_of_user *user;
    uint32_t seq;
};

struct numbers_of_user {
    UT_hash_handle hh;                /* by NAME, in master->numbers_of_users */
    char *name;                       /* owned */
    TAILQ_HEAD(, app_number) numbers; /* owned */
    uint32_t count;
};

static struct numbers_of_user *user_of(struct master *m, const char *name)
{
    struct numbers_of_user *user;

    HASH_FIND_STR(m->numbers_of_users, name, user);
    if (user)
        return user;
    user = mem_new0(struct numbers_of_user);
    user->name = mem_strdup(name);
    TAILQ_INIT(&user->numbers);
    HASH_ADD_KEYPTR(hh, m->numbers_of_users, user->name, strlen(user->name), user);
    return user;
}

static struct app_number *find(const struct master *m, uint32_t seq)
{
    struct app_number *number;

    HASH_FIND(hh, m->numbers, &seq, sizeof(seq), number);
    return number;
}

static void drop(struct master *m, struct app_number *number)
{
    struct numbers_of_user *user = number->user;

    HASH_DEL(m->numbers, number);
    TAILQ_REMOVE(&user->numbers, number, of_user);
    free(number);
    if (--user->count > 0)
        return;
    HASH_DEL(m->numbers_of_users, user);
    free(user->name);
    free(user);
}

uint32_t rm_app_number_assign(struct master *m, const char *user)
{
    struct app_number *number = mem_new0(struct app_number);
    char text[16];

    number->seq = ++m->last_app_seq;
    number->user = user_of(m, user);
    number->user->count++;
    TAILQ_INSERT_TAIL(&number->user->numbers, number, of_user);
    HASH_ADD(hh, m->numbers, seq, sizeof(number->seq), number);
    if (number->user->count > APP_NUMBERS_MAX)
        drop(m, TAILQ_FIRST(&number->user->numbers));
    snprintf(text, sizeof(text), "%u", number->seq);
    rm_setting_put(m, SETTING_APP_NUMBER, NAME_LAST, text, NULL, user);
    return number->seq;
}

bool rm_app_number_is_of(const struct master *m, uint32_t seq, const char *user)
{
    const struct app_number *number = find(m, seq);

    return number && (text_equal(number->user->name, user) || text_equal(number->user->name, NAME_ANYBODY));
}

void rm_app_number_drop(struct master *m, uint32_t seq)
{
    struct app_number *number = find(m, seq);

    if (number)
        drop(m, number);
}

void rm_app_numbers_recover(struct master *m)
{
    const struct setting *setting = rm_setting_find(m, SETTING_APP_NUMBER, NAME_LAST);
    int64_t last;

    if (setting && text_parse_int64(setting->value, &last) && last > m->last_app_seq)
        m->last_app_seq = (uint32_t)last;
}

void rm_app_numbers_free(struct master *m)
{
    while (m->numbers)
        drop(m, m->numbers);
}
