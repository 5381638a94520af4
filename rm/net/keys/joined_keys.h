/* SPDX-License-Identifier: Apache-2.0 */
/*
 * joined_keys.h - a copy of the public keys of hosts that have joined, in the key directory
 *
 * The keys of hosts that joined with a token are rows of the state. If the state is lost, agents with these
 * keys would be refused before they can report the commit that they know, and the guard against a lost state
 * (rm/master/services/history.c) would not see them. So the list of hosts is also in the file
 * KEYDIR/joined/hosts,
 * which is beside the other certificates, not in the state directory.
 *
 * The file is a log. A thread appends the changes of a turn after their commit, and with them the commit that
 * the state has then. The lines:
 *
 *   HOST KEY TOKEN SINCE_MS          has joined
 *   -HOST SINCE_MS                   the key with which HOST joined at SINCE_MS, or before, is revoked
 *   @ STORE EPOCH START COMMIT       the state knows all lines above from this commit on (Creel__History)
 *
 * At a start, the state is compared with the last commit of the file. A state that has this commit is right:
 * no host is taken from the file, so that a revocation of which the file has no line, as it could not be
 * written, stays in force; such a revocation becomes a line of the file then. A state that lacks it was lost
 * or is an old copy: hosts of the file are added to it, and those that the file revokes are removed. Then,
 * and when it has become three times as long, the file is written anew, with the hosts of the state and the
 * newest revocations.
 *
 * While the file cannot be written, the write is repeated, and joined_keys_problem has the reason.
 */
#ifndef CREEL_RM_JOINED_KEYS_H
#define CREEL_RM_JOINED_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/io/loop/loop.h"
#include "rm/master/master.h"
#include "rm/net/keys/joined_file.h"
#include "rm/store/store.h"

#define JOINED_KEYS_STOP_MS 5000
#define JOINED_KEYS_REVOKED_MAX 10000 /* revoked hosts that the file names; the oldest are left out */

struct joined_keys; /* opaque */

/* Starts the thread. LOOP, KEY_DIRECTORY and STORE are borrowed. Reads and writes nothing. */
int joined_keys_new(struct loop *loop, const char *key_directory, const struct store *store,
                    struct joined_keys **ret, struct err *err);
/* Waits for a write that is under way, for TIMEOUT_MS at most. Returns false if it has not ended then: its
 * thread is abandoned, and the process has to end with _exit. A change that was not written is found at the
 * next start. NULL is fine. */
bool joined_keys_free(struct joined_keys *joined, int64_t timeout_ms);

/* Reads the file. If the state is not what the file has seen, adds to MASTER the hosts that it does not have,
 * and removes those that are revoked. Returns the number of added hosts. If the file cannot be read, or
 * others can write it, nothing changes, and joined_keys_write does not replace it. Blocks. */
size_t joined_keys_adopt(struct joined_keys *joined, struct master *master, int64_t now_ms,
                         struct master_effects *effects);

/* Notes ROW, of a host that has joined or was removed (master_changes_joined_hosts). */
void joined_keys_add(struct joined_keys *joined, const Creel__StoredSetting *row);
/* Writes what has changed, in the thread. To be called after a commit. After a failure nothing is done until
 * a minute has passed; then all hosts of MASTER are written. STEADY_MS: steady clock. */
void joined_keys_write(struct joined_keys *joined, const struct master *master, int64_t steady_ms);

/* Returns true while the thread writes, for tests. */
bool joined_keys_busy(const struct joined_keys *joined);

/* Returns why the file is not as the state is; NULL: it is. */
const char *joined_keys_problem(const struct joined_keys *joined);

#endif
