/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owner.h - the user whose process has the other end of a connection from this host
 *
 * The kernel says it (sock_diag(7)): it knows both ends of a connection inside one network namespace. The
 * user is the one who made the socket; a process with other rights may have it since. Only a socket that is
 * established and that a process has open counts: of others the kernel says user 0.
 */
#ifndef CREEL_HADOOP_NET_OWNER_H
#define CREEL_HADOOP_NET_OWNER_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "common/base/err.h"

/* Returns a descriptor for owner_find, which the caller closes. */
int owner_open(struct err *err);
/* Finds the user of the process at PEER, the other end of a TCP connection to OWN. Returns false if PEER
 * is not of this host, or its user is not known. */
bool owner_find(int fd, const struct sockaddr_storage *peer, const struct sockaddr_storage *own, uid_t *user);

#endif
