/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dev_conf.c - makes keys and configuration of a local cluster
 *
 * yarn-site.xml has settings that the user may override: it includes the base configuration's file after
 * them, which takes precedence. creel-site.xml has required settings after the base configuration's.
 */
#include "client/cli/dev/dev.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "common/conf/conf.h"
#include "common/io/keys/keys.h"

#define LEAST_NODE_MB 256
#define WEB_USER "creel-web" /* among creel.security.proxy-users by default */
#define LEAST_VCORES 32      /* they are shares, not a limit; the scheduler counts them */

/* --- the machine's resources ----------------------------------------------- */

static int64_t available_mb(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    long long kib = 0;
    char line[256];

    while (file && fgets(line, sizeof(line), file)) {
        if (sscanf(line, "MemAvailable: %lld kB", &kib) == 1)
            break;
    }
    if (file)
        fclose(file);
    return kib / 1024;
}

/* --- files ----------------------------------------------------------------- */

static int make_directory(const char *path, struct err *err)
{
    if (mkdir(path, 0755) < 0 && errno != EEXIST)
        return err_set_errno(err, errno, "%s: cannot be made", path);
    /* Containers of other users need to pass through the directory, whatever the umask. */
    if (chmod(path, 0755) < 0)
        return err_set_errno(err, errno, "%s: cannot be opened to others", path);
    return 0;
}

static int make_directories(const struct dev *dev, int agents, struct err *err)
{
    static const char *const names[] = { "", "conf", "keys", "rm", "web", "web/conf" };
    int r;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        scoped_free char *path = *names[i] ? dev_path(dev, "%s", names[i]) : mem_strdup(dev->dir);

        if ((r = make_directory(path, err)) < 0)
            return r;
    }
    for (int i = 1; i <= agents; i++) {
        scoped_free char *path = dev_path(dev, "agent-%d", i);
        scoped_free char *conf = dev_path(dev, "agent-%d/conf", i);

        if ((r = make_directory(path, err)) < 0 || (r = make_directory(conf, err)) < 0)
            return r;
    }
    return 0;
}

/* --- XML ------------------------------------------------------------------- */

struct xml {
    char *text; /* owned */
};

static void xml_add(struct xml *xml, const char *more)
{
    char *longer = mem_printf("%s%s", xml->text, more);

    free(xml->text);
    xml->text = longer;
}

static void xml_begin(struct xml *xml, const char *comment)
{
    xml->text = mem_printf("<?xml version=\"1.0\"?>\n<!-- %s -->\n"
                           "<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">\n",
                           comment);
}

static char *xml_escape(const char *text)
{
    struct text_builder escaped = TEXT_BUILDER_MALLOC;

    for (; *text; text++) {
        char one[2] = { *text, '\0' };
        const char *safe = *text == '&'   ? "&amp;"
                           : *text == '<' ? "&lt;"
                           : *text == '>' ? "&gt;"
                           : *text == '"' ? "&quot;"
                                          : one;

        text_builder_add(&escaped, safe);
    }
    return text_builder_finish(&escaped);
}

static void xml_named(struct xml *xml, const char *name, const char *value)
{
    scoped_free char *escaped = xml_escape(value);
    scoped_free char *line =
        mem_printf("  <property><name>%s</name><value>%s</value></property>\n", name, escaped);

    xml_add(xml, line);
}

