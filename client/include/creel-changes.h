/* SPDX-License-Identifier: Apache-2.0 */
/*
 * creel-changes.h - applications and nodes that have changed since the last call
 *
 * Part of libcreel. Memory and errors as in creel.h. For administrators and proxy users.
 */
#ifndef CREEL_CHANGES_H
#define CREEL_CHANGES_H

#include "creel.h"

#ifdef __cplusplus
extern "C" {
#endif

struct creel_changes {
    uint64_t session, version; /* for the next call */
    bool reset;                /* some changes since the last call are not known: the caller must list
                                  everything; the next call returns the changes from now on */
    bool more;                 /* there are more changes: the next call returns them at once */
    struct creel_apps *apps;   /* their present state, without commands of more than 1,024 bytes; owned, as
                                  NODES */
    struct creel_nodes *nodes;
};

/* Gets the changes since VERSION of SESSION. In the first call both are 0, and RET has RESET. The caller
 * frees the lists in RET with creel_changes_done. On failure RET is empty. */
int creel_changes_get(struct creel_client *client, uint64_t session, uint64_t version,
                      struct creel_changes *ret, struct creel_error *error);
void creel_changes_done(struct creel_changes *changes);

#ifdef __cplusplus
}
#endif

#endif
