/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submission_launch.h - reads am-container-spec of a submission: commands, environment, local resources
 *
 * A local resource of type FILE with a URL file:///PATH becomes a link to PATH in the working directory. PATH
 * must exist on the node. Other local resources are refused. In a command, <LOG_DIR> is replaced by the
 * directory of the container's logs, and {{NAME}} by the variable NAME. Source: YARN's
 * ContainerLaunchContextInfo and ContainerLaunch.
 */
#ifndef CREEL_WEB_REST_SUBMISSION_LAUNCH_H
#define CREEL_WEB_REST_SUBMISSION_LAUNCH_H

#include <stdbool.h>

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/proto/creel.pb-c.h"
#include "web/text/tree.h"

/* Reads SPEC, which may be NULL, into LAUNCH. All texts are in ARENA. Returns -EINVAL with the reason
 * in ERR. */
int submission_read_launch(struct arena *arena, const struct tree *spec, Creel__LaunchContext *launch,
                           struct err *err);

#endif
