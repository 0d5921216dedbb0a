// What if? A step of a request with another input, and what would have followed.

import { el, add, fill, button, busy, acts, say } from './dom.js';
import { post, query, piece } from './api.js';
import { markdown } from './text.js';
import { outcomeWords } from './words.js';

const labels = {
  text: 'the text had been', result: 'the tool had said', failed: 'the call had failed', says: 'the model had said', calls: 'the model had called (JSON)',
  recalled: 'memory had found (JSON)', approve: 'the decision had been',
  reason: 'it had been refused because',
};
const yesNo = { failed: ['true', 'false'], approve: ['true', 'false'] };
const fieldOf = { text: 'text', result: 'text', says: 'text', failed: 'failed', approve: 'approve' };

/** whatIf is the form for a step, and the result below it. */
export function whatIf(step, of) {
  const out = el('div', { 'aria-live': 'polite' });
  const form = el('form', { class: 'stack fork' }, el('p', { class: 'label' }, 'What if…'));
  const fields = new Map();
  const value = (name) => (step.input.fields || []).find((f) => f.name === name)?.text ?? '';
  for (const key of step.edits) {
    const now = value(fieldOf[key] || key) || (yesNo[key] ? 'false' : '');
    const field = yesNo[key] ? el('select', {}, yesNo[key].map((v) => el('option', { value: v, selected: v === now }, v === 'true' ? 'yes' : 'no'))) : el('textarea', { rows: key === 'calls' || key === 'recalled' ? '1' : '2', spellcheck: 'false' });
    if (!yesNo[key]) field.value = now;
    fields.set(key, { field, now });
    add(form, [el('label', { class: 'stack' }, `… ${labels[key] || key}`, field)]);
  }
  const go = el('button', { type: 'submit' }, 'Try it');
  const stop = button('Stop', () => asking?.abort(), { hidden: true });
  let asking = null;
  add(form, [el('div', { class: 'buttons' }, go, stop), el('p', { class: 'dim small' }, 'Nothing is executed and nothing changes: tools answer from the record, what is not in it is refused, and the model is really asked.'), out]);
  form.addEventListener('submit', async (e) => {
    e.preventDefault();
    if (acts(go)) return undefined;
    const edits = {};
    for (const [key, { field, now }] of fields) if (field.value !== now) edits[key] = field.value;
    if (!Object.keys(edits).length) return fill(out, el('p', { class: 'note' }, 'Change something first.'));
    asking = new AbortController();
    busy(go, true);
    stop.hidden = false;
    fill(out, el('p', { class: 'status' }, el('span', { class: 'pulse', 'aria-hidden': 'true' }), 'Continuing from here; asking the model may take a while.'));
    try {
      const body = await post(query(`/v1/requests/${piece(of.id)}/fork`, { channel: of.channel, client: of.client }), { at: step.n, edits }, { signal: asking.signal, timeout: 320000 });
      fill(out, ...told(body));
      say('What would have happened is shown.');
    } catch (err) {
      fill(out, el('p', { class: 'note' }, asking.signal.aborted ? 'Stopped.' : `${err.message}. ${err.hint || ''}`));
    } finally {
      busy(go, false);
      stop.hidden = true;
    }
    return undefined;
  });
  return form;
}

const sources = { edit: 'your change', model: 'the model, asked now', record: 'as recorded', fork: 'not in the record', step: 'as recorded' };

function told(b) {
  const apart = b.parted >= 0;
  return [
    el('p', {}, apart ? `The ways part at step ${b.at + b.parted}.` : 'The ways never part: it would have gone the same way.', b.asked ? el('span', { class: 'dim' }, ` ${b.brain} was asked ${b.asked === 1 ? 'once' : `${b.asked} times`}, ${(b.took_ms / 1000).toFixed(1)} s.`) : el('span', { class: 'dim' }, ' The model was not asked.')),
    el('div', { class: 'ways' }, way('As it was', b.recorded, b.replies.recorded, -1), way('As it would have been', b.fork, b.replies.fork, apart ? b.parted : -1)),
    (b.refused || []).map((r) => el('p', { class: 'note' }, `${r.tool} ${r.args} was refused: ${r.why}.`)),
    b.stands ? el('p', { class: 'note' }, `It did not end: ${b.stands}.`) : null,
    b.cut ? el('p', { class: 'note' }, 'It did not end; these are its first steps.') : null,
    (b.broken || []).map((t) => el('p', { class: 'note' }, `An invariant does not hold in it; please report this: ${t}`)),
  ].flat().filter(Boolean);
}

function way(title, steps, reply, parted) {
  return el('section', { class: 'way', 'aria-label': title }, el('h3', {}, title),
    reply ? el('div', { class: reply.is_error ? 'answer error' : 'answer' }, markdown(reply.text), reply.outcome !== 'answered' ? el('p', { class: 'note' }, `Ended: ${outcomeWords(reply.outcome)}.`) : null) : el('p', { class: 'dim' }, 'No reply from here on.'),
    el('ol', { class: 'plain-list' }, steps.map((s, i) => el('li', { value: s.n, class: parted >= 0 && i >= parted ? 'apart' : null }, el('span', { class: 'dim' }, `${s.n} `), s.source ? el('span', { class: 'chip' }, sources[s.source] || s.source) : null, ' ', el('span', { class: 'plain-text' }, s.what),
      s.effects?.length ? el('ul', { class: 'plain-list dim small' }, s.effects.map((t) => el('li', { class: 'plain-text' }, `→ ${t}`))) : null))));
}
