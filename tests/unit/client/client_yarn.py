#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the command yarn against a fake resource manager: output and exit statuses; prints TAP."""
import os
import subprocess
import sys
import tempfile

import tap
from tap import result

YARN = os.path.abspath("creel-yarn")
FAKE = os.path.abspath("tests/unit/client/client_fake_rm")
APP = "application_1790000000000_0001"
ENDED = "application_1790000000000_0002"
ATTEMPT = "appattempt_1790000000000_0001_000001"
CONTAINER = "container_1790000000000_0001_01_000001"


def yarn(*words):
    return subprocess.run([YARN, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


def check(code, line, out="", err=""):
    """The exit status of yarn LINE, and text in its output."""
    done = yarn(*line.split())
    result(done.returncode == code and out in done.stdout and err in done.stderr, "yarn " + line,
           "status %d\nstdout: %s\nstderr: %s" % (done.returncode, done.stdout, done.stderr))


def check_applications():
    check(0, "application -list", "states: [SUBMITTED, ACCEPTED, RUNNING] and tags: []):3\n")
    check(0, "app -list -appStates ALL -appTypes creel", "(application-types: [CREEL], states: [NEW, NEW_SAVING, ")
    check(0, "application -list -appTypes SPARK", " and tags: []):0\n")
    check(0, "application -status " + APP, "\tProgress : 25%\n\tState : RUNNING\n")
    check(255, "application -status application_1790000000000_0099", "doesn't exist in RM")
    check(1, "application -status 1", "", "Invalid ApplicationId: 1")
    check(0, "application -kill " + APP, "Killing application " + APP)
    check(1, "application -kill %s %s" % (APP, "application_1_1"), "", "Invalid ApplicationId")
    check(255, "application -kill application_1790000000000_0099", "doesn't exist in RM")
    check(0, "application -movetoqueue %s -queue dev" % APP, "Successfully completed move.\n")
    check(0, "application -changeQueue dev -appId " + APP, "Moving application %s to queue dev\n" % APP)
    check(255, "application -movetoqueue " + APP, "", "usage: application")
    check(0, "application -updatePriority 3 -appId " + APP, "application %s with priority '3'" % APP)
    check(1, "application -updatePriority high -appId " + APP, "", "expected a whole number")
    check(0, "application -updateLifetime 60 -appId " + APP, "New expiry time is ")
    check(1, "application -updateLifetime 0 -appId " + APP, "", "expected a number of seconds")


def check_parts():
    check(0, "applicationattempt -list " + APP, "Total number of application attempts :1\n")
    check(0, "applicationattempt -status " + ATTEMPT, "\tAMContainer : %s\n" % CONTAINER)
    check(255, "applicationattempt -status appattempt_1790000000000_0001_000009", "doesn't exist in RM")
    check(0, "container -list " + ATTEMPT, "Total number of containers :1\n")
    check(0, "container -status " + CONTAINER, "\tState : COMPLETE\n")
    check(1, "container -status 1", "", "Invalid ContainerId: 1")
    check(1, "container -signal %s HUP" % CONTAINER, "", "expected OUTPUT_THREAD_DUMP")
    check(0, "node -list", "Total Nodes:1\n")
    check(0, "node -list -states lost,unhealthy", "Total Nodes:0\n")
    check(255, "node -list -states tired", "The node state tired is invalid.")
    check(0, "node -status n1:8041", "\tMemory-Capacity : 8192MB\n")
    check(0, "queue -status default", "Queue Path : root.default\n")
    check(0, "queue -list all", "3 queues were found\n")
    check(0, "rmadmin -getServiceState rm1", "active\n")
    check(0, "rmadmin -refreshQueues")
    check(0, "rmadmin -checkHealth rm1")


def check_logs(directory):
    def content(name, words, text):
        done = yarn("logs", "-applicationId", APP, *words)
        between = done.stdout.partition("LogContents:\n")[2].partition("\nEnd of LogType:stdout\n")[0]
        result(done.returncode == 0 and between == text, name, done.stdout + done.stderr)

    content("a whole log", [], "one\ntwo\nthree\n")
    content("the first bytes", ["-size", "5"], "one\nt")
    content("the last bytes", ["-size", "-7"], "\nthree\n")
    content("more bytes than there are", ["-size", "-1000"], "one\ntwo\nthree\n")
    content("no bytes", ["-size", "0"], "")
    check(0, "logs -containerId " + CONTAINER, "Container: %s on n1:8041\nLogAggregationType: LOCAL\n" % CONTAINER)
    check(0, "logs -applicationId " + APP, "LogType:stdout\nLogLastModifiedTime:Mon Sep 21 14:13:21 +0000 2026\n")
    check(255, "logs -applicationId %s -log_files stderr" % APP, "", "there is no log")
    check(255, "logs", "", "Both applicationId and containerId are missing")
    check(0, "logs -list_nodes -applicationId " + APP, "n1:8041\n")
    check(0, "logs -out %s/logs -applicationId %s" % (directory, APP))
    with open(os.path.join(directory, "logs", "n1_8041", CONTAINER)) as file:
        result("\nthree\n" in file.read(), "a log in a directory")
    check(255, "logs -out /dev/null/x -applicationId " + APP, "", "cannot be written")


def check_schedulerconf():
    changed = "Configuration changed successfully.\n"
    check(0, "schedulerconf -add root.new:capacity=50,maximum-capacity=80;root.b:capacity=5", changed,
          "yarn: warning: nobody needs this")
    check(0, "schedulerconf -updateQueues root.dev:state=", changed)
    check(0, "schedulerconf --remove root.a;root.b -global yarn.scheduler.capacity.maximum-applications=7", changed)
    check(0, "schedulerconf -format", "Configuration under store successfully formatted.\n")
    check(0, "schedulerconf -getconf", "  <property>\n    <name>yarn.scheduler.capacity.root.queues</name>\n"
          "    <value>default,&lt;dev&gt;&amp;\"x\"</value>\n  </property>\n</configuration>\n")
    check(255, "schedulerconf -update root.bad:capacity=x", "",
          "Configuration change unsuccessful: Failed to re-init queues : root.bad.capacity: \"x\": no number\n")
    check(255, "schedulerconf -remove root.files", "", "Configuration change unsuccessful: Configuration change only supported by MutableConfScheduler. (queues are in files alone)\n")
    check(255, "schedulerconf -update root.dev:capacity", "", "Specify configuration key value as confKey=confVal.")
    check(255, "schedulerconf", "", "Invalid Command Usage : ")
    check(255, "schedulerconf -add", "Missing argument for options")
    check(0, "schedulerconf -h", "usage: schedulerconf\n")
    check(1, "schedulerconf -getconf -D yarn.resourcemanager.address=127.0.0.1:1")
    check(0, "top -delay 1", "APP    NAME")
    check(1, "top -users ann", "", "the keys s and u sort by user")


def check_mistakes():
    check(1, "", "", "Usage: yarn [--config DIR] COMMAND")
    check(0, "--help", "Usage: yarn")
    check(0, "version", "Hadoop 3.")
    check(0, "application -help", "usage: application\n")
    check(1, "application -nosuch", "", "Unrecognized option: -nosuch")
    check(1, "applicationattempt -fail " + ATTEMPT, "", "creel app requeue ID")
    check(1, "container -shell " + CONTAINER, "", "creel container exec -it ID -- sh")
    check(1, "--daemon start resourcemanager", "", "systemctl start creel-rm")
    check(255, "application -status", "Missing argument for options", "usage: application")
    check(255, "application", "", "Invalid Command Usage : ")
    check(1, "nosuch", "", "there is no command \"nosuch\"")
    check(1, "jar x.jar", "", "creel submit")
    check(1, "daemonlog -getlevel n1:8042 x", "", "creel admin log-level")
    check(255, "rmadmin -nosuch", "", "-nosuch: Unknown command")
    check(255, "rmadmin -transitionToActive rm1", "", "one resource manager")
    check(255, "rmadmin -refreshNodes -g", "", "-client|-server")
    check(255, "rmadmin -updateNodeResource n1 many 1", "", "memory-mb=many: expected an amount")
    check(0, "application -list -D mapreduce.job.name=x", "", "-D mapreduce.job.name=x has no effect here")
    check(1, "--config /no/such node -list", "", "/no/such")


def main():
    with tempfile.TemporaryDirectory(prefix="creel-client-yarn.") as directory:
        for name in ("CREEL_RM", "YARN_CONF_DIR", "HADOOP_CONF_DIR", "CREEL_APP_ID"):
            os.environ.pop(name, None)
        os.environ["CREEL_CONF_DIR"] = directory
        os.environ["TZ"] = "UTC"
        fake = subprocess.Popen([FAKE, directory], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            if not fake.stdout.readline().startswith("ready "):
                sys.exit("the fake resource manager did not start")
            check_applications()
            check_parts()
            check_logs(directory)
            check_schedulerconf()
            check_mistakes()
        finally:
            fake.stdin.close()
            result(fake.wait(30) == 0, "the fake resource manager ends in order")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
