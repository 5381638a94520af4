/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_service.h - handles signals to containers, and commands inside containers, requested by users
 *
 * SignalContainer and StartExec need a token of the RM that allows control. After that, a command is
 * identified by the key that its owner chose. The owner's client sends requests for the output repeatedly. If
 * it sends none for EXEC_SILENCE_MS, the command is stopped, as also by EndExec and by the end of the agent:
 * its processes get SIGTERM, and SIGKILL after the kill delay. It counts as one of its user's commands until
 * then.
 */
#ifndef CREEL_NM_EXEC_SERVICE_H
#define CREEL_NM_EXEC_SERVICE_H

#include "common/io/channel/channel.h"

#define EXEC_SILENCE_MS 10000
#define EXEC_WAIT_MAX_MS 3000 /* maximum delay of a reply */
#define EXEC_SESSIONS_MAX 128 /* simultaneous commands on one node */
#define EXEC_SESSIONS_OF_USER_MAX 32

struct daemon;
struct exec_service;

struct exec_service *exec_service_new(struct daemon *daemon);
void exec_service_free(struct exec_service *service); /* stops running commands; may be NULL */
/* Handles SignalContainer, StartExec, WriteExec, ReadExec or EndExec. */
void exec_service_receive(struct exec_service *service, const struct peer *peer,
                          const Creel__Envelope *envelope);

#endif
