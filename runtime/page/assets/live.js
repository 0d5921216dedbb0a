// What is running now: each piece of work, what it waits for, and what it asks.

import { el, fill, button, span, short } from './dom.js';
import { get, post, piece } from './api.js';
import { graph } from './graph.js';
import { stateWords, inferenceWords, lifeWords, endWords } from './words.js';
import { question } from './question.js';
import * as pulse from './pulse.js';

const kinds = { user: 'request', schedule: 'schedule', subagent: 'subagent', system: 'report of a subagent', memory: 'memory', init: 'first look', farewell: 'farewell', event: 'event' };

const summariesShown = 3; // of those that wait
const answeredMax = 3; // questions that stay in view after their answer

export function liveView(main, signal) {
  const head = el('p', { class: 'dim' });
  const asks = el('div');
  const active = el('div', { class: 'cards' });
  const none = el('p', { class: 'dim' }, 'Nothing runs.');
  const queue = el('ul', { class: 'rows' });
  const waits = el('section', { 'aria-label': 'Waiting', hidden: true }, el('h2', {}, 'Waiting'), queue);
  const graphs = el('section', { 'aria-label': 'States' });
  fill(main, el('h1', {}, 'Live'), head, asks, el('section', { 'aria-label': 'Running' }, el('h2', {}, 'Running'), none, active), waits, graphs);
  const works = new Map(); // the cards of what runs, which stay, so that the focus and a note in them do
  const cards = new Map(); // the open questions
  const answered = []; // the latest others
  pulse.quick(signal);
  pulse.heed((s) => {
    fill(head, `shelly is ${lifeWords(s.lifecycle)}, for ${span(s.uptime_ms)}. ${s.brain ? `${s.brain}.` : ''}`);
    const runs = new Map((s.active || []).map((a) => [a.handle || a.kind, a]));
    none.hidden = runs.size > 0;
    for (const [key, a] of runs) {
      if (!works.has(key)) {
        works.set(key, card(a));
        active.append(works.get(key).root);
      }
      works.get(key).show(a);
    }
    for (const [key, work] of works) {
      if (runs.has(key)) continue;
      work.root.remove();
      works.delete(key);
    }
    const asked = new Map((s.active || []).filter((a) => a.asks).map((a) => [`${a.handle} ${a.asks.key || ''}`, a]));
    for (const [key, one] of cards) {
      if (asked.has(key)) continue;
      if (!one.classList.contains('over')) one.over(endWords(s, one.asks, one.since));
      cards.delete(key);
      answered.push(one.parentElement);
      const old = answered.length > answeredMax ? answered.findIndex((a) => !a.querySelector('textarea')) : -1; // what was written and not sent stays
      if (old >= 0) answered.splice(old, 1)[0].remove();
    }
    for (const [key, a] of asked) {
      if (cards.has(key)) continue;
      const one = question(a.asks);
      one.asks = a.asks;
      one.since = s.journal?.last || 0;
      cards.set(key, one);
      asks.append(el('div', {}, el('p', { class: 'who' }, title(a)), cards.get(key)));
    }
    waits.hidden = !s.queue?.length;
    const summaries = (s.queue || []).filter((q) => q.kind === 'memory').slice(summariesShown); // nobody waits for them
    fill(queue, (s.queue || []).filter((q) => !summaries.includes(q)).map((q) => el('li', {}, el('strong', {}, title(q)), ' ', el('span', {}, q.why), q.text ? el('div', { class: 'dim' }, short(q.text, 120)) : null)),
      summaries.length ? el('li', { class: 'dim' }, `and ${summaries.length} more for the memory`) : null);
  }, signal);
  states(graphs, signal);
}

const about = { handle: 'Each piece of work', inference: 'Its work with the model and tools', lifecycle: 'shelly itself' };

// states shows the tables with the state of each piece of work.
async function states(at, signal) {
  let drawn;
  try {
    drawn = (await get('/v1/graphs', { signal })).graphs.map((g) => ({ name: g.name, ...graph(g) }));
  } catch (e) {
    if (!signal.aborted) fill(at, el('p', { class: 'note' }, e.message));
    return;
  }
  drawn.sort((a, b) => Object.keys(about).indexOf(a.name) - Object.keys(about).indexOf(b.name));
  fill(at, el('h2', {}, 'States'), drawn.map((d) => el('details', { open: d.name !== 'lifecycle' }, el('summary', {}, about[d.name] || d.name), d.root)));
  const before = new Map();
  pulse.heed((s) => {
    for (const d of drawn) {
      const here = new Map();
      const moves = [];
      const note = (key, name, state) => {
        if (!state) return;
        here.set(state, [...(here.get(state) || []), name]);
        const last = before.get(key);
        if (last && last !== state) moves.push([last, state]);
        before.set(key, state);
      };
      if (d.name === 'lifecycle') note('shelly', 'shelly', s.lifecycle);
      for (const a of d.name === 'handle' ? [...(s.active || []), ...(s.queue || [])] : d.name === 'inference' ? s.active || [] : []) {
        note(`${d.name} ${a.handle}`, short(a.session || kinds[a.kind] || a.kind, 18), d.name === 'handle' ? a.state : a.inference);
      }
      d.show(here, moves);
    }
    if (before.size > 500) before.clear();
  }, signal);
}

function title(a) {
  return `${kinds[a.kind] || a.kind}${a.session ? ` in ${a.session}` : ''}`;
}

// card shows a piece of work; its show shows what has become of it.
function card(a) {
  const told = el('div');
  const note = el('span', { class: 'dim', role: 'status' });
  const root = el('article', { class: 'card' }, told,
    a.handle && a.kind !== 'init' && a.kind !== 'farewell' ? el('p', {}, button('Cancel', async () => {
      try {
        const { taken } = await post(`/v1/handles/${piece(String(a.handle))}/cancel`);
        fill(note, taken ? ' cancelled' : ' not taken');
      } catch (e) {
        fill(note, ` ${e.message}`);
      }
    }, { class: 'small' }), note) : null);
  return { root, show: (now) => fill(told, ...words(now)) };
}

function words(a) {
  return [
    el('p', {}, el('strong', {}, title(a)), a.since ? el('span', { class: 'dim' }, ` for ${span(Date.now() - a.since)}`) : null),
    a.text ? el('p', { class: 'plain-text' }, short(a.text, 160)) : null,
    el('p', {}, el('span', { class: 'chip' }, stateWords(a.asks && a.state === 'parked' ? 'held' : a.state)), ' ', a.inference && !a.asks ? el('span', { class: 'chip' }, inferenceWords(a.inference, a.label)) : null, a.waits ? el('span', { class: 'dim' }, ` ${a.waits}`) : null),
  ];
}
