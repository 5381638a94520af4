/* SPDX-License-Identifier: Apache-2.0 */
/* state_contents.h - describes what an archive of `creel admin state backup --all` has */
#ifndef CREEL_RM_STATE_CONTENTS_H
#define CREEL_RM_STATE_CONTENTS_H

#include "common/conf/conf.h"

/* Returns the parts of the archive that has the files of STAGE, made of CONF, without those that have no
 * file: "state, history, uploaded files, configuration (/etc/creel), keys (/etc/creel/keys: agents, rm,
 * rm_secret)". The caller frees it. */
char *state_contents_describe(const char *stage, const struct conf *conf);

#endif
