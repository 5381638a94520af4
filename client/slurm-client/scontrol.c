/* SPDX-License-Identifier: Apache-2.0 */
/* scontrol.c - shows and changes jobs, nodes and partitions by the rules of scontrol */
#include "client/slurm-client/scontrol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/script/slurm.h"
#include "common/base/job/array_spec.h"
#include "common/base/text.h"

enum option_id { OPT_ONE_LINE = 1 };

static const struct tool_option options[] = {
    { 'a', "all", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'M', "cluster", TOOL_ARGUMENT, TOOL_CLUSTERS, 0 },
    { 'd', "details", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'h', "help", TOOL_NO_ARGUMENT, TOOL_HELP, 0 },
    { 0, "hide", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'o', "oneliner", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_ONE_LINE },
    { 'Q', "quiet", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'v', "verbose", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'V', "version", TOOL_NO_ARGUMENT, TOOL_VERSION, 0 },
    { 0, "json", TOOL_OPTIONAL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "yaml", TOOL_OPTIONAL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0 },
};

static const char help[] =
    "scontrol [-o] COMMAND\n"
    "\n"
    "  show job [ID]                    show node [HOST]        show partition [QUEUE]\n"
    "  show hostnames [LIST]            show hostlist LIST      show hostlistsorted LIST\n"
    "  show config\n"
    "  hold ID,...|jobname=NAME         release ID,...|jobname=NAME\n"
    "  requeue [Incomplete] ID,...      requeuehold [Incomplete] ID,...\n"
    "  write batch_script ID [FILE|-]\n"
    "  update JobId=ID [Name=NAME] [TimeLimit[+|-]=TIME] [Partition=QUEUE] [Priority=N]\n"
    "         [ArrayTaskThrottle=N]\n"
    "  update NodeName=HOSTS State=DRAIN|RESUME [Reason=TEXT]\n"
    "  ping                             version\n"
    "\n"
    "  -o, --oneliner                   a line for each\n"
    "  -V, --version\n";

/* --- show ------------------------------------------------------------------------------------ */

static int show_config(void)
{
    printf("MaxArraySize            = %u\n", ARRAY_TASKS_MAX + 1);
    return puts("SLURM_VERSION           = " SLURM_VERSION) < 0;
}

/* Returns whether WORD begins NAME with LEAST letters or more. */
static bool begins(const char *word, const char *name, size_t least)
{
    return strlen(word) >= least && !strncasecmp(word, name, strlen(word));
}

/* Returns whether WORD is NAME, that of several, or a beginning that scontrol takes. */
static bool is_word(const char *word, const char *name)
{
    size_t length = strlen(name);

    return begins(word, name, text_has_prefix(name, "host") ? strlen("hostn") : 3) ||
           (!strncasecmp(word, name, length) && !strcasecmp(word + length, "s"));
}

static int show(struct tool *tool, char *const *words, bool one_line)
{
    const char *what = words[0] ? words[0] : "", *name = words[0] ? words[1] : NULL;

    if (name && !*name)
        return tool_fail(tool, "show %s: the name is empty, and would choose all", what);
    if (is_word(what, "hostname"))
        return scontrol_show_hosts(tool, name, SCONTROL_HOSTNAMES);
    if (is_word(what, "hostlist"))
        return scontrol_show_hosts(tool, name, SCONTROL_HOSTLIST);
    if (is_word(what, "hostlistsorted"))
        return scontrol_show_hosts(tool, name, SCONTROL_HOSTLIST_SORTED);
    if (is_word(what, "job") || is_word(what, "jobid"))
        return scontrol_show_jobs(tool, name, one_line);
    if (text_skip_word(&what, "jobid=") || text_skip_word(&what, "job="))
        return scontrol_show_jobs(tool, what, one_line);
    if (is_word(what, "node"))
        return scontrol_show_nodes(tool, name, one_line);
    if (is_word(what, "partition"))
        return scontrol_show_partitions(tool, name, one_line);
    if (is_word(what, "config"))
        return show_config();
    return tool_fail(tool,
                     "invalid entity:%s for keyword:show; there are job, node, partition, hostnames, "
                     "hostlist and config",
                     what);
}

/* --- command --------------------------------------------------------------------------------- */

static int ping(struct tool *tool)
{
    struct creel_client *client = tool_client(tool);
    struct creel_cluster *cluster;
    struct creel_error error;

    if (!client)
        return EXIT_FAILURE;
    if (creel_cluster_info(client, &cluster, &error) < 0)
        return tool_refused(tool, &error);
    creel_cluster_free(cluster);
    return printf("Slurmctld(primary) at %s is UP\n", creel_rm_address(client)) < 0;
}

static int run(struct tool *tool, char *const *words, bool one_line)
{
    const char *verb = words[0] ? words[0] : "";
    int code;

    if (begins(verb, "show", 3))
        return show(tool, words + 1, one_line);
    if (words[0] && scontrol_change_jobs(tool, verb, words + 1, &code))
        return code;
    if (begins(verb, "update", 1))
        return scontrol_update(tool, words + 1);
    if (begins(verb, "write", 5))
        return scontrol_write(tool, words + 1);
    if (begins(verb, "ping", 3))
        return ping(tool);
    if (!strcasecmp(verb, "version"))
        return tool_print_version();
    return tool_fail(
        tool,
        "invalid keyword: %s; there are show, hold, release, requeue, requeuehold, update, write, ping, "
        "version",
        verb);
}

/* There is one option that is read. */
static bool read_option(void *context, int id, const char *value)
{
    bool *one_line = context;

    (void)id;
    (void)value;
    return *one_line = true;
}

int scontrol_main(struct tool *tool, int argc, char **argv)
{
    static const struct tool_line line = {
        .options = options, .read = read_option, .help = help, .has_operands = true
    };
    bool one_line = false;
    int at, code;

    if (!tool_read(tool, &line, &one_line, argc, argv, &at, &code))
        return code;
    return run(tool, argv + at, one_line);
}
