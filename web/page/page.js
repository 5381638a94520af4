// SPDX-License-Identifier: Apache-2.0
// Refreshes the sections with the class "live", switches the theme, draws the map of nodes. Pages work without it.
const POLL_MS = 5000, HIDDEN_MS = 30000, AGAIN_MS = 1000, AGAIN_MAX_MS = 4000, RETRY_MS = 60000;
const SILENT_MS = 8000;     // a stream has an event every three seconds; a page without one asks every five
const LOOK_MS = 500, GIVE_UP_MS = 20000;
const root = document.documentElement, main = document.getElementById('main');

function remember(key, value) {
  try { localStorage.setItem(key, value); } catch { /* no storage: for this page alone */ }
}
function recall(key) {
  try { return localStorage.getItem(key); } catch { return null; }
}

// --- switches ------------------------------------------------------------------
let refreshing = recall('refresh') !== 'off';

function addSwitch(label, press) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = label;
  button.addEventListener('click', () => press(button));
  document.getElementById('switches').append(button, ' ');
  return button;
}
function isDark() {
  return root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}
if (recall('theme')) root.dataset.theme = recall('theme');
addSwitch('◐', () => {
  root.dataset.theme = isDark() ? 'light' : 'dark';
  remember('theme', root.dataset.theme);
  drawMap();
}).title = 'light or dark';
const pauseButton = addSwitch('⟳', button => {
  refreshing = !refreshing;
  remember('refresh', refreshing ? 'on' : 'off');
  button.setAttribute('aria-pressed', refreshing);
  hear();
  if (refreshing) turn();
  else closeStream();
});
pauseButton.title = 'refresh this page when something changes';
pauseButton.setAttribute('aria-pressed', refreshing);

