/* SPDX-License-Identifier: Apache-2.0 */
/* app_fields.h - the fields of an application in a table as CSV; a row is a Creel__AppReport */
#ifndef CREEL_WEB_PAGE_APP_FIELDS_H
#define CREEL_WEB_PAGE_APP_FIELDS_H

#include "web/page/list_csv.h"

extern const struct list_fields app_fields;     /* of an application in the copy of the cluster */
extern const struct list_fields history_fields; /* of one in the history */

#endif
