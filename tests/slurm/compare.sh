#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs each case of cases/ under a Slurm that this test starts and under creel, and compares what the scripts print, their
# exit statuses, states and files. The differences by decision are in differences, each with its reason.
# compare.sh [CASE...]: only these cases. KEEP=DIR keeps what they left.
here=$(cd "$(dirname "$0")" && pwd)
# A network and a host name of its own: slurmd needs an address that is not 127.0.0.1, and resolves its own name.
if [ "${SLURM_TEST_APART-}" != 1 ]; then
    export SLURM_TEST_APART=1
    exec unshare --net --uts -- sh -c 'ip link set lo up && hostname side && exec "$@"' apart "$0" "$@"
fi
. "$here/../e2e/lib.sh"
. "$here/cluster.sh"
missing=$(slurm_missing)
if [ -n "$missing" ]; then
    fail "Slurm is installed" "these programs are missing: ${missing% }; scripts/dependencies --slurm installs Debian's packages"
    finish
fi
trap 'slurm_down; cleanup' EXIT
width=7         # cases beside each other: most of their time they wait

slurm_up "$T/slurm" || { fail "Slurm starts" "$(tail -n 30 "$T"/slurm/*.out "$T"/slurm/munge/log 2>&1)"; finish; }
pass "Slurm starts"
mkdir "$T/base"
cat >"$T/base/yarn-site.xml" <<'Y'
<configuration>
  <property><name>yarn.nodemanager.resource.memory-mb</name><value>65536</value></property>
  <property><name>yarn.nodemanager.resource.cpu-vcores</name><value>32</value></property>
  <property><name>yarn.resourcemanager.cluster-id</name><value>side</value></property>
  <property><name>yarn.scheduler.capacity.resource-calculator</name>
    <value>org.apache.hadoop.yarn.util.resource.DominantResourceCalculator</value></property>
</configuration>
Y
cluster_up -n 1 --conf "$T/base"

# side NAME: prints the environment of the commands of a side, a variable a line.
side() {
    printf '%s\n' HOME=/root "USER=$(id -un)" LOGNAME="$(id -un)" LC_ALL=C.UTF-8 SHELL=/bin/bash
    case $1 in
        slurm) printf '%s\n' "SLURM_CONF=$SLURM_CONF" PATH=/usr/bin:/bin ;;
        creel) env | grep -E '^CREEL_'; echo "PATH=$BUILD/slurm:/usr/bin:/bin" ;;
    esac
}
# Slurm's numbers begin at 701 (slurm.conf). Those of creel begin at 1, and would be hard to distinguish from other numbers.
use_numbers() {
    local last
    last=$(for _ in $(seq 1 620); do env -i "${creel_side[@]}" sbatch -Q --parsable --hold --wrap true; done | tail -n 1)
    [ "$last" -ge 620 ] && env -i "${creel_side[@]}" scancel --state=PENDING -u "$(id -un)"
}
# shellcheck disable=SC2034 # run_side uses both by name
mapfile -t slurm_side < <(side slurm)
mapfile -t creel_side < <(side creel)
check "creel gives numbers of three digits" use_numbers

run_side() {    # SIDE CASE
    local dir=$T/$1/$2 status=0
    local -n variables=$1_side
    mkdir -p "$dir/work"
    : >"$dir/ids"
    (cd "$dir/work" && umask 022 && exec env -i "${variables[@]}" CASE="$here/case.sh" SCRIPTS="$here/../scripts/slurm" IDS="$dir/ids" \
        timeout -k 10 220 bash "$here/cases/$2.sh") >"$dir/out" 2>"$dir/err" </dev/null || status=$?
    echo "$status" >"$dir/status"
}
run_case() { run_side slurm "$1" & run_side creel "$1"; wait; }

# decided CASE: applies differences to $T/SIDE/CASE/text, as $T/SIDE/CASE/decided. A line of the table that is in no result
# is an error, so that the table only has differences that are.
decided() {
    local side
    for side in slurm creel; do
        awk -F '\t' -v name="$1" -v side="$side" '
            FNR == NR {
                if ($0 !~ /^#/ && $1 == name && $(side == "slurm" ? 2 : 3) != "-" && (side == "slurm" || $2 == "-")) {
                    from[++count] = $(side == "slurm" ? 2 : 3)
                    to[count] = side == "slurm" ? $3 : "-"
                }
                next
            }
            {
                line = $0
                for (i = 1; i <= count; i++) if (!(i in used) && from[i] == line) { used[i] = 1; line = to[i]; break }
                if (line != "-") print line
            }
            END { for (i = 1; i <= count; i++) if (!(i in used)) print "differences: " side " has no such line: " from[i] }
            ' "$here/differences" "$T/$side/$1/text" | LC_ALL=C sort -s -t: -k1,1 >"$T/$side/$1/decided"
    done
}
compare() {     # CASE
    local difference
    "$here/normalise" "$T/slurm/$1" >"$T/slurm/$1/text"
    "$here/normalise" "$T/creel/$1" >"$T/creel/$1/text"
    decided "$1"
    if difference=$(diff -U 1 --label slurm --label creel "$T/slurm/$1/decided" "$T/creel/$1/decided"); then
        pass "$(sed -n '3s/^# //p' "$here/cases/$1.sh")"
    else
        fail "$1: $(sed -n '3s/^# //p' "$here/cases/$1.sh")" "$difference"
    fi
}

cases=("$@")
[ ${#cases[@]} -gt 0 ] || mapfile -t cases < <(find "$here/cases" -name '*.sh' -printf '%f\n' | sed 's/\.sh$//' | LC_ALL=C sort)
# The longest begin first.
running=0
for case in $(printf '%s\n' "${cases[@]}" | sed -E 's/^(10|11|08)-/0 &/; t; s/^/1 /' | LC_ALL=C sort -s -k1,1 | cut -d' ' -f2); do
    [ $running -lt $width ] || { wait -n; running=$((running - 1)); }
    run_case "$case" &
    running=$((running + 1))
done
# (munged, slurmctld and slurmd are children, too)
for ((; running > 0; running--)); do wait -n; done
for case in "${cases[@]}"; do compare "$case"; done
[ -z "${KEEP-}" ] || cp -a "$T/slurm" "$T/creel" "$KEEP"/
finish
