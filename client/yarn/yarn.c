/* SPDX-License-Identifier: Apache-2.0 */
/* yarn.c - parts that the commands of creel-yarn share: the client and errors */
#include "client/yarn/yarn.h"

#include "common/conf/conf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/cli/frame/cli.h"
#include "common/base/id.h"

struct creel_client *yarn_client(struct yarn *yarn)
{
    struct cli cli = { .conf_dir = yarn->conf_dir };
    const char *rm = yarn_options_property(&yarn->options, "yarn.resourcemanager.address");
    const char *environment = getenv("CREEL_RM");
    struct creel_options options = {
        .rm_address = rm != NULL                            ? rm
                      : environment != NULL && *environment ? environment
                                                            : NULL,
        .conf_dir = cli_conf_dir(&cli),
    };
    struct creel_error error;

    if (yarn->client == NULL && creel_connect(&options, &yarn->client, &error) < 0) {
        yarn->client = NULL;
        yarn_fail(&error);
    }
    free(cli.found_conf_dir);
    return yarn->client;
}

struct conf *yarn_load_conf(const struct yarn *yarn)
{
    struct cli cli = { .conf_dir = yarn->conf_dir };
    struct conf *conf = NULL;

    (void)conf_load(cli_conf_dir(&cli), NULL, NULL, &conf, NULL);
    free(cli.found_conf_dir);
    return conf;
}

bool yarn_is_secure(const struct yarn *yarn)
{
    const char *property = yarn_options_property(&yarn->options, conf_key_info(CONF_WEB_POLICY)->name);
    struct conf *conf = property == NULL ? yarn_load_conf(yarn) : NULL;
    const char *policy = property != NULL ? property : conf != NULL ? conf_text(conf, CONF_WEB_POLICY) : "";
    bool secure = strcasecmp(policy, "HTTPS_ONLY") == 0;

    conf_free(conf);
    return secure;
}

int yarn_fail(const struct creel_error *error)
{
    for (const char *at = error->text; *at != '\0';) {
        size_t length = strcspn(at, "\n");

        fprintf(stderr, "yarn: %.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
    return YARN_FAILED;
}

int yarn_error(enum yarn_exit code, const char *format, ...)
{
    va_list args;

    fputs("yarn: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return (int)code;
}

int yarn_usage(const struct yarn *yarn)
{
    fputs("Invalid Command Usage : \n", stderr);
    yarn_options_usage(stderr, yarn->command->name, yarn->command->options);
    return YARN_REFUSED;
}

bool yarn_find_app(struct yarn *yarn, const char *id, struct creel_apps **ret, int *code)
{
    struct app_id parsed;
    struct creel_error error;

    if (!app_id_parse(id, &parsed)) {
        *code = yarn_error(YARN_FAILED, "Invalid ApplicationId: %s", id);
        return false;
    }
    if (yarn_client(yarn) == NULL) {
        *code = YARN_FAILED;
        return false;
    }
    if (creel_app_get(yarn->client, id, ret, &error) == 0)
        return true;
    if (error.code != ENOENT) {
        *code = yarn_fail(&error);
        return false;
    }
    printf("Application with id '%s' doesn't exist in RM or Timeline Server.\n", id);
    *code = YARN_REFUSED;
    return false;
}
