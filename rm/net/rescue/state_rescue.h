/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_rescue.h - backups of the state while its file is not in its place any more
 *
 * If state.db is removed or replaced under a running resource manager, only that process can read what it has
 * committed. A process that makes a backup then makes the file RESCUE_WANTED in the state directory; the
 * resource manager looks for it each second, writes the state to RESCUE_FILE, and removes RESCUE_WANTED. Only
 * root and the owner of the state directory can make that file.
 *
 * A resource manager that stops without its file in its place saves its state as STATE_RESCUED-TIME.db, in
 * the state directory or in that of the backups. The next start does not begin with an empty state beside it.
 */
#ifndef CREEL_RM_STATE_RESCUE_H
#define CREEL_RM_STATE_RESCUE_H

#include "rm/store/store.h"
#include "rm/store/store_maintenance.h"

#define STATE_RESCUED "state.rescued" /* begin of the name of such a file */
#define RESCUE_WANTED "rescue-wanted"
#define RESCUE_FILE "rescue-wanted.db"
#define RESCUE_WAIT_MS 60000

/* The resource manager: writes the state of STORE if a process waits for it in DIRECTORY, and the file of the
 * state is not in its place. Blocks while it writes. */
void state_rescue_serve(struct store *store, const char *directory);

/* Like store_backup, also if the file of the state is not in its place: then the running resource manager
 * writes it. Blocks, for RESCUE_WAIT_MS beside the copy at most. */
int state_rescue_backup(const char *directory, const char *file, struct store_report *report,
                        struct err *err);

/* Returns 0, or -EBADMSG if DIRECTORY has no state, and there or in BACKUPS ("": none) is one that an earlier
 * process has saved at its stop: the newest is named. */
int state_rescue_check(const char *directory, const char *backups, struct err *err);

#endif
