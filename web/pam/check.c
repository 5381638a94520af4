/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - checks one user and password with PAM */
#include "web/pam/check.h"

#include <pwd.h>
#include <security/pam_appl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void free_answers(struct pam_response *answers, int count)
{
    for (int i = 0; i < count; i++) {
        if (answers[i].resp != NULL)
            explicit_bzero(answers[i].resp, strlen(answers[i].resp));
        free(answers[i].resp);
    }
    free(answers);
}

/* Answers questions of the modules: a hidden one with the password. A question that shows its answer, such as
 * that for a second factor, cannot be answered. */
static int converse(int count, const struct pam_message **messages, struct pam_response **ret, void *context)
{
    const struct pam_frame_request *request = context;
    struct pam_response *answers;

    if (count <= 0 || count > PAM_MAX_NUM_MSG)
        return PAM_CONV_ERR;
    answers = calloc((size_t)count, sizeof(*answers));
    if (answers == NULL)
        return PAM_BUF_ERR;
    for (int i = 0; i < count; i++) {
        bool hidden = messages[i]->msg_style == PAM_PROMPT_ECHO_OFF;

        if (hidden)
            answers[i].resp = strdup(request->password);
        if (messages[i]->msg_style == PAM_PROMPT_ECHO_ON || (hidden && answers[i].resp == NULL)) {
            free_answers(answers, count);
            return PAM_CONV_ERR;
        }
    }
    *ret = answers;
    return PAM_SUCCESS;
}

/* Replaces the delay of PAM after a failure: creel-web delays its answer without a process that waits. */
static void no_delay(int result, unsigned microseconds, void *context)
{
    (void)result;
    (void)microseconds;
    (void)context;
}

/* Returns whether the modules and the user database know the user by exactly the name in REQUEST. Other
 * spellings of a name are refused, since access lists compare names exactly. */
static bool has_same_name(pam_handle_t *pam, const struct pam_frame_request *request)
{
    const struct passwd *entry = getpwnam(request->user);
    const void *name = NULL;

    if (pam_get_item(pam, PAM_USER, &name) != PAM_SUCCESS || name == NULL || strcmp(name, request->user) != 0)
        return false;
    return entry == NULL || strcmp(entry->pw_name, request->user) == 0;
}

static enum pam_verdict verdict_of_authentication(int result)
{
    switch (result) {
    case PAM_SUCCESS:
        return PAM_VERDICT_ACCEPTED;
    case PAM_AUTH_ERR:
    case PAM_USER_UNKNOWN:
    case PAM_MAXTRIES:
    case PAM_PERM_DENIED:
    case PAM_CRED_INSUFFICIENT:
        return PAM_VERDICT_REFUSED;
    case PAM_ACCT_EXPIRED:
        return PAM_VERDICT_ACCOUNT;
    default:
        return PAM_VERDICT_UNAVAILABLE;
    }
}

static enum pam_verdict verdict_of_account(int result)
{
    switch (result) {
    case PAM_SUCCESS:
        return PAM_VERDICT_ACCEPTED;
    case PAM_ACCT_EXPIRED:
    case PAM_NEW_AUTHTOK_REQD:
    case PAM_PERM_DENIED:
    case PAM_AUTH_ERR:
    case PAM_USER_UNKNOWN:
        return PAM_VERDICT_ACCOUNT;
    default:
        return PAM_VERDICT_UNAVAILABLE;
    }
}

static enum pam_verdict run(pam_handle_t *pam, const struct pam_frame_request *request)
{
    union {
        void (*fn)(int result, unsigned microseconds, void *context);
        const void *item;
    } delay = { .fn = no_delay };
    enum pam_verdict verdict;

    if (pam_set_item(pam, PAM_FAIL_DELAY, delay.item) != PAM_SUCCESS ||
        pam_set_item(pam, PAM_TTY, "creel") != PAM_SUCCESS ||
        (request->address[0] != '\0' && pam_set_item(pam, PAM_RHOST, request->address) != PAM_SUCCESS))
        return PAM_VERDICT_UNAVAILABLE;
    verdict = verdict_of_authentication(pam_authenticate(pam, PAM_SILENT | PAM_DISALLOW_NULL_AUTHTOK));
    if (verdict == PAM_VERDICT_ACCEPTED)
        verdict = verdict_of_account(pam_acct_mgmt(pam, PAM_SILENT | PAM_DISALLOW_NULL_AUTHTOK));
    if (verdict == PAM_VERDICT_ACCEPTED && !has_same_name(pam, request))
        verdict = PAM_VERDICT_REFUSED;
    return verdict;
}

enum pam_verdict pam_check(const char *service, const char *directory,
                           const struct pam_frame_request *request)
{
    const struct pam_conv conversation = { converse, (void *)(uintptr_t)request };
    pam_handle_t *pam = NULL;
    enum pam_verdict verdict;

    if (pam_start_confdir(service, request->user, &conversation, directory, &pam) != PAM_SUCCESS)
        return PAM_VERDICT_UNAVAILABLE;
    verdict = run(pam, request);
    pam_end(pam, PAM_SUCCESS);
    return verdict;
}
