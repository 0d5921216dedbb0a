// OpenAI's own SDK talks with the agent, over a kill -9.
import assert from "node:assert/strict";
import OpenAI, { AuthenticationError, BadRequestError, ConflictError, NotFoundError } from "openai";
import { answer, base, kill, ran, start } from "./daemon.mjs";

const apiKey = await start();
const client = new OpenAI({ baseURL: base + "/v1", apiKey });
const model = "shelly";
const messages = [{ role: "user", content: "Run it." }];
let runs = 0;

const names = [];
for await (const m of client.models.list()) names.push(m.id);
assert.ok(names.includes("shelly"));
assert.equal((await client.models.retrieve("shelly")).id, "shelly");
await assert.rejects(client.models.retrieve("other"), NotFoundError);
await assert.rejects(new OpenAI({ baseURL: base + "/v1", apiKey: "wrong" }).models.list(), AuthenticationError);
await assert.rejects(client.chat.completions.create({ model, messages, tools: [{ type: "function", function: { name: "f", parameters: {} } }] }), BadRequestError);
await assert.rejects(client.chat.completions.create({ model, messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "http://127.0.0.1/a.png" } }] }] }), /fetches no image/);

const whole = await client.chat.completions.create({ model, messages });
assert.equal(whole.choices[0].message.content, answer);
assert.ok(whole.usage.completion_tokens > 0);
assert.equal(ran(), ++runs);

const stream = await client.chat.completions.create({ model, messages, stream: true, stream_options: { include_usage: true } });
let streamed = "", pieces = 0, usage;
for await (const c of stream) {
  if (c.choices[0]?.delta.content) pieces++;
  streamed += c.choices[0]?.delta.content ?? "";
  usage = c.usage ?? usage;
}
assert.ok(streamed.endsWith(answer) && pieces > 10);
assert.ok(usage.total_tokens > 0);
assert.equal(ran(), ++runs);

// The same key is the same request; another question with it is a conflict.
const key = { headers: { "Idempotency-Key": "the first" } };
const [once, twice] = await Promise.all([1, 2].map(() => client.chat.completions.create({ model, messages }, key)));
assert.equal(once.id, twice.id);
assert.equal(ran(), ++runs);
await assert.rejects(client.chat.completions.create({ model, messages: [{ role: "user", content: "Something else." }] }, key), ConflictError);

// A response, and one that goes on in its conversation.
const first = await client.responses.create({ model, input: "Run it." });
assert.ok(first.output_text.endsWith(answer));
assert.equal(first.status, "completed");
assert.equal(ran(), ++runs);
assert.deepEqual((await client.responses.retrieve(first.id)).output, first.output);
const next = await client.responses.create({ model, input: "Run it.", previous_response_id: first.id });
assert.equal(next.status, "completed");
assert.equal(ran(), ++runs);
const events = client.responses.stream({ model, input: "Run it.", conversation: "talk" });
assert.ok((await events.finalResponse()).output_text.endsWith(answer));
assert.equal(ran(), ++runs);

// In the background, and taken back.
let later = await client.responses.create({ model, input: "Run it.", background: true });
assert.ok(["queued", "in_progress"].includes(later.status));
while (["queued", "in_progress"].includes(later.status)) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  later = await client.responses.retrieve(later.id);
}
assert.ok(later.output_text.endsWith(answer));
assert.equal(ran(), ++runs);
const taken = await client.responses.create({ model, input: "Run it.", background: true });
await client.responses.cancel(taken.id);
let end;
do end = await client.responses.retrieve(taken.id); while (["queued", "in_progress"].includes(end.status));
assert.equal(end.status, "cancelled");
runs = ran();

// Killed while a response is streamed: the client goes on where it was.
async function overKill(stream) {
  let id, at = -1, text = "";
  await assert.rejects(async () => {
    for await (const e of stream) {
      id ??= e.response?.id;
      at = e.sequence_number;
      if (e.type === "response.output_text.delta") text += e.delta;
      if (text.includes("small pieces")) await kill();
    }
  });
  await start();
  const items = new Map();
  let response;
  for await (const e of await client.responses.retrieve(id, { stream: true, starting_after: at })) {
    assert.ok(e.sequence_number > at, `${e.sequence_number} after ${at}`);
    at = e.sequence_number;
    if (e.type === "response.output_item.done") items.set(e.item.id, e.item.status);
    if (e.type === "response.completed") response = e.response;
  }
  assert.deepEqual([...items.values()], ["incomplete", "completed"]);
  assert.ok(response.output.at(-1).content[0].text === answer);
  // The stream's last event also has, in its place, the item that was given up (FRT-16).
  assert.deepEqual((await client.responses.retrieve(id)).output, response.output.filter((it) => it.status === "completed"));
}
await overKill(await client.responses.create({ model, input: "Run it.", stream: true }));
assert.equal(ran(), ++runs);

// Cut off, but not killed: exactly the rest.
{
  let id, at = -1, text = "";
  for await (const e of await client.responses.create({ model, input: "Run it.", stream: true })) {
    id ??= e.response?.id;
    at = e.sequence_number;
    if (e.type === "response.output_text.delta") text += e.delta;
    if (text.includes("small pie")) break;
  }
  for await (const e of await client.responses.retrieve(id, { stream: true, starting_after: at })) {
    if (e.type === "response.output_text.delta") text += e.delta;
  }
  assert.equal(text, "I run it." + answer);
  assert.equal(ran(), ++runs);
}

// Killed while a chat waits: the SDK tries again by itself and gets the one answer.
{
  const patient = new OpenAI({ baseURL: base + "/v1", apiKey, maxRetries: 8 });
  const waiting = patient.chat.completions.create({ model, messages: [{ role: "user", content: "Run it." }, { role: "assistant", content: "Done." }, { role: "user", content: "Again." }] });
  while (ran() === runs) await new Promise((resolve) => setTimeout(resolve, 20));
  await new Promise((resolve) => setTimeout(resolve, 500)); // while the second answer is said
  await kill();
  await start();
  assert.equal((await waiting).choices[0].message.content, answer);
  assert.equal(ran(), ++runs);
}
console.log("front-openai: 17 checks");
process.exit(0);
