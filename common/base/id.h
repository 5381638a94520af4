/* SPDX-License-Identifier: Apache-2.0 */
/*
 * id.h - names of applications, attempts and containers, as YARN writes them
 *
 *   application_<cluster ms>_<seq, at least 4 digits>
 *   appattempt_<cluster ms>_<seq 4>_<attempt 6>
 *   container_[e<epoch 2>_]<cluster ms>_<seq 4>_<attempt 2>_<number 6>
 *
 * The cluster's number is the time at which its state store was made, so that
 * it stays the same over restarts of the RM; the epoch grows by one at each
 * restart, so that container numbers never come twice (yarn-behaviour 3).
 */
#ifndef CREEL_BASE_ID_H
#define CREEL_BASE_ID_H

#include <stdbool.h>
#include <stdint.h>

#define ID_TEXT_MAX 80          /* room for any of them, terminator included */

struct app_id {
    int64_t cluster_ms;
    uint32_t seq;               /* from 1 */
};

struct attempt_id {
    struct app_id app;
    uint32_t attempt;           /* from 1 */
};

struct container_id {
    struct attempt_id attempt;
    uint32_t epoch;
    uint32_t number;            /* from 1 within (attempt, epoch); 1 is normally the AM */
};

/* Write ID into TEXT (ID_TEXT_MAX bytes) and return TEXT. */
const char *app_id_format(const struct app_id *id, char text[ID_TEXT_MAX]);
const char *attempt_id_format(const struct attempt_id *id, char text[ID_TEXT_MAX]);
const char *container_id_format(const struct container_id *id, char text[ID_TEXT_MAX]);

/* Read a whole id; false if TEXT is not exactly one (then *ID is untouched). */
bool app_id_parse(const char *text, struct app_id *id);
bool attempt_id_parse(const char *text, struct attempt_id *id);
bool container_id_parse(const char *text, struct container_id *id);

/* Total orders: <0, 0, >0. */
int app_id_compare(const struct app_id *a, const struct app_id *b);
int container_id_compare(const struct container_id *a, const struct container_id *b);

#endif
