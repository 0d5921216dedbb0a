// The machine's words as people read them.

import { seen } from './dom.js';

const states = {
  queued: 'waiting for its turn', idling: 'waiting until nobody has come for a while', loading: 'loading the session', cognition: 'thinking', recalling: 'looking into memory', execution: 'working',
  summarizing: 'summarizing for memory', embedding: 'preparing for memory', storing: 'storing in memory', saving: 'saving the session',
  stopping: 'waiting for a tool to stop', parked: 'paused until shelly starts again', compacting: 'shortening the conversation',
  waiting_approval: 'waiting for your decision', held: 'waiting for your answer', postponed: 'waiting until the model can be asked again', done: 'done', failed: 'failed', cancelled: 'cancelled',
};
const inferences = {
  thinking: 'the model answers', acting: 'a tool runs', backing_off: 'the model failed; trying again soon', retrying: 'a tool failed; trying again soon',
  probing: 'checking what came of a tool call', condensing: 'shortening the conversation',
};
const lives = { serving: 'running', initializing: 'starting', draining: 'stopping', farewell: 'stopping', stopped: 'stopped', down: 'not started' };
const outcomes = { cancelled: 'cancelled', exhausted: 'stopped at a limit', timeout: 'out of time' };

export const stateWords = (s) => states[s] || s || '';
export const inferenceWords = (s, label) => label || inferences[s] || s || '';
export const lifeWords = (s) => lives[s] || s || '';
export const outcomeWords = (s) => outcomes[s] || String(s || '').replaceAll('_', ' ');

/** count is a number of things in words: 1 file, 2 files. */
export const count = (n, thing, things = `${thing}s`) => `${n} ${n === 1 ? thing : things}`;

/** span is a duration in words, rounded up: a wait of hours is not counted in seconds. */
const span = (s) => (s > 7200 ? `${Math.ceil(s / 3600)} h` : s > 120 ? `${Math.ceil(s / 60)} min` : `${s} s`);

/** waitsAt is a text with the time that is left until something is tried again, never more than it has: this machine's clock may be another. */
export function waitsAt(text, again) {
  const left = Math.ceil((again - Date.now()) / 1000);
  return text.replace(/trying again in (\d+) s(?![^]*trying again in \d)/, (_, most) => (left > 0 ? `trying again in ${span(Math.min(left, most))}` : 'trying again now'));
}

/** decisionWords says how a question has ended (APR-24), as text in which everything is seen (APR-22). */
export function decisionWords(d) {
  if (d.verdict === 'timed_out') return 'Not answered in time, so it does not run.';
  if (d.verdict === 'unresolved') return 'Not resolved in time.';
  if (d.verdict === 'resolved') return d.reason ? seen(`Resolved: ${d.reason}`) : 'Resolved.';
  const covers = { session: ' for this session', always: ' for always' }[d.grant] || '';
  return seen(`${d.verdict === 'approved' ? 'Approved' : 'Refused'}${covers}${d.by ? ` by ${d.by}` : ''}${d.reason ? `: ${d.reason}` : '.'}`);
}

/** endWords says how a question has ended that a status showed when the journal ended at a record, and a later status does not (APR-24). */
export function endWords(status, q, since) {
  const ended = status?.decided?.find((d) => d.handle === q.handle && d.record > since && (!d.key || !q.key || d.key === q.key));
  return ended ? decisionWords(ended.decision) : 'No longer asked: it was answered, cancelled, or timed out.';
}

/** sender returns in words who sent a message. */
export function sender(m) {
  if (m.from === 'schedule') return `Schedule ${m.session.replace(/^schedule:/, '')}`;
  if (m.from === 'subagent') return 'A subagent';
  return `Session ${m.session}`;
}

/** chatOf returns the chat of a session that is named after it, such as cli:direct. */
export function chatOf(session) {
  const m = /^([a-z0-9_-]{1,32}):([^]{1,128})$/.exec(session);
  return m ? { channel: m[1], chat: m[2] } : null;
}

export const keyOf = (to) => (to?.chat ? `${to.channel}:${to.chat}` : to?.channel || '');
