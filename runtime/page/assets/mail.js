// All messages from schedules, subagents and the tool message.

import { el, fill, time } from './dom.js';
import { markdown } from './text.js';
import { sender, keyOf, chatOf } from './words.js';
import * as inbox from './inbox.js';

const shownMax = 200;

export function messagesView(main, signal) {
  const list = el('div', { class: 'log' });
  const none = el('p', { class: 'dim' }, 'No message yet. What schedules and subagents say outside a chat comes here.');
  fill(main, el('h1', {}, 'Messages'), none, list);
  const rows = new Map();
  const latest = () => inbox.messages.slice(-shownMax);
  const show = () => {
    const shown = latest();
    none.hidden = shown.length > 0;
    for (const m of shown) {
      if (rows.has(m.position)) continue;
      const to = keyOf(m.to);
      const row = el('article', { class: m.is_error ? 'message error' : 'message', 'aria-label': `Message of ${sender(m)}` },
        el('p', { class: 'who' }, m.unread ? el('span', { class: 'new' }, 'new') : null, sender(m), ' ', time(m.at), m.is_error ? ' · failed' : '',
          to && chatOf(to) ? [' to ', el('a', { href: `#/chat/${encodeURIComponent(to)}` }, to)] : null),
        el('div', { class: 'answer' }, markdown(m.text)));
      rows.set(m.position, row);
      list.prepend(row);
    }
    inbox.read(shown);
  };
  show();
  const off = inbox.heed((come) => (come.length ? show() : inbox.read(latest()))); // marking them may have failed
  signal.addEventListener('abort', off);
  document.addEventListener('visibilitychange', show, { signal });
}
