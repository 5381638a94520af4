/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf.h - the configuration of a cluster: Hadoop's files, one table of keys
 *
 * A configuration is read once from a directory and is then immutable. Every
 * key that creel knows is a row of one table (key_table.h): name, type,
 * default, range, one line of documentation. The parser, `creel conf show`
 * and the man page come from that table, so they cannot disagree.
 *
 * Files; a later one overrides an earlier one, unless that has <final>:
 *   yarn-site.xml, resource-types.xml (of which yarn.resource-types* counts),
 *   node-resources.xml (yarn.nodemanager.resource-type.*), creel-site.xml, and
 *   capacity-scheduler.xml if the scheduler (yarn.resourcemanager.scheduler.class) is
 *   the capacity scheduler; of this file, yarn.scheduler.*,
 *   yarn.resourcemanager.monitor.capacity.* and keys that creel does not know are used.
 * All files may be absent: then every key has its default.
 * Syntax: Hadoop's (yarn-behaviour 1.2): configuration/property/{name,value,
 * final}, names and values trimmed, last duplicate wins, ${key}, ${env.NAME},
 * ${env.NAME:-default} and ${env.NAME-default} up to 20 rounds, XInclude.
 * ${user.name} and ${user.home} are those of this process.
 * Reading is all or nothing, and needs no state outside of struct conf.
 */
#ifndef CREEL_CONF_H
#define CREEL_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/conf/key_table.h"

struct conf;                            /* opaque; owned by the caller of conf_load */

/* Called once for each warning (unknown yarn.* key and the like), at load. */
typedef void conf_warn_fn(void *context, const char *text);

/* The directory to read: FLAG (--conf) if not NULL, else the first of
 * CREEL_CONF_DIR, YARN_CONF_DIR, HADOOP_CONF_DIR that is set and not empty,
 * else /etc/creel. Borrowed; valid until the environment changes. */
const char *conf_directory(const char *flag);

/* Read DIRECTORY whole and judge every value against the key table. All errors
 * are found, not just the first: ERR's text has one per line, the first 20 of
 * them, then "... and N more".
 *   <file>:<line>: <key>: "<value>": expected <what>
 *   <file>:<line>: creel.x.y: unknown key [, did you mean creel.x.z?]
 *   <file>:<line>: <key>: 4096 is above <other key>, 1024 (<file>:<line>)
 *   <file>:<line>:<column>: <expat's message>: <the line itself>
 * -ENOENT the directory does not exist (unless it is the default /etc/creel);
 * -EINVAL something in it is wrong; other -errno: it cannot be read.
 * Warnings, one call of WARN each (it may be NULL), in the order of the files:
 * keys of yarn.* on which creel does not act, a boolean that is neither true
 * nor false, an override of a final value, elements that are passed over, a
 * variable that nobody knows. Keys of others (hadoop.*, dfs.*) are kept silently. */
int conf_load(const char *directory, conf_warn_fn *warn, void *context,
              struct conf **ret, struct err *err);

/* As conf_load, for `creel conf check`: a DIRECTORY that does not exist or has
 * none of the files above is an error, -ENOENT. */
int conf_check(const char *directory, conf_warn_fn *warn, void *context,
               struct conf **ret, struct err *err);

/* As conf_load, of SIZE bytes of text as if they were the file NAME. */
int conf_load_buffer(const char *name, const char *text, size_t size, conf_warn_fn *warn,
                     void *context, struct conf **ret, struct err *err);

/* Only defaults; for tests and simulation. */
struct conf *conf_new_defaults(void);

/* Set one key, as a file would (tests, command line). The same checks apply; <final> does not
 * prevent it. On error nothing has changed. Texts that CONF returned before are no longer valid.
 * Checks of two keys together are in conf_verify. */
int conf_set(struct conf *conf, const char *key, const char *value, struct err *err);

/* What must hold between keys (a minimum not above its maximum). conf_load does
 * this itself; after conf_set it is the caller's to do. 0 or -EINVAL. */
int conf_verify(const struct conf *conf, struct err *err);

void conf_free(struct conf *conf);      /* NULL is fine */

/* Values by the typed rows of the table. KEY must be in the table with that
 * type: anything else is a bug and aborts. */
int64_t conf_int(const struct conf *conf, enum conf_key key);       /* CONF_INT */
bool conf_bool(const struct conf *conf, enum conf_key key);         /* CONF_BOOL */
double conf_float(const struct conf *conf, enum conf_key key);      /* CONF_FLOAT */
const char *conf_text(const struct conf *conf, enum conf_key key);  /* CONF_TEXT, CONF_ACL,
                                        CONF_CHOICE; "" if that is the default; borrowed */
int64_t conf_ms(const struct conf *conf, enum conf_key key);        /* CONF_DURATION */
int64_t conf_cutoff_ms(const struct conf *conf, enum conf_key key); /* CONF_CUTOFF */
int64_t conf_bytes(const struct conf *conf, enum conf_key key);     /* CONF_SIZE */

/* Any property by name, known or not, substituted and trimmed; NULL if no file
 * has it (defaults are not consulted). For the schedulers' own families. */
const char *conf_raw(const struct conf *conf, const char *name);

/* As conf_raw, for access lists: a leading blank stays (groups only, or nobody). */
const char *conf_raw_acl(const struct conf *conf, const char *name);

/* Where the value of NAME was set: "<file>:<line>", "default", "set"; "unset"
 * for a name that is neither in the table nor in a file. Returns TEXT. */
#define CONF_ORIGIN_MAX 4200
const char *conf_origin(const struct conf *conf, const char *name, char *text, size_t size);

/* The directory it was read from; "" for defaults. */
const char *conf_loaded_from(const struct conf *conf);

/* How many files were read, includes not counted: 0 means only defaults. */
size_t conf_file_count(const struct conf *conf);

/* Call EACH for every known key in table order, with the value that holds, then
 * for every other property by name. For one key: conf_show. */
typedef void conf_each_fn(void *context, const char *name, const char *value, const char *origin);
void conf_each(const struct conf *conf, conf_each_fn *each, void *context);

/* The value of NAME as text, known (then its default counts) or not; NULL if
 * NAME is neither. */
const char *conf_show(const struct conf *conf, const char *name);

#endif
