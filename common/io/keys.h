/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.h - creates, loads and looks up the CURVE certificates of a cluster
 *
 * A key directory, created by `creel keygen cluster`:
 *   DIR/rm, DIR/rm_secret                  the resource manager
 *   DIR/agents/NAME, NAME_secret           agents; NAME is the host, or "default"
 *   DIR/users/NAME, NAME_secret            users
 * The files are in czmq's certificate format (0644 and 0600). A host needs rm (public) and its own secret
 * file; the host of the RM needs all public files.
 */
#ifndef CREEL_IO_KEYS_H
#define CREEL_IO_KEYS_H

#include <stdbool.h>

#include "common/base/err.h"

#define KEY_TEXT 41 /* Z85 of 32 bytes, and the terminator */

struct key {
    char public_text[KEY_TEXT];
    char secret_text[KEY_TEXT]; /* "" if only the public key is known */
};

enum key_owner { KEY_RM, KEY_AGENT, KEY_USER };

#define KEY_AGENT_SHARED "default" /* shared by agents whose host has no certificate of its own */

struct keys; /* content of a key directory: map from public key to owner and name */

/* Generates a new key pair, in memory only (AMs use one). */
void key_generate(struct key *key);

/* Reads FILE; with NEED_SECRET also FILE_secret. On error, ERR names the file, the reason (absent,
 * unreadable, readable by others, not a certificate) and the remedy. */
int key_load(const char *file, bool need_secret, struct key *key, struct err *err);

/* Loads the key of a role from DIRECTORY. NAME is NULL for the RM; agents fall back to agents/default. */
int key_load_for(const char *directory, enum key_owner owner, const char *name, bool need_secret,
                 struct key *key, struct err *err);

/* Returns true if NAME has a certificate of its own. */
bool key_is_there(const char *directory, enum key_owner owner, const char *name);

/* Creates one certificate; NAME is NULL for the RM. -EEXIST if the certificate exists (it is never
 * overwritten). Files are created atomically, with their final modes. */
int key_make(const char *directory, enum key_owner owner, const char *name, struct err *err);

/* Put KEY, made elsewhere, where key_make would put one; "" as secret half: the public half alone. -EEXIST as
 * above; -EINVAL: no key, or halves that do not belong together. */
int key_install(const char *directory, enum key_owner owner, const char *name, const struct key *key,
                struct err *err);

/* All public certificates of DIRECTORY, read again by keys_find as needed. -EPERM: others than
 * their owner can write to the directory; what others can write in it later is not taken. */
int keys_open(const char *directory, struct keys **ret, struct err *err);
void keys_free(struct keys *keys);

/* Returns the name whose certificate of OWNER has PUBLIC_TEXT; NULL if there is none. Borrowed until the next
 * call. */
const char *keys_find(struct keys *keys, enum key_owner owner, const char *public_text);

/* Returns true if there is still a certificate of OWNER named NAME, with PUBLIC_TEXT. Reads its file. */
bool keys_has(struct keys *keys, enum key_owner owner, const char *name, const char *public_text);

#endif
