/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf.h - reads the configuration of a cluster from Hadoop's files, and returns the values of keys
 *
 * A configuration is read once from a directory and is then immutable. Every key that creel knows is a row of
 * one table (key_table.h): name, type, default, range, one line of documentation. The parser, `creel conf
 * show` and the man page use that table, so they cannot disagree.
 *
 * Files; a later file overrides an earlier one, unless the earlier value has <final>:
 *   yarn-site.xml, resource-types.xml (yarn.resource-types*),
 *   node-resources.xml (yarn.nodemanager.resource-type.*), creel-site.xml, and
 *   capacity-scheduler.xml (yarn.scheduler.*, yarn.resourcemanager.monitor.capacity.*) if
 *   the scheduler (yarn.resourcemanager.scheduler.class) is the capacity scheduler.
 * Of a file with keys in brackets, other keys of yarn.* and creel.* are ignored.
 * If no file exists, every key has its default.
 * Syntax: Hadoop's (yarn-behaviour 1.2): configuration/property/{name,value, final}, names and values
 * trimmed, last duplicate wins, ${key}, ${env.NAME}, ${env.NAME:-default} and ${env.NAME-default} up to 20
 * rounds, XInclude. ${user.name} and ${user.home} are those of this process.
 * If a file has an error, no configuration is returned. Reading needs no state outside of struct conf.
 */
#ifndef CREEL_CONF_H
#define CREEL_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/conf/effect.h"
#include "common/conf/key_table.h"

struct conf; /* opaque; owned by the caller of conf_load */

/* Returns the directory to read: FLAG (--conf) if not NULL, else the first of CREEL_CONF_DIR,
 * YARN_CONF_DIR, HADOOP_CONF_DIR that is set and not empty, else /etc/creel. Borrowed; valid until the
 * environment changes. */
const char *conf_directory(const char *flag);

/* Reads all files of DIRECTORY and checks every value against the key table. All errors are found, not just
 * the first: ERR's text has one per line, the first 20 errors, then "... and N more".
 *   <file>:<line>: <key>: "<value>": expected <what>
 *   <file>:<line>: creel.x.y: unknown key [, did you mean creel.x.z?]
 *   <file>:<line>: <key>: 4096 is above <other key>, 1024 (<file>:<line>)
 *   <file>:<line>:<column>: <expat's message>: <the line itself>
 * -ENOENT: the directory does not exist (unless it is the default /etc/creel); -EINVAL: the configuration is
 * wrong; other -errno: it cannot be read.
 * WARN (may be NULL) is called once for each remark, in the order of the files: keys of yarn.* that creel
 * does not act on, with their effect; as CONF_WARNING: unknown keys of yarn.*, a boolean that is neither true
 * nor false, an override of a final value, ignored elements, an undefined variable. Keys of other programs
 * (hadoop.*, dfs.*) are stored without a warning. */
int conf_load(const char *directory, conf_warn_fn *warn, void *context, struct conf **ret, struct err *err);

/* Does the same as conf_load for a program that uses only the COUNT keys in NEEDED: reads yarn-site.xml and
 * creel-site.xml alone. Values of other keys are not checked: mistakes in the configuration of the scheduler
 * do not stop a client. A file with invalid XML is an error. */
int conf_load_needed(const char *directory, const enum conf_key *needed, size_t count, struct conf **ret,
                     struct err *err);

/* Replaces or removes a property of the files. Texts are borrowed. */
struct conf_override {
    const char *name;
    const char *value;  /* NULL: the property is removed */
    const char *origin; /* what conf_origin returns for NAME */
};

/* Does the same as conf_load, then applies COUNT overrides to the properties, also to <final> ones. Overrides
 * have no effect unless the capacity scheduler is configured. */
int conf_load_over(const char *directory, const struct conf_override *overrides, size_t count,
                   conf_warn_fn *warn, void *context, struct conf **ret, struct err *err);

