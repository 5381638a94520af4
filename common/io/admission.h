/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admission.h - which keys may connect to a port (private)
 *
 * A certificate in the key directory, an attempt that is not over, or what another process knows of either.
 * All may be withdrawn while a connection is open: it is judged again from time to time.
 */
#ifndef CREEL_IO_ADMISSION_H
#define CREEL_IO_ADMISSION_H

#include <stdbool.h>

#include "common/io/channel.h"

/* How a key was admitted. */
enum admitted {
    ADMITTED_NOT, ADMITTED_AGENT, ADMITTED_USER, ADMITTED_MASTER, ADMITTED_ANY,
    ADMITTED_LOOKUP,                    /* found by the lookup */
    ADMITTED_PENDING,                   /* the lookup has no result yet */
};

struct admission {
    struct keys *keys;                  /* NULL: there are no certificates */
    gate_master_fn *find_master;        /* NULL: there are no attempts */
    void *context;
    gate_lookup_fn *lookup;             /* NULL: GATE_LOOKUP admits no key */
    void *lookup_context;
};

/* NAME: of the certificate, the id of the attempt, or the key itself under GATE_ANY and GATE_LOOKUP;
 * borrowed until the next call. */
enum admitted admission_judge(const struct admission *admission, enum gate_policy policy, const char *key,
                              const char **name);
/* Is a key that was admitted as ADMITTED, with NAME, still admitted? */
bool admission_holds(const struct admission *admission, enum admitted admitted, const char *name,
                     const char *key);
/* "has no certificate among the users", for the log. */
const char *admission_refusal(enum gate_policy policy);

#endif
