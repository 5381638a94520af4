/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.h - /metrics: cluster metrics in Prometheus' text format, or in OpenMetrics if accepted */
#ifndef CREEL_WEB_REST_METRICS_H
#define CREEL_WEB_REST_METRICS_H

#include "web/http/exchange.h"

void metrics_serve(struct exchange *exchange);

#endif
