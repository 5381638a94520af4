# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# The umask and the soft limits of the submission.
. "$CASE"
script show <<'S'
#!/bin/bash
umask
ulimit -S -n
ulimit -S -c
ulimit -S -s
touch "made-$1"
S
(umask 027; ulimit -S -n 512; ulimit -S -c 0; submit -o strict.txt show strict; finished "$id"); id=$(tail -n 1 "$IDS")
(umask 002; ulimit -S -s 4096; submit -o open.txt show open; finished "$id")
(ulimit -S -n 300; submit --propagate=NONE -o none.txt --wrap '[ $(ulimit -S -n) != 300 ] && echo other'; finished "$id")
(ulimit -S -n 300; ulimit -S -s 2048; submit --propagate=NOFILE -o one.txt --wrap 'ulimit -S -n; [ $(ulimit -S -s) != 2048 ] && echo other'; finished "$id")
