/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c - who a client of Hadoop's RPC is */
#include "hadoop/net/identity.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "hadoop/net/owner.h"

#define PASSWD_BYTES 16384

/* --- users of this host -------------------------------------------------------------- */

/* Writes the name of the user whose process has the other end. */
static bool find_local(const struct identity *identity, const struct hadoop_ends *ends,
                       char name[HADOOP_NAME_MAX])
{
    struct passwd entry, *found = NULL;
    char memory[PASSWD_BYTES];
    uid_t user;

    if (!identity->settings->local || !owner_find(identity->owner_fd, &ends->peer, &ends->own, &user))
        return false;
    return getpwuid_r(user, &entry, memory, sizeof(memory), &found) == 0 && found != NULL &&
           snprintf(name, HADOOP_NAME_MAX, "%s", found->pw_name) < HADOOP_NAME_MAX;
}

/* --- users of listed addresses --------------------------------------------------------- */

static void address_text(const struct sockaddr_storage *end, char text[INET6_ADDRSTRLEN])
{
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)end;

    text[0] = '\0';
    if (end->ss_family == AF_INET)
        (void)inet_ntop(AF_INET, &((const struct sockaddr_in *)end)->sin_addr, text, INET6_ADDRSTRLEN);
    else if (end->ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
        (void)inet_ntop(AF_INET, six->sin6_addr.s6_addr + 12, text, INET6_ADDRSTRLEN);
    else if (end->ss_family == AF_INET6)
        (void)inet_ntop(AF_INET6, &six->sin6_addr, text, INET6_ADDRSTRLEN);
}

static bool is_listed(const struct identity *identity, const struct hadoop_ends *ends)
{
    char text[INET6_ADDRSTRLEN];

    address_text(&ends->peer, text);
    return identity->settings->simple && hadoop_words_have(&identity->settings->simple_addresses, text);
}

/* --- all ------------------------------------------------------------------------------ */

/* Returns whether the resource manager accepts NAME as the name of a user. */
static bool is_name(const char *name)
{
    for (const char *at = name; *at != '\0'; at++)
        if ((unsigned char)*at <= ' ' || *at == 0x7f || *at == ',')
            return false;
    return *name != '\0';
}

/* Returns whether NAME is a user of this host who may be believed without proof. */
static bool may_be_believed(const struct identity *identity, const char *name, char reason[HADOOP_REASON_MAX])
{
    struct passwd entry, *found = NULL;
    char memory[PASSWD_BYTES];

    if (is_name(name) && getpwnam_r(name, &entry, memory, sizeof(memory), &found) == 0 && found != NULL &&
        found->pw_uid >= identity->settings->min_user_id)
        return true;
    snprintf(reason, HADOOP_REASON_MAX,
             "user %.64s is not believed: the host of creel-hadoop has no such user, or its id is below "
             "creel.container.min-user-id",
             is_name(name) ? name : "\"\"");
    return false;
}

bool identity_admit(void *context, const struct hadoop_ends *ends, char reason[HADOOP_REASON_MAX])
{
    const struct identity *identity = context;
    char name[HADOOP_NAME_MAX], text[INET6_ADDRSTRLEN];

    if (is_listed(identity, ends) || find_local(identity, ends, name))
        return true;
    address_text(&ends->peer, text);
    snprintf(reason, HADOOP_REASON_MAX,
             "creel-hadoop does not serve clients at the address %s: it serves %s%s%s. See the page \"Hadoop "
             "programs\" of creel's guide, or ask the administrators of the cluster.",
             text, identity->settings->local ? "users of its own host" : "",
             identity->settings->local && identity->settings->simple ? " and " : "",
             identity->settings->simple ? "the addresses of creel.hadoop.simple-addresses" : "");
    return false;
}

/* Finds the authenticated user: who really makes the requests. */
static bool find_real(const struct identity *identity, const struct hadoop_ends *ends,
                      const struct hadoop_claim *claim, char real[HADOOP_NAME_MAX], bool *is_proven,
                      char reason[HADOOP_REASON_MAX])
{
    const char *claimed = claim->real_user[0] != '\0' ? claim->real_user : claim->effective_user;

    *is_proven = find_local(identity, ends, real);
    if (*is_proven)
        return true;
    if (!is_listed(identity, ends)) {
        snprintf(reason, HADOOP_REASON_MAX,
                 "creel-hadoop cannot find out which user this connection belongs to");
        return false;
    }
    if (!may_be_believed(identity, claimed, reason))
        return false;
    snprintf(real, HADOOP_NAME_MAX, "%s", claimed);
    return true;
}

bool identity_find(void *context, const struct hadoop_ends *ends, const struct hadoop_claim *claim,
                   char user[HADOOP_NAME_MAX], char reason[HADOOP_REASON_MAX])
{
    const struct identity *identity = context;
    char real[HADOOP_NAME_MAX];
    bool is_proven;

    if (!find_real(identity, ends, claim, real, &is_proven, reason))
        return false;
    if (claim->real_user[0] != '\0' && strcmp(claim->real_user, real) != 0) {
        snprintf(reason, HADOOP_REASON_MAX, "this connection is of user %.64s, not of %.64s", real,
                 is_name(claim->real_user) ? claim->real_user : "\"\"");
        return false;
    }
    snprintf(user, HADOOP_NAME_MAX, "%s", claim->effective_user[0] != '\0' ? claim->effective_user : real);
    if (strcmp(user, real) == 0)
        return true;
    if (!is_proven && !may_be_believed(identity, user, reason))
        return false;
    if (is_name(user) && hadoop_words_have(&identity->settings->proxy_users, real))
        return true;
    snprintf(reason, HADOOP_REASON_MAX,
             "user %.64s may not act for %.64s: only users in creel.security.proxy-users may act for others "
             "(HADOOP_USER_NAME, --proxy-user)",
             real, is_name(user) ? user : "\"\"");
    return false;
}
