// node scripts/measure.mjs: what the built client costs over bare reading, and what a warm pool saves. Needs both packages built.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createPool, RpcClient } from "../dist/index.js";

const answers = 10;
const deltasPerAnswer = 20_000;
const deltas = answers * deltasPerAnswer;
const rounds = 9;
const folder = mkdtempSync(join(tmpdir(), "rpc-client-measure-"));
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** An agent of a few lines, which writes a file's bytes at a prompt. */
const agent = join(folder, "agent.mjs");
writeFileSync(
  agent,
  `import { readFileSync } from "node:fs";
   import { createInterface } from "node:readline";
   const records = readFileSync(process.argv.at(-1));
   createInterface({ input: process.stdin }).on("line", (line) => {
     const { id, type: command } = JSON.parse(line);
     const data = { get_protocol_info: { protocolVersion: 1 }, set_stream_mode: { mode: "deltas" }, get_state: { streamMode: "deltas" } }[command];
     process.stdout.write(JSON.stringify({ id, type: "response", command, success: true, data }) + "\\n");
     if (command === "prompt") process.stdout.write(records);
   }).on("close", () => process.exit());`,
);

const records = join(folder, "records.jsonl");
writeFileSync(records, writeRecords());

/** CPU microseconds of this process while \`read\` reads all records of one agent. */
async function measureReading(read) {
  const child = await read();
  const before = process.cpuUsage();
  await child.go();
  const { user, system } = process.cpuUsage(before);
  await child.stop();
  return user + system;
}

async function bareReader() {
  const child = spawn(process.execPath, [agent, records], { stdio: ["pipe", "pipe", "inherit"] });
  let count = 0;
  const { promise, resolve } = Promise.withResolvers();
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const record = JSON.parse(line);
      if (record.type === "message_update" && record.assistantMessageEvent.type === "text_delta") count += 1;
      if (record.type === "agent_settled") resolve();
    }
  });
  return {
    async go() {
      child.stdin.write('{"type":"prompt","id":"1"}\n');
      await promise;
      check(count);
    },
    stop: () => child.stdin.end(),
  };
}

async function clientReader() {
  const client = new RpcClient({ cliPath: agent, args: [records] });
  let count = 0;
  client.onEvent((event) => {
    if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") count += 1;
  });
  await client.start();
  return {
    async go() {
      await client.promptAndWait("Go");
      check(count);
    },
    stop: () => client.stop(),
  };
}

function check(count) {
  if (count !== deltas) throw new Error(`Read ${count} deltas, expected ${deltas}.`);
}

const reading = { bare: [], client: [] };
for (let round = -2; round < rounds; round++) {
  for (const [name, reader] of [
    ["bare", bareReader],
    ["client", clientReader],
  ]) {
    const microseconds = await measureReading(reader);
    if (round >= 0) reading[name].push(microseconds / deltas);
  }
}
const [bare, client] = [median(reading.bare), median(reading.client)];
console.log(
  `CPU time a delta, median of ${rounds}: bare reading ${bare.toFixed(2)} µs, client ${client.toFixed(2)} µs, difference ${(client - bare).toFixed(2)} µs`,
);

const cliPath = fileURLToPath(new URL("../../coding-agent/dist/cli.js", import.meta.url));
const options = { cliPath, model: "demo/tour", noSession: true, cwd: folder, env: { PI_CODING_AGENT_DIR: join(folder, "agent") } };
const times = { cold: { client: [], event: [] }, warm: { client: [], event: [] } };
const pool = createPool({ ...options, size: 2 });
for (let round = -2; round < rounds; round++) {
  await untilWarm();
  for (const [name, get] of [
    ["cold", start],
    ["warm", () => pool.acquire()],
  ]) {
    const began = performance.now();
    const agent = await get();
    const checkedOut = performance.now() - began;
    const first = new Promise((resolve) => agent.onEvent(resolve));
    await agent.prompt("Show me around");
    await first;
    if (round >= 0) {
      times[name].client.push(checkedOut);
      times[name].event.push(performance.now() - began);
    }
    await agent.stop();
  }
}
await pool.close();
for (const [name, { client, event }] of Object.entries(times)) {
  console.log(
    `${name}: agent in hand after ${median(client).toFixed(1)} ms, first event of its first prompt after ${median(event).toFixed(1)} ms`,
  );
}
rmSync(folder, { recursive: true, force: true });

async function start() {
  const agent = new RpcClient(options);
  await agent.start();
  return agent;
}

/** Not only ready, but idle: a fresh agent loads what its first prompt needs. */
async function untilWarm() {
  while (pool.state.warm < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  await new Promise((resolve) => setTimeout(resolve, 300));
}

function writeRecords() {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  const message = { role: "assistant", content: [], api: "a", provider: "p", model: "m", usage, stopReason: "stop", timestamp: 1 };
  const update = (event) => ({ type: "message_update", assistantMessageEvent: event });
  const answer = [
    { type: "message_start", message },
    ...Array.from({ length: deltasPerAnswer }, () => update({ type: "text_delta", contentIndex: 0, delta: " word" })),
    { type: "message_end", message },
  ];
  const opening = update({ type: "text_start", contentIndex: 0 });
  answer.splice(1, 0, opening);
  const all = [
    { type: "agent_start" },
    ...Array.from({ length: answers }, () => answer).flat(),
    { type: "agent_end", messages: [], willRetry: false },
    { type: "agent_settled" },
  ];
  return all.map((record) => `${JSON.stringify(record)}\n`).join("");
}
