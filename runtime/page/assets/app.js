// The page's frame: views by the address after #, the state of the connection, shortcuts.

import { el, fill, button, say } from './dom.js';
import { enter, entered, heed, standing } from './api.js';
import { keep, kept } from './tab.js';
import { lifeWords } from './words.js';
import { chat, directSession } from './chat.js';
import { messagesView } from './mail.js';
import { liveView } from './live.js';
import { requestsView, requestView } from './requests.js';
import { sessionsView, sessionView } from './sessions.js';
import { memoryView } from './memory.js';
import { schedulesView } from './schedules.js';
import { statusView } from './status.js';
import { stays } from './focus.js';
import * as inbox from './inbox.js';
import * as outbox from './outbox.js';
import * as pulse from './pulse.js';

const views = [
  { name: 'chat', title: 'Chat', key: 'c', show: (main, rest, signal) => chat(main, rest || lastSession(), signal) },
  { name: 'messages', title: 'Messages', key: 'm', show: (main, rest, signal) => messagesView(main, signal) },
  { name: 'live', title: 'Live', key: 'l', show: (main, rest, signal) => liveView(main, signal) },
  { name: 'requests', title: 'Requests', key: 'r', show: (main, rest, signal) => (rest ? requestView(main, rest, signal) : requestsView(main, signal)) },
  { name: 'sessions', title: 'Sessions', key: 's', show: (main, rest, signal) => (rest ? sessionView(main, rest, signal) : sessionsView(main, signal)) },
  { name: 'memory', title: 'Memory', key: 'y', show: (main, rest, signal) => memoryView(main, signal) },
  { name: 'schedules', title: 'Schedules', key: 'd', show: (main, rest, signal) => schedulesView(main, signal) },
  { name: 'status', title: 'Status', key: 't', show: (main, rest, signal) => statusView(main, signal) },
];

const main = document.getElementById('main');
const nav = document.getElementById('nav');
const menu = document.getElementById('menu');
const banner = document.getElementById('banner');
const health = document.getElementById('health');
let showing = new AbortController();
let routed = false;

function lastSession() {
  return kept('shelly.session') || directSession;
}

function route() {
  const [, name = 'chat', rest = ''] = /^#\/([a-z]+)(?:\/([^]*))?$/.exec(location.hash) || [];
  const view = views.find((v) => v.name === name) || views[0];
  let at = rest;
  try {
    at = decodeURIComponent(rest);
  } catch {
    at = '';
  }
  if (view.name === 'chat' && at) keep('shelly.session', at);
  showing.abort();
  showing = new AbortController();
  main.className = `view-${view.name}`;
  document.body.classList.toggle('fits', view.name === 'chat'); // COM-101
  document.title = `${view.title} · shelly`;
  for (const a of nav.querySelectorAll('a')) a.toggleAttribute('aria-current', false);
  const link = nav.querySelector(`[data-view="${view.name}"]`);
  link?.setAttribute('aria-current', 'page');
  closeMenu();
  view.show(main, at, showing.signal);
  if (routed) { // so that the keyboard continues within the view, and a screen reader announces it
    main.focus({ preventScroll: true });
    say(view.title);
    scrollTo(0, 0);
  }
  routed = true;
}

function closeMenu() {
  document.body.classList.remove('menu-open');
  menu.setAttribute('aria-expanded', 'false');
}

function build() {
  fill(nav, el('ul', {}, views.map((v) => el('li', {}, el('a', { href: `#/${v.name}`, 'data-view': v.name }, v.title, el('span', { class: 'badge', 'data-badge': v.name, hidden: true }))))));
  menu.addEventListener('click', () => {
    const open = document.body.classList.toggle('menu-open');
    menu.setAttribute('aria-expanded', String(open));
    if (open) nav.querySelector('a').focus();
  });
  document.querySelector('.skip').addEventListener('click', (e) => {
    e.preventDefault();
    main.focus();
  });
  document.getElementById('shortcuts').addEventListener('click', shortcuts);
  addEventListener('hashchange', () => (location.hash.startsWith('#ticket=') ? begin() : route()));
  addEventListener('keydown', keys);
}

