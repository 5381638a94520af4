/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sign_in.h - users sign in by MUNGE (docs/adr/0016-munge.md)
 *
 * A thread asks munged about each credential and looks up the name of the user id, since both may take long.
 * Requests that wait are limited in number, and each is answered within SIGN_IN_ANSWER_MS, even if munged is
 * not.
 */
#ifndef CREEL_RM_SIGN_IN_H
#define CREEL_RM_SIGN_IN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/io/loop/loop.h"
#include "common/proto/creel.pb-c.h"

#define SIGN_IN_ANSWER_MS 5000
#define SIGN_IN_WAITING_MAX 256u
#define SIGN_IN_PROBE_MS 30000 /* between two tests of munged */

struct sign_in; /* opaque */

struct sign_in_settings {
    const char *socket;          /* of munged; "": libmunge's; copied */
    const char *rm_key;          /* own public key, Z85; copied */
    const char *state_directory; /* has the file of signed_in_file.h */
    int64_t validity_ms;         /* how long a key is valid */
};

struct sign_in_request {
    uint64_t connection, request_id;
    const char *key; /* of the connection, Z85; copied, as is CREDENTIAL */
    const char *credential;
};

struct sign_in_answer {
    uint64_t connection, request_id;
    const char *user; /* the user that has signed in; NULL: none, for the reason in CODE and TEXT */
    int64_t valid_ms;
    Creel__ErrorCode code;
    const char *text;
};

/* Called once for each request that sign_in_add took. All texts are borrowed. */
typedef void sign_in_answer_fn(void *context, const struct sign_in_answer *answer);

/* Starts the thread. LOOP must outlive the object. */
int sign_in_new(struct loop *loop, const struct sign_in_settings *settings, sign_in_answer_fn *answer,
                void *context, struct sign_in **ret, struct err *err);
/* Waits for libmunge if it is asking munged, for a second at most. Answers nothing. Returns false if munged
 * does not answer: the thread is abandoned, and the process has to end with _exit. NULL is fine. */
bool sign_in_free(struct sign_in *sign_in);

/* Whether munged on this host makes and accepts credentials. The thread tests that at the start and every
 * SIGN_IN_PROBE_MS (after a failure every SIGN_IN_ANSWER_MS), and each request of a user shows it, too. */
struct sign_in_state {
    bool used;           /* users can sign in by MUNGE */
    const char *problem; /* why they cannot at present, borrowed until the next call; NULL: they can */
    int64_t since_ms;    /* of the problem, since 1970 */
};
struct sign_in_state sign_in_state(struct sign_in *sign_in); /* SIGN_IN may be NULL */

/* -EAGAIN: too many requests wait; -EBUSY: one of this connection waits. */
int sign_in_add(struct sign_in *sign_in, const struct sign_in_request *request, struct err *err);

/* Returns the user who has signed in with KEY, borrowed until the next call; NULL: none. SIGN_IN may be
 * NULL. */
const char *sign_in_find(struct sign_in *sign_in, const char *key);
/* Returns the time until KEY expires; 0: no user has signed in with it. */
int64_t sign_in_left_ms(const struct sign_in *sign_in, const char *key);

#endif
