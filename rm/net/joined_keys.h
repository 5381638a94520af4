/* SPDX-License-Identifier: Apache-2.0 */
/*
 * joined_keys.h - a copy of the public keys of hosts that have joined, in the key directory
 *
 * The keys of hosts that joined with a token are rows of the state. If the state is lost, agents with these
 * keys would be refused before they can report the commit that they know, and the guard against a lost state
 * (rm/master/history.c) would not see them. So the list of hosts is also in the file KEYDIR/joined/hosts,
 * which is beside the other certificates, not in the state directory. At a start, hosts of the file that the
 * state does not have are added to the state. Then the file is made equal to the state again.
 *
 * A host that is removed is removed from the file before the removal is committed, so that a crash in between
 * does not admit a revoked key. While the file cannot be written, the write is repeated, and
 * joined_keys_problem has the reason.
 */
#ifndef CREEL_RM_JOINED_KEYS_H
#define CREEL_RM_JOINED_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rm/master/master.h"

#define JOINED_KEYS_FOLDER "joined"
#define JOINED_KEYS_FILE "joined/hosts" /* in the key directory */

struct joined_keys;

/* Creates the copy for KEY_DIRECTORY, which is borrowed. Reads and writes nothing. */
struct joined_keys *joined_keys_new(const char *key_directory);
void joined_keys_free(struct joined_keys *joined); /* NULL is fine */

/* Reads the file, and adds to MASTER the hosts that it does not have. Returns their number. If the file
 * cannot be read, or others can write it, no host is added, and joined_keys_write does not replace it. */
size_t joined_keys_adopt(struct joined_keys *joined, struct master *master, int64_t now_ms,
                         struct master_effects *effects);

/* Notes that the hosts of MASTER may have changed. */
void joined_keys_change(struct joined_keys *joined);
/* Writes the hosts of MASTER to the file, if they have changed. After a failure nothing is done until a
 * minute has passed, or joined_keys_change is called. STEADY_MS: steady clock. */
void joined_keys_write(struct joined_keys *joined, const struct master *master, int64_t steady_ms);

/* Returns why the file is not as the state is; NULL: it is. */
const char *joined_keys_problem(const struct joined_keys *joined);

#endif
