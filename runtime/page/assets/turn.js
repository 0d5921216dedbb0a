// One turn of a chat: what a person said, what shelly did, what it answered.

import { el, add, fill, button, copies, say, seen, short, time } from './dom.js';
import { markdown } from './text.js';
import { members, worded } from './members.js';
import { question, args, preview } from './question.js';
import { stateWords, inferenceWords, outcomeWords, decisionWords, waitsAt } from './words.js';

const limits = ['cut', 'exhausted']; // the outcomes of an answer that ends at a limit
const quiet = 5000; // how long what is going on has lasted before it is read aloud

/** Turn shows a turn. It grows by the events of a request, or by what the session's archive has. */
export class Turn {
  constructor(at, cancel) {
    this.said = el('div', { class: 'said' });
    this.did = el('div', { class: 'did' });
    this.status = el('p', { class: 'status', hidden: true });
    this.root = el('article', { class: 'turn', 'aria-label': 'Turn' }, this.said, this.did, this.status);
    this.at = at;
    this.cancel = cancel;
    this.ran = []; // calls that have begun: {tool, args, node, out, over}
    this.over = false;
    this.segment = null; // the one that is streaming
    this.segments = []; // those that have ended, each the text of a model call
    this.thought = null;
    this.card = null;
    this.streamed = null; // the model call that streams: {call, parts}, and what it has written
  }

  user(text, images = [], who = 'You') {
    fill(this.said, el('p', { class: 'who' }, who, ' ', this.at ? time(this.at) : ''), text ? el('div', { class: 'bubble' }, text) : null);
    if (images.length) {
      add(this.said, [el('div', { class: 'images' }, images.map((data, n) => {
        const img = el('img', { alt: `Image ${n + 1} of ${images.length}` });
        img.src = `data:${mediaOf(data)};base64,${data}`;
        return img;
      }))]);
    }
    return this;
  }

  /** note is a line from the page itself. */
  note(text) {
    this.did.insertBefore(el('p', { class: 'note' }, text), this.segment?.node || null);
  }

  says(text) {
    if (text) add(this.did, [el('div', { class: 'answer' }, markdown(text)), copies('the answer', text)]);
  }

  thinks(text) {
    if (text) this.did.append(el('details', { class: 'thinking' }, el('summary', {}, 'Thinking'), el('div', { class: 'plain-text' }, text)));
  }

  begins(tool, given) {
    this.settle();
    const out = el('div', { class: 'out' });
    const mark = el('span', { class: 'mark', 'aria-hidden': 'true' }, '…');
    const told = el('span', { class: 'unseen' }, ', running');
    const node = el('details', { class: 'tool running' }, el('summary', {}, mark, el('strong', {}, tool), told, ' ', el('span', { class: 'gist' }, gist(given))),
      el('div', { class: 'inside' }, args(given), out));
    const call = { tool, args: given, node, out, mark, told, over: false };
    this.ran.push(call);
    this.did.append(node);
    return call;
  }

  ends(tool, text, failed, given) {
    const open = this.ran.filter((c) => !c.over && c.tool === tool);
    const call = open.find((c) => given && c.args === given) || open[0] || this.begins(tool, given || '');
    call.over = true;
    if (failed === undefined) mark(call, 'ended', '•');
    else mark(call, ...(failed ? ['failed', '✗'] : ['done', '✓']));
    call.live?.remove();
    add(call.out, [el('p', { class: 'label' }, failed ? 'Failed:' : 'Result:'), looksLikeDiff(text) ? preview(text) : el('pre', { class: 'code', tabindex: '0' }, seen(text || '(nothing)'))]);
    return call;
  }

  writes(tool, text) {
    const call = this.ran.findLast((c) => !c.over && c.tool === tool);
    if (!call) return;
    if (!call.live) {
      call.live = el('pre', { class: 'code live', tabindex: '0', 'aria-label': 'What it writes' });
      call.out.append(call.live);
      call.node.open = true;
    }
    call.live.append(seen(text));
    if (call.live.textContent.length > 64000) call.live.textContent = call.live.textContent.slice(-32000);
    call.live.scrollTop = call.live.scrollHeight;
  }

