/* SPDX-License-Identifier: Apache-2.0 */
/* blob_requests.h - requests about submitted files: store, find and read them */
#ifndef CREEL_RM_BLOB_REQUESTS_H
#define CREEL_RM_BLOB_REQUESTS_H

#include <stdbool.h>

#include "common/conf/conf.h"
#include "common/io/loop/log.h"
#include "common/io/loop/loop.h"
#include "rm/net/files/blob_server.h"
#include "rm/net/files/blobs.h"
#include "rm/net/files/writer.h"
#include "rm/net/parts/clock.h"
#include "rm/net/port.h"

/* Parts of the daemon that these requests use; borrowed. */
struct blob_requests_parts {
    const struct conf *conf;
    struct loop *loop;
    const char *directory; /* of the state */
    struct clock *clock;
    const struct port *ports;
    /* Continues with a submission whose files are stored. */
    void (*pass_on)(const struct port *port, const struct peer *peer, const Creel__Envelope *request);
};

struct daemon_uploads {
    struct blob_requests_parts parts;
    struct blobs *blobs; /* owned, as the next two */
    struct writer *writer;
    struct blob_server *server;
    struct log_limit refusals;
};

/* Opens the directory of submitted files. Its threads may hang: then blob_requests_close returns false. */
int blob_requests_open(struct daemon_uploads *uploads, const struct blob_requests_parts *parts,
                       struct err *err);
bool blob_requests_close(struct daemon_uploads *uploads);

/* Answer PutBlob, HaveBlobs and GetBlob. */
void blob_requests_put(struct daemon_uploads *uploads, const struct port *port, const struct peer *peer,
                       const Creel__Envelope *request);
void blob_requests_have(struct daemon_uploads *uploads, const struct port *port, const struct peer *peer,
                        const Creel__Envelope *request);
void blob_requests_get(struct daemon_uploads *uploads, const struct port *port, const struct peer *peer,
                       const Creel__Envelope *request);

/* Adds the users who are near the limit on uploads to INFO, in ARENA. */
void blob_requests_report(const struct daemon_uploads *uploads, struct arena *arena,
                          Creel__ClusterInfo *info);

/* Returns true if REQUEST is a submission with files, which counts for USER: it is passed on when they are
 * found, or refused. */
bool blob_requests_check_job(struct daemon_uploads *uploads, const struct port *port, const struct peer *peer,
                             const char *user, const Creel__Envelope *request);
/* Refuses REQUEST and returns true if it is a test of a submission with files that are too large. */
bool blob_requests_refuse_sizes(struct daemon_uploads *uploads, const struct port *port,
                                const struct peer *peer, const Creel__Envelope *request);

#endif
