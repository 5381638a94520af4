/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_model.h - a model (web/model/model.h) for tests of pages: arrays that a test fills
 *
 * Reports belong to the test. Lists are sorted for each call.
 */
#ifndef CREEL_TESTS_PAGE_MODEL_H
#define CREEL_TESTS_PAGE_MODEL_H

#include "web/model/model.h"

struct web_model {
    bool complete;
    uint64_t version;
    Creel__ClusterInfo cluster;
    const Creel__AppReport **apps;
    size_t app_count;
    const Creel__NodeReport **nodes;
    size_t node_count;
    const Creel__QueueReport **queues;
    size_t queue_count;
};

#endif
