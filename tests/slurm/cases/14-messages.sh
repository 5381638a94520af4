# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# What sbatch prints and returns: --parsable, --test-only, bad options and values.
. "$CASE"
sbatch --wrap true -o /dev/null | sed 's/[0-9][0-9]*$/N/'
sbatch --parsable --wrap true -o /dev/null | sed 's/[0-9][0-9]*$/N/'
sbatch -Q --wrap true -o /dev/null | sed 's/[0-9][0-9]*$/N/'
for bad in --nothing -t=1.5 --time=abc --mem=lots --array=5- --array=a -n=0 --cpus-per-task=-1 --begin=never --signal=NOSUCH@3 --partition=nosuch \
    --open-mode=x --dependency=afterok --nice=x --export --mail-type=SOMETIMES; do
    sbatch "$bad" -o /dev/null --hold --wrap true >out 2>err
    status=$?
    [ $status = 0 ] || status=refused
    echo "$bad: $status: $(sed 's/[0-9][0-9]*$/N/' out)"
done
rm out err
sbatch --test-only --wrap true 2>&1 | sed -E 's/[0-9]+ to start at [^ ]+/N to start at TIME/'
sbatch --wrap true script; echo "status $?"
sbatch --version
script typo <<'S'
#!/bin/bash
#SBATCH --tme=5
S
sbatch --hold typo >typo.out 2>&1 && echo accepted || echo "an unknown option in a script is refused"
rm typo.out
