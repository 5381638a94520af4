/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.h - /metrics: figures of the cluster as Prometheus' text, or as OpenMetrics if that is accepted */
#ifndef CREEL_WEB_REST_METRICS_H
#define CREEL_WEB_REST_METRICS_H

#include "web/http/exchange.h"

void metrics_serve(struct exchange *exchange);

#endif
