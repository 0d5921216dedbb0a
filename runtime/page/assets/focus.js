// Whoever uses the keyboard stays where they are: when what has the focus is drawn again or goes, the
// focus goes to what is in its place, or to what it was in, and never to the beginning of the page (COM-106).

const reached = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

let last = null; // what had the focus: {node, above, row, nth, name}

/** stays keeps the focus within an element. */
export function stays(main) {
  document.addEventListener('focusin', ({ target }) => (last = main.contains(target) && target !== main ? remembered(target, main) : null));
  document.addEventListener('focusout', ({ target }) => queueMicrotask(() => {
    if (last?.node === target && document.activeElement !== target && shown(target)) last = null; // the person left it
  }));
  new MutationObserver(() => {
    if (!last || shown(last.node) || (document.activeElement !== document.body && document.activeElement !== last.node)) return;
    const near = last.above.find(shown);
    if (near === main && last.node.isConnected) return; // a button at the end of the view is hidden: Tab goes on from its place
    to(instead(near, last) || near);
  }).observe(main, { childList: true, subtree: true, attributes: true, attributeFilter: ['hidden', 'open', 'class'] });
}

const shown = (node) => node.isConnected && node.checkVisibility();

const named = (node) => node.getAttribute('aria-label') || node.textContent;

const within = (node) => [...node.querySelectorAll(reached)].filter(shown);

// remembered is what is needed to find the place again: what it is in, its row and which of that it is, its name.
function remembered(node, main) {
  const above = [];
  for (let e = node.parentElement; e && main.contains(e); e = e.parentElement) above.push(e);
  const row = node.closest('[data-row]');
  return { node, above, row: row?.dataset.row, nth: row ? within(row).indexOf(node) : -1, name: named(node), asked: Boolean(node.closest('.question')) };
}

// instead is what stands in the place of what went: the same of the same row, or what is called the same
// outside the rows. What answers a question gets it never, as that may be another question.
function instead(near, { node, row, nth, name, asked }) {
  if (asked) return null;
  if (row !== undefined) {
    const again = near.dataset.row === row ? near : near.querySelector(`[data-row="${CSS.escape(row)}"]`);
    return again && (within(again)[nth] || again);
  }
  return within(near).find((e) => e.tagName === node.tagName && named(e) === name && !e.closest('[data-row], .question'));
}

function to(node) {
  if (node.tabIndex < 0) node.setAttribute('tabindex', '-1');
  node.focus({ preventScroll: true });
}
