// The machine's tables as graphs, with what is in each state now.

import { el, fill, svg } from './dom.js';

/** graph draws a table that has been laid out. Its show marks states, given as a map from a state to what is in it. */
export function graph(g) {
  const nodes = new Map();
  const edges = new Map();
  const picture = svg('svg', { class: g.width > 900 ? 'graph big' : 'graph', width: g.width, height: g.height, viewBox: `0 0 ${g.width} ${g.height}`, role: 'img', 'aria-label': `The states of the table ${g.name}` });
  for (const e of g.edges) {
    const made = svg('g', { class: 'edge' }, svg('title', {}, `${e.from} → ${e.to} on ${e.events.join(', ')}`), svg('path', { d: path(e) }), e.loop ? null : svg('polygon', { points: head(e) }));
    edges.set(`${e.from} ${e.to}`, made);
    picture.append(made);
  }
  for (const n of g.nodes) {
    const note = svg('text', { class: 'inside', x: n.x, y: n.y, dy: 13 });
    const made = svg('g', { class: 'node' }, svg('rect', { x: n.x - n.width / 2, y: n.y - n.height / 2, width: n.width, height: n.height, rx: n.final ? 3 : 12 }), svg('text', { x: n.x, y: n.y, dy: 4 }, n.name.replaceAll('_', ' ')), note);
    nodes.set(n.name, { made, note });
    picture.append(made);
  }
  const box = el('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': `Graph of the table ${g.name}` }, picture);
  const words = el('p', { class: 'dim small' });
  let timers = [];
  return {
    root: el('div', {}, words, box),
    /** show marks the states; moves are the transitions that were seen. */
    show(states, moves) {
      for (const [name, { made, note }] of nodes) {
        const here = states.get(name) || [];
        made.classList.toggle('here', here.length > 0);
        fill(note, here.length > 1 ? `${here.length} of them` : here[0] || '');
        made.querySelector('text').setAttribute('dy', here.length ? '-2' : '4');
      }
      for (const [name, made] of edges) made.classList.toggle('out', states.has(name.split(' ')[0])); // where it can go from here
      for (const [from, to] of moves) {
        const e = edges.get(`${from} ${to}`);
        if (!e) continue;
        e.classList.add('taken');
        timers.push(setTimeout(() => e.classList.remove('taken'), 3000));
      }
      timers = timers.slice(-50);
      const list = [...states].filter(([, here]) => here.length).map(([name, here]) => `${name.replaceAll('_', ' ')}: ${here.join(', ')}`);
      fill(words, list.length ? list.join(' · ') : 'Nothing is in it now.');
    },
  };
}

function path(e) {
  const [first] = e.points;
  if (e.loop) return `M${first[0]},${first[1] - 4} c22,-16 22,16 0,8`;
  let d = `M${first[0]},${first[1]}`;
  for (let i = 1; i < e.points.length; i++) {
    const [a, b] = [e.points[i - 1], e.points[i]];
    const middle = (a[1] + b[1]) / 2;
    d += ` C${a[0]},${middle} ${b[0]},${middle} ${b[0]},${b[1]}`;
  }
  return d;
}

function head(e) {
  const [x, y] = e.points.at(-1);
  const down = e.points.at(-2)[1] > y ? -1 : 1;
  return `${x},${y} ${x - 4},${y - 8 * down} ${x + 4},${y - 8 * down}`;
}
