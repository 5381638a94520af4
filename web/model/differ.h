/* SPDX-License-Identifier: Apache-2.0 */
/*
 * differ.h - compares two reports of the same object (pure)
 *
 * Figures that change without an event are ignored: times of heartbeats, clocks, sums over time, and the
 * measured use of memory and processors. Cost: linear in the size of the reports.
 */
#ifndef CREEL_WEB_MODEL_DIFFER_H
#define CREEL_WEB_MODEL_DIFFER_H

#include <stdbool.h>

#include "common/proto/creel.pb-c.h"

bool differ_app(const Creel__AppReport *a, const Creel__AppReport *b);
bool differ_node(const Creel__NodeReport *a, const Creel__NodeReport *b);
bool differ_queue(const Creel__QueueReport *a, const Creel__QueueReport *b);
bool differ_cluster(const Creel__ClusterInfo *a, const Creel__ClusterInfo *b);

#endif
