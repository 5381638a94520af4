/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blob_server.h - the thread that reads the directory of submitted files
 *
 * It opens the directory, answers HaveBlobs and GetBlob, looks whether the files of a SubmitApp are stored,
 * and removes files that no application uses. One request is handled after another; users take turns
 * (request_queue.h). So a disk that does not answer delays requests about files, and nothing else: after
 * BLOBS_SILENT_MS they are refused with the reason, until it answers again.
 */
#ifndef CREEL_RM_BLOB_SERVER_H
#define CREEL_RM_BLOB_SERVER_H

#include <stdbool.h>

#include "common/base/err.h"
#include "common/io/loop/loop.h"
#include "rm/master/master.h"
#include "rm/net/files/blobs.h"
#include "rm/net/parts/request_queue.h"

struct blob_server; /* opaque */

struct blob_parts { /* all borrowed, and outlive the server */
    struct loop *loop;
    struct blobs *blobs;
    int64_t (*now_ms)(void *context); /* the time of blobs.h */
    /* Sends REPLY to PEER, unless the connection has ended. */
    void (*send)(void *context, const struct master_peer *peer, Creel__Envelope *reply);
    /* Returns 0 if a request of KIND of PEER may be answered now; else as channel_server_may_answer. */
    int (*may_answer)(void *context, const struct master_peer *peer, Creel__Envelope__BodyCase kind,
                      struct err *err);
    /* Refuses REQUEST of PEER. */
    void (*refuse)(void *context, const struct master_peer *peer, uint64_t request_id, Creel__ErrorCode code,
                   const struct err *err);
    /* Continues with REQUEST, a SubmitApp of PEER at ADDRESS, whose files are stored. */
    void (*submit)(void *context, const struct master_peer *peer, const char *address,
                   const Creel__Envelope *request);
    void *context; /* of all functions */
};

/* Starts the thread, which opens PARTS->blobs (blobs_wait). */
int blob_server_new(const struct blob_parts *parts, struct blob_server **ret, struct err *err);
/* Waits for the request that is being handled, for a second at most; queued ones are dropped. Returns false
 * if the disk does not answer: the thread is abandoned, PARTS->blobs has to stay, and the process has to end
 * with _exit. NULL is fine. */
bool blob_server_free(struct blob_server *server);

/* Returns true if REQUEST is a SubmitApp with files, whose files have to be looked for. */
bool blob_server_must_check(const Creel__Envelope *request);
/* Queues REQUEST of PEER at ADDRESS, a HaveBlobs, GetBlob or SubmitApp that counts for USER. -EAGAIN: too
 * many are queued, or the disk does not answer. */
int blob_server_add(struct blob_server *server, const char *user, const struct master_peer *peer,
                    const char *address, const Creel__Envelope *request, struct err *err);
/* Refuses the queued requests if the disk does not answer, and tries again to open the directory if that has
 * failed. To be called every second or so. */
void blob_server_check(struct blob_server *server);

/* Removes files that no live job of MASTER uses, unless that still runs. */
void blob_server_sweep(struct blob_server *server, struct master *master);
/* Requests that wait for the thread. */
const struct request_queue *blob_server_queue(const struct blob_server *server);

#endif
