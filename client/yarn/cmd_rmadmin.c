/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_rmadmin.c - yarn rmadmin: reloads files, changes labels and sizes of nodes */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/admin/wait_nodes.h"
#include "client/cli/frame/cli.h"
#include "client/include/creel-admin.h"
#include "client/yarn/node_arguments.h"
#include "client/yarn/yarn.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"

#define SECONDS_MAX ((int64_t)100 * 365 * 86400)

/* An option of rmadmin and its arguments. Functions return an exit code. */
struct action {
    const char *name, *arguments;
    int (*run)(struct yarn *yarn, const char *const *arguments, size_t count);
    size_t least, most;  /* number of arguments */
    const char *instead; /* set if RUN is NULL: what to do with creel */
};

/* Prints ERROR. Returns YARN_REFUSED, since YARN's rmadmin returns -1 after every error. */
static int failed(const struct creel_error *error)
{
    yarn_fail(error);
    return YARN_REFUSED;
}

static int wrong(const struct err *err)
{
    return yarn_error(YARN_REFUSED, "%s", err->text);
}

/* --- reloads ------------------------------------------------------------------- */

static int refresh_queues(struct yarn *yarn, const char *const *arguments, size_t count)
{
    struct creel_refresh *refresh;
    struct creel_error error;

    (void)arguments, (void)count;
    if (yarn_client(yarn) == NULL)
        return YARN_REFUSED;
    if (creel_refresh_queues(yarn->client, &refresh, &error) < 0)
        return failed(&error);
    for (const char *const *at = refresh->warnings; *at != NULL; at++)
        fprintf(stderr, "yarn: warning: %s\n", *at);
    creel_refresh_free(refresh);
    return YARN_DONE;
}

static int refresh_access(struct yarn *yarn, enum creel_access_part part)
{
    struct creel_conf *conf;
    struct creel_error error;

    if (yarn_client(yarn) == NULL)
        return YARN_REFUSED;
    if (creel_refresh_access(yarn->client, part, &conf, &error) < 0)
        return failed(&error);
    creel_conf_free(conf);
    return YARN_DONE;
}

static int refresh_acls(struct yarn *yarn, const char *const *arguments, size_t count)
{
    (void)arguments, (void)count;
    return refresh_access(yarn, CREEL_ACCESS_ACLS);
}

static int refresh_groups(struct yarn *yarn, const char *const *arguments, size_t count)
{
    (void)arguments, (void)count;
    return refresh_access(yarn, CREEL_ACCESS_GROUPS);
}

struct graceful {
    bool is_graceful, by_client;
    bool has_timeout;
    int64_t timeout_ms;
};

/* Reads "-g|-graceful [SECS] -client|-server". Returns false if the words are wrong. */
static bool read_graceful(const char *const *words, size_t count, struct graceful *ret)
{
    bool by_server = false;
    size_t at = 0;
    int64_t seconds;

    *ret = (struct graceful){ 0 };
    if (count == 0)
        return true;
    ret->is_graceful = strcmp(words[at], "-g") == 0 || strcmp(words[at], "-graceful") == 0;
    if (!ret->is_graceful)
        return false;
    if (++at < count && text_parse_int64(words[at], &seconds)) {
        if (seconds < -1 || seconds > SECONDS_MAX)
            return false;
        ret->has_timeout = true;
        ret->timeout_ms = seconds < 0 ? -1 : seconds * 1000;
        at++;
    }
    if (at < count) {
        ret->by_client = strcmp(words[at], "-client") == 0;
        by_server = strcmp(words[at++], "-server") == 0;
    }
    return at == count && (ret->by_client || by_server);
}

/* Waits until the nodes are decommissioned, as YARN's client does. After the timeout, decommissions the rest
 * at once. */
static int wait_for_nodes(struct yarn *yarn, const struct graceful *graceful)
{
    struct cli cli = { .client = yarn->client };
    struct creel_node_refresh refresh;
    struct creel_error error;
    int r = wait_excluded(&cli, graceful->has_timeout ? graceful->timeout_ms : -1, &error);

    if (r == -ETIMEDOUT)
        r = creel_refresh_nodes(yarn->client, CREEL_REFRESH_NORMAL, NULL, &refresh, &error);
    return r < 0 ? failed(&error) : YARN_DONE;
}

