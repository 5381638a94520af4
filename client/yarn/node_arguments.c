/* SPDX-License-Identifier: Apache-2.0 */
/* node_arguments.c - parses the arguments of `yarn rmadmin` about labels and sizes of nodes */
#include "client/yarn/node_arguments.h"

#include <errno.h>
#include <string.h>

#include "common/base/resource_types.h"
#include "common/base/text.h"

static int too_many(struct err *err)
{
    return err_set(err, EINVAL, "more than %d labels or nodes in one command", NODE_ARGUMENTS_MAX);
}

/* --- labels ------------------------------------------------------------------ */

static int parse_label(char *word, struct creel_label_spec *spec, struct err *err)
{
    char *open = strchr(word, '('), *value;

    *spec = (struct creel_label_spec){ .name = word };
    if (open == NULL)
        return 0;
    if (!text_has_suffix(open, ")"))
        return err_set(err, EINVAL, "label %s: \")\" is missing", word);
    *open = '\0';
    open[1 + strlen(open + 1) - 1] = '\0';
    value = text_fold(text_trim(open + 1));
    spec->name = text_trim(word);
    if (strcmp(value, "exclusive=true") == 0)
        return 0;
    spec->shared = strcmp(value, "exclusive=false") == 0;
    return spec->shared
               ? 0
               : err_set(err, EINVAL, "label %s: expected (exclusive=true) or (exclusive=false)", spec->name);
}

int node_arguments_labels(char *text, struct creel_label_spec specs[NODE_ARGUMENTS_MAX], size_t *count,
                          struct err *err)
{
    char *word;

    *count = 0;
    while ((word = text_next_word(&text)) != NULL) {
        int r;

        if (*count == NODE_ARGUMENTS_MAX)
            return too_many(err);
        r = parse_label(word, &specs[*count], err);
        if (r < 0)
            return r;
        if (*specs[(*count)++].name == '\0')
            return err_set(err, EINVAL, "a label has no name");
    }
    return *count > 0 ? 0 : err_set(err, EINVAL, "no label is given");
}

/* --- labels of nodes ----------------------------------------------------------- */

static int parse_change(char *word, struct node_label_change *change, struct err *err)
{
    char *end = word + strcspn(word, "=,");
    char *label = *end != '\0' ? end + 1 : end;

    *end = '\0';
    change->node = word;
    change->label = label;
    if (*word == '\0')
        return err_set(err, EINVAL, "=%s: the node is missing", label);
    if (label[strcspn(label, "=,")] != '\0')
        return err_set(err, EINVAL, "node %s: a node has one label: %s", word, label);
    return 0;
}

int node_arguments_changes(char *text, struct node_label_change changes[NODE_ARGUMENTS_MAX], size_t *count,
                           struct err *err)
{
    char *save = NULL;

    *count = 0;
    for (char *word = strtok_r(text, " \t\n", &save); word != NULL; word = strtok_r(NULL, " \t\n", &save)) {
        int r;

        if (*count == NODE_ARGUMENTS_MAX)
            return too_many(err);
        r = parse_change(word, &changes[(*count)++], err);
        if (r < 0)
            return r;
    }
    return *count > 0 ? 0 : err_set(err, EINVAL, "no node is given");
}

/* --- sizes ------------------------------------------------------------------------ */

static int parse_amount(char *word, struct creel_resource *ret, struct err *err)
{
    struct resource_types types = resource_types_basic();
    char *value = strchr(word, '=');
    int64_t amount;
    int index;

    if (value == NULL)
        return err_set(err, EINVAL, "%s: expected NAME=AMOUNT", word);
    *value++ = '\0';
    index = resource_types_index(&types, word, strlen(word));
    if (index < 0)
        return err_set(err, EINVAL, "%s: of a running node only memory-mb and vcores can be changed", word);
    if (!resource_types_amount(&types, index, value, &amount) || amount <= 0 || amount > INT32_MAX)
        return err_set(err, EINVAL, "%s=%s: expected an amount, as 8192 or 8Gi", word, value);
    *(index == 0 ? &ret->memory_mb : &ret->vcores) = amount;
    return 0;
}

int node_arguments_amounts(char *text, struct creel_resource *ret, struct err *err)
{
    char *word;

    *ret = (struct creel_resource){ 0 };
    while ((word = text_next_word(&text)) != NULL) {
        int r = parse_amount(word, ret, err);

        if (r < 0)
            return r;
    }
    return ret->memory_mb > 0 || ret->vcores > 0 ? 0 : err_set(err, EINVAL, "no amount is given");
}
