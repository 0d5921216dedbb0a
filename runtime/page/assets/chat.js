// The chat of a session: what was said, what is being said, and the messages to it.

import { el, add, fill, button, say, time, wrong } from './dom.js';
import { get, post, stream, up, query, piece, pause, newID, standing, Problem } from './api.js';
import { keep, kept, seen, whileSeen, place } from './tab.js';
import { Turn, archived } from './turn.js';
import { all } from './sessions.js';
import { markdown } from './text.js';
import { sender, chatOf, keyOf } from './words.js';
import * as inbox from './inbox.js';
import * as outbox from './outbox.js';
import * as pulse from './pulse.js';

const pageSize = 60; // messages of the archive at once
const requestsAtOnce = 20;
const imagesMax = 16; // of a request, as COM-11 says
const tooMany = `A request takes ${imagesMax} images; the others are left out.`;
const followedMax = 3; // requests at once in all windows: a browser has six connections to one server, one of them is for messages, and a decision needs one
const beginning = '0.0.0.0.0.0.0'; // the position of a client that has no event of a request yet
export const directSession = 'cli:direct';

/** chat shows the chat of a session until the signal ends it. */
export function chat(main, session, signal) {
  const log = el('div', { class: 'log', role: 'log', 'aria-live': 'off', 'aria-label': `Chat of session ${session}` });
  const older = button('Earlier', () => view.earlier(), { class: 'older', hidden: true });
  const empty = el('p', { class: 'dim empty', hidden: true }, 'Nothing was said here yet. Write below; you will see what shelly does as it happens.');
  const view = new Chat(session, log, older, empty, signal);
  const names = el('datalist', { id: 'sessions' });
  const pick = el('input', { class: 'pick', list: 'sessions', value: session, 'aria-label': 'Session', autocomplete: 'off', spellcheck: 'false', maxlength: '128' });
  const go = el('form', { class: 'bar' }, el('h1', {}, 'Chat'), el('label', { class: 'inline' }, el('span', { class: 'dim' }, 'Session'), pick), names);
  go.addEventListener('submit', (e) => {
    e.preventDefault();
    if (pick.value.trim()) location.hash = `#/chat/${encodeURIComponent(pick.value.trim())}`;
  });
  pick.addEventListener('change', () => go.requestSubmit());
  pick.addEventListener('focus', async () => {
    const list = await all(signal).catch(() => []); // a name can be typed anyway
    if (list.length) fill(names, list.map((s) => el('option', { value: s.id })));
  });
  fill(main, go, el('div', { class: 'scroll' }, older, empty, log), view.composer());
  view.scrolls(main.querySelector('.scroll'));
  view.begin();
}

class Chat {
  constructor(session, log, older, empty, signal) {
    Object.assign(this, { session, log, older, empty, signal });
    this.turns = new Map(); // by request id
    this.images = [];
    this.waiting = new Map(); // what lets a request be followed that waits for that, by id
    this.first = 0; // number of the first archived message that is shown
    this.chat = chatOf(session);
    this.height = 0; // of the turns, when they last grew
    this.wrote = 0; // when shelly was last told that the person writes
  }

  async begin() {
    let told = '';
    for (let tries = 0; !this.signal.aborted; tries++) {
      try {
        await up(this.signal);
        await this.load();
        break;
      } catch (e) {
        if (this.signal.aborted) return;
        const why = `The chat could not be read: ${e.message}. ${e.hint}`;
        if (e instanceof Problem && e.status !== 401 && why !== told) this.note(told = why);
        if (e.status === 400) { // no session can have this name
          keep('shelly.session', '');
          return;
        }
        await pause(Math.min(500 * 2 ** tries, 8000), this.signal).catch(() => {});
      }
    }
    const off = inbox.heed((come) => this.come(come));
    this.signal.addEventListener('abort', off);
    this.come(inbox.messages);
    document.addEventListener('visibilitychange', () => this.see(), { signal: this.signal });
    for (const item of outbox.waiting(this.session)) this.written(item);
    this.down(true);
    pulse.heed((status) => {
      this.asked(status);
      this.next();
      this.others(status);
    }, this.signal);
  }

  // load shows the end of the archive, and the requests that are not in it yet.
  async load() {
    const { sessions } = await get(query('/v1/sessions', { after: before(this.session) }), { signal: this.signal });
    const known = sessions.find((s) => s.id === this.session);
    const last = known?.last || 0;
    const list = last ? await this.read(Math.max(0, last - pageSize), last) : [];
    const { requests } = await get(query('/v1/requests', { session: this.session, limit: requestsAtOnce }), { signal: this.signal });
    fill(this.log);
    this.turns.clear();
    const began = new Map(requests.map((r) => [`h${r.handle}`, r.accepted]));
    this.first = list[0]?.number || 0;
    this.from = began.get(list[0]?.turn) || list[0]?.at || 0;
    this.said = new Set(list.map((m) => m.turn));
    for (const t of archived(list, began)) this.place(t);
    for (const r of requests.reverse()) if (this.misses(r)) this.show(r);
    this.older.hidden = this.first <= 1;
    this.empty.hidden = this.log.childElementCount > 0;
  }

