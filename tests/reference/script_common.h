/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script_common.h - runs a conformance case on a reference implementation, of either scheduler
 *
 * The references use small numbers as indexes, the cases use names: this code maps names to indexes. A
 * reference provides the functions of struct script_model; script_steps() calls them for the steps of the
 * case, and reports each difference.
 */
#ifndef CREEL_TESTS_REFERENCE_SCRIPT_COMMON_H
#define CREEL_TESTS_REFERENCE_SCRIPT_COMMON_H

#include <stdio.h>

#include "sim/cases/case.h"

enum { SCRIPT_NAME = 64, SCRIPT_NAMES_MAX = 32, SCRIPT_KEYS_MAX = 8 };

struct script_names {
    char name[SCRIPT_NAMES_MAX][SCRIPT_NAME];
    int count;
};

enum script_app_state { SCRIPT_UNKNOWN, SCRIPT_REJECTED, SCRIPT_THERE, SCRIPT_FINISHED, SCRIPT_KILLED };

struct script_common;

/* Functions of a reference. The script_common passed to them is the first member of the reference's own
 * struct. */
struct script_model {
    int nodes, racks, apps, users, keys; /* sizes of its arrays */
    /* Runs a step that the other functions do not handle. Returns false if the step is refused. */
    bool (*run)(struct script_common *script, const struct case_step *step);
    void (*check)(struct script_common *script, const struct case_step *step, const struct case_claim *claim,
                  const char *what);
    void (*offer)(struct script_common *script, int node); /* the node exists */
    void (*avoid)(struct script_common *script, int app, int node, bool avoids);
    /* Returns the newest container of APP, on NODE unless NODE is -1; -1: none. */
    int (*newest)(const struct script_common *script, int app, int node);
    int64_t (*count)(const struct script_common *script, int app, int node); /* number of containers;
                                                                                -1: all apps, nodes */
    void (*end_container)(struct script_common *script, int container);
    bool (*has_app)(const struct script_common *script, int app);
    void (*remove_app)(struct script_common *script, int app); /* after its containers were ended */
};

struct script_common {
    const struct test_case *test;
    const struct script_model *model;
    FILE *report; /* one line for each difference */
    struct script_names nodes, racks, apps, users;
    int64_t priorities[SCRIPT_KEYS_MAX]; /* priorities of requests, by key: ascending from FIRST_KEY */
    int first_key, key_count;
    enum script_app_state states[SCRIPT_NAMES_MAX];
    int failures;
};

int script_find(const struct script_names *names, const char *name); /* -1: unknown */
/* Returns the index of NAME, added if new; -1: there are MOST names already. */
int script_index(struct script_names *names, const char *name, int most);
int script_key(const struct script_common *script, int64_t priority); /* -1: unknown */
/* Adds the names in STEP. Returns false if the arrays of the reference are too small. */
bool script_add_names(struct script_common *script, const struct case_step *step);

/* Runs all steps. */
void script_steps(struct script_common *script);

/* Report a difference if GOT is not what CLAIM expects. */
void script_whole(struct script_common *script, const struct case_claim *claim, const char *what,
                  int64_t got);
void script_text(struct script_common *script, const struct case_claim *claim, const char *what,
                 const char *got);
void script_amount(struct script_common *script, const struct case_step *step, const struct case_claim *claim,
                   const char *what, struct resource got);
/* Compares the number of containers of APP on each node. */
void script_on(struct script_common *script, const struct case_claim *claim, const char *what, int app);
/* APP: the application for which a node is reserved; -1: none. */
void script_reserved_by(struct script_common *script, const struct case_claim *claim, const char *what,
                        int app);
/* ACTIVE: used only for an application that exists. */
void script_state(struct script_common *script, const struct case_claim *claim, const char *what, int app,
                  bool active);
void script_differs(struct script_common *script, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
