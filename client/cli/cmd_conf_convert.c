/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_conf_convert.c - creel conf convert: the queues of the fair scheduler for the capacity scheduler */
#include <stdlib.h>

#include "client/cli/commands.h"
#include "common/base/text.h"
#include "common/conf/conf.h"
#include "rm/schedconf/fair_to_capacity.h"

const char conf_convert_help[] =
    "Prints capacity-scheduler.xml with the queues, limits, access lists and placement rules that the fair\n"
    "scheduler has with the files of DIR (default: those of this host). Weights stay weights. A warning\n"
    "names each setting that has no counterpart. Exits with 7 if the files have a mistake.\n\n"
    "example:\n"
    "  creel conf convert fair-to-capacity /etc/creel >/srv/new/capacity-scheduler.xml\n";

static void print_warning(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "creel: warning: %s\n", text);
}

int cmd_conf_convert(struct cli *cli)
{
    const struct options *options = &cli->options;
    struct conf *conf = NULL;
    struct err err = { 0 };
    int code = EXIT_DONE;

    if (options->argument_count < 1 || options->argument_count > 2 ||
        !text_equal(options->arguments[0], "fair-to-capacity"))
        return cli_usage(cli, "convert what? creel conf convert fair-to-capacity [DIR]");
    if (conf_load(options->argument_count > 1 ? options->arguments[1] : cli_conf_dir(cli), print_warning,
                  NULL, &conf, &err) < 0 ||
        schedconf_fair_to_capacity(conf, stdout, print_warning, NULL, &err) < 0) {
        cli_fail_err(&err);
        code = EXIT_BAD_CONFIG;
    }
    conf_free(conf);
    return code;
}
