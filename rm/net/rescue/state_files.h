/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_files.h - everything that the resource manager has in its state directory, one row each
 *
 *     F(NAME, SOURCE, ARCHIVE, TEXT)
 *
 * NAME may end in "*". SOURCE is where a resource manager on another host has its contents from:
 *   COMMITS     from the commits of the store, one after another
 *   REBUILT     it is made again from these commits, as far as they still have the rows
 *   HOST        it is of this host: another host has one of its own, or none
 *   UPLOADED    clients have sent it; the rows of applications name it
 *
 * ARCHIVE is how `creel admin state backup --all` takes it: DATABASE (as one copy of all commits), TREE (with
 * its directories), FLAT (the files in it alone) or NONE. TEXT is a description for people.
 *
 * tests/e2e/25-state.sh checks that the directory has nothing else, tools/check-style that creel-rm(8) and
 * docs/architecture.md name each row. Outside of this directory the resource manager writes the list of hosts
 * that have joined (joined_file.h, which outlives the loss of the state), and backups.
 */
#ifndef CREEL_RM_STATE_FILES_H
#define CREEL_RM_STATE_FILES_H

#define STATE_FILES(F) \
    F("state.db", COMMITS, DATABASE, "applications, attempts, containers, nodes, settings, tokens") \
    F("state.db-wal", COMMITS, NONE, "commits that are not in state.db yet") \
    F("state.db-shm", HOST, NONE, "index of state.db-wal, while a process has it open") \
    F("history", REBUILT, TREE, "applications and containers that have ended, a file for each month") \
    F("blobs", UPLOADED, FLAT, "files of submissions") \
    F("history-lost", HOST, TREE, "what the history has lost") \
    F("head", HOST, NONE, "number and hash of the newest commit: proof that state.db is not older") \
    F("lock", HOST, NONE, "locked by the process that uses the directory") \
    F("clock", HOST, NONE, "boot of the host and its clock then") \
    F("runs", HOST, NONE, "whether the last run was stopped, and starts after an end without a stop") \
    F("ports", HOST, NONE, "the ports in use") \
    F("signed-in", HOST, NONE, "keys of users who have signed in by MUNGE, until they expire") \
    F("rescue-wanted*", HOST, NONE, "a backup waits for a state whose file was removed, and that state") \
    F("state.rescued-*", HOST, NONE, "such a state, saved at a stop") \
    F("state.db.schema-*", HOST, NONE, "copies from before upgrades that changed the tables") \
    F("before-restore-*", HOST, NONE, "what `creel admin state restore` replaced") \
    F("damaged-*", HOST, NONE, "what `creel admin state` moved away because it was damaged")

#endif
