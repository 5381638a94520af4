/* SPDX-License-Identifier: Apache-2.0 */
/* credential.c - makes and checks MUNGE credentials by libmunge */
#include "common/io/keys/credential.h"

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"

#ifdef HAVE_LIBMUNGE
#include <munge.h>

/* Makes a context for SOCKET. */
static int open_context(const char *socket, munge_ctx_t *ret, struct err *err)
{
    munge_ctx_t context = munge_ctx_create();

    if (context == NULL)
        return err_set(err, ENOMEM, "MUNGE: out of memory");
    if (*socket != '\0' && munge_ctx_set(context, MUNGE_OPT_SOCKET, socket) != EMUNGE_SUCCESS) {
        err_set(err, EINVAL, "MUNGE: %s: %s", socket, munge_ctx_strerror(context));
        munge_ctx_destroy(context);
        return -EINVAL;
    }
    *ret = context;
    return 0;
}

/* Sets ERR: munged did not answer. */
static int no_daemon(munge_ctx_t context, struct err *err)
{
    const char *reason = munge_ctx_strerror(context);

    return err_set(err, EHOSTDOWN,
                   "munged does not answer on this host: root starts it with: systemctl start munge (%s)",
                   reason != NULL ? reason : "no connection");
}

int credential_make(const char *socket, const char *payload, char **text, struct err *err)
{
    munge_ctx_t context;
    munge_err_t code;
    char *made = NULL;
    int r = open_context(socket, &context, err);

    if (r < 0)
        return r;
    code = munge_encode(&made, context, payload, (int)strlen(payload));
    if (code == EMUNGE_SOCKET || code == EMUNGE_TIMEOUT)
        r = no_daemon(context, err);
    else if (code != EMUNGE_SUCCESS)
        r = err_set(err, EIO, "munged makes no credential: %s", munge_strerror(code));
    if (r == 0)
        *text = made;
    else
        free(made);
    munge_ctx_destroy(context);
    return r;
}

/* Sets ERR for a credential that is too old or from the future. */
static int wrong_time(munge_ctx_t context, munge_err_t code, struct err *err)
{
    time_t made = 0, checked = 0;
    int valid_s = 0;

    munge_ctx_get(context, MUNGE_OPT_ENCODE_TIME, &made);
    munge_ctx_get(context, MUNGE_OPT_DECODE_TIME, &checked);
    munge_ctx_get(context, MUNGE_OPT_TTL, &valid_s);
    if (code == EMUNGE_CRED_REWOUND)
        return err_set(err, EKEYEXPIRED,
                       "the MUNGE credential was made %lld s in the future: the clocks of both hosts differ: "
                       "timedatectl shows whether they are synchronized",
                       (long long)(made - checked));
    return err_set(
        err, EKEYEXPIRED,
        "the MUNGE credential has expired: it is %lld s old and valid for %d s: if it is new, the clocks "
        "of both hosts differ: timedatectl shows whether they are synchronized",
        (long long)(checked - made), valid_s);
}

static int judge(munge_ctx_t context, munge_err_t code, struct err *err)
{
    switch (code) {
    case EMUNGE_SUCCESS:
        return 0;
    case EMUNGE_SOCKET:
    case EMUNGE_TIMEOUT:
        return no_daemon(context, err);
    case EMUNGE_CRED_REPLAYED:
        return err_set(err, EALREADY, "the MUNGE credential was used before: each is accepted once");
    case EMUNGE_CRED_EXPIRED:
    case EMUNGE_CRED_REWOUND:
        return wrong_time(context, code, err);
    case EMUNGE_CRED_INVALID:
        return err_set(
            err, EKEYREJECTED,
            "the MUNGE credential is of a host with another MUNGE key: /etc/munge/munge.key must be the "
            "same on all hosts of the cluster");
    default:
        return err_set(err, EKEYREJECTED, "munged refuses the credential: %s", munge_strerror(code));
    }
}

int credential_check(const char *socket, const char *text, struct credential *ret, struct err *err)
{
    munge_ctx_t context;
    munge_err_t code;
    void *payload = NULL;
    int size = 0, r;

    if (strlen(text) >= CREDENTIAL_TEXT_MAX)
        return err_set(err, EKEYREJECTED, "the MUNGE credential has more than %d bytes",
                       CREDENTIAL_TEXT_MAX - 1);
    r = open_context(socket, &context, err);
    if (r < 0)
        return r;
    code = munge_decode(text, context, &payload, &size, &ret->uid, &ret->gid);
    r = judge(context, code, err);
    if (r == 0 && (size < 0 || (size_t)size > sizeof(ret->payload)))
        r = err_set(err, EKEYREJECTED, "the payload of the MUNGE credential has %d bytes", size);
    if (r == 0) {
        ret->size = (size_t)size;
        if (size > 0)
            memcpy(ret->payload, payload, ret->size);
    }
    free(payload);
    munge_ctx_destroy(context);
    return r;
}

bool credential_is_possible(const char *socket)
{
    munge_ctx_t context;
    const char *path = NULL;
    struct err err;
    bool found;

    if (open_context(socket, &context, &err) < 0)
        return false;
    found = munge_ctx_get(context, MUNGE_OPT_SOCKET, &path) == EMUNGE_SUCCESS && path != NULL &&
            access(path, F_OK) == 0;
    munge_ctx_destroy(context);
    return found;
}

#else

static int not_built(struct err *err)
{
    return err_set(err, EOPNOTSUPP,
                   "this creel was built without MUNGE (configure --with-munge): use certificates, with "
                   "creel.security.identity=certificate");
}

int credential_make(const char *socket, const char *payload, char **text, struct err *err)
{
    (void)socket;
    (void)payload;
    (void)text;
    return not_built(err);
}

int credential_check(const char *socket, const char *text, struct credential *ret, struct err *err)
{
    (void)socket;
    (void)text;
    (void)ret;
    return not_built(err);
}

bool credential_is_possible(const char *socket)
{
    (void)socket;
    return false;
}

#endif
