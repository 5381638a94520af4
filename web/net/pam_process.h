/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pam_process.h - starts creel-pam, and starts it again after it ended
 *
 * creel-pam (web/pam) checks passwords. It ends with creel-web. If it has ended, it is started again by the
 * next request, at most once a second.
 */
#ifndef CREEL_WEB_NET_PAM_PROCESS_H
#define CREEL_WEB_NET_PAM_PROCESS_H

#include "common/base/err.h"
#include "common/io/loop/loop.h"
#include "web/pam/frame.h"

struct pam_process;

struct pam_process_events {
    void (*reply)(void *context, const struct pam_frame_reply *reply);
    void (*ended)(void *context); /* requests without reply get none */
};

/* Starts creel-pam with SERVICE; DIRECTORY, which may be NULL: see web/pam/check.h. The events are called
 * from LOOP. EVENTS and the texts must outlive the process. */
int pam_process_new(struct loop *loop, const char *service, const char *directory,
                    const struct pam_process_events *events, void *context, struct pam_process **ret,
                    struct err *err);
void pam_process_free(struct pam_process *process); /* NULL is allowed; no event is called */

/* Sends REQUEST. Returns false if creel-pam does not run, or does not read. */
bool pam_process_send(struct pam_process *process, const struct pam_frame_request *request);

#endif
