// The requests: a list, and one with its steps.

import { el, add, fill, button, time, span, short } from './dom.js';
import { whatIf } from './fork.js';
import { get, post, query, piece } from './api.js';
import { stateWords, inferenceWords, outcomeWords } from './words.js';
import { markdown } from './text.js';
import { question } from './question.js';

const pageSize = 50;
const stands = { '': 'All', waiting: 'Waiting', active: 'Running', held: 'Asking you', parked: 'Paused until restart', done: 'Done', failed: 'Failed' };

export function requestsView(main, signal) {
  const state = el('select', { 'aria-label': 'State' }, Object.entries(stands).map(([v, t]) => el('option', { value: v }, t)));
  const session = el('input', { type: 'search', placeholder: 'Session', 'aria-label': 'Session', autocomplete: 'off', maxlength: '128' });
  const form = el('form', { class: 'bar' }, state, session, el('button', { type: 'submit' }, 'Show'));
  const rows = el('ul', { class: 'rows' });
  const more = button('Older', () => page(), { hidden: true });
  const note = el('p', { class: 'dim', role: 'status' });
  fill(main, el('h1', {}, 'Requests'), form, rows, note, more);
  let before = '';
  form.addEventListener('submit', (e) => {
    e.preventDefault();
    again();
  });
  state.addEventListener('change', again);

  function again() {
    before = '';
    fill(rows);
    return page();
  }

  async function page() {
    try {
      const body = await get(query('/v1/requests', { before, state: state.value, session: session.value.trim(), limit: pageSize }), { signal });
      add(rows, body.requests.map(row));
      before = body.next || '';
      more.hidden = !before;
      fill(note, rows.childElementCount ? '' : 'There is none.');
    } catch (e) {
      if (!signal.aborted) fill(note, e.message);
    }
  }
  again();
}

const at = (r) => `#/requests/${encodeURIComponent(`${r.channel}/${r.id}`)}`;

function row(r) {
  return el('li', {}, el('a', { class: 'title', href: at(r) }, short(r.text, 100) || r.id), el('p', { class: 'dim small' }, stand(r), ' ', time(r.accepted), ` · ${r.in_session || r.session || ''} · ${short(r.id, 20)}`));
}

function stand(r) {
  if (r.done) return el('span', { class: `chip ${r.is_error ? 'bad' : 'good'}` }, r.outcome && r.outcome !== 'answered' ? outcomeWords(r.outcome) : r.is_error ? 'failed' : 'done');
  return el('span', { class: 'chip' }, r.asks ? 'asks you' : [stateWords(r.phase || 'queued'), r.inference ? `: ${inferenceWords(r.inference, r.label)}` : '']);
}

const stepsMax = 200;

export async function requestView(main, name, signal) {
  const cut = name.indexOf('/');
  const channel = name.slice(0, cut);
  const id = name.slice(cut + 1);
  const head = el('div');
  const steps = el('ol', { class: 'steps' });
  const more = button('More steps', () => page(), { hidden: true });
  const note = el('p', { class: 'note', role: 'status', hidden: true });
  fill(main, el('p', {}, el('a', { href: '#/requests' }, 'All requests')), el('h1', {}, 'Request'), head, el('h2', {}, 'Report'), report(id, channel), el('h2', {}, 'What happened'),
    el('p', { class: 'dim small' }, 'Open a step to see what came in, what it changed and what the model was sent. Where “What if” stands, another input can be tried; nothing is executed.'), steps, more, note);
  let after = 0;
  let began = 0;

  async function show() {
    const r = await get(query(`/v1/requests/${piece(id)}`, { channel }), { signal });
    began = r.accepted;
    fill(head, el('p', { class: 'dim' }, stand(r), ' ', time(r.accepted), ' · ', el('a', { href: `#/chat/${encodeURIComponent(r.in_session || r.session || '')}` }, r.in_session || r.session || ''), r.done ? ` · answered after ${span(r.replied - r.accepted)}` : ''),
      el('p', { class: 'dim small' }, `id ${r.id}, channel ${r.channel}`), el('div', {}, el('div', { class: 'bubble' }, r.text)), r.asks ? question(r.asks) : null,
      r.done ? el('div', { class: r.is_error ? 'answer error' : 'answer' }, markdown(r.reply || '')) : null);
  }

  async function page() {
    try {
      const body = await get(query(`/v1/requests/${piece(id)}/trace`, { channel, after, limit: stepsMax }), { signal, timeout: 45000 });
      add(steps, body.steps.map((s) => step(s, began, { id, channel })));
      after = body.steps.at(-1)?.n || after;
      more.hidden = !body.more;
    } catch (e) {
      if (signal.aborted) return;
      note.hidden = false;
      fill(note, `${e.message}. ${e.hint || ''}`);
    }
  }

  try {
    await show();
  } catch (e) {
    if (!signal.aborted) fill(head, el('p', { class: 'note' }, `${e.message}. ${e.hint || ''}`));
    return;
  }
  await page();
}

