/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk_io.h - keeps the agent's loop from blocking on a local or log directory that does not answer
 *
 * Private to nm-agent/linux. A directory on a frozen or broken disk, or of a dead NFS server, blocks each
 * thread that touches it. So each directory of local-dirs and log-dirs, and the state directory, has a
 * thread. What may take long (tests, removals, measurements) runs there. Before anything else touches a
 * directory, the thread tests that it answers. A directory that has not answered within DISK_WAIT_MS is late:
 * until it answers, it is neither touched nor waited for. After DISK_SILENT_MS its check fails. What the loop
 * does itself after that test, as making small files and reading logs, blocks it if the directory ceases to
 * answer in between: the watchdog of the agent's unit then ends the agent.
 */
#ifndef CREEL_NM_DISK_IO_H
#define CREEL_NM_DISK_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/worker.h"

#define DISK_WAIT_MS 1000    /* for which the loop waits for a directory, once */
#define DISK_SILENT_MS 10000 /* a check that takes longer: the directory does not answer */
#define DISK_RETRY_MS 60000  /* until the next attempt at what a directory without an answer has delayed */
#define DISK_NO_ANSWER "does not answer: look at its disk or mount"

struct disk;
struct runtime;

/* Starts the threads of DISK. If that fails, their jobs run in the loop. */
void disk_io_start(struct disk *disk);
/* Ends the threads. Returns false if the disk does not answer: a thread is abandoned. */
bool disk_io_end(struct disk *disk);

/* Returns true if DISK is late. */
bool disk_is_late(struct disk *disk);
/* Runs JOB in the thread of DISK (NULL: at once), and waits for it. Returns false if it does not end in time:
 * DISK is late, and DONE is called when JOB has run. Not to be called for a late disk. */
bool disk_run(struct disk *disk, struct worker_job *job);
/* Returns true if DISK (NULL: true) answers now: the creation of a file succeeds or fails in time. */
bool disk_answers(struct disk *disk);

/* Returns the disk of the directory of local-dirs or log-dirs, or of the state directory, that PATH is in;
 * NULL: none. */
struct disk *disk_of(const struct runtime *runtime, const char *path);
/* Returns true if PATH may be touched: its disk answers, or it is on no disk that the agent knows. */
bool disk_path_answers(const struct runtime *runtime, const char *path);
/* Return those local or log dirs that answer, ended by NULL. The caller frees the array, not the texts. */
char **disk_answering_local_dirs(const struct runtime *runtime);
char **disk_answering_log_dirs(const struct runtime *runtime);
/* Returns true if all log dirs answer. */
bool disk_log_dirs_answer(const struct runtime *runtime);

/* Sets ERR, and returns -EAGAIN: PATH does not answer. */
int disk_no_answer(const char *path, struct err *err);

#endif
