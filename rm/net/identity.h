/* SPDX-License-Identifier: Apache-2.0 */
/* identity.h - decides how users are identified: by certificates, MUNGE and tokens of jobs */
#ifndef CREEL_RM_IDENTITY_REQUESTS_H
#define CREEL_RM_IDENTITY_REQUESTS_H

#include <stdbool.h>

#include "common/conf/conf.h"
#include "common/io/keys/keys.h"
#include "common/io/loop/log.h"
#include "common/io/loop/loop.h"
#include "rm/net/health/metrics.h"
#include "rm/net/keys/derived_keys.h"
#include "rm/net/keys/sign_in.h"
#include "rm/net/port.h"
#include "rm/net/requests/report.h"

/* Parts of the daemon that identification uses; borrowed. */
struct identity_parts {
    const struct conf *conf; /* of the start */
    struct loop *loop;
    struct gateway_pool *gateways;
    const char *rm_key; /* the public key of the resource manager */
    const char *state_directory;
    struct keys *keys;
    struct derived_keys *job_keys;
    struct master *master;
    struct metrics *metrics;
    struct report *report;
    const struct port *ports;
};

struct daemon_users {
    struct identity_parts parts;
    struct sign_in *sign_in; /* owned; NULL: users cannot sign in by MUNGE */
    bool certificates;       /* certificates of all users are accepted; false: of proxy users alone */
    struct log_limit refusals;
};

/* Reads the configuration. It is called when the master exists and before the ports are bound. */
int identity_start(struct daemon_users *users, const struct identity_parts *parts, struct err *err);
/* Returns the user of a key, by certificate or MUNGE, borrowed until the next call; NULL: there is none. */
const char *identity_user_of_key(struct daemon_users *users, const char *public_text);
/* Sets the principal of PEER, which has the token of a job, to the user of the application; borrowed. Refuses
 * REQUEST and returns false if the token is not for such requests, or the application has ended. */
bool identity_name_job(const struct daemon_users *users, const struct port *port, struct peer *peer,
                       const Creel__Envelope *request);
/* Refuses REQUEST and returns true if PEER is a guest and must sign in first. */
bool identity_refuse_guest(const struct port *port, const struct peer *peer, const Creel__Envelope *request);
/* Answer SignIn and GetIdentity. */
void identity_on_sign_in(struct daemon_users *users, const struct port *port, const struct peer *peer,
                         const Creel__Envelope *request);
void identity_on_get(struct daemon_users *users, const struct port *port, const struct peer *peer,
                     const Creel__Envelope *request);

#endif
