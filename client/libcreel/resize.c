/* SPDX-License-Identifier: Apache-2.0 */
/* resize.c - request: another size for a running container */
#include <errno.h>
#include <stdlib.h>

#include "client/libcreel/client.h"
#include "client/libcreel/reports.h"
#include "client/libcreel/texts.h"
#include "common/base/mem.h"
#include "common/io/wire.h"

struct resized_box {
    struct creel_resized shown;
    Creel__Envelope *reply; /* owned: the texts of SHOWN */
};

static void fill_others(const struct creel_resource *resource, Creel__NamedAmount *amounts,
                        Creel__NamedAmount **list, Creel__Resource *ret)
{
    for (size_t i = 0; i < resource->other_count && i < CREEL_OTHERS_MAX; i++) {
        creel__named_amount__init(&amounts[i]);
        amounts[i].name = texts_borrow(resource->others[i].name);
        amounts[i].amount = resource->others[i].amount;
        amounts[i].unit = texts_borrow(resource->others[i].unit);
        list[ret->n_others++] = &amounts[i];
    }
    ret->others = list;
}

CREEL_EXPORT
int creel_container_resize(struct creel_client *client, const char *container_id,
                           const struct creel_resource *resource, struct creel_resized **ret,
                           struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__ResizeContainer body = CREEL__RESIZE_CONTAINER__INIT;
    Creel__Resource size = CREEL__RESOURCE__INIT;
    Creel__NamedAmount amounts[CREEL_OTHERS_MAX], *list[CREEL_OTHERS_MAX];
    struct resized_box *box;
    struct err err = { 0 };
    int r;

    if (resource) {
        size.memory_mb = resource->memory_mb;
        size.vcores = resource->vcores;
        fill_others(resource, amounts, list, &size);
        body.resource = &size;
    }
    body.container_id = texts_borrow(container_id);
    body.cancel = resource == NULL;
    request.body_case = CREEL__ENVELOPE__BODY_RESIZE_CONTAINER;
    request.resize_container = &body;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_RESIZE_CONTAINER_REPLY, client->timeout_ms,
                    &reply, &err);
    if (r < 0)
        return client_set_error(error, &err, r);
    box = mem_new0(struct resized_box);
    box->reply = reply;
    reports_container(reply->resize_container_reply->container, &box->shown.container);
    box->shown.waits = reply->resize_container_reply->waits;
    box->shown.waits_code = reply->resize_container_reply->waits_code;
    box->shown.warning = reply->resize_container_reply->warning;
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
void creel_resized_free(struct creel_resized *resized)
{
    struct resized_box *box = (struct resized_box *)(void *)resized;

    if (box == NULL)
        return;
    wire_free(box->reply);
    free(box);
}
