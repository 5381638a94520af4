// SPDX-License-Identifier: Apache-2.0
// Appends what a container writes to its log while the page is open. The page works without it.
const INTERVAL_MS = 1000, KEPT_CHARACTERS = 1 << 20;
const log = document.getElementById('log'), state = document.getElementById('state');
const decoder = new TextDecoder();
let next = Number(log?.dataset.next);

function isAtEnd() {
  return innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
}
function append(text) {
  const follows = isAtEnd();
  const clean = text.replace(/\x1b\[[0-9;?]*[ -/]*[@-~]/g, '').replace(/\r/g, '').replace(/\0/g, '?');
  log.append(clean);
  if (log.textContent.length > KEPT_CHARACTERS) log.textContent = log.textContent.slice(-KEPT_CHARACTERS);
  if (follows) scrollTo(0, document.documentElement.scrollHeight);
}
// Returns whether there may be more.
async function read() {
  const answer = await fetch(`${log.dataset.source}?raw=1&start=${next}&end=${next + 65536}`, { cache: 'no-store' });
  if (answer.status === 404 || answer.status === 403) {
    state.textContent = 'The container has ended, and its log cannot be read here any more.';
    return false;
  }
  if (!answer.ok) return true;
  const bytes = await answer.arrayBuffer();
  next += bytes.byteLength;
  if (bytes.byteLength > 0) append(decoder.decode(bytes, { stream: true }));
  if (answer.headers.get('Creel-Log-Complete') !== 'true' || bytes.byteLength > 0) return true;
  state.textContent = 'The container has ended; the log is complete.';
  return false;
}
async function follow() {
  let more = true;
  try {
    more = document.hidden || await read();
  } catch { /* the next turn tries again */ }
  if (more) setTimeout(follow, INTERVAL_MS);
}
if (log?.dataset.source) {
  state.textContent = 'This page follows the log.';
  follow();
}
