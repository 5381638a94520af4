/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.c - drops the privileges of a gateway before a peer can connect */
#include "common/gateway/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <malloc.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Sanitizers map terabytes of memory, and read /proc at the end. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

#define ARENAS \
    2 /* of malloc: without this limit malloc opens a file to count the
         cores */
#define CAPABILITIES_MAX 64

static void must(bool done, const char *what)
{
    if (done)
        return;
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
    abort();
}

static void set_limit(__rlimit_resource_t resource, rlim_t value, const char *what)
{
    struct rlimit limit = { value, value }, old;

    must(getrlimit(resource, &old) == 0, what);
    if (value > old.rlim_max)
        limit.rlim_cur = limit.rlim_max = old.rlim_max;
    must(setrlimit(resource, &limit) == 0, what);
}

/* Makes the kernel's OOM killer prefer a gateway that uses too much memory to jobs and to the daemon, which
 * may be protected from the OOM killer. Errors are ignored. */
static void be_first_to_end(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (write(fd, "500", 3) != 3)
        fprintf(stderr, "%s: cannot raise its OOM score\n", program_invocation_short_name);
    close(fd);
}

static void drop_user(const struct gateway_setup *setup)
{
    if (geteuid() != 0)
        return;
    must(setgroups(0, NULL) == 0, "cannot leave its groups");
    must(setresgid(setup->group, setup->group, setup->group) == 0, "cannot change its group");
    must(setresuid(setup->user, setup->user, setup->user) == 0, "cannot change its user");
}

/* Changing the bounding set needs a capability; without it, no_new_privs alone prevents this process from
 * gaining capabilities. */
static void empty_bounding_set(void)
{
    for (unsigned long i = 0; i < CAPABILITIES_MAX; i++)
        must(prctl(PR_CAPBSET_DROP, i, 0, 0, 0) == 0 || errno == EINVAL || errno == EPERM,
             "cannot reduce its capabilities");
}

static void drop_capabilities(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
    uint32_t any = 0;

    must(syscall(SYS_capget, &header, sets) == 0, "cannot read its capabilities");
    for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
        any |= sets[i].effective | sets[i].permitted | sets[i].inheritable;
    if (any == 0)
        return; /* a service without capabilities may not be allowed to call capset */
    memset(sets, 0, sizeof(sets));
    must(syscall(SYS_capset, &header, sets) == 0, "cannot drop its capabilities");
}

void sandbox_drop_rights(const struct gateway_setup *setup)
{
    pid_t daemon = getppid();

    mallopt(M_ARENA_MAX, ARENAS);
    be_first_to_end();
    empty_bounding_set();
    drop_user(setup);
    drop_capabilities();
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "cannot give up new privileges");
    must(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0, "cannot protect its memory");
    /* Set after the change of the user, which would clear it. The daemon may have ended before this call. */
    must(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0, "cannot end with the daemon");
    if (getppid() != daemon)
        _exit(0);
    set_limit(RLIMIT_CORE, 0, "cannot limit core files");
    set_limit(RLIMIT_FSIZE, 0, "cannot limit files");
    set_limit(RLIMIT_NOFILE, setup->descriptors_max, "cannot limit descriptors");
    if (!SANITIZED)
        set_limit(RLIMIT_DATA, setup->memory_max_bytes, "cannot limit memory");
}

unsigned sandbox_descriptors(void)
{
    struct rlimit limit;

    must(getrlimit(RLIMIT_NOFILE, &limit) == 0, "cannot read its limit of descriptors");
    errno = EMFILE;
    must(limit.rlim_cur >= GATEWAY_DESCRIPTORS_MIN,
         "needs a limit of 1024 descriptors at least (LimitNOFILE=)");
    return (unsigned)limit.rlim_cur;
}

/* --- system calls ------------------------------------------------------------------- */

static const int allowed[] = {
    /* sockets that are open already */
    SCMP_SYS(accept4),
    SCMP_SYS(getpeername),
    SCMP_SYS(getsockname),
    SCMP_SYS(getsockopt),
    SCMP_SYS(setsockopt),
    SCMP_SYS(shutdown),
    SCMP_SYS(recvfrom),
    SCMP_SYS(recvmsg),
    SCMP_SYS(sendto),
    SCMP_SYS(sendmsg),
    /* descriptors */
    SCMP_SYS(read),
    SCMP_SYS(pread64),
    SCMP_SYS(readv),
    SCMP_SYS(write),
    SCMP_SYS(writev),
    SCMP_SYS(close),
    SCMP_SYS(fcntl),
    SCMP_SYS(fstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(epoll_ctl),
    SCMP_SYS(epoll_wait),
    SCMP_SYS(epoll_pwait),
    SCMP_SYS(eventfd2),
    /* memory; mmap is allowed below */
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(mlock),
    SCMP_SYS(munlock),
    /* existing threads, some of which are still starting; time; exit */
    SCMP_SYS(rseq),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(sched_getparam),
    SCMP_SYS(sched_getscheduler),
    SCMP_SYS(sched_setscheduler),
    SCMP_SYS(futex),
    SCMP_SYS(sched_yield),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(nanosleep),
    SCMP_SYS(getrandom),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
};

void sandbox_restrict_calls(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    pid_t self = getpid();
    int rc = filter == NULL ? -ENOMEM : 0;

    if (SANITIZED) {
        seccomp_release(filter);
        return;
    }
    for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]) && rc == 0; i++)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1, SCMP_A1(SCMP_CMP_EQ, FIONREAD, 0));
    /* Memory must not become executable. */
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
                              SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
                              SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1,
                              SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME, 0));
    /* abort() sends a signal to its own process. */
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                              SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)self, 0));
    if (rc == 0)
        rc = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    if (rc == 0)
        rc = seccomp_load(filter);
    errno = -rc;
    must(rc == 0, "cannot restrict its system calls");
    seccomp_release(filter);
}
