/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storage_child.h - reads shared storage in a child process
 *
 * Storage that does not answer, as of a dead NFS server, blocks each process that touches it, possibly
 * without end. So a child reads it, and sends messages; if none comes in time, the child is killed and not
 * waited for: such storage is not to be read again by this process.
 */
#ifndef CREEL_CLI_STORAGE_CHILD_H
#define CREEL_CLI_STORAGE_CHILD_H

#include <stdint.h>
#include <sys/types.h>

#include "common/base/err.h"

struct storage_message {
    enum { STORAGE_PROGRESS, STORAGE_ENTRY, STORAGE_END } kind;
    int code;  /* END: 0, or errno of the failure that TEXT explains */
    uid_t uid; /* the other fields: as the work and its receiver agree */
    uint64_t offset, size;
    int64_t modified_ms;
    char text[512];
};

/* Called in the child: calls storage_send, at the end with END. */
typedef void storage_work_fn(void *context, int fd);
/* Called in the parent for each message but PROGRESS. */
typedef void storage_receive_fn(void *context, const struct storage_message *message);

void storage_send(int fd, const struct storage_message *message);

/* Runs WORK in a child. Returns the negative CODE of its END, with its TEXT in ERR. -ETIMEDOUT: no message
 * came for TIMEOUT_MS. */
int storage_child_run(storage_work_fn *work, storage_receive_fn *receive, void *context, int64_t timeout_ms,
                      struct err *err);

#endif
