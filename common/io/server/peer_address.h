/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer_address.h - addresses of peers, and which of them count as one
 *
 * Limits of one address use the functions here. The addresses of an IPv6 network of 64 bits, which is what
 * one host gets, count as one. An IPv4 address counts by itself, also in its IPv6 form ::ffff:10.1.2.3.
 */
#ifndef CREEL_IO_PEER_ADDRESS_H
#define CREEL_IO_PEER_ADDRESS_H

#include <netinet/in.h>

#define PEER_ADDRESS_TEXT_MAX 64 /* bytes, with the terminator */

/* Reads ADDRESS as IPv6 address, an IPv4 address as ::ffff:10.1.2.3. RET becomes "::" if ADDRESS is NULL or
 * of another family. */
void peer_address_read(const struct sockaddr *address, struct in6_addr *ret);
/* Replaces an IPv6 address by its network of 64 bits. An IPv4 address stays as it is. */
void peer_address_unite(struct in6_addr *address);
/* Reads ADDRESS, "10.1.2.3" or "2001:db8::1", as united address; "::" if it is none. */
void peer_address_parse(const char *address, struct in6_addr *united);
/* Writes a united address: "10.1.2.3", "2001:db8:0:1::/64". Returns TEXT. */
const char *peer_address_text(const struct in6_addr *united, char text[PEER_ADDRESS_TEXT_MAX]);
/* Writes the united address of an address in text. A text that is no address is copied. Returns TEXT. */
const char *peer_address_unite_text(const char *address, char text[PEER_ADDRESS_TEXT_MAX]);

#endif
