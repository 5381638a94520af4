/* SPDX-License-Identifier: Apache-2.0 */
/* address.h - the address of a client as text */
#ifndef CREEL_WEB_HTTP_ADDRESS_H
#define CREEL_WEB_HTTP_ADDRESS_H

#include <sys/socket.h>

#define ADDRESS_TEXT_MAX 1025 /* NI_MAXHOST */

/* Writes the IP address of ADDRESS without its port; "" if ADDRESS is NULL or of no known family. */
void address_text(const struct sockaddr *address, char text[ADDRESS_TEXT_MAX]);

#endif
