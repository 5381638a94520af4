#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Call each method of yarn-api-client and hadoop-yarn-rest-api against a cluster, and check the answers: TAP.

usage: yarn_clients.py TOKEN APPLICATION WAITING LONG
       yarn_clients.py --no-authentication APPLICATION
       yarn_clients.py --simple APPLICATION

YARN_CONF_DIR has a yarn-site.xml from which the client finds resource manager and node manager. APPLICATION runs with
one container, WAITING cannot start, LONG runs and may be killed. TOKEN is an access token with the scope admin. The
second form is for a cluster that authenticates nobody (creel.http.auth=none), the third for one that believes names
(simple), as YARN without Kerberos.
"""
import datetime
import logging
import sys
import time
import xml.etree.ElementTree as ET

import requests
from hadoop.yarn import Yarn
from yarn_api_client import ApplicationMaster, HistoryServer, NodeManager, ResourceManager
from yarn_api_client.auth import SimpleAuth
from yarn_api_client.errors import APIError

DEADLINE_S = 60
results = []


class Token(requests.auth.AuthBase):
    def __init__(self, token):
        self.token = token

    def __call__(self, request):
        request.headers['Authorization'] = 'Bearer ' + self.token
        return request


class Recorded:
    """A client, and which of its methods were called."""

    def __init__(self, client):
        self.client = client
        self.called = set()

    def __getattr__(self, name):
        self.called.add(name)
        return getattr(self.client, name)

    def not_called(self):
        of_all = {'request', 'construct_parameters', 'response_class', 'get_active_endpoint'}
        return sorted(name for name in dir(self.client) if not name.startswith('_') and callable(getattr(self.client, name))
                      and name not in self.called | of_all)


def check(name, good, got=None):
    results.append(bool(good))
    print(f"{'ok' if good else 'not ok'} {len(results)} - {name}", flush=True)
    if not good:
        print('# got:', str(got)[:2000].replace('\n', '\n# '), flush=True)


def is_(name, expected, got):
    check(name, expected == got, f'{got!r}, expected {expected!r}')


def becomes(name, ask, expected):
    """Ask until the answer is what is expected, until DEADLINE_S."""
    end = time.monotonic() + DEADLINE_S
    while (got := ask()) != expected and time.monotonic() < end:
        time.sleep(0.1)
    is_(name, expected, got)


def refused(name, status, exception, call, *arguments):
    """CALL must end in the client's exception for an answer with STATUS, and YARN's EXCEPTION in its body."""
    try:
        got = call(*arguments).data
    except APIError as error:
        got = str(error)
    check(name, isinstance(got, str) and f'status: {status}' in got and exception in got, got)


def has_members(name, document, members):
    missing = [member for member in members.split() if member not in document]
    check(name, not missing, f'missing: {missing} in {document}')


def read_cluster(rm):
    info = rm.cluster_information().data['clusterInfo']
    is_('cluster_information', ('STARTED', 'ACTIVE'), (info['state'], info['haState']))
    metrics = rm.cluster_metrics().data['clusterMetrics']
    is_('cluster_metrics', 1, metrics['activeNodes'])
    check('cluster_metrics has whole numbers', all(not isinstance(v, float) for k, v in metrics.items() if k.endswith(('MB', 'Nodes', 'Cores'))), metrics)
    check('cluster_node_container_memory', rm.cluster_node_container_memory() > 0)
    is_('cluster_scheduler', 'capacityScheduler', rm.cluster_scheduler().data['scheduler']['schedulerInfo']['type'])
    queue = rm.cluster_scheduler_queue('dev')
    is_('cluster_scheduler_queue', ('dev', 40.0, 'RUNNING'), (queue['queueName'], queue['capacity'], queue['state']))
    is_('cluster_scheduler_queue of a queue that is not there', None, rm.cluster_scheduler_queue('other'))
    partition = rm.cluster_queue_partition(queue, '')
    is_('cluster_queue_partition', 40.0, partition['absoluteCapacity'])
    is_('cluster_scheduler_queue_availability', (True, False),
        (rm.cluster_scheduler_queue_availability(partition, 90), rm.cluster_scheduler_queue_availability(partition, -1)))


def read_apps(rm, app, waiting):
    ids = [a['id'] for a in rm.cluster_applications(states=['RUNNING', 'ACCEPTED']).data['apps']['app']]
    check('cluster_applications', {app, waiting} <= set(ids), ids)
    is_('cluster_applications filters by state, queue and name', [app], [a['id'] for a in rm.cluster_applications(
        state='RUNNING', queue='dev', name='outside', limit='10', final_status='UNDEFINED', started_time_begin='1',
        application_types=['CREEL'], application_tags=['nightly'], de_selects=['resourceRequests']).data['apps']['app']])
    is_('cluster_applications of a user without applications is empty', {}, rm.cluster_applications(user='nobody').data['apps'])
    is_('cluster_applications filters by the time of the end', {}, rm.cluster_applications(finished_time_begin='9000000000000').data['apps'])
    counts = rm.cluster_application_statistics(states=['RUNNING'], application_types=['CREEL']).data['appStatInfo']['statItem']
    check('cluster_application_statistics', counts[0]['state'] == 'RUNNING' and counts[0]['count'] >= 1, counts)
    one = rm.cluster_application(app).data['app']
    is_('cluster_application', (app, 'root.dev', 'outside', 'nightly'),
        (one['id'], one['queue'] if one['queue'].startswith('root') else 'root.' + one['queue'], one['name'], one['applicationTags']))
    has_members('cluster_application has the members that clients read', one, 'progress amHostHttpAddress amContainerLogs runningContainers trackingUrl startedTime')
    refused('cluster_application of another cluster', 404, 'NotFoundException', rm.cluster_application, 'application_1_0001')
    refused('cluster_application with a malformed id', 400, 'BadRequestException', rm.cluster_application, 'application_x')
    is_('cluster_application_state', 'RUNNING', rm.cluster_application_state(app).data['state'])
    is_('cluster_get_application_queue', 'dev', rm.cluster_get_application_queue(app).data['queue'].split('.')[-1])
    is_('cluster_get_application_priority', 0, rm.cluster_get_application_priority(app).data['priority'])


def read_attempts(rm, app):
    attempt = rm.cluster_application_attempts(app).data['appAttempts']['appAttempt'][0]
    has_members('cluster_application_attempts', attempt, 'id startTime containerId nodeHttpAddress nodeId logsLink appAttemptId')
    name = attempt['appAttemptId']
    info = rm.cluster_application_attempt_info(app, name).data
    is_('cluster_application_attempt_info', (name, 'RUNNING'), (info['appAttemptId'], info['appAttemptState']))
    container = rm.cluster_application_attempt_containers(app, name).data['container']
    container = container[0] if isinstance(container, list) else container
    has_members('cluster_application_attempt_containers', container, 'containerId allocatedMB assignedNodeId containerState nodeHttpAddress')
    is_('cluster_application_attempt_container_info', container['containerId'],
        rm.cluster_application_attempt_container_info(app, name, container['containerId']).data['containerId'])
    refused('cluster_application_attempt_container_info of a container that is not there', 404, 'NotFoundException', rm.cluster_application_attempt_container_info,
            app, name, container['containerId'][:-6] + '009999')
    return container['containerId']


def read_nodes(rm):
    node = rm.cluster_nodes(states=['RUNNING']).data['nodes']['node'][0]
    has_members('cluster_nodes', node, 'id rack nodeHostName nodeHTTPAddress lastHealthUpdate healthReport usedMemoryMB availMemoryMB')
    is_('cluster_nodes in a state that no node has is empty', {}, rm.cluster_nodes(states=['NEW']).data['nodes'])
    is_('cluster_node', node['id'], rm.cluster_node(node['id']).data['node']['id'])
    refused('cluster_node of a node that is not there', 404, 'NotFoundException', rm.cluster_node, 'other:1')
    return node


def read_activities(rm, waiting):
    seen = rm.scheduler_activities().data['activities']
    check('scheduler_activities', seen, seen)
    check('scheduler_activities, grouped', rm.scheduler_activities(group_by='diagnostic').data['activities'])
    why = rm.application_activities(waiting, max_time=1, request_priorities=['0'], group_by='diagnostic', limit='1',
                                    actions=['get'], summarize='true').data['appActivities']
    is_('application_activities', waiting, why['applicationId'])


def change_apps(rm, app, waiting, long):
    is_('cluster_change_application_priority', 3, rm.cluster_change_application_priority(waiting, 3).data['priority'])
    becomes('cluster_application has the new priority', lambda: rm.cluster_application(waiting).data['app']['priority'], 3)
    is_('cluster_change_application_queue', 'default', rm.cluster_change_application_queue(waiting, 'default').data['queue'].split('.')[-1])
    refused('cluster_change_application_queue to a queue that is not there', 400, 'BadRequestException', rm.cluster_change_application_queue, waiting, 'other')
    is_('cluster_application_timeouts', 'LIFETIME', rm.cluster_application_timeouts(app).data['timeouts']['timeout'][0]['type'])
    is_('cluster_application_timeout', 'UNLIMITED', rm.cluster_application_timeout(app, 'LIFETIME').data['timeout']['expiryTime'])
    later = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=2)).strftime('%Y-%m-%dT%H:%M:%S.000+0000')
    timeout = rm.cluster_update_application_timeout(app, 'LIFETIME', later).data['timeout']
    check('cluster_update_application_timeout', 7000 < timeout['remainingTimeInSeconds'] <= 7200, timeout)
    for killed in (waiting, long):
        check('cluster_application_kill', rm.cluster_application_kill(killed).data['state'] in ('ACCEPTED', 'RUNNING', 'KILLING', 'KILLED'))
        becomes('the killed application is KILLED', lambda: rm.cluster_application_state(killed).data['state'], 'KILLED')
    is_('cluster_application_kill again', 'KILLED', rm.cluster_application_kill(long).data['state'])


def submit(rm):
    new = rm.cluster_new_application().data
    check('cluster_new_application', new['maximum-resource-capability']['memory'] > 0, new)
    app = new['application-id']
    rm.cluster_submit_application({
        'application-id': app, 'application-name': 'by the client', 'application-type': 'YARN', 'queue': 'default',
        'max-app-attempts': 1, 'resource': {'memory': 64, 'vCores': 1},
        'am-container-spec': {'commands': {'command': 'test "$WORD" = "a b"'},
                              'environment': {'entry': [{'key': 'WORD', 'value': 'a b'}]}}})
    becomes('an application of cluster_submit_application is FINISHED', lambda: rm.cluster_application_state(app).data['state'], 'FINISHED')
    is_('an application of cluster_submit_application is SUCCEEDED', 'SUCCEEDED', rm.cluster_application(app).data['app']['finalStatus'])
    ids = [a['id'] for a in rm.cluster_applications(states=['FINISHED'], final_status='SUCCEEDED').data['apps']['app']]
    check('cluster_applications lists the ended application', app in ids, ids)


def change_cluster(rm, node, container):
    memory, vcores = node['totalResource']['memory'], node['totalResource']['vCores']
    rm.cluster_node_update_resource(node['id'], {'resource': {'memory': memory - 64, 'vCores': vcores}, 'overCommitTimeout': -1})
    becomes('cluster_node_update_resource', lambda: rm.cluster_node(node['id']).data['node']['totalResource']['memory'], memory - 64)
    names = [p['name'] for p in rm.cluster_scheduler_conf_mutation().data['property']]
    check('cluster_scheduler_conf_mutation', 'yarn.scheduler.capacity.root.dev.capacity' in names, names)
    try:
        rm.cluster_modify_scheduler_conf_mutation({'update-queue': {'queue-name': 'root.dev', 'params': {
            'entry': [{'key': 'maximum-capacity', 'value': '70'}]}}})
    except ValueError:      # the answer of YARN, and of creel, is a sentence; this method of the client expects JSON
        pass
    becomes('cluster_modify_scheduler_conf_mutation', lambda: rm.cluster_scheduler_queue('dev')['maxCapacity'], 70.0)
    rm.cluster_container_signal(container, 'OUTPUT_THREAD_DUMP')    # 01-yarn-clients.sh checks that it arrives


def not_there(rm):
    refused('cluster_reservations: as YARN without reservations', 400, 'Reservation is not enabled', rm.cluster_reservations)
    refused('cluster_new_reservation: not implemented', 501, 'RemoteException', rm.cluster_new_reservation)
    refused('cluster_submit_reservation', 501, 'RemoteException', rm.cluster_submit_reservation, {})
    refused('cluster_update_reservation', 501, 'RemoteException', rm.cluster_update_reservation, {})
    refused('cluster_delete_reservation', 501, 'RemoteException', rm.cluster_delete_reservation, 'reservation_1_1')
    refused('cluster_new_delegation_token: as without Kerberos', 403, '', rm.cluster_new_delegation_token, 'ann')
    for call in (rm.cluster_renew_delegation_token, rm.cluster_cancel_delegation_token):
        try:
            refused(call.__name__, 403, '', call, 'x')
        except TypeError:   # version 1.0.3 sends nothing: it passes an argument twice
            pass


def node_manager(nm, app, container):
    info = nm.node_information().data['nodeInfo']
    is_('node_information', True, info['nodeHealthy'])
    ids = [a['id'] for a in nm.node_applications(state='RUNNING', user='root').data['apps']['app']]
    check('node_applications', app in ids, ids)
    is_('node_applications of another user is empty', {}, nm.node_applications(user='nobody').data['apps'])
    is_('node_application', 'RUNNING', nm.node_application(app).data['app']['state'])
    ids = [c['id'] for c in nm.node_containers().data['containers']['container']]
    check('node_containers', container in ids, ids)
    is_('node_container', container, nm.node_container(container).data['container']['id'])
    refused('node_container that is not there', 404, 'NotFoundException', nm.node_container, container[:-6] + '009999')
    refused('auxiliary_services: as YARN without them', 400, '', nm.auxiliary_services)
    refused('auxiliary_services_update', 405, '', nm.auxiliary_services_update, {})


def map_reduce(endpoint, app):
    """creel has no MapReduce: these addresses are errors in YARN's form."""
    master, history = ApplicationMaster(endpoint), HistoryServer(endpoint)
    refused('application master: no MapReduce', 404, '', master.jobs, app)
    refused('history server: no MapReduce', 404, 'RemoteException', history.application_information)


