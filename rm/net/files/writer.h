/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.h - the thread that writes submitted files, so that the loop never waits for the disk
 *
 * Writing a megabyte to the disk takes long enough to delay heartbeats, and a few clients can upload without
 * a break. So chunks are put into a bounded queue and written one after another; the loop is notified of each
 * written chunk. Only this thread calls blobs_put and blobs_drop_stalled.
 */
#ifndef CREEL_RM_WRITER_H
#define CREEL_RM_WRITER_H

#include "common/base/err.h"
#include "common/io/channel/channel.h"
#include "common/io/loop/loop.h"
#include "rm/net/files/blobs.h"

#define WRITER_QUEUE_BYTES_MAX ((size_t)64 << 20)

struct writer; /* opaque */

/* Called in the loop when the chunk that CONNECTION sent with REQUEST_ID was written or refused. RESULT and
 * ERR are those of blobs_put, PRINCIPAL is the sender. */
typedef void writer_done_fn(void *context, uint64_t connection, uint64_t request_id, const char *principal,
                            int result, const struct err *err);

int writer_new(struct loop *loop, struct blobs *blobs, writer_done_fn *done, void *context,
               struct writer **ret, struct err *err);
/* Drops queued chunks and unfinished uploads, and waits for the chunk that is being written, for five seconds
 * at most. Returns false if the disk does not answer: the thread is abandoned, BLOBS has to stay, and the
 * process has to end with _exit. NULL is fine. */
bool writer_free(struct writer *writer);

/* Queues a copy of CHUNK; -EAGAIN: the queue is full, or the disk does not answer. */
int writer_put(struct writer *writer, const struct peer *peer, uint64_t request_id,
               const Creel__PutBlob *chunk, int64_t now_ms, struct err *err);

/* Queues a call of blobs_drop_stalled, unless one is queued. */
void writer_drop_stalled(struct writer *writer, int64_t now_ms);

#endif
