// The Agent Client Protocol's own SDK talks with the agent, as an editor does, over a kill -9.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { answer, data, kill, ran, start, work } from "./daemon.mjs";

const { agent, client: editor } = acp.methods;
const asking = ["--set", "tools.approve=[exec]"];

// open starts shelly acp and gives work a way to ask it and all that it has told. Its input is
// closed in the end, and then it ends with 0.
async function open(work) {
  const program = spawn("shelly", ["acp", "--data", data], { stdio: ["pipe", "pipe", "ignore"] });
  const ended = once(program, "exit");
  const seen = { updates: [], questions: [], decide: async () => "once", heard: () => {} };
  await acp.client({ name: "editor" })
    .onRequest(editor.session.requestPermission, async ({ params }) => {
      seen.questions.push(params);
      const optionId = await seen.decide(params);
      return { outcome: optionId ? { outcome: "selected", optionId } : { outcome: "cancelled" } };
    })
    .onNotification(editor.session.update, ({ params }) => {
      seen.updates.push(params.update);
      seen.heard(params.update);
    })
    .connectWith(acp.ndJsonStream(Writable.toWeb(program.stdin), Readable.toWeb(program.stdout)), async (ctx) => {
      const hello = await ctx.request(agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {}, clientInfo: { name: "editor", version: "1" } });
      assert.equal(hello.protocolVersion, 1);
      assert.ok(hello.agentCapabilities.loadSession && hello.agentCapabilities.promptCapabilities.image && hello.agentCapabilities.promptCapabilities.embeddedContext);
      await work(ctx, seen);
    });
  program.stdin.end();
  assert.deepEqual(await ended, [0, null]);
}

const begin = async (ctx) => (await ctx.request(agent.session.new, { cwd: work, mcpServers: [] })).sessionId;
const ask = (ctx, sessionId, text = "Run it.") => ctx.request(agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });

// said are the messages of updates, by their ids.
function said(updates, kind = "agent_message_chunk") {
  const messages = new Map();
  for (const u of updates) if (u.sessionUpdate === kind && u.content.type === "text") messages.set(u.messageId, (messages.get(u.messageId) ?? "") + u.content.text);
  return [...messages.values()];
}

// states are those that each tool call has been in.
function states(updates) {
  const calls = new Map();
  for (const u of updates) {
    if (!u.sessionUpdate.startsWith("tool_call")) continue;
    assert.equal(u.sessionUpdate === "tool_call", !calls.has(u.toolCallId), "a call begins once");
    const all = calls.get(u.toolCallId) ?? [];
    if (u.status && u.status !== all.at(-1)) all.push(u.status);
    calls.set(u.toolCallId, all);
  }
  return [...calls.values()].map((all) => all.join(" "));
}

// until waits for an update.
const until = (seen, is) => new Promise((resolve) => (seen.heard = (u) => is(u) && resolve()));

let runs = 0, first;

// Without a daemon it says so.
await open(async (ctx) => {
  await assert.rejects(begin(ctx), /shelly is not running/);
});

