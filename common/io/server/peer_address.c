/* SPDX-License-Identifier: Apache-2.0 */
/* peer_address.c - addresses of peers, and which of them count as one */
#include "common/io/server/peer_address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define NETWORK_BYTES 8 /* of an IPv6 address: the first 64 bits */
#define V4_AT 12        /* where an IPv4 address is in its IPv6 form */

static void map(const void *v4, struct in6_addr *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->s6_addr[10] = ret->s6_addr[11] = 0xff;
    memcpy(&ret->s6_addr[V4_AT], v4, 4);
}

void peer_address_read(const struct sockaddr *address, struct in6_addr *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (address == NULL)
        return;
    if (address->sa_family == AF_INET6)
        memcpy(ret, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, sizeof(*ret));
    else if (address->sa_family == AF_INET)
        map(&((const struct sockaddr_in *)(const void *)address)->sin_addr, ret);
}

void peer_address_unite(struct in6_addr *address)
{
    if (!IN6_IS_ADDR_V4MAPPED(address))
        memset(&address->s6_addr[NETWORK_BYTES], 0, sizeof(*address) - NETWORK_BYTES);
}

void peer_address_parse(const char *address, struct in6_addr *united)
{
    struct in_addr v4;

    memset(united, 0, sizeof(*united));
    if (inet_pton(AF_INET, address, &v4) == 1)
        map(&v4, united);
    else if (inet_pton(AF_INET6, address, united) == 1)
        peer_address_unite(united);
}

const char *peer_address_text(const struct in6_addr *united, char text[PEER_ADDRESS_TEXT_MAX])
{
    char address[INET6_ADDRSTRLEN] = "?";

    if (IN6_IS_ADDR_V4MAPPED(united))
        return inet_ntop(AF_INET, &united->s6_addr[V4_AT], text, PEER_ADDRESS_TEXT_MAX);
    inet_ntop(AF_INET6, united, address, sizeof(address));
    snprintf(text, PEER_ADDRESS_TEXT_MAX, "%s/64", address);
    return text;
}

const char *peer_address_unite_text(const char *address, char text[PEER_ADDRESS_TEXT_MAX])
{
    struct in6_addr ip;

    if (inet_pton(AF_INET6, address, &ip) == 1) {
        peer_address_unite(&ip);
        return peer_address_text(&ip, text);
    }
    snprintf(text, PEER_ADDRESS_TEXT_MAX, "%.63s", address);
    return text;
}
