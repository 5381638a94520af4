/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submission.h - reads YARN's application submission context as a job of creel
 *
 * The job is one command (APP_COMMAND): its commands are joined with blanks and run by bash, as YARN does.
 * With the member creel-am the command is an application master that registers. A member that creel does not
 * support is refused with a reason, so that a user does not rely on it. Members that are only hints
 * (log-aggregation-context, am-black-listing-requests, cancel-tokens-when-complete) and members that YARN
 * does not know are ignored. Source: YARN's ApplicationSubmissionContextInfo.
 */
#ifndef CREEL_WEB_REST_SUBMISSION_H
#define CREEL_WEB_REST_SUBMISSION_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/proto/creel.pb-c.h"
#include "web/text/tree.h"

/* Reads BODY. *RET and its parts are memory of ARENA. -EINVAL: ERR names the member, and what is wrong. */
int submission_read(struct arena *arena, const struct tree *body, const Creel__ClusterInfo *cluster,
                    Creel__JobSpec **ret, struct err *err);

#endif
