/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am_state.h - size of the state that an application master stores at the resource manager
 *
 * The state is for the next attempt of the application (Allocate.am_state, RegisterAmReply.am_state). Only
 * the application master interprets its bytes.
 */
#ifndef CREEL_BASE_AM_STATE_H
#define CREEL_BASE_AM_STATE_H

#include <stddef.h>

#define AM_STATE_BYTES_MAX ((size_t)128 << 10)

#endif
