/* SPDX-License-Identifier: Apache-2.0 */
/* show_app.h - prints applications and containers as rows, lines and JSON */
#ifndef CREEL_CLI_SHOW_APP_H
#define CREEL_CLI_SHOW_APP_H

#include "client/cli/frame/listing.h"

/* Returns the short form within the id: "_0042" of application_1790000000000_0042. */
const char *show_app_suffix(const char *app_id);
/* Returns "0042_01_000003" of a container, for lists with containers of several applications. Commands
 * accept it. */
const char *show_container_of_app(const char *container_id);

#define SHOW_TIME_MAX 40
/* Writes MS as date and time of this host's time zone; "" for 0. */
void show_local_time(int64_t ms, char text[SHOW_TIME_MAX]);

/* The first columns of every list of applications, and their cells. */
#define SHOW_APP_COLUMNS \
    { "app", "APP", 0 }, { "name", "NAME", TABLE_CUT }, { "user", "USER", 0 }, { "queue", "QUEUE", 0 }, \
    { \
        "state", "STATE", TABLE_STATE \
    }
void show_app_cells(const struct creel_app *app, struct table *table);

int show_app_list(struct cli *cli, const struct creel_apps *apps);
/* Prints APPS as rows of AS, whose items are applications. */
int show_apps_by(struct cli *cli, const struct listing *as, const struct creel_apps *apps);
const char *show_app_id(const void *item); /* for struct listing */
int show_app(struct cli *cli, const struct creel_app *app);
/* Writes the fields of an application. */
void show_app_json(const void *app, struct json_writer *json);

int show_container_list(struct cli *cli, const struct creel_container *const *containers, size_t count);
/* Does the same for the first containers of attempts. */
int show_attempt_list(struct cli *cli, const struct creel_container *const *containers, size_t count);
/* Prints the containers with their resource usage. */
int show_container_stats(struct cli *cli, const struct creel_container *const *containers, size_t count);
int show_container(struct cli *cli, const struct creel_container *container);

#endif
