/* SPDX-License-Identifier: Apache-2.0 */
/* reservations.c - creel has no reservations of future capacity */
#include "web/rest/handlers.h"
#include "web/rest/reply.h"

void rest_reservation(struct exchange *exchange)
{
    rest_not_implemented(exchange,
                         "creel has no reservations: a queue with a guaranteed capacity, or preemption, "
                         "serves the same purpose");
}

/* As YARN where they are not enabled. */
void rest_reservations(struct exchange *exchange)
{
    rest_bad_request(exchange, "Reservation is not enabled. Please enable & try again");
}
