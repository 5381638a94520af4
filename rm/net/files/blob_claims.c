/* SPDX-License-Identifier: Apache-2.0 */
/* blob_claims.c - counts the uploaded files that no application uses for users, and limits their bytes */
#include "rm/net/files/blob_claims.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"

#define BLOCK_BYTES 4096

struct claimant {
    char *user;
    uint64_t bytes; /* sum of its claims */
    size_t files;
    UT_hash_handle hh;
};

struct claim {
    struct blob_hash hash;
    struct claimant *claimant;
    uint64_t bytes;
    uint64_t sweep; /* the last one before which, or in which, it was claimed or kept */
    UT_hash_handle hh;
};

struct blob_claims {
    uint64_t bytes_max;
    pthread_mutex_t lock; /* protects all fields below */
    struct claimant *claimants;
    struct claim *claims;
    uint64_t sweep;
    uint64_t refused;
};

struct blob_claims *blob_claims_new(int64_t bytes_max)
{
    struct blob_claims *claims = mem_new0(struct blob_claims);

    claims->bytes_max = (uint64_t)bytes_max;
    pthread_mutex_init(&claims->lock, NULL);
    return claims;
}

static struct claim *find(struct blob_claims *claims, const struct blob_hash *hash)
{
    struct claim *claim;

    HASH_FIND(hh, claims->claims, hash, sizeof(*hash), claim);
    return claim;
}

static struct claimant *find_claimant(struct blob_claims *claims, const char *user)
{
    struct claimant *claimant;

    HASH_FIND_STR(claims->claimants, user, claimant);
    return claimant;
}

static struct claimant *claimant_of(struct blob_claims *claims, const char *user)
{
    struct claimant *claimant = find_claimant(claims, user);

    if (claimant != NULL)
        return claimant;
    claimant = mem_new0(struct claimant);
    claimant->user = mem_strdup(user);
    HASH_ADD_KEYPTR(hh, claims->claimants, claimant->user, strlen(claimant->user), claimant);
    return claimant;
}

static void drop(struct blob_claims *claims, struct claim *claim)
{
    struct claimant *claimant = claim->claimant;

    claimant->bytes -= claim->bytes;
    if (--claimant->files == 0) {
        HASH_DEL(claims->claimants, claimant);
        free(claimant->user);
        free(claimant);
    }
    HASH_DEL(claims->claims, claim);
    free(claim);
}

void blob_claims_free(struct blob_claims *claims)
{
    struct claim *claim, *next;

    if (claims == NULL)
        return;
    HASH_ITER(hh, claims->claims, claim, next)
        drop(claims, claim);
    pthread_mutex_destroy(&claims->lock);
    free(claims);
}

/* --- claiming -------------------------------------------------------------- */

static uint64_t in_blocks(uint64_t bytes)
{
    return bytes == 0 ? BLOCK_BYTES : (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
}

static int judge(struct blob_claims *claims, const char *user, const struct blob_hash *hash, uint64_t bytes,
                 struct err *err)
{
    const struct claimant *claimant = find_claimant(claims, user);
    const struct claim *claim = find(claims, hash);
    uint64_t used = claimant != NULL ? claimant->bytes : 0, most = claims->bytes_max;

    if (claim != NULL && claim->claimant == claimant)
        used -= claim->bytes;
    if (most == 0 || (bytes <= most && used <= most - bytes))
        return 0;
    claims->refused++;
    return err_set(err, EFBIG,
                   "user %s has uploaded files of %" PRIu64 " bytes that no job uses, this one needs %" PRIu64
                   " more, and creel.submit.user-uploads-size-max is %" PRIu64
                   ": submit the jobs that need them, or try again later: a file is removed ten minutes "
                   "after it was last needed",
                   user, used, bytes, most);
}

int blob_claims_judge(struct blob_claims *claims, const char *user, const struct blob_hash *hash,
                      uint64_t bytes, struct err *err)
{
    int r;

    pthread_mutex_lock(&claims->lock);
    r = judge(claims, user, hash, in_blocks(bytes), err);
    pthread_mutex_unlock(&claims->lock);
    return r;
}

static void take(struct blob_claims *claims, const char *user, const struct blob_hash *hash, uint64_t bytes)
{
    struct claim *claim = find(claims, hash);

    if (claim != NULL)
        drop(claims, claim);
    claim = mem_new0(struct claim);
    claim->hash = *hash;
    claim->claimant = claimant_of(claims, user);
    claim->bytes = bytes;
    claim->sweep = claims->sweep;
    claim->claimant->bytes += bytes;
    claim->claimant->files++;
    HASH_ADD(hh, claims->claims, hash, sizeof(claim->hash), claim);
}

int blob_claims_take(struct blob_claims *claims, const char *user, const struct blob_hash *hash,
                     uint64_t bytes, struct err *err)
{
    int r;

    pthread_mutex_lock(&claims->lock);
    r = judge(claims, user, hash, in_blocks(bytes), err);
    if (r == 0)
        take(claims, user, hash, in_blocks(bytes));
    pthread_mutex_unlock(&claims->lock);
    return r;
}

/* --- sweeping -------------------------------------------------------------- */

void blob_claims_begin_sweep(struct blob_claims *claims)
{
    pthread_mutex_lock(&claims->lock);
    claims->sweep++;
    pthread_mutex_unlock(&claims->lock);
}

void blob_claims_keep(struct blob_claims *claims, const struct blob_hash *hash)
{
    struct claim *claim;

    pthread_mutex_lock(&claims->lock);
    claim = find(claims, hash);
    if (claim != NULL)
        claim->sweep = claims->sweep;
    pthread_mutex_unlock(&claims->lock);
}

void blob_claims_end_sweep(struct blob_claims *claims)
{
    struct claim *claim, *next;

    pthread_mutex_lock(&claims->lock);
    HASH_ITER(hh, claims->claims, claim, next)
        if (claim->sweep != claims->sweep)
            drop(claims, claim);
    pthread_mutex_unlock(&claims->lock);
}

/* --- figures --------------------------------------------------------------- */

uint64_t blob_claims_refused(struct blob_claims *claims)
{
    uint64_t refused;

    pthread_mutex_lock(&claims->lock);
    refused = claims->refused;
    pthread_mutex_unlock(&claims->lock);
    return refused;
}

void blob_claims_each(struct blob_claims *claims, blobs_user_fn *each, void *context)
{
    pthread_mutex_lock(&claims->lock);
    for (const struct claimant *claimant = claims->claimants; claimant != NULL; claimant = claimant->hh.next)
        each(context, claimant->user, claimant->bytes);
    pthread_mutex_unlock(&claims->lock);
}
