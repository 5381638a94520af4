/* SPDX-License-Identifier: Apache-2.0 */
/* unsupported.c - addresses for parts of YARN that creel does not have */
#include "nm-agent/web/handlers.h"
#include "web/rest/parts/format.h"

/* Answers as YARN without a manifest of services. */
void node_auxiliary_services(struct exchange *exchange)
{
    rest_bad_request(exchange, "Auxiliary services manifest is not enabled");
}

/* Answers as YARN without a plug-in for the resource: with an empty object. */
void node_resources(struct exchange *exchange)
{
    struct document *document = rest_begin_plain(exchange, "resourceInfo", REST_BARE);

    if (document != NULL)
        rest_send(exchange, 200, document);
}
