/* SPDX-License-Identifier: Apache-2.0 */
/*
 * login_environment.h - the environment of a login, for jobs with --export=NONE or --get-user-env
 *
 * slurmd gives such a job the environment that "su - USER -c env" prints. The agent starts the command of the
 * job as "creel-slurm login FIRST COMMAND...", as the user: it runs the shell of the user as a login shell,
 * which calls "creel-slurm environment MARKER", adds the variables that this prints to those of the job, and
 * becomes COMMAND. The job's own variables take precedence, as in Slurm.
 */
#ifndef CREEL_SLURM_LOGIN_ENVIRONMENT_H
#define CREEL_SLURM_LOGIN_ENVIRONMENT_H

#define LOGIN_WAIT_MS 30000 /* the files of the login shell may take so long; then the job runs without it */

/* ARGUMENTS: FIRST, COMMAND... FIRST: directories that are put before the PATH of the login; "": the job has
 * a PATH of its own. Returns an exit status if COMMAND cannot be run. */
int login_main(const char *const *arguments);
/* Prints the environment of this process, each variable with a 0 byte, between two MARKERs (ARGUMENTS[0]):
 * what files of the shell print is not in it. Returns an exit status. */
int login_print(const char *const *arguments);

#endif
