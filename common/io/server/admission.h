/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admission.h - decides which keys may connect to a port (private)
 *
 * A key is admitted if it has a certificate in the key directory, if it is the key of an attempt or of an
 * application that has not ended, of a host that has joined, of a join token or of a user who has signed in,
 * or if a lookup in another process finds it. Where users may sign in, any other key is admitted as that of a
 * guest. Each of these may end while a connection is open, so connections are checked again from time to
 * time.
 */
#ifndef CREEL_IO_ADMISSION_H
#define CREEL_IO_ADMISSION_H

#include <stdbool.h>

#include "common/io/channel/channel.h"

/* Reason why a key was admitted. */
enum admitted {
    ADMITTED_NOT,
    ADMITTED_AGENT,
    ADMITTED_USER,
    ADMITTED_MASTER,
    ADMITTED_ANY,
    ADMITTED_JOIN,      /* a join token; may send JoinNode alone */
    ADMITTED_SIGNED_IN, /* a user who has signed in */
    ADMITTED_JOB,       /* a process of an application, with its job token */
    ADMITTED_GUEST,     /* unknown; may send SignIn alone */
    ADMITTED_LOOKUP,    /* found by the lookup */
    ADMITTED_PENDING,   /* the lookup has no result yet */
};

struct admission {
    struct keys *keys;           /* NULL: no certificates */
    find_master_fn *find_master; /* NULL: no attempts */
    void *context;
    find_master_fn *find_host, *find_token; /* NULL: no hosts that have joined, no join tokens */
    void *join_context;
    struct channel_users users;
    key_lookup_fn *lookup; /* NULL: ADMISSION_LOOKUP admits no key */
    void *lookup_context;
};

/* Decides whether POLICY admits KEY. *NAME becomes the name of the certificate or joined host, the id of
 * the attempt, join token or application, the user, "guest", or KEY itself under ADMISSION_ANY and
 * ADMISSION_LOOKUP; NULL if KEY has none. *NAME is borrowed until the next call. */
enum admitted admission_judge(const struct admission *admission, enum admission_policy policy,
                              const char *key, const char **name);
/* Returns true if a key that was admitted as ADMITTED, with NAME, is still admitted. */
bool admission_holds(const struct admission *admission, enum admitted admitted, const char *name,
                     const char *key);
/* Returns the reason of a refusal for the log: "has no certificate among the users". */
const char *admission_refusal(enum admission_policy policy);

#endif
