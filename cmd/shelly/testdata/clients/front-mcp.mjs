// MCP's own SDK talks with the agent, over standard input and output and over HTTP, over a kill -9.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { answer, base, data, kill, ran, start } from "./daemon.mjs";

const asking = ["--set", "tools.approve=[exec]"];
let runs = 0;

// text is what a result says.
const text = (result) => result.content.map((c) => c.text).join("");

// done waits for the answer of a request.
async function done(client, id) {
  for (;;) {
    const r = await client.callTool({ name: "request", arguments: { id } });
    if (["done", "failed"].includes(r.structuredContent.state)) return text(r);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function talks(transport, name) {
  const client = new Client({ name: "client", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((t) => t.name).sort(), ["approve", "ask", "cancel", "deny", "request", "requests", "status"]);
  assert.match(text(await client.callTool({ name: "status", arguments: {} })), /is serving/);

  // A question, with its progress; the same id is the same request.
  const told = [];
  const ask = { name: "ask", arguments: { text: "Run it.", id: name + "-1", session: name + "-1" } };
  assert.equal(text(await client.callTool(ask, undefined, { onprogress: (p) => told.push(p.message) })), answer);
  assert.ok(told.includes("runs exec"), told.join());
  assert.equal(text(await client.callTool(ask)), answer);
  assert.equal(ran(), ++runs);
  assert.ok((await client.callTool({ name: "ask", arguments: { text: " " } })).isError);
  await assert.rejects(client.callTool({ name: "nothing", arguments: {} }));

  // Killed while the answer is made: the request has one, and the command has run once.
  const waiting = client.callTool({ name: "ask", arguments: { text: "Run it.", id: name + "-2", session: name + "-2" } }).catch(() => {});
  while (ran() === runs) await new Promise((resolve) => setTimeout(resolve, 20));
  await new Promise((resolve) => setTimeout(resolve, 500)); // while the second answer is said
  await kill();
  await waiting;
  await start();
  assert.equal(await done(client, name + "-2"), answer);
  assert.equal(ran(), ++runs);

  // Approved, and refused.
  await kill();
  await start(...asking);
  for (const [verb, more] of [["approve", 1], ["deny", 0]]) {
    const id = name + "-" + verb;
    const asked = client.callTool({ name: "ask", arguments: { text: "Run it.", id, session: id } });
    for (;;) {
      const { structuredContent: r } = await client.callTool({ name: "request", arguments: { id } });
      if (r?.asks) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.equal((await client.callTool({ name: verb, arguments: { id } })).structuredContent.taken, true);
    assert.equal(text(await asked), answer);
    assert.equal(ran(), (runs += more));
  }
  await client.close();
  await kill();
}

await start();
await talks(new StdioClientTransport({ command: "shelly", args: ["mcp", "--data", data], stderr: "ignore", env: process.env }), "stdio");
const token = await start();
await talks(new StreamableHTTPClientTransport(new URL(base + "/mcp"), { requestInit: { headers: { Authorization: "Bearer " + token } } }), "http");

await start();
const stranger = new Client({ name: "client", version: "1" });
await assert.rejects(stranger.connect(new StreamableHTTPClientTransport(new URL(base + "/mcp"), { requestInit: { headers: { Authorization: "Bearer wrong" } } })));
console.log("front-mcp: 14 checks");
process.exit(0);
