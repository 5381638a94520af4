/* SPDX-License-Identifier: Apache-2.0 */
/* admission.c - decides which keys may connect to a port */
#include "common/io/server/admission.h"

#include <stddef.h>
#include <string.h>

static const char *find_certificate(const struct admission *admission, enum key_owner owner, const char *key)
{
    return admission->keys != NULL ? keys_find(admission->keys, owner, key) : NULL;
}

static const char *find_master(const struct admission *admission, const char *key)
{
    return admission->find_master != NULL ? admission->find_master(admission->context, key) : NULL;
}

static const char *find_joined(const struct admission *admission, find_master_fn *find, const char *key)
{
    return find != NULL ? find(admission->join_context, key) : NULL;
}

static enum admitted look_up(const struct admission *admission, const char *key, bool connected)
{
    static const enum admitted results[] = {
        [KEY_LOOKUP_UNKNOWN] = ADMITTED_NOT,
        [KEY_LOOKUP_KNOWN] = ADMITTED_LOOKUP,
        [KEY_LOOKUP_PENDING] = ADMITTED_PENDING,
    };

    return admission->lookup != NULL ? results[admission->lookup(admission->lookup_context, key, connected)]
                                     : ADMITTED_NOT;
}

static const char *find_signed_in(const struct admission *admission, const char *key)
{
    const struct channel_users *users = &admission->users;

    return users->find_signed_in != NULL ? users->find_signed_in(users->context, key) : NULL;
}

static const char *find_job(const struct admission *admission, const char *key)
{
    const struct channel_users *users = &admission->users;

    return users->find_job != NULL ? users->find_job(users->context, key) : NULL;
}

static bool accepts_certificate(const struct admission *admission, const char *user)
{
    const struct channel_users *users = &admission->users;

    return users->accepts_certificate == NULL || users->accepts_certificate(users->context, user);
}

static enum admitted judge_user(const struct admission *admission, enum admission_policy policy,
                                const char *key, const char **name)
{
    *name = find_signed_in(admission, key);
    if (*name != NULL)
        return ADMITTED_SIGNED_IN;
    *name = find_certificate(admission, KEY_USER, key);
    if (*name != NULL && accepts_certificate(admission, *name))
        return ADMITTED_USER;
    *name = NULL;
    if (policy != ADMISSION_CLIENTS)
        return ADMITTED_NOT;
    *name = find_job(admission, key);
    if (*name != NULL)
        return ADMITTED_JOB;
    if (!admission->users.guests)
        return ADMITTED_NOT;
    *name = "guest";
    return ADMITTED_GUEST;
}

enum admitted admission_judge(const struct admission *admission, enum admission_policy policy,
                              const char *key, const char **name)
{
    *name = NULL;
    if (policy == ADMISSION_ANY) {
        *name = key;
        return ADMITTED_ANY;
    }
    if (policy == ADMISSION_LOOKUP) {
        *name = key;
        return look_up(admission, key, false);
    }
    if (policy == ADMISSION_MASTERS && (*name = find_master(admission, key)) != NULL)
        return ADMITTED_MASTER;
    if (policy == ADMISSION_AGENTS && (*name = find_joined(admission, admission->find_host, key)) != NULL)
        return ADMITTED_AGENT;
    if (policy == ADMISSION_CLIENTS && (*name = find_joined(admission, admission->find_token, key)) != NULL)
        return ADMITTED_JOIN;
    if (policy != ADMISSION_AGENTS)
        return judge_user(admission, policy, key, name);
    *name = find_certificate(admission, KEY_AGENT, key);
    return *name != NULL ? ADMITTED_AGENT : ADMITTED_NOT;
}

bool admission_holds(const struct admission *admission, enum admitted admitted, const char *name,
                     const char *key)
{
    const char *found;

    switch (admitted) {
    case ADMITTED_AGENT:
        found = find_joined(admission, admission->find_host, key);
        return found != NULL ? strcmp(found, name) == 0 : keys_has(admission->keys, KEY_AGENT, name, key);
    case ADMITTED_USER:
        return keys_has(admission->keys, KEY_USER, name, key);
    case ADMITTED_SIGNED_IN:
        found = find_signed_in(admission, key);
        return found != NULL && strcmp(found, name) == 0;
    case ADMITTED_JOB:
        found = find_job(admission, key);
        return found != NULL && strcmp(found, name) == 0;
    case ADMITTED_MASTER:
        found = find_master(admission, key);
        return found != NULL && strcmp(found, name) == 0;
    case ADMITTED_JOIN:
        return find_joined(admission, admission->find_token, key) != NULL;
    case ADMITTED_LOOKUP:
        return look_up(admission, key, true) == ADMITTED_LOOKUP;
    case ADMITTED_ANY:
    case ADMITTED_GUEST: /* gateway_pool.c limits its time */
        return true;
    case ADMITTED_PENDING:
    case ADMITTED_NOT:
        break;
    }
    return false;
}

const char *admission_refusal(enum admission_policy policy)
{
    static const char *const texts[] = {
        [ADMISSION_AGENTS] = "has no certificate among the agents",
        [ADMISSION_CLIENTS] =
            "has no certificate among the users, and is of no join token and no running job",
        [ADMISSION_USERS] = "has no certificate among the users",
        [ADMISSION_MASTERS] = "is of no attempt that runs, and has no certificate among the users",
        [ADMISSION_LOOKUP] = "is unknown to the resource manager, or the resource manager does not answer",
        [ADMISSION_ANY] = "is refused",
    };

    return texts[policy];
}
