/* SPDX-License-Identifier: Apache-2.0 */
/* resolve.h - what the words of a request name; NULL after an error reply */
#ifndef CREEL_RM_MASTER_RESOLVE_H
#define CREEL_RM_MASTER_RESOLVE_H

#include "rm/master/state.h"

/* "7", "_0007" or a whole id. */
struct app *rm_resolve_app(struct master *m, const struct master_peer *peer, uint64_t request_id,
                           const char *text);
struct container *rm_resolve_container(struct master *m, const struct master_peer *peer,
                                       uint64_t request_id, const char *text);
/* An id, or as much of it as is unique. */
struct node *rm_resolve_node(struct master *m, const struct master_peer *peer, uint64_t request_id,
                             const char *text);

#endif
