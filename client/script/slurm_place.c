/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_place.c - where a job of Slurm goes: lists of partitions and of clusters */
#include "client/script/slurm_place.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"

const char *slurm_place_queue(const struct slurm_setting *setting, const char *name, const char *value,
                              struct script *to, unsigned line)
{
    const char *chosen = NULL, *first = NULL, *word;
    char *rest = arena_strdup(to->arena, value);

    if (!strchr(value, ','))
        return value;
    while ((word = text_next_word(&rest)) != NULL) {
        first = first ? first : word;
        if (!chosen && setting->queue_exists && setting->queue_exists(setting->context, word))
            chosen = word;
    }
    if (!first)
        return NULL;
    script_add_notice(to, line, true,
                      "--%s=%s: the job is submitted to %s alone, the first %s; the others are ignored", name,
                      value, chosen ? chosen : first, chosen ? "that exists" : "of them");
    return chosen ? chosen : first;
}

const char *slurm_place_foreign(const char *names, const char *own, struct arena *arena)
{
    char *rest = arena_strdup(arena, names);
    const char *word;

    while ((word = text_next_word(&rest)) != NULL)
        if (strcmp(word, own) != 0 && strcasecmp(word, "all") != 0)
            return word;
    return NULL;
}

int slurm_place_judge(const struct slurm_setting *setting, const char *names, const char *written,
                      struct arena *arena, struct err *err)
{
    const char *own = setting->own_cluster ? setting->own_cluster(setting->context) : NULL, *foreign;

    if (!own)
        return err_set(err, EINVAL, "%s: the name of this cluster is not known", written);
    foreign = slurm_place_foreign(names, own, arena);
    return foreign ? err_set(err, EINVAL, "%s: " SLURM_PLACE_FOREIGN, written, foreign, own) : 0;
}
