/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_history_upgrade.h - brings history files of earlier versions to the present schema
 *
 * Version 0.2.0 wrote schema 1, in which the row of an application has no sums of its containers. Schema 2
 * lacks the sizes of the rows of containers.
 */
#ifndef CREEL_RM_STORE_JOB_HISTORY_UPGRADE_H
#define CREEL_RM_STORE_JOB_HISTORY_UPGRADE_H

#include <sqlite3.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

#define HISTORY_SCHEMA_VERSION 3

/* All figures that job_history_sum adds up are in this index, so that it reads nothing else. */
#define HISTORY_INDEX_BY_END \
    "CREATE INDEX apps_by_end ON apps (finished_ms, cluster_ms, seq, user, queue, state, is_task," \
    "  succeeded, waited_ms, vcore_seconds, memory_mb_seconds, cpu_time_us, memory_used_mb_seconds);"

/* The size of the rows of containers in this file, for each application that has some, also while it runs. */
#define HISTORY_CONTAINER_SUMS \
    "CREATE TABLE container_sums (cluster_ms INTEGER NOT NULL, seq INTEGER NOT NULL, user TEXT NOT NULL," \
    "  bytes INTEGER NOT NULL, PRIMARY KEY (cluster_ms, seq)) STRICT, WITHOUT ROWID;" \
    "CREATE INDEX container_sums_by_user ON container_sums (user, bytes);"

/* Returns the peak of CONTAINER's memory multiplied by the time for which it ran, in MiB seconds. */
int64_t history_memory_used(const Creel__ContainerReport *container);

/* Brings DATABASE, which is open for writing and has an earlier schema, to the present schema, in one
 * transaction. After schema 1 the sums of an application include only its containers in this file, even if
 * others ended in another month. Returns a result code of SQLite; after an error the file is unchanged. */
int history_upgrade(sqlite3 *database);

#endif
