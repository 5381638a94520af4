/* SPDX-License-Identifier: Apache-2.0 */
/* manual_capacity.c - writes capacity-scheduler.xml(5) from the table of keys */
#include <inttypes.h>
#include <string.h>

#include "common/conf/conf_doc.h"
#include "rm/sched/capacity/config/key_table.h"
#include "rm/schedconf/manual.h"

static const char before[] =
    "capacity-scheduler.xml(5)\n"
    "\n"
    "# NAME\n"
    "\n"
    "capacity-scheduler.xml - queues of the capacity scheduler\n"
    "\n"
    "# DESCRIPTION\n"
    "\n"
    "The queues of YARN's CapacityScheduler, their capacities and limits. A file of Hadoop YARN can be "
    "used as it is. *creel-rm*(8) reads it from the configuration directory if "
    "*yarn.resourcemanager.scheduler.class* is the CapacityScheduler, in the syntax of "
    "*creel-site.xml*(5), which also has the keys of preemption and of node labels.\n"
    "\n"
    "*creel admin refresh queues* has the file read again. A file with an error is refused as a whole, "
    "and the queues stay as they were; *creel conf check* reports every problem with its line before "
    "that. A key that is not described here gets a warning and has no effect.\n"
    "\n"
    "```\n"
    "<configuration>\n"
    "  <property><name>yarn.scheduler.capacity.root.queues</name>\n"
    "    <value>production,adhoc</value></property>\n"
    "  <property><name>yarn.scheduler.capacity.root.production.capacity</name>\n"
    "    <value>70</value></property>\n"
    "  <property><name>yarn.scheduler.capacity.root.adhoc.capacity</name>\n"
    "    <value>30</value></property>\n"
    "  <property><name>yarn.scheduler.capacity.root.adhoc.maximum-capacity</name>\n"
    "    <value>50</value></property>\n"
    "</configuration>\n"
    "```\n"
    "\n"
    "# QUEUES\n"
    "\n"
    "The queue *root* is the whole cluster. Its key *queues* names the queues below it, and so on "
    "down. The path of a queue is its name behind that of the queue above it and a period: "
    "_root.production_. Queues without queues below them run applications.\n"
    "\n"
    "The capacities of the queues below one queue are all percentages, which add up to 100, or all "
    "weights, or all amounts of resources (but see *legacy-queue-mode.enabled*). "
    "A queue may use more than its capacity, up to *maximum-capacity*, while others do not need theirs. "
    "Where nodes have labels, it has one capacity of the nodes without label, and one for each "
    "label.\n"
    "\n"
    "# KEYS OF THE SCHEDULER\n"
    "\n";

static const char of_queue[] = "# KEYS OF A QUEUE\n"
                               "\n"
                               "_QUEUE_ is *yarn.scheduler.capacity.* and the path of the queue.\n"
                               "\n";

static const char without_effect[] =
    "# KEYS WITHOUT EFFECT\n"
    "\n"
    "creel accepts these keys of YARN and does not act on them. *creel conf check* shows in three groups "
    "what that means for the value. A value that changes what the cluster does is logged as a warning, too.\n"
    "\n";

static const char after[] = "# SEE ALSO\n"
                            "\n"
                            "*creel-site.xml*(5), *fair-scheduler.xml*(5), *creel-rm*(8), *creel*(1)\n";

static bool is_of_queue(const struct capacity_key_info *row)
{
    return row->scope != CAPACITY_ALL && row->scope != CAPACITY_SITE;
}

/* Writes the name of a key: "*yarn.scheduler.capacity.NAME*", or "_QUEUE_*.NAME*". BETWEEN is inserted before
 * NAME. */
static void write_name(FILE *out, const struct capacity_key_info *row, const char *between)
{
    fputs(is_of_queue(row)             ? "_QUEUE_*."
          : row->scope == CAPACITY_ALL ? "*yarn.scheduler.capacity."
                                       : "*",
          out);
    conf_write_text(out, between);
    conf_write_text(out, row->name);
    fputs(row->scope == CAPACITY_TEMPLATE ? "*_KEY_" : "*", out);
}

static void write_number(FILE *out, const struct capacity_key_info *row, double number)
{
    if (number >= CAPACITY_NO_LIMIT)
        fputs("no limit", out);
    else if (row->type == CAPACITY_TYPE_BOOL || row->type == CAPACITY_TYPE_CREATION)
        fputs(number > 0 ? "*true*" : "*false*", out);
    else if (row->type == CAPACITY_TYPE_SECONDS)
        fprintf(out, "*%.10gs*", number / 1000);
    else
        fprintf(out, "*%.10g*", number);
}

static bool is_number(const struct capacity_key_info *row)
{
    return row->minimum < row->maximum && row->type != CAPACITY_TYPE_BOOL &&
           row->type != CAPACITY_TYPE_CREATION && row->type != CAPACITY_TYPE_OFFSWITCH;
}

static void write_shape(FILE *out, const struct capacity_key_info *row)
{
    static const char *const shown[] = {
#define SHOWN(constant, reader, values) values,
        CAPACITY_TYPES(SHOWN)
#undef SHOWN
    };
    bool bounded = row->maximum < INT32_MAX;

    conf_write_text(out, shown[row->type]);
    if (is_number(row) && bounded)
        fprintf(out, ", %" PRId64 " to %" PRId64, row->minimum, row->maximum);
    else if (is_number(row) && row->minimum > INT32_MIN)
        fprintf(out, ", at least %" PRId64, row->minimum);
}

static void write_default(FILE *out, const struct capacity_key_info *row)
{
    bool has_one = row->size > 0 || row->type == CAPACITY_TYPE_BOOL;

    if (has_one || row->inherits != CAPACITY_DEFAULT)
        fputs("; default: ", out);
    if (row->inherits == CAPACITY_PARENT)
        fputs("that of the queue above it", out);
    if (row->inherits == CAPACITY_EVERY) {
        fputs("that of *yarn.scheduler.capacity.", out);
        conf_write_text(out, row->name);
        fputs("*, else ", out);
    }
    if (has_one && row->inherits != CAPACITY_PARENT)
        write_number(out, row, row->usual);
}

static void write_row(FILE *out, const struct capacity_key_info *row)
{
    write_name(out, row, "");
    if (row->scope == CAPACITY_LABEL) {
        fputs(", ", out);
        write_name(out, row, "accessible-node-labels.<label>.");
    }
    fputs("\n\t", out);
    conf_write_text(out, row->doc);
    fputs(" (", out);
    write_shape(out, row);
    write_default(out, row);
    fputs(")\n\n", out);
}

void manual_write_capacity(FILE *out)
{
    const struct capacity_key_info *row, *own = capacity_keys + CAPACITY_KEY_COUNT;

    fputs(before, out);
    for (row = capacity_keys; row < own; row++)
        if (!is_of_queue(row))
            write_row(out, row);
    fputs(of_queue, out);
    for (row = capacity_keys; row < own; row++)
        if (is_of_queue(row))
            write_row(out, row);
    fputs(without_effect, out);
    for (row = own; row < capacity_keys + CAPACITY_ROW_COUNT; row++) {
        write_name(out, row, "");
        fputs("\n\t", out);
        conf_write_text(out, row->doc);
        fputs("\n\n", out);
    }
    fputs(after, out);
}
