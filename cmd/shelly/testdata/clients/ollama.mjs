// The client that Ollama publishes: chat, stream, tools, format, embeddings and what is there.
import assert from "node:assert/strict";
import { Ollama } from "ollama";

const client = new Ollama({ host: process.env.OLLAMA_HOST });
const ask = { model: "mock", messages: [{ role: "user", content: "What is here?" }] };
const tools = [{ type: "function", function: { name: "look", description: "Look around.", parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] } } }];

const first = await client.chat({ ...ask, tools });
assert.equal(first.message.tool_calls[0].function.name, "look");
assert.deepEqual(first.message.tool_calls[0].function.arguments, { path: "." });
assert.ok(first.prompt_eval_count > 20, "the tools count");

const result = { role: "tool", tool_name: "look", content: "a, b" };
const messages = [...ask.messages, first.message, result];
const second = await client.chat({ model: "mock", messages, tools });
assert.equal(second.message.content, "There are a and b.");

let streamed = "", chunks = 0;
for await (const part of await client.chat({ model: "mock", messages, tools, stream: true })) {
  streamed += part.message.content;
  chunks++;
}
assert.equal(streamed, "There are a and b.");
assert.ok(chunks > 1);

const bare = await client.chat(ask);
assert.equal(bare.message.tool_calls, undefined, "no tools, no calls");

const format = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
assert.deepEqual(Object.keys(JSON.parse((await client.chat({ ...ask, format })).message.content)), ["answer"]);

const stopped = await client.chat({ model: "mock", messages, tools, options: { stop: [" and"] } });
assert.equal(stopped.message.content, "There are a");

const generated = await client.generate({ model: "mock", prompt: "What is here?" });
assert.ok(generated.response.length > 0);
assert.equal((await client.embed({ model: "mock-embed", input: ["one", "two"] })).embeddings.length, 2);
assert.ok((await client.list()).models.some((m) => m.name === "mock:latest"));
assert.ok((await client.show({ model: "mock" })).capabilities.includes("tools"));
assert.ok((await client.ps()).models.length > 0);
await assert.rejects(client.chat({ ...ask, model: "nobody" }), /not found/);
console.log("ollama: 12 checks");
