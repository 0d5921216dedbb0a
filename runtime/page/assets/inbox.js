// The messages outside any request: from schedules, subagents and the tool message. All unread
// ones, the latest of the others, and then each new one as it comes, none twice.

import { get, post, stream, up, query, pause, Problem } from './api.js';
import { seen, whileSeen, place } from './tab.js';

export const messages = []; // in order
const heeding = new Set();
let position = 0;
const betweenReads = 3000;

/** heed calls back with messages that have come or were read. */
export function heed(fn) {
  heeding.add(fn);
  return () => heeding.delete(fn);
}

const tell = (come) => heeding.forEach((fn) => fn(come));

function take(list) {
  const come = list.filter((m) => m.position > position);
  for (const m of come) {
    messages.push(m);
    position = m.position;
  }
  if (messages.length > 2000) messages.splice(0, messages.length - 2000);
  if (come.length) tell(come);
}

/** follow reads the messages and follows new ones for ever. If the connection ends it continues
    after the last that it has. */
export async function follow() {
  for (let tries = 0; ; tries++) {
    let free = null;
    try {
      await up();
      await seen();
      for (let more = true; more; ) {
        const { messages: list } = await get(query('/v1/messages', { after: position || '', limit: 256 }));
        take(list);
        more = list.length > 0;
      }
      tries = 0;
      free = await place('messages', 1);
      if (!free) {
        await pause(betweenReads);
        continue; // another window follows them
      }
      await stream('GET', query('/v1/messages/events', { after: position }), undefined, (e) => take([e.data]), whileSeen());
    } catch (e) {
      if (e instanceof Problem && e.status === 401) {
        await pause(1000);
        continue; // up waits for a token
      }
    } finally {
      free?.();
    }
    await pause(Math.min(500 * 2 ** tries, 10000));
  }
}

/** unread returns how many are unread. */
export const unread = () => messages.filter((m) => m.unread).length;

/** read reports that a person has seen messages. If that fails, whoever shows them is told that they
 * are unread after a while, and reports it again (COM-103). */
export async function read(list) {
  const fresh = list.filter((m) => m.unread);
  if (!fresh.length || document.hidden) return;
  const marks = new Map();
  for (const m of fresh) {
    m.unread = false;
    marks.set(JSON.stringify([m.to.channel || '', m.to.chat || '']), m);
  }
  tell([]);
  try {
    await up();
    await post('/v1/messages/read', { read: [...marks.values()].map((m) => ({ channel: m.to.channel || '', chat: m.to.chat || '', position: m.position })) });
  } catch {
    await pause(betweenReads);
    for (const m of fresh) m.unread = true;
    tell([]);
  }
}
