// Requests that were written but are not accepted yet. They are sent until they are, whatever view
// is shown, across broken connections, reloads and restarts of shelly; their ids make sure that
// each is done once. A text that is refused for good goes back to where it was written (COM-107).

import { post, up, pause, Problem, Unreachable } from './api.js';
import { keep, kept } from './tab.js';

const place = 'shelly.outbox';
const items = new Map(); // by id: {body, at, done}
const heeding = new Set();

/** draftOf is where what is being written in a session is kept. */
export const draftOf = (session) => `shelly.draft.${session}`;

/** heed calls back with a session in which a text has come back, until the signal ends it. */
export function heed(fn, signal) {
  heeding.add(fn);
  signal.addEventListener('abort', () => heeding.delete(fn));
}

/** waiting returns the items of a session, in order. */
export const waiting = (session) => [...items.values()].filter((i) => i.body.session === session);

/** put sends a request; done of the item resolves once it is accepted, or rejects with its problem. */
export function put(body, at = Date.now()) {
  const item = { body, at, told: () => {} };
  item.done = deliver(item).catch((e) => {
    back(body);
    throw e;
  }).finally(() => {
    items.delete(body.id);
    save();
  });
  item.done.catch(() => {}); // the view reports it
  items.set(body.id, item);
  save();
  return item;
}

/** restore sends the requests that an earlier page left. */
export function restore() {
  try {
    for (const { body, at } of JSON.parse(kept(place) || '[]')) put(body, at);
  } catch {
    keep(place, '');
  }
}

function save() {
  keep(place, items.size ? JSON.stringify([...items.values()].map(({ body, at }) => ({ body, at }))) : '');
}

// back puts a text before what is being written in its session.
function back({ session, text }) {
  const now = kept(draftOf(session));
  keep(draftOf(session), now ? `${text}\n\n${now}` : text);
  heeding.forEach((fn) => fn(session));
}

const passing = ['busy', 'incomplete', 'stopping', 'unknown_outcome', 'no_space', 'too_many_tries', 'unauthorized'];

async function deliver(item) {
  for (let tries = 0; ; tries++) {
    try {
      await up();
      await post('/v1/requests', item.body);
      return;
    } catch (e) {
      if (!(e instanceof Unreachable) && !(e instanceof Problem && passing.includes(e.code))) throw e;
      item.told(e instanceof Problem && e.status !== 401 ? `not sent yet: ${e.message}` : 'not sent yet: shelly does not answer');
    }
    await pause(Math.min(300 * 2 ** tries, 5000));
  }
}
