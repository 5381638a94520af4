/* SPDX-License-Identifier: Apache-2.0 */
/* unsupported.c - paths of YARN for features that creel does not have */
#include "web/rest/handlers.h"
#include "web/rest/parts/reply.h"

/* Sends the answer of a YARN without Kerberos, which delegation tokens need. */
void rest_delegation_token(struct exchange *exchange)
{
    rest_send_text(exchange, 403,
                   "Delegation token operations can only be carried out on a Kerberos "
                   "authenticated channel. Expected auth type is kerberos, got type SIMPLE");
}

/* In YARN this request makes the scheduler write a debug log for some seconds. creel has no such log. */
void rest_scheduler_logs(struct exchange *exchange)
{
    rest_not_implemented(exchange,
                         "creel has no debug log of the scheduler; creel why APPLICATION and "
                         "/ws/v1/cluster/scheduler/app-activities/APPLICATION explain its decisions");
}
