// The memory: its entries, why a search finds them, and how a person adds and forgets them.

import { el, fill, button, time, say, latest, wrong } from './dom.js';
import { get, post, query, piece, newID } from './api.js';
import { drafted } from './tab.js';

const pageSize = 50;

export async function memoryView(main, signal) {
  const words = el('input', { type: 'search', placeholder: 'What it should know about', 'aria-label': 'Search the memory', autocomplete: 'off', maxlength: '1000' });
  const mode = el('select', { 'aria-label': 'How to search' }, [['', 'Words and meaning'], ['keyword', 'Words'], ['vector', 'Meaning']].map(([v, t]) => el('option', { value: v }, t)));
  const search = el('form', { class: 'bar' }, words, mode, el('button', { type: 'submit' }, 'Search'), button('All', () => {
    words.value = '';
    skip = 0;
    return list();
  }));
  const summary = el('textarea', { rows: '2', 'aria-label': 'What to remember', placeholder: 'Something to remember', required: true });
  const sent = drafted(summary, 'shelly.remember');
  const adding = el('form', { class: 'stack' }, summary, el('div', {}, el('button', { type: 'submit' }, 'Remember')));
  const out = el('div', { 'aria-live': 'polite' });
  fill(main, el('h1', {}, 'Memory'), search, out, el('h2', {}, 'Add'), adding);
  let skip = 0;

  search.addEventListener('submit', (e) => {
    e.preventDefault();
    skip = 0;
    if (words.value.trim()) find();
    else list();
  });
  adding.addEventListener('submit', async (e) => {
    e.preventDefault();
    const text = summary.value;
    try {
      await post('/v1/memory', { entries: [{ id: `page-${newID()}`, kind: 'note', summary: text.trim() }] });
      sent(text);
      say('It is remembered.');
      skip = 0;
      await list();
    } catch (err) {
      fill(out, wrong(err));
    }
  });

  const show = latest(out, signal);
  const list = () => show(async () => {
    const body = await get(query('/v1/memory', { skip: skip || '', limit: pageSize }), { signal });
    return [el('p', { class: 'dim' }, `${body.total} ${body.total === 1 ? 'entry' : 'entries, the newest first'}.`), body.entries.length ? el('ul', { class: 'rows' }, body.entries.map((m) => entry(m))) : el('p', { class: 'dim' }, 'The memory is empty.'),
      el('div', { class: 'buttons' }, skip ? button('Newer', () => turn(-pageSize)) : null, skip + body.entries.length < body.total ? button('Older', () => turn(body.entries.length)) : null)];
  });

  function turn(by) {
    skip = Math.max(0, skip + by);
    return list();
  }

  function find() {
    fill(out, el('p', { class: 'dim' }, 'Searching…'));
    return show(async () => {
      const body = await get(query('/v1/memory/search', { text: words.value.trim(), k: 20, mode: mode.value }), { signal });
      return [body.keywords_only ? el('p', { class: 'note' }, `By words only: ${body.keywords_only}`) : null,
        body.found.length ? el('ul', { class: 'rows' }, body.found.map((m) => entry(m, why(m)))) : el('p', { class: 'dim' }, 'The memory has nothing about that.')];
    });
  }

  function entry(m, reasons) {
    const whole = el('div', { class: 'plain-text' });
    const row = el('li', { 'data-row': m.id }, el('div', { class: 'plain-text' }, m.summary || '(no summary)'), el('p', { class: 'dim small' }, m.kind, m.session ? ` · ${m.session}` : '', ' · ', time(m.at), reasons ? ` · ${reasons}` : ''),
      el('details', {}, el('summary', {}, 'Whole text'), whole), button('Forget', async () => {
        try {
          const { forgotten } = await post('/v1/memory/forget', { ids: [m.id] });
          fill(row, el('span', { class: 'dim', role: 'status' }, forgotten ? 'Forgotten, for good.' : 'It was already gone.'));
        } catch (e) {
          row.append(wrong(e));
        }
      }, { class: 'small', sure: 'Really forget it, for good?' }));
    row.querySelector('details').addEventListener('toggle', async (e) => {
      if (!e.target.open || whole.textContent) return;
      try {
        const body = await get(`/v1/memory/entries/${piece(m.id)}`, { signal });
        fill(whole, body.text || '(no more than the summary)');
      } catch (err) {
        fill(whole, err.message);
      }
    });
    return row;
  }

  await list();
}

// why returns the reason why an entry was found.
function why(m) {
  const parts = [];
  if (m.keyword) parts.push(`word ${m.keyword.rank}: ${m.keyword.terms.join(', ')}`);
  if (m.vector) parts.push(`meaning ${m.vector.rank}: ${m.vector.cosine.toFixed(2)}`);
  if (m.age < 1) parts.push(`age × ${m.age.toFixed(2)}`);
  return parts.join(' · ');
}
