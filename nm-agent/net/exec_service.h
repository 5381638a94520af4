/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_service.h - signals to containers, and commands inside them, as asked by people
 *
 * SignalContainer and StartExec need a token of the RM that allows control. A command
 * is known from then on by the key that its owner made up; he asks for what it writes
 * again and again, and one that sends nothing for EXEC_SILENCE_MS is gone, and the
 * command with him.
 */
#ifndef CREEL_NM_EXEC_SERVICE_H
#define CREEL_NM_EXEC_SERVICE_H

#include "common/io/channel.h"

#define EXEC_SILENCE_MS 10000
#define EXEC_WAIT_MAX_MS 3000           /* an answer is not kept back for longer */
#define EXEC_SESSIONS_MAX 64            /* at a time, on one node */

struct daemon;
struct exec_service;

struct exec_service *exec_service_new(struct daemon *daemon);
void exec_service_free(struct exec_service *service);   /* kills what runs; NULL is fine */
/* One of SignalContainer, StartExec, WriteExec, ReadExec, EndExec. */
void exec_service_receive(struct exec_service *service, const struct peer *peer,
                          const Creel__Envelope *envelope);

#endif
