// What this tab keeps across reloads. Where the browser keeps nothing for a site, or has no room,
// it is kept as long as the page.

const held = new Map();

/** keep keeps a text; '' is nothing. */
export function keep(key, text) {
  held.set(key, text);
  try {
    if (text) sessionStorage.setItem(key, text);
    else sessionStorage.removeItem(key);
  } catch {
    // the browser does not allow it, or images do not fit
  }
}

/** kept returns the text that was kept, or ''. */
export function kept(key) {
  if (held.has(key)) return held.get(key);
  try {
    return sessionStorage.getItem(key) || '';
  } catch {
    return '';
  }
}

/** drafted keeps what is written in a field across views and reloads. It returns what empties the field
 * once a text is sent, unless another was written in the meantime. */
export function drafted(field, key) {
  field.value = kept(key);
  field.addEventListener('input', () => keep(key, field.value));
  return (sent) => {
    if (kept(key) === sent) keep(key, '');
    if (field.value === sent) field.value = '';
  };
}

// A browser has few connections to one server, for all its tabs together: a tab that nobody sees
// closes its streams after a while, and later continues where they were.

const hiddenMax = 20000;

/** seen resolves once the tab can be seen. */
export function seen() {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    document.addEventListener('visibilitychange', function look() {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    });
  });
}

/** whileSeen returns a signal that ends a stream of a tab that was not seen for a while, or with a view's signal. */
export function whileSeen(...view) {
  const ended = new AbortController();
  let timer = 0;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => ended.abort(), hiddenMax);
  }, { signal: AbortSignal.any([ended.signal, ...view]) });
  return AbortSignal.any([ended.signal, ...view]);
}

// The windows of a browser share its connections too. A window that ends frees its places.

const taken = new Map(); // where a browser has no locks: of this window alone

/** place takes one of n places of a name, and returns what frees it, or null if none is free. */
export async function place(name, n) {
  if (!navigator.locks) {
    const now = taken.get(name) || 0;
    if (now >= n) return null;
    taken.set(name, now + 1);
    return () => taken.set(name, taken.get(name) - 1);
  }
  for (let i = 0; i < n; i++) {
    const free = await new Promise((resolve, reject) => {
      navigator.locks.request(`shelly.${name}.${i}`, { ifAvailable: true }, (lock) => lock ? new Promise((release) => resolve(release)) : resolve(null)).catch(reject);
    });
    if (free) return free;
  }
  return null;
}
