/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_report.h - the configuration in force, as a message for clients
 *
 * A key that a refresh applies (reload_applies) has the value of the last refresh. Any other key has the
 * value of the start.
 * Values of passwords are not sent: the last part of their key has "password", "secret" or "credential".
 */
#ifndef CREEL_RM_CONF_REPORT_H
#define CREEL_RM_CONF_REPORT_H

#include "common/conf/conf.h"
#include "common/proto/creel.pb-c.h"

struct conf_report;

/* Copies the values to report from STARTED and REFRESHED, which may be the same configuration. The report
 * does not need them afterwards. */
struct conf_report *conf_report_new(const struct conf *started, const struct conf *refreshed);
/* Replaces the value of KEY by that of CONF. */
void conf_report_replace(struct conf_report *report, const char *key, const struct conf *conf);
/* Makes the message, which REPORT owns, a page that begins with entry FIRST. Called once for a report. */
Creel__Configuration *conf_report_page(struct conf_report *report, uint32_t first);
void conf_report_free(struct conf_report *report); /* NULL is allowed */

#endif
