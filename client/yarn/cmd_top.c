/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_top.c - yarn top: starts creel top */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/yarn/yarn.h"
#include "common/base/mem.h"

#define WORDS_MAX 9 /* the NULL at the end included */

const struct yarn_option top_options[] = {
    { "cols", "Columns", false, "No effect: the width is that of the terminal." },
    { "delay", "Seconds", false, "Time between two pictures." },
    { "help", NULL, false, "Displays help for all commands." },
    { "rows", "Rows", false, "No effect: the height is that of the terminal." },
    { 0 },
};

/* Returns the path of the program creel beside this one; else its name, which is found in PATH. The caller
 * frees it. */
static char *path_of_creel(void)
{
    char self[4096];
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *end, *path;

    if (size > 0) {
        self[size] = '\0';
        end = strrchr(self, '/');
        path = mem_printf("%.*s/creel", (int)(end - self), self);
        if (access(path, X_OK) == 0)
            return path;
        free(path);
    }
    return mem_strdup("creel");
}

int run_top(struct yarn *yarn)
{
    const char *delay = yarn_options_get(&yarn->options, "delay");
    const char *rm = yarn_options_property(&yarn->options, "yarn.resourcemanager.address");
    char *words[WORDS_MAX] = { path_of_creel() };
    size_t count = 1;
    int code;

#define ADD(text) (words[count++] = mem_strdup(text))
    ADD("top");
    if (delay != NULL) {
        ADD("--delay");
        ADD(delay);
    }
    if (yarn->conf_dir != NULL) {
        ADD("--conf");
        ADD(yarn->conf_dir);
    }
    if (rm != NULL) {
        ADD("--rm");
        ADD(rm);
    }
#undef ADD
    execvp(words[0], words);
    code = yarn_error(YARN_FAILED, "%s: %s; it is in the package creel-client", words[0], strerror(errno));
    for (size_t i = 0; i < count; i++)
        free(words[i]);
    return code;
}
