// The requests: a list, and one with its steps.

import { el, add, fill, button, time, span, short } from './dom.js';
import { get, query, piece } from './api.js';
import { stateWords, inferenceWords, outcomeWords } from './words.js';
import { markdown } from './text.js';
import { question, args } from './question.js';

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

const stepsMax = 300;

export async function requestView(main, name, signal) {
  const cut = name.indexOf('/');
  const channel = name.slice(0, cut);
  const id = name.slice(cut + 1);
  const head = el('div');
  const steps = el('ol', { class: 'steps' });
  const more = button('More steps', () => page(), { hidden: true });
  const note = el('p', { class: 'note', role: 'status', hidden: true });
  fill(main, el('p', {}, el('a', { href: '#/requests' }, 'All requests')), el('h1', {}, 'Request'), head, el('h2', {}, 'What happened'), steps, more, note);
  let after = 0;
  let began = 0;

  async function page() {
    try {
      const body = await get(query(`/v1/requests/${piece(id)}/steps`, { channel, after, limit: stepsMax }), { signal });
      if (!after) show(body);
      began ||= body.steps[0]?.input.at || 0;
      add(steps, body.steps.map((s) => step(s, began)));
      after = body.steps.at(-1)?.n || after;
      more.hidden = !body.more;
    } catch (e) {
      if (signal.aborted) return;
      note.hidden = false;
      fill(note, `${e.message}. ${e.hint || ''}`);
    }
  }

  function show({ request: r, asks, lost, ended }) {
    fill(head, el('p', { class: 'dim' }, stand(r), ' ', time(r.accepted), ' · ', el('a', { href: `#/chat/${encodeURIComponent(r.in_session || r.session || '')}` }, r.in_session || r.session || ''), r.done ? ` · answered in ${span(r.replied - r.accepted)}` : '', ended || !r.done ? '' : ' · memory is still being written'),
      el('p', { class: 'dim small' }, `id ${r.id}`), el('div', { class: 'bubble' }, r.text), (asks || []).map((a) => question(a)), r.done ? el('div', { class: r.is_error ? 'answer error' : 'answer' }, markdown(r.reply || '')) : null,
      lost ? el('p', { class: 'note' }, `${lost} records before the first step are no longer kept.`) : null);
  }
  await page();
}

// step is one step: what came in, what moved, what went out.
function step(s, began) {
  const { kind, at: when, ...fact } = s.input;
  const moves = (s.moves || []).filter((m) => m.from !== m.to);
  const node = el('li', { value: s.n, class: s.about ? '' : 'aside', id: `step-${s.n}` },
    el('details', {}, el('summary', {}, el('span', { class: 'dim' }, `${s.n}. `), el('strong', {}, words(kind)), ' ', el('span', { class: 'gist' }, gistOf(fact)), ' ', moves.map((m) => [el('span', { class: 'chip' }, `${m.from} → ${m.to}`), ' ']),
      el('span', { class: 'dim' }, ` +${((when - began) / 1000).toFixed(1)} s`), s.differs ? el('span', { class: 'chip bad' }, 'decided differently today') : null),
    el('div', { class: 'inside' }, el('p', { class: 'label' }, 'Input'), json(fact), (s.effects || []).map((e) => [el('p', { class: 'label' }, `Effect: ${words(e.kind)}`), json(e)]))));
  return node;
}

const words = (kind) => String(kind || '').replaceAll('_', ' ');

function gistOf(fact) {
  const inner = fact.text ?? fact.reason ?? fact.name ?? Object.values(fact).find((v) => typeof v === 'string') ?? '';
  return short(inner, 80);
}

function json(value) {
  const { kind, ...rest } = value;
  return args(JSON.stringify(rest)) || el('p', { class: 'dim' }, '(nothing more)');
}
