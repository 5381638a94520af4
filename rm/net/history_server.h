/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history_server.h - answers requests from the history files
 *
 * These are ListJobHistory, SumJobHistory, and, for an application that the master has forgotten, ListApps
 * and ListContainers of this application, WaitApp and GetLogAccess. A SubmitApp whose dependencies name such
 * an application is given back with the results of these applications. A thread of its own reads the files,
 * one request after another; users take turns. What a user may see is decided in the loop, by the same rules
 * as for other applications.
 */
#ifndef CREEL_RM_HISTORY_SERVER_H
#define CREEL_RM_HISTORY_SERVER_H

#include <stdbool.h>

#include "common/base/err.h"
#include "common/io/loop.h"
#include "rm/master/master.h"
#include "rm/net/history_writer.h"
#include "rm/net/signing_keys.h"

struct history_server; /* opaque */

struct history_parts { /* all borrowed, and outlive the server */
    struct loop *loop;
    const char *state_directory;
    struct master *master;
    struct signing_keys *signing_keys;
    const struct history_writer *writer; /* its problems are reported with lists */
    /* Sends REPLY to CONNECTION, unless that has ended. */
    void (*send)(void *context, const struct master_peer *peer, Creel__Envelope *reply);
    /* Takes a SubmitApp of PEER; ENDED are the applications that it depends on and that the master has
     * forgotten, those that the history has. */
    void (*submit)(void *context, const struct master_peer *peer, const Creel__Envelope *request,
                   const struct master_ended *ended, size_t count);
    void *context; /* of SEND and SUBMIT */
};

int history_server_new(const struct history_parts *parts, struct history_server **ret, struct err *err);
void history_server_free(struct history_server *server); /* NULL is fine; waits for the thread */

/* Returns true if REQUEST is answered from the history. */
bool history_server_wants(const struct history_server *server, const Creel__Envelope *request);
/* Queues such a request. The reply is sent later. -EAGAIN: too many wait; -EPERM: PEER may not act for that
 * user. */
int history_server_add(struct history_server *server, const struct master_peer *peer,
                       const Creel__Envelope *request, struct err *err);

#endif
