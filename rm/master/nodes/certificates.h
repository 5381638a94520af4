/* SPDX-License-Identifier: Apache-2.0 */
/*
 * certificates.h - the ends of the TLS certificates of agents and of creel-web, the nearest first
 *
 * Agents report the end of theirs with each heartbeat, creel-web those that it uses with GetClusterInfo.
 * Certificates are in one tree for each stage, by their end. When the checks of health are read, those whose
 * stage has changed with the time move to another tree: each does so twice at most until it is replaced.
 * Times are of the wall clock, since 1970.
 */
#ifndef CREEL_RM_MASTER_CERTIFICATES_H
#define CREEL_RM_MASTER_CERTIFICATES_H

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

#define CERTIFICATES_REPORTED_MAX 64    /* of creel-web, in all */
#define CERTIFICATE_PROBLEM_MAX 500     /* bytes */
#define CERTIFICATES_REPORTED_MS 600000 /* one that creel-web has not reported for this time is forgotten */

struct master;
struct master_node_faults;

enum certificate_stage { CERTIFICATE_VALID, CERTIFICATE_ENDS_SOON, CERTIFICATE_EXPIRED, CERTIFICATE_STAGES };

struct certificate {
    RB_ENTRY(certificate) link;
    const char *name;             /* borrowed, as "n1:8041" */
    int64_t expires_ms;           /* 0: there is none, and it is in no tree */
    enum certificate_stage stage; /* its tree */
};

RB_HEAD(rm_certificate_tree, certificate);

struct reported_certificate { /* by creel-web */
    TAILQ_ENTRY(reported_certificate) link;
    struct certificate certificate;
    int64_t heard_ms; /* by the clock of the steps */
    char *problem;    /* owned; NULL: none */
    char name[];
};

struct certificates {
    struct rm_certificate_tree trees[CERTIFICATE_STAGES];
    uint32_t count[CERTIFICATE_STAGES];
    TAILQ_HEAD(reported_certificates, reported_certificate)
    reported; /* owned; the one heard first is first */
    uint32_t reported_count;
    uint32_t problems; /* of these */
};

void rm_certificates_init(struct master *m);
void rm_certificates_free(struct master *m);
/* Sets the end of CERTIFICATE, whose name stays valid as long as EXPIRES_MS is not 0. */
void rm_certificate_set(struct master *m, struct certificate *certificate, const char *name,
                        int64_t expires_ms);
/* Takes what creel-web reports: certificates with their names. Beyond CERTIFICATES_REPORTED_MAX, those that
 * were heard of first are forgotten. */
void rm_certificates_report(struct master *m, Creel__Certificate *const *reports, size_t count);
/* Sets the certificates of RET that have to be replaced, with their text in the arena of the step. */
void rm_certificates_find(struct master *m, struct master_node_faults *ret);

#endif
