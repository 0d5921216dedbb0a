// The connection to the daemon. The token is this page's own: it came from a ticket, is kept for
// this tab, travels in a header, and is never part of an address.

import { keep, kept } from './tab.js';

const place = 'shelly.token';
let token = kept(place);

/** Problem is an error answer of the daemon. */
export class Problem extends Error {
  constructor(status, code, message, hint) {
    super(message);
    Object.assign(this, { status, code, hint });
  }
}

/** Unreachable means that nothing answers. */
export class Unreachable extends Error {}

// The state of the connection to the daemon: connecting, up, unreachable, or locked, which means
// that the daemon no longer knows the token.
export const standing = { now: 'connecting', since: Date.now(), why: '' };
const heeding = new Set();

/** heed calls back whenever the state changes. */
export function heed(fn) {
  heeding.add(fn);
  return () => heeding.delete(fn);
}

function stand(now, why = '') {
  if (standing.now === now && standing.why === why) return;
  Object.assign(standing, { now, why, since: Date.now() });
  for (const fn of heeding) fn(standing);
}

/** up resolves once the daemon answers again. */
export function up(signal) {
  if (standing.now === 'up') return Promise.resolve();
  return new Promise((resolve, reject) => {
    const off = heed(() => {
      if (standing.now === 'up') {
        off();
        resolve();
      }
    });
    signal?.addEventListener('abort', () => {
      off();
      reject(signal.reason);
    });
  });
}

/** enter exchanges the ticket in the address, if there is one, for a token. */
export async function enter() {
  const m = /^#ticket=([0-9a-f]+)$/.exec(location.hash);
  if (m) {
    history.replaceState(null, '', location.pathname);
    try {
      const answer = await send('POST', '/page/token', { ticket: m[1] }, {});
      token = (await answer.json()).token;
      keep(place, token);
      stand('connecting');
      tabs.postMessage({ token });
    } catch (e) {
      if (!token) {
        stand(e instanceof Problem ? 'locked' : 'unreachable', e.message);
      }
    }
  }
  if (!token && standing.now === 'connecting') stand('locked', '');
  if (!token) tabs.postMessage({ asks: true });
  return token !== '';
}

// The tabs of a browser share a token: one that has none asks the others, and one that has got a new
// one tells them. Only pages of this origin hear it.
const tabs = channel();
let refused = ''; // a token that the daemon does not know
let letIn = () => {};

function channel() {
  try {
    return new BroadcastChannel('shelly');
  } catch {
    return { postMessage() {} }; // where nothing can be kept, nothing is shared
  }
}

tabs.onmessage = ({ data }) => {
  if (data.token && !token && data.token !== refused) take(data.token);
  else if (data.asks && token) tabs.postMessage({ token });
};

function take(given) {
  token = given;
  keep(place, token);
  stand('connecting');
  letIn();
}

/** entered calls back whenever a token was got from another tab. */
export function entered(fn) {
  letIn = fn;
}

async function send(method, path, body, { signal, accept } = {}) {
  const headers = {};
  const used = token;
  if (token) headers.Authorization = `Bearer ${token}`;
  if (method === 'POST') headers['Content-Type'] = 'application/json';
  if (accept) headers.Accept = accept;
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal, credentials: 'omit', cache: 'no-store', redirect: 'error', referrerPolicy: 'no-referrer' });
  } catch (e) {
    if (signal?.aborted) throw e;
    stand('unreachable');
    throw new Unreachable('shelly does not answer');
  }
  if (answer.ok) return answer;
  const said = await answer.json().then((b) => b.error, () => null);
  const problem = new Problem(answer.status, said?.code || '', said?.message || `HTTP status ${answer.status}`, said?.hint || '');
  if ((answer.status === 401 || answer.status === 429 && problem.code === 'too_many_tries') && path !== '/page/token' && used === token) lock(); // a new link may have brought another
  throw problem;
}

// lock forgets a token that the daemon no longer knows, so that it is not tried again.
function lock() {
  refused = token;
  token = '';
  keep(place, '');
  stand('locked', 'restarted');
  tabs.postMessage({ asks: true });
}

/** call asks a route and returns its JSON. Without a token it sends nothing. */
export async function call(method, path, body, options = {}) {
  if (!token) throw new Problem(401, 'unauthorized', 'this page is not let in', 'run: shelly page');
  const timeout = AbortSignal.timeout(options.timeout || 30000);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  let answer;
  try {
    answer = await send(method, path, body, { signal });
    const read = await answer.json();
    stand('up');
    return read;
  } catch (e) {
    if (e instanceof Problem && standing.now !== 'locked') stand('up');
    if (timeout.aborted && !options.signal?.aborted) {
      stand('unreachable');
      throw new Unreachable('shelly does not answer in time');
    }
    throw e;
  }
}

export const get = (path, options) => call('GET', path, undefined, options);
export const post = (path, body = {}, options) => call('POST', path, body, options);

/** query makes a path with a query; empty values are left out. */
export function query(path, values) {
  const q = new URLSearchParams(Object.entries(values).filter(([, v]) => v !== '' && v !== undefined && v !== null));
  const text = q.toString();
  return text ? `${path}?${text}` : path;
}

/** piece escapes a part of a path; dots too, so that none is taken for a step up. */
export function piece(text) {
  return encodeURIComponent(text).replaceAll('.', '%2E');
}

const silenceMax = 60000; // four heartbeats of the daemon

/** stream reads server-sent events until the stream ends; it returns false if that was too early to tell. */
export async function stream(method, path, body, each, signal) {
  if (!token) throw new Problem(401, 'unauthorized', 'this page is not let in', 'run: shelly page');
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), silenceMax);
  const both = AbortSignal.any([signal, silent.signal]);
  try {
    const answer = await send(method, path, body, { signal: both, accept: 'text/event-stream' });
    stand('up');
    if (!(answer.headers.get('Content-Type') || '').startsWith('text/event-stream')) {
      each({ name: 'record', data: await answer.json() });
      return;
    }
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), silenceMax);
      const parts = (rest + value).split('\n\n');
      rest = parts.pop();
      for (const part of parts) event(part, each);
    }
  } catch (e) {
    if (signal.aborted || e instanceof Problem) throw e;
    throw new Unreachable('the connection to shelly has ended');
  } finally {
    clearTimeout(timer);
  }
}

function event(part, each) {
  const e = { name: 'message', id: '', data: null };
  for (const line of part.split('\n')) {
    if (line.startsWith('event: ')) e.name = line.slice(7);
    else if (line.startsWith('id: ')) e.id = line.slice(4);
    else if (line.startsWith('data: ')) e.data = JSON.parse(line.slice(6));
  }
  if (e.data !== null) each(e);
}

/** pause waits for a time, or until the signal ends it. */
export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** newID is an id for a request, which may be sent again without being done twice. */
export function newID() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('');
}
