/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_translation.h - translates a script of Slurm for the tests. Included after cmocka.h. */
#ifndef CREEL_TESTS_UNIT_SLURM_TRANSLATION_H
#define CREEL_TESTS_UNIT_SLURM_TRANSLATION_H

#include <errno.h>
#include <string.h>
#include <time.h>

#include "client/script/slurm.h"

static inline bool all_known(const char *option, size_t length)
{
    (void)option;
    (void)length;
    return true;
}

#define NOW_MS INT64_C(1795968000000) /* Sunday, 2026-11-29T16:00:00Z */

/* The queues of the cluster. */
static bool queue_exists(void *context, const char *name)
{
    (void)context;
    return !strcmp(name, "long") || !strcmp(name, "root.gpu");
}

static inline int translate_in(const char *text, const char *const *variables, slurm_known *known,
                               struct script *translated, struct arena *arena, struct err *err)
{
    static const struct slurm_calendar calendar = {
        .local = localtime_r,
        .utc = gmtime_r,
        .seconds = mktime,
    };
    struct slurm_setting setting = {
        .known = known,
        .calendar = &calendar,
        .now_ms = NOW_MS,
        .environ = variables,
        .queue_exists = queue_exists,
    };
    struct script found;
    unsigned line = 0;

    script_init(&found, arena);
    script_init(translated, arena);
    if (script_read(text, strlen(text), SCRIPT_MARKER_SLURM, &found, &line, err) < 0) {
        err_prefix(err, "job:%u", line);
        return -EINVAL;
    }
    for (size_t i = 0; i < found.notice_count; i++)
        script_add_notice(translated, found.notices[i].line, found.notices[i].strict, "%s",
                          found.notices[i].text);
    return slurm_translate(&found, &setting, "job", translated, err);
}

#endif
