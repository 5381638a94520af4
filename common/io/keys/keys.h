/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.h - creates, loads and looks up the CURVE certificates of a cluster
 *
 * A key directory, created by `creel keygen cluster`:
 *   DIR/rm, DIR/rm_secret                  the resource manager
 *   DIR/agents/NAME, NAME_secret           agents; NAME is the host, or "default"
 *   DIR/users/NAME, NAME_secret            users
 *   DIR/joined/hosts                       hosts that joined with a token: rm/net/keys/joined_keys.h
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

/* Generates a new key pair, in memory only. */
void key_generate(struct key *key);

/* Reads the public key from FILE, or with NEED_SECRET both keys from FILE_secret; then FILE may be missing,
 * else it must have the same public key. On error, ERR names the file, the reason (absent, unreadable,
 * readable by others, not a certificate) and the remedy. */
int key_load(const char *file, bool need_secret, struct key *key, struct err *err);

/* Loads the key of a role from DIRECTORY. NAME is NULL for the RM; agents fall back to agents/default. */
int key_load_for(const char *directory, enum key_owner owner, const char *name, bool need_secret,
                 struct key *key, struct err *err);

/* Returns true if NAME has a certificate of its own. */
bool key_is_there(const char *directory, enum key_owner owner, const char *name);

/* Creates one certificate; NAME is NULL for the RM. -EEXIST: the certificate exists; it is never
 * overwritten. -ENOKEY: that of the RM exists without its secret file. If only the secret file exists, from
 * an interrupted call, creates the public file that belongs to it. Files are created atomically, with their
 * final modes. */
int key_make(const char *directory, enum key_owner owner, const char *name, struct err *err);

/* Writes KEY, which was made elsewhere, to the files that key_make would create. If the secret half of KEY is
 * "", writes the public file only. -EEXIST: the certificate exists; -EINVAL: KEY is not valid, or its halves
 * do not belong together. */
int key_install(const char *directory, enum key_owner owner, const char *name, const struct key *key,
                struct err *err);

/* Reads all public certificates of DIRECTORY. keys_find and keys_has read them again as needed. -EPERM:
 * group or others can write to DIRECTORY, agents/ or users/. If agents/, users/ or a file gets such a mode
 * later, its certificates are ignored. */
int keys_open(const char *directory, struct keys **ret, struct err *err);
void keys_free(struct keys *keys);

/* Converts R, the error of a key that a daemon needs: -ENOKEY for a file that is missing or cannot be read,
 * so that its unit does not start it again and again. */
int keys_start_error(int r);

/* Returns the name whose certificate of OWNER has PUBLIC_TEXT; NULL if there is none. Borrowed until the next
 * call. */
const char *keys_find(struct keys *keys, enum key_owner owner, const char *public_text);

/* Returns why the certificate of OWNER with PUBLIC_TEXT, which keys_find has not found, does not count
 * although it exists: others can write it or its directory. NULL: there is no such certificate. The caller
 * frees the text. *NAME is set to the name of the certificate, borrowed until the next call; NULL: not
 * known. */
char *keys_why_not(const struct keys *keys, enum key_owner owner, const char *public_text, const char **name);

/* Returns true if there is a certificate of OWNER named NAME. Reads its file. */
bool keys_has_name(struct keys *keys, enum key_owner owner, const char *name);

/* Returns true if there is still a certificate of OWNER named NAME, with PUBLIC_TEXT. Reads its file. */
bool keys_has(struct keys *keys, enum key_owner owner, const char *name, const char *public_text);

#endif
