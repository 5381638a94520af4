/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history_sum.h - the numbers of a group of ended applications, which are added up
 *
 * A row is a member of that name of JobHistorySum (common/proto/creel.proto), of struct job_history_sum of
 * the store and of struct creel_history_sum of libcreel.
 */
#ifndef CREEL_RECORD_HISTORY_SUM_H
#define CREEL_RECORD_HISTORY_SUM_H

#define HISTORY_SUM(N, to, from) \
    N(to, from, jobs) \
    N(to, from, succeeded) \
    N(to, from, failed) \
    N(to, from, killed) \
    N(to, from, waited_ms) \
    N(to, from, vcore_seconds) \
    N(to, from, memory_mb_seconds) \
    N(to, from, cpu_time_us) \
    N(to, from, memory_used_mb_seconds)

#define HISTORY_SUM_SET_ONE(to, from, member) (to)->member = (from)->member;
#define HISTORY_SUM_ADD_ONE(to, from, member) (to)->member += (from)->member;

/* Set all numbers of the struct at TO to those of the struct at FROM, which may have another type; or add
 * them to those of TO. */
#define HISTORY_SUM_SET(to, from) \
    do { \
        HISTORY_SUM(HISTORY_SUM_SET_ONE, to, from) \
    } while (0)
#define HISTORY_SUM_ADD(to, from) \
    do { \
        HISTORY_SUM(HISTORY_SUM_ADD_ONE, to, from) \
    } while (0)

#endif
