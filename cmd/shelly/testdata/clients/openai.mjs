// OpenAI's own SDK, against the mock's /v1.
import assert from "node:assert/strict";
import OpenAI, { NotFoundError } from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";

const client = new OpenAI({ baseURL: process.env.OLLAMA_HOST + "/v1", apiKey: "unused", maxRetries: 0 });
const model = "mock";
const ask = [{ role: "user", content: "What is here?" }];
const look = { type: "function", function: { name: "look", description: "Look around.", parameters: { type: "object", properties: { path: { type: "string" } } } } };

const called = await client.chat.completions.create({ model, messages: ask, tools: [look] });
const [call] = called.choices[0].message.tool_calls;
assert.equal(called.choices[0].finish_reason, "tool_calls");
assert.deepEqual(JSON.parse(call.function.arguments), { path: "." });

const answered = [...ask, called.choices[0].message, { role: "tool", tool_call_id: call.id, content: "a, b" }];
const whole = await client.chat.completions.create({ model, messages: answered, tools: [look] });
assert.equal(whole.choices[0].message.content, "There are a and b.");
assert.equal(whole.choices[0].finish_reason, "stop");
assert.ok(whole.usage.total_tokens > 0);

const stream = await client.chat.completions.create({ model, messages: answered, tools: [look], stream: true, stream_options: { include_usage: true } });
let streamed = "", usage;
for await (const c of stream) {
  streamed += c.choices[0]?.delta.content ?? "";
  usage = c.usage ?? usage;
}
assert.equal(streamed, "There are a and b.");
assert.ok(usage.completion_tokens > 0);

const runner = client.chat.completions.runTools({ model, messages: ask, tools: [{ type: "function", function: { ...look.function, parse: JSON.parse, function: () => "a, b" } }] });
assert.equal(await runner.finalContent(), "There are a and b.");

const shaped = await client.chat.completions.parse({ model, messages: ask, response_format: zodResponseFormat(z.object({ answer: z.string() }), "answer") });
assert.equal(typeof shaped.choices[0].message.parsed.answer, "string");

const text = await client.completions.create({ model, prompt: "What is here?" });
assert.equal(text.object, "text_completion");

const input = [{ role: "user", content: "What is here?" }];
const tools = [{ type: "function", strict: false, ...look.function }];
const first = await client.responses.create({ model, input, tools });
const asked = first.output.find((item) => item.type === "function_call");
assert.equal(asked.name, "look");
const second = [...input, asked, { type: "function_call_output", call_id: asked.call_id, output: "a, b" }];
assert.equal((await client.responses.create({ model, input: second, tools })).output_text, "There are a and b.");
const events = client.responses.stream({ model, input: second, tools });
assert.equal((await events.finalResponse()).output_text, "There are a and b.");

// The SDK asks for base64 unless it is told not to, and gives numbers.
const near = await client.embeddings.create({ model: "mock-embed", input: ["one", "two"] });
const plain = await client.embeddings.create({ model: "mock-embed", input: "one", encoding_format: "float" });
assert.deepEqual(near.data.map((d) => d.embedding.length), [64, 64]);
assert.deepEqual(Array.from(near.data[0].embedding, Math.fround), plain.data[0].embedding.map(Math.fround));

const names = [];
for await (const m of client.models.list()) names.push(m.id);
assert.deepEqual(names.sort(), ["mock-embed:latest", "mock:latest"]);
assert.equal((await client.models.retrieve("mock")).id, "mock");
await assert.rejects(client.models.retrieve("other"), NotFoundError);
await assert.rejects(client.chat.completions.create({ model: "other", messages: ask }), NotFoundError);
console.log("openai: 12 checks");
