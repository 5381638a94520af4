/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - sends frames from creel-gateway to the daemon */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/gateway/gateway.h"

void gateway_put(struct gateway *gateway, enum gateway_frame_type type, uint8_t port, uint64_t connection,
                 const void *bytes, size_t size)
{
    const struct gateway_header header = { .type = (uint8_t)type, .port = port, .connection = connection };

    gateway_link_put(gateway->link, header, bytes, size);
}

void gateway_log(struct gateway *gateway, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    gateway_put(gateway, GATEWAY_LOG, 0, 0, text, strlen(text));
}

bool gateway_is_full(const struct gateway *gateway)
{
    return gateway_link_queued(gateway->link) >= GATEWAY_BACKLOG_MAX;
}
