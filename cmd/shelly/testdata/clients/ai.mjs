// The AI SDK with its provider for Ollama.
import assert from "node:assert/strict";
import { embedMany, generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import { createOllama } from "ollama-ai-provider-v2";
import { z } from "zod";

const ollama = createOllama({ baseURL: process.env.OLLAMA_HOST + "/api" });
const model = ollama("mock");
let looked = 0;
const look = tool({ description: "Look around.", inputSchema: z.object({ path: z.string() }), execute: async () => { looked++; return "a, b"; } });

const whole = await generateText({ model, prompt: "What is here?", tools: { look }, stopWhen: stepCountIs(3) });
assert.equal(whole.text, "There are a and b.");
assert.equal(looked, 1);

const stream = streamText({ model, prompt: "What is here?", tools: { look }, stopWhen: stepCountIs(3) });
let streamed = "";
for await (const part of stream.textStream) streamed += part;
assert.equal(streamed, "There are a and b.");
assert.equal(looked, 2);

const shaped = await generateObject({ model, prompt: "What is here?", schema: z.object({ answer: z.string() }) });
assert.equal(typeof shaped.object.answer, "string");

const vectors = await embedMany({ model: ollama.embedding("mock-embed"), values: ["one", "two"] });
assert.equal(vectors.embeddings.length, 2);
console.log("ai: 6 checks");
