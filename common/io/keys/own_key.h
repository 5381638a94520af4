/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_key.h - whether the key files of a daemon are those with which it runs
 *
 * A running daemon has its key in memory, and its peers have connected: without a check nobody would notice
 * before the next start that the files are gone. A thread reads the files, so that a directory
 * that does not answer, as of a dead NFS server, blocks nothing else: that is a problem, too.
 */
#ifndef CREEL_IO_OWN_KEY_H
#define CREEL_IO_OWN_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/io/keys/keys.h"
#include "common/io/loop/loop.h"

#define OWN_KEY_SILENT_MS 10000 /* files that take longer: their directory does not answer */

struct own_key; /* opaque */

/* The files that a daemon needs at its next start besides those of its key, as for TLS. */
#define OWN_KEY_FILES 3

struct own_key_file {
    const char *key;  /* of the configuration; static */
    const char *path; /* copied; NULL: there is no such file */
};

struct own_key_used {
    const char *daemon; /* "creel-rm", "creel-nm"; static */
    enum key_owner owner;
    const char *name;         /* of the pair, as key_load_for takes it; copied; NULL: none */
    const char *file;         /* of the pair, as key_load takes it; copied; NULL: that of OWNER and NAME */
    const struct key *key;    /* the pair; copied */
    const struct key *rm_key; /* the public key of the resource manager; copied */
    const struct own_key_file *files; /* OWN_KEY_FILES; NULL: none */
};

/* Starts the thread that compares the files of DIRECTORY, which is copied, with those in use. LOOP must
 * outlive it. */
int own_key_new(struct loop *loop, const char *directory, const struct own_key_used *used,
                struct own_key **ret, struct err *err);
/* Returns false if the directory does not answer: the thread is abandoned, and the process has to end with
 * _exit. NULL is fine. */
bool own_key_free(struct own_key *own);

/* Begins to compare the files, unless the thread still does; the loop sets and logs the result. NOW_MS: for
 * own_key_since_ms. STEADY_MS: steady clock, not 0. */
void own_key_watch(struct own_key *own, int64_t now_ms, int64_t steady_ms);

/* Returns what is wrong with the files, valid until the loop runs again; NULL: nothing is known to be
 * wrong. */
const char *own_key_problem(const struct own_key *own);
const char *own_key_directory(const struct own_key *own);
int64_t own_key_since_ms(const struct own_key *own); /* since when; 0: there is no problem */
/* Returns true if no comparison runs; for tests. */
bool own_key_is_idle(const struct own_key *own);

#endif
