/* SPDX-License-Identifier: Apache-2.0 */
/* submit.h - sends a job whose files the resource manager has */
#ifndef CREEL_LIB_SUBMIT_H
#define CREEL_LIB_SUBMIT_H

#include "client/libcreel/client.h"

/* Submits JOB, with a random submission key, so that a repetition of the request submits nothing more. STATE
 * is SubmitApp.am_state; NULL: none. APP_ID is the id of the new application. */
int submit_send(struct creel_client *client, Creel__JobSpec *job, Creel__AmState *state,
                char app_id[CREEL_ID_MAX], struct err *err);
/* Asks the resource manager whether it would accept JOB; sends no file. Errors as of creel_submit. */
int submit_judge(struct creel_client *client, const struct creel_job *job, struct creel_error *error);

#endif
