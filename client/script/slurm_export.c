/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_export.c - the variables that --export of sbatch sends */
#include "client/script/slurm_export.h"

#include <string.h>
#include <strings.h>

#include "client/script/slurm_environment.h"

/* Names that are not set are left out; those of another job, too. */
static void put_variable(struct script *to, unsigned line, const char *const *environ, const char *word)
{
    size_t length = strcspn(word, "=");
    const char *value = word[length] ? word + length + 1 : slurm_environment_value(environ, word, length);

    if (length > 0 && value && (word[length] || !slurm_environment_is_of_job(word, length)))
        script_add_word(to, line, arena_printf(to->arena, "--env=%.*s=%s", (int)length, word, value));
}

bool slurm_export_put(struct script *to, unsigned line, const char *const *environ, const char *exported)
{
    char *rest = arena_strdup(to->arena, exported), *word;
    bool all = false;

    if (!strcasecmp(exported, "NONE") || !strcasecmp(exported, "NIL")) {
        script_add_word(to, line, "--env=none");
        return !strcasecmp(exported, "NONE");
    }
    while ((word = slurm_environment_next(&rest)) != NULL)
        all = all || !strcasecmp(word, "ALL");
    if (all)
        script_add_word(to, line, "--env=all");
    rest = arena_strdup(to->arena, exported);
    while ((word = slurm_environment_next(&rest)) != NULL)
        if (strcasecmp(word, "ALL") != 0)
            put_variable(to, line, environ, word);
    return !all;
}
