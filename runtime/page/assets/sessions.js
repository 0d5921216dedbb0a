// The sessions: a list, a search through what was said, and one to read, or to forget.

import { el, add, fill, button, time, short, latest, wrong } from './dom.js';
import { get, post, query, piece } from './api.js';
import { archived, speaker } from './turn.js';
import { count } from './words.js';

/** all returns every session, that of the latest turn first. */
export async function all(signal) {
  const list = [];
  for (let after = ''; ; ) {
    const body = await get(query('/v1/sessions', { after }), { signal });
    list.push(...body.sessions);
    if (!(after = body.next)) return list.sort((a, b) => (b.at || 0) - (a.at || 0));
  }
}

export async function sessionsView(main, signal) {
  const words = el('input', { type: 'search', placeholder: 'Words that were said', 'aria-label': 'Search in what was said', autocomplete: 'off' });
  const name = el('input', { placeholder: 'Name of a new session', 'aria-label': 'Name of a new session', autocomplete: 'off', maxlength: '128' });
  const search = el('form', { class: 'bar' }, words, el('button', { type: 'submit' }, 'Search'));
  const fresh = el('form', { class: 'bar' }, name, el('button', { type: 'submit' }, 'Begin'));
  const out = el('div', { 'aria-live': 'polite' });
  fill(main, el('h1', {}, 'Sessions'), search, out, el('h2', {}, 'New'), fresh);
  fresh.addEventListener('submit', (e) => {
    e.preventDefault();
    if (name.value.trim()) location.hash = `#/chat/${encodeURIComponent(name.value.trim())}`;
  });
  const show = latest(out, signal);
  let searching = new AbortController();
  const every = async () => {
    const list = await all(signal);
    return [list.length ? el('ul', { class: 'rows' }, list.map((s) => el('li', {},
    el('a', { class: 'title', href: `#/chat/${encodeURIComponent(s.id)}` }, s.id), ' ', time(s.at), el('span', { class: 'dim' }, ` · ${count(s.last || 0, 'message')}`), ' ',
    el('a', { href: `#/sessions/${encodeURIComponent(s.id)}` }, 'Read'),
  ))) : el('p', { class: 'dim' }, 'No session yet. One begins with the first thing that you ask.')];
  };
  search.addEventListener('submit', (e) => {
    e.preventDefault();
    const want = folded(words.value);
    searching.abort(); // the last search is no longer wanted
    searching = new AbortController();
    const both = AbortSignal.any([signal, searching.signal]);
    const far = el('span', { 'aria-hidden': 'true' });
    if (want) fill(out, el('p', { class: 'dim' }, 'Searching…', far));
    show(want ? async () => find(await all(both), want, both, (done, of) => fill(far, ` ${done} of ${of} sessions`)) : every);
  });
  await show(every);
}

/** folded is a text as a search compares it: in small letters, with one blank for any between words. */
const folded = (text) => text.replace(/\s+/g, ' ').trim().toLowerCase();

const foundMax = 50;
const partSize = 256;
const atOnce = 4; // sessions that are read at the same time: a browser has six connections

// matches are the messages of a session with the words, the newest first and at most foundMax of them.
async function matches(s, want, signal) {
  const found = [];
  for (let upTo = s.last; upTo > 0 && found.length < foundMax; upTo = Math.max(0, upTo - partSize)) {
    const list = await part(s.id, Math.max(0, upTo - partSize), upTo, signal);
    if (!list.length) break; // these and those before them were dropped since the list was made
    for (const m of list.reverse()) if (folded(m.message.text || '').includes(want)) found.push({ session: s.id, ...m });
  }
  return found.slice(0, foundMax);
}

// part are the messages of a session from one number to another, of which shelly may give fewer at once.
async function part(id, after, upTo, signal) {
  const list = [];
  while (after < upTo) {
    const { messages } = await get(query(`/v1/sessions/${piece(id)}`, { after, limit: upTo - after }), { signal }).catch((e) => {
      if (e.code === 'not_found') return { messages: [] };
      throw e;
    });
    if (!messages.length) break;
    list.push(...messages.filter((m) => m.number <= upTo));
    after = messages.at(-1).number;
  }
  return list;
}

async function find(list, want, signal, far) {
  const found = [];
  for (let done = 0; done < list.length && found.length < foundMax; done += atOnce) {
    far(done, list.length);
    const some = await Promise.all(list.slice(done, done + atOnce).map((s) => matches(s, want, signal)));
    found.push(...some.flat());
  }
  found.sort((a, b) => (b.at || 0) - (a.at || 0)).splice(foundMax);
  if (!found.length) return [el('p', { class: 'dim' }, 'Nothing was found with these words.')];
  return [el('p', { class: 'dim' }, `${found.length}${found.length >= foundMax ? ' or more' : ''} found.`), el('ul', { class: 'rows' }, found.map((m) => {
    const text = m.message.text.replace(/\s+/g, ' ').trim();
    const at = Math.max(0, text.toLowerCase().indexOf(want) - 40);
    return el('li', {}, el('a', { class: 'title', href: `#/sessions/${encodeURIComponent(m.session)}` }, m.session), ' ', time(m.at), el('div', {}, el('span', { class: 'dim' }, `${speaker(m.message)}: `), `${at ? '…' : ''}${short(text.slice(at), 160)}`));
  }))];
}

export async function sessionView(main, id, signal) {
  const log = el('div', { class: 'log' });
  const more = button('More', () => page(), { hidden: true });
  const forget = button('Forget', async () => {
    try {
      const { messages } = await post(`/v1/sessions/${piece(id)}/forget`, {});
      more.hidden = forget.hidden = true;
      fill(log, el('p', { role: 'status' }, `Forgotten, for good: ${count(messages, 'message')}. The journal keeps the words as long as it keeps anything, and the memory what it has of them.`));
    } catch (e) {
      add(log, [wrong(e)]);
    }
  }, { class: 'small', sure: 'Really forget it, for good?' });
  fill(main, el('h1', {}, id), el('p', {}, el('a', { href: `#/chat/${encodeURIComponent(id)}` }, 'Open as chat'), ' · ', el('a', { href: '#/sessions' }, 'All sessions'), ' · ', forget), log, more);
  let after = 0;
  async function page() {
    try {
      const { messages } = await get(query(`/v1/sessions/${piece(id)}`, { after, limit: 200 }), { signal });
      add(log, archived(messages).map((t) => t.root));
      if (messages.length) after = messages.at(-1).number;
      more.hidden = messages.length < 200;
      if (!log.childElementCount) fill(log, el('p', { class: 'dim' }, 'Nothing was said in it.'));
    } catch (e) {
      if (!signal.aborted) add(log, [wrong(e)]);
    }
  }
  await page();
}
