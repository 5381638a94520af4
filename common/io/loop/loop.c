/* SPDX-License-Identifier: Apache-2.0 */
/* loop.c - the event loop of a daemon: calls functions for descriptors, timers and signals */
#include "common/io/loop/loop.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/base/monotonic.h"

#define SIGNALS_MAX 65

struct source {
    int fd;
    short events;
    bool gone;            /* removed; deleted from the array at the end of the turn */
    loop_fd_fn *fd_fn;    /* callback of loop_add_fd; else NULL */
    loop_ready_fn *ready; /* condition and callback of loop_add_ready */
    loop_fn *fn;
    void *context;
};

struct timer {
    int64_t due_ms;
    uint64_t sequence; /* order among timers with the same due time */
    size_t place;      /* index in the heap */
    int handle;
    loop_fn *fn;
    void *context;
    UT_hash_handle hh; /* in timers_by_handle */
};

struct signal_slot {
    loop_signal_fn *fn;
    void *context;
};

struct loop {
    struct source *sources;
    size_t sources_count, sources_capacity;
    struct pollfd *items; /* one for each source, rebuilt for each poll */
    size_t items_capacity;
    struct timer **heap;
    size_t heap_count, heap_capacity;
    struct timer *timers_by_handle;
    uint64_t next_sequence;
    int next_handle;
    int signal_fd;
    sigset_t signals;
    struct signal_slot signal_slots[SIGNALS_MAX];
    loop_fn *before_sleep;
    void *before_sleep_context;
    bool stopped;
};

