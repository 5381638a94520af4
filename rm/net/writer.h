/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.h - the thread that writes submitted files, so that the loop never waits
 *
 * Bringing a megabyte to the disk takes long enough to make heartbeats late,
 * and a few clients can do nothing else all day. So chunks are queued here,
 * bounded, and written one after another; the loop hears when each is done.
 * Only this thread calls blobs_put and blobs_drop_stalled.
 */
#ifndef CREEL_RM_WRITER_H
#define CREEL_RM_WRITER_H

#include "common/base/err.h"
#include "common/io/channel.h"
#include "common/io/loop.h"
#include "rm/net/blobs.h"

#define WRITER_QUEUE_BYTES_MAX ((size_t)64 << 20)

struct writer;                          /* opaque */

/* In the loop: the chunk that CONNECTION sent with REQUEST_ID is dealt with.
 * RESULT is blobs_put's, ERR its words, PRINCIPAL who sent it. */
typedef void writer_done_fn(void *context, uint64_t connection, uint64_t request_id,
                            const char *principal, int result, const struct err *err);

int writer_new(struct loop *loop, struct blobs *blobs, writer_done_fn *done, void *context,
               struct writer **ret, struct err *err);
/* NULL is fine. What is queued is dropped; waits for the chunk that is being written. */
void writer_free(struct writer *writer);

/* Queue a copy of CHUNK; -EAGAIN: too much is queued already. */
int writer_put(struct writer *writer, const struct peer *peer, uint64_t request_id,
               const Creel__PutBlob *chunk, int64_t now_ms, struct err *err);

/* Queue blobs_drop_stalled. */
void writer_drop_stalled(struct writer *writer, int64_t now_ms);

#endif
