// A model's text as elements: paragraphs, headings, lists, quotes, code, tables, emphasis
// and links (COM-73), each in the direction of its language (COM-100). HTML in it is text. Nothing is loaded: an image becomes a link.
//
// Each character is looked at a bounded number of times, whatever the text is.

import { el, add, copies, link, seen } from './dom.js';
import { entity, resolved } from './entities.js';

/** markdown returns the elements of a text. */
export function markdown(text) {
  const lines = String(text).replace(/\r\n?/g, '\n').split('\n');
  return blocks(lines, 0);
}

const depthMax = 6; // of nested lists and quotes; anything deeper is text

function blocks(lines, depth) {
  const out = [];
  let i = 0;
  while (i < lines.length) {
    const line = lines[i];
    if (!line.trim()) {
      i++;
      continue;
    }
    const next = (depth < depthMax && (fence(lines, i) || quote(lines, i, depth) || list(lines, i, depth))) || fence(lines, i) || table(lines, i) || single(line);
    if (next) {
      out.push(next.node);
      i += next.lines || 1;
      continue;
    }
    const begin = i;
    while (i < lines.length && lines[i].trim() && (i === begin || !(interrupts(lines[i]) || heads(lines, i)))) i++;
    out.push(add(el('p'), breaks(lines.slice(begin, i))));
  }
  return out;
}