  /** event takes an event of the request (COM-4). */
  event(e) {
    switch (e.type) {
      case 'accepted':
        return this.tell('accepted');
      case 'queued':
        return this.tell(ahead(e.ahead));
      case 'state':
        return this.state(e);
      case 'waiting':
        return this.tell(e.text, e.again);
      case 'chunk':
        return this.chunk(e);
      case 'tool': {
        this.streamed = null; // it has answered
        const again = this.ran.find((c) => !c.over && c.tool === e.tool && c.args === e.args && c.interrupted);
        if (again) again.interrupted = false; // after a start of shelly it was begun again
        else this.begins(e.tool, e.args);
        return this.tell(`${e.tool} runs`);
      }
      case 'output':
        return this.writes(e.tool, e.text);
      case 'tool_result':
        this.ends(e.tool, e.text, Boolean(e.failed), e.args);
        return undefined;
      case 'question':
        this.settle();
        this.streamed = null;
        if (this.card?.key === e.key && !this.card.classList.contains('over')) return undefined;
        if (this.card?.key === e.key) this.card.remove(); // it is told again from the beginning, or really asked again
        this.card = question(e);
        this.card.key = e.key;
        this.did.append(this.card);
        return this.tell('waiting for your decision');
      case 'held':
        return this.tell('waiting for your decision');
      case 'subagent':
        return this.note(`Subagent h${e.handle} (${short(e.called || '', 60)}) ${{ done: 'has done its task', failed: 'has failed', cancelled: 'was cancelled' }[e.state] || `begins: ${short(e.text || '', 200)}`}`);
      case 'deferred':
        this.settle();
        return this.note('shelly is stopping. It keeps this and answers after its next start.');
      case 'reply':
        return this.reply(e.text, e.is_error, e.outcome);
      default:
        return undefined;
    }
  }

  state(e) {
    if (e.state === 'parked' && this.card && !this.card.classList.contains('over')) { // it is asked again
      this.card.remove();
      this.card = null;
    }
    if (e.state && e.state !== 'waiting_approval' && e.state !== 'held' && this.card && !this.card.classList.contains('over')) {
      this.card.over(e.decision ? decisionWords(e.decision) : 'No longer asked: it was answered, cancelled, or timed out.');
    }
    if (e.state === 'queued') return this.tell(ahead(e.ahead));
    if (e.inference === 'thinking' || e.inference === 'acting') this.settle();
    this.tell([stateWords(e.state), e.inference ? inferenceWords(e.inference, e.label) : ''].filter(Boolean).join(': '));
    return undefined;
  }

  chunk(e) {
    if (e.whole) this.instead();
    if (this.streamed?.call !== e.call) {
      this.settle();
      this.streamed = { call: e.call, parts: [] };
    }
    if (e.thinking) {
      if (!this.thought) {
        const text = el('div', { class: 'plain-text' });
        const node = el('details', { class: 'thinking' }, el('summary', {}, 'Thinking'), text);
        this.did.append(node);
        this.thought = { node, text };
        this.streamed.parts.push(node);
      }
      this.thought.text.append(e.thinking);
      this.tell('thinking');
    }
    if (e.text) {
      if (!this.segment) {
        this.segment = { node: el('div', { class: 'answer streaming' }), text: '' };
        this.did.append(this.segment.node);
        this.streamed.parts.push(this.segment.node);
      }
      this.segment.text += e.text;
      this.draw();
      this.tell('writing');
    }
  }

  // instead removes what the last call has written: what comes now replaces it
  // (COM-60, COM-90).
  instead() {
    this.settle();
    for (const node of this.streamed?.parts || []) node.remove();
    this.streamed = null;
  }

  // draw draws what has streamed so far, a few times a second; a long text grows as plain text.
  draw() {
    const s = this.segment;
    if (s.timer) return;
    s.timer = setTimeout(() => {
      s.timer = 0;
      if (s.text.length < 16000) fill(s.node, markdown(s.text));
      else fill(s.node, el('div', { class: 'plain-text' }, s.text));
      this.grown?.();
    }, 80);
  }

  // settle ends what was streaming, because a tool or another answer of the model follows.
  settle() {
    if (this.segment) {
      clearTimeout(this.segment.timer);
      this.segment.node.classList.remove('streaming');
      fill(this.segment.node, markdown(this.segment.text));
      if (!this.segment.text.trim()) this.segment.node.remove();
      this.last = this.segment;
      if (this.segment.text.trim()) this.segments.push(this.segment);
    }
    this.segment = null;
    this.thought = null;
  }

  reply(text, isError, outcome) {
    if (this.over) return;
    this.over = true;
    this.settle();
    if (this.card && !this.card.classList.contains('over')) this.card.over('No longer asked.');
    // The last streamed text is the answer, or became it: the answer is shown once. What had been written of an
    // answer that does not come stays (COM-112). An answer that ends at a limit repeats all that was said (COM-113).
    const said = limits.includes(outcome) ? this.segments.filter((s) => this.did.contains(s.node)).map((s) => s.text.trim()).join('\n') : '';
    const repeats = said && text.startsWith(said);
    if (!repeats && this.last && this.last.node === this.did.lastElementChild) {
      if (isError && !text.includes(this.last.text.trim())) add(this.did, [copies('what was written', this.last.text)]);
      else this.last.node.remove();
    }
    const words = outcome && outcome !== 'answered' ? outcomeWords(outcome) : '';
    const answer = el('div', { class: isError ? 'answer error' : 'answer' }, markdown(repeats ? text.slice(said.length).trim() : text), words ? el('p', { class: 'note' }, `Ended: ${words}.`) : null);
    add(this.did, [answer, isError ? null : copies('the answer', text)]);
    this.finish();
    say(isError ? `shelly could not answer: ${short(text, 300)}` : `shelly: ${short(text, 1000)}`);
  }

