/* SPDX-License-Identifier: Apache-2.0 */
/* address.c - the address of a client as text */
#include "web/http/address.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>

void address_text(const struct sockaddr *address, char text[ADDRESS_TEXT_MAX])
{
    socklen_t length = address == NULL                  ? 0
                       : address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                                        : sizeof(struct sockaddr_in);

    if (length == 0 || getnameinfo(address, length, text, ADDRESS_TEXT_MAX, NULL, 0, NI_NUMERICHOST) != 0)
        *text = '\0';
}
