/* SPDX-License-Identifier: Apache-2.0 */
/* grace.c - decides when a container is over, and which signals its processes get until then */
#include "nm-agent/linux/shim/grace.h"

static enum grace_action wait_until(int64_t at_ms, int64_t *until_ms)
{
    *until_ms = at_ms;
    return GRACE_WAIT;
}

static enum grace_action kill_or_wait(const struct grace *grace, const struct grace_view *view,
                                      int64_t *until_ms)
{
    return view->now_ms >= grace->kill_at_ms ? GRACE_KILL : wait_until(grace->kill_at_ms, until_ms);
}

/* Returns true if contact has been lost too long, and the container must end earlier than it would. */
static bool must_end_early(const struct grace *grace, const struct grace_view *view)
{
    return view->cutoff_term_ms != 0 && view->now_ms >= view->cutoff_term_ms &&
           (grace->kill_at_ms == 0 || view->cutoff_kill_ms < grace->kill_at_ms);
}

static enum grace_action end_early(struct grace *grace, const struct grace_view *view, int64_t *until_ms)
{
    /* In a stop the processes have had SIGTERM. */
    bool had_term = grace->kill_at_ms != 0 || (view->command_over && view->terminated);

    grace->cut_off = grace->cut_off || (grace->kill_at_ms == 0 && !view->command_over);
    grace->kill_at_ms = view->cutoff_kill_ms;
    return had_term ? kill_or_wait(grace, view, until_ms) : GRACE_TERM;
}

/* The command has ended without a stop, and other processes run. They may handle the signal of the agent
 * until its end; then they are stopped as at any other end of the command, also if that signal was SIGTERM:
 * of an announced end (--signal, a preemption notice) it is only the warning. */
static enum grace_action end_rest(struct grace *grace, const struct grace_view *view, int64_t *until_ms)
{
    if (view->now_ms < view->order.signal_until_ms)
        return wait_until(view->order.signal_until_ms, until_ms);
    grace->kill_at_ms = view->now_ms + view->kill_delay_ms;
    return view->terminated ? kill_or_wait(grace, view, until_ms) : GRACE_TERM;
}

static enum grace_action next_action(struct grace *grace, const struct grace_view *view, int64_t *until_ms)
{
    if (must_end_early(grace, view))
        return end_early(grace, view, until_ms);
    if (grace->kill_at_ms != 0)
        return kill_or_wait(grace, view, until_ms);
    return view->command_over ? end_rest(grace, view, until_ms) : wait_until(GRACE_NEVER, until_ms);
}

enum grace_action grace_next(struct grace *grace, const struct grace_view *view, int64_t *until_ms)
{
    int64_t ordered_ms = view->order.kill_at_ms;
    enum grace_action action;

    if (ordered_ms != 0 && (grace->kill_at_ms == 0 || ordered_ms < grace->kill_at_ms))
        grace->kill_at_ms = ordered_ms;
    if (view->command_over && view->empty)
        return GRACE_OVER;
    action = next_action(grace, view, until_ms);
    if (action == GRACE_WAIT && view->now_ms < view->cutoff_term_ms && view->cutoff_term_ms < *until_ms)
        *until_ms = view->cutoff_term_ms;
    return action;
}

int64_t grace_wait_ms(int64_t until_ms, int64_t now_ms)
{
    if (until_ms <= now_ms)
        return 0;
    return until_ms - now_ms < GRACE_WAIT_MAX_MS ? until_ms - now_ms : GRACE_WAIT_MAX_MS;
}
