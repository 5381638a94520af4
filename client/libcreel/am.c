/* SPDX-License-Identifier: Apache-2.0 */
/* am.c - environment and connections of an application master process */
#include "client/libcreel/am.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/libcreel/job_token.h"
#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/keys/derived_key.h"
#include "common/io/wire/wire.h"

#define TOKEN_BYTES_MAX ((off_t)65536)
#define JOB_BYTES_MAX ((off_t)WIRE_FRAME_MAX)

/* --- environment from the agent --------------------------------------------- */

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value ? value : "";
}

bool am_environment_is_there(void)
{
    return variable("CREEL_APP_ID")[0] && variable("CREEL_TOKEN_FILE")[0];
}

static int need(const char *name, char **ret, struct err *err)
{
    const char *value = variable(name);

    if (!value[0])
        return err_set(err, EINVAL,
                       "%s is not set: this is not the first container of an "
                       "application",
                       name);
    *ret = mem_strdup(value);
    return 0;
}

/* Reads the whole file NAME, of at most MOST bytes. If KEEP_FD is not NULL, the file stays open as
 * *KEEP_FD. */
static int read_file(const char *name, off_t most, uint8_t **data, size_t *size, int *keep_fd,
                     struct err *err)
{
    scoped_fd int fd = open(name, O_RDONLY | O_CLOEXEC);
    struct stat status;
    uint8_t *bytes;
    ssize_t got;

    if (fd < 0 || fstat(fd, &status) < 0)
        return err_set_errno(err, errno, "%s", name);
    if (!S_ISREG(status.st_mode) || status.st_size <= 0 || status.st_size > most)
        return err_set(err, EINVAL, "%s: not a file of 1 to %lld bytes", name, (long long)most);
    bytes = mem_alloc((size_t)status.st_size);
    got = pread(fd, bytes, (size_t)status.st_size, 0);
    if (got != status.st_size) {
        free(bytes);
        return err_set_errno(err, got < 0 ? errno : EIO, "%s", name);
    }
    *data = bytes;
    *size = (size_t)got;
    if (keep_fd)
        *keep_fd = fd_take(&fd);
    return 0;
}

static int read_all(struct am_environment *environment, struct err *err)
{
    struct app_id app_id;
    char host[256] = "";
    int r;

    r = need("CREEL_APP_ID", &environment->app_id, err);
    if (r == 0)
        r = need("CREEL_CONTAINER_ID", &environment->container_id, err);
    if (r == 0)
        r = need("CREEL_RM_AM", &environment->rm_address, err);
    if (r == 0)
        r = need("CREEL_RM_KEY", &environment->rm_key, err);
    if (r < 0)
        return r;
    if (!app_id_parse(environment->app_id, &app_id))
        return err_set(err, EINVAL, "CREEL_APP_ID is %s, which is no application", environment->app_id);
    if (strlen(environment->rm_key) != KEY_TEXT - 1)
        return err_set(err, EINVAL, "CREEL_RM_KEY is not a public key of 40 characters");
    if (gethostname(host, sizeof(host) - 1) < 0)
        host[0] = '\0';
    environment->host = mem_strdup(host);
    (void)job_token_read(&environment->job_token, &environment->job_token_size);
    return read_file(variable("CREEL_TOKEN_FILE"), TOKEN_BYTES_MAX, &environment->token,
                     &environment->token_size, &environment->lock_fd, err);
}

int am_environment_read(struct am_environment *ret, struct err *err)
{
    struct am_environment environment = { .lock_fd = -1 };
    int r = read_all(&environment, err);

    if (r < 0) {
        am_environment_done(&environment);
        return r;
    }
    *ret = environment;
    return 0;
}

void am_environment_done(struct am_environment *environment)
{
    free(environment->app_id);
    free(environment->container_id);
    free(environment->rm_address);
    free(environment->rm_key);
    free(environment->host);
    free(environment->token);
    free(environment->job_token);
    if (environment->lock_fd >= 0)
        close(environment->lock_fd);
    *environment = (struct am_environment){ .lock_fd = -1 };
}

int am_environment_lock(struct am_environment *environment, bool wait, struct err *err)
{
    while (flock(environment->lock_fd, LOCK_EX | (wait ? 0 : LOCK_NB)) < 0) {
        if (errno == EWOULDBLOCK)
            return err_set(err, EBUSY, "%s: another process is its application master now",
                           environment->app_id);
        if (errno != EINTR)
            return err_set_errno(err, errno, "%s: cannot be locked", variable("CREEL_TOKEN_FILE"));
    }
    return 0;
}

int am_environment_job(Creel__JobSpec **ret, struct err *err)
{
    const char *name = variable("CREEL_JOB_FILE");
    scoped_free uint8_t *bytes = NULL;
    Creel__JobSpec *job;
    size_t size;
    int r;

    if (!name[0])
        return err_set(err, EINVAL,
                       "CREEL_JOB_FILE is not set: this is not the first container "
                       "of an application of tasks");
    r = read_file(name, JOB_BYTES_MAX, &bytes, &size, NULL, err);
    if (r < 0)
        return r;
    job = creel__job_spec__unpack(NULL, size, bytes);
    if (!job)
        return err_set(err, EBADMSG, "%s: not a job", name);
    *ret = job;
    return 0;
}

/* --- channels --------------------------------------------------------------- */

struct am_shell {
    const struct am_environment *environment;
    struct channel_pool *pool;
    am_shell_fn *fn;
    void *context;
};

static void received(void *context, const char *address, const Creel__Envelope *envelope)
{
    struct am_shell *shell = context;
    bool from_rm = text_equal(address, shell->environment->rm_address);

    shell->fn(shell->context, from_rm ? NULL : address, envelope);
}

struct am_shell *am_shell_new(struct loop *loop, const struct am_environment *environment, am_shell_fn *fn,
                              void *context)
{
    struct am_shell *shell = mem_new0(struct am_shell);
    struct key own;

    derived_key_make(environment->token, environment->token_size, &own);
    shell->environment = environment;
    shell->fn = fn;
    shell->context = context;
    shell->pool = channel_pool_new(loop, &own, received, shell);
    explicit_bzero(&own, sizeof(own));
    return shell;
}

void am_shell_free(struct am_shell *shell)
{
    if (!shell)
        return;
    channel_pool_free(shell->pool);
    free(shell);
}

int am_shell_send_rm(struct am_shell *shell, Creel__Envelope *envelope, struct err *err)
{
    envelope->token.data = shell->environment->token;
    envelope->token.len = shell->environment->token_size;
    return channel_pool_send(shell->pool, shell->environment->rm_address, shell->environment->rm_key,
                             envelope, err);
}

int am_shell_send_agent(struct am_shell *shell, const char *address, const char *agent_key,
                        Creel__Envelope *envelope, struct err *err)
{
    return channel_pool_send(shell->pool, address, agent_key, envelope, err);
}

bool am_shell_rm_refuses(struct am_shell *shell)
{
    return channel_pool_is_refused(shell->pool, shell->environment->rm_address);
}

int am_shell_rm_state(struct am_shell *shell, struct err *err)
{
    return channel_pool_state(shell->pool, shell->environment->rm_address, err);
}
