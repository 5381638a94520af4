/* SPDX-License-Identifier: Apache-2.0 */
/* signal_name.c - parses signal names and numbers */
#include "client/cli/frame/signal_name.h"

#include <signal.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"

static bool parse_real_time(const char *name, int *number)
{
    int64_t distance = 0;
    bool from_end = strncasecmp(name, "RTMAX", 5) == 0;
    char sign = from_end ? '-' : '+';

    if (!from_end && strncasecmp(name, "RTMIN", 5) != 0)
        return false;
    if (name[5] != '\0' && (name[5] != sign || !text_parse_int64(name + 6, &distance) || distance < 0 ||
                            distance > SIGRTMAX - SIGRTMIN))
        return false;
    *number = from_end ? SIGRTMAX - (int)distance : SIGRTMIN + (int)distance;
    return true;
}

bool signal_name_parse(const char *text, int *number)
{
    const char *name = strncasecmp(text, "SIG", 3) == 0 ? text + 3 : text;
    int64_t value;

    if (text_parse_int64(text, &value)) {
        *number = (int)value;
        return value > 0 && value <= SIGRTMAX;
    }
    for (int i = 1; i < SIGRTMIN; i++) {
        const char *known = sigabbrev_np(i);

        if (known != NULL && strcasecmp(known, name) == 0) {
            *number = i;
            return true;
        }
    }
    return parse_real_time(name, number);
}
