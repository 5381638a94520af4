/* SPDX-License-Identifier: Apache-2.0 */
/* io_peer_address.c - test: which addresses count as one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <arpa/inet.h>

#include "common/io/server/peer_address.h"

static void a_network_of_64_bits_counts_as_one_address(void **state)
{
    static const struct {
        const char *address, *united;
    } rows[] = {
        { "10.1.2.3", "10.1.2.3" },
        { "::ffff:10.1.2.3", "10.1.2.3" },
        { "2001:db8:0:1::7", "2001:db8:0:1::/64" },
        { "2001:db8:0:1:ffff:1:2:3", "2001:db8:0:1::/64" },
        { "2001:db8:0:2::7", "2001:db8:0:2::/64" },
        { "::1", "::/64" },
        { "", "" },
        { "no address", "no address" },
    };
    char text[PEER_ADDRESS_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_string_equal(peer_address_unite_text(rows[i].address, text), rows[i].united);
}

static void an_address_is_read_from_a_socket_address(void **state)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
    char text[PEER_ADDRESS_TEXT_MAX];
    struct in6_addr ip;

    (void)state;
    inet_pton(AF_INET, "10.1.2.3", &v4.sin_addr);
    inet_pton(AF_INET6, "2001:db8::1", &v6.sin6_addr);
    peer_address_read((const struct sockaddr *)&v4, &ip);
    peer_address_unite(&ip);
    assert_string_equal(peer_address_text(&ip, text), "10.1.2.3");
    peer_address_read((const struct sockaddr *)&v6, &ip);
    peer_address_unite(&ip);
    assert_string_equal(peer_address_text(&ip, text), "2001:db8::/64");
    peer_address_read(NULL, &ip);
    assert_true(IN6_IS_ADDR_UNSPECIFIED(&ip));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_network_of_64_bits_counts_as_one_address),
        cmocka_unit_test(an_address_is_read_from_a_socket_address),
    };

    return cmocka_run_group_tests_name("io/peer_address", tests, NULL, NULL);
}
