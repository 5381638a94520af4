/* SPDX-License-Identifier: Apache-2.0 */
/* log_select.h - which containers and files `yarn logs` prints, and how much of each file */
#ifndef CREEL_YARN_LOG_SELECT_H
#define CREEL_YARN_LOG_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "client/include/creel.h"
#include "client/yarn/options.h"
#include "common/base/err.h"

#define LOG_FILES 2

struct log_select {
    const char *app_id, *container_id, *node; /* NULL: not given */
    uint32_t attempt;                         /* 0: all */
    const char *masters;                      /* of -am: "ALL", "-1" or "1,2"; NULL: all containers */
    bool files[LOG_FILES];
    bool has_size;
    int64_t size; /* number of first bytes; below 0: of last bytes */
    char app_text[80];
};

extern const char *const log_files[LOG_FILES]; /* "stdout", "stderr" */

/* Reads OPTIONS. The result points into OPTIONS. -EINVAL with a message. */
int log_select_read(const struct yarn_options *options, struct log_select *ret, struct err *err);
/* Returns true if the options select CONTAINER. A container that never started is not selected. */
bool log_select_has(const struct log_select *select, const struct creel_app *app,
                    const struct creel_container *container);

#endif
