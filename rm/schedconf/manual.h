/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manual.h - writes the manual pages of the files that configure queues
 *
 * The pages are in the format of scdoc and are generated from the tables with which the files are read. So
 * every key or element that creel reads is in its page.
 */
#ifndef CREEL_RM_SCHEDCONF_MANUAL_H
#define CREEL_RM_SCHEDCONF_MANUAL_H

#include <stdio.h>

void manual_write_capacity(FILE *out); /* capacity-scheduler.xml(5) */
void manual_write_fair(FILE *out);     /* fair-scheduler.xml(5) */

#endif
