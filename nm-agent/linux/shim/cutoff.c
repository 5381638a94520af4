/* SPDX-License-Identifier: Apache-2.0 */
/* cutoff.c - computes when a container ends because its host has no contact with the resource manager */
#include "nm-agent/linux/shim/cutoff.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/base/monotonic.h"

#define LOOK_MS 10000       /* interval of checks of the contact */
#define NOTICE_MAX_MS 10000 /* time between TERM and KILL: an eighth of stop_after_ms, at most this */

static int64_t notice_ms(const struct cutoff *cutoff)
{
    return cutoff->stop_after_ms / 8 < NOTICE_MAX_MS ? cutoff->stop_after_ms / 8 : NOTICE_MAX_MS;
}

void cutoff_open(struct cutoff *cutoff, const struct plan *plan)
{
    *cutoff = (struct cutoff){ .born_ms = monotonic_ms(), .contact_fd = -1 };
    if (plan->contact_file == NULL)
        return;
    cutoff->stop_after_ms = plan->launch.stop_after_ms;
    cutoff->contact_fd = open(plan->contact_file, O_RDONLY | O_CLOEXEC);
}

void cutoff_close(struct cutoff *cutoff)
{
    if (cutoff->contact_fd >= 0)
        close(cutoff->contact_fd);
    cutoff->contact_fd = -1;
}

/* If the file cannot be read, or has a future time, BORN_MS counts as the last contact. */
void cutoff_look(const struct cutoff *cutoff, int64_t *term_ms, int64_t *kill_ms)
{
    int64_t contact_ms;

    *term_ms = *kill_ms = 0;
    if (cutoff->stop_after_ms == 0)
        return;
    if (pread(cutoff->contact_fd, &contact_ms, sizeof(contact_ms), 0) != (ssize_t)sizeof(contact_ms) ||
        contact_ms > monotonic_ms())
        contact_ms = cutoff->born_ms;
    *kill_ms = contact_ms + cutoff->stop_after_ms;
    *term_ms = *kill_ms - notice_ms(cutoff);
}

int64_t cutoff_limit_wait(const struct cutoff *cutoff, int64_t wait_ms)
{
    return cutoff->stop_after_ms > 0 && wait_ms > LOOK_MS ? LOOK_MS : wait_ms;
}
