#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every command's JSON against its schema, and what else a user of the command meets: TAP."""
import json
import os
import subprocess
import sys
import tempfile

import jsonschema

SOURCE = os.environ.get("srcdir", ".")
CREEL = os.path.abspath("creel")
FAKE = os.path.abspath("tests/unit/client_fake_rm")
APP = "application_1790000000000_0001"
CONTAINER = "container_1790000000000_0001_01_000001"
count = failed = 0


def result(good, name, more=""):
    global count, failed
    count += 1
    failed += not good
    print("%sok %d - %s" % ("" if good else "not ", count, name))
    for line in more.splitlines() if not good else []:
        print("# " + line)


def creel(*words):
    return subprocess.run([CREEL, *words], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60)


def check_json(kind, *words):
    """One object of KIND, valid by its schema; and each line of -o jsonl a valid item of it."""
    name = "creel %s: %s" % (" ".join(words).replace(os.getcwd(), "."), kind)
    with open(os.path.join(SOURCE, "docs/schema", kind + ".json")) as file:
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
    check_json("AppList", "ps")
    check_json("AppList", "status", "1")
    check_json("ContainerList", "container", "list")
    check_json("ContainerList", "container", "list", "--app", "1")
    check_json("ContainerList", "app", "containers", "1")
    check_json("ContainerList", "container", "show", CONTAINER)
    check_json("NodeList", "node", "list")
    check_json("NodeList", "node", "show", "n1")
    check_json("QueueList", "queue", "list")
    check_json("QueueList", "queue", "show", "default")
    check_json("ClusterInfo", "cluster", "info")
    check_json("ConfList", "conf", "show")
    check_json("ConfList", "conf", "show", "yarn.resourcemanager.address")
    check_json("VersionList", "version")
    check_json("VersionList", "version", "--all")
    check_json("SubmissionList", "submit", "--", "true")
    check_json("JobList", "submit", "--dry-run", "-N", "3", "-m", "1g", "-f",
               os.path.join(directory, "creel-site.xml"), "-e", "A=b", "--", "true", "x")

    check_json("AppList", "wait", "1")
    check_lines("app", "containers", "1")
    check_lines("container", "show", CONTAINER)
    check_lines("conf", "show", "yarn.resourcemanager.address")
    check_lines("submit", "--dry-run", "--", "true")

    check("a table has its columns", 0, ["app", "list"], "APP    NAME ")
    check("a cell is one line", 0, ["app", "list", "-o", "wide"], "\"memory\" limit")
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


def check_mistakes(directory):
    check("nothing at all is wrong usage", 2, [], "", "usage: creel COMMAND")
    check("help is asked for", 0, ["help"], "every day:")
    check("help for a command", 0, ["submit", "--help"], "examples:")
    check("help for a family", 0, ["help", "node"], "node list")
    check("a mistyped command", 2, ["submti", "--", "true"], "", "did you mean: creel submit")
    check("a mistyped verb", 2, ["node", "lits"], "", "did you mean: creel node list")
    check("a habit", 2, ["squeue"], "", "try: creel ps")
    check("a family without verb", 2, ["app"], "", "app list")
    check("a mistyped option", 2, ["app", "list", "--columsn", "x"], "", "did you mean --columns?")
    check("a mistyped format", 2, ["ps", "-o", "jsno"], "", "expected table, wide, json, ")
    check("an address that is none", 2, ["ps", "--rm", "127.0.0.1:99999"], "",
          "127.0.0.1:99999: the port is not a number")
    check("a column that there is not", 2, ["ps", "--columns", "x"], "", "there are: app,name")
    check("a mistyped state", 2, ["app", "list", "--state", "runing"], "", "did you mean RUNNING?")
    check("an argument too many", 2, ["ps", "x"], "", "takes no argument: x")
    check("no command to submit", 2, ["submit"], "", "which command?")
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
    check("killing many is asked about", 1, ["kill", "--user", "ann"], "", "say --yes")


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
            check_mistakes(directory)
        finally:
            fake.stdin.close()
            result(fake.wait(30) == 0, "the fake resource manager ends in order")
    print("1..%d" % count)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