static void xml_property(struct xml *xml, enum conf_key key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void xml_property(struct xml *xml, enum conf_key key, const char *format, ...)
{
    scoped_free char *value = NULL;
    va_list args;

    va_start(args, format);
    value = mem_vprintf(format, args);
    va_end(args);
    xml_named(xml, conf_key_info(key)->name, value);
}

static void xml_include(struct xml *xml, const char *path)
{
    scoped_free char *escaped = xml_escape(path);
    scoped_free char *line = mem_printf("  <xi:include href=\"%s\"/>\n", escaped);

    if (access(path, F_OK) == 0)
        xml_add(xml, line);
}

static int xml_write(struct xml *xml, const char *path, struct err *err)
{
    int r;

    xml_add(xml, "</configuration>\n");
    r = dev_write_file(path, xml->text, err);
    free(xml->text);
    xml->text = NULL;
    return r;
}

static void include_base(struct xml *xml, const char *base_conf, const char *file)
{
    scoped_free char *absolute = base_conf ? realpath(base_conf, NULL) : NULL;
    scoped_free char *path = absolute ? mem_printf("%s/%s", absolute, file) : NULL;

    if (path)
        xml_include(xml, path);
}

/* Refers to the base configuration's own file of KEY, so that the user can change that file. */
static void name_file(struct xml *xml, const struct conf *conf, const char *base_conf, enum conf_key key)
{
    const char *name = conf_text(conf, key);
    scoped_free char *path = NULL;

    if (*name == '\0' || *name == '/' || strstr(name, "://") != NULL)
        return;
    path = mem_printf("%s/%s", base_conf, name);
    if (access(path, R_OK) == 0)
        xml_property(xml, key, "%s", path);
}

/* --- the cluster's configuration ------------------------------------------- */

static int write_usual(const struct dev *dev, int agents, const char *base_conf, struct err *err)
{
    scoped_free char *path = dev_path(dev, "conf/yarn-site.xml");
    int64_t node_mb = available_mb() * 8 / 10 / agents;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t vcores = cores > LEAST_VCORES ? cores : LEAST_VCORES;
    struct xml xml;

    if (node_mb < LEAST_NODE_MB)
        node_mb = LEAST_NODE_MB;
    xml_begin(&xml, "made by creel dev up: what may be otherwise");
    xml_property(&xml, CONF_MIN_ALLOCATION_MB, "16");
    xml_property(&xml, CONF_INCREMENT_ALLOCATION_MB, "16");
    xml_property(&xml, CONF_MAX_ALLOCATION_MB, "%lld", (long long)node_mb);
    xml_property(&xml, CONF_MAX_ALLOCATION_VCORES, "%lld", (long long)vcores);
    xml_property(&xml, CONF_NM_MEMORY_MB, "%lld", (long long)node_mb);
    xml_property(&xml, CONF_NM_VCORES, "%lld", (long long)vcores);
    /* More vcores than processors are intended here, so that jobs of several vcores can be tried anywhere. */
    xml_property(&xml, CONF_NM_CORES_MULTIPLIER, "%lld", (long long)vcores);
    xml_property(&xml, CONF_NM_ALLOWED_USERS, "root");
    /* On a personal machine, a disk that is 95 % full must still be usable. */
    xml_property(&xml, CONF_NM_DISK_PERCENT, "100");
    /* A configuration that was given decides this itself, also by leaving it out. */
    if (base_conf == NULL)
        xml_named(&xml, "yarn.scheduler.capacity.resource-calculator",
                  "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
    include_base(&xml, base_conf, "yarn-site.xml");
    return xml_write(&xml, path, err);
}

/* FILE of the base configuration, if present, is included from its place, so that the user can change and
 * reload it. DIR is the directory of the file that includes it. */
static int write_including(const struct dev *dev, const char *dir, const char *base_conf, const char *file,
                           struct err *err)
{
    scoped_free char *name = mem_printf("%s/%s", dir, file);
    scoped_free char *path = dev_path(dev, "%s", name);
    scoped_free char *base = base_conf ? mem_printf("%s/%s", base_conf, file) : NULL;
    struct xml xml;

    if (base == NULL || access(base, R_OK) < 0)
        return 0;
    xml_begin(&xml, "made by creel dev up: as in the configuration it was given");
    include_base(&xml, base_conf, file);
    return xml_write(&xml, path, err);
}

/* Names the files that are in the base configuration's directory if their names are relative. The base
 * configuration alone may not be valid: the directory of DEV has what it leaves open, too. */
static int name_files(struct xml *xml, const struct dev *dev, const char *base_conf, struct err *err)
{
    static const enum conf_key keys[] = { CONF_FAIR_ALLOCATION_FILE, CONF_NODES_INCLUDE_PATH,
                                          CONF_NODES_EXCLUDE_PATH };
    scoped_free char *absolute = base_conf ? realpath(base_conf, NULL) : NULL;
    scoped_free char *dir = dev_path(dev, "conf"), *path = dev_path(dev, "conf/creel-site.xml");
    struct conf *conf = NULL;
    int r;

    if (absolute == NULL)
        return 0;
    if ((r = write_including(dev, "conf", base_conf, "creel-site.xml", err)) < 0)
        return r;
    r = conf_load(dir, NULL, NULL, &conf, err);
    (void)unlink(path); /* when it is there, the configuration is complete */
    if (r < 0)
        return -EBADMSG;
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        name_file(xml, conf, absolute, keys[i]);
    conf_free(conf);
    return 0;
}

static int write_forced(const struct dev *dev, const char *base_conf, struct dev_ports *ports,
                        struct err *err)
{
    scoped_free char *path = dev_path(dev, "conf/creel-site.xml");
    struct xml xml;
    int r;

    xml_begin(&xml, "made by creel dev up: what must be so");
    include_base(&xml, base_conf, "creel-site.xml");
    if ((r = name_files(&xml, dev, base_conf, err)) < 0) {
        free(xml.text);
        return r;
    }
    xml_property(&xml, CONF_RM_HOSTNAME, "127.0.0.1");
    for (size_t i = 0; i < DEV_RM_PORTS; i++)
        xml_property(&xml, dev_rm_addresses[i].key, "127.0.0.1:%d",
                     dev_ports_choose(ports, dev_rm_addresses[i].usual));
    xml_property(&xml, CONF_KEY_DIR, "%s/keys", dev->dir);
    xml_property(&xml, CONF_USER_KEY, "%s", "");
    xml_property(&xml, CONF_RM_STATE_DIR, "%s/rm/state", dev->dir);
    return xml_write(&xml, path, err);
}

static int write_queues(const struct dev *dev, const char *base_conf, struct err *err)
{
    int r = write_including(dev, "conf", base_conf, "capacity-scheduler.xml", err);

    return r < 0 ? r : write_including(dev, "conf", base_conf, "resource-types.xml", err);
}

static int write_offers(const struct dev *dev, int agent, const char *base_conf, struct err *err)
{
    scoped_free char *dir = mem_printf("agent-%d/conf", agent);
    int r = write_including(dev, dir, base_conf, "resource-types.xml", err);

    return r < 0 ? r : write_including(dev, dir, base_conf, "node-resources.xml", err);
}

static int write_agent(const struct dev *dev, int agent, struct dev_ports *ports, struct err *err)
{
    scoped_free char *path = dev_path(dev, "agent-%d/conf/creel-site.xml", agent);
    scoped_free char *common = dev_path(dev, "conf/creel-site.xml");
    scoped_free char *usual = dev_path(dev, "conf/yarn-site.xml");
    struct xml xml;

    xml_begin(&xml, "made by creel dev up: one agent");
    xml_include(&xml, usual);
    xml_include(&xml, common);
    xml_property(&xml, CONF_NM_HOSTNAME, "127.0.0.1");
    xml_property(&xml, CONF_NM_ADDRESS, "127.0.0.1:%d",
                 dev_ports_choose(ports, agent == 1 ? 8041 : 8041 + agent));
    xml_property(&xml, CONF_NM_WEB_ADDRESS, "127.0.0.1:%d", dev_ports_choose(ports, 8042));
    xml_property(&xml, CONF_NM_WEB_HTTPS_ADDRESS, "${%s}", conf_key_info(CONF_NM_WEB_ADDRESS)->name);
    xml_property(&xml, CONF_NM_STATE_DIR, "%s/agent-%d/state", dev->dir, agent);
    xml_property(&xml, CONF_NM_LOCAL_DIRS, "%s/agent-%d/local", dev->dir, agent);
    xml_property(&xml, CONF_NM_LOG_DIRS, "%s/agent-%d/logs", dev->dir, agent);
    xml_property(&xml, CONF_NM_CGROUP_ROOT, "/%s-%d", dev->cgroup, agent);
    return xml_write(&xml, path, err);
}

static int write_web(const struct dev *dev, struct dev_ports *ports, struct err *err)
{
    scoped_free char *path = dev_path(dev, "web/conf/creel-site.xml");
    scoped_free char *common = dev_path(dev, "conf/creel-site.xml");
    scoped_free char *usual = dev_path(dev, "conf/yarn-site.xml");
    struct xml xml;

    if (access(path, F_OK) == 0)
        return 0;
    xml_begin(&xml, "made by creel dev up: the web pages");
    xml_include(&xml, usual);
    xml_include(&xml, common);
    xml_property(&xml, CONF_WEB_ADDRESS, "127.0.0.1:%d", dev_ports_choose(ports, 8088));
    xml_property(&xml, CONF_WEB_HTTPS_ADDRESS, "${%s}", conf_key_info(CONF_WEB_ADDRESS)->name);
    xml_property(&xml, CONF_USER_KEY, "%s/keys/users/" WEB_USER, dev->dir);
    return xml_write(&xml, path, err);
}

/* --- keys ------------------------------------------------------------------ */

static int make_key(const char *keys, enum key_owner owner, const char *name, struct err *err)
{
    struct err why = { 0 };
    int r = key_make(keys, owner, name, &why);

    if (r < 0 && r != -EEXIST) {
        if (err)
            *err = why;
        return r;
    }
    return 0;
}

static int make_user_key(const char *keys, const struct passwd *user, struct err *err)
{
    scoped_free char *secret = mem_printf("%s/users/%s_secret", keys, user->pw_name);
    int r = make_key(keys, KEY_USER, user->pw_name, err);

    if (r == 0 && chown(secret, user->pw_uid, user->pw_gid) < 0)
        return err_set_errno(err, errno, "%s: cannot be given to its owner", secret);
    return r;
}

static int make_keys(const struct dev *dev, struct err *err)
{
    scoped_free char *keys = dev_path(dev, "keys");
    scoped_free char *users = dev_path(dev, "keys/users");
    const char *sudo = getenv("SUDO_USER");
    struct passwd *user;
    int r;

    if ((r = make_key(keys, KEY_RM, NULL, err)) < 0 || (r = make_key(keys, KEY_AGENT, "default", err)) < 0 ||
        (r = make_key(keys, KEY_USER, WEB_USER, err)) < 0)
        return r;
    user = getpwuid(geteuid());
    if (user && (r = make_user_key(keys, user, err)) < 0)
        return r;
    user = sudo && *sudo ? getpwnam(sudo) : NULL;
    if (user && (r = make_user_key(keys, user, err)) < 0)
        return r;
    return make_directory(users, err);
}

/* --- the whole configuration ----------------------------------------------- */

static int judge(const struct dev *dev, int agent, struct err *err)
{
    scoped_free char *dir = dev_daemon_conf(dev, agent);
    struct conf *conf = NULL;
    int r = conf_load(dir, NULL, NULL, &conf, err);

    conf_free(conf);
    return r < 0 ? -EBADMSG : 0;
}

static int write_all(struct dev *dev, int agents, const char *base_conf, struct err *err)
{
    struct dev_ports ports;
    scoped_free char *site = dev_path(dev, "conf/creel-site.xml");
    bool fresh = access(site, F_OK) < 0;
    int r;

    dev_ports_init(&ports, dev);
    if (fresh &&
        ((r = write_usual(dev, agents, base_conf, err)) < 0 || (r = write_queues(dev, base_conf, err)) < 0 ||
         (r = write_forced(dev, base_conf, &ports, err)) < 0))
        return r;
    if ((r = write_web(dev, &ports, err)) < 0)
        return r;
    for (int i = dev->agents + 1; i <= agents; i++) {
        if ((r = write_agent(dev, i, &ports, err)) < 0 || (r = write_offers(dev, i, base_conf, err)) < 0)
            return r;
        dev->agents = i;
    }
    return 0;
}

static int make_all(struct dev *dev, int agents, const char *base_conf, struct err *err)
{
    scoped_free char *marker = dev_path(dev, "creel-dev");
    int r;

    if ((r = make_directories(dev, agents, err)) < 0 ||
        (r = dev_write_file(marker, "made by creel dev up; creel dev down removes all of it\n", err)) < 0 ||
        (r = make_keys(dev, err)) < 0 || (r = write_all(dev, agents, base_conf, err)) < 0)
        return r;
    for (int i = 0; i < dev_count(dev); i++) {
        if ((r = judge(dev, dev_nth(dev, i), err)) < 0)
            return r;
    }
    return 0;
}

int dev_conf_make(struct dev *dev, int agents, const char *base_conf, struct err *err)
{
    bool is_new = !dev_exists(dev);
    struct err ignored = { 0 };
    int r;

    if ((r = dev_judge(dev, err)) < 0)
        return r;
    if (is_new && access(dev->dir, F_OK) == 0 && rmdir(dev->dir) < 0)
        return err_set(err, EEXIST, "%s: exists and is not a cluster's; choose another --dir", dev->dir);
    if (base_conf && access(base_conf, R_OK | X_OK) < 0) {
        err_set_errno(err, errno, "--conf %s", base_conf);
        return -EBADMSG;
    }
    r = make_all(dev, agents, base_conf, err);
    if (r < 0 && is_new)
        dev_remove_directory(dev, &ignored); /* so that the next dev up begins anew */
    return r;
}
