/* SPDX-License-Identifier: Apache-2.0 */
/* store_ended.c - reads the rows of ended containers and applications */
#include "rm/store/store_ended.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/wire/wire_fit.h"
#include "rm/store/store_sqlite.h"

#define BUSY_MS 5000

enum table { ENDED_CONTAINERS, ENDED_APPS, ENDED_TABLES };

static const char *const texts[ENDED_TABLES] = {
    [ENDED_CONTAINERS] = "SELECT row FROM containers WHERE state = 'COMPLETE'"
                         " ORDER BY cluster_ms, seq, attempt, epoch, number",
    [ENDED_APPS] = "SELECT row FROM apps WHERE finished_ms > 0 ORDER BY cluster_ms, seq",
};

struct store_ended {
    char *file;
    sqlite3 *database;
    sqlite3_stmt *statement; /* of TABLE; NULL: not prepared yet */
    enum table table;
};

static int fail(const struct store_ended *ended, struct err *err)
{
    return err_set(err, EIO, "%s: cannot read the ended applications (SQLite: %s, %d)", ended->file,
                   sqlite3_errmsg(ended->database), sqlite3_extended_errcode(ended->database));
}

int store_ended_open(const char *directory, struct store_ended **ret, struct err *err)
{
    struct store_ended *ended = mem_new0(struct store_ended);
    int r = 0;

    ended->file = mem_printf("%s/" DATABASE_NAME, directory);
    if (access(ended->file, F_OK) < 0)
        r = err_set_errno(err, errno, "%s", ended->file);
    else if (sqlite3_open_v2(ended->file, &ended->database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
                             NULL) != SQLITE_OK ||
             sqlite3_busy_timeout(ended->database, BUSY_MS) != SQLITE_OK ||
             sqlite3_exec(ended->database, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        r = fail(ended, err);
    if (r < 0) {
        store_ended_close(ended);
        return r;
    }
    *ret = ended;
    return 0;
}

void store_ended_close(struct store_ended *ended)
{
    if (ended == NULL)
        return;
    sqlite3_finalize(ended->statement);
    sqlite3_close(ended->database);
    free(ended->file);
    free(ended);
}

static void pass(const struct store_ended *ended, store_ended_fn *each, void *context)
{
    const uint8_t *bytes = sqlite3_column_blob(ended->statement, 0);
    size_t size = (size_t)sqlite3_column_bytes(ended->statement, 0);

    if (ended->table == ENDED_APPS) {
        Creel__StoredApp *app = creel__stored_app__unpack(NULL, size, bytes);

        if (app != NULL) {
            wire_fit(&app->base);
            each(context, app, NULL);
        }
        creel__stored_app__free_unpacked(app, NULL);
    } else {
        Creel__StoredContainer *container = creel__stored_container__unpack(NULL, size, bytes);

        if (container != NULL && container->report != NULL)
            each(context, NULL, container);
        creel__stored_container__free_unpacked(container, NULL);
    }
}

int store_ended_next(struct store_ended *ended, int limit, store_ended_fn *each, void *context,
                     struct err *err)
{
    int count = 0;

    while (count < limit && ended->table < ENDED_TABLES) {
        int code;

        if (ended->statement == NULL && sqlite3_prepare_v2(ended->database, texts[ended->table], -1,
                                                           &ended->statement, NULL) != SQLITE_OK)
            return fail(ended, err);
        code = sqlite3_step(ended->statement);
        if (code == SQLITE_ROW) {
            pass(ended, each, context);
            count++;
            continue;
        }
        if (code != SQLITE_DONE)
            return fail(ended, err);
        sqlite3_finalize(ended->statement);
        ended->statement = NULL;
        ended->table++;
    }
    return count;
}