static int refresh_nodes(struct yarn *yarn, const char *const *arguments, size_t count)
{
    struct creel_node_refresh refresh;
    struct creel_error error;
    struct graceful graceful;
    enum creel_refresh_kind kind;

    if (!read_graceful(arguments, count, &graceful))
        return yarn_error(YARN_REFUSED,
                          "usage: yarn rmadmin -refreshNodes [-g|-graceful [SECONDS] -client|-server]");
    kind = graceful.by_client     ? CREEL_REFRESH_CLIENT
           : graceful.is_graceful ? CREEL_REFRESH_GRACEFUL
                                  : CREEL_REFRESH_NORMAL;
    if (yarn_client(yarn) == NULL)
        return YARN_REFUSED;
    if (creel_refresh_nodes(yarn->client, kind,
                            kind == CREEL_REFRESH_GRACEFUL && graceful.has_timeout ? &graceful.timeout_ms
                                                                                   : NULL,
                            &refresh, &error) < 0)
        return failed(&error);
    return graceful.by_client && refresh.leaving > 0 ? wait_for_nodes(yarn, &graceful) : YARN_DONE;
}

/* --- labels and sizes ------------------------------------------------------------- */

static int change_labels(struct yarn *yarn, const char *text, bool remove)
{
    scoped_free struct creel_label_spec *specs = mem_array0(NODE_ARGUMENTS_MAX, sizeof(*specs));
    scoped_free char *copy = mem_strdup(text);
    struct creel_labels *labels;
    struct creel_error error;
    struct err err = { 0 };
    size_t count;

    if (node_arguments_labels(copy, specs, &count, &err) < 0)
        return wrong(&err);
    if (yarn_client(yarn) == NULL)
        return YARN_REFUSED;
    if (creel_label_change(yarn->client, remove, specs, count, &labels, &error) < 0)
        return failed(&error);
    creel_labels_free(labels);
    return YARN_DONE;
}

static int add_labels(struct yarn *yarn, const char *const *arguments, size_t count)
{
    (void)count;
    return change_labels(yarn, arguments[0], false);
}

static int remove_labels(struct yarn *yarn, const char *const *arguments, size_t count)
{
    (void)count;
    return change_labels(yarn, arguments[0], true);
}

static bool is_known_label(const struct creel_labels *labels, const char *name)
{
    for (size_t i = 0; i < labels->count; i++)
        if (strcmp(labels->items[i].name, name) == 0)
            return true;
    return *name == '\0';
}

/* Checks all labels and nodes before the first change, so that a mistake changes nothing. */
static int check_changes(struct yarn *yarn, const struct node_label_change *changes, size_t count)
{
    struct creel_labels *labels;
    struct creel_error error;
    int code = YARN_DONE;

    if (creel_label_list(yarn->client, &labels, &error) < 0)
        return failed(&error);
    for (size_t i = 0; i < count && code == YARN_DONE; i++) {
        struct creel_nodes *nodes;

        if (!is_known_label(labels, changes[i].label))
            code =
                yarn_error(YARN_REFUSED, "node %s: there is no label %s: add it with -addToClusterNodeLabels",
                           changes[i].node, changes[i].label);
        else if (creel_node_list(yarn->client, changes[i].node, &nodes, &error) < 0)
            code = failed(&error);
        else
            creel_nodes_free(nodes);
    }
    creel_labels_free(labels);
    return code;
}

static int apply_changes(struct yarn *yarn, const struct node_label_change *changes, size_t count)
{
    struct creel_error error;

    for (size_t i = 0; i < count; i++) {
        struct creel_nodes *nodes;

        if (creel_node_set_label(yarn->client, changes[i].node, changes[i].label, &nodes, &error) < 0)
            return failed(&error);
        creel_nodes_free(nodes);
    }
    return YARN_DONE;
}

static char *join(const char *const *words, size_t count)
{
    struct text_builder text = TEXT_BUILDER_MALLOC;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], "-failOnUnknownNodes") == 0 ||
            strcmp(words[i], "-directlyAccessNodeLabelStore") == 0)
            continue;
        text_builder_printf(&text, " %s", words[i]);
    }
    return text_builder_finish(&text);
}

