/* SPDX-License-Identifier: Apache-2.0 */
/* unsupported.c - resources of YARN that creel has nothing for, with the answers of a YARN that lacks them */
#include "web/rest/handlers.h"
#include "web/rest/reply.h"

/* Delegation tokens are for Kerberos; this is YARN's answer without it. */
void rest_delegation_token(struct exchange *exchange)
{
    rest_send_text(exchange, 403,
                   "Delegation token operations can only be carried out on a Kerberos "
                   "authenticated channel. Expected auth type is kerberos, got type SIMPLE");
}

/* YARN writes a debug log of its scheduler for some seconds. creel has no such log. */
void rest_scheduler_logs(struct exchange *exchange)
{
    rest_not_implemented(exchange,
                         "creel has no debug log of the scheduler; creel why APPLICATION and "
                         "/ws/v1/cluster/scheduler/app-activities/APPLICATION explain its decisions");
}
