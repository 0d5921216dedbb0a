// Arguments as the model wrote them. JSON.parse rounds a number with more digits than a double holds,
// makes 1e999 infinite, drops the first of two members of one name, and puts names such as 1 first.

/** members are the members of a JSON object, in their order, each with its name and its value as JSON; null if the text is none. */
export function members(text) {
  const object = parsed(text);
  if (object === null || typeof object !== 'object' || Array.isArray(object)) return null;
  const list = [];
  let depth = 0;
  let name = null;
  let value = '';
  for (const token of tokens(text)) {
    if (token === '}' || token === ']') depth--;
    const outside = depth === 0; // the object's own braces
    if (token === '{' || token === '[') depth++;
    if (name === null && !outside && token !== ',') name = JSON.parse(token);
    else if (name !== null && (outside || (depth === 1 && token === ','))) {
      list.push({ name, value: value.slice(1) }); // without the colon
      name = null;
      value = '';
    } else if (name !== null) value += token;
  }
  return list;
}

/** worded is a value in words: a text as it is, anything else as JSON, over several lines if that changes nothing else. */
export function worded(value) {
  const v = parsed(value);
  if (typeof v === 'string') return v;
  return JSON.stringify(v) === value ? JSON.stringify(v, null, 1) : value;
}

/** tokens are the parts of a JSON text, without the blanks between them. */
function* tokens(text) {
  for (let at = 0, end; at < text.length; at = end) {
    end = at + 1;
    if (/\s/.test(text[at])) continue;
    if (text[at] === '"') {
      while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
      end++;
    } else if (!'{}[],:'.includes(text[at])) {
      while (end < text.length && !/[\s{}[\],:]/.test(text[end])) end++;
    }
    yield text.slice(at, end);
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null; // as it was written, then
  }
}
