/* SPDX-License-Identifier: Apache-2.0 */
/* stop_order.c - formats and parses the file in which a shim finds that its container is being stopped */
#include "nm-agent/linux/parts/stop_order.h"

#include <inttypes.h>
#include <stdio.h>

void stop_order_format(const struct stop_order *order, char text[STOP_ORDER_TEXT_MAX])
{
    snprintf(text, STOP_ORDER_TEXT_MAX, "kill %" PRId64 "\nsignal %d %" PRId64 "\nend\n", order->kill_at_ms,
             order->signal_number, order->signal_until_ms);
}

bool stop_order_parse(const char *text, struct stop_order *order)
{
    struct stop_order read;
    int length = 0;

    if (sscanf(text, "kill %" SCNd64 " signal %d %" SCNd64 " end%n", &read.kill_at_ms, &read.signal_number,
               &read.signal_until_ms, &length) != 3 ||
        length == 0)
        return false;
    *order = read;
    return true;
}