// report shows the report of the request in a frame: a page apart, that can do nothing here.
function report(id, channel) {
  const out = el('div', { 'aria-live': 'polite' });
  const open = button('Show the report', async () => {
    try {
      const { path } = await post(query(`/v1/requests/${piece(id)}/report`, { channel }), {}, { timeout: 45000 });
      const frame = el('iframe', { class: 'report', title: 'Report of the request', sandbox: 'allow-scripts' });
      frame.src = path;
      fill(out, frame);
    } catch (e) {
      fill(out, el('p', { class: 'note' }, `${e.message}. ${e.hint || ''}`));
    }
  });
  return el('div', {}, el('p', { class: 'dim small' }, 'Lanes of time, steps and state graphs in one document; shelly request show --html writes it to a file.'), open, out);
}

// step is one step: what came in, what moved, what went out. What it holds is made once it is opened.
function step(s, began, of) {
  const moves = (s.moves || []).filter((m) => m.from !== m.to);
  const inside = el('div', { class: 'inside' });
  const node = el('details', {}, el('summary', {}, el('span', { class: 'dim' }, `${s.n} `), el('span', {}, s.input.words), ' ', moves.map((m) => [el('span', { class: 'chip', title: `${m.table}: ${m.on}, ${m.rule || ''}` }, `${m.from} → ${m.to}`), ' ']),
    el('span', { class: 'dim small' }, `+${((s.at - began) / 1000).toFixed(1)} s`), (s.marks || []).map((m) => [' ', el('span', { class: `chip ${m.kind === 'met' ? 'good' : 'bad'}` }, m.text || m.kind)]),
    s.differs ? el('span', { class: 'chip bad' }, 'decided differently today') : null), inside);
  node.addEventListener('toggle', () => node.open && !inside.childElementCount && fill(inside, ...details(s, of)), { once: false });
  return el('li', {}, node);
}

function details(s, of) {
  const effects = (s.effects || []).filter((e) => !e.minor);
  return [
    pairs('Input', (s.input.fields || []).map((f) => [f.name, f.text]), s.input.left),
    (s.moves || []).length ? [el('p', { class: 'label' }, 'Transitions'), el('ul', { class: 'plain-list' }, s.moves.map((m) => el('li', {}, `${m.table}${m.handle ? ` ${m.handle}` : ''}: ${m.from} → ${m.to} on ${m.on}`, m.rule ? el('span', { class: 'dim' }, ` (${m.rule})`) : null)))] : null,
    effects.length ? [el('p', { class: 'label' }, 'Effects'), el('ul', { class: 'plain-list' }, effects.map((e) => el('li', {}, el('span', { class: 'plain-text' }, e.words), e.sent ? sent(e.sent) : null)))] : null,
    s.changes?.length ? el('details', {}, el('summary', {}, `What changed in the state (${s.changes.length + (s.left || 0)})`), pairs('', s.changes.map((c) => [[c.of, c.path].filter(Boolean).join(' '), `${c.before || '–'} → ${c.after || '–'}`]), s.left)) : null,
    s.edits?.length ? whatIf(s, of) : null,
  ].flat().filter(Boolean);
}

function pairs(title, list, left) {
  if (!list.length) return null;
  return [title ? el('p', { class: 'label' }, title) : null, el('dl', { class: 'args' }, list.map(([name, text]) => [el('dt', {}, name), el('dd', {}, el('pre', {}, text))])), left ? el('p', { class: 'dim small' }, `and ${left} more`) : null];
}

function sent(q) {
  const box = el('details', {}, el('summary', {}, q.base ? `The model was sent ${q.kept} messages of question ${q.base} and these` : 'The model was sent this'));
  box.addEventListener('toggle', () => {
    if (!box.open || box.childElementCount > 1) return;
    add(box, (q.messages || []).map((m) => el('div', { class: 'sent' }, el('p', { class: 'label' }, m.role, m.tool ? ` ${m.tool}` : '', m.images ? ` · ${m.images} images` : ''), el('pre', { class: 'code', tabindex: '0' }, m.text || (m.calls || []).map((c) => `${c.name} ${c.text}`).join('\n') || '–'))));
  });
  return box;
}
