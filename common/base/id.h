/* SPDX-License-Identifier: Apache-2.0 */
/*
 * id.h - formats, parses and compares ids of applications, attempts and containers, in YARN's format
 *
 *   application_<cluster ms>_<seq, at least 4 digits>
 *   appattempt_<cluster ms>_<seq 4>_<attempt 6>
 *   container_[e<epoch 2>_]<cluster ms>_<seq 4>_<attempt 2>_<number 6>
 *
 * <cluster ms> is the time at which the state store of the cluster was created, so that the number stays the
 * same over restarts of the resource manager (RM). The epoch grows by one at each restart, so that no
 * container number is used twice (yarn-behaviour 3).
 */
#ifndef CREEL_BASE_ID_H
#define CREEL_BASE_ID_H

#include <stdbool.h>
#include <stdint.h>

#define ID_TEXT_MAX 80 /* bytes for any id as text, terminator included */

struct app_id {
    int64_t cluster_ms;
    uint32_t seq; /* counted from 1 */
};

struct attempt_id {
    struct app_id app;
    uint32_t attempt; /* counted from 1 */
};

struct container_id {
    struct attempt_id attempt;
    uint32_t epoch;
    uint32_t number; /* counted from 1 within (attempt, epoch); container 1 is normally the AM */
};

/* Writes ID into TEXT (ID_TEXT_MAX bytes) and returns TEXT. */
const char *app_id_format(const struct app_id *id, char text[ID_TEXT_MAX]);
const char *attempt_id_format(const struct attempt_id *id, char text[ID_TEXT_MAX]);
const char *container_id_format(const struct container_id *id, char text[ID_TEXT_MAX]);

/* Parses TEXT. Returns false, and leaves *ID untouched, unless TEXT is exactly one id. */
bool app_id_parse(const char *text, struct app_id *id);
bool attempt_id_parse(const char *text, struct attempt_id *id);
bool container_id_parse(const char *text, struct container_id *id);

/* Total orders: return a number below 0, 0, or above 0. */
int app_id_compare(const struct app_id *a, const struct app_id *b);
int container_id_compare(const struct container_id *a, const struct container_id *b);

#endif
