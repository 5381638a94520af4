/* SPDX-License-Identifier: Apache-2.0 */
/* am_open.c - opens the application master of this container */
#include "client/libcreel/am_open.h"

#include "client/include/creel-am.h"
#include "client/libcreel/am.h"
#include "client/libcreel/client.h"

CREEL_EXPORT
int creel_am_open(const struct creel_am_calls *calls, void *context, struct creel_am **ret,
                  struct creel_error *error)
{
    struct am_environment environment;
    struct am_open open = { .environment = &environment, .calls = calls, .context = context };
    struct err err = { 0 };
    int r = am_environment_read(&environment, &err);

    if (r < 0)
        return client_set_error(error, &err, r);
    r = am_environment_lock(&environment, false, &err);
    if (r == 0)
        r = am_open_with(&open, ret, &err);
    am_environment_done(&environment); /* empty, unless it could not be locked */
    return r < 0 ? client_set_error(error, &err, r) : 0;
}
