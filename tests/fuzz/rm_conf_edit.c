/* SPDX-License-Identifier: Apache-2.0 */
/* rm_conf_edit.c - fuzz target: edits of the configuration of queues, one a line: KIND QUEUE KEY VALUE */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/net/conf/conf_edit.h"

#define EDITS_MAX 50

static char *word(char **rest)
{
    char *found = strsep(rest, " ");

    return found != NULL ? found : (char *)(uintptr_t) "";
}

static void apply(struct conf *conf, Creel__StoredSchedulerConf **row, char *line)
{
    Creel__ChangeSchedulerConf change = CREEL__CHANGE_SCHEDULER_CONF__INIT;
    Creel__SchedulerConfEdit edit = CREEL__SCHEDULER_CONF_EDIT__INIT, *edits[] = { &edit };
    Creel__ConfOverride key = CREEL__CONF_OVERRIDE__INIT, *keys[] = { &key };
    Creel__StoredSchedulerConf *next = NULL;
    struct err err = { .code = 0 };

    edit.part = (Creel__SchedulerConfPart)(*word(&line) & 3);
    edit.queue = word(&line);
    key.key = word(&line);
    key.value = line != NULL ? line : (char *)(uintptr_t) "";
    edit.keys = keys;
    edit.n_keys = 1;
    change.edits = edits;
    change.n_edits = 1;
    if (conf_edit_apply(conf, *row, &change, "ann", 1, &next, &err) < 0) {
        if (next != NULL || err.text[0] == '\0')
            abort();
        return;
    }
    creel__scheduler_conf_version__free_unpacked(conf_edit_version(*row, next), NULL);
    if (*row != NULL)
        creel__stored_scheduler_conf__free_unpacked(*row, NULL);
    *row = next;
}

/* Checks that the keys are sorted and unique and begin with "yarn.", and that no value has a variable. */
static void check(const Creel__StoredSchedulerConf *row)
{
    for (size_t i = 0; row != NULL && i < row->n_overrides; i++)
        if ((i > 0 && strcmp(row->overrides[i - 1]->key, row->overrides[i]->key) >= 0) ||
            strstr(row->overrides[i]->value, "${") != NULL ||
            strncmp(row->overrides[i]->key, "yarn.", 5) != 0)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_alloc(size + 1), *rest = text, *line;
    Creel__StoredSchedulerConf *row = NULL;
    struct conf *conf = conf_new_defaults();

    memcpy(text, data, size);
    text[size] = '\0';
    for (int i = 0; i < EDITS_MAX && (line = strsep(&rest, "\n")) != NULL; i++)
        apply(conf, &row, line);
    check(row);
    if (row != NULL)
        creel__stored_scheduler_conf__free_unpacked(row, NULL);
    conf_free(conf);
    free(text);
    return 0;
}
