# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# Programs in the background, bash -e, output that is large or no text, standard input.
. "$CASE"
submit -o waits.txt --wrap '(sleep 1; echo late) & wait'; finished "$id"
submit -o exec.txt --wrap 'exec echo replaced'; finished "$id"
submit -o set.txt <<'S'
#!/bin/bash -e
echo before
false
echo after
S
finished "$id"; exit_code "$id"
submit -o binary.txt --wrap "printf 'a\\000b\\377\\n' | od -An -c"; finished "$id"
submit -o large.txt --wrap 'seq 1 20000 | md5sum; yes | head -c 3000000 | wc -c'; finished "$id"
submit -o tty.txt --wrap '[ -t 0 ] || echo "no terminal"; readlink /proc/self/fd/0'; finished "$id"
