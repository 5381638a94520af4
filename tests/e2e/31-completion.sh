#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Completion: names from the resource manager, a list that is cached for ten seconds, a resource manager that does not
# reply; and the Tab key in bash, zsh and fish.
. "$(dirname "$0")/lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
for shell in bash zsh fish; do
    command -v $shell >/dev/null || { fail "$shell is installed: scripts/dependencies --tests"; finish; }
done
unset XDG_RUNTIME_DIR
mkdir "$T/conf"
echo '<configuration><property><name>yarn.node-labels.enabled</name><value>true</value></property></configuration>' \
    >"$T/conf/yarn-site.xml"
cluster_up -n 1 --conf "$T/conf"
id=$(creel submit --id -n sleeper -m 32M -- sleep "$(unlike_others)")
becomes "a job runs" 30 running_is "$id" 1
node=$(value .nodeId node list)
container=$(first_container "$id")
mkdir -m 0700 "$T/run"
# The limit of 300 ms is for people; a slow machine needs several trials.
offers() { [ "$(creel __complete -- "${@:2}" 2>/dev/null | cut -f1 | tr '\n' ' ')" = "$1 :done " ]; }

becomes "completion offers application ids" 20 offers "$id" kill ''
becomes "completion shows name, user and state of an application" 20 \
    sh -c "creel __complete -- status '' | grep -q 'sleeper root RUNNING'"
becomes "completion offers containers" 20 offers "$container" container show ''
becomes "completion offers the containers of an application" 20 offers "$container" logs "$id" ''
becomes "completion offers nodes" 20 offers "$node" node drain ''
becomes "completion offers queues" 20 offers "root root.default" queue show ''
becomes "completion offers queues after --queue=" 20 \
    offers "--queue=root --queue=root.default" submit --queue=r
becomes "completion offers queues in a list" 20 offers "root,root root,root.default" app list --queue root,
exits "creel label add adds a label" 0 creel label add gpu
becomes "completion offers labels" 20 offers gpu label remove ''

# --- the cached list
export XDG_RUNTIME_DIR=$T/run
becomes "completion offers queues and stores the list" 20 offers "root root.default" queue show ''
kept=$(echo "$T"/run/creel-complete-*)
is "the stored list is one file, which only its user can read" \
    "600 1" "$(stat -c %a "$kept") $(find "$T/run" -type f | wc -l)"
rm=$(pid_of rm)
kill -STOP "$rm"
touch "$kept"
check "a stored list of the last ten seconds is used again" offers "root root.default" queue show ''
touch -d '1 minute ago' "$kept"
exits "completion exits with 0 when the resource manager does not reply" 0 creel __complete -- queue show ''
is "completion offers nothing when the resource manager does not reply" \
    "" "$(grep -v '^creel: ' <<<"$OUTPUT")"
kill -CONT "$rm"
becomes "completion offers queues when the resource manager replies again" 20 \
    offers "root root.default" queue show ''

# --- shells: each completes a command, a queue, a container and a node, whose id has a colon, and runs the result
mkdir -p "$T/home" "$T/zsh"
cp "$top/client/completion/_creel" "$T/zsh/"
becomes "the list of containers is stored" 20 offers "$container" container show ''
becomes "the list of nodes is stored" 20 offers "$node" node show ''
# tab_completes START SHELL...: uses cached lists, so that no reply is needed within 300 ms.
tab_completes() {
    local start=$1
    shift
    touch "$T"/run/creel-complete-*
    env HOME="$T/home" TERM=xterm COLUMNS=200 timeout 120 "$(dirname "$0")/on-a-terminal.py" \
        press="$start\\r" press='echo re""ady\r' see=ready \
        press='creel queue sh\t--help\r' see='usage: creel queue show QUEUE' \
        press='creel queue show root.d\t\r' see='Queue: *root.default|root.default +RUNNING' \
        press='creel container show container_\t\r' see='sleeper|RUNNING' \
        press="creel node show ${node%?}\\t\\r" see='cgroup|RUNNING' \
        press='exit\r' -- "$@"
}
becomes "bash: the Tab key completes commands, queues, containers and nodes" 60 tab_completes \
    ". /usr/share/bash-completion/bash_completion; . $top/client/completion/creel.bash" bash --norc --noprofile -i
becomes "zsh: the Tab key completes commands, queues, containers and nodes" 60 tab_completes \
    "fpath=($T/zsh \$fpath); autoload -U compinit; compinit -u -D" zsh -f -i
becomes "fish: the Tab key completes commands, queues, containers and nodes" 60 tab_completes "source $top/client/completion/creel.fish" fish --no-config -i
finish
