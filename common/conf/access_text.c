/* SPDX-License-Identifier: Apache-2.0 */
#include "common/conf/access_text.h"

#include <stdlib.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text.h"

char *access_text(const struct conf *conf, bool *open)
{
    scoped_free char *copy = mem_strdup(conf_text(conf, CONF_ADMIN_ACL));
    const char *administrators = text_trim(copy);
    bool all_administer = text_equal(administrators, "*"), lists = conf_bool(conf, CONF_ACL_ENABLE);

    *open = all_administer || !lists;
    if (*administrators == '\0')
        administrators = "nobody";
    if (all_administer && lists)
        return mem_strdup(
            "every user is an administrator of applications, queues and nodes: yarn.admin.acl is *");
    if (all_administer)
        return mem_strdup(
            "every user may change all applications, queues and nodes: yarn.acl.enable is false, and "
            "yarn.admin.acl is *");
    if (!lists)
        return mem_printf(
            "every user may change all applications and queues: yarn.acl.enable is false; nodes: %s "
            "(yarn.admin.acl)",
            administrators);
    return mem_printf("users change their own applications; administrators: %s (yarn.admin.acl)",
                      administrators);
}

char *access_text_of_rest(const struct conf *conf)
{
    if (strcasecmp(conf_text(conf, CONF_WEB_AUTH), "simple") != 0)
        return NULL;
    return mem_printf(
        "%s is simple: every program on the hosts %s may act as any user over REST, administrators included, "
        "and so may the clients of a web proxy there (%s)",
        conf_key_info(CONF_WEB_AUTH)->name, conf_text(conf, CONF_WEB_PROXIES),
        conf_key_info(CONF_WEB_PROXIES)->name);
}
