// Ollama's own library talks with the agent, over a kill -9.
import assert from "node:assert/strict";
import { Ollama } from "ollama";
import { answer, base, kill, ran, start } from "./daemon.mjs";

const token = await start();
const headers = { Authorization: "Bearer " + token };
const client = new Ollama({ host: base, headers });
const model = "shelly";
const messages = [{ role: "user", content: "Run it." }];
let runs = 0;

assert.deepEqual((await client.list()).models.map((m) => m.name), ["shelly:latest"]);
assert.ok((await client.show({ model })).capabilities.includes("completion"));
assert.equal((await client.ps()).models.length, 1);
await assert.rejects(new Ollama({ host: base }).list(), /token/);
await assert.rejects(client.pull({ model: "other" }), /not a store of models/);
await assert.rejects(client.chat({ model: "other", messages }), /not found/);
await assert.rejects(client.chat({ model, messages, tools: [{ type: "function", function: { name: "f", parameters: {} } }] }), /its own tools/);

assert.equal((await client.chat({ model, messages })).message.content, answer);
assert.equal(ran(), ++runs);
let streamed = "", last;
for await (const part of await client.chat({ model, messages, stream: true })) {
  streamed += part.message.content;
  last = part;
}
assert.ok(streamed.endsWith(answer) && last.done && last.done_reason === "stop");
assert.equal(ran(), ++runs);
assert.equal((await client.generate({ model, prompt: "Run it." })).response, answer);
assert.equal(ran(), ++runs);

// Killed amid an answer: with its key the request is the same after the start, and runs once.
const keyed = new Ollama({ host: base, headers: { ...headers, "Idempotency-Key": "once" } });
let text = "";
await assert.rejects(async () => {
  for await (const part of await keyed.chat({ model, messages, stream: true })) {
    text += part.message.content;
    if (text.includes("small pieces")) await kill();
  }
});
await start();
assert.equal((await keyed.chat({ model, messages })).message.content, answer);
assert.equal(ran(), ++runs);
console.log("front-ollama: 11 checks");
process.exit(0);
