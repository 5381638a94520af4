#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sim_chaos.sh - test: creel-sim chaos detects errors that its options inject; prints TAP
set -u
sim=${BUILD:-.}/creel-sim
n=0 failed=0

must() {
    n=$((n + 1))
    if [ "$2" = yes ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; failed=1; fi
}

is() {
    if [ "$1" = "$2" ]; then echo yes; else echo no; fi
}

# contains TEXT PATTERN: prints yes if TEXT contains PATTERN, else no.
contains() {
    case $1 in
        *"$2"*) echo yes ;;
        *) echo no ;;
    esac
}

text=$("$sim" chaos --seeds 3-3)
status=$(is $? 0)
must "a life that comes to rest passes" "$status"

# Seeds that found a bug. 3759688: an application master stopped a container whose node had not registered again. 1000462: the
# next process of an unmanaged application did not know which nodes the earlier one avoided. 1894999: the attempt of a killed
# application of tasks ended after a restart. 7556369: an application master got the end of a lost container before it was
# stored, and another end after a restart.
"$sim" chaos --seeds 3759688-3759688 >/dev/null && "$sim" chaos --seeds 1894999-1894999 >/dev/null && timeout 100 "$sim" chaos --seeds 1000462-1000462 >/dev/null &&
    "$sim" chaos --fair --seeds 7556369-7556369 >/dev/null
must "seeds that found a bug pass" "$(is $? 0)"

# The injected event repeats without an advance of the clock, so no limit on virtual time ends the run.
text=$(timeout 100 "$sim" chaos --seeds 3-3 --endless)
status=$(is $? 1)
must "a livelock fails" "$status"
must "its seed is printed, when it was given up, and that it looks like a livelock" \
    "$(contains "$text" "# seed 3: 45.000 s, step 500000: still no rest after so many steps")"
must "what is not over is printed" "$(contains "$text" "a livelock?: client 0 still waits for an answer")"
must "how to replay it is printed" "$(contains "$text" "# replay: creel-sim chaos --seeds 3-3 --endless -v")"

again=$(timeout 100 "$sim" chaos --seeds 3-3 --endless)
must "it is given up at the same step each time" "$(is "$text" "$again")"

text=$("$sim" chaos --fair --seeds 3-3 --steps 500)
status=$(is $? 1)
must "--steps sets another limit" "$status"
must "which the replay has, too" "$(contains "$text" "chaos --seeds 3-3 --fair --steps 500 -v")"

timeout 100 "$sim" chaos --seeds 1-200 --broken --expect-caught >/dev/null
status=$(is $? 0)
must "an agent that forgets what it started is caught" "$status"

echo "1..$n"
exit $failed