  async read(after, upTo) {
    const list = [];
    while (after < upTo) {
      const { messages } = await get(query(`/v1/sessions/${piece(this.session)}`, { after, limit: upTo - after }), { signal: this.signal });
      if (!messages.length) break;
      list.push(...messages);
      after = messages.at(-1).number;
    }
    // A page begins with the beginning of a turn, so that no turn is split.
    const begin = list.findIndex((m, i) => i === 0 ? m.number === 1 || m.message.role === 'user' : m.turn !== list[i - 1].turn);
    return begin > 0 ? list.slice(begin) : list;
  }

  async earlier() {
    const list = await this.read(Math.max(0, this.first - 1 - pageSize), this.first - 1).catch((e) => {
      if (!this.signal.aborted) this.log.prepend(wrong(e));
    });
    if (!list) return;
    if (!list.length) {
      this.older.hidden = true;
      return;
    }
    const height = this.scroll.scrollHeight;
    this.first = list[0].number;
    for (const t of archived(list)) this.place(t);
    this.scroll.scrollTop += this.scroll.scrollHeight - height;
    this.older.hidden = this.first <= 1;
  }

  // misses reports whether a request is not shown. One that ended before what was read of the archive is left out.
  misses(r) {
    return !this.turns.has(r.id) && !this.said.has(`h${r.handle}`) && !(r.done && r.accepted < this.from);
  }

  // show shows a request that the archive did not have.
  show(r) {
    const turn = new Turn(r.accepted, () => this.cancel(r.id, r));
    turn.user(r.text);
    this.turns.set(r.id, turn);
    this.place(turn);
    if (r.done) turn.reply(r.reply, r.is_error, r.outcome);
    else this.attach(turn, r.id, r, r.text.startsWith('/'));
  }

  // place puts a turn or a message where its time is.
  place(item) {
    item.root.dataset.at = item.at || 0;
    item.grown = () => this.down();
    const all = [...this.log.children];
    const next = all.findLast((n) => Number(n.dataset.at) <= (item.at || 0));
    if (next) next.after(item.root);
    else this.log.prepend(item.root);
    this.empty.hidden = true;
  }

  note(text) {
    const p = el('p', { class: 'note' }, text);
    p.dataset.at = Date.now();
    this.log.append(p);
    this.down(true);
  }

  // follows resolves once a request may be followed, with what frees its place. A session answers in
  // order, so only its first unfinished requests have something to tell; a command is answered at once.
  async follows(turn, id, command) {
    if (command) return () => {};
    const free = await place('requests', followedMax);
    if (free) return free;
    turn.tell('waits for its turn');
    return new Promise((go) => this.waiting.set(id, go));
  }

  // follow lets a request be followed now, if it waits for that.
  follow(id, free = () => {}) {
    const go = this.waiting.get(id) || ((unused) => unused());
    this.waiting.delete(id);
    go(free);
  }

  // next lets the first request that waits be followed, if a place is free.
  async next() {
    const [id] = this.waiting.keys();
    const free = id && await place('requests', followedMax);
    if (free) this.follow(id, free);
  }

  // asked shows what is asked about requests that wait to be followed, and what has become of them.
  asked(status) {
    for (const a of [...(status.active || []), ...(status.queue || [])]) {
      if (!this.waiting.has(a.request)) continue;
      const turn = this.turns.get(a.request);
      const asks = a.asks && `${a.asks.question} ${a.asks.key || ''}`;
      if (asks && asks === turn.asks) continue; // it is shown, or was answered since the status was read
      turn.asks = asks;
      turn.event(asks ? { type: 'question', ...a.asks } : { type: 'state', ...a });
    }
  }

