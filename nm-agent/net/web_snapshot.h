/* SPDX-License-Identifier: Apache-2.0 */
/* web_snapshot.h - the agent's state as a message for creel-nm-web */
#ifndef CREEL_NM_WEB_SNAPSHOT_H
#define CREEL_NM_WEB_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

struct daemon;

/* Bounds of the message. */
#define WEB_SNAPSHOT_CONTAINERS_MAX 10000u
#define WEB_SNAPSHOT_TEXT_MAX 512 /* bytes of a container's diagnostics */

/* Returns a packed AgentSnapshot, which the caller frees. */
uint8_t *web_snapshot_pack(const struct daemon *daemon, size_t *size);

#endif