/* Does the same as conf_load, for `creel conf check`, but fails with -ENOENT whenever DIRECTORY does not
 * exist or has none of the files above. */
int conf_check(const char *directory, conf_warn_fn *warn, void *context, struct conf **ret, struct err *err);

/* Does the same as conf_load, with SIZE bytes of text instead of files. Messages name the file NAME. */
int conf_load_buffer(const char *name, const char *text, size_t size, conf_warn_fn *warn, void *context,
                     struct conf **ret, struct err *err);

/* Returns a configuration of defaults alone; for tests and simulation. */
struct conf *conf_new_defaults(void);

/* Sets one key, with the checks of a value from a file (for tests and the command line). A <final> value can
 * be changed. On error nothing has changed. Texts that CONF returned before are no longer valid. conf_verify
 * checks pairs of keys. */
int conf_set(struct conf *conf, const char *key, const char *value, struct err *err);

/* Checks relations between keys (a minimum must not exceed its maximum). conf_load calls this function; after
 * conf_set the caller must call it. Returns 0 or -EINVAL. */
int conf_verify(const struct conf *conf, struct err *err);

void conf_free(struct conf *conf); /* CONF may be NULL */

/* Return the value of KEY. The row of KEY must have the named type: otherwise the function aborts. */
int64_t conf_int(const struct conf *conf, enum conf_key key);       /* of a CONF_INT */
bool conf_bool(const struct conf *conf, enum conf_key key);         /* of a CONF_BOOL */
double conf_float(const struct conf *conf, enum conf_key key);      /* of a CONF_FLOAT */
const char *conf_text(const struct conf *conf, enum conf_key key);  /* of a CONF_TEXT, CONF_ACL or
                                                                       CONF_CHOICE; "" if that is the default;
                                                                       borrowed */
int64_t conf_ms(const struct conf *conf, enum conf_key key);        /* of a CONF_DURATION, in ms */
int64_t conf_cutoff_ms(const struct conf *conf, enum conf_key key); /* of a CONF_CUTOFF, in ms; 0 is keep */
int64_t conf_bytes(const struct conf *conf, enum conf_key key);     /* of a CONF_SIZE, in bytes */

/* Returns the value of any property by name, known or not, substituted and trimmed; NULL if no file has the
 * property (defaults are not used). For the key families of the schedulers. */
const char *conf_raw(const struct conf *conf, const char *name);

/* Does the same as conf_raw, for access lists: keeps a leading blank, which means groups only, or no user. */
const char *conf_raw_acl(const struct conf *conf, const char *name);

/* Writes where the value of NAME was set: "<file>:<line>", "default", "set"; "unset" for a name that is
 * neither in the table nor in a file. Returns TEXT. */
#define CONF_ORIGIN_MAX 4200
const char *conf_origin(const struct conf *conf, const char *name, char *text, size_t size);

/* Returns whether a file has set the value of NAME, with <final>. */
bool conf_is_final(const struct conf *conf, const char *name);

/* Returns the directory from which CONF was read; "" for defaults. */
const char *conf_loaded_from(const struct conf *conf);

/* Calls EACH for every file that was read, with those that were included. A path is relative if the
 * directory is. */
typedef void conf_file_fn(void *context, const char *path);
void conf_each_file(const struct conf *conf, conf_file_fn *each, void *context);

/* Returns the number of files read, included files not counted: 0 means only defaults. For tests. */
size_t conf_file_count(const struct conf *conf);

/* Calls EACH for every known key in table order, with the effective value, then for every other property by
 * name. For a single key: conf_show. */
typedef void conf_each_fn(void *context, const char *name, const char *value, const char *origin);
void conf_each(const struct conf *conf, conf_each_fn *each, void *context);

/* Returns the value of NAME as text; the default for a known key that is not set; NULL for an unknown name
 * that no file sets. */
const char *conf_show(const struct conf *conf, const char *name);

#endif
