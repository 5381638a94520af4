/* SPDX-License-Identifier: Apache-2.0 */
/* fetch_container.h - brings the results of one container to a directory here; see fetch_results.h */
#ifndef CREEL_CLI_FETCH_CONTAINER_H
#define CREEL_CLI_FETCH_CONTAINER_H

#include "client/cli/frame/cli.h"
#include "common/base/job/results.h"

struct fetch_place {
    const char *directory; /* it is created if missing */
    const char *label;     /* "application_..., task 3": for messages */
    bool progress;         /* show long transfers on stderr */
};

/* Fetches the results of CONTAINER, which has ended or ends soon. RESULTS gets the list of its node, also
 * after most errors. -ENOENT: it has no results; -EBADMSG: the list or the archive is damaged; ERR names the
 * label. */
int fetch_container(struct creel_client *client, const struct creel_container *container,
                    const struct fetch_place *place, struct results *results, struct err *err);

#endif
