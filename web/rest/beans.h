/* SPDX-License-Identifier: Apache-2.0 */
/* beans.h - the JMX beans of a resource manager that YARN's monitoring tools read */
#ifndef CREEL_WEB_REST_BEANS_H
#define CREEL_WEB_REST_BEANS_H

#include "web/model/view.h"
#include "web/text/bean.h"

/* Returns all beans but those of queues (beans_queue.h), in ARENA. The model must be complete. */
struct bean_list *beans_of(const struct web_view *view, struct arena *arena);
/* Returns the name of this host, in ARENA. */
const char *beans_host(struct arena *arena);

#endif
