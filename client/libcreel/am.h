/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am.h - inside libcreel: environment and connections of an application master process
 *
 * Reads the environment, the token and the job that the agent gave the container, and connects to the RM's AM
 * port and to agents with the key pair of its attempt, which is derived from the token
 * (common/io/keys/derived_key.h). The token is in each message to the RM and identifies the attempt.
 *
 *   CREEL_APP_ID, CREEL_CONTAINER_ID
 *   CREEL_RM_AM      host:port of the RM's port for AMs
 *   CREEL_RM_KEY     the RM's public key, Z85
 *   CREEL_TOKEN_FILE SignedToken TOKEN_AM
 *   CREEL_JOB_FILE   packed JobSpec; only for applications of tasks
 */
#ifndef CREEL_LIBCREEL_AM_H
#define CREEL_LIBCREEL_AM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/libcreel/channel_pool.h"
#include "common/base/err.h"
#include "common/io/loop/loop.h"
#include "common/proto/creel.pb-c.h"

struct am_environment { /* environment of an AM's container; all fields owned */
    char *app_id, *container_id, *rm_address, *rm_key;
    char *host; /* name of this machine */
    uint8_t *token;
    size_t token_size;
    uint8_t *job_token;    /* of the application, for its containers */
    size_t job_token_size; /* 0: none */
    int lock_fd;           /* of the locked token file; -1: not locked */
};

/* Returns whether this process is in the first container of an application. */
bool am_environment_is_there(void);
/* Reads the environment. -EINVAL: a variable is missing or invalid; -errno: the token cannot be read. */
int am_environment_read(struct am_environment *ret, struct err *err);
void am_environment_done(struct am_environment *environment);
/* Locks the token file, since only one process at a time may be the AM of an attempt. -EBUSY: another
 * process has the lock; with WAIT, waits for the lock. Released by am_environment_done. */
int am_environment_lock(struct am_environment *environment, bool wait, struct err *err);
/* Reads the job of CREEL_JOB_FILE. The caller frees it with creel__job_spec__free_unpacked. */
int am_environment_job(Creel__JobSpec **ret, struct err *err);

struct am_shell; /* opaque */

/* Called for ENVELOPE from the RM (ADDRESS NULL) or from the agent at ADDRESS. */
typedef void am_shell_fn(void *context, const char *address, const Creel__Envelope *envelope);

/* Makes the connections. ENVIRONMENT is borrowed. */
struct am_shell *am_shell_new(struct loop *loop, const struct am_environment *environment, am_shell_fn *fn,
                              void *context);
void am_shell_free(struct am_shell *shell); /* NULL is allowed */

/* Sends a message to the RM or to an agent; the message may be lost. am_shell_send_rm puts the token into
 * ENVELOPE. */
int am_shell_send_rm(struct am_shell *shell, Creel__Envelope *envelope, struct err *err);
int am_shell_send_agent(struct am_shell *shell, const char *address, const char *agent_key,
                        Creel__Envelope *envelope, struct err *err);
/* Returns true if the RM refuses the key of the attempt repeatedly. */
bool am_shell_rm_refuses(struct am_shell *shell);
/* Returns 0 if connected to the RM, else a negative errno with the reason in ERR. */
int am_shell_rm_state(struct am_shell *shell, struct err *err);

#endif
