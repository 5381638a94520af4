/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - the agent's state as the handlers of creel-nm-web see it (site.application) */
#ifndef CREEL_NM_WEB_VIEW_H
#define CREEL_NM_WEB_VIEW_H

#include <stdint.h>

#include "common/proto/creel.pb-c.h"

struct traffic; /* web/http/traffic.h */

struct node_view {
    const struct traffic *traffic;        /* borrowed; NULL: requests are not counted */
    const Creel__AgentSnapshot *snapshot; /* NULL: the agent did not answer in time */
    int64_t certificate_expires_ms;       /* of the TLS certificate, since 1970; 0: there is none */
};

#endif
