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
