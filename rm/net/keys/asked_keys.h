/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asked_keys.h - the known keys about which agents have asked lately, to notify them of a withdrawal
 *
 * An agent asks about the key of each of its connections every few seconds (nm-agent/net/peer_keys.h). So it
 * notices a withdrawn key in any case; with this table it notices sooner. The table therefore may lose
 * entries: it drops an entry when no agent has asked for ASKED_KEYS_MS, and, when it has ASKED_KEYS_MAX
 * entries, the entry to be checked next.
 */
#ifndef CREEL_RM_ASKED_KEYS_H
#define CREEL_RM_ASKED_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASKED_KEYS_MS 15000
#define ASKED_KEYS_MAX 65536u

struct asked_keys;

/* Returns true if the key is still known. */
typedef bool asked_keys_known_fn(void *context, const char *public_text);
/* Notifies the agent at CONNECTION that the key is withdrawn. */
typedef void asked_keys_notify_fn(void *context, uint64_t connection, const char *public_text);

struct asked_keys *asked_keys_new(asked_keys_known_fn *known, asked_keys_notify_fn *notify, void *context);
void asked_keys_free(struct asked_keys *asked); /* NULL is fine */
/* Adds a known key about which the agent at CONNECTION has asked, or renews its time. NOW_MS is a monotonic
 * time. */
void asked_keys_add(struct asked_keys *asked, uint64_t connection, const char *public_text, int64_t now_ms);
/* Checks the next MOST entries. Removes entries that are old, and entries of withdrawn keys after notifying
 * their agents. */
void asked_keys_sweep(struct asked_keys *asked, int64_t now_ms, size_t most);
/* Returns the number of entries, for tests. */
size_t asked_keys_count(const struct asked_keys *asked);

#endif
