/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.h - messages between creel-web and creel-pam
 *
 * The two processes have a pair of Unix sockets of the type SOCK_SEQPACKET. Each message is one struct of
 * fixed size, so that a message of another size is an error. creel-pam ends when creel-web closes its socket.
 */
#ifndef CREEL_WEB_PAM_FRAME_H
#define CREEL_WEB_PAM_FRAME_H

#include <stdint.h>

#define PAM_FRAME_FD 3     /* the socket of creel-pam */
#define PAM_FRAME_USER 256 /* sizes with the 0 byte */
#define PAM_FRAME_PASSWORD 512
#define PAM_FRAME_ADDRESS 64
#define PAM_CHECKS_MAX 8        /* at a time */
#define PAM_CHECK_MS_MOST 10000 /* a longer check is ended: PAM_VERDICT_UNAVAILABLE */

struct pam_frame_request {
    uint32_t number; /* is in the reply */
    char user[PAM_FRAME_USER], password[PAM_FRAME_PASSWORD];
    char address[PAM_FRAME_ADDRESS]; /* of the client: PAM_RHOST */
};

enum pam_verdict {
    PAM_VERDICT_ACCEPTED,
    PAM_VERDICT_REFUSED,     /* user or password is wrong */
    PAM_VERDICT_ACCOUNT,     /* the password is right, but the account is locked or expired */
    PAM_VERDICT_UNAVAILABLE, /* the check failed, or took too long */
};

struct pam_frame_reply {
    uint32_t number, verdict;
};

#endif
