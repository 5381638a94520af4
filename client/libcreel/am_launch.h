/* SPDX-License-Identifier: Apache-2.0 */
/* am_launch.h - inside libcreel: a launch of creel-am.h as a message */
#ifndef CREEL_LIBCREEL_AM_LAUNCH_H
#define CREEL_LIBCREEL_AM_LAUNCH_H

#include "client/include/creel-am.h"
#include "common/proto/creel.pb-c.h"

/* Returns FROM as a message. It has copies of all texts. The caller frees it with
 * creel__launch_context__free_unpacked. */
Creel__LaunchContext *am_launch_new(const struct creel_am_launch *from);

#endif