/* Replaces labels of nodes. YARN reads one argument with blanks in it; several arguments mean the same. */
static int replace_labels(struct yarn *yarn, const char *const *arguments, size_t count)
{
    scoped_free struct node_label_change *changes = mem_array0(NODE_ARGUMENTS_MAX, sizeof(*changes));
    scoped_free char *text = join(arguments, count);
    struct err err = { 0 };
    size_t change_count;
    int code;

    if (node_arguments_changes(text, changes, &change_count, &err) < 0)
        return wrong(&err);
    if (yarn_client(yarn) == NULL)
        return YARN_REFUSED;
    code = check_changes(yarn, changes, change_count);
    return code == YARN_DONE ? apply_changes(yarn, changes, change_count) : code;
}

/* Reads the words after NODE: "MB VCORES [OVERCOMMIT]" or "NAME=AMOUNT,... [OVERCOMMIT]". */
static int read_size(const char *const *words, size_t count, struct creel_resource *total,
                     const char **overcommit, struct err *err)
{
    bool is_named = strchr(words[0], '=') != NULL;
    scoped_free char *text = is_named    ? mem_strdup(words[0])
                             : count > 1 ? mem_printf("memory-mb=%s,vcores=%s", words[0], words[1])
                                         : mem_strdup("");
    size_t used = is_named ? 1 : 2;

    if (count < used || count > used + 1)
        return err_set(err, EINVAL,
                       "usage: yarn rmadmin -updateNodeResource NODE MB VCORES [MILLISECONDS], or NODE "
                       "memory-mb=MB,vcores=N [MILLISECONDS]");
    *overcommit = count > used ? words[used] : NULL;
    return node_arguments_amounts(text, total, err);
}

static int resize_node(struct yarn *yarn, const char *const *arguments, size_t count)
{
    struct creel_resource total;
    struct creel_nodes *nodes;
    struct creel_error error;
    struct err err = { 0 };
    const char *overcommit = NULL;
    int64_t overcommit_ms = -1;

    if (read_size(arguments + 1, count - 1, &total, &overcommit, &err) < 0)
        return wrong(&err);
    if (overcommit != NULL && (!text_parse_int64(overcommit, &overcommit_ms) || overcommit_ms < -1))
        return yarn_error(YARN_REFUSED, "%s: expected milliseconds, or -1 for never", overcommit);
    if (yarn_client(yarn) == NULL)
        return YARN_REFUSED;
    if (creel_node_resize(yarn->client, &arguments[0], 1, &total, 0, overcommit_ms, &nodes, &error) < 0)
        return failed(&error);
    creel_nodes_free(nodes);
    return YARN_DONE;
}

/* --- state of the resource manager ---------------------------------------------------- */

static struct creel_cluster *ask_cluster(struct yarn *yarn)
{
    struct creel_cluster *cluster = NULL;
    struct creel_error error;

    if (yarn_client(yarn) != NULL && creel_cluster_info(yarn->client, &cluster, &error) < 0)
        yarn_fail(&error);
    return cluster;
}

static int service_state(struct yarn *yarn, const char *const *arguments, size_t count)
{
    struct creel_cluster *cluster = ask_cluster(yarn);

    (void)arguments, (void)count;
    if (cluster == NULL)
        return YARN_REFUSED;
    puts("active");
    creel_cluster_free(cluster);
    return YARN_DONE;
}

static int all_states(struct yarn *yarn, const char *const *arguments, size_t count)
{
    struct creel_cluster *cluster = ask_cluster(yarn);

    (void)arguments, (void)count;
    if (cluster == NULL)
        return YARN_REFUSED;
    printf("%-50s %-10s\n", creel_rm_address(yarn->client), "active");
    creel_cluster_free(cluster);
    return YARN_DONE;
}

static int check_health(struct yarn *yarn, const char *const *arguments, size_t count)
{
    struct creel_cluster *cluster = ask_cluster(yarn);

    (void)arguments, (void)count;
    creel_cluster_free(cluster);
    return cluster != NULL ? YARN_DONE : YARN_REFUSED;
}

static int print_groups(struct yarn *yarn, const char *user)
{
    struct creel_queue_access *access;
    struct creel_error error;

    if (creel_queue_access_get(yarn->client, "root", user, &access, &error) < 0)
        return failed(&error);
    printf("%s :", access->user);
    for (const char *const *group = access->groups; *group != NULL; group++)
        printf(" %s", *group);
    putchar('\n');
    creel_queue_access_free(access);
    return YARN_DONE;
}

