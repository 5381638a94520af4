/* SPDX-License-Identifier: Apache-2.0 */
/* reservations.c - answers requests for reservations of future capacity, which creel does not have */
#include "web/rest/handlers.h"
#include "web/rest/parts/reply.h"

void rest_reservation(struct exchange *exchange)
{
    rest_not_implemented(exchange,
                         "creel has no reservations: a queue with a guaranteed capacity, or preemption, "
                         "serves the same purpose");
}

/* Sends the answer of a YARN in which reservations are not enabled. */
void rest_reservations(struct exchange *exchange)
{
    rest_bad_request(exchange, "Reservation is not enabled. Please enable & try again");
}
