/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_mail.h - values of sbatch's --mail-type and --mail-user
 *
 * NAME is the option that has VALUE at LINE. Names that creel ignores become notices of TO, in whose arena
 * the results are. Pure.
 */
#ifndef CREEL_SCRIPT_SLURM_MAIL_H
#define CREEL_SCRIPT_SLURM_MAIL_H

#include "client/script/directives.h"

/* Returns the names of events of FORMER (those of earlier options; NULL: none) and VALUE, in upper or lower
 * case; NULL: there are none. */
const char *slurm_mail_types(struct script *to, unsigned line, const char *name, const char *value,
                             const char *former);
/* Returns the addresses and names of VALUE that creel takes; NULL: there are none. */
const char *slurm_mail_users(struct script *to, unsigned line, const char *name, const char *value);

#endif