  // attach follows a request from its beginning to its reply; if the connection breaks it
  // gets the rest (COM-90).
  async attach(turn, id, { channel, client }, command) {
    let free = null;
    let after = beginning;
    let watched = null;
    for (let tries = 0; !turn.over && !this.signal.aborted; tries++) {
      try {
        if (tries) await up(this.signal);
        await seen();
        free ||= await this.follows(turn, id, command);
        watched = whileSeen(this.signal);
        await stream('GET', query(`/v1/requests/${piece(id)}/events`, { channel, client, after }), undefined, (e) => {
          after = e.id;
          tries = 0;
          turn.event(e.data);
        }, watched);
      } catch (e) {
        if (this.signal.aborted) break;
        if (e instanceof Problem && e.status !== 401 && e.code !== 'busy' && e.status !== 503) {
          this.refused(turn, `Its end could not be read: ${e.message}. ${e.hint}`);
          break;
        }
      }
      if (turn.over) break;
      if (watched?.aborted) { // nobody saw it
        free?.();
        free = null;
        continue;
      }
      turn.broke();
      await pause(Math.min(300 * 2 ** tries, 5000), this.signal).catch(() => {});
    }
    free?.();
    this.next();
    this.down();
  }

  refused(turn, words) {
    turn.finish();
    turn.note(words);
    say(words, true);
  }

  async cancel(id, { channel, client }) {
    try {
      const { taken } = await post(query(`/v1/requests/${piece(id)}/cancel`, { channel, client }));
      return taken || 'It cannot be cancelled any more, or the profile does not allow it.';
    } catch (e) {
      return `Not cancelled: ${e.message}`;
    }
  }

  // others shows what was asked in this session from elsewhere, even if it ended between two looks
  // at the status or while nobody saw this page. Without a new record there is nothing new.
  async others(status) {
    const last = status.journal?.last;
    if (last && last === this.looked) return;
    this.looked = last;
    try {
      const fresh = [];
      for (let before = ''; ;) {
        const { requests, next } = await get(query('/v1/requests', { session: this.session, limit: requestsAtOnce, before }), { signal: this.signal });
        for (const r of requests) if (r.done) this.follow(r.id);
        const missing = requests.filter((r) => this.misses(r));
        fresh.push(...missing);
        before = next;
        if (!next || missing.length < requestsAtOnce) break;
      }
      for (const r of fresh.reverse()) if (this.misses(r)) this.show(r);
    } catch {
      this.looked = undefined; // the next status tries again
    }
  }

  // come shows messages to this chat.
  come(list) {
    const mine = list.filter((m) => (this.chat && keyOf(m.to) === this.session) || m.session === this.session);
    for (const m of mine.slice(-50)) {
      const at = m.at || 0;
      if (this.log.querySelector(`[data-position="${Number(m.position)}"]`) || (this.first > 1 && at < Number(this.log.firstElementChild?.dataset.at || 0))) continue;
      const root = el('article', { class: m.is_error ? 'message error' : 'message', 'aria-label': `Message of ${sender(m)}` },
        el('p', { class: 'who' }, sender(m), ' ', time(at), m.is_error ? ' · failed' : ''), el('div', { class: 'answer' }, markdown(m.text)));
      root.dataset.position = Number(m.position);
      this.place({ root, at });
      if (m.unread && Date.now() - at < 60000) say(`${sender(m)}: ${m.text}`);
    }
    this.mine = [...(this.mine || []), ...mine];
    if (mine.length) this.down();
    this.see();
  }

  see() {
    inbox.read((this.mine || []).filter((m) => m.unread));
  }

  // scrolls notes when the person goes up to read, however little, and when they are back at the
  // end. What is removed moves the turns too.
  scrolls(s) {
    let top = 0;
    let height = 0;
    this.scroll = s;
    new ResizeObserver(() => this.down()).observe(s); // a keyboard of a phone takes room from it
    s.addEventListener('scroll', () => {
      if (s.scrollTop < top && s.scrollHeight >= height) this.reading = true;
      else if (s.scrollHeight - s.scrollTop - s.clientHeight < 8) this.reading = false;
      top = s.scrollTop;
      height = s.scrollHeight;
    }, { passive: true });
  }

  // down keeps the end in view, unless the person has gone up to read.
  down(always = false) {
    const s = this.scroll;
    if (always || s.scrollTop + s.clientHeight >= this.height - 1) this.reading = false; // it was at the end before that grew
    this.height = s.scrollHeight;
    requestAnimationFrame(() => {
      if (!this.reading) this.scroll.scrollTop = this.scroll.scrollHeight;
    });
  }

  // writes says that a person writes, at most once a minute, so that the model reads meanwhile what the
  // question will come after. If that does not arrive, the question does.
  writes() {
    const now = Date.now();
    if (!this.text.value.trim() || this.text.value.startsWith('/') || now - this.wrote < 60_000) return;
    this.wrote = now;
    post('/v1/typing', { session: this.session }).catch(() => {});
  }

