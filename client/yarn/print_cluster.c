/* SPDX-License-Identifier: Apache-2.0 */
/* print_cluster.c - nodes and queues as YARN's commands print them */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/yarn/format.h"
#include "client/yarn/print.h"
#include "common/base/mem.h"
#include "yarn/node.h"
#include "yarn/queue.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- nodes ------------------------------------------------------------------- */

static const char *state_of(const struct creel_node *node)
{
    return yarn_node_state((Creel__NodeState)node->state);
}

/* Prints a number of processors as Java prints a float of this size: "0.0", "1.5", "2.004". */
static void print_processors(FILE *out, uint32_t millicores)
{
    char text[FORMAT_MAX];
    size_t length = (size_t)snprintf(text, sizeof(text), "%u.%03u", millicores / 1000, millicores % 1000);

    while (text[length - 1] == '0' && text[length - 2] != '.')
        text[--length] = '\0';
    fprintf(out, "%s\n", text);
}

/* Agents do not measure virtual memory: VMem is the physical memory of the node, and 0 for containers. */
static void print_utilization(FILE *out, const struct creel_node *node)
{
    int64_t used_mb = yarn_node_used_mb(node->node_memory_bytes, node->used_memory_bytes);

    fprintf(out,
            "\tResource Utilization by Node : PMem:%" PRId64 " MB, VMem:%" PRId64 " MB, VCores:", used_mb,
            used_mb);
    print_processors(out, node->node_cpu_millicores);
    fprintf(out, "\tResource Utilization by Containers : PMem:%" PRIu64 " MB, VMem:0 MB, VCores:",
            node->containers_memory_bytes >> 20);
    print_processors(out, node->cpu_millicores);
}

static void print_node_details(FILE *out, const struct creel_node *node)
{
    char text[FORMAT_AMOUNTS_MAX];

    fputs("Detailed Node Information :\n", out);
    fprintf(out, "\tConfigured Resources : %s\n", format_amounts(&node->total, text));
    fprintf(out, "\tAllocated Resources : %s\n", format_amounts(&node->used, text));
    print_utilization(out, node);
    fprintf(out, "\tNode-Labels : %s\n", node->label);
}

void print_node_list(FILE *out, const struct creel_node *const *nodes, size_t count, bool details)
{
    static const int widths[] = { 16, 15, 17, 28 };
    static const char *const titles[COUNT(widths)] = { "Node-Id", "Node-State", "Node-Http-Address",
                                                       "Number-of-Running-Containers" };

    fprintf(out, "Total Nodes:%zu\n", count);
    format_row(out, widths, COUNT(widths), titles);
    for (size_t i = 0; i < count; i++) {
        char containers[FORMAT_MAX];
        const char *cells[COUNT(widths)] = { nodes[i]->id, state_of(nodes[i]), nodes[i]->http_address,
                                             containers };

        snprintf(containers, sizeof(containers), "%u", nodes[i]->containers);
        format_row(out, widths, COUNT(widths), cells);
        if (details)
            print_node_details(out, nodes[i]);
    }
}

void print_node(FILE *out, const struct creel_node *node)
{
    char date[FORMAT_MAX];

    fputs("Node Report : \n", out);
    fprintf(out, "\tNode-Id : %s\n", node->id);
    fprintf(out, "\tRack : %s\n", node->rack);
    fprintf(out, "\tNode-State : %s\n", state_of(node));
    fprintf(out, "\tNode-Http-Address : %s\n", node->http_address);
    fprintf(out, "\tLast-Health-Update : %s\n", format_health_date(node->last_heartbeat_ms, date));
    fprintf(out, "\tHealth-Report : %s\n", node->health_report);
    fprintf(out, "\tContainers : %u\n", node->containers);
    fprintf(out, "\tMemory-Used : %" PRId64 "MB\n", node->used.memory_mb);
    fprintf(out, "\tMemory-Capacity : %" PRId64 "MB\n", node->total.memory_mb);
    fprintf(out, "\tCPU-Used : %" PRId64 " vcores\n", node->used.vcores);
    fprintf(out, "\tCPU-Capacity : %" PRId64 " vcores\n", node->total.vcores);
    fprintf(out, "\tNode-Labels : %s\n", node->label);
    fputs("\tNode Attributes : \n", out);
    print_utilization(out, node);
    fputc('\n', out);
}

/* --- queues ------------------------------------------------------------------ */

static const char *queue_name(const struct creel_queue *queue)
{
    const char *dot = strrchr(queue->path, '.');

    return dot != NULL ? dot + 1 : queue->path;
}

