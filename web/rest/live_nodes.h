/* SPDX-License-Identifier: Apache-2.0 */
/* live_nodes.h - the value of LiveNodeManagers in YARN's bean RMNMInfo: all nodes as a JSON string */
#ifndef CREEL_WEB_REST_LIVE_NODES_H
#define CREEL_WEB_REST_LIVE_NODES_H

#include "common/base/arena.h"
#include "web/model/model.h"

const char *live_nodes_text(const struct web_model *model, struct arena *arena);

#endif
