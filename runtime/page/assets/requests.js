// The requests and the other runs: a list, and one of them with its steps.

import { el, add, fill, button, seen, time, span, short, wrong } from './dom.js';
import { whatIf } from './fork.js';
import { get, post, query, piece } from './api.js';
import { stateWords, inferenceWords, outcomeWords, endWords, count } from './words.js';
import { markdown } from './text.js';
import { question } from './question.js';
import * as pulse from './pulse.js';

const pageSize = 50;
const stands = { '': 'All', waiting: 'Waiting', active: 'Running', held: 'Asking you', parked: 'Paused until restart', done: 'Done', failed: 'Failed' };

export function requestsView(main, signal) {
  const state = el('select', { 'aria-label': 'State' }, Object.entries(stands).map(([v, t]) => el('option', { value: v }, t)));
  const session = el('input', { type: 'search', placeholder: 'Session', 'aria-label': 'Session', autocomplete: 'off', maxlength: '128' });
  const which = el('select', { 'aria-label': 'Which' }, [['', 'Requests'], ['all', 'Requests and runs']].map(([v, t]) => el('option', { value: v }, t)));
  const form = el('form', { class: 'bar' }, which, state, session, el('button', { type: 'submit' }, 'Show'));
  const rows = el('ul', { class: 'rows' });
  const more = button('Older', () => page(), { hidden: true });
  const note = el('p', { class: 'dim', role: 'status' });
  fill(main, el('h1', {}, 'Requests'), form, rows, note, more);
  let lists = [];
  let turn = 0;
  form.addEventListener('submit', (e) => {
    e.preventDefault();
    again();
  });
  state.addEventListener('change', again);
  which.addEventListener('change', again);

  function again() {
    const wanted = { state: state.value, session: session.value.trim(), limit: pageSize };
    lists = [listOf('/v1/requests', 'requests', wanted, signal)];
    if (which.value) lists.push(listOf('/v1/runs', 'runs', wanted, signal));
    fill(rows);
    return page();
  }

  async function page() {
    const mine = ++turn;
    try {
      const found = await latest(lists, pageSize);
      if (mine !== turn) return; // something else was asked for in the meantime
      add(rows, found.map(row));
      more.hidden = lists.every((l) => l.done());
      fill(note, rows.childElementCount ? '' : 'There are none.');
    } catch (e) {
      if (!signal.aborted && mine === turn) fill(note, `${e.message}. ${e.hint || ''}`);
    }
  }
  again();
}

// listOf is a list that is read page by page, the latest first.
function listOf(path, key, wanted, signal) {
  const list = { held: [], before: '', begun: false };
  list.done = () => !list.held.length && list.begun && !list.before;
  list.fill = async () => {
    if (list.held.length || list.done()) return;
    const body = await get(query(path, { ...wanted, before: list.before }), { signal, timeout: 45000 });
    list.held = body[key];
    list.begun = true;
    list.before = body.next || '';
  };
  return list;
}

// latest takes the next of several lists, in order of time.
async function latest(lists, most) {
  const found = [];
  for (;;) {
    await Promise.all(lists.map((l) => l.fill()));
    const open = lists.filter((l) => l.held.length);
    if (found.length === most || (!open.length && lists.every((l) => l.done()))) return found;
    if (open.length) found.push(open.reduce((a, b) => (b.held[0].accepted > a.held[0].accepted ? b : a)).held.shift());
  }
}

// at is the address of a request's view: its channel, with the client whose it is, and its id. A run
// has no channel, and its id is its handle's.
const at = (r) => `#/requests/${encodeURIComponent(r.kind ? r.id : `${r.channel}${r.client ? `:${r.client}` : ''}/${r.id}`)}`;

function row(r) {
  return el('li', {}, el('a', { class: 'title', href: at(r) }, short(r.text, 100) || r.id), el('p', { class: 'dim small' }, stand(r), ' ', r.kind ? `${r.kind} · ` : '', r.accepted ? time(r.accepted) : '', ` · ${r.in_session || r.session || ''} · ${short(r.id, 20)}`));
}

function stand(r) {
  if (r.done) return el('span', { class: `chip ${r.is_error ? 'bad' : 'good'}` }, r.outcome && r.outcome !== 'answered' ? outcomeWords(r.outcome) : r.is_error ? 'failed' : 'done');
  return el('span', { class: 'chip' }, r.asks ? 'asks you' : [stateWords(r.phase || 'queued'), r.inference ? `: ${inferenceWords(r.inference, r.label)}` : '']);
}

const stepsMax = 200;

