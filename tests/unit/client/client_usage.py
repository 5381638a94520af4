#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests missing or contradicting arguments: exit status 2, and one line that shows the correct usage; prints TAP.

No resource manager runs.
"""
import os
import subprocess
import sys
import tempfile

CREEL = os.path.abspath("creel")

# Arguments of creel, and the text that the line on standard error must contain.
CASES = (
    ("admin refresh", "creel admin refresh queues|nodes|acls|groups|all"),
    ("admin refresh nodes -g --client --server", "--client and --server: one of them"),
    ("admin refresh queues --client", "are for creel admin refresh nodes -g"),
    ("admin refresh queues -g", "--graceful is for creel admin refresh nodes"),
    ("admin refresh nodes -g 10 20", "one time: creel admin refresh nodes -g [TIME]"),
    ("admin refresh nodes -g soon", "soon: expected a time, in seconds or as 30m"),
    ("admin state", "creel admin state check|accept"),
    ("app show", "creel status ID"),
    ("app containers", "creel app containers ID"),
    ("app move 1", "creel app move ID QUEUE"),
    ("app priority 1", "creel app priority ID N"),
    ("app requeue", "creel app requeue ID"),
    ("app rerun", "creel app rerun ID"),
    ("app lifetime 1", "creel app lifetime ID +2h"),
    ("kill", "creel kill ID"),
    ("kill 1 --user ann", "not both"),
    ("conf show a b", "creel conf show [KEY]"),
    ("conf check a b", "creel conf check [DIR]"),
    ("container list --app 1 --node n1", "--app, --node and a container: one of them"),
    ("container show", "creel container show ID"),
    ("container stats a b", "one container, or --app or --node for several"),
    ("container signal a", "creel container signal ID USR1"),
    ("container resize", "creel container resize ID -m 4g -c 2"),
    ("container resize a", "creel container resize ID -m 4g -c 2"),
    ("container resize a -m much", "--memory much: expected a size, as 512M, 2g or 2GiB (512 is MiB)"),
    ("container resize a -c 0", "--vcores 0: expected a number from 1 to 1000000"),
    ("container resize a --cancel -c 1", "--cancel: a size cannot be given, too"),
    ("container signal a NOTHING", "NOTHING is no signal: expected a name, as TERM or SIGUSR1"),
    ("container signal a TERM --main --all", "--main, --all and --others: one of them"),
    ("container exec", "creel container exec ID -- COMMAND"),
    ("container logs", "creel container logs ID"),
    ("dev up --agents many", "--agents many: expected a number from 1 to"),
    ("help nothing", "there is no command \"nothing\""),
    ("help sumbit", "did you mean submit?"),
    ("help squeue", "try: creel app list"),
    ("keygen user", "creel keygen user NAME"),
    ("keygen agent --export a b", "creel keygen agent --export NAME"),
    ("keygen cluster a b", "creel keygen cluster [DIR]"),
    ("label list x", "creel label list takes no argument: x"),
    ("label remove", "creel label remove LABEL..."),
    ("logs", "creel logs ID [CONTAINER]"),
    ("logs 1 --file other", "--file other: there are stdout and stderr"),
    ("logs 1 -n 1 --bytes 5", "--lines and --bytes: one of them"),
    ("logs 1 -n many", "--lines many: expected a number of lines"),
    ("logs 1 --bytes many", "--bytes many: expected a size, as 1000 or 64k"),
    ("logs 1 --follow --out x", "--follow and --out: one of them"),
    ("logs 1 --follow --since 90s", "--since and --follow: one of them"),
    ("logs 1 --since soon", "--since soon: expected a time, as 90s or 10m"),
    ("keygen user --export a b", "creel keygen user --export NAME"),
    ("setup client --rm n1", "creel setup client --rm HOST --token TOKEN"),
    ("setup node --rm n1", "creel setup node --rm HOST --token TOKEN, or --rm HOST --keys FILE"),
    ("ps -s TO", "--state TO: creel has no state for it (TIMEOUT in Slurm); KILLED: REASON names the time limit"),
    ("ps -s pd,node_fail", "--state node_fail: creel has no state for it (NODE_FAIL in Slurm); FAILED: "),
    ("app list -s oom", "--state oom: creel has no state for it (OUT_OF_MEMORY in Slurm); FAILED: "),
    ("ps -s runing", "--state runing: there is no such state; did you mean RUNNING?"),
    ("node list --state tired", "--state tired: there is no such state; there are RUNNING"),
    ("node show", "creel node show NODE"),
    ("node drain --reason x", "creel node drain NODE... --reason TEXT"),
    ("node drain n1", "creel node drain NODE... --reason TEXT"),
    ("node drain n1 --reason x --deadline soon", "--deadline soon: expected a time from now on"),
    ("node drain n1 --reason x --deadline 0", "--deadline 0: expected a time from now on"),
    ("node drain n1 --reason x --deadline 1h --no-deadline", "--deadline and --no-deadline: one of them"),
    ("node undrain", "creel node undrain NODE..."),
    ("node decommission", "creel node decommission NODE..."),
    ("node recommission", "creel node recommission NODE..."),
    ("node resources n1", "creel node resources NODE..."),
    ("node resources n1 lots", "expected mem=SIZE, vcores=N or both"),
    ("queue show", "creel queue show QUEUE"),
    ("queue access", "creel queue access QUEUE [--user USER]"),
    ("queue stop", "creel queue stop QUEUE"),
    ("queue users", "creel queue users QUEUE"),
    ("submit --resource disk=lots -- true", "--resource disk=lots: expected a whole number"),
    ("top planets", "planets: expected apps, queues, nodes or users"),
    ("top -d 0", "--delay 0: expected seconds"),
    ("wait", "creel wait ID"),
    ("wait 1 --for never", "--for never: expected running or finished"),
    ("wait 1 --timeout soon", "--timeout soon: expected a time, as 30 (seconds), 5m or 1h"),
)


def main():
    bad = 0
    with tempfile.TemporaryDirectory(prefix="creel-client-usage.") as directory:
        for name in ("YARN_CONF_DIR", "HADOOP_CONF_DIR", "CREEL_APP_ID"):
            os.environ.pop(name, None)
        os.environ["CREEL_CONF_DIR"] = directory
        os.environ["CREEL_RM"] = "127.0.0.1:1"
        for number, (words, text) in enumerate(CASES, 1):
            done = subprocess.run([CREEL, *words.split()], stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=60, cwd=directory)
            good = done.returncode == 2 and not done.stdout and done.stderr.startswith("creel: ") \
                and text in done.stderr and not os.listdir(directory)
            bad += not good
            print("%sok %d - creel %s" % ("" if good else "not ", number, words))
            if not good:
                print("# expected status 2 and: %s\n# got status %d and: %s" %
                      (text, done.returncode, (done.stdout + done.stderr).replace("\n", "\n# ")))
    print("1..%d" % len(CASES))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
