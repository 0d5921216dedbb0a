// LangChain's client.
import assert from "node:assert/strict";
import { ChatOllama, OllamaEmbeddings } from "@langchain/ollama";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { z } from "zod";

const baseUrl = process.env.OLLAMA_HOST;
const look = tool(async () => "a, b", { name: "look", description: "Look around.", schema: z.object({ path: z.string() }) });
const model = new ChatOllama({ baseUrl, model: "mock" });

const talk = [new HumanMessage("What is here?")];
const first = await model.bindTools([look]).invoke(talk);
assert.equal(first.tool_calls.length, 1);
assert.equal(first.tool_calls[0].name, "look");

talk.push(first, new ToolMessage({ content: await look.invoke(first.tool_calls[0].args), tool_call_id: first.tool_calls[0].id, name: "look" }));
const second = await model.bindTools([look]).invoke(talk);
assert.equal(second.content, "There are a and b.");

let streamed = "";
for await (const part of await model.bindTools([look]).stream(talk)) streamed += part.content;
assert.equal(streamed, "There are a and b.");

const shaped = await model.withStructuredOutput(z.object({ answer: z.string() }), { method: "jsonSchema" }).invoke("What is here?");
assert.equal(typeof shaped.answer, "string");

assert.equal((await new OllamaEmbeddings({ baseUrl, model: "mock-embed" }).embedDocuments(["one", "two"])).length, 2);
console.log("@langchain/ollama: 5 checks");
