/* SPDX-License-Identifier: Apache-2.0 */
/* key_bundle.c - write and read the keys of one node as text */
#include "client/cli/key_bundle.h"

#include <errno.h>
#include <string.h>

#include "common/io/key_file.h"

#define HEAD "creel-keys 1"

int key_bundle_write(FILE *out, const char *directory, const char *name, struct err *err)
{
    struct key rm, agent;
    int r = key_load_for(directory, KEY_RM, NULL, false, &rm, err);

    if (r == 0)
        r = key_load_for(directory, KEY_AGENT, name, true, &agent, err);
    if (r < 0)
        return r;
    fprintf(out, HEAD "\nrm %s\nagent %s %s %s\n", rm.public_text, name, agent.public_text,
            agent.secret_text);
    explicit_bzero(&agent, sizeof(agent));
    return fflush(out) == 0 ? 0 : err_set_errno(err, errno, "the keys cannot be written");
}

static int not_complete(const char *label, struct err *err)
{
    return err_set(err, EINVAL,
                   "%s: these are not the keys of a node, or not all of them: they are what "
                   "creel keygen agent --export NAME prints",
                   label);
}

/* Reads a line without its newline. Returns false at the end of the text or if the line is too long. */
static bool next_line(FILE *in, char *line, int size)
{
    size_t length;

    if (!fgets(line, size, in))
        return false;
    length = strlen(line);
    if (length == 0 || line[length - 1] != '\n')
        return false;
    line[length - 1] = '\0';
    return true;
}

int key_bundle_read(FILE *in, const char *label, struct key_bundle *ret, struct err *err)
{
    struct key_bundle found = { .agent_name = "" };
    char line[512], end;
    int r = 0;

    if (!next_line(in, line, sizeof(line)) || strcmp(line, HEAD) != 0)
        return not_complete(label, err);
    if (!next_line(in, line, sizeof(line)) || sscanf(line, "rm %40s%c", found.rm.public_text, &end) != 1)
        return not_complete(label, err);
    if (!next_line(in, line, sizeof(line)) ||
        sscanf(line, "agent %255s %40s %40s%c", found.agent_name, found.agent.public_text,
               found.agent.secret_text, &end) != 3)
        r = not_complete(label, err);
    explicit_bzero(line, sizeof(line));
    if (r == 0)
        r = key_file_judge(label, false, &found.rm, err);
    if (r == 0)
        r = key_file_judge(label, true, &found.agent, err);
    if (r == 0)
        *ret = found;
    explicit_bzero(&found, sizeof(found));
    return r;
}
