/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.c - texts and headers of requests that are refused because of their user */
#include "web/http/refusal.h"

struct refusal refusal_of_password(int status)
{
    if (status == 401)
        return (struct refusal){
            "This site needs a user name and a password of this system (HTTP Basic).",
            "WWW-Authenticate",
            "Basic realm=\"creel\", charset=\"UTF-8\"",
        };
    if (status == 429)
        return (struct refusal){
            "There were too many wrong passwords. Try again in a minute.",
            "Retry-After",
            "60",
        };
    return (struct refusal){ "PAM cannot check the password now. Try again later.", "Retry-After", "5" };
}

const char *refusal_of_scope(enum exchange_scope needed, bool with_password)
{
    if (needed == EXCHANGE_READ)
        return "";
    if (needed == EXCHANGE_SUBMIT)
        return with_password ? "users with passwords may only read here (creel.http.basic-scope is read)"
                             : "this token only serves to read: use one of creel token create --scope submit";
    return with_password ? "users with passwords may not change nodes, queues or the configuration here "
                           "(creel.http.basic-scope is not admin)"
                         : "this token does not serve to change nodes, queues or the configuration: use one "
                           "of creel token create --scope admin";
}
