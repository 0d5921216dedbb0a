// What was written and is not accepted yet. It is sent until it is, whatever view is shown, over
// ends of the connection, reloads and starts of shelly; its id makes sure that it is done once.

import { post, up, pause, Problem, Unreachable } from './api.js';

const kept = 'shelly.outbox';
const items = new Map(); // by id: {body, at, done}

/** waiting are the items of a session, in order. */
export const waiting = (session) => [...items.values()].filter((i) => i.body.session === session);

/** put sends a request, and resolves once it is accepted. It rejects with what is wrong with it. */
export function put(body, at = Date.now()) {
  const item = { body, at, told: () => {} };
  item.done = deliver(item).finally(() => {
    items.delete(body.id);
    save();
  });
  item.done.catch(() => {}); // whoever shows it tells
  items.set(body.id, item);
  save();
  return item;
}

/** restore goes on with what a page before this one has left. */
export function restore() {
  try {
    for (const { body, at } of JSON.parse(sessionStorage.getItem(kept) || '[]')) put(body, at);
  } catch {
    sessionStorage.removeItem(kept);
  }
}

function save() {
  try {
    sessionStorage.setItem(kept, JSON.stringify([...items.values()].map(({ body, at }) => ({ body, at }))));
  } catch {
    // Images can be more than there is room for: they are kept as long as this page is.
  }
}

const passing = ['busy', 'stopping', 'unknown_outcome', 'no_space', 'too_many_tries', 'unauthorized'];

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
