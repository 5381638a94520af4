/* SPDX-License-Identifier: Apache-2.0 */
/* conf_doc.c - writes the manual of the configuration from the key table */
#include "common/conf/conf_doc.h"

#include <string.h>

#include "common/conf/key_table.h"
#include "common/conf/value.h"
#include "common/conf/yarn_keys.h"

static const char before_keys[] =
    "creel-site.xml(5)\n"
    "\n"
    "# NAME\n"
    "\n"
    "creel-site.xml, yarn-site.xml - the configuration of a creel cluster\n"
    "\n"
    "# DESCRIPTION\n"
    "\n"
    "*creel-rm*(8), *creel-nm*(8) and *creel*(1) read their configuration once, when they "
    "start, from one directory: the one given by *--conf*, else that of the first of the "
    "variables _CREEL\\_CONF\\_DIR_, _YARN\\_CONF\\_DIR_ and _HADOOP\\_CONF\\_DIR_ that is set, "
    "else _/etc/creel_. A configuration of Hadoop YARN can be used as it is.\n"
    "\n"
    "First *yarn-site.xml* is read, then *creel-site.xml* over it, and where "
    "*yarn.resourcemanager.scheduler.class* is the CapacityScheduler *capacity-scheduler.xml*(5) "
    "over both, for its own keys. The FairScheduler's queues are in *fair-scheduler.xml*(5), a file "
    "of another kind (_yarn.scheduler.fair.allocation.file_). Each may be absent; a key that none "
    "has keeps its default. *creel conf show* prints what holds and where it was set, *creel "
    "conf check* judges a directory, the queues in it too, before it is used.\n"
    "\n"
    "# SYNTAX\n"
    "\n"
    "```\n"
    "<?xml version=\"1.0\"?>\n"
    "<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">\n"
    "  <property>\n"
    "    <name>yarn.resourcemanager.hostname</name>\n"
    "    <value>rm.example.org</value>\n"
    "    <final>true</final>\n"
    "  </property>\n"
    "  <property>\n"
    "    <name>creel.resourcemanager.state-dir</name>\n"
    "    <value>${env.STATE_ROOT:-/var/lib}/creel/rm</value>\n"
    "  </property>\n"
    "  <xi:include href=\"site-local.xml\"><xi:fallback/></xi:include>\n"
    "</configuration>\n"
    "```\n"
    "\n"
    "Blanks around names and values do not count. The last of several values of a key counts, "
    "unless an earlier one was *final*. *${key}* is replaced by the value of another key, "
    "*${env.NAME}* for a variable of the environment, *${env.NAME:-text}* and "
    "*${env.NAME-text}* for the same with a text for a variable that is unset (*:-*: or "
    "empty), *${user.name}* and *${user.home}* for the user of the process; an unknown "
    "name stays as it is. Up to 20 rounds of this are made. *xi:include* reads another file, named "
    "relative to the one that includes it; *xi:fallback* is used if that file cannot be "
    "opened. A file may have 16 MiB, a value 1 MiB.\n"
    "\n"
    "A value that its key cannot have, and a key of *creel.\\** that is not below, are errors: "
    "nothing starts, and each is named with its file and line. *creel conf check* lists the keys of "
    "*yarn.\\** that creel does not act on in three groups, each with its reason: those that change what "
    "the cluster does (the daemons log these as warnings), those without an effect, and those whose value "
    "describes what creel always does. Keys of other programs are kept and not judged.\n"
    "\n"
    "# VALUES\n"
    "\n"
    "*whole number*\n"
    "\tDecimal, or hexadecimal after *0x*.\n"
    "\n"
    "*true or false*\n"
    "\tIn any case; with anything else the default holds, with a warning.\n"
    "\n"
    "*duration*\n"
    "\tA number and *ns*, *us*, *ms*, *s*, *m*, *h* or *d*; a number alone is in the unit that "
    "is given with the key.\n"
    "\n"
    "*size*\n"
    "\tA number and *k*, *m*, *g*, *t* or *p* (powers of 1024); a number alone is in bytes.\n"
    "\n"
    "*access list*\n"
    "\tUsers, separated by commas; a blank; groups, separated by commas. _\\*_ is everybody, a "
    "blank alone nobody.\n"
    "\n";

static const char families[] =
    "# KEYS OF YARN WITHOUT EFFECT\n"
    "\n"
    "creel accepts these keys, and does not act on them. A row is for the keys whose names "
    "begin so; the longest row counts.\n"
    "\n";

static const char after_keys[] = "# SEE ALSO\n"
                                 "\n"
                                 "*creel*(1), *creel-rm*(8), *creel-nm*(8), *capacity-scheduler.xml*(5), "
                                 "*fair-scheduler.xml*(5)\n";

void conf_write_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("*_\\`#|[]", *text))
            putc('\\', out);
        putc(*text, out);
    }
}

static void put_range(FILE *out, const struct conf_key_info *key)
{
    char low[CONF_VALUE_LIMIT_MAX], high[CONF_VALUE_LIMIT_MAX];

    conf_value_limit(key, key->minimum, low);
    conf_value_limit(key, key->maximum, high);
    if (key->minimum == CONF_NO_MIN)
        return;
    if (key->maximum == CONF_NO_MAX)
        fprintf(out, ", at least %s", low);
    else
        fprintf(out, ", %s to %s", low, high);
}

static void put_shape(FILE *out, const struct conf_key_info *key)
{
    fputs(conf_value_type_name(key->type), out);
    switch (key->type) {
    case CONF_DURATION:
        fprintf(out, ", a number alone: %s",
                conf_value_default_unit_ms(key->name) == 1000 ? "seconds" : "milliseconds");
        put_range(out, key);
        break;
    case CONF_INT:
    case CONF_FLOAT:
    case CONF_SIZE:
        put_range(out, key);
        break;
    case CONF_CUTOFF:
    case CONF_BOOL:
    case CONF_TEXT:
    case CONF_ACL:
    case CONF_CHOICE:
        break;
    }
}

void conf_write_keys(FILE *out)
{
    fputs("# KEYS\n\n", out);
    for (unsigned i = 0; i < CONF_KEY_COUNT; i++) {
        const struct conf_key_info *key = conf_key_info((enum conf_key)i);

        fputc('*', out);
        conf_write_text(out, key->name);
        fputs("*\n\t", out);
        conf_write_text(out, key->doc);
        fputs(" (", out);
        put_shape(out, key);
        fputs("; default: ", out);
        if (*key->default_text == '\0') {
            fputs("empty", out);
        } else {
            fputc('*', out);
            conf_write_text(out, key->default_text);
            fputc('*', out);
        }
        fputs(")\n\n", out);
    }
}

static void write_families(FILE *out)
{
    fputs(families, out);
    for (size_t i = 0; i < yarn_key_family_count(); i++) {
        const struct yarn_key_family *family = yarn_key_family_at(i);

        fputc('*', out);
        conf_write_text(out, family->prefix);
        fputs("*\n\t", out);
        conf_write_text(out, family->reason);
        if (family->as_here != NULL && *family->as_here != '\0') {
            fputs(" (*", out);
            conf_write_text(out, family->as_here);
            fputs("* is always so here)", out);
        } else if (family->effect == CONF_CHANGES) {
            fputs(" (changes what the cluster does)", out);
        }
        fputs("\n\n", out);
    }
}

void conf_write_man(FILE *out)
{
    fputs(before_keys, out);
    conf_write_keys(out);
    write_families(out);
    fputs(after_keys, out);
}
