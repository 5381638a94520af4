/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history_loss.h - what the history lacks for good, in a file that outlives the resource manager
 *
 * The file "history-lost" in the state directory has the number of applications that were deleted before the
 * history had them, and when the last one was; and when the directory of the history was removed or replaced.
 * An administrator acknowledges the loss by removing the file. It is removed when so much time has passed
 * that the history would not have these applications any more.
 */
#ifndef CREEL_RM_HISTORY_LOSS_H
#define CREEL_RM_HISTORY_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#define HISTORY_LOSS_FILE "history-lost"

struct history_loss {
    char *path;           /* owned */
    uint64_t lost;        /* applications */
    int64_t last_ms;      /* when the last one was lost; 0: none was */
    int64_t moved_ms;     /* when the directory was removed or replaced in an earlier run; 0: it was not */
    int64_t moved_now_ms; /* the same, of this run; 0: it is in its place */
    bool recorded;        /* the file is there */
    bool changed;         /* it has not the present figures */
    bool failing;         /* the last write failed */
};

/* Reads the file of STATE_DIRECTORY, if there is one. */
void history_loss_open(struct history_loss *loss, const char *state_directory);
void history_loss_done(struct history_loss *loss);

void history_loss_add(struct history_loss *loss, int64_t now_ms); /* one more application */
void history_loss_note_moved(struct history_loss *loss, bool moved, int64_t now_ms);

/* Writes the file if something has changed. Forgets the loss if the file was removed, or if KEEP_MS, for
 * which applications are in the history, have passed since. To be called every second or so. */
void history_loss_record(struct history_loss *loss, int64_t keep_ms, int64_t now_ms);

/* Returns the sentence of a warning, owned by the caller; "": nothing was lost. */
char *history_loss_text(const struct history_loss *loss);

#endif
