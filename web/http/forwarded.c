/* SPDX-License-Identifier: Apache-2.0 */
/* forwarded.c - the client of a request that came through trusted proxies */
#include "web/http/forwarded.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define HEADER "X-Forwarded-For"
#define BLANKS " \t"

static bool is_proxy(const struct site *site, const char *address)
{
    return site->is_proxy != NULL && site->is_proxy(site->proxy_context, address);
}

/* Writes the IP address in the LENGTH bytes of TEXT to ADDRESS, as address_text writes it. Returns false if
 * TEXT is none. */
static bool read_address(const char *text, size_t length, char address[ADDRESS_TEXT_MAX])
{
    char copy[INET6_ADDRSTRLEN];
    struct in6_addr ip6;
    struct in_addr ip4;

    if (length >= sizeof(copy))
        return false;
    snprintf(copy, sizeof(copy), "%.*s", (int)length, text);
    if (inet_pton(AF_INET, copy, &ip4) == 1)
        return inet_ntop(AF_INET, &ip4, address, INET6_ADDRSTRLEN) != NULL;
    return inet_pton(AF_INET6, copy, &ip6) == 1 &&
           inet_ntop(AF_INET6, &ip6, address, INET6_ADDRSTRLEN) != NULL;
}

/* Follows LIST from its end. Returns true if the client was found, or what comes next is no address. */
static bool follow(const struct site *site, const char *list, char client[ADDRESS_TEXT_MAX])
{
    size_t end = strlen(list);

    for (;;) {
        size_t begin = end, last = end;

        while (begin > 0 && list[begin - 1] != ',')
            begin--;
        while (last > begin && strchr(BLANKS, list[last - 1]) != NULL)
            last--;
        end = begin;
        begin += strspn(list + begin, BLANKS);
        if (begin > last || !read_address(list + begin, last - begin, client) || !is_proxy(site, client))
            return true;
        if (end == 0)
            return false;
        end--; /* the comma */
    }
}

void forwarded_client(const struct site *site, const char *peer, const struct name_value *headers,
                      size_t count, char client[ADDRESS_TEXT_MAX])
{
    bool found = !is_proxy(site, peer);

    snprintf(client, ADDRESS_TEXT_MAX, "%s", peer);
    for (size_t i = count; i-- > 0 && !found;)
        if (strcasecmp(headers[i].name, HEADER) == 0)
            found = follow(site, headers[i].value, client);
}
