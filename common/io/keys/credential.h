/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credential.h - makes and checks MUNGE credentials
 *
 * A credential is a text by which munged, on a host with the same key, proves the user and group id of the
 * process that requested it. munged accepts a credential once, and for some minutes only. Both functions wait
 * for munged: libmunge gives up after about ten seconds. Without libmunge (configure --without-munge) they
 * return -EOPNOTSUPP. SOCKET is the path of munged's socket; "": the one of libmunge.
 */
#ifndef CREEL_IO_CREDENTIAL_H
#define CREEL_IO_CREDENTIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/base/err.h"

#define CREDENTIAL_TEXT_MAX 4096    /* bytes of a credential; longer ones are refused */
#define CREDENTIAL_PAYLOAD_MAX 1024 /* bytes of a payload; longer ones are refused */

struct credential {
    uid_t uid;
    gid_t gid;
    size_t size; /* of PAYLOAD */
    char payload[CREDENTIAL_PAYLOAD_MAX];
};

/* Makes a credential of the calling process with PAYLOAD. The caller frees *TEXT with free().
 *   -EHOSTDOWN  munged does not run on this host or does not answer; ERR has the remedy
 *   -EIO        munged refused the request */
int credential_make(const char *socket, const char *payload, char **text, struct err *err);

/* Checks TEXT and fills RET.
 *   -EHOSTDOWN     munged does not run on this host or does not answer
 *   -EALREADY      it was used before
 *   -EKEYEXPIRED   it is too old, or from the future; ERR mentions the clocks
 *   -EKEYREJECTED  it is not a credential of a host with this host's MUNGE key, or has another form */
int credential_check(const char *socket, const char *text, struct credential *ret, struct err *err);

/* Returns true if this program was built with libmunge and the socket exists. */
bool credential_is_possible(const char *socket);

#endif
