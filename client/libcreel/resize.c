/* SPDX-License-Identifier: Apache-2.0 */
/* resize.c - request: another size for a running container */
#include "client/libcreel/reports.h"
#include "client/libcreel/request.h"
#include "client/libcreel/result.h"
#include "client/libcreel/texts.h"

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
    Creel__ResizeContainer body = CREEL__RESIZE_CONTAINER__INIT;
    Creel__Resource size = CREEL__RESOURCE__INIT;
    Creel__NamedAmount amounts[CREEL_OTHERS_MAX], *list[CREEL_OTHERS_MAX];
    const Creel__ResizeContainerReply *reply;
    struct creel_resized *shown;
    struct pages pages = { 0 };
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
    r = request_pages(client, REQUEST(RESIZE_CONTAINER, &body), ANSWER(RESIZE_CONTAINER_REPLY), NULL, &pages,
                      &err);
    if (r < 0)
        return client_set_error(error, &err, r);
    reply = pages.items[0]->resize_container_reply;
    shown = RESULT_NEW(struct creel_resized, &pages);
    reports_container(reply->container, &shown->container);
    shown->waits = reply->waits;
    shown->waits_code = reply->waits_code;
    shown->warning = reply->warning;
    *ret = shown;
    return 0;
}

CREEL_EXPORT
void creel_resized_free(struct creel_resized *resized)
{
    result_free(resized);
}
