// The real daemon on the mock, which a client kills while it talks with it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const answer = "It has run, and this is said in many small pieces so that somebody can be killed meanwhile.";

const dir = mkdtempSync(join(tmpdir(), "fronts-"));
export const data = join(dir, "data"), work = join(dir, "work");
mkdirSync(work);
process.on("exit", () => {
  daemon?.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
});
let daemon;

// The port stays the same over a kill, as a client expects it.
const port = await new Promise((resolve) => {
  const free = createServer().listen(0, "127.0.0.1", () => {
    const { port } = free.address();
    free.close(() => resolve(port));
  });
});
export const base = `http://127.0.0.1:${port}`;

export async function start(...more) {
  daemon = spawn("shelly", [
    "run", "--data", data, "--workspace", work, "--allow-exec", "--set", "init=off", "--set", "tools.approve=[]",
    "--set", `brain.url=${process.env.OLLAMA_HOST}`, "--set", `comm.http=127.0.0.1:${port}`, "--set", "comm.udp=off", ...more,
  ], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  daemon.stderr.on("data", (text) => (log += text));
  for (;;) {
    if (daemon.exitCode !== null) throw new Error("the daemon has ended:\n" + log);
    try {
      if ((await fetch(base + "/healthz")).ok) break;
    } catch {}
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return readFileSync(join(data, "token"), "utf8").trim();
}

export async function kill() {
  const ended = once(daemon, "exit");
  daemon.kill("SIGKILL");
  await ended;
}

// ran is how often the command of the script has run.
export function ran() {
  const file = join(work, "ran.txt");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
}
