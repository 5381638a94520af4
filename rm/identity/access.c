/* SPDX-License-Identifier: Apache-2.0 */
/* access.c - the parts of access checks that the capacity and the fair scheduler share */
#include "rm/identity/access.h"

#include <errno.h>

void access_gate_open(struct access_gate *gate, const struct conf *conf)
{
    gate->enabled = conf_bool(conf, CONF_ACL_ENABLE);
    gate->administrators = acl_new(conf_text(conf, CONF_ADMIN_ACL));
}

void access_gate_close(struct access_gate *gate)
{
    acl_free(gate->administrators);
}

bool access_gate_is_administrator(const struct access_gate *gate, const struct acl_person *person)
{
    return !acl_is_everybody(gate->administrators) && acl_allows(gate->administrators, person);
}

bool access_gate_is_exempt(const struct access_gate *gate, const struct acl_person *person)
{
    return !gate->enabled || access_gate_is_administrator(gate, person);
}

int access_refuse(const struct acl_person *person, const char *path, const char *submit,
                  const char *administer, struct err *err)
{
    if (submit == NULL)
        return err_set(err, EACCES, "user %s cannot administer %s (%s)", person->user, path, administer);
    return err_set(err, EACCES, "user %s cannot submit to %s (%s; %s)", person->user, path, submit,
                   administer);
}
