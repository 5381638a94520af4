/* SPDX-License-Identifier: Apache-2.0 */
/* key_bundle.c - writes and reads the keys of one node or user as text */
#include "client/cli/admin/key_bundle.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "common/io/keys/key_file.h"

#define HEAD "creel-keys 1"

static const char *const words[] = { [KEY_AGENT] = "agent", [KEY_USER] = "user" };

int key_bundle_write(FILE *out, const char *directory, enum key_owner owner, const char *name,
                     struct err *err)
{
    struct key rm, own;
    struct stat status;
    int r = key_load_for(directory, KEY_RM, NULL, false, &rm, err);

    if (r == 0)
        r = key_load_for(directory, owner, name, true, &own, err);
    if (r < 0)
        return r;
    if (fstat(fileno(out), &status) == 0 && S_ISREG(status.st_mode) && fchmod(fileno(out), 0600) < 0)
        r = err_set_errno(err, errno, "the keys are not written: the mode of the file cannot be set to 0600");
    else
        fprintf(out, HEAD "\nrm %s\n%s %s %s %s\n", rm.public_text, words[owner], name, own.public_text,
                own.secret_text);
    explicit_bzero(&own, sizeof(own));
    if (r < 0)
        return r;
    return fflush(out) == 0 ? 0 : err_set_errno(err, errno, "the keys cannot be written");
}

static int not_complete(const char *label, enum key_owner owner, struct err *err)
{
    return err_set(err, EINVAL,
                   "%s: these are not the keys of a %s, or not all of them: they are what "
                   "creel keygen %s --export NAME prints",
                   label, owner == KEY_AGENT ? "node" : "user", words[owner]);
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

static int read_lines(FILE *in, const char *label, enum key_owner owner, struct key_bundle *found,
                      struct err *err)
{
    char line[512], word[8], end;
    int r = 0;

    if (!next_line(in, line, sizeof(line)) || strcmp(line, HEAD) != 0)
        return not_complete(label, owner, err);
    if (!next_line(in, line, sizeof(line)) || sscanf(line, "rm %40s%c", found->rm.public_text, &end) != 1)
        return not_complete(label, owner, err);
    if (!next_line(in, line, sizeof(line)) ||
        sscanf(line, "%7s %255s %40s %40s%c", word, found->name, found->own.public_text,
               found->own.secret_text, &end) != 4 ||
        strcmp(word, words[owner]) != 0)
        r = not_complete(label, owner, err);
    explicit_bzero(line, sizeof(line));
    if (r == 0)
        r = key_file_judge(label, false, &found->rm, err);
    return r == 0 ? key_file_judge(label, true, &found->own, err) : r;
}

int key_bundle_read(const char *path, enum key_owner owner, struct key_bundle *ret, struct err *err)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "re");
    struct key_bundle found = { .name = "" };
    int r;

    if (in == NULL)
        return err_set_errno(err, errno, "%s: cannot be read", path);
    r = read_lines(in, standard ? "standard input" : path, owner, &found, err);
    if (r == 0)
        *ret = found;
    explicit_bzero(&found, sizeof(found));
    if (!standard)
        fclose(in);
    return r;
}
