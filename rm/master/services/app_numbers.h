/* SPDX-License-Identifier: Apache-2.0 */
/*
 * app_numbers.h - numbers of applications that are assigned before the submission (NewApp)
 *
 * A number belongs to the user who got it, until the application is submitted or the resource manager
 * restarts. A number of dr.who, the user of REST requests that name none, serves every user: clients of YARN
 * request an id without a name and submit it with one. A user has at most APP_NUMBERS_MAX numbers: a further
 * one takes the place of the user's oldest. The highest number is a setting in the store, so that no number
 * is assigned twice. Source: YARN's RMWebServices.createNewApplication.
 */
#ifndef CREEL_RM_MASTER_APP_NUMBERS_H
#define CREEL_RM_MASTER_APP_NUMBERS_H

#include "rm/master/state.h"

#define APP_NUMBERS_MAX 1000u

/* Assigns a number to USER. It is valid when the rows of this step are on disk. */
uint32_t rm_app_number_assign(struct master *m, const char *user);
/* Returns whether USER may submit an application with number SEQ. */
bool rm_app_number_is_of(const struct master *m, uint32_t seq, const char *user);
/* Drops number SEQ, since its application has been submitted. Does nothing if SEQ was not assigned. */
void rm_app_number_drop(struct master *m, uint32_t seq);
/* Raises the last number of M to the number in the store, if that is higher. */
void rm_app_numbers_recover(struct master *m);
void rm_app_numbers_free(struct master *m);

#endif
