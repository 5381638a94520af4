/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submission_launch.h - reads am-container-spec of a submission: commands, environment, local resources
 *
 * A local resource of type FILE with a URL file:///PATH becomes a link to PATH in the working directory,
 * which must exist on the node. Others are refused. <LOG_DIR> in a command is the directory of the
 * container's logs, and {{NAME}} the variable NAME. Source: YARN's ContainerLaunchContextInfo and
 * ContainerLaunch.
 */
#ifndef CREEL_WEB_REST_SUBMISSION_LAUNCH_H
#define CREEL_WEB_REST_SUBMISSION_LAUNCH_H

#include <stdbool.h>

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/proto/creel.pb-c.h"
#include "web/text/tree.h"

/* Reads SPEC, which may be NULL, into LAUNCH, whose parts are memory of ARENA. -EINVAL: ERR has the
 * reason. */
int submission_read_launch(struct arena *arena, const struct tree *spec, Creel__LaunchContext *launch,
                           struct err *err);
/* Returns whether member NAME of TREE, an object or list, has a member of its own. TREE may be NULL. */
bool submission_has_members(const struct tree *tree, const char *name);

#endif
