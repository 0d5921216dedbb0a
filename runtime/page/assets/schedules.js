// The schedules: what runs at which times, and the buttons to change that.

import { el, fill, button, zoned } from './dom.js';
import { get, post, piece, pause } from './api.js';
import { drafted } from './tab.js';

export async function schedulesView(main, signal) {
  const out = el('div', { 'aria-live': 'polite' });
  const note = el('p', { class: 'note', role: 'status', hidden: true });
  const text = el('textarea', { rows: '2', required: true, placeholder: 'What to do, as if you asked it then', 'aria-label': 'What to do' });
  const how = el('select', { 'aria-label': 'When' }, [['cron', 'At times as in crontab'], ['every', 'Every … minutes'], ['at', 'Once, at']].map(([v, t]) => el('option', { value: v }, t)));
  const when = el('input', { required: true, 'aria-label': 'Times', autocomplete: 'off' });
  const sent = [drafted(text, 'shelly.schedule.text'), drafted(when, 'shelly.schedule.when')];
  const adding = el('form', { class: 'stack' }, text, el('div', { class: 'bar' }, how, when, el('button', { type: 'submit' }, 'Add')));
  const hints = { cron: '0 9 * * mon-fri, or @daily', every: '30', at: '2030-01-31T09:00' };
  const hint = () => (when.placeholder = hints[how.value]);
  how.addEventListener('change', hint);
  hint();
  fill(main, el('h1', {}, 'Schedules'), out, note, el('h2', {}, 'Add'), adding);

  adding.addEventListener('submit', async (e) => {
    e.preventDefault();
    const body = { message: text.value.trim(), by: 'page' };
    if (how.value === 'cron') body.cron_expr = when.value.trim();
    else if (how.value === 'at') body.at = when.value.trim();
    else body.every_seconds = Math.round(Number(when.value) * 60);
    if (how.value === 'every' && !(body.every_seconds >= 1)) return tell('Write a number of minutes.');
    const texts = [text.value, when.value];
    await told(() => post('/v1/schedules', body), (a) => `Schedule ${a.id} is added.`, () => sent.forEach((s, i) => s(texts[i])));
  });

  function tell(words) {
    note.hidden = false;
    fill(note, words);
  }

  async function told(act, words, then = () => {}) {
    try {
      const answer = await act();
      tell(answer.taken === false ? 'Nothing has changed: a run of it waits already.' : words(answer));
      then();
      await list();
    } catch (e) {
      tell(`${e.message}. ${e.hint || ''}`);
    }
  }

  let drawn = '';

  async function list() {
    const { schedules } = await get('/v1/schedules', { signal });
    const now = JSON.stringify(schedules);
    if (now === drawn) return; // what is drawn again is read aloud again
    drawn = now;
    fill(out, schedules.length ? el('ul', { class: 'rows' }, schedules.map(row)) : el('p', { class: 'dim' }, 'No schedule yet. Add one below, or ask shelly for one in the chat.'));
  }

  function row(s) {
    const word = (label, path, words, props) => button(label, () => told(() => post(`/v1/schedules/${piece(s.id)}/${path}`, { by: 'page' }), () => `Schedule ${s.id} ${words}.`), { class: 'small', ...props });
    const times = s.cron ? s.cron : s.every_seconds ? `every ${s.every_seconds % 60 ? `${s.every_seconds} s` : `${s.every_seconds / 60} min`}` : 'once';
    return el('li', { 'data-row': s.id }, el('div', { class: 'plain-text' }, s.text), el('p', { class: 'dim small' }, `${s.id} · ${times}${s.zone ? ` (${s.zone})` : ''} · `,
      s.paused ? el('span', { class: 'chip' }, 'paused') : s.next ? ['next ', zoned(s.next)] : 'no next time', s.running ? el('span', { class: 'chip' }, 'running') : null, s.channel ? ` · answers to ${s.channel}${s.chat ? `:${s.chat}` : ''}` : ''),
    el('div', { class: 'buttons' }, word('Run now', 'run', 'runs; its answer is a message'), s.paused ? word('Resume', 'resume', 'is resumed') : word('Pause', 'pause', 'is paused'), word('Remove', 'remove', 'is removed', { sure: 'Really remove it?' })));
  }

  while (!signal.aborted) {
    // What asks whether it is sure does not change under a person's fingers.
    if (!out.querySelector('.danger')) await list().catch((e) => signal.aborted || tell(e.message));
    await pause(10000, signal).catch(() => {});
  }
}
