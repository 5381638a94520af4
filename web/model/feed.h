/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feed.h - what the model is made of: replies of the resource manager (pure)
 *
 * A load is web_model_begin, all pages of ListApps, ListNodes and ListQueues, GetClusterInfo, and
 * web_model_end. Meanwhile the rows of the load before are still there. Later on, pages and changes replace
 * rows. All messages are copied.
 */
#ifndef CREEL_WEB_MODEL_FEED_H
#define CREEL_WEB_MODEL_FEED_H

#include "web/model/model.h"

struct web_model *web_model_new(void);
void web_model_free(struct web_model *model);   /* NULL is fine */

void web_model_begin(struct web_model *model);
/* Applications and nodes that were not put since web_model_begin are removed. */
void web_model_end(struct web_model *model);

void web_model_put_apps(struct web_model *model, const Creel__AppList *page);
void web_model_put_nodes(struct web_model *model, const Creel__NodeList *page);
/* FIRST: the first page of all queues. They replace those before when the last page is there. */
void web_model_put_queues(struct web_model *model, const Creel__QueueList *page, bool first);
void web_model_put_cluster(struct web_model *model, const Creel__ClusterInfo *cluster);
void web_model_put_changes(struct web_model *model, const Creel__Changes *changes);

#endif