document.addEventListener('keydown', event => {
  if (event.key !== '/' || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
  event.preventDefault();
  document.querySelector('#search input').focus();
});

// On a narrow screen the menu is one line that scrolls.
document.querySelector('#menu [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });

// --- answers of creel-web --------------------------------------------------------
let heardAt = Date.now(), refusal = '';
const silence = document.createElement('p');
silence.className = 'note bad';
silence.setAttribute('role', 'alert');

function showSilence() {
  const reason = refusal || (Date.now() - heardAt > SILENT_MS ? 'creel-web does not answer' : '');
  const shown = refreshing && !document.hidden && reason !== '';
  root.classList.toggle('stale', shown);
  if (!shown) {
    silence.remove();
    return;
  }
  const time = document.querySelector('footer time')?.textContent;
  const text = `This page is not up to date: ${reason}.` + (time ? ` It shows the cluster as of ${time}.` : '');
  if (silence.textContent !== text) silence.textContent = text;
  if (!silence.isConnected) document.getElementById('trouble').before(silence);
}
function hear() {
  heardAt = Date.now();
}
// A request without an answer ends, so that the next one can be sent.
async function ask(address, headers = {}) {
  const answer = await fetch(address, { headers, cache: 'no-store', signal: AbortSignal.timeout(GIVE_UP_MS) });
  hear();
  return answer;
}
setInterval(showSilence, LOOK_MS);

// --- refresh -------------------------------------------------------------------
let etag = null, failing = false;

function isInUse(section) {
  const selection = getSelection();
  return !selection.isCollapsed && section.contains(selection.anchorNode);
}
function replaceSection(section, fresh) {
  if (section.innerHTML === fresh.innerHTML || isInUse(section)) return;
  const links = [...section.querySelectorAll('a, button')], focused = links.indexOf(document.activeElement);
  const left = section.scrollLeft;
  section.replaceChildren(...fresh.childNodes);
  section.scrollLeft = left;
  if (focused >= 0) section.querySelectorAll('a, button')[focused]?.focus({ preventScroll: true });
}
async function refresh() {
  try {
    const answer = await ask(location.href, etag ? { 'If-None-Match': etag } : {});
    if (answer.status === 200) {
      const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
      etag = answer.headers.get('ETag');
      for (const section of document.querySelectorAll('.live')) {
        const other = fresh.getElementById(section.id);
        if (other) replaceSection(section, other);
      }
      const since = fresh.getElementById('main')?.dataset.changes;
      if (since) main.dataset.changes = since;
      const footer = fresh.querySelector('footer');
      if (footer) document.querySelector('footer').replaceChildren(...footer.childNodes);
      loadMap();
    }
    failing = !answer.ok && answer.status !== 304;
    refusal = failing ? `creel-web answers with status ${answer.status}` : '';
  } catch { failing = true; /* the next turn tries again */ }
}

// The stream names what has changed. Without it the page is refreshed every five seconds. A change is shown within two
// seconds; a page that changes all the time is refreshed every four seconds.
let stream = null, retryAt = 0, changed = false, busy = false, timer = 0, turnedAt = Date.now(), againMs = AGAIN_MS;

function closeStream() {
  stream?.close();
  stream = null;
}
function openStream() {
  if (stream || !main.dataset.changes || !refreshing || document.hidden || Date.now() < retryAt) return;
  stream = new EventSource(main.dataset.changes);
  stream.addEventListener('message', () => { hear(); changed = true; schedule(); });
  stream.addEventListener('alive', hear);
  stream.addEventListener('open', schedule);
  stream.addEventListener('error', () => {
    changed = true;   // an event may have been lost
    if (stream?.readyState === EventSource.CLOSED) {   // refused; else the browser connects again
      closeStream();
      retryAt = Date.now() + RETRY_MS;
    }
    schedule();
  });
}
function waitMs() {
  if (document.hidden) return HIDDEN_MS;
  if (failing || stream?.readyState !== EventSource.OPEN) return POLL_MS;
  return changed ? againMs : Number(main.dataset.refreshMs);
}
function schedule() {
  clearTimeout(timer);
  timer = setTimeout(turn, Math.max(0, turnedAt + waitMs() - Date.now()));
}
async function turn() {
  if (busy) return;
  busy = true;
  changed = false;
  againMs = Date.now() - turnedAt > AGAIN_MAX_MS + 500 ? AGAIN_MS : Math.min(2 * againMs, AGAIN_MAX_MS);
  if (refreshing) await refresh();
  busy = false;
  turnedAt = Date.now();
  openStream();
  schedule();
}
document.addEventListener('visibilitychange', () => {
  hear();   // a hidden page asks every 30 seconds
  if (document.hidden) closeStream();
  else if (refreshing) turn();
  schedule();
});
openStream();
schedule();

// --- map of nodes ----------------------------------------------------------------
const RACK = 255, BAD = 101, LEAVING = 102, OUT = 103;
const scaleLight = ['#eef3f8', '#d3e4f3', '#b5d3ec', '#93bfe3', '#6ca8d8', '#478fca', '#2c75b5', '#1d5c98', '#13457a', '#0b2f59'];
const scaleDark = ['#232c38', '#24384f', '#254566', '#27547f', '#2a6499', '#2f77b4', '#3f8cca', '#5da5dd', '#86c0ec', '#b9dcf8'];
const states = { [BAD]: '#d33a2f', [LEAVING]: '#d99a2b', [OUT]: '#8d97a5' };
const box = document.getElementById('map');
const legend = document.createElement('span');
legend.className = 'scale';
let bytes = null, cells = [], names = null, canvas = null, told = null, metric = 'memory', size = 8;

function colour(value) {
  return states[value] ?? (isDark() ? scaleDark : scaleLight)[Math.min(9, Math.floor(value / 10))];
}
// A cell for each node; racks are apart by one empty cell.
function layOut(width) {
  const count = bytes.length;
  size = count > 6000 ? 8 : count > 1500 ? 11 : count > 300 ? 15 : 22;
  const across = Math.max(1, Math.floor(width / size));
  let place = 0;
  cells = [];
  bytes.forEach((value, i) => {
    if (value === RACK) { if (i > 0) place++; return; }
    cells.push({ x: place % across * size, y: Math.floor(place / across) * size, value });
    place++;
  });
  return (Math.floor(Math.max(0, place - 1) / across) + 1) * size;
}
function swatch(colour) {
  const mark = document.createElement('i');
  mark.style.background = colour;
  return mark;
}
function drawLegend() {
  const entry = (...parts) => {
    const span = document.createElement('span');
    span.append(...parts);
    return span;
  };
  legend.replaceChildren(entry('0 % ', ...(isDark() ? scaleDark : scaleLight).map(swatch), ' 100 %'), entry(swatch(states[BAD]), ' unhealthy or lost'),
    entry(swatch(states[LEAVING]), ' leaving'), entry(swatch(states[OUT]), ' out of service'));
}
function drawMap() {
  if (!bytes || !canvas) return;
  drawLegend();
  const width = box.clientWidth - 36, height = layOut(width), ratio = devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  const pen = canvas.getContext('2d');
  pen.scale(ratio, ratio);
  for (const cell of cells) {
    pen.fillStyle = colour(cell.value);
    pen.fillRect(cell.x, cell.y, size - 1, size - 1);
    if (cell.value === BAD) {          // also to be told without colour
      pen.strokeStyle = '#fff';
      pen.beginPath();
      pen.moveTo(cell.x + 2, cell.y + 2); pen.lineTo(cell.x + size - 3, cell.y + size - 3);
      pen.stroke();
    }
  }
  const bad = cells.filter(cell => cell.value === BAD).length;
  canvas.setAttribute('aria-label', `Map of ${cells.length} nodes, ${bad} of them unhealthy or lost. The table below has the same nodes.`);
}
function source(more) {
  return box.dataset.map + (box.dataset.map.includes('?') ? '&' : '?') + more;
}
async function cellAt(event) {
  const place = canvas.getBoundingClientRect();
  const x = event.clientX - place.left, y = event.clientY - place.top;
  const index = cells.findIndex(cell => x >= cell.x && x < cell.x + size && y >= cell.y && y < cell.y + size);
  if (index < 0) return null;
  names ??= ask(source('names=1')).then(answer => answer.text()).then(text => text.split('\n').filter(Boolean));
  return { name: (await names)[index], value: cells[index].value };
}
function word(value) {
  return { [BAD]: 'unhealthy or lost', [LEAVING]: 'leaving', [OUT]: 'out of service' }[value] ?? `${value} %`;
}
function buildMap() {
  const line = document.createElement('p'), choice = document.createElement('select');
  for (const [value, text] of [['memory', 'memory allocated'], ['vcores', 'vcores allocated'], ['real', 'memory really used']])
    choice.append(new Option(text, value));
  choice.setAttribute('aria-label', 'What the map shows');
  choice.addEventListener('change', () => { metric = choice.value; loadMap(); });
  told = document.createElement('span');
  line.append(choice, legend, told);
  canvas = document.createElement('canvas');
  canvas.setAttribute('role', 'img');
  canvas.addEventListener('mousemove', async event => {
    const cell = await cellAt(event);
    if (cell) told.textContent = `${cell.name}: ${word(cell.value)}`;
  });
  canvas.addEventListener('click', async event => {
    const cell = await cellAt(event);
    if (cell) location.href = '/cluster/node/' + encodeURIComponent(cell.name);
  });
  box.append(line, canvas);
  box.classList.add('map');
  addEventListener('resize', drawMap);
}
async function loadMap() {
  if (!box) return;
  try {
    const answer = await ask(source('metric=' + metric));
    if (!answer.ok) return;
    bytes = new Uint8Array(await answer.arrayBuffer());
  } catch { return; /* the next refresh tries again */ }
  names = null;
  box.hidden = bytes.length === 0;
  if (!canvas) buildMap();
  drawMap();
}
loadMap();
