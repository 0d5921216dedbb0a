// A question to a person, and the answer.

import { el, add, fill, button, say, seen } from './dom.js';
import { post, piece } from './api.js';
import { members, worded } from './members.js';
import { keep, kept } from './tab.js';

/** question is a card with a question: {question, handle, key, tool, args, text, subject, preview}. */
export function question(q, answered = () => {}) {
  const card = el('section', { class: 'question', 'aria-label': 'Question to you' });
  const end = el('p', { class: 'dim', role: 'status' });
  const buttons = el('div', { class: 'buttons' });
  const draft = `shelly.question.${q.handle}.${q.key}`;
  let written = null; // the field for a text that goes with the answer
  const act = (words, path, body) => async () => {
    try {
      const { taken } = await post(`/v1/handles/${piece(String(q.handle))}/${path}`, body);
      if (taken) written = null;
      done(taken ? words : 'Not accepted: it was answered before, or timed out.');
    } catch (e) {
      fill(end, `It did not arrive: ${e.message}.`);
    }
  };
  /** done ends the question. A text that was not taken stays, with the focus if it had that, so that what is still typed goes nowhere else. */
  function done(words) {
    keep(draft, '');
    card.classList.add('over');
    fill(end, `${card.asked} ${words}`);
    const typing = document.activeElement === written;
    fill(card, end);
    if (written?.value.trim()) {
      add(card, [el('label', { class: 'stack' }, 'What you have written was not sent.', written)]);
      if (typing) written.focus();
    }
    say(words);
    answered();
  }
  card.over = done;
  card.asked = q.question === 'crashes' || q.question === 'doubt' ? 'Asked whether to resume it.' : `Asked about ${q.tool || 'it'}.`;
  /** field is where the text is written. Another card of the same question, after a restart or a reload, begins with it. */
  function field(label) {
    const text = el('textarea', { rows: '2', 'aria-label': label });
    text.value = kept(draft);
    text.addEventListener('input', () => card.classList.contains('over') || keep(draft, text.value));
    return text;
  }
  if (q.question === 'approve') approve();
  else if (q.question === 'unknown') unknown();
  else held();
  say(card.querySelector('.asks').textContent, true);
  return card;

  function approve() {
    add(card, [el('p', { class: 'asks' }, 'May ', el('strong', {}, q.tool), ' run?', q.text ? ` (${seen(q.text)})` : ''), args(q.args)]);
    if (q.preview) add(card, [el('p', { class: 'label' }, 'It would do this:'), preview(q.preview)]);
    const by = 'page';
    const covers = q.subject?.length ? `calls of ${q.tool} with the same ${q.subject.join(', ')}` : 'the same call with the same arguments';
    add(buttons, [
      button('Yes', act('Approved.', 'approve', { key: q.key, by }), { class: 'yes' }),
      button('No', refused, { class: 'no' }),
      button('No, because…', refuse, { 'aria-expanded': String(Boolean(kept(draft))) }),
      button('For this session', act('Approved for this session.', 'approve', { key: q.key, by, grant: 'session' })),
      button('Always', act('Approved for always. You can revoke it under Status.', 'approve', { key: q.key, by, grant: 'always' })),
    ]);
    const why = el('div');
    if (kept(draft)) show();
    add(card, [buttons, why, el('p', { class: 'dim small' }, `“For this session” and “Always” also cover ${covers}.`), end]);

    /** refuse opens or closes the field for the reason of a refusal. */
    function refuse(opener) {
      const open = why.childElementCount === 0;
      opener.setAttribute('aria-expanded', String(open));
      if (!open) return fill(why);
      show();
      written.focus();
    }

    /** show opens the field. */
    function show() {
      written ||= field('Why not');
      fill(
        why,
        el('label', { class: 'stack' }, 'Say why, or what to do instead; the model gets it as the result.', written),
        button('Refuse', refused, { class: 'no' }),
      );
    }

    /** refused refuses, with the reason if its field is open. */
    function refused() {
      const reason = why.childElementCount > 0 ? written.value.trim() : '';
      return act('Refused.', 'deny', { key: q.key, by, reason })();
    }
  }

  function unknown() {
    written = field('What the call did');
    add(card, [
      el('p', { class: 'asks' }, 'What did ', el('strong', {}, q.tool), ' do? It was interrupted, and its outcome is unknown.', q.text ? ` ${seen(q.text)}` : ''), args(q.args),
      el('label', { class: 'stack' }, 'Say what you found; the model gets it as the result.', written), buttons, end,
    ]);
    add(buttons, [button('Send', () => act('Passed on.', 'resolve', { text: written.value })())]);
  }

  function held() {
    add(card, [el('p', { class: 'asks' }, 'This work was active in several crashes. Resume it?', q.text ? ` ${seen(q.text)}` : ''), buttons, end]);
    add(buttons, [button('Resume', act('Resumed.', 'resolve', {}))]);
  }
}

/** args are the arguments of a call, a line each. */
export function args(text) {
  const all = members(text);
  if (!all) return text ? el('pre', { class: 'code' }, seen(text)) : null;
  const list = el('dl', { class: 'args' });
  for (const { name, value } of all) add(list, [el('dt', {}, seen(name)), el('dd', {}, el('pre', {}, seen(worded(value))))]);
  return list.childElementCount ? list : null;
}

/** preview shows what a call would do; the lines of a diff have a colour and a sign. */
export function preview(text) {
  const block = el('pre', { class: 'code diff', tabindex: '0', 'aria-label': 'Preview' });
  for (const line of seen(text).replace(/\n$/, '').split('\n')) {
    const kind = line.startsWith('+') ? 'plus' : line.startsWith('-') ? 'minus' : line.startsWith('@@') ? 'place' : '';
    block.append(el('span', { class: kind || null }, line, '\n'));
  }
  return block;
}