  /** broke notes that the connection has ended: a call that is started again after that is the same call. */
  broke() {
    for (const c of this.ran) c.interrupted = !c.over;
    this.tell('the connection has ended; this page resumes as soon as shelly answers');
  }

  /** tell shows what is going on. If the model is asked again at a time, the seconds until then count down (COM-29). */
  tell(words, again = 0) {
    clearTimeout(this.counting);
    if (this.over) return;
    this.speak(words);
    if (again) {
      words = waitsAt(words, again);
      if (again > Date.now()) this.counting = setTimeout(() => this.root.isConnected && this.tell(words, again), 1000);
    }
    this.status.hidden = false;
    this.root.setAttribute('aria-busy', 'true');
    if (!this.words) {
      this.words = el('span');
      fill(this.status, el('span', { class: 'pulse', 'aria-hidden': 'true' }), this.words, this.cancel ? this.cancelling() : null);
    }
    if (this.words.textContent !== words) fill(this.words, words);
    this.grown?.();
  }

  /** speak lets a screen reader say what has been going on for a while, and then what has changed; the
   * seconds that count down are no change (COM-108). */
  speak(words) {
    this.going = words;
    this.speaking ||= setTimeout(() => {
      this.speaking = 0;
      if (this.over || !this.root.isConnected || this.spoken === this.going) return;
      this.spoken = this.going;
      say(this.words.textContent);
    }, quiet);
  }

  cancelling() {
    return button('Cancel', async () => {
      const answer = await this.cancel();
      if (answer !== true) this.note(answer || 'It could not be cancelled.');
    }, { class: 'small' });
  }

  finish() {
    this.over = true;
    clearTimeout(this.counting);
    for (const c of this.ran) if (!c.over) mark(c, 'not finished', '–');
    this.status.hidden = true;
    this.root.removeAttribute('aria-busy');
    this.grown?.();
  }
}

const ahead = (n) => (n ? `waiting for its turn, ${n} before it` : 'waiting for its turn');

// mark shows how a call has ended, in a word and by a sign.
function mark(call, word, sign) {
  call.node.className = `tool ${word}`;
  fill(call.mark, sign);
  fill(call.told, `, ${word}`);
}

// gist is the beginning of the first argument.
function gist(given) {
  const head = (text) => seen(short(text, 60));
  const all = members(given);
  if (!all) return head(given || '');
  const first = all.find(({ value }) => value.startsWith('"')) ?? all[0];
  return first ? head(worded(first.value)) : '';
}

function looksLikeDiff(text) {
  return /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/m.test(String(text).slice(0, 2000));
}

/** mediaOf returns an image's type from its first bytes, in base64. */
export function mediaOf(data) {
  if (data.startsWith('/9j/')) return 'image/jpeg';
  if (data.startsWith('R0lG')) return 'image/gif';
  if (data.startsWith('UklG')) return 'image/webp';
  return 'image/png';
}

/** speaker names who a message is by. Of the role user are events, reports and beats, too: its source tells. */
export function speaker({ role, aside, source }) {
  if (role === 'user') return aside || source?.some((s) => s !== 'person') ? 'System' : 'You';
  return { assistant: 'shelly', tool: 'Tool' }[role] || role;
}

/** archived makes turns of a session's messages. An archive has the time at which a turn was saved; began has, by id, when some were asked. */
export function archived(list, began = new Map()) {
  const turns = [];
  let turn = null;
  for (const { at, turn: id, message: m, number } of list) {
    if (!turn || turn.id !== id || (m.role === 'user' && !m.aside)) {
      turn = new Turn(began.get(id) || at);
      turn.id = id;
      turn.number = number;
      turns.push(turn);
    }
    if (m.role === 'user') m.aside ? turn.note(m.text) : turn.user(m.text, m.images, speaker(m));
    else if (m.role === 'assistant') {
      turn.thinks(m.thinking);
      turn.says(m.text);
      for (const c of m.calls || []) turn.begins(c.name, c.args);
    } else if (m.role === 'tool') turn.ends(m.tool, m.text); // a session does not say whether it failed, or ran at all
  }
  for (const t of turns) t.finish();
  return turns;
}
