/* SPDX-License-Identifier: Apache-2.0 */
/* quota.c - limits the bytes that each user may upload */
#include "rm/net/files/quota.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "rm/net/files/blobs.h"

struct quota {
    char *user;
    uint64_t pending, finished; /* bytes of unfinished and of finished uploads */
    int64_t since_ms;           /* start of the window */
    UT_hash_handle hh;
};

struct quotas {
    int64_t bytes_max;
    struct quota *users;
};

struct quotas *quotas_new(int64_t bytes_max)
{
    struct quotas *quotas = mem_new0(struct quotas);

    quotas->bytes_max = bytes_max;
    return quotas;
}

void quotas_free(struct quotas *quotas)
{
    struct quota *quota, *next;

    if (quotas == NULL)
        return;
    HASH_ITER(hh, quotas->users, quota, next) {
        HASH_DEL(quotas->users, quota);
        free(quota->user);
        free(quota);
    }
    free(quotas);
}

static struct quota *of_user(struct quotas *quotas, const char *user)
{
    struct quota *quota;

    HASH_FIND_STR(quotas->users, user, quota);
    if (quota != NULL)
        return quota;
    quota = mem_new0(struct quota);
    quota->user = mem_strdup(user);
    HASH_ADD_KEYPTR(hh, quotas->users, quota->user, strlen(quota->user), quota);
    return quota;
}

int quota_charge(struct quotas *quotas, const char *user, uint64_t bytes, int64_t now_ms, struct quota **ret,
                 struct err *err)
{
    struct quota *quota = of_user(quotas, user);
    uint64_t most = (uint64_t)quotas->bytes_max;

    if (now_ms - quota->since_ms >= BLOBS_KEEP_MS || now_ms < quota->since_ms) {
        quota->since_ms = now_ms;
        quota->finished = 0;
    }
    if (bytes > most || quota->pending + quota->finished > most - bytes)
        return err_set(err, EFBIG,
                       "user %s: with this file, uploads of more than "
                       "creel.submit.user-files-size-max allows in ten minutes, %" PRIu64
                       " bytes: try again later",
                       user, most);
    quota->pending += bytes;
    *ret = quota;
    return 0;
}

uint64_t quota_pending(const struct quota *quota)
{
    return quota->pending;
}

void quota_settle(struct quota *quota, uint64_t bytes, bool whole)
{
    quota->pending -= bytes;
    if (whole)
        quota->finished += bytes;
}
