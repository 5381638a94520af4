/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - creel-pam, which checks passwords for creel-web: creel-pam SERVICE [DIRECTORY]
 *
 * Each check runs in a process of its own, at most PAM_CHECKS_MAX at a time. A check that takes too long is
 * killed. Processes that a check leaves become children of creel-pam, which kills them. creel-pam has one
 * loop: it waits for requests while fewer checks than allowed run, and for the ends of checks.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "web/pam/check.h"

/* Exit status of a check with the first verdict. Not 0, since a module might call exit(0). */
#define EXIT_FIRST 64
#define STRAYS_MAX 64

struct check {
    pid_t pid; /* also of its process group; 0: free */
    int pidfd;
    uint32_t number;
    int64_t ends_ms; /* monotonic clock */
};

struct helper {
    const char *service, *directory;
    struct check checks[PAM_CHECKS_MAX];
};

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct check *find_free(struct helper *helper)
{
    for (size_t i = 0; i < PAM_CHECKS_MAX; i++)
        if (helper->checks[i].pid == 0)
            return &helper->checks[i];
    return NULL;
}

static bool is_text(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL && *text != '\0';
}

static bool is_valid(const struct pam_frame_request *request)
{
    return is_text(request->user, sizeof(request->user)) &&
           memchr(request->password, '\0', sizeof(request->password)) != NULL &&
           memchr(request->address, '\0', sizeof(request->address)) != NULL;
}

static void reply(uint32_t number, uint32_t verdict)
{
    const struct pam_frame_reply frame = { number, verdict };

    while (send(PAM_FRAME_FD, &frame, sizeof(frame), MSG_NOSIGNAL) < 0 && errno == EINTR)
        continue;
}

/* The process of one check. It dies with its parent. */
static __attribute__((noreturn)) void run_check(const struct helper *helper,
                                                struct pam_frame_request *request)
{
    enum pam_verdict verdict;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(PAM_FRAME_FD);
    verdict = pam_check(helper->service, helper->directory, request);
    explicit_bzero(request, sizeof(*request));
    _exit(EXIT_FIRST + (int)verdict);
}

static void start_check(struct helper *helper, struct check *check, struct pam_frame_request *request)
{
    pid_t pid = fork();

    if (pid == 0)
        run_check(helper, request);
    if (pid < 0) {
        reply(request->number, PAM_VERDICT_UNAVAILABLE);
        return;
    }
    setpgid(pid, pid);
    *check = (struct check){
        .pid = pid,
        .pidfd = (int)syscall(SYS_pidfd_open, pid, 0),
        .number = request->number,
        .ends_ms = now_ms() + PAM_CHECK_MS_MOST,
    };
    if (check->pidfd < 0)
        check->ends_ms = 0;
}

static bool is_check(const struct helper *helper, pid_t pid)
{
    for (size_t i = 0; i < PAM_CHECKS_MAX; i++)
        if (helper->checks[i].pid == pid)
            return true;
    return false;
}

/* Kills the children of this process that are no checks. Returns whether there were any. */
static bool kill_strays_once(const struct helper *helper)
{
    FILE *file = fopen("/proc/thread-self/children", "re");
    pid_t strays[STRAYS_MAX];
    size_t count = 0;
    int pid;

    if (file == NULL)
        return false;
    while (count < STRAYS_MAX && fscanf(file, "%d", &pid) == 1)
        if (!is_check(helper, pid))
            strays[count++] = pid;
    fclose(file);
    for (size_t i = 0; i < count; i++) {
        kill(strays[i], SIGKILL);
        while (waitpid(strays[i], NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    return count > 0;
}

/* Kills what ended checks have left, and the children of that. */
static void kill_strays(const struct helper *helper)
{
    for (int i = 0; i < STRAYS_MAX && kill_strays_once(helper); i++)
        continue;
}

/* Ends CHECK, which has ended by itself or is killed, and replies. */
static void end_check(struct helper *helper, struct check *check)
{
    uint32_t verdict = PAM_VERDICT_UNAVAILABLE;
    int status = 0;

    kill(-check->pid, SIGKILL);
    while (waitpid(check->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) >= EXIT_FIRST &&
        WEXITSTATUS(status) < EXIT_FIRST + PAM_VERDICT_UNAVAILABLE)
        verdict = (uint32_t)(WEXITSTATUS(status) - EXIT_FIRST);
    reply(check->number, verdict);
    if (check->pidfd >= 0)
        close(check->pidfd);
    *check = (struct check){ 0 };
    kill_strays(helper);
}

/* Returns false if creel-web has closed its socket, or sent a message that is not valid. */
static bool take_request(struct helper *helper, struct check *check)
{
    struct pam_frame_request request;
    ssize_t size = recv(PAM_FRAME_FD, &request, sizeof(request), MSG_TRUNC);
    bool valid = size == (ssize_t)sizeof(request) && is_valid(&request);

    if (valid)
        start_check(helper, check, &request);
    explicit_bzero(&request, sizeof(request));
    return valid || (size < 0 && errno == EINTR);
}

/* Fills FDS: the socket, then the checks. Returns the time until the first check must end; -1: none runs. */
static int prepare_poll(struct helper *helper, struct pollfd fds[PAM_CHECKS_MAX + 1])
{
    int64_t now = now_ms(), left_ms = -1;

    fds[0] = (struct pollfd){ .fd = PAM_FRAME_FD, .events = find_free(helper) != NULL ? POLLIN : 0 };
    for (size_t i = 0; i < PAM_CHECKS_MAX; i++) {
        const struct check *check = &helper->checks[i];
        int64_t left = check->ends_ms > now ? check->ends_ms - now : 0;

        fds[i + 1] = (struct pollfd){ .fd = check->pid != 0 ? check->pidfd : -1, .events = POLLIN };
        if (check->pid != 0 && (left_ms < 0 || left < left_ms))
            left_ms = left;
    }
    return (int)left_ms;
}

static void serve(struct helper *helper)
{
    struct pollfd fds[PAM_CHECKS_MAX + 1];

    for (;;) {
        int timeout_ms = prepare_poll(helper, fds);
        int64_t now;

        if (poll(fds, PAM_CHECKS_MAX + 1, timeout_ms) < 0) {
            if (errno != EINTR)
                return;
            continue;
        }
        now = now_ms();
        for (size_t i = 0; i < PAM_CHECKS_MAX; i++)
            if (helper->checks[i].pid != 0 && (fds[i + 1].revents != 0 || helper->checks[i].ends_ms <= now))
                end_check(helper, &helper->checks[i]);
        if ((fds[0].revents & POLLIN) != 0 && !take_request(helper, find_free(helper)))
            return;
        if ((fds[0].revents & (POLLHUP | POLLERR)) != 0 && (fds[0].revents & POLLIN) == 0)
            return;
    }
}

int main(int argc, char **argv)
{
    const struct rlimit no_core = { 0, 0 };
    struct helper helper = { 0 };

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "creel-pam: creel-web starts this program\n");
        return 2;
    }
    helper.service = argv[1];
    helper.directory = argv[2]; /* (NULL without one) */
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    serve(&helper);
    for (size_t i = 0; i < PAM_CHECKS_MAX; i++)
        if (helper.checks[i].pid != 0)
            end_check(&helper, &helper.checks[i]);
    return 0;
}