export async function requestView(main, name, signal) {
  const cut = name.indexOf('/');
  const run = cut < 0;
  const [channel, client] = run ? [] : name.slice(0, cut).split(':');
  const id = name.slice(cut + 1);
  const path = `/v1/${run ? 'runs' : 'requests'}/${piece(id)}`;
  const head = el('div');
  const asks = el('div');
  const said = el('div');
  const steps = el('ol', { class: 'steps' });
  const more = button('More steps', () => page(), { hidden: true });
  const note = el('p', { class: 'note', role: 'status', hidden: true });
  fill(main, el('p', {}, el('a', { href: '#/requests' }, 'All requests')), el('h1', {}, run ? 'Run' : 'Request'), head);
  const rest = [asks, said, el('h2', {}, 'Report'), report(path, id, { channel, client }), el('h2', {}, 'What happened'),
    el('p', { class: 'dim small' }, 'Open a step to see what came in, what it changed and what the model was sent. Where it says “What if”, you can try another input; nothing is executed.'), steps, more, note];
  let after = 0;
  let began = 0;
  let done = false;
  let card = null;

  async function show() {
    const r = run ? await runOf(id, signal) : await get(query(path, { channel, client }), { signal });
    began = r.accepted;
    done = r.done;
    fill(head, el('p', { class: 'dim' }, stand(r), ' ', time(r.accepted), ' · ', el('a', { href: `#/chat/${encodeURIComponent(r.in_session || r.session || '')}` }, r.in_session || r.session || ''), r.done ? ` · ${run ? 'ended' : 'answered'} after ${span(r.replied - r.accepted)}` : ''),
      el('p', { class: 'dim small' }, `id ${r.id}, ${run ? r.kind : `channel ${r.channel}`}`), el('div', {}, el('div', { class: 'bubble' }, r.text)));
    ask(r.asks);
    if (done) fill(said, el('div', { class: r.is_error ? 'answer error' : 'answer' }, markdown(r.reply || '')));
  }

  // ask shows what is asked; a card stays as it is, so that a person's hand and words do.
  function ask(now) {
    if (card?.key === now?.key) return;
    if (card && !card.classList.contains('over')) end(card);
    card = null;
    if (!now) return;
    for (const one of [...asks.children]) if (one.classList.contains('over') && !one.querySelector('textarea')) one.remove(); // what was written and not sent stays
    card = question(now);
    card.key = now.key;
    card.asks = now;
    card.since = pulse.last?.journal?.last || 0;
    add(asks, [card]);
  }

  // end says how a question has ended that is no longer asked.
  async function end(one) {
    let status = null;
    try {
      status = await get('/v1/status', { signal });
    } catch {
      if (signal.aborted) return;
    }
    if (!one.classList.contains('over')) one.over(endWords(status, one.asks, one.since));
  }

  async function page() {
    try {
      const body = await get(query(`${path}/trace`, { channel, client, after, limit: stepsMax }), { signal, timeout: 45000 });
      add(steps, body.steps.map((s) => step(s, began, { id, channel, client })));
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
    if (!signal.aborted) fill(head, wrong(e));
    return;
  }
  add(main, rest);
  await page();
  follow(signal, async () => {
    const ended = done;
    if (!ended) await show();
    if (more.hidden) await page();
    return ended;
  });
}

// follow looks again whenever the journal has grown, until a look says that there is no more to come.
function follow(signal, look) {
  const end = new AbortController();
  let at = pulse.last?.journal?.last;
  let looking = false;
  pulse.heed(async (status) => {
    const last = status.journal?.last;
    if (looking || last === at) return;
    looking = true;
    try {
      if (await look()) end.abort();
      at = last;
    } catch {
      // the next status tries again
    }
    looking = false;
  }, AbortSignal.any([signal, end.signal]));
}

// runOf returns a run in the form of the list.
async function runOf(id, signal) {
  const body = await get(query('/v1/runs', { before: Number(id.slice(1)) + 1, limit: 1 }), { signal, timeout: 45000 });
  const one = body.runs.find((r) => r.id === id);
  if (!one) throw new Error(`The journal no longer has the run ${id}`);
  return one;
}

// report shows the request's report in a frame: a separate page that can do nothing here.
function report(path, id, whose) {
  const out = el('div', { 'aria-live': 'polite' });
  const open = button('Show the report', async () => {
    try {
      const made = await post(query(`${path}/report`, whose), {}, { timeout: 45000 });
      const frame = el('iframe', { class: 'report', title: `Report of ${id}`, sandbox: 'allow-scripts' });
      frame.src = made.path;
      fill(out, frame);
    } catch (e) {
      fill(out, el('p', { class: 'note' }, `${e.message}. ${e.hint || ''}`));
    }
  });
  return el('div', {}, el('p', { class: 'dim small' }, `Lanes of time, steps and state graphs in one document, without secrets that shelly knows; shelly request show ${id} --html FILE writes it to a file.`), open, out);
}

// step is one step: its input, transitions and effects. Its content is made once it is opened.
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
  return [title ? el('p', { class: 'label' }, title) : null, el('dl', { class: 'args' }, list.map(([name, text]) => [el('dt', {}, name), el('dd', {}, el('pre', {}, seen(text)))])), left ? el('p', { class: 'dim small' }, `and ${left} more`) : null];
}

function sent(q) {
  const box = el('details', {}, el('summary', {}, q.base ? `The model was sent ${count(q.kept, 'message')} of question ${q.base} and these` : 'The model was sent this'));
  box.addEventListener('toggle', () => {
    if (!box.open || box.childElementCount > 1) return;
    add(box, (q.messages || []).map((m) => el('div', { class: 'sent' }, el('p', { class: 'label' }, m.role, m.tool ? ` ${m.tool}` : '', m.images ? ` · ${count(m.images, 'image')}` : ''), el('pre', { class: 'code', tabindex: '0' }, seen(m.text || (m.calls || []).map((c) => `${c.name} ${c.text}`).join('\n') || '–')))));
  });
  return box;
}
