/* SPDX-License-Identifier: Apache-2.0 */
/* client_error.c - errors of requests: from replies of peers, and for callers of the library */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "client/libcreel/client.h"
#include "common/io/wire/wire.h"

_Static_assert(sizeof(((struct creel_error *)NULL)->text) == ERR_TEXT_MAX,
               "the public error has room for ours");

int client_set_error(struct creel_error *error, const struct err *err, int r)
{
    if (error && r < 0) {
        error->code = -r;
        memcpy(error->text, err->text, sizeof(error->text));
    }
    return r;
}

int client_error_from_reply(const Creel__Error *error, struct err *err)
{
    static const struct {
        Creel__ErrorCode code;
        int number;
    } table[] = {
        { CREEL__ERROR_CODE__ERROR_BAD_REQUEST, EINVAL }, { CREEL__ERROR_CODE__ERROR_UNSUPPORTED, EPROTO },
        { CREEL__ERROR_CODE__ERROR_NOT_FOUND, ENOENT },   { CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, EPERM },
        { CREEL__ERROR_CODE__ERROR_BAD_STATE, EBUSY },    { CREEL__ERROR_CODE__ERROR_NEVER_RUNS, ERANGE },
        { CREEL__ERROR_CODE__ERROR_TOO_LARGE, EFBIG },    { CREEL__ERROR_CODE__ERROR_STORE, EIO },
        { CREEL__ERROR_CODE__ERROR_UNAVAILABLE, EAGAIN }, { CREEL__ERROR_CODE__ERROR_BAD_CONFIG, EBADMSG },
        { CREEL__ERROR_CODE__ERROR_SIGN_IN, ENOKEY },
    };
    const char *text = error->message && *error->message ? error->message : "no reason given";

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].code == error->code)
            return err_set(err, table[i].number, "%s", text);
    }
    return err_set(err, EIO, "%s", text);
}

int client_check_reply(const char *who, const Creel__Envelope *reply, Creel__Envelope__BodyCase body,
                       struct err *err)
{
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR) {
        int r = client_error_from_reply(reply->error, err);

        /* For scheduler-conf, ERROR_UNSUPPORTED is about the scheduler, not about the protocol. */
        if (r == -EPROTO && body != CREEL__ENVELOPE__BODY_SCHEDULER_CONF)
            err_prefix(err, "%s speaks protocol %u, this is creel %s with protocol %u", who, reply->version,
                       VERSION, WIRE_VERSION);
        return r;
    }
    if (reply->body_case != body)
        return err_set(err, EPROTO, "%s answered with %s where %s was expected", who,
                       wire_body_name(reply->body_case), wire_body_name(body));
    return 0;
}
