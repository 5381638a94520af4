/* SPDX-License-Identifier: Apache-2.0 */
/* setup_files.c - the texts of yarn-site.xml and capacity-scheduler.xml of a new cluster */
#include "client/cli/admin/setup_files.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/conf/conf.h"

#define HEAD "<?xml version=\"1.0\"?>\n"
#define PROPERTY "  <property><name>%s</name><value>%s</value></property>\n"

static char *property(enum conf_key key, const char *value)
{
    return mem_printf(PROPERTY, conf_key_info(key)->name, value);
}

static char *key_directory(const struct setup_facts *facts)
{
    scoped_free char *line = facts->key_dir ? property(CONF_KEY_DIR, facts->key_dir) : NULL;

    return line ? mem_printf("\n  <!-- The certificates. -->\n%s", line) : mem_strdup("");
}

static char *identity(const struct setup_facts *facts)
{
    scoped_free char *line = property(CONF_IDENTITY, "certificate,munge");

    return facts->munge
               ? mem_printf("\n  <!-- Users sign in by certificates, and by MUNGE, since munged runs here:\n"
                            "       with the same key on all hosts. -->\n%s",
                            line)
               : mem_strdup("");
}

char *setup_rm_site(const struct setup_facts *facts)
{
    scoped_free char *host = property(CONF_RM_HOSTNAME, facts->rm_host);
    scoped_free char *acl = property(CONF_ACL_ENABLE, "true");
    scoped_free char *administrators = property(CONF_ADMIN_ACL, facts->administrators);
    scoped_free char *memory = mem_printf("%lld", (long long)facts->memory_mb);
    scoped_free char *cores = mem_printf("%lld", (long long)facts->cores);
    scoped_free char *max_memory = property(CONF_MAX_ALLOCATION_MB, memory);
    scoped_free char *max_cores = property(CONF_MAX_ALLOCATION_VCORES, cores);
    scoped_free char *detect = property(CONF_NM_DETECT, "true");
    scoped_free char *keys = key_directory(facts), *users = identity(facts);

    return mem_printf(HEAD
                      "<!-- Made by creel setup rm. creel-site.xml(5) has every key. -->\n"
                      "<configuration>\n"
                      "  <!-- Where clients and agents look for the resource manager. -->\n%s\n"
                      "  <!-- Users act on their own applications; administrators (users, a blank, groups)\n"
                      "       on all. -->\n"
                      "%s%s\n"
                      "  <!-- The largest container: this host has %lld MiB and %lld processors.\n"
                      "       Raise it if nodes are larger. -->\n%s%s\n"
                      "  <!-- An agent on this host, if there is one, offers what it detects. -->\n%s%s%s"
                      "</configuration>\n",
                      host, acl, administrators, (long long)facts->memory_mb, (long long)facts->cores,
                      max_memory, max_cores, detect, keys, users);
}

char *setup_node_site(const struct setup_facts *facts)
{
    scoped_free char *host = property(CONF_RM_HOSTNAME, facts->rm_host);
    scoped_free char *detect = property(CONF_NM_DETECT, "true");
    scoped_free char *keys = key_directory(facts), *users = identity(facts);

    return mem_printf(HEAD
                      "<!-- Made by creel setup node. creel-site.xml(5) has every key. -->\n"
                      "<configuration>\n"
                      "  <!-- Where the resource manager is. -->\n%s\n"
                      "  <!-- The node offers what it detects: this host has %lld MiB and %lld processors.\n"
                      "       To keep memory for other services set %s;\n"
                      "       to offer fixed amounts %s and\n"
                      "       %s. -->\n%s%s%s"
                      "</configuration>\n",
                      host, (long long)facts->memory_mb, (long long)facts->cores,
                      conf_key_info(CONF_NM_RESERVED_MEMORY_MB)->name, conf_key_info(CONF_NM_MEMORY_MB)->name,
                      conf_key_info(CONF_NM_VCORES)->name, detect, keys, users);
}

char *setup_client_site(const struct setup_facts *facts)
{
    scoped_free char *host = property(CONF_RM_HOSTNAME, facts->rm_host);
    scoped_free char *endpoint = facts->rm_port ? mem_printf("%s:%s", facts->rm_host, facts->rm_port) : NULL;
    scoped_free char *address = endpoint ? property(CONF_RM_CLIENT_ADDRESS, endpoint) : mem_strdup("");
    scoped_free char *keys = key_directory(facts), *users = identity(facts);

    return mem_printf(HEAD "<!-- Made by creel setup client. creel-site.xml(5) has every key. -->\n"
                           "<configuration>\n"
                           "  <!-- Where the resource manager is. -->\n%s%s%s%s"
                           "</configuration>\n",
                      host, address, keys, users);
}

char *setup_queues(void)
{
    static const char *const rows[][2] = {
        { "queues", "default" },
        { "default.capacity", "100" },
        { "acl_submit_applications", "*" },
        { "acl_administer_queue", " " },
    };
    char *lines[4], *text;

    for (size_t i = 0; i < 4; i++) {
        scoped_free char *name = mem_printf("yarn.scheduler.capacity.root.%s", rows[i][0]);

        lines[i] = mem_printf(PROPERTY, name, rows[i][1]);
    }
    text = mem_printf(
        HEAD "<!-- Made by creel setup rm. capacity-scheduler.xml(5) has every key.\n"
             "     After a change: creel admin refresh queues -->\n"
             "<configuration>\n"
             "  <!-- One queue with all of the cluster. -->\n%s%s\n"
             "  <!-- All users may submit. A blank is an empty list: only administrators of the cluster\n"
             "       change applications of others. Without these lines all users may do both. -->\n"
             "%s%s</configuration>\n",
        lines[0], lines[1], lines[2], lines[3]);
    for (size_t i = 0; i < 4; i++)
        free(lines[i]);
    return text;
}
