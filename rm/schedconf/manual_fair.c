/* SPDX-License-Identifier: Apache-2.0 */
/* manual_fair.c - writes fair-scheduler.xml(5) from the table of elements */
#include <stdbool.h>

#include "common/conf/conf_doc.h"
#include "rm/sched/fair/element_table.h"
#include "rm/schedconf/manual.h"

static const char before[] =
    "fair-scheduler.xml(5)\n"
    "\n"
    "# NAME\n"
    "\n"
    "fair-scheduler.xml - queues of the fair scheduler\n"
    "\n"
    "# DESCRIPTION\n"
    "\n"
    "The allocation file of YARN's FairScheduler: its queues, their limits, and in which queue a "
    "submission goes. An allocation file of Hadoop YARN can be used as it is. *creel-rm*(8) reads it if "
    "*yarn.resourcemanager.scheduler.class* is the FairScheduler. The file is "
    "_fair-scheduler.xml_ in the configuration directory, or that of "
    "*yarn.scheduler.fair.allocation.file* (see *creel-site.xml*(5), which also has the other keys of "
    "this scheduler).\n"
    "\n"
    "The file is read again when it has changed, and by *creel admin refresh queues*. A broken file is "
    "refused as a whole, and the queues stay as they were; *creel conf check* reports every "
    "problem with its line before that. An element that is not described here gets a warning and has no "
    "effect.\n"
    "\n"
    "```\n"
    "<?xml version=\"1.0\"?>\n"
    "<allocations>\n"
    "  <queue name=\"production\">\n"
    "    <minResources>40960 mb, 20 vcores</minResources>\n"
    "    <weight>3</weight>\n"
    "    <queue name=\"etl\"/>\n"
    "    <queue name=\"reports\"/>\n"
    "  </queue>\n"
    "  <queue name=\"adhoc\" type=\"parent\">\n"
    "    <maxChildResources>25% memory, 25% cpu</maxChildResources>\n"
    "  </queue>\n"
    "  <queueMaxAppsDefault>50</queueMaxAppsDefault>\n"
    "  <queuePlacementPolicy>\n"
    "    <rule name=\"specified\" create=\"false\"/>\n"
    "    <rule name=\"nestedUserQueue\"><rule name=\"default\" queue=\"adhoc\"/></rule>\n"
    "  </queuePlacementPolicy>\n"
    "</allocations>\n"
    "```\n"
    "\n"
    "An access list has users, separated by commas; a blank; groups, separated by commas. _\\*_ is "
    "everybody, a blank alone nobody.\n"
    "\n";

static const char queues[] =
    "# QUEUES\n"
    "\n"
    "A *<queue>* has a *name* without a period, and may have further queues inside. Its path is _root_ "
    "and the names down to it, with periods between them. *<queue name=\"root\">*, if there is "
    "one, holds all others. A queue without queues inside runs applications, unless it has the "
    "attribute *type=\"parent\"*. These elements may be inside:\n"
    "\n";

static const char placement[] =
    "# PLACEMENT\n"
    "\n"
    "*<queuePlacementPolicy>* has elements *<rule>*. The first rule that gives a queue decides. The "
    "attribute *create=\"false\"* lets a rule only give queues of this file; otherwise a queue that "
    "does not exist is created. The user and group rules take one rule inside, which gives the queue "
    "to put theirs below. Without a policy *yarn.scheduler.fair.user-as-default-queue* and "
    "*yarn.scheduler.fair.allow-undeclared-pools* count. The attribute *name* of a rule is one of:\n"
    "\n";

static const char after[] = "# SEE ALSO\n"
                            "\n"
                            "*creel-site.xml*(5), *capacity-scheduler.xml*(5), *creel-rm*(8), *creel*(1)\n";

static void write_element(FILE *out, const char *name, const char *doc, const char *values)
{
    fputc('*', out);
    conf_write_text(out, name);
    fputs("*\n\t", out);
    conf_write_text(out, doc);
    if (values) {
        fputs(" (", out);
        conf_write_text(out, values);
        fputc(')', out);
    }
    fputs("\n\n", out);
}

void manual_write_fair(FILE *out)
{
    fputs(before, out);
    fputs("# TOP OF THE FILE\n\nInside of *<allocations>*:\n\n", out);
#define TOP(name, values, doc) write_element(out, name, doc, values);
    FAIR_TOP_ELEMENTS(TOP)
#undef TOP
    fputs(queues, out);
#define ELEMENT(name, read, given, values, doc) write_element(out, name, doc, values);
    FAIR_QUEUE_ELEMENTS(ELEMENT)
#undef ELEMENT
    fputs(placement, out);
#define RULE(constant, name, end, takes_inner, may_be_inner, doc) \
    write_element(out, name, doc, takes_inner ? "may have a rule inside" : NULL);
    FAIR_RULES(RULE)
#undef RULE
    fputs(after, out);
}
