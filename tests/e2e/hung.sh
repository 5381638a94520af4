# SPDX-License-Identifier: Apache-2.0
# hung.sh - directories that do not answer, for tests that source it after lib.sh
# shellcheck shell=bash
[ -c /dev/fuse ] || { echo "1..0 # SKIP this machine has no /dev/fuse: no directory that does not answer"; exit 0; }
hung_holders=() hung_directories=()

# freeze DIRECTORY...: a file system without a process that serves it covers each directory.
freeze() {
    local directory
    for directory; do
        sh -c 'exec 9<>/dev/fuse; mount -i -t fuse -o fd=9,rootmode=40000,user_id=0,group_id=0 hung "$0"; exec sleep 600' "$directory" &
        hung_holders+=($!)
        hung_directories+=("$directory")
        wait_until 20 grep -qF " $directory fuse" /proc/mounts
    done
}

# thaw: all directories answer again.
thaw() {
    [ ${#hung_holders[@]} = 0 ] || kill "${hung_holders[@]}"
    [ ${#hung_directories[@]} = 0 ] || umount -l "${hung_directories[@]}"
    hung_holders=() hung_directories=()
} 2>/dev/null
trap 'thaw; cleanup' EXIT
