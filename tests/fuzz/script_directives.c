/* SPDX-License-Identifier: Apache-2.0 */
/* script_directives.c - fuzz target: arbitrary text as a job script with directives of creel and Slurm */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "client/script/slurm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static bool is_known(const char *option, size_t length)
{
    return length % 2 == 0 || option[0] == 'm';
}

/* Checks that words end with NULL and line numbers ascend. */
static void check(const struct script *script)
{
    for (size_t i = 0; i < script->directive_count; i++) {
        require(script->directives[i].words[script->directives[i].word_count] == NULL);
        require(script->directives[i].line > 0);
        require(i == 0 || script->directives[i].line >= script->directives[i - 1].line);
    }
    for (size_t i = 0; i < script->notice_count; i++)
        require(script->notices[i].text[0] != '\0');
}

static void read_one(const char *text, size_t size, const char *marker)
{
    struct arena *arena = arena_new();
    static const struct slurm_calendar calendar = { .local = localtime_r,
                                                    .utc = gmtime_r,
                                                    .seconds = mktime };
    const struct slurm_setting setting = { .known = is_known,
                                           .calendar = &calendar,
                                           .now_ms = 1795973208257 };
    struct script found, translated;
    unsigned line = 0;

    script_init(&found, arena);
    script_init(&translated, arena);
    if (script_read(text, size, marker, &found, &line, NULL) == 0) {
        check(&found);
        require(script_find_command(text, size, "srun") <= size);
        require(script_has(text, size, marker) || found.directive_count == 0);
        if (slurm_translate(&found, &setting, "job.sh", &translated, NULL) == 0)
            require(translated.directive_count > 0);
    }
    arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_one((const char *)data, size, SCRIPT_MARKER);
    read_one((const char *)data, size, SCRIPT_MARKER_SLURM);
    return 0;
}