static void raise_file_limit(void)
{
    struct rlimit limit;

    /* Ignore errors: a low limit becomes visible as refused connections at some thousand peers. */
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int loop_new(struct loop **ret, struct err *err)
{
    struct loop *loop;

    raise_file_limit();
    if (signal(SIGPIPE, SIG_IGN) == SIG_ERR)
        return err_set_errno(err, errno, "cannot ignore SIGPIPE");
    loop = mem_new0(struct loop);
    loop->signal_fd = -1;
    sigemptyset(&loop->signals);
    *ret = loop;
    return 0;
}

void loop_free(struct loop *loop)
{
    struct timer *timer, *next;

    if (loop == NULL)
        return;
    HASH_ITER(hh, loop->timers_by_handle, timer, next) {
        HASH_DEL(loop->timers_by_handle, timer);
        free(timer);
    }
    if (loop->signal_fd >= 0) {
        close(loop->signal_fd);
        pthread_sigmask(SIG_UNBLOCK, &loop->signals, NULL);
    }
    free(loop->heap);
    free(loop->items);
    free(loop->sources);
    free(loop);
}

int64_t loop_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t loop_monotonic_ms(void)
{
    return monotonic_ms();
}

int64_t loop_monotonic_us(void)
{
    return monotonic_ns() / 1000;
}

/* --- sources ---------------------------------------------------------------- */

static struct source *find_source(struct loop *loop, int fd)
{
    for (size_t i = 0; i < loop->sources_count; i++) {
        struct source *source = &loop->sources[i];

        if (!source->gone && source->fd == fd)
            return source;
    }
    return NULL;
}

static int add_source(struct loop *loop, const struct source *added, struct err *err)
{
    if (added->fd < 0)
        return err_set(err, EBADF, "cannot watch descriptor %d: it is not open", added->fd);
    if (find_source(loop, added->fd) != NULL)
        return err_set(err, EEXIST, "descriptor %d is watched already", added->fd);
    mem_grow(loop->sources, loop->sources_count, loop->sources_capacity);
    loop->sources[loop->sources_count++] = *added;
    return 0;
}

int loop_add_fd(struct loop *loop, int fd, bool priority, loop_fd_fn *fn, void *context, struct err *err)
{
    const struct source source = {
        .fd = fd,
        .events = priority ? POLLPRI : POLLIN,
        .fd_fn = fn,
        .context = context,
    };

    return add_source(loop, &source, err);
}

int loop_add_ready(struct loop *loop, int fd, loop_ready_fn *ready, loop_fn *fn, void *context,
                   struct err *err)
{
    const struct source source = {
        .fd = fd,
        .events = POLLIN,
        .ready = ready,
        .fn = fn,
        .context = context,
    };

    return add_source(loop, &source, err);
}

void loop_set_writable(struct loop *loop, int fd, bool writable)
{
    struct source *source = find_source(loop, fd);

    assert(source != NULL);
    source->events = (short)(writable ? source->events | POLLOUT : source->events & ~POLLOUT);
}

void loop_remove_fd(struct loop *loop, int fd)
{
    struct source *source = find_source(loop, fd);

    if (source != NULL)
        source->gone = true;
}

static void sweep_sources(struct loop *loop)
{
    size_t kept = 0;

    for (size_t i = 0; i < loop->sources_count; i++)
        if (!loop->sources[i].gone)
            loop->sources[kept++] = loop->sources[i];
    loop->sources_count = kept;
}

/* --- timers ----------------------------------------------------------------- */

static bool timer_before(const struct timer *a, const struct timer *b)
{
    return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->sequence < b->sequence;
}

static void heap_put(struct loop *loop, size_t place, struct timer *timer)
{
    loop->heap[place] = timer;
    timer->place = place;
}

static void heap_up(struct loop *loop, struct timer *timer)
{
    size_t place = timer->place;

    while (place > 0 && timer_before(timer, loop->heap[(place - 1) / 2])) {
        heap_put(loop, place, loop->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    heap_put(loop, place, timer);
}

static void heap_down(struct loop *loop, struct timer *timer)
{
    size_t place = timer->place, child;

    while ((child = 2 * place + 1) < loop->heap_count) {
        if (child + 1 < loop->heap_count && timer_before(loop->heap[child + 1], loop->heap[child]))
            child++;
        if (!timer_before(loop->heap[child], timer))
            break;
        heap_put(loop, place, loop->heap[child]);
        place = child;
    }
    heap_put(loop, place, timer);
}

static void timer_remove(struct loop *loop, struct timer *timer)
{
    struct timer *last = loop->heap[--loop->heap_count];

    if (last != timer) {
        heap_put(loop, timer->place, last);
        heap_up(loop, last);
        heap_down(loop, last);
    }
    HASH_DEL(loop->timers_by_handle, timer);
}

static int fresh_handle(struct loop *loop)
{
    struct timer *other;

    do {
        loop->next_handle = loop->next_handle == INT_MAX ? 1 : loop->next_handle + 1;
        HASH_FIND_INT(loop->timers_by_handle, &loop->next_handle, other);
    } while (other != NULL);
    return loop->next_handle;
}

int loop_add_timer(struct loop *loop, int64_t delay_ms, loop_fn *fn, void *context)
{
    struct timer *timer = mem_new0(struct timer);
    int64_t now_ms = loop_monotonic_ms();

    if (delay_ms < 0)
        delay_ms = 0;
    timer->due_ms = delay_ms > INT64_MAX - now_ms ? INT64_MAX : now_ms + delay_ms;
    timer->sequence = loop->next_sequence++;
    timer->handle = fresh_handle(loop);
    timer->fn = fn;
    timer->context = context;
    mem_grow(loop->heap, loop->heap_count, loop->heap_capacity);
    timer->place = loop->heap_count++;
    heap_up(loop, timer);
    HASH_ADD_INT(loop->timers_by_handle, handle, timer);
    return timer->handle;
}

void loop_cancel_timer(struct loop *loop, int handle)
{
    struct timer *timer;

    HASH_FIND_INT(loop->timers_by_handle, &handle, timer);
    if (timer != NULL) {
        timer_remove(loop, timer);
        free(timer);
    }
}

/* Runs due timers. A timer set by a callback waits for the next turn, so that a timer that sets itself again
 * with no delay cannot block the sockets. */
static void run_timers(struct loop *loop)
{
    int64_t now_ms = loop_monotonic_ms();
    uint64_t limit = loop->next_sequence;

    while (loop->heap_count > 0 && !loop->stopped) {
        struct timer *timer = loop->heap[0];
        loop_fn *fn = timer->fn;
        void *context = timer->context;

        if (timer->due_ms > now_ms || timer->sequence >= limit)
            break;
        timer_remove(loop, timer);
        free(timer);
        fn(context);
    }
}

static int time_to_sleep_ms(const struct loop *loop)
{
    int64_t left_ms;

    if (loop->heap_count == 0)
        return -1;
    left_ms = loop->heap[0]->due_ms - loop_monotonic_ms();
    if (left_ms <= 0)
        return 0;
    return left_ms > INT_MAX ? INT_MAX : (int)left_ms;
}

/* --- signals ---------------------------------------------------------------- */

static void read_signals(void *context, int fd)
{
    struct loop *loop = context;
    struct signalfd_siginfo info;

    while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        const struct signal_slot *slot = &loop->signal_slots[info.ssi_signo % SIGNALS_MAX];

        if (slot->fn != NULL)
            slot->fn(slot->context, (int)info.ssi_signo);
    }
}

int loop_on_signal(struct loop *loop, int signal_number, loop_signal_fn *fn, void *context, struct err *err)
{
    bool first = loop->signal_fd < 0;
    sigset_t wanted = loop->signals;
    int fd, rc;

    if (signal_number <= 0 || signal_number >= SIGNALS_MAX)
        return err_set(err, EINVAL, "signal %d: there is no such signal", signal_number);
    sigaddset(&wanted, signal_number);
    rc = pthread_sigmask(SIG_BLOCK, &wanted, NULL);
    if (rc != 0)
        return err_set_errno(err, rc, "cannot block signal %d", signal_number);
    fd = signalfd(loop->signal_fd, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot make a signalfd");
    loop->signal_fd = fd;
    loop->signals = wanted;
    loop->signal_slots[signal_number] = (struct signal_slot){ fn, context };
    return first ? loop_add_fd(loop, fd, false, read_signals, loop, err) : 0;
}

/* --- the loop --------------------------------------------------------------- */

void loop_before_sleep(struct loop *loop, loop_fn *fn, void *context)
{
    loop->before_sleep = fn;
    loop->before_sleep_context = context;
}

void loop_stop(struct loop *loop)
{
    loop->stopped = true;
}

static void run_hook(struct loop *loop)
{
    if (loop->before_sleep != NULL)
        loop->before_sleep(loop->before_sleep_context);
}

/* Polls the sources and returns their number; their items have revents. */
static size_t poll_sources(struct loop *loop)
{
    size_t count = loop->sources_count;
    int timeout_ms = time_to_sleep_ms(loop);

    if (count > loop->items_capacity) {
        loop->items_capacity = loop->sources_capacity;
        loop->items = mem_resize(loop->items, loop->items_capacity, sizeof(*loop->items));
    }
    for (size_t i = 0; i < count; i++) {
        const struct source *source = &loop->sources[i];

        loop->items[i] = (struct pollfd){ .fd = source->fd, .events = source->events };
        if (source->ready != NULL && source->ready(source->context))
            timeout_ms = 0;
    }
    if (poll(loop->items, count, timeout_ms) < 0) {
        assert(errno == EINTR);
        return 0;
    }
    return count;
}

static void run_source(const struct source *source, const struct pollfd *item)
{
    if (source->ready != NULL) {
        if (source->ready(source->context))
            source->fn(source->context);
    } else if (item->revents != 0) {
        source->fd_fn(source->context, source->fd);
    }
}

void loop_run(struct loop *loop)
{
    loop->stopped = false;
    while (!loop->stopped) {
        size_t count;

        run_hook(loop);
        if (loop->stopped)
            break;
        sweep_sources(loop);
        count = poll_sources(loop);
        for (size_t i = 0; i < count && !loop->stopped; i++) {
            /* A callback may add sources, which moves the array: use a copy. */
            struct source source = loop->sources[i];

            if (!source.gone)
                run_source(&source, &loop->items[i]);
        }
        run_timers(loop);
    }
    run_hook(loop);
}
