// The daemon's status.

import { el, add, fill, button, bytes, seen, span, time, wrong } from './dom.js';
import { get, post, piece } from './api.js';
import { lifeWords, count } from './words.js';
import * as pulse from './pulse.js';

export function statusView(main, signal) {
  const facts = el('dl', { class: 'facts' });
  const errors = el('ul', { class: 'rows' });
  const grants = el('div');
  fill(main, el('h1', {}, 'Status'), facts, el('h2', {}, 'Approvals in force'), grants, el('h2', {}, 'Last warnings and errors'), errors);
  pulse.heed((s) => {
    const rows = [
      ['shelly', `${lifeWords(s.lifecycle)}, up ${span(s.uptime_ms)}, version ${s.version || 'unknown'}, start ${s.epoch}`],
      ['Model', s.brain], ['Reads', s.pace?.reads ? `about ${s.pace.reads} tokens a second` : ''],
      ['Work', `${s.active?.length || 0} running, ${s.waiting || 0} waiting`], ['Not accepting', s.no_space],
      ['Memory', s.memory ? `${count(s.memory.entries, 'entry', 'entries')}, ${s.memory.vectors} with a vector${s.memory.pending ? `, ${s.memory.pending} to do` : ''}${s.memory.loading ? ', still being read' : ''}` : ''],
      ['Journal', s.journal ? `records ${s.journal.first} to ${s.journal.last}, ${bytes(s.journal.bytes)}` : ''],
      ['Kept results', s.texts ? `${s.texts.count}, ${bytes(s.texts.bytes)}` : ''],
      ['Disk', s.disk ? `${bytes(s.disk.store)} used${s.disk.free !== undefined ? `, ${bytes(s.disk.free)} free` : ''}` : ''],
      ['Process', s.process ? `${s.process.pid}${s.process.resident ? `, ${bytes(s.process.resident)} of memory` : ''}` : ''],
      ['Unread', s.unread ? `${s.unread.more ? 'more than ' : ''}${count(s.unread.messages, 'message')}` : ''],
      ['Upkeep', s.upkeep ? 'summaries or consolidations fail; see the last warnings' : ''],
      ['Damage', (s.damage || []).join('; ')], ['Data folder', s.data],
    ];
    fill(facts, rows.filter(([, v]) => v).map(([name, v]) => [el('dt', {}, name), el('dd', {}, v)]));
    fill(errors, s.errors?.length ? s.errors.toReversed().map((e) => el('li', {}, el('span', { class: `chip ${e.level === 'ERROR' ? 'bad' : ''}` }, e.level.toLowerCase()), ' ', time(e.at), ' ', el('span', { class: 'plain-text' }, e.times > 1 ? `${e.text} (${e.times} times)` : e.text))) : el('li', { class: 'dim' }, 'None.'));
  }, signal);
  approvals(grants);
}

async function approvals(at) {
  try {
    const { approvals: list } = await get('/v1/approvals');
    if (!list.length) {
      fill(at, el('p', { class: 'dim' }, 'None. When shelly asks, “For this session” and “Always” add one.'));
      return;
    }
    fill(at, el('ul', { class: 'rows' }, list.map((a) => el('li', { 'data-row': a.id }, el('strong', {}, a.tool), ' ', a.session ? `in session ${a.session}` : 'in every session', a.any ? ', whatever the arguments' : '',
      a.match ? el('div', { class: 'dim plain-text' }, Object.entries(a.match).map(([k, v]) => seen(`${k} = ${v}`)).join(', ')) : null, ' ',
      button('Revoke', async () => {
        try {
          await post(`/v1/approvals/${piece(a.id)}/revoke`, { by: 'page' });
        } catch (e) {
          add(at, [wrong(e)]);
          return;
        }
        await approvals(at);
      }, { class: 'small', sure: 'Really revoke it?' })))));
  } catch (e) {
    fill(at, wrong(e));
  }
}