static int show_groups(struct yarn *yarn, const char *const *arguments, size_t count)
{
    int code = YARN_DONE;

    if (yarn_client(yarn) == NULL)
        return YARN_REFUSED;
    if (count == 0)
        return print_groups(yarn, NULL);
    for (size_t i = 0; i < count && code == YARN_DONE; i++)
        code = print_groups(yarn, arguments[i]);
    return code;
}

/* --- command ------------------------------------------------------------------------- */

#define ONE_MANAGER "this version has one resource manager: there is no other to be active"

static const struct action actions[] = {
    { "-refreshQueues", "", refresh_queues, 0, 0, NULL },
    { "-refreshClusterMaxPriority", "", refresh_queues, 0, 0, NULL }, /* -refreshQueues reads it, too */
    { "-refreshUserToGroupsMappings", "", refresh_groups, 0, 0, NULL },
    { "-refreshSuperUserGroupsConfiguration", "", refresh_acls, 0, 0, NULL },
    { "-refreshAdminAcls", "", refresh_acls, 0, 0, NULL },
    { "-refreshNodes", "[-g|graceful [timeout in seconds] -client|server]", refresh_nodes, 0, 3, NULL },
    { "-addToClusterNodeLabels", "<\"label1(exclusive=true),label2(exclusive=false)\">", add_labels, 1, 1,
      NULL },
    { "-removeFromClusterNodeLabels", "<label1,label2>", remove_labels, 1, 1, NULL },
    { "-replaceLabelsOnNode", "<\"node1[:port]=label1 node2[:port]=label2\"> [-failOnUnknownNodes]",
      replace_labels, 1, SIZE_MAX, NULL },
    { "-updateNodeResource", "[NodeID] [MemSize] [vCores] ([OvercommitTimeout])", resize_node, 2, 4, NULL },
    { "-getGroups", "[username]", show_groups, 0, SIZE_MAX, NULL },
    { "-getServiceState", "<serviceId>", service_state, 0, 1, NULL },
    { "-getAllServiceState", "", all_states, 0, 0, NULL },
    { "-checkHealth", "<serviceId>", check_health, 0, 1, NULL },
    { .name = "-refreshNodesResources",
      .instead = "creel has no dynamic-resources.xml: creel node resources sets the size of a node" },
    { .name = "-refreshServiceAcl",
      .instead = "there are no service ACLs: creel-site.xml(5) has the keys of security" },
    { .name = "-transitionToActive", .instead = ONE_MANAGER },
    { .name = "-transitionToStandby", .instead = ONE_MANAGER },
    { .name = "-failover", .instead = ONE_MANAGER },
};

#define ACTIONS (sizeof(actions) / sizeof(actions[0]))

static void print_usage(FILE *out)
{
    fputs("Usage: yarn rmadmin\n", out);
    for (size_t i = 0; i < ACTIONS; i++)
        if (actions[i].run != NULL)
            fprintf(out, "   %s %s\n", actions[i].name, actions[i].arguments);
    fputs("   -help [cmd]\n", out);
}

static const struct action *find(const char *word)
{
    const char *name = text_has_prefix(word, "--") ? word + 1 : word;

    for (size_t i = 0; i < ACTIONS; i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

int run_rmadmin(struct yarn *yarn)
{
    const char *name = yarn->words[0];
    const struct action *action = name != NULL ? find(name) : NULL;
    size_t count = 0;

    if (name != NULL && (strcmp(name, "-help") == 0 || strcmp(name, "--help") == 0)) {
        print_usage(stdout);
        return YARN_DONE;
    }
    if (action == NULL) {
        if (name != NULL)
            yarn_error(YARN_REFUSED, "%s: Unknown command", name);
        print_usage(stderr);
        return YARN_REFUSED;
    }
    if (action->run == NULL)
        return yarn_error(YARN_REFUSED, "creel has no rmadmin %s: %s", name, action->instead);
    while (yarn->words[1 + count] != NULL)
        count++;
    if (count >= action->least && count <= action->most)
        return action->run(yarn, yarn->words + 1, count);
    return yarn_error(YARN_REFUSED, "usage: yarn rmadmin %s %s", action->name, action->arguments);
}
