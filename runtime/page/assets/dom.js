// Elements without markup. Text becomes only text nodes; the names of attributes
// come from a closed list; an address is one of the page's own (#…) or is made by link.

const attributes = new Set([
  'class', 'id', 'type', 'for', 'name', 'value', 'placeholder', 'title', 'role', 'tabindex', 'rows', 'min', 'max', 'list',
  'autocomplete', 'accept', 'multiple', 'disabled', 'hidden', 'open', 'alt', 'lang', 'dir', 'scope', 'colspan', 'datetime', 'required',
  'spellcheck', 'selected', 'checked', 'start', 'enterkeyhint', 'sandbox', 'maxlength', 'width', 'height',
]);

/** el makes an element: el('p', {class: 'a', onclick: f}, 'text', node, …). Null children are left out. */
export function el(tag, props, ...children) {
  const made = document.createElement(tag);
  set(made, props || {});
  add(made, children);
  return made;
}

const svgName = 'http://www.w3.org/2000/svg';
const drawn = new Set(['class', 'width', 'height', 'viewBox', 'role', 'aria-label', 'd', 'points', 'x', 'y', 'dy', 'rx']);

/** svg makes an element of a drawing. */
export function svg(tag, props, ...children) {
  const made = document.createElementNS(svgName, tag);
  for (const [name, value] of Object.entries(props)) {
    if (!drawn.has(name)) throw new Error(`attribute ${name} is not one that the page draws with`);
    made.setAttribute(name, String(value));
  }
  return add(made, children);
}

function set(made, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (name === 'href') made.setAttribute('href', own(value));
    else if (attributes.has(name) || name.startsWith('aria-') || name.startsWith('data-')) made.setAttribute(name, value === true ? '' : String(value));
    else throw new Error(`attribute ${name} is not one that the page sets`);
  }
}

function own(href) {
  if (!String(href).startsWith('#')) throw new Error('an address within the page begins with #');
  return href;
}

/** add adds children, texts as text nodes. */
export function add(to, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === '') continue;
    to.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return to;
}

/** fill replaces the children of an element. */
export function fill(in_, ...children) {
  in_.replaceChildren();
  return add(in_, children);
}

/** latest returns show(make), which fills an element with what make resolves to, or with what went
 * wrong, unless something else was shown since or the signal has ended. */
export function latest(in_, signal) {
  let last = 0;
  return async (make) => {
    const mine = ++last;
    const made = await make().catch((e) => [wrong(e)]);
    if (mine === last && !signal.aborted) fill(in_, ...made);
  };
}

/** wrong is a line that says what went wrong, and what to do. */
export const wrong = (e) => el('p', { class: 'note', role: 'status' }, `${e.message}. ${e.hint || ''}`);

/** link is a link to another site; its address is shown unless its text shows it. */
export function link(href, text) {
  let url;
  try {
    url = new URL(href);
  } catch {
    return document.createTextNode(text);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return document.createTextNode(text);
  const a = el('a', { class: 'outside', title: url.href });
  a.href = url.href;
  a.rel = 'noopener noreferrer nofollow';
  a.target = '_blank';
  a.append(text);
  if (text === url.href || text === href) return a;
  return add(document.createElement('span'), [a, el('span', { class: 'address' }, ` (${short(url.href, 80)})`)]);
}

// What controls, moves or hides text. Joiners, the two selectors of emoji and the signs that stand around digits are no part of it.
const unseen = /(?!\r?\n|[\t\u200c\u200d\ufe0e\ufe0f\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** seen is a text in which nothing is unseen or moves what stands beside it: control characters but
 * for line ends and tabs, those that change the direction of text, and those that nobody would see, are
 * written as escapes (APR-22). For calls, results and code, whose order matters; prose needs the marks of its language. */
export function seen(text) {
  return String(text).replace(unseen, (c) => {
    const code = c.codePointAt(0);
    if (c === '\r') return '\\r';
    return code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** short is the beginning of a text. */
export function short(text, most) {
  const line = String(text).replace(/\s+/g, ' ').trim();
  const chars = [...line.slice(0, 4 * most)];
  return chars.length > most ? chars.slice(0, most - 1).join('') + '…' : chars.join('');
}

/** button is a button with a text. If it asks first, a second press confirms. While it acts it takes no
 * press, and is not disabled: that would take the focus from it. */
export function button(text, act, props = {}) {
  const { sure, ...rest } = props;
  const b = el('button', { type: 'button', ...rest }, text);
  let asked = 0;
  b.addEventListener('click', async () => {
    if (acts(b)) return;
    if (sure && !asked) {
      b.textContent = sure;
      b.classList.add('danger');
      asked = setTimeout(() => calm(), 5000);
      return;
    }
    calm();
    busy(b, true);
    try {
      await act(b);
    } finally {
      busy(b, false);
    }
  });
  b.addEventListener('blur', () => asked && calm());
  function calm() {
    clearTimeout(asked);
    asked = 0;
    if (sure) {
      b.textContent = text;
      b.classList.remove('danger');
    }
  }
  return b;
}

/** busy says whether a button acts, and acts tells. */
export const busy = (b, now) => (now ? b.setAttribute('aria-disabled', 'true') : b.removeAttribute('aria-disabled'));
export const acts = (b) => b.getAttribute('aria-disabled') === 'true';

/** copies is a button that copies a text; nothing where a browser lets no page copy. */
export function copies(what, text) {
  if (!navigator.clipboard) return null;
  const b = button('Copy', async () => {
    const done = await navigator.clipboard.writeText(text).then(() => 'Copied', () => 'Not copied');
    b.textContent = done;
    say(`${done}.`);
    setTimeout(() => (b.textContent = 'Copy'), 2000);
  }, { class: 'small copy', 'aria-label': `Copy ${what}` });
  return b;
}

/** say makes a screen reader say something; assertive if it cannot wait. */
export function say(text, assertive = false) {
  const region = document.getElementById(assertive ? 'assertive' : 'polite');
  if (!region) return;
  const line = el('p', {}, text);
  region.append(line);
  setTimeout(() => line.remove(), 20000);
}

/** time formats a moment for people: the time if it is today, otherwise the date. */
export function time(ms) {
  if (!ms) return el('span', { class: 'dim' }, '–');
  const at = new Date(ms);
  const today = at.toDateString() === new Date().toDateString();
  const text = today ? at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }) : at.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  return el('time', { datetime: at.toISOString(), title: at.toLocaleString() }, text);
}

/** zoned formats a moment as time does, with the zone that it is in: beside times of another. */
export function zoned(ms) {
  const zone = ms && new Intl.DateTimeFormat([], { timeZoneName: 'short' }).formatToParts(ms).find((p) => p.type === 'timeZoneName');
  return zone ? [time(ms), ` ${zone.value}`] : time(ms);
}

/** span formats a duration in words. */
export function span(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60 ? `${s % 60} s` : ''}`.trim();
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

/** bytes formats a size in words. */
export function bytes(n) {
  if (!n) return '0 B';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const i = Math.min(units.length - 1, Math.floor(Math.log10(n) / 3));
  return `${(n / 1000 ** i).toFixed(i && n / 1000 ** i < 10 ? 1 : 0)} ${units[i]}`;
}
