/* SPDX-License-Identifier: Apache-2.0 */
/*
 * app.h - an application and its attempts as YARN shows them
 *
 * Applications have the same states in creel and YARN; their names come from the schema. What YARN derives
 * from a record is computed here, for the REST interface, the command yarn and the web pages. Some functions
 * take single values instead of a report, so that the command can call them with libcreel's struct creel_app:
 * the numbers of its enumerations are those of the schema.
 */
#ifndef CREEL_YARN_APP_H
#define CREEL_YARN_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

/* --- states ------------------------------------------------------------------ */

/* The values of YarnApplicationState and FinalApplicationStatus, as in YARN's messages. */
#define YARN_APP_STATES "NEW, NEW_SAVING, SUBMITTED, ACCEPTED, RUNNING, FINISHED, FAILED, KILLED"
#define YARN_FINAL_STATUSES "UNDEFINED, SUCCEEDED, FAILED, KILLED"

const char *yarn_app_state(Creel__AppState state); /* "NEW_SAVING"; "UNKNOWN" for APP_STATE_ANY */
/* Returns YARN's RMAppState, which has KILLING in addition. */
const char *yarn_app_inner_state(Creel__AppState state, bool kill_requested);
const char *yarn_final_status(Creel__FinalStatus status);         /* "SUCCEEDED" */
const char *yarn_log_aggregation(Creel__LogAggregation progress); /* "DISABLED": LogAggregationStatus */
/* Read a name in upper or lower case. Return false if YARN has no such name. */
bool yarn_app_state_parse(const char *text, Creel__AppState *ret);
bool yarn_final_status_parse(const char *text, Creel__FinalStatus *ret);
bool yarn_app_is_over(Creel__AppState state);

/* Returns the YarnApplicationAttemptState of an attempt of an application in state APP. IS_LAST: there is no
 * later attempt. MASTER: state of the attempt's first container; CONTAINER_UNKNOWN: it has none. */
const char *yarn_attempt_state(Creel__AppState app, bool is_last, Creel__ContainerState master);

/* --- values ------------------------------------------------------------------ */

double yarn_app_progress(Creel__AppState state, double progress); /* 0 to 1; an ended application has 1 */
const char *yarn_app_tracking_ui(const Creel__AppReport *app);    /* "ApplicationMaster" */
bool yarn_app_has_tracking_url(const Creel__AppReport *app);      /* it is shown */
int64_t yarn_app_launched_ms(const Creel__AppReport *app);        /* -1: unmanaged */
/* Returns how long something ran that began at STARTED_MS, and ended at FINISHED_MS (0: it still runs). */
int64_t yarn_elapsed_ms(int64_t started_ms, int64_t finished_ms, int64_t now_ms);
/* Returns the seconds until EXPIRES_MS, the end of the lifetime; -1: there is none. */
int64_t yarn_app_remaining_s(int64_t expires_ms, int64_t now_ms);
const char *yarn_or_not_available(const char *text); /* TEXT; "N/A" for "" */

/* What an application has; -1 each when it has ended. */
struct yarn_app_held {
    int64_t memory_mb, vcores, reserved_mb, reserved_vcores, containers;
};
struct yarn_app_held yarn_app_held(const Creel__AppReport *app);
/* Returns the memory of containers of APP in percent of WHOLE_MB; an ended application has 0. */
float yarn_app_memory_percent(const Creel__AppReport *app, double whole_mb);

#endif
