/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - checks one user and password with PAM (authentication, then account) */
#ifndef CREEL_WEB_PAM_CHECK_H
#define CREEL_WEB_PAM_CHECK_H

#include "web/pam/frame.h"

/* Checks REQUEST with the PAM service SERVICE. DIRECTORY has the file of the service; NULL: that of the
 * system, /etc/pam.d. May block as long as the modules do, and modules may change the process: call it in
 * a process of its own. */
enum pam_verdict pam_check(const char *service, const char *directory,
                           const struct pam_frame_request *request);

#endif
