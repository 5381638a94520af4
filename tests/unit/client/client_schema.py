#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests every command's JSON output against its schema, and exit codes and messages; prints TAP."""
import json
import os
import subprocess
import sys
import tempfile

import jsonschema

import tap
from tap import result

CREEL = os.path.abspath("creel")
FAKE = os.path.abspath("tests/unit/client/client_fake_rm")
APP = "application_1790000000000_0001"
CONTAINER = "container_1790000000000_0001_01_000001"


def creel(*words):
    return subprocess.run([CREEL, *words], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60)


def check_json(kind, *words):
    """One object of KIND, valid by its schema; and each line of -o jsonl a valid item of it."""
    name = "creel %s: %s" % (" ".join(words).replace(os.getcwd(), "."), kind)
    with open(os.path.join("docs/schema", kind + ".json")) as file:
        schema = json.load(file)
    done = creel("--json", *words)
    try:
        answer = json.loads(done.stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(answer, schema)
        result(done.returncode == 0 and len(answer["items"]) > 0, name, done.stderr)
    except (ValueError, jsonschema.ValidationError) as error:
        result(False, name, "%s\n%s\n%s" % (error, done.stdout, done.stderr))


def check_lines(*words):
    """-o jsonl: each line is an item as in --json, of lists and of single things alike."""
    items = json.loads(creel("--json", *words).stdout)["items"]
    lines = [json.loads(line) for line in creel("-o", "jsonl", *words).stdout.splitlines()]
    result(lines == items, "creel -o jsonl %s: its items" % " ".join(words), str(lines))


def check(name, code, words, out="", err=""):
    done = creel(*words)
    result(done.returncode == code and out in done.stdout and err in done.stderr, name,
           "status %d\nstdout: %s\nstderr: %s" % (done.returncode, done.stdout, done.stderr))


def check_commands(directory):
    check_json("AppList", "app", "list")
    check_json("AppList", "history", "apps")
    check_json("EventList", "events", "--since", "2026-01-01")
    check_json("EventList", "events", "--app", "1")
    check_json("AppList", "ps")
    check_json("AppList", "status", "1")
    check_json("ContainerList", "container", "list")
    check_json("ContainerList", "container", "list", "--app", "1")
    check_json("ContainerList", "app", "containers", "1")
    check_json("ContainerList", "container", "show", CONTAINER)
    check_json("ContainerList", "container", "stats", CONTAINER)
    check_json("ContainerList", "container", "stats", "--app", "1")
    check_json("NodeList", "node", "list")
    check_json("NodeList", "node", "show", "n1")
    check_json("QueueList", "queue", "list")
    check_json("QueueList", "queue", "show", "default")
    check_json("QueueList", "queue", "tree")
    check_json("QueueList", "queue", "explain", "default")
    check_json("QueueList", "queue", "show", "fair")
    check_lines("queue", "show", "fair")
    check_json("QueueUserList", "queue", "users", "default")
    check_json("QueueAccessList", "queue", "access", "default", "--user", "bob")
    check_json("WhyList", "why", "1")
    check_json("WhyList", "app", "why", "1", APP)
    check_json("AppList", "app", "move", "1", "root.dev")
    check_json("AppList", "app", "lifetime", "1", "2h")
    check_json("RefreshList", "admin", "refresh", "queues")
    check_json("RefreshList", "admin", "refresh", "nodes")
    check_json("SubmissionTestList", "submit", "--test-only", "-l", "gpu", "--", "true")
    check_json("ClusterInfo", "cluster", "info")
    check_json("ConfList", "conf", "show")
    check_json("ConfList", "conf", "show", "yarn.resourcemanager.address")
    check_json("VersionList", "version")
    check_json("VersionList", "version", "--all")
    check_json("SubmissionList", "submit", "--", "true")
    check_json("JobList", "submit", "--dry-run", "-q", "dev", "-n", "all", "--max-attempts", "2", "-p",
               "-1", "-C", "/", "--on-disconnect", "keep", "--umask", "027", "--nice", "5", "--", "true")
    check_json("JobList", "submit", "--dry-run", "-N", "3", "-m", "1g", "-f",
               os.path.join(directory, "creel-site.xml"), "-e", "A=b", "-l", "gpu", "-t", "2h",
               "--preempt-signal", "USR1", "--", "true", "x")

    check_json("AppList", "wait", "1")
    check_lines("app", "containers", "1")
    check_lines("container", "show", CONTAINER)
    check_lines("conf", "show", "yarn.resourcemanager.address")
    check_lines("submit", "--dry-run", "--", "true")

    check("a table has its columns", 0, ["app", "list"], "APP    NAME ")
    check("a cell is one line", 0, ["app", "list", "-o", "wide"], "\"memory\" limit")
    check("what a container took", 0, ["container", "show", CONTAINER], "Next time:      --memory 368M")
    check("the peak of its swap", 0, ["container", "show", CONTAINER], "Swap peak:      50M")
    check("and in JSON", 0, ["--json", "container", "show", CONTAINER], '"swapPeakBytes": 52428800')
    check("and how much of what it asked for", 0, ["container", "stats", CONTAINER, "--columns",
          "peak,part,mem,advised,read,pids", "--no-header"], "300M  29%  1.0G  368M  5M  3")
    check("the history, all pages, and what it lacks", 0, ["history", "apps", "--columns",
          "app,elapsed,maxmem,cputime,nodes", "--no-header"],
          "_0002  01:00  300M  01:05  1\n_0001  01:00  300M  01:05  1\n",
          "2 history files cannot be read")
    check("a false time", 2, ["history", "apps", "--since", "soon"], "", "--since soon")
    check("a false order", 2, ["history", "apps", "--since", "1h", "--until", "2h"], "", "--since is after --until")
    check("columns are chosen", 0, ["app", "list", "--columns", "app,exit", "--no-header"], "_0002")
    check("ids alone", 0, ["app", "list", "-o", "id", "--sort", "-app"],
          "application_1790000000000_0003\napplication_1790000000000_0002\n" + APP + "\n")
    check("lines of JSON", 0, ["node", "list", "-o", "jsonl"], '{"nodeId":"n1:8041",')
    check("CSV", 0, ["node", "list", "-o", "csv"], "node,state,cont,")
    check("one key's value alone", 0, ["conf", "show", "creel.log.level"], "info\n")
    check("options before and between the words", 0, ["-o", "id", "app", "--quiet", "list"], APP)
    check("logs", 3, ["logs", "1"], "one\ntwo\nthree\n", "the log has expired")
    check("the last line of a log", 0, ["logs", "1", "-n", "1", "--stdout"], "three\n")
    check("a log by its container", 0, ["logs", CONTAINER, "--stdout", "--prefix"], "[01_000001] one")
    check("waiting", 0, ["wait", APP], APP + " FINISHED SUCCEEDED\n")
    check("waiting has a limit", 0, ["wait", "1", "--for", "running", "--timeout", "5"], "RUNNING")
    check("killing", 0, ["kill", "1", "--reason", "enough"], "", APP + ": killed")


def check_queues():
    check("why, the dominant reason first", 0, ["why", "1"],
          "_0001 night job (ann, dev.ml) has waited 1h03m for 4 x (16 GiB)\n"
          " 1. QueueLimit     dev.ml uses 40.0% of the cluster, its maximum is 40%  since ")
    check("why, what is not in the way", 0, ["why", "1"], " 2. UserLimit      ann may use 8 GiB")
    check("why, what next", 0, ["why", "1"],
          " Next: _0031 (carl) ends by its lifetime in 2h; or wait\n")
    check("why, the first failure counts", 3, ["why", "8", "1"], "QueueLimit", "not known")
    check("the tree of queues", 0, ["queue", "tree", "--columns", "queue,cap"],
          "  default   50.0%\n  dev       50.0%")
    check("bars", 0, ["queue", "tree", "--columns", "use", "--no-header"],
          "##.......|..........\n")
    check("one queue explained", 0, ["queue", "explain", "default"],
          "root.default\n  It is guaranteed all of it.\n")
    check("one queue shown", 0, ["queue", "show", "default"], "Next:           _0001\n")
    check("one queue of the fair scheduler", 0, ["queue", "show", "fair"], "Fair share:     4.0G, 4 vcores now, 2.0G, 2 vcores steady\n"
          "Bounds:         minimum 1.0G, 1 vcore, maximum 8.0G, 8 vcores\n"
          "Demand:         6.0G, 6 vcores\nStarved:        for ")
    check("who may what", 0, ["queue", "access", "default", "--user", "bob"],
          "Submit:         yes: acl_submit_applications of root: \"*\"\n"
          "Administer:     no: no list names them\n")
    check("a queue is stopped", 0, ["queue", "stop", "default"], "", "root.default: RUNNING")
    check("a queue of somebody else", 4, ["queue", "start", "root"], "", "root is not yours")
    check("moving", 0, ["app", "move", "1", "dev"], "", APP + ": queue dev, priority 0")
    check("moving to a stopped queue", 6, ["app", "move", "1", "stopped"], "", "is stopped")
    check("a rank", 0, ["app", "priority", "1", "5"], "", "priority 5")
    check("a rank too high", 0, ["app", "priority", "1", "50"], "", "allows priority 10 at most")
    check("a lifetime, by the clock of the RM", 0, ["app", "lifetime", "1", "2h"], "",
          "ends 02:01:00 after its submission")
    check("no lifetime to put off", 6, ["app", "lifetime", "1", "+2h"], "", "2h sets one")
    check("a job tried", 0, ["submit", "--test-only", "--", "true"],
          "Nodes:          20 are large enough, 12 have room now\nBegins:         at once\n")
    check("a job that would wait", 0, ["run", "--test-only", "-l", "gpu", "--", "true"],
          "later: ClusterFull: none has room")
    check("a job that never could", 8, ["submit", "--test-only", "-q", "nowhere", "--", "true"], "",
          "too large")
    check("nodes refreshed", 0, ["admin", "refresh", "nodes"], "",
          "host n1: not listed -> excluded\nnode n1:8041: RUNNING -> DECOMMISSIONED\n"
          "nodes refreshed: 0 hosts included, 1 excluded; of the nodes 0 leave, 1 left, 0 may come back\n")
    check("nodes refreshed: nothing changed", 0, ["admin", "refresh", "nodes", "-g"], "",
          "nodes refreshed: 0 hosts included, 0 excluded; of the nodes 0 leave, 0 left, 0 may come back; "
          "nothing changed\n")
    check("queues refreshed", 0, ["admin", "refresh", "queues"], "",
          "nobody needs this\nqueues refreshed: there are 5\n")
    check("a refresh refused", 7, ["--as", "bad", "admin", "refresh", "queues"], "",
          "creel: capacity-scheduler.xml:3: one\ncreel: capacity-scheduler.xml:5: two\n")
    check("the last refresh", 0, ["cluster", "info"],
          "Queues:         a refresh was refused 00:30 ago for root: capacity-scheduler.xml:3: wrong\n")
    check("a lifetime that is none", 2, ["submit", "--lifetime", "soon", "--", "true"], "", "--lifetime soon")
    check("a time limit that is none", 2, ["submit", "-t", "soon", "--", "true"], "", "--time soon")
    check("a signal that is none", 2, ["submit", "--preempt-signal", "KILL", "--", "true"], "",
          "--preempt-signal KILL: expected HUP")
    check("a umask that is none", 2, ["submit", "--umask", "8", "--", "true"], "",
          "--umask 8: expected an octal number from 0 to 0777")
    check("a nice value that is none", 2, ["run", "--nice", "20", "--", "true"], "",
          "--nice 20: expected a number from -20 to 19")
    check("a priority that is none", 2, ["app", "priority", "1", "high"], "", "a whole number")
    check("nothing to refresh", 2, ["admin", "refresh", "some"], "", "creel admin refresh queues")
    check("no application to explain", 2, ["why"], "", "which application?")


def check_logs(directory):
    def written(name, words, text):
        done = creel("logs", *words)
        result(done.returncode == 0 and done.stdout == text, name, done.stdout + done.stderr)

    written("the last lines of a log, and nothing else", ["1", "-n", "2", "--stdout"], "two\nthree\n")
    written("the last bytes of a log", ["1", "--bytes", "8", "--stdout"], "o\nthree\n")
    written("one file of the two", ["1", "--file", "stdout"], "one\ntwo\nthree\n")
    written("a log that is followed ends with its application", ["1", "--follow", "--stdout", "-n", "1"], "three\n")
    check("a container's log by its name alone", 0, ["container", "logs", CONTAINER, "--stdout"], "one\ntwo\nthree\n")
    written("a log into a directory prints nothing", ["1", "--stdout", "--out", directory + "/logs"], "")
    with open(os.path.join(directory, "logs", CONTAINER, "stdout")) as file:
        result(file.read() == "one\ntwo\nthree\n", "and is there, below its container")
    check("a directory that cannot be", 1, ["logs", "1", "--stdout", "--out", "/dev/null/x"], "", "cannot be written")


def check_mistakes(directory):
    check("nothing at all is wrong usage", 2, [], "", "usage: creel COMMAND")
    check("help is asked for", 0, ["help"], "common commands:")
    check("help for a command", 0, ["submit", "--help"], "examples:")
    check("help for a family", 0, ["help", "node"], "node list")
    check("a mistyped command", 2, ["submti", "--", "true"], "", "did you mean: creel submit")
    check("a mistyped verb", 2, ["node", "lits"], "", "did you mean: creel node list")
    check("a habit", 2, ["squeue"], "", "try: creel app list")
    check("a family that was mistyped", 2, ["lable", "list"], "", "did you mean: creel label")
    check("the version, wherever it is asked for", 0, ["ps", "--version"], "creel ", "")
    check("a family without verb", 2, ["app"], "", "app list")
    check("a mistyped option", 2, ["app", "list", "--columsn", "x"], "", "did you mean --columns?")
    check("a mistyped format", 2, ["ps", "-o", "jsno"], "", "expected table, wide, json, ")
    check("an address that is none", 2, ["ps", "--rm", "127.0.0.1:99999"], "",
          "127.0.0.1:99999: the port is not a number")
    check("a column that there is not", 2, ["ps", "--columns", "x"], "", "there are: app,name")
    check("a mistyped state", 2, ["app", "list", "--state", "runing"], "", "did you mean RUNNING?")
    check("an argument too many", 2, ["ps", "x"], "", "takes no argument: x")
    no_mail = "no mail is sent: the resource manager has no notify command"
    check("a resource manager of 0.2.0 ignores --mail-type", 0, ["submit", "--mail-type", "END", "--", "true"],
          "", no_mail)
    check("--mail-type END without its mail is named with --id, too", 0,
          ["submit", "--id", "--mail-type", "END", "--", "true"], "", no_mail)
    for types in "NONE", "TIME_LIMIT,REQUEUE":
        done = creel("submit", "--mail-type", types, "--", "true")
        result(done.returncode == 0 and "no mail" not in done.stderr, "--mail-type %s has no mail" % types, done.stderr)
    check("--dry-run with an address that is none", 2, ["--rm", "x:y:z", "submit", "--dry-run", "--", "true"],
          '"kind": "JobList"', "address x:y:z")
    check("no command to submit", 2, ["submit"], "", "the command to run is missing")
    check("a malformed time", 2, ["ps", "--timeout", "soon"], "", "expected a time")
    check("an unknown application", 3, ["status", "8"], "", "application 8: not known")
    check("an unknown container", 3, ["logs", "1", "44"], "", "container 44")
    check("an unknown key", 3, ["conf", "show", "creel.log.levle"], "", "creel.log.level?")
    check("a file that is not there", 1, ["submit", "-f", "/no/such", "--", "true"], "", "/no/such")
    check("a job too large", 8, ["submit", "-q", "nowhere", "--", "true"], "", "too large")
    check("no resource manager", 5, ["--rm", "127.0.0.1:1", "--timeout", "1", "ps"], "",
          "127.0.0.1:1 did not answer within 1 s")
    check("a configuration that is not there", 7, ["--conf", "/no/such", "ps"], "", "/no/such")
    check("a directory to check that is not there", 7, ["conf", "check", "/no/such"], "", "/no/such")
    check("a good configuration", 0, ["conf", "check", directory], "", ": good")
    check("killing many is asked about", 1, ["kill", "--user", "ann"], "", "add --yes")


def main():
    with tempfile.TemporaryDirectory(prefix="creel-client-schema.") as directory:
        for name in ("CREEL_RM", "YARN_CONF_DIR", "HADOOP_CONF_DIR", "CREEL_APP_ID"):
            os.environ.pop(name, None)
        os.environ["CREEL_CONF_DIR"] = directory
        fake = subprocess.Popen([FAKE, directory], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                text=True)
        try:
            if not fake.stdout.readline().startswith("ready "):
                sys.exit("the fake resource manager did not start")
            check_commands(directory)
            check_queues()
            check_logs(directory)
            check_mistakes(directory)
        finally:
            fake.stdin.close()
            result(fake.wait(30) == 0, "the fake resource manager ends in order")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
