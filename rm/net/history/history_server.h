/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history_server.h - answers requests from the history files
 *
 * These are ListJobHistory and SumJobHistory, and four requests about one application, if the master has
 * forgotten it: ListApps, ListContainers, WaitApp and GetLogAccess. A SubmitApp that depends on forgotten
 * applications is passed to the callback SUBMIT, with the results of these applications. Threads read the
 * files, one request of a user at a time (history_threads.h); users take turns. The loop checks what a user
 * may see, by the same rules as for other applications.
 */
#ifndef CREEL_RM_HISTORY_SERVER_H
#define CREEL_RM_HISTORY_SERVER_H

#include <stdbool.h>

#include "common/base/err.h"
#include "common/io/loop/loop.h"
#include "rm/master/master.h"
#include "rm/net/history/history_writer.h"
#include "rm/net/parts/request_queue.h"

struct history_server; /* opaque */

struct history_parts { /* all borrowed, and outlive the server */
    struct loop *loop;
    const char *state_directory;
    struct master *master;
    const struct history_writer *writer; /* lists have a warning about its problems */
    /* Sends REPLY to PEER, unless the connection has ended. */
    void (*send)(void *context, const struct master_peer *peer, Creel__Envelope *reply);
    /* Returns 0 if a request of KIND of PEER may be answered now; else as channel_server_may_answer. */
    int (*may_answer)(void *context, const struct master_peer *peer, Creel__Envelope__BodyCase kind,
                      struct err *err);
    /* Submits REQUEST, a SubmitApp of PEER. ENDED has the results of the forgotten applications on which the
     * job depends; those that the history does not have either are left out. */
    void (*submit)(void *context, const struct master_peer *peer, const Creel__Envelope *request,
                   const struct master_ended *ended, size_t count);
    void *context; /* of SEND and SUBMIT */
};

int history_server_new(const struct history_parts *parts, struct history_server **ret, struct err *err);
/* Waits for the requests that are being answered, for a second each at most. Returns false if the disk does
 * not answer: a thread is abandoned, and the process has to end with _exit. NULL is fine. */
bool history_server_free(struct history_server *server);

/* Returns true if REQUEST is answered from the history. */
bool history_server_accepts(const struct history_server *server, const Creel__Envelope *request);
/* Queues REQUEST, for which history_server_accepts returns true. The reply is sent later. -EAGAIN: too many
 * requests are queued. -EPERM: PEER may not act for the user of REQUEST. */
int history_server_add(struct history_server *server, const struct master_peer *peer,
                       const Creel__Envelope *request, struct err *err);
const struct request_queue *history_server_queue(const struct history_server *server);

#endif
