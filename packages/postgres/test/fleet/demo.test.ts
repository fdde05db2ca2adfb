import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { importOptions } from "@pikit/test-kit";
import { expect, inject, test } from "vitest";

const program = fileURLToPath(new URL("../../demo/run.ts", import.meta.url));
const isLong = process.env.PIKIT_LONG === "1";

/**
 * The full form is what `npm run demo:fleet` does. The lease is longer than any pause of a worker on a busy machine, so that only the stopped one
 * loses its sessions.
 */
const args = isLong ? [] : ["--sessions", "40", "--kills", "2", "--stop-seconds", "12", "--lease-seconds", "10"];

test("a fleet with killed workers, a stopped one and a restarted database loses nothing, and does nothing twice", async () => {
  const env = { ...process.env, PIKIT_TEST_POSTGRES: process.env.PIKIT_TEST_POSTGRES ?? "" };
  const demo = spawn(process.execPath, [...importOptions, program, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  const [output, [code]] = await Promise.all([text(demo.stdout), once(demo, "exit")]);
  const lines = output.trimEnd().split("\n");
  const isEnd = isLong
    ? /^1000 sessions, \d{4} prompts, 8 kills, 0 lost, 0 twice$/
    : /^40 sessions, \d+ prompts, 2 kills, 0 lost, 0 twice$/;
  expect(lines.at(-1), output).toMatch(isEnd);
  expect(code, output).toBe(0);
  const count = (word: string) => lines.filter((line) => line.includes(word)).length;
  expect([count(" is killed"), count(" is stopped"), count(" continues.")]).toEqual([isLong ? 8 : 2, 1, 1]);
  // A server of somebody else is not restarted.
  expect(count("the database is back")).toBe(inject("postgresUrl") === process.env.PIKIT_TEST_POSTGRES ? 0 : 1);
});
