/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_conf.c - versions of the configuration of queues, made by ChangeSchedulerConf over the files */
#include "rm/net/conf/scheduler_conf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#define ORIGIN_BYTES 320

#define ORIGIN_BYTES 320

/* --- versions ----------------------------------------------------------------- */

const Creel__StoredSchedulerConf *scheduler_confs_newest(const struct scheduler_confs *confs)
{
    return confs->count > 0 ? confs->rows[confs->count - 1] : NULL;
}

const Creel__StoredSchedulerConf *scheduler_confs_find(const struct scheduler_confs *confs, uint64_t version)
{
    for (size_t i = 0; i < confs->count; i++)
        if (confs->rows[i]->version == version)
            return confs->rows[i];
    return NULL;
}

void scheduler_confs_add(struct scheduler_confs *confs, Creel__StoredSchedulerConf *row)
{
    mem_grow(confs->rows, confs->count, confs->capacity);
    confs->rows[confs->count++] = row;
    if (confs->count <= STORE_SCHEDULER_CONFS_KEPT)
        return;
    creel__stored_scheduler_conf__free_unpacked(confs->rows[0], NULL);
    confs->count--;
    memmove(confs->rows, confs->rows + 1, confs->count * sizeof(*confs->rows));
}

static void add_row(void *context, Creel__StoredSchedulerConf *row)
{
    scheduler_confs_add(context, row);
}

int scheduler_confs_load(struct scheduler_confs *confs, struct store *store, struct err *err)
{
    return store_load_scheduler_confs(store, add_row, confs, err);
}

void scheduler_confs_done(struct scheduler_confs *confs)
{
    for (size_t i = 0; i < confs->count; i++)
        creel__stored_scheduler_conf__free_unpacked(confs->rows[i], NULL);
    free(confs->rows);
    *confs = (struct scheduler_confs){ .count = 0 };
}

/* --- a version over the files ---------------------------------------------------- */

bool scheduler_conf_accepts_changes(const struct conf *conf)
{
    const char *class = conf_text(conf, CONF_SCHEDULER_CLASS), *dot = strrchr(class, '.');

    return text_equal(dot != NULL ? dot + 1 : class, "CapacityScheduler") &&
           !text_equal(conf_text(conf, CONF_SCHEDULER_STORE), "file");
}

/* Writes "scheduler-conf of ann, 2026-11-24T14:22:47Z". */
static void write_origin(const Creel__ConfOverride *override, char text[ORIGIN_BYTES])
{
    char at[TEXT_SIZE_MAX];

    snprintf(text, ORIGIN_BYTES, "scheduler-conf of %s, %s", override->by,
             text_format_utc(override->since_ms, at));
}

static int read_over(const char *directory, const Creel__StoredSchedulerConf *row, struct conf **ret,
                     struct err *err)
{
    scoped_free struct conf_override *overrides = mem_array0(row->n_overrides + 1, sizeof(*overrides));
    scoped_free char *origins = mem_array0(row->n_overrides + 1, ORIGIN_BYTES);

    for (size_t i = 0; i < row->n_overrides; i++) {
        const Creel__ConfOverride *override = row->overrides[i];
        char *origin = origins + i * ORIGIN_BYTES;

        write_origin(override, origin);
        overrides[i] =
            (struct conf_override){ override->key, override->removed ? NULL : override->value, origin };
    }
    return conf_load_over(directory, overrides, row->n_overrides, NULL, NULL, ret, err);
}

int scheduler_conf_read(const char *directory, const Creel__StoredSchedulerConf *row, struct conf **ret,
                        struct err *err)
{
    struct conf *files;
    int r = conf_load(directory, NULL, NULL, &files, err);

    if (r < 0)
        return r;
    if (row == NULL || row->n_overrides == 0 || !scheduler_conf_accepts_changes(files)) {
        *ret = files;
        return 0;
    }
    conf_free(files);
    return read_over(directory, row, ret, err);
}