  composer() {
    const draft = outbox.draftOf(this.session);
    this.text = el('textarea', { id: 'ask', rows: '1', placeholder: 'Ask shelly…', 'aria-label': 'What to ask', enterkeyhint: 'send', spellcheck: 'true' });
    this.text.value = kept(draft);
    const file = el('input', { type: 'file', accept: 'image/png,image/jpeg,image/webp', multiple: true, class: 'unseen', id: 'file', tabindex: '-1', 'aria-hidden': 'true' });
    const chosen = el('div', { class: 'images', 'aria-label': 'Images to send' });
    const form = el('form', { class: 'composer' }, chosen, el('div', { class: 'row' },
      button('Image', () => file.click(), { class: 'attach', title: 'Add an image; pasting and dropping one does, too' }), file, this.text, el('button', { type: 'submit', class: 'yes' }, 'Send')));
    const save = () => {
      this.grow();
      keep(draft, this.text.value);
      this.writes();
    };
    this.text.addEventListener('input', save);
    outbox.heed((session) => { // a text has come back, before what is written here: the caret stays in that
      if (session !== this.session) return;
      const end = this.text.value.length - this.text.selectionEnd;
      this.text.value = kept(draft);
      this.text.setSelectionRange(this.text.value.length - end, this.text.value.length - end);
      this.grow();
    }, this.signal);
    this.text.addEventListener('keydown', (e) => {
      if (e.key === 'Enter' && !e.shiftKey && !e.isComposing && e.keyCode !== 229) { // 229: it ends a composition in Safari
        e.preventDefault();
        form.requestSubmit();
      }
    });
    file.addEventListener('change', () => this.attachFiles(file.files, chosen).then(() => (file.value = '')));
    form.addEventListener('paste', (e) => {
      if (!e.clipboardData?.files.length) return;
      e.preventDefault();
      this.attachFiles(e.clipboardData.files, chosen);
    });
    for (const kind of ['dragover', 'drop']) {
      form.addEventListener(kind, (e) => {
        e.preventDefault();
        if (kind === 'drop') this.attachFiles(e.dataTransfer.files, chosen);
      });
    }
    form.addEventListener('submit', (e) => {
      e.preventDefault();
      const text = this.text.value.trim();
      if (!text) {
        if (this.images.length) say('Write something about the image.', true);
        this.text.focus();
        return;
      }
      this.send(text, this.images.splice(0));
      this.text.value = '';
      fill(chosen);
      save();
    });
    queueMicrotask(() => this.grow());
    return form;
  }

  grow() {
    this.text.style.height = 'auto';
    this.text.style.height = `${Math.min(this.text.scrollHeight + 2, 220)}px`;
  }

  async attachFiles(files, chosen) {
    for (const f of [...files]) {
      if (!['image/png', 'image/jpeg', 'image/webp'].includes(f.type)) { // as COM-11 says
        say(`${f.name} is not a PNG, JPEG or WebP image.`, true);
        chosen.append(el('p', { class: 'note' }, `${f.name} is not a PNG, JPEG or WebP image; for other files name their path in the workspace.`));
        continue;
      }
      const data = await base64(f);
      if (this.images.length >= imagesMax) {
        say(tooMany, true);
        chosen.append(el('p', { class: 'note' }, tooMany));
        break;
      }
      this.images.push(data);
      const img = el('img', { alt: f.name });
      img.src = `data:${f.type};base64,${data}`;
      const box = el('span', { class: 'chosen' }, img, button('×', () => {
        this.images.splice(this.images.indexOf(data), 1);
        box.remove();
        this.text.focus();
      }, { class: 'plain', 'aria-label': `Remove ${f.name}` }));
      chosen.append(box);
      say(`${f.name} is added.`);
    }
    this.text.focus();
  }

  send(text, images) {
    const body = { id: newID(), session: this.session, text };
    if (images.length) body.images = images;
    this.written(outbox.put(body));
    this.down(true);
  }

  // written shows a request that is being sent, and then its events. Its channel is the listener's own.
  async written(item) {
    const { id, text, images } = item.body;
    if (this.turns.has(id)) return;
    const turn = new Turn(item.at, () => this.cancel(id, { channel: 'http' }));
    turn.user(text, images);
    this.turns.set(id, turn);
    this.place(turn);
    turn.tell(standing.now === 'up' ? 'sending' : 'not sent yet: shelly does not answer');
    item.told = (words) => turn.tell(words);
    try {
      await item.done;
    } catch (e) {
      this.refused(turn, `Not sent: ${e.message}. ${e.hint || ''}`);
      return;
    }
    turn.tell('accepted');
    this.attach(turn, id, { channel: 'http' }, text.startsWith('/'));
  }
}

// before returns an id right before another one in the order of ids.
function before(id) {
  return id.slice(0, -1);
}

function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',', 2)[1] || '');
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

