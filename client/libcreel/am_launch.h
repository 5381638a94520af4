/* SPDX-License-Identifier: Apache-2.0 */
/* am_launch.h - inside libcreel: a launch of creel-am.h as a message */
#ifndef CREEL_LIBCREEL_AM_LAUNCH_H
#define CREEL_LIBCREEL_AM_LAUNCH_H

#include "client/include/creel-am.h"
#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

/* Returns FROM as a message. It has copies of all texts. The caller frees it with
 * creel__launch_context__free_unpacked. NULL: a text has bytes that are not UTF-8, or is long, and the agent
 * does not accept such texts (RESTORES). */
Creel__LaunchContext *am_launch_new(const struct creel_am_launch *from, bool restores);
/* Returns LAUNCH, of am_launch_new, as it is sent: a copy in ARENA, escaped if a text needs it. */
Creel__LaunchContext *am_launch_escape(const Creel__LaunchContext *launch, struct arena *arena);

#endif