function badge(name, n, words) {
  const b = nav.querySelector(`[data-badge="${name}"]`);
  b.hidden = !n;
  fill(b, el('span', { 'aria-hidden': 'true' }, String(n)), el('span', { class: 'unseen' }, ` (${words})`));
}

// tell shows the state of the connection, and what to do if nothing answers.
function tell() {
  const s = standing.now === 'up' && pulse.last?.no_space ? 'full' : standing.now;
  health.className = `health ${s}`;
  fill(health, s === 'up' ? lifeWords(pulse.last?.lifecycle) || 'connected' : s === 'unreachable' ? 'unreachable' : s === 'full' ? 'disk full' : s === 'locked' ? 'not let in' : 'connecting…');
  banner.hidden = s === 'up' || s === 'connecting';
  if (s === 'unreachable') {
    fill(banner, el('strong', {}, 'shelly is unreachable. '), 'This page keeps trying and then shows what it has missed. If shelly has ended, start it with ', el('code', {}, 'shelly run'), '. ',
      button('Try now', () => pulse.now(), { class: 'small' }));
  } else if (s === 'full') {
    const words = 'shelly accepts nothing: there is too little free disk space. ';
    if (!banner.textContent.startsWith(words)) fill(banner, el('strong', {}, words), 'Free some: it then goes on, and what you write here is sent.'); // told once (COM-102)
  } else if (s === 'locked') {
    const why = standing.why === 'restarted' ? 'shelly was started again, or this page was idle for a day, so its key is no longer valid. ' : standing.why ? `${standing.why}. ` : 'This page can only be opened with a link. ';
    fill(banner, el('strong', {}, why), 'Run ', el('code', {}, 'shelly page'), ' in a terminal and open its link; nothing is lost.');
    if (!main.childElementCount || main.querySelector('noscript')) fill(main, el('h1', {}, 'shelly'), el('p', {}, 'This is the page of the shelly that runs on this machine. Only its user may see what is here.'));
  }
}

heed(tell);
inbox.heed(() => badge('messages', inbox.unread(), 'unread'));
pulse.heed((status) => {
  tell();
  const asks = (status.active || []).filter((a) => a.asks).length;
  badge('live', asks, asks === 1 ? 'question to you' : 'questions to you');
});

let going = null; // the letter g was pressed: a view's letter follows

function keys(e) {
  if (e.isComposing) return; // the key is the input method's
  if (e.key === 'Escape') {
    if (document.body.classList.contains('menu-open')) {
      closeMenu();
      menu.focus();
    } else if (e.target.matches('input, textarea, select')) e.target.blur();
    return;
  }
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches('input, textarea, select') || e.target.closest('dialog')) return;
  if (going) {
    clearTimeout(going);
    going = null;
    const view = views.find((v) => v.key === e.key);
    if (view) {
      e.preventDefault();
      location.hash = `#/${view.name}`;
    }
    return;
  }
  if (e.key === 'g') going = setTimeout(() => (going = null), 1500);
  else if (e.key === '?') shortcuts();
  else if (e.key === '/') {
    const field = main.querySelector('.composer textarea') || main.querySelector('textarea, input[type=search], input:not([type=file])');
    if (field) {
      e.preventDefault();
      field.focus();
    }
  }
}

function shortcuts() {
  const rows = [['/', 'To the field to write or to search in'], ...views.map((v) => [`g ${v.key}`, v.title]), ['Enter', 'Send; Shift and Enter begin a new line'], ['Esc', 'Leave a field, close the menu'], ['?', 'This list']];
  const box = el('dialog', { 'aria-label': 'Keyboard shortcuts' }, el('h2', {}, 'Keyboard shortcuts'),
    el('dl', { class: 'keys' }, rows.map(([k, words]) => [el('dt', {}, k.split(' ').map((one) => [el('kbd', {}, one), ' '])), el('dd', {}, words)])),
    button('Close', () => box.close()));
  box.addEventListener('close', () => box.remove());
  document.body.append(box);
  box.showModal();
}

async function begin() {
  if (await enter()) {
    route();
    pulse.now();
  }
}

entered(() => {
  if (!routed) route();
  pulse.now();
});
build();
stays(main);
tell();
outbox.restore();
begin();
pulse.beat();
inbox.follow();
