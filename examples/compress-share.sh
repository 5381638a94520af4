#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compress-share.sh - compress a task's share of the files in LIST and print their checksums
#
#   compress-share.sh LIST OUTDIR     as a task: every CREEL_TASK_COUNT-th file, to OUTDIR/part-N
#   compress-share.sh LIST -          without creel: all files, to standard output
set -eu
list=$1
out=$2
index=${CREEL_TASK_INDEX:-0}
count=${CREEL_TASK_COUNT:-1}
[ "$out" = - ] && index=0 count=1

share() {
    awk -v i="$index" -v n="$count" 'NR % n == i % n' "$list" | while IFS= read -r file; do
        sum=$(gzip -9nc "$file" | sha256sum)
        printf '%s  %s\n' "${sum%% *}" "$file"
    done
}

if [ "$out" = - ]; then
    share
else
    share >"$out/.part-$index"
    mv "$out/.part-$index" "$out/part-$index"
    echo "task $index: $(wc -l <"$out/part-$index") files"
fi
