/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.h - inside libcreel: the connection to the RM and requests over it
 *
 * Functions of this header use struct err and protobuf messages; the exported API (creel.h) uses neither.
 * Replies are borrowed views that live as long as their envelope.
 */
#ifndef CREEL_LIBCREEL_CLIENT_H
#define CREEL_LIBCREEL_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "client/include/creel.h"
#include "client/libcreel/early_answer.h"
#include "common/base/err.h"
#include "common/conf/conf.h"
#include "common/io/channel/channel.h"
#include "common/io/keys/keys.h"
#include "common/proto/creel.pb-c.h"

#define CLIENT_SIGN_IN_TRIES 3 /* a credential may have been used before if a message was lost */

/* How the client is identified (sign_in.c). */
struct client_sign_in {
    bool by_munge;    /* OWN is a key of this process alone, with which it signs in; false: a certificate */
    char *socket;     /* owned; of munged; "": libmunge's */
    int64_t valid_ms; /* how long a key is valid; 0: not known yet */
    int64_t renew_ms; /* monotonic; time to sign in again; 0: not signed in yet */
    int64_t expires_ms, retry_ms; /* monotonic; end of the key; time before which client_renew does nothing */
};

#define CREEL_EXPORT __attribute__((visibility("default")))

#define CLIENT_ADDRESSES_MAX 8
#define CLIENT_TIMEOUT_MS 10000

struct client_target {
    char *address;                  /* owned */
    struct channel_client *channel; /* owned; made on first use */
};

/* A connection to an agent, shared by all open logs of that agent. */
struct client_agent {
    struct client_agent *next;
    char *address, *key;            /* owned */
    struct channel_client *channel; /* owned */
    unsigned users;
};

/* A token that permits reading the logs of one application. */
struct client_log_token {
    char *app_id; /* owned, as NODE */
    char *node;
    uint8_t *bytes; /* owned */
    size_t size;
    int64_t renew_ms; /* time to get a new token; monotonic */
};

struct creel_client {
    struct client_target targets[CLIENT_ADDRESSES_MAX];
    size_t target_count;
    size_t current;     /* index of the target to which the next request is sent */
    char *address_text; /* owned; the addresses as configured */
    char *am_address;   /* owned; of the RM's port for AMs */
    struct key own;
    char rm_key[KEY_TEXT];
    char *as_user; /* owned; NULL: no other user */
    struct client_sign_in sign_in;
    bool by_job;         /* OWN follows from the token of the job in which this process runs (job_token.h) */
    bool needs_listener; /* as in struct creel_options */
    int64_t timeout_ms;
    int interrupt_fd;            /* borrowed; calls end with -EINTR when it is readable; -1: none */
    struct early_answers early;  /* to requests that wait for a change */
    bool answered;               /* the RM has answered once */
    bool no_mail;                /* the last submission wants mail, and the RM sends none */
    bool refused;                /* the last call has failed without a connection: no RM got the request */
    struct client_agent *agents; /* owned list */
    struct client_log_token log_token;
};

/* Sends REQUEST, and repeats it until an answer arrives, for at most TIMEOUT_MS in all. *REPLY is a reply
 * with the body BODY, which the caller frees with wire_free. An Error reply becomes its errno of creel.h.
 * Every request of this protocol may be repeated. */
int client_call(struct creel_client *client, Creel__Envelope *request, Creel__Envelope__BodyCase body,
                int64_t timeout_ms, Creel__Envelope **reply, struct err *err);

/* Like client_call, for a request that the RM may answer only after WAIT_MS: the time limit is WAIT_MS
 * longer. */
int client_call_waiting(struct creel_client *client, Creel__Envelope *request, Creel__Envelope__BodyCase body,
                        int64_t wait_ms, int64_t timeout_ms, Creel__Envelope **reply, struct err *err);

/* Pauses, for the rest of WAIT_MS at most, if a request that was sent at ASKED_MS (monotonic) and may wait
 * WAIT_MS for a change has an early answer; NEWS: the answer has a change. Returns at once otherwise. */
void client_pause_if_early(struct creel_client *client, bool news, int64_t asked_ms, int64_t wait_ms);

/* *REPLY is a list of applications. If it is one application without its command, which is long, gets the
 * application with its command, and replaces *REPLY. If that fails, *REPLY stays as it is. */
void client_add_command(struct creel_client *client, Creel__Envelope **reply);

/* Chooses the certificate of the user, or makes a key with which the user signs in by MUNGE, or else takes
 * the key of the job in which this process runs; fills the fields `own`, `sign_in` and `by_job`. NAMED is the
 * file of a certificate; NULL or "": that of the user in KEY_DIR. A file that is missing or that this user
 * may not read counts as none. -ENOKEY: none is possible. */
int client_choose_identity(struct creel_client *client, const struct conf *conf, const char *named,
                           const char *key_dir, struct err *err);
/* Signs in over CHANNEL, whose key is that of CLIENT. */
int client_sign_in(struct creel_client *client, struct channel_client *channel, int64_t timeout_ms,
                   struct err *err);
/* Returns true if it is time to sign in: for the first time, or again. Always false with a certificate. */
bool client_must_sign_in(const struct creel_client *client);
/* Signs in again if it is time, or if LOST: the RM or an agent may not know the key any more. For programs
 * with a loop of their own; may wait for some seconds. A failure is not reported: a later request fails for
 * its reason. */
void client_renew(struct creel_client *client, bool lost);

/* Fills ERR from an Error reply. Returns the negative errno of creel.h. */
int client_error_from_reply(const Creel__Error *error, struct err *err);
/* Checks a reply of any peer as client_call does: REPLY must have BODY. WHO names the peer in error messages
 * ("the RM at ...", "agent n1"). */
int client_check_reply(const char *who, const Creel__Envelope *reply, Creel__Envelope__BodyCase body,
                       struct err *err);

/* Sets the time limit for each answer of the agent, instead of the client's time limit. */
void log_set_timeout(struct creel_log *log, int64_t timeout_ms);

/* Returns a log of SIZE bytes at OFFSET of the file FD, which it owns then; no agent is contacted. */
struct creel_log *log_of_file(int fd, uint64_t offset, uint64_t size, int64_t modified_ms);
/* Returns whether the agent of LOG is connected. */
bool log_is_connected(struct creel_log *log);

/* Copies ERR to ERROR (may be NULL) and returns R. */
int client_set_error(struct creel_error *error, const struct err *err, int r);

#endif
