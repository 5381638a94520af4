/* SPDX-License-Identifier: Apache-2.0 */
/* owner.c - the user whose process has the other end of a connection from this host */
#include "hadoop/net/owner.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/time.h>

#define ANSWER_MS 200 /* the kernel answers at once; a limit for the worst case */

struct question {
    struct nlmsghdr header;
    struct inet_diag_req_v2 request;
};

int owner_open(struct err *err)
{
    const struct timeval limit = { .tv_usec = ANSWER_MS * 1000 };
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

    if (fd < 0)
        return err_set(err, errno, "cannot ask the kernel for the owners of sockets (NETLINK_SOCK_DIAG): %s",
                       strerror(errno));
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    return fd;
}

/* Writes the address and port of one end. An IPv4 address in IPv6 form becomes an IPv4 address: the kernel
 * finds sockets of both families by it. Returns the family; 0: another one. */
static uint8_t read_end(const struct sockaddr_storage *end, uint32_t address[4], uint16_t *port)
{
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)end;
    const struct sockaddr_in *four = (const struct sockaddr_in *)end;

    if (end->ss_family == AF_INET) {
        address[0] = four->sin_addr.s_addr;
        *port = four->sin_port;
        return AF_INET;
    }
    if (end->ss_family != AF_INET6)
        return 0;
    *port = six->sin6_port;
    if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)) {
        memcpy(address, six->sin6_addr.s6_addr + 12, 4);
        return AF_INET;
    }
    memcpy(address, six->sin6_addr.s6_addr, 16);
    return AF_INET6;
}

static bool make_question(const struct sockaddr_storage *peer, const struct sockaddr_storage *own,
                          struct question *question)
{
    struct inet_diag_sockid *id = &question->request.id;

    *question = (struct question){
        .header = { .nlmsg_len = sizeof(*question),
                    .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                    .nlmsg_flags = NLM_F_REQUEST },
        .request = { .sdiag_protocol = IPPROTO_TCP, .idiag_states = 1u << TCP_ESTABLISHED },
    };
    id->idiag_cookie[0] = id->idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    question->request.sdiag_family = read_end(peer, id->idiag_src, &id->idiag_sport);
    return question->request.sdiag_family != 0 &&
           read_end(own, id->idiag_dst, &id->idiag_dport) == question->request.sdiag_family;
}

/* Returns whether ANSWER is about the socket that the question names. */
static bool is_answer(const struct inet_diag_msg *answer, const struct question *question)
{
    const struct inet_diag_sockid *asked = &question->request.id;

    return answer->id.idiag_sport == asked->idiag_sport && answer->id.idiag_dport == asked->idiag_dport &&
           answer->idiag_state == TCP_ESTABLISHED && answer->idiag_inode != 0;
}

bool owner_find(int fd, const struct sockaddr_storage *peer, const struct sockaddr_storage *own, uid_t *user)
{
    union {
        struct nlmsghdr header;
        char bytes[4096];
    } answer;
    struct question question;
    ssize_t size;

    if (!make_question(peer, own, &question) ||
        send(fd, &question, sizeof(question), 0) != (ssize_t)sizeof(question))
        return false;
    size = recv(fd, answer.bytes, sizeof(answer.bytes), 0);
    if (size < (ssize_t)NLMSG_LENGTH(sizeof(struct inet_diag_msg)) ||
        answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY || !is_answer(NLMSG_DATA(&answer.header), &question))
        return false;
    *user = ((const struct inet_diag_msg *)NLMSG_DATA(&answer.header))->idiag_uid;
    return true;
}
