/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manual.h - the manuals of the files that configure queues
 *
 * In scdoc's language, out of the tables by which the files are read: a key or an element that is
 * read is in its page.
 */
#ifndef CREEL_RM_SCHEDCONF_MANUAL_H
#define CREEL_RM_SCHEDCONF_MANUAL_H

#include <stdio.h>

void manual_write_capacity(FILE *out);  /* capacity-scheduler.xml(5) */
void manual_write_fair(FILE *out);      /* fair-scheduler.xml(5) */

#endif
