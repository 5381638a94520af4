/* SPDX-License-Identifier: Apache-2.0 */
/* schedconf_limits.c - checks the limits of one container, which all schedulers but the fair one read */
#include <errno.h>

#include "common/conf/conf.h"
#include "rm/sched/sched.h"
#include "rm/schedconf/schedconf_private.h"

int schedconf_check_limits(const struct conf *conf, bool zero_minimum, struct err *err)
{
    const struct {
        enum conf_key key;
        int64_t least, most;
    } limits[] = {
        { CONF_MIN_ALLOCATION_MB, zero_minimum ? 0 : 1, SCHED_AMOUNT_MAX },
        { CONF_MIN_ALLOCATION_VCORES, zero_minimum ? 0 : 1, SCHED_AMOUNT_MAX },
        { CONF_MAX_ALLOCATION_MB, 1, SCHED_AMOUNT_MAX },
        { CONF_MAX_ALLOCATION_VCORES, 1, SCHED_AMOUNT_MAX },
    };
    char origin[CONF_ORIGIN_MAX];

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        const char *name = conf_key_info(limits[i].key)->name;
        long long value = conf_int(conf, limits[i].key);

        if (value < limits[i].least || value > limits[i].most)
            return err_set(err, EINVAL, "%s: %s: \"%lld\": expected a number from %lld to %lld%s",
                           conf_origin(conf, name, origin, sizeof(origin)), name, value,
                           (long long)limits[i].least, (long long)limits[i].most,
                           value == 0 ? " (only the fair scheduler accepts 0)" : "");
    }
    return 0;
}