await start(...asking);
await open(async (ctx, seen) => {
  await assert.rejects(ctx.request(agent.session.new, { cwd: "/", mcpServers: [] }), /shelly works in/);

  // A prompt, a tool call, an approval.
  first = await begin(ctx);
  const end = await ask(ctx, first);
  assert.equal(end.stopReason, "end_turn");
  assert.match(end._meta["shelly/request"], /^\w+$/);
  assert.deepEqual(said(seen.updates), ["I run it.", answer]);
  assert.deepEqual(states(seen.updates), ["pending in_progress completed"]);
  assert.equal(seen.questions.length, 1);
  assert.deepEqual(seen.questions[0].options.map((o) => o.kind), ["allow_once", "allow_always", "allow_always", "reject_once"]);
  assert.equal(ran(), ++runs);

  // Images and what the editor sends along; two prompts at once wait for each other.
  seen.updates.length = 0;
  const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const rich = await begin(ctx);
  const prompt = [
    { type: "text", text: "Run it with " }, { type: "resource", resource: { uri: "file://" + work + "/a.md", text: "Hi.\n" } },
    { type: "image", mimeType: "image/png", data: image }, { type: "resource_link", uri: "file://" + work + "/b.md", name: "b.md" },
  ];
  const ends = [];
  await Promise.all([1, 2].map((n) => ctx.request(agent.session.prompt, { sessionId: rich, prompt }).then((end) => ends.push([n, end.stopReason]))));
  assert.deepEqual(ends, [[1, "end_turn"], [2, "end_turn"]]);
  assert.deepEqual(said(seen.updates), ["I run it.", answer, "I run it.", answer]);
  assert.equal(ran(), (runs += 2));
  seen.updates.length = 0;
  await ctx.request(agent.session.load, { sessionId: rich, cwd: work, mcpServers: [] });
  assert.equal(said(seen.updates, "user_message_chunk")[0], "Run it with `a.md` `b.md`\n\na.md:\n```\nHi.\n```");
  const pictures = seen.updates.filter((u) => u.sessionUpdate === "user_message_chunk" && u.content.type === "image");
  assert.deepEqual(pictures.map((u) => [u.content.mimeType, u.content.data]), [["image/png", image], ["image/png", image]]);
  seen.questions.length = 0;

  // Refused.
  seen.updates.length = 0;
  seen.decide = async () => "reject";
  assert.equal((await ask(ctx, await begin(ctx))).stopReason, "end_turn");
  assert.deepEqual(states(seen.updates), ["pending failed"]);
  assert.equal(ran(), runs);

  // For the session: the second call is not asked about.
  seen.updates.length = seen.questions.length = 0;
  seen.decide = async () => "session";
  const granted = await begin(ctx);
  await ask(ctx, granted);
  await ask(ctx, granted);
  assert.equal(seen.questions.length, 1);
  assert.equal(ran(), (runs += 2));

  // Cancelled while it is asked, and while it is streamed.
  seen.updates.length = 0;
  const stopped = await begin(ctx);
  seen.decide = async ({ sessionId }) => {
    await ctx.notify(agent.session.cancel, { sessionId });
    return null;
  };
  assert.equal((await ask(ctx, stopped)).stopReason, "cancelled");
  assert.deepEqual(states(seen.updates), ["pending failed"]);
  assert.equal(ran(), runs);
  seen.decide = async () => "once";
  seen.updates.length = 0;
  const other = await begin(ctx);
  const cancelled = ask(ctx, other);
  await until(seen, () => said(seen.updates).at(-1)?.includes("small pie"));
  await ctx.notify(agent.session.cancel, { sessionId: other });
  assert.equal((await cancelled).stopReason, "cancelled");
  assert.ok(said(seen.updates).at(-1).length < answer.length);
  assert.equal(ran(), ++runs);

  // Killed while the answer is streamed: exactly the rest, and one end.
  seen.updates.length = 0;
  const killed = ask(ctx, await begin(ctx));
  await until(seen, () => said(seen.updates).at(-1)?.includes("small pie"));
  await kill();
  await start(...asking);
  assert.equal((await killed).stopReason, "end_turn");
  assert.deepEqual(said(seen.updates), ["I run it.", answer]);
  assert.deepEqual(states(seen.updates), ["pending in_progress completed"]);
  assert.equal(ran(), ++runs);

  // Killed while a person is asked: the question is one.
  seen.updates.length = seen.questions.length = 0;
  seen.decide = async () => {
    await kill();
    await start(...asking);
    return "once";
  };
  assert.equal((await ask(ctx, await begin(ctx))).stopReason, "end_turn");
  assert.equal(seen.questions.length, 1);
  assert.deepEqual(said(seen.updates), ["I run it.", answer]);
  assert.deepEqual(states(seen.updates), ["pending in_progress completed"]);
  assert.equal(ran(), ++runs);
});

// An editor that goes cancels nothing; the next one loads the session and hears the rest.
let left;
await open(async (ctx, seen) => {
  left = await begin(ctx);
  ask(ctx, left).catch(() => {});
  await until(seen, () => said(seen.updates).at(-1)?.includes("small pie"));
});
await open(async (ctx, seen) => {
  const over = until(seen, () => said(seen.updates).at(-1) === answer);
  await ctx.request(agent.session.load, { sessionId: left, cwd: work, mcpServers: [] });
  await over;
  assert.deepEqual(said(seen.updates, "user_message_chunk"), ["Run it."]);
  assert.deepEqual(said(seen.updates), ["I run it.", answer]);
  assert.equal(ran(), ++runs);

  // What was said is told again.
  seen.updates.length = 0;
  await ctx.request(agent.session.load, { sessionId: first, cwd: work, mcpServers: [] });
  assert.deepEqual(said(seen.updates, "user_message_chunk"), ["Run it."]);
  assert.deepEqual(said(seen.updates), ["I run it.", answer]);
  assert.deepEqual(states(seen.updates), ["pending completed"]);
  const { sessions } = await ctx.request(agent.session.list, {});
  assert.ok(sessions.some((s) => s.sessionId === first && s.title === "Run it."));
  await assert.rejects(ctx.request(agent.session.load, { sessionId: "nobody's", cwd: work, mcpServers: [] }), /there is no session/);
  await kill();
  await assert.rejects(ask(ctx, first), /shelly is not running/);
});
console.log("front-acp: 14 checks");
process.exit(0);
