// The daemon's status, read every few seconds while the page is visible.

import { get, pause, standing } from './api.js';

export let last = null;
const heeding = new Set();
let wake = () => {};
let every = 3000;

/** heed calls back with each status. */
export function heed(fn, signal) {
  heeding.add(fn);
  if (last) fn(last);
  signal?.addEventListener('abort', () => heeding.delete(fn));
}

/** quick asks more often until the signal ends it. */
export function quick(signal) {
  every = 1000;
  now();
  signal.addEventListener('abort', () => (every = 3000));
}

/** now asks at once. */
export function now() {
  wake();
}

/** beat asks for ever. While nothing answers the waits grow. */
export async function beat() {
  for (let tries = 0; ; ) {
    if (standing.now !== 'locked' && !(document.hidden && standing.now === 'up')) {
      try {
        last = await get('/v1/status', { timeout: 10000 });
        tries = 0;
        for (const fn of heeding) fn(last);
      } catch {
        tries++;
      }
    }
    const wait = tries ? Math.min(500 * 2 ** tries, 10000) : every;
    const woken = new Promise((resolve) => (wake = resolve));
    await Promise.race([pause(wait), woken]);
  }
}
document.addEventListener('visibilitychange', () => !document.hidden && wake());