def anonymous_and_named(app):
    rm = ResourceManager()
    endpoint = rm.get_active_endpoint()
    is_('a client without authentication reads', 'STARTED', rm.cluster_information().data['clusterInfo']['state'])
    refused('a client without authentication may not kill', 401, 'AuthorizationException', rm.cluster_application_kill, app)
    named = ResourceManager([endpoint], auth=SimpleAuth('ann'))
    is_('simple authentication names the user by YARN\'s cookie', 'ann',
        named.request('/ws/v1/cluster/userinfo').data['requestedUser'])
    refused('a user of simple authentication may not kill', 401, 'AuthorizationException', named.cluster_application_kill, app)


def believed(app):
    """The client as its README shows it, without anything that belongs to creel."""
    endpoint = ResourceManager().get_active_endpoint()
    rm = ResourceManager([endpoint], auth=SimpleAuth('root'))
    new = rm.cluster_new_application().data['application-id']
    rm.cluster_submit_application({
        'application-id': new, 'application-name': 'unchanged', 'application-type': 'YARN', 'unmanaged-AM': False,
        'max-app-attempts': 1, 'keep-containers-across-application-attempts': False, 'resource': {'memory': 64, 'vCores': 1},
        'am-container-spec': {'commands': {'command': 'sleep 100'}}})
    becomes('simple authentication submits', lambda: rm.cluster_application_state(new).data['state'], 'RUNNING')
    is_('of the user that it names', 'root', rm.cluster_application(new).data['app']['user'])
    for each in (new, app):
        rm.cluster_application_kill(each)
        becomes('simple authentication kills', lambda one=each: rm.cluster_application_state(one).data['state'], 'KILLED')


