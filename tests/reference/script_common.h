/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script_common.h - a conformance case on a reference model, whichever of the two it is
 *
 * The models index everything by small numbers, cases use names: here is which is which. A model offers the
 * functions of struct script_model; script_steps calls them for the steps of the case, and reports each
 * difference.
 */
#ifndef CREEL_TESTS_REFERENCE_SCRIPT_COMMON_H
#define CREEL_TESTS_REFERENCE_SCRIPT_COMMON_H

#include <stdio.h>

#include "sim/case.h"

enum { SCRIPT_NAME = 64, SCRIPT_NAMES_MAX = 32, SCRIPT_KEYS_MAX = 8 };

struct script_names {
    char name[SCRIPT_NAMES_MAX][SCRIPT_NAME];
    int count;
};

enum script_app_state { SCRIPT_UNKNOWN, SCRIPT_REJECTED, SCRIPT_THERE, SCRIPT_FINISHED, SCRIPT_KILLED };

struct script_common;

/* The first member of the model's own record is the script_common that it is called with. */
struct script_model {
    int nodes, racks, apps, users, keys;        /* the sizes of its arrays */
    /* A step that the other functions do not serve. False: refused. */
    bool (*run)(struct script_common *script, const struct case_step *step);
    void (*check)(struct script_common *script, const struct case_step *step,
                  const struct case_claim *claim, const char *what);
    void (*offer)(struct script_common *script, int node);      /* unless it was removed */
    void (*avoid)(struct script_common *script, int app, int node, bool avoids);
    /* The newest container of APP, on NODE unless that is -1; -1: none. */
    int (*newest)(const struct script_common *script, int app, int node);
    int64_t (*count)(const struct script_common *script, int app, int node);    /* containers; -1: any */
    void (*end_container)(struct script_common *script, int container);
    bool (*has_app)(const struct script_common *script, int app);
    void (*remove_app)(struct script_common *script, int app);  /* without containers */
};

struct script_common {
    const struct test_case *test;
    const struct script_model *model;
    FILE *report;                       /* one line for each difference */
    struct script_names nodes, racks, apps, users;
    int64_t priorities[SCRIPT_KEYS_MAX];        /* of requests, by key: in order from FIRST_KEY */
    int first_key, key_count;
    enum script_app_state states[SCRIPT_NAMES_MAX];
    int failures;
};

int script_find(const struct script_names *names, const char *name);    /* -1: unknown */
/* The index of NAME, added if it is new; -1: MOST are known already. */
int script_index(struct script_names *names, const char *name, int most);
int script_key(const struct script_common *script, int64_t priority);   /* -1: unknown */
/* Add what STEP names. False: the model's arrays are too small. */
bool script_add_names(struct script_common *script, const struct case_step *step);

/* All steps. */
void script_steps(struct script_common *script);

/* Report what CLAIM expects if it is not GOT. */
void script_whole(struct script_common *script, const struct case_claim *claim, const char *what,
                  int64_t got);
void script_text(struct script_common *script, const struct case_claim *claim, const char *what,
                 const char *got);
void script_amount(struct script_common *script, const struct case_step *step,
                   const struct case_claim *claim, const char *what, struct resource got);
/* How many containers of APP are on each node. */
void script_on(struct script_common *script, const struct case_claim *claim, const char *what, int app);
/* APP: for which a node is reserved; -1: for none. */
void script_reserved_by(struct script_common *script, const struct case_claim *claim, const char *what,
                        int app);
/* ACTIVE: of an app that is there. */
void script_state(struct script_common *script, const struct case_claim *claim, const char *what, int app,
                  bool active);
void script_differs(struct script_common *script, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
