#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sim_bench.sh - test: creel-sim bench; prints TAP
#
# For each scheduler and kind of requests, the same seed gives the same decisions, another seed gives
# others, and the output has every figure that programs read. Durations are not checked.
set -u
sim=${BUILD:-.}/creel-sim
n=0 failed=0

bench() {
    timeout 100 "$sim" bench --nodes 20 --racks 2 --queues 10 --apps 20 --containers 200 --pairs 2000 --json "$@"
}

sum_of() {
    bench "$@" | sed -n 's/.*"decisions_checksum": "\([0-9a-f]*\)".*/\1/p'
}

must() {
    n=$((n + 1))
    if [ "$2" = yes ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; failed=1; fi
}

for scheduler in fifo capacity fair; do
    for asks in plain local mixed; do
        first=$(sum_of --scheduler $scheduler --asks $asks --seed 1)
        again=$(sum_of --scheduler $scheduler --asks $asks --seed 1)
        other=$(sum_of --scheduler $scheduler --asks $asks --seed 2)
        same=no
        [ -n "$first" ] && [ "$first" = "$again" ] && [ "$first" != "$other" ] && same=yes
        must "$scheduler, $asks asks: decisions follow from the seed" $same
    done
done

# Each mode must end: continuous scheduling in batches, and placement on demand.
for scheduler in fifo capacity fair; do
    for mode in continuous demand; do
        first=$(sum_of --scheduler $scheduler --mode $mode --seed 1)
        same=no
        [ -n "$first" ] && [ "$first" = "$(sum_of --scheduler $scheduler --mode $mode --seed 1)" ] && same=yes
        must "$scheduler, $mode: decisions follow from the seed" $same
    done
done

# Requests with hosts and racks give other decisions than requests without.
differ=no
[ "$(sum_of --scheduler capacity --asks local)" != "$(sum_of --scheduler capacity --asks plain)" ] && differ=yes
must "asks that name hosts and racks are another load" $differ

# The program restarts itself to use huge pages, unless an option prevents it; the decisions are the same.
same=no
[ "$(GLIBC_TUNABLES=glibc.malloc.hugetlb=0 sum_of --seed 1)" = "$(sum_of --seed 1)" ] && same=yes
must "pages of another size, the same decisions" $same

# The container to end is chosen a turn ahead, if there are enough turns.
few=yes
for nodes in 1 2 3; do
    case $(bench --nodes $nodes --racks 1 --containers 10) in *'"ns_per_pair": -'*|'') few=no ;; esac
done
must "one node, two and three" $few

there=yes
figures=$(bench --scheduler capacity)
for key in scheduler mode nodes queues apps containers seed pairs_per_s ns_per_pair decision_p50_ns \
           decision_p99_ns heartbeat_idle_ns heartbeat_blocked_ns preemption_round_ms bytes_per_container \
           bytes_per_node bytes_per_app bytes_per_queue peak_rss_bytes decisions_checksum; do
    case $figures in *"\"$key\": "*) ;; *) echo "# there is no $key"; there=no ;; esac
done
must "all figures are there" $there

refused=no
if message=$("$sim" bench --asks odd 2>&1); then :; elif [ $? -eq 2 ]; then
    case $message in *odd*) refused=yes ;; esac
fi
must "a kind of asks that there is not is refused, with its name" $refused
echo "1..$n"
exit $failed