function interrupts(line) {
  return /^ {0,3}(`{3,}|~{3,}|#{1,6} |> ?)/.test(line) || item(line) !== null || rule(line);
}

function breaks(lines) {
  return lines.flatMap((line, n) => (n ? [el('br'), ...inline(line.trimStart())] : inline(line.trimStart())));
}

function single(line) {
  const head = /^ {0,3}(#{1,6}) +/.exec(line);
  if (head) return { node: add(el('p', { class: `heading h${head[1].length}`, role: 'heading', 'aria-level': Math.min(6, head[1].length + 2) }), inline(line.slice(head[0].length).replace(/ +#+ *$/, ''))) };
  if (rule(line)) return { node: el('hr') };
  return null;
}

function rule(line) {
  const marks = line.replace(/ /g, '');
  return marks.length >= 3 && ['-', '*', '_'].includes(marks[0]) && marks === marks[0].repeat(marks.length);
}

function fence(lines, i) {
  const open = /^ {0,3}(`{3,}|~{3,}) *([^`]{0,60})$/.exec(lines[i]);
  if (!open) return null;
  let end = i + 1;
  const mark = open[1][0].repeat(open[1].length);
  while (end < lines.length && !(lines[end].trimStart().startsWith(mark) && lines[end].trim() === open[1][0].repeat(lines[end].trim().length))) end++;
  const language = open[2].trim();
  const text = lines.slice(i + 1, end).join('\n');
  const code = el('pre', { class: 'code', tabindex: '0', 'aria-label': language ? `Code, ${language}` : 'Code' }, el('code', {}, seen(text)));
  return { node: el('div', { class: 'block' }, code, copies('the code', text)), lines: Math.min(end, lines.length) - i + 1 };
}

function quote(lines, i, depth) {
  const inner = [];
  while (i + inner.length < lines.length && /^ {0,3}>/.test(lines[i + inner.length])) inner.push(lines[i + inner.length].replace(/^ {0,3}> ?/, ''));
  return inner.length ? { node: add(el('blockquote', { dir: 'auto' }), blocks(inner, depth + 1)), lines: inner.length } : null;
}

function item(line) {
  const m = /^( {0,8})([-*+]|\d{1,6}[.)])( +|$)/.exec(line);
  if (!m || rule(line)) return null;
  return { indent: m[1].length, ordered: m[2].length > 1, number: parseInt(m[2], 10), begin: m[0].length };
}

function list(lines, i, depth) {
  const first = item(lines[i]);
  if (!first) return null;
  const node = el(first.ordered ? 'ol' : 'ul', { dir: 'auto', start: first.ordered && first.number !== 1 ? first.number : null });
  let at = i;
  while (at < lines.length) {
    const here = item(lines[at]);
    if (!here || here.indent > first.indent + 3 || here.ordered !== first.ordered) break;
    const inner = [lines[at].slice(here.begin)];
    at++;
    while (at < lines.length && belongs(lines, at, here)) inner.push(lines[at++].slice(0, here.begin).trim() ? lines[at - 1].trimStart() : lines[at - 1].slice(here.begin));
    const made = blocks(inner, depth + 1);
    const lone = made.length && made[0].tagName === 'P' ? [...made[0].childNodes, ...made.slice(1)] : made;
    node.append(add(el('li'), lone));
  }
  return { node, lines: at - i };
}

// belongs reports whether a line continues an item: it is indented below it, or is a lazy continuation.
function belongs(lines, at, above) {
  const line = lines[at];
  if (!line.trim()) return at + 1 < lines.length && /^ /.test(lines[at + 1]) && lines[at + 1].trim() !== '' && indent(lines[at + 1]) > above.indent;
  const next = item(line);
  if (next) return next.indent > above.indent + 1;
  return indent(line) > above.indent || (lines[at - 1].trim() !== '' && !interrupts(line));
}

function indent(line) {
  return line.length - line.trimStart().length;
}

// cells are the cells of a row. In GitHub's Markdown (4.10) a \| is part of a cell, in code too.
function cells(line) {
  return line.trim().replace(/^\||(?<!\\)\|$/g, '').split(/(?<!\\)\|/).map((c) => c.trim().replaceAll('\\|', '|'));
}

// heads reports whether a table begins at a line: the next one separates its head from its rows.
function heads(lines, i) {
  return lines[i].includes('|') && i + 1 < lines.length && /^[ |:-]{3,}$/.test(lines[i + 1]) && lines[i + 1].includes('-') && lines[i + 1].includes('|');
}

const paddedMax = 64; // columns of a table whose short rows get their missing cells: a wide one of many short rows would be a text's square

function table(lines, i) {
  if (!heads(lines, i)) return null;
  const head = cells(lines[i]);
  const body = el('tbody');
  let at = i + 2;
  while (at < lines.length && lines[at].includes('|')) {
    const row = cells(lines[at++]);
    const width = head.length > paddedMax ? Math.min(row.length, head.length) : head.length;
    body.append(add(el('tr'), Array.from({ length: width }, (_, n) => add(el('td'), inline(row[n] || '')))));
  }
  const node = el('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'Table' },
    el('table', { dir: 'auto' }, el('thead', {}, add(el('tr'), head.map((c) => add(el('th', { scope: 'col' }), inline(c))))), body));
  return { node, lines: at - i };
}

/** inline returns the nodes of a line. */
export function inline(text, depth = 0) {
  const out = [];
  let plain = '';
  const none = new Map(); // marks that are not closed after here
  const flush = () => {
    if (plain) out.push(document.createTextNode(plain));
    plain = '';
  };
  for (let i = 0; i < text.length; ) {
    const c = text[i];
    const found = (c === '\\' && escaped(text, i)) || (c === '&' && entity(text, i)) || (c === '`' && code(text, i, none)) || (c === '!' && text[i + 1] === '[' && bracket(text, i + 1, depth, none)) ||
      (c === '[' && bracket(text, i, depth, none)) || (c === '<' && angle(text, i)) || ('*_~'.includes(c) && emphasis(text, i, depth, none)) || (c === 'h' && bare(text, i));
    if (!found) {
      plain += c;
      i++;
      continue;
    }
    if (typeof found.node === 'string') plain += found.node;
    else {
      flush();
      out.push(found.node);
    }
    i = found.end;
  }
  flush();
  return out;
}

// after finds a mark, and remembers from where on there is none.
function after(text, mark, from, none) {
  if (none.has(mark) && from >= none.get(mark)) return -1;
  const at = text.indexOf(mark, from);
  if (at < 0) none.set(mark, from);
  return at;
}

function escaped(text, i) {
  return /[\\`*_{}[\]()#+.!|<>~&-]/.test(text[i + 1] || '') ? { node: text[i + 1], end: i + 2 } : null;
}

function code(text, i, none) {
  let n = i;
  while (text[n] === '`') n++;
  const mark = text.slice(i, n);
  const end = after(text, mark, n, none);
  if (end < 0) return { node: mark, end: n };
  return { node: el('code', {}, seen(text.slice(n, end).replace(/^ (.*) $/, '$1'))), end: end + mark.length };
}

const linkMax = 4000; // of a link's text or address

function bracket(text, i, depth, none) {
  const close = after(text, '](', i, none);
  if (close < 0 || close - i > linkMax || depth > 2 || ends(text, i) < close) return null;
  let open = 1; // parentheses; an address may have some of its own
  let end = close + 2;
  for (; end < text.length && end - close < linkMax; end++) {
    if (text[end] === '(') open++;
    else if (text[end] === ')' && --open === 0) break;
  }
  if (open) return null;
  const href = resolved(text.slice(close + 2, end).trim().split(/\s/)[0].replace(/^<|>$/g, ''));
  if (!/^https?:\/\/[^]/.test(href)) return null; // it stays as it is written
  return { node: link(href, resolved(text.slice(i + 1, close)) || href), end: end + 1 };
}

// ends returns where a bracket is closed by its own, such as the one of [x] in "[x] and [y](address)".
function ends(text, i) {
  for (let open = 0, at = i; at < text.length && at - i <= linkMax; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '[') open++;
    else if (text[at] === ']' && --open === 0) return at;
  }
  return text.length;
}

function angle(text, i) {
  const m = /^<(https?:\/\/[^\s<>]{1,2000})>/.exec(text.slice(i, i + 2010));
  return m ? { node: link(m[1], m[1]), end: i + m[0].length } : null;
}

function bare(text, i) {
  if (!/^https?:\/\//.test(text.slice(i, i + 8)) || (i && /\w/.test(text[i - 1]))) return null;
  let m = /^https?:\/\/[^\s<>"'`、。，；：！？）」』】》]*/.exec(text.slice(i, i + 2000))[0].replace(/[.,;:!?)\]*_]+$/, '');
  if (m.split('(').length > m.split(')').length && text[i + m.length] === ')') m += ')'; // the address has parentheses of its own
  return m.length > 8 ? { node: link(m, m), end: i + m.length } : null;
}

function emphasis(text, i, depth, none) {
  const c = text[i];
  const twice = text[i + 1] === c;
  const mark = twice ? c + c : c;
  if ((c === '~' && !twice) || depth > 3) return null;
  const begin = i + mark.length;
  if (!text[begin] || /\s/.test(text[begin]) || (c === '_' && i && /\w/.test(text[i - 1]))) return { node: mark, end: begin };
  const end = twice ? double(text, c, begin, none) : lone(text, c, begin, none);
  if (end < 0 || /\s/.test(text[end - 1]) || (c === '_' && /\w/.test(text[end + mark.length] || ''))) return { node: mark, end: begin };
  const tag = c === '~' ? 'del' : twice ? 'strong' : 'em';
  return { node: add(el(tag), inline(text.slice(begin, end), depth + 1)), end: end + mark.length };
}

// double finds two marks that close; of three the last two, if the first closes what was opened in between.
function double(text, c, begin, none) {
  const end = after(text, c + c, begin + 1, none);
  return end >= 0 && text[end + 2] === c && text.slice(begin, end).includes(c) ? end + 1 : end;
}

// lone finds the next mark that is not one of a pair.
function lone(text, c, begin, none) {
  for (let at = begin + 1, end; ; at = end) {
    const from = after(text, c, at, none);
    if (from < 0) return -1;
    for (end = from; text[end] === c; ) end++;
    if ((end - from) % 2) return end - 1;
  }
}
