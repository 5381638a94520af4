/* SPDX-License-Identifier: Apache-2.0 */
/* signal_name.h - parses signal names and numbers: TERM, SIGTERM, term, 15, RTMIN+1 */
#ifndef CREEL_CLI_SIGNAL_NAME_H
#define CREEL_CLI_SIGNAL_NAME_H

#include <stdbool.h>

bool signal_name_parse(const char *text, int *number);

#endif