def other_client(endpoint, app):
    """hadoop-yarn-rest-api, which reads JSON and XML."""
    for kind in ('json', 'xml'):
        yarn = Yarn(endpoint, kind)
        node = yarn.cluster_nodes()
        node = node['nodes']['node'][0]['id'] if kind == 'json' else node.find('node/id').text
        answers = (yarn.cluster_information(), yarn.cluster_metrics(), yarn.cluster_scheduler(), yarn.cluster_applications({'states': 'RUNNING'}),
                   yarn.cluster_appstatistics(), yarn.cluster_application(app), yarn.cluster_application_attempts(app), yarn.cluster_node(node))
        names = [next(iter(a)) if kind == 'json' else a.tag for a in answers]
        is_(f'hadoop-yarn-rest-api, {kind}', ['clusterInfo', 'clusterMetrics', 'scheduler', 'apps', 'appStatInfo', 'app', 'appAttempts', 'node'], names)
        if kind == 'xml':
            is_('hadoop-yarn-rest-api reads the id of the application from XML', app, answers[5].find('id').text)
            check('hadoop-yarn-rest-api reads XML', isinstance(answers[0], ET.Element))


def with_authentication():
    token, app, waiting, long = sys.argv[1:]
    rm = Recorded(ResourceManager(auth=Token(token)))
    endpoint = rm.get_active_endpoint()
    read_cluster(rm)
    read_apps(rm, app, waiting)
    container = read_attempts(rm, app)
    node = read_nodes(rm)
    is_('the resource manager names the address of the node', NodeManager().service_uri.to_url(), 'http://' + node['nodeHTTPAddress'])
    nm = Recorded(NodeManager())
    node_manager(nm, app, container)
    read_activities(rm, waiting)
    change_apps(rm, app, waiting, long)
    submit(rm)
    change_cluster(rm, node, container)
    not_there(rm)
    map_reduce(endpoint, app)
    other_client(endpoint, app)
    is_('each method of ResourceManager was called', [], rm.not_called())
    is_('each method of NodeManager was called', [], nm.not_called())


def main():
    logging.getLogger('yarn_api_client').setLevel(logging.ERROR)
    if sys.argv[1] == '--no-authentication':
        anonymous_and_named(sys.argv[2])
    elif sys.argv[1] == '--simple':
        believed(sys.argv[2])
    else:
        with_authentication()
    print(f'1..{len(results)}')
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main())
