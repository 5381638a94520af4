/* SPDX-License-Identifier: Apache-2.0 */
/* view.c - the age of the model */
#include "web/model/view.h"

#include <inttypes.h>

const char *web_view_stale(const struct web_view *view, struct arena *arena)
{
    if (view->stale_after_ms == 0 || view->age_ms <= view->stale_after_ms)
        return NULL;
    return arena_printf(arena,
                        "the copy of the cluster in creel-web is %" PRId64
                        " s old (creel.http.stale-after is %" PRId64 " s): %s",
                        view->age_ms / 1000, view->stale_after_ms / 1000,
                        view->trouble != NULL ? view->trouble : "it is being updated");
}
