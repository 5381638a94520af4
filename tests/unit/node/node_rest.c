/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_rest.c - test: the agent's REST interface answers with the names, order, types and statuses of YARN's
 * node manager
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/node/node_rest_world.h"

#define JSON "application/json;charset=utf-8"
#define XML "application/xml; charset=utf-8"
#define DECLARATION "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>"

static int set_up(void **state)
{
    struct node_rest_world *world = mem_new0(struct node_rest_world);

    node_rest_world_fill(world);
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

static void answers(void **state, const char *target, const char *accept, const char *expected)
{
    scoped_free char *text = node_rest_ask(*state, "GET", target, accept);

    assert_string_equal(text, expected);
}

static void refuses(void **state, const char *target, int status, const char *exception, const char *message)
{
    scoped_free char *text = node_rest_ask(*state, "GET", target, NULL);
    scoped_free char *expected =
        mem_printf("%d " JSON " {\"RemoteException\":{\"exception\":\"%s\",\"message\":\"%s\",", status,
                   exception, message);

    assert_memory_equal(text, expected, strlen(expected));
}

/* --- the node ----------------------------------------------------------------- */

static void info(void **state)
{
    static const char expected[] =
        "200 " JSON " {\"nodeInfo\":{\"healthReport\":\"\",\"totalVmemAllocatedContainersMB\":8601,"
        "\"totalPmemAllocatedContainersMB\":4096,\"totalVCoresAllocatedContainers\":4,"
        "\"vmemCheckEnabled\":false,\"pmemCheckEnabled\":true,\"lastNodeUpdateTime\":2000,"
        "\"resourceTypes\":\"memory-mb (unit=Mi), vcores\",\"nodeHealthy\":true,"
        "\"nodeManagerVersion\":\"3.4.1\",\"nodeManagerBuildVersion\":\"3.4.1 by creel 0.1\","
        "\"nodeManagerVersionBuiltOn\":\"\",\"hadoopVersion\":\"3.4.1\","
        "\"hadoopBuildVersion\":\"3.4.1 by creel 0.1\",\"hadoopVersionBuiltOn\":\"\",\"id\":\"n1:8041\","
        "\"nodeHostName\":\"n1\",\"nmStartupTime\":1000,\"creelVersion\":\"0.1\"}}";

    answers(state, "/ws/v1/node", NULL, expected);
    answers(state, "/ws/v1/node/", NULL, expected);
    answers(state, "/ws/v1/node/info", NULL, expected);
}

static void info_has_the_versions_of_both_sides(void **state)
{
    struct node_rest_world *world = *state;
    scoped_free char *text = NULL;

    world->snapshot.protocol_oldest = world->snapshot.protocol_newest = 1;
    world->snapshot.rm_version = (char[]){ "0.9" };
    world->snapshot.rm_protocol_oldest = 2;
    world->snapshot.rm_protocol_newest = 3;
    world->snapshot.mismatch = (char[]){ "no version in common" };
    text = node_rest_ask(world, "GET", "/ws/v1/node/info", NULL);
    assert_non_null(strstr(text,
                           "\"creelVersion\":\"0.1\",\"creelProtocol\":\"1\","
                           "\"creelResourceManagerVersion\":\"0.9\",\"creelResourceManagerProtocol\":\"2-3\","
                           "\"creelProtocolMismatch\":\"no version in common\"}}"));
}

static void info_of_unhealthy_node(void **state)
{
    struct node_rest_world *world = *state;
    char *text;

    world->snapshot.unhealthy = true;
    world->snapshot.health_report = (char *)(uintptr_t) "1/1 local-dirs are bad";
    text = node_rest_ask(world, "GET", "/ws/v1/node/info", "application/xml");
    assert_non_null(strstr(text, "<nodeInfo><healthReport>1/1 local-dirs are bad</healthReport>"));
    assert_non_null(strstr(text, "<nodeHealthy>false</nodeHealthy>"));
    free(text);
}

static void root_leads_to_the_page(void **state)
{
    answers(state, "/", NULL, "302  ");
    answers(state, "/node/allContainers", NULL, "302  ");
}

/* --- applications -------------------------------------------------------------- */

#define APP_1 \
    "{\"id\":\"application_1_0001\",\"state\":\"RUNNING\",\"user\":\"ann\",\"containerids\":[" \
    "\"container_1_0001_01_000001\",\"container_1_0001_01_000002\"]}"
#define APP_2 \
    "{\"id\":\"application_1_0002\",\"state\":\"APPLICATION_RESOURCES_CLEANINGUP\",\"user\":\"bob\"," \
    "\"containerids\":[\"container_1_0002_01_000001\"]}"
#define APP_3 \
    "{\"id\":\"application_1_0003\",\"state\":\"INITING\",\"user\":\"bob\"," \
    "\"containerids\":[\"container_1_0003_01_000001\"]}"

static void apps(void **state)
{
    answers(state, "/ws/v1/node/apps", NULL,
            "200 " JSON " {\"apps\":{\"app\":[" APP_1 "," APP_2 "," APP_3 "]}}");
    answers(state, "/ws/v1/node/apps?user=bob", NULL,
            "200 " JSON " {\"apps\":{\"app\":[" APP_2 "," APP_3 "]}}");
    answers(state, "/ws/v1/node/apps?state=RUNNING&user=ann", NULL,
            "200 " JSON " {\"apps\":{\"app\":[" APP_1 "]}}");
    answers(state, "/ws/v1/node/apps?state=NEW", NULL, "200 " JSON " {\"apps\":{}}");
    answers(state, "/ws/v1/node/apps?state=INITING", "application/xml",
            "200 " XML " " DECLARATION "<apps><app><id>application_1_0003</id><state>INITING</state>"
            "<user>bob</user><containerids>container_1_0003_01_000001</containerids></app></apps>");
}

static void one_app(void **state)
{
    answers(state, "/ws/v1/node/apps/application_1_0001", NULL, "200 " JSON " {\"app\":" APP_1 "}");
}

static void wrong_apps(void **state)
{
    refuses(state, "/ws/v1/node/apps?state=running", 400, "IllegalArgumentException",
            "No enum constant org.apache.hadoop.yarn.server.nodemanager.containermanager.application."
            "ApplicationState.running");
    refuses(state, "/ws/v1/node/apps?user=", 400, "BadRequestException",
            "java.lang.Exception: Error: You must specify a non-empty string for the user");
    refuses(state, "/ws/v1/node/apps/foo", 400, "BadRequestException",
            "java.lang.Exception: Invalid ApplicationId: foo");
    refuses(state, "/ws/v1/node/apps/application_1_0009", 404, "NotFoundException",
            "java.lang.Exception: app with id application_1_0009 not found");
}

/* --- containers ---------------------------------------------------------------- */

#define CONTAINER(id, state, exit_code, diagnostics, user) \
    "{\"id\":\"" id "\",\"state\":\"" state "\",\"exitCode\":" exit_code ",\"diagnostics\":\"" diagnostics \
    "\",\"user\":\"" user "\",\"totalMemoryNeededMB\":1024,\"totalVCoresNeeded\":1," \
    "\"executionType\":\"GUARANTEED\",\"containerLogsLink\":\"http://n1:8042/node/containerlogs/" id \
    "/" user "\",\"nodeId\":\"n1:8041\",\"containerLogFiles\":[\"stdout\",\"stderr\"]}"
#define CONTAINER_1 CONTAINER("container_1_0001_01_000001", "RUNNING", "-1000", "", "ann")
#define CONTAINER_2 \
    CONTAINER("container_1_0001_01_000002", "KILLING", "-1000", "<killed> & \\\"over\\\"", "ann")
#define CONTAINER_3 CONTAINER("container_1_0002_01_000001", "EXITED_WITH_FAILURE", "3", "", "bob")
#define CONTAINER_4 CONTAINER("container_1_0003_01_000001", "LOCALIZING", "-1000", "", "bob")

static void containers(void **state)
{
    answers(state, "/ws/v1/node/containers", NULL,
            "200 " JSON " {\"containers\":{\"container\":[" CONTAINER_1 "," CONTAINER_2 "," CONTAINER_3
            "," CONTAINER_4 "]}}");
}

static void one_container(void **state)
{
    answers(state, "/ws/v1/node/containers/container_1_0002_01_000001", NULL,
            "200 " JSON " {\"container\":" CONTAINER_3 "}");
    answers(state, "/ws/v1/node/containers/container_1_0001_01_000002", "application/xml",
            "200 " XML " " DECLARATION
            "<container><id>container_1_0001_01_000002</id><state>KILLING</state><exitCode>-1000</exitCode>"
            "<diagnostics>&lt;killed&gt; &amp; &quot;over&quot;</diagnostics><user>ann</user>"
            "<totalMemoryNeededMB>1024</totalMemoryNeededMB><totalVCoresNeeded>1</totalVCoresNeeded>"
            "<executionType>GUARANTEED</executionType><containerLogsLink>http://n1:8042/node/containerlogs/"
            "container_1_0001_01_000002/ann</containerLogsLink><nodeId>n1:8041</nodeId>"
            "<containerLogFiles>stdout</containerLogFiles><containerLogFiles>stderr</containerLogFiles>"
            "</container>");
}

static void wrong_containers(void **state)
{
    refuses(state, "/ws/v1/node/containers/foo", 400, "BadRequestException",
            "java.lang.Exception: invalid container id, foo");
    refuses(state, "/ws/v1/node/containers/container_1_0001_01_000009", 404, "NotFoundException",
            "java.lang.Exception: container with id, container_1_0001_01_000009, not found");
}

/* --- logs ---------------------------------------------------------------------- */

#define LOGS "/ws/v1/node/containers/container_1_0001_01_000001/logs"

static void list_of_logs(void **state)
{
    answers(state, LOGS, NULL,
            "200 " JSON " {\"containerLogsInfo\":{\"containerLogInfo\":[{\"fileName\":\"stdout\","
            "\"fileSize\":\"10\",\"lastModifiedTime\":\"Tue Nov 24 14:24:43 +0000 2026\"}],"
            "\"logAggregationType\":\"LOCAL\",\"containerId\":\"container_1_0001_01_000001\","
            "\"nodeId\":\"n1:8041\"}}");
}

static void log_with_the_lines_of_yarn(void **state)
{
    static const char expected[] =
        "200 text/plain;charset=utf-8 Container: container_1_0001_01_000001 on n1:8041\n"
        "LogAggregationType: LOCAL\n"
        "====================================================================\n"
        "LogType:stdout\nLogLastModifiedTime:Tue Nov 24 14:24:43 +0000 2026\nLogLength:10\nLogContents:\n"
        "one\n<two>\nEnd of LogType:stdout.This log file belongs to a running container "
        "(container_1_0001_01_000001) and so may not be complete.\n"
        "***********************************************************************\n\n";

    answers(state, LOGS "/stdout", NULL, expected);
    answers(state, "/ws/v1/node/containerlogs/container_1_0001_01_000001/stdout", NULL, expected);
}

static void parts_of_logs(void **state)
{
    static const struct {
        const char *query, *text;
    } rows[] = {
        { "size=3", "one" },
        { "size=-3", "o>\n" },
        { "size=0", "" },
        { "size=100", NODE_REST_LOG },
        { "size=-100", NODE_REST_LOG },
        { "start=4", "<two>\n" },
        { "start=4&end=6", "<t" },
        { "start=-6&end=-1", "<two>" },
        { "start=-12&end=-8", "on" },
        { "start=100", "" },
        { "end=2", "on" },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        scoped_free char *target = mem_printf(LOGS "/stdout?raw=1&%s", rows[i].query);
        scoped_free char *expected = mem_printf("200 text/plain;charset=utf-8 %s", rows[i].text);

        answers(state, target, NULL, expected);
    }
    answers(state, LOGS "/stdout?raw=1&format=octet-stream", NULL,
            "200 application/octet-stream; charset=utf-8 " NODE_REST_LOG);
}

static void ranges_of_logs(void **state)
{
    static const struct {
        const char *query, *range, *expected;
    } rows[] = {
        { "raw=1", "bytes=0-2", "206 bytes 0-2/10 one" },
        { "raw=1", "bytes=4-", "206 bytes 4-9/10 <two>\n" },
        { "raw=1", "bytes=-3", "206 bytes 7-9/10 o>\n" },
        { "raw=1", "bytes=-99", "206 bytes 0-9/10 " NODE_REST_LOG },
        { "raw=1", "bytes=4-99999999999999999999999", "206 bytes 4-9/10 <two>\n" },
        { "raw=1", "bytes=10-", "416 bytes */10 " },
        { "raw=1", "bytes=-0", "416 bytes */10 " },
        { "raw=1", "bytes=2-1", "200  " NODE_REST_LOG },
        { "raw=1", "bytes=0-1,3-4", "200  " NODE_REST_LOG },
        { "raw=1", "lines=0-1", "200  " NODE_REST_LOG },
        { "raw=1", "bytes=x", "200  " NODE_REST_LOG },
        { "raw=1&size=1", "bytes=2-3", "200  o" },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        scoped_free char *target = mem_printf(LOGS "/stdout?%s", rows[i].query);
        scoped_free char *text = node_rest_ask_range(*state, target, rows[i].range);

        assert_string_equal(text, rows[i].expected);
    }
}

static void wrong_logs(void **state)
{
    struct node_rest_world *world = *state;

    answers(state, LOGS "/stderr", NULL, "404 text/plain;charset=utf-8 java.lang.Exception: not written");
    answers(state, LOGS "/..%2Fstdout", NULL,
            "404 text/plain;charset=utf-8 java.lang.Exception: Cannot find this log on the local disk.");
    answers(state, LOGS "/stdout?format=pdf", NULL,
            "400 " JSON " The valid values for the parameter : format are [text, octet-stream]");
    refuses(state, LOGS "/stdout?size=x", 400, "BadRequestException",
            "java.lang.Exception: size: not a number: x");
    refuses(state, LOGS "/stdout?start=5&end=4", 400, "BadRequestException",
            "java.lang.Exception: end must be after start, and count from the same side of the log");
    refuses(state, LOGS "/stdout?size=1048577", 413, "WebApplicationException",
            "an answer has at most 1048576 bytes of a log");
    refuses(state, "/ws/v1/node/containers/foo/logs", 400, "BadRequestException",
            "java.lang.Exception: invalid container id, foo");
    refuses(state, "/ws/v1/node/containerlogs/foo/stdout", 400, "BadRequestException",
            "java.lang.Exception: invalid container id, foo");
    world->refuses_logs = true;
    refuses(state, LOGS, 403, "ForbiddenException", "not permitted");
    refuses(state, LOGS "/stdout", 403, "ForbiddenException", "not permitted");
}

static void has(void **state, const char *target, const char *begin, const char *part)
{
    scoped_free char *text = node_rest_ask(*state, "GET", target, NULL);

    if (strncmp(text, begin, strlen(begin)) != 0 || strstr(text, part) == NULL)
        fail_msg("%s: neither \"%s\" nor \"%s\" in %s", target, begin, part, text);
}

#define PAGE "/node/containerlogs/container_1_0001_01_000001/ann"

static void pages_of_logs(void **state)
{
    static const char page[] = "200 text/html; charset=utf-8 <!DOCTYPE html>";
    struct node_rest_world *world = *state;
    scoped_free char *text = NULL;

    has(state, PAGE, page,
        "<a href=\"" PAGE "/stdout/?start=-4096\">stdout : Total file length is 10 bytes.</a>");
    has(state, PAGE, page, "<li>stderr : not written yet</li>");
    has(state, PAGE "/stdout/?start=-4096", page, "Showing 10 bytes of 10 total.");
    has(state, PAGE "/stdout", page, ">one\n&lt;two&gt;\n</pre>");
    has(state, PAGE "/stdout", page,
        "data-source=\"/ws/v1/node/containers/container_1_0001_01_000001/logs/stdout\" data-next=\"10\"");
    has(state, PAGE "/stdout/?start=4", page, ">&lt;two&gt;\n</pre>");
    has(state, PAGE "/stdout/?start=-2", page, ">&gt;\n</pre>");
    has(state, "/node/containerlogs/container_1_0001_01_000001/%22%3E%3Cscript%3E/stdout", page,
        "of user <bdi>ann");
    text = node_rest_ask(*state, "GET", PAGE "/stdout", NULL);
    assert_null(strstr(text, "<two>"));
    assert_null(strstr(text, " style="));
    world->refuses_logs = true;
    has(state, PAGE, "403 text/html", "not permitted");
    has(state, PAGE "/stdout", "403 text/html", "not permitted");
}

static void page_of_the_node(void **state)
{
    static const char page[] = "200 text/html; charset=utf-8 <!DOCTYPE html>";
    struct node_rest_world *world = *state;

    has(state, "/node", page, "<h1>n1:8041</h1>\n<p>Healthy, registered with the resource manager</p>");
    has(state, "/node", page, "<a href=\"" PAGE "\">container_1_0001_01_000001</a>");
    has(state, "/node", page, "ended (exit 3)");
    answers(state, "/node/container/container_1_0001_01_000001", NULL, "302  ");
    refuses(state, "/node/container/x", 400, "BadRequestException",
            "java.lang.Exception: invalid container id, x");
    world->snapshot.unhealthy = true;
    world->snapshot.health_report = (char *)(uintptr_t) "disk <full>";
    world->snapshot.n_containers = 0;
    has(state, "/node", page, "<p class=\"note\">disk &lt;full&gt;</p>");
    has(state, "/node", page, "There is no container on this node.");
}

/* --- logs of containers that the agent no longer lists ------------------------------- */

#define GONE "container_1_0009_01_000001"
#define GONE_LOGS "/ws/v1/node/containers/" GONE "/logs"
#define GONE_PAGE "/node/containerlogs/" GONE "/ann%20b"

static void logs_of_ended_applications_are_served_while_they_are_here(void **state)
{
    static const char page[] = "200 text/html; charset=utf-8 <!DOCTYPE html>";

    has(state, GONE_LOGS, "200 " JSON, "\"containerId\":\"" GONE "\"");
    has(state, GONE_LOGS "/stdout", "200 text/plain", "two>\nEnd of LogType:stdout\n");
    answers(state, GONE_LOGS "/stdout?raw=1", NULL, "200 text/plain;charset=utf-8 " NODE_REST_LOG);
    has(state, GONE_PAGE, page, "<a href=\"" GONE_PAGE "/stdout/?start=-4096\">");
    has(state, GONE_PAGE, page, "<p>Container <span class=\"id\">" GONE "</span>, ended</p>");
    has(state, GONE_PAGE "/stdout", page, ">one\n&lt;two&gt;\n</pre>");
}

static void logs_that_have_moved_are_named(void **state)
{
    static const char moved[] = "java.lang.Exception: the logs of it are in /shared";
    struct node_rest_world *world = *state;

    world->has_no_logs = true;
    refuses(state, GONE_LOGS, 404, "NotFoundException", moved);
    has(state, GONE_LOGS "/stdout", "404 text/plain;charset=utf-8 ", moved);
    has(state, GONE_PAGE, "404 text/html", "<p class=\"note\">the logs of it are in /shared</p>");
    has(state, GONE_PAGE "/stderr", "404 text/html", "<code>creel logs application_1_0009</code>");
    has(state, LOGS, "200 " JSON, "\"containerLogsInfo\""); /* the agent lists it: nothing is written yet */
}

static void leads(void **state, const char *target, int status, const char *location)
{
    scoped_free char *text = node_rest_ask_location(*state, target);
    scoped_free char *expected = mem_printf("%d %s", status, location);

    assert_string_equal(text, expected);
}

static void logs_that_have_moved_lead_to_the_log_server(void **state)
{
    struct node_rest_world *world = *state;

    world->snapshot.log_server_url = (char *)(uintptr_t) "http://jhs:19888/jobhistory/logs/";
    world->snapshot.log_server_rest_url = (char *)(uintptr_t) "http://ts:8188/ws/v1/applicationhistory";
    answers(state, GONE_LOGS "/stdout?raw=1", NULL, "200 text/plain;charset=utf-8 " NODE_REST_LOG);
    world->has_no_logs = true;
    leads(state, GONE_PAGE, 302, "http://jhs:19888/jobhistory/logs/n1:8041/" GONE "/" GONE "/ann%20b");
    leads(state, GONE_PAGE "/stdout/?start=-10", 302,
          "http://jhs:19888/jobhistory/logs/n1:8041/" GONE "/" GONE "/ann%20b/stdout?start=-10");
    leads(state, GONE_LOGS, 307,
          "http://ts:8188/ws/v1/applicationhistory/containers/" GONE "/logs?redirected_from_node=true");
    leads(state, GONE_LOGS "/stdout?size=5", 307,
          "http://ts:8188/ws/v1/applicationhistory/containers/" GONE
          "/logs/stdout?size=5&redirected_from_node=true");
    leads(state, "/ws/v1/node/containerlogs/" GONE "/stdout", 307,
          "http://ts:8188/ws/v1/applicationhistory/containers/" GONE
          "/logs/stdout?redirected_from_node=true");
    world->has_no_logs = false;
    world->refuses_logs = true;
    refuses(state, GONE_LOGS "/stdout", 403, "ForbiddenException", "not permitted");
    has(state, GONE_PAGE, "403 text/html", "not permitted");
}

static void wrong_pages_of_logs(void **state)
{
    has(state, "/node/containerlogs/foo/ann", "404 text/html", "no such container");
    has(state, PAGE "/syslog", "404 text/html", "Cannot find this log");
    has(state, PAGE "/stdout/?start=x", "400 text/html", "start is a number of bytes");
    has(state, PAGE "/stdout/?start=-9223372036854775808", "400 text/html", "start is a number of bytes");
    has(state, PAGE "/stderr", "404 text/html", "not written");
    has(state, "/static/0123456789abcdef/page.css", "404 ", "");
}

static void files_of_pages_are_kept_by_their_hash(void **state)
{
    scoped_free char *text = node_rest_ask(*state, "GET", PAGE, NULL);
    const char *at = strstr(text, "/static/");
    scoped_free char *path = mem_strndup(at, strcspn(at, "\""));

    has(state, path, "200 text/css; charset=utf-8", "color-scheme");
}

/* --- all ------------------------------------------------------------------------ */

static void parts_that_are_not_there(void **state)
{
    refuses(state, "/ws/v1/node/auxiliaryservices", 400, "BadRequestException",
            "java.lang.Exception: Auxiliary services manifest is not enabled");
    answers(state, "/ws/v1/node/resources/yarn.io%2Fgpu", NULL, "200 " JSON " {}");
    refuses(state, "/ws/v1/cluster", 404, "NotFoundException", "There is no page /ws/v1/cluster.");
}

static void wrong_requests(void **state)
{
    scoped_free char *put = node_rest_ask(*state, "PUT", "/ws/v1/node/info", NULL);
    scoped_free char *image = node_rest_ask(*state, "GET", "/ws/v1/node/info", "image/png");

    assert_memory_equal(put, "405 " JSON " {\"RemoteException\":", 5);
    assert_memory_equal(image, "406 " JSON " {\"RemoteException\":", 5);
}

static void agent_that_does_not_answer(void **state)
{
    struct node_rest_world *world = *state;

    world->view.snapshot = NULL;
    refuses(state, "/ws/v1/node/containers", 503, "YarnException", "the agent did not answer in time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(info, set_up, tear_down),
        cmocka_unit_test_setup_teardown(info_has_the_versions_of_both_sides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(info_of_unhealthy_node, set_up, tear_down),
        cmocka_unit_test_setup_teardown(root_leads_to_the_page, set_up, tear_down),
        cmocka_unit_test_setup_teardown(apps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_app, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_apps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(containers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_container, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_containers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(list_of_logs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(log_with_the_lines_of_yarn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(parts_of_logs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ranges_of_logs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_logs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_of_logs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(page_of_the_node, set_up, tear_down),
        cmocka_unit_test_setup_teardown(logs_of_ended_applications_are_served_while_they_are_here, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(logs_that_have_moved_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(logs_that_have_moved_lead_to_the_log_server, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_pages_of_logs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_of_pages_are_kept_by_their_hash, set_up, tear_down),
        cmocka_unit_test_setup_teardown(parts_that_are_not_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_requests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(agent_that_does_not_answer, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