static void print_labels(FILE *out, const struct creel_queue *queue)
{
    fputs("\tAccessible Node Labels : ", out);
    for (size_t i = 0; queue->labels[i] != NULL; i++)
        fprintf(out, "%s%s", i > 0 ? "," : "", queue->labels[i]);
    fputc('\n', out);
}

void print_queue(FILE *out, const struct creel_queue *queue)
{
    char text[FORMAT_MAX];

    fputs("Queue Information : \n", out);
    fprintf(out, "Queue Name : %s\n", queue_name(queue));
    fprintf(out, "Queue Path : %s\n", queue->path);
    fprintf(out, "\tState : %s\n", queue->state);
    fprintf(out, "\tCapacity : %s%%\n", format_decimal(queue->capacity * 100, text));
    fprintf(out, "\tCurrent Capacity : %s%%\n", format_decimal(queue->used_capacity * 100, text));
    fprintf(out, "\tMaximum Capacity : %s%%\n", format_decimal(queue->max_capacity * 100, text));
    fprintf(out, "\tWeight : %s\n", format_decimal(queue->weight, text));
    fprintf(out, "\tMaximum Parallel Apps : %" PRId64 "\n", yarn_running_limit(queue->max_parallel_apps));
    fprintf(out, "\tDefault Node Label expression : %s\n",
            *queue->default_label ? queue->default_label : "<DEFAULT_PARTITION>");
    print_labels(out, queue);
    fprintf(out, "\tPreemption : %s\n", queue->preemption ? "enabled" : "disabled");
    fprintf(out, "\tIntra-queue Preemption : %s\n", queue->intra_queue_preemption ? "enabled" : "disabled");
}

#define QUEUE_COLUMNS 8

struct queue_row {
    const char *cells[QUEUE_COLUMNS];
    char texts[5][FORMAT_MAX];
};

static void put_percent(double fraction, char text[FORMAT_MAX])
{
    size_t length = strlen(format_decimal(fraction * 100, text));

    snprintf(text + length, FORMAT_MAX - length, "%%");
}

static void fill_row(struct queue_row *row, const struct creel_queue *queue)
{
    put_percent(queue->capacity, row->texts[0]);
    put_percent(queue->used_capacity, row->texts[1]);
    put_percent(queue->max_capacity, row->texts[2]);
    format_decimal(queue->weight, row->texts[3]);
    snprintf(row->texts[4], FORMAT_MAX, "%" PRId64, yarn_running_limit(queue->max_parallel_apps));
    row->cells[0] = queue_name(queue);
    row->cells[1] = queue->path;
    row->cells[2] = queue->state;
    for (size_t i = 0; i < 5; i++)
        row->cells[3 + i] = row->texts[i];
}

static void print_border(FILE *out, const size_t *widths)
{
    for (size_t i = 0; i < QUEUE_COLUMNS; i++) {
        fputc('+', out);
        for (size_t k = 0; k < widths[i] + 2; k++)
            fputc('-', out);
    }
    fputs("+\n", out);
}

static void print_boxed(FILE *out, const size_t *widths, const char *const *cells)
{
    for (size_t i = 0; i < QUEUE_COLUMNS; i++)
        fprintf(out, "| %-*s ", (int)widths[i], cells[i]);
    fputs("|\n", out);
}

void print_queue_list(FILE *out, const struct creel_queue *const *queues, size_t count)
{
    static const char *const titles[QUEUE_COLUMNS] = {
        "Queue Name",       "Queue Path",       "State",  "Capacity",
        "Current Capacity", "Maximum Capacity", "Weight", "Maximum Parallel Apps",
    };
    scoped_free struct queue_row *rows = mem_array0(count + 1, sizeof(*rows));
    size_t widths[QUEUE_COLUMNS];

    for (size_t k = 0; k < QUEUE_COLUMNS; k++)
        widths[k] = strlen(titles[k]);
    for (size_t i = 0; i < count; i++) {
        fill_row(&rows[i], queues[i]);
        for (size_t k = 0; k < QUEUE_COLUMNS; k++)
            if (strlen(rows[i].cells[k]) > widths[k])
                widths[k] = strlen(rows[i].cells[k]);
    }
    fprintf(out, "%zu queues were found\n", count);
    print_border(out, widths);
    print_boxed(out, widths, titles);
    print_border(out, widths);
    for (size_t i = 0; i < count; i++)
        print_boxed(out, widths, rows[i].cells);
    print_border(out, widths);
}
