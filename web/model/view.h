/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - the data that all handlers of creel-web read (returned by exchange_application) */
#ifndef CREEL_WEB_MODEL_VIEW_H
#define CREEL_WEB_MODEL_VIEW_H

#include <stdbool.h>

#include "web/model/model.h"

#define WEB_FORM_KEY_SIZE 32

struct web_view {
    const struct web_model *model;
    const char *version;                       /* of creel-web */
    const char *trouble;                       /* why the last update of the model failed; NULL: it did not */
    bool refuses_submissions;                  /* REST has no submission of applications */
    unsigned char form_key[WEB_FORM_KEY_SIZE]; /* random at each start: forms of pages are signed with it */
};

#endif
