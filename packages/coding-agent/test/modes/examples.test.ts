import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { cleanEnvironment, cliArguments, spawnCli } from "../helpers/cli.ts";
import { isInstalled } from "../helpers/terminal.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

const example = (name: string) => fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));
/** What the examples start in the place of `pi`. */
const pi = [process.execPath, ...cliArguments].join(" ");

async function run(
  program: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<{ stdout: string; stderr: string; exitCode: unknown }> {
  const env = cleanEnvironment(workspace, { PI: pi, PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: "1", ...more });
  const child = spawn(program, args, { cwd: workspace.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  const exitCode = await new Promise((resolve) => child.on("close", resolve));
  return { ...texts, exitCode };
}

const call = (name: string, args: Record<string, unknown> = {}) => ({ toolCalls: [{ name, arguments: args }] });
const failure = { error: { status: 400, message: "no such thing" } };

describe.skipIf(!isInstalled("python3"))("examples/rpc-python", () => {
  const start = async (...answers: Parameters<typeof workspace.script>) =>
    run("python3", [example("rpc-python/main.py"), "--model", await workspace.script(...answers), "What is in stock?"]);

  test("runs its host tool for the model, with updates and errors, and shows the answers", async () => {
    const { stdout, stderr, exitCode } = await start(
      { text: "I look.", ...call("stock", { item: "apples" }) },
      call("stock", { item: "plums" }),
      { text: "Twelve\u2028apples, no plums." },
    );
    expect(stdout.split("\n")).toEqual([
      ...["I look.", "[stock: looking for apples]", "[stock: 12 apples]", "", "[stock: looking for plums]"],
      ...[expect.stringContaining("there are no plums in this shop"), "Twelve\u2028apples, no plums.", ""],
    ]);
    expect({ stderr, exitCode }).toEqual({ stderr: "(0.0000 USD)\n", exitCode: 0 });
  });

  test("is asked by pi, and its no keeps a command from running", async () => {
    await workspace.write("work/kept/notes.txt", "kept");
    const { stdout, stderr, exitCode } = await start(call("bash", { command: "rm -rf kept" }), { text: "Then not." });
    expect(stderr).toMatch(/^\[confirm\] .+\n/);
    expect(stdout).toContain("declined");
    expect(exitCode).toBe(0);
    expect(await readFile(`${workspace.cwd}/kept/notes.txt`, "utf8")).toBe("kept");
  });

  test("tells of a failed answer, and of a pi that does not start", async () => {
    expect(await start(failure)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("no such thing") });
    const refused = await run("python3", [example("rpc-python/main.py"), "--model", "demo/nothing", "Hi"]);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("pi ended before it answered set_host_tools.") });
  });
});

describe.skipIf(!isInstalled("python3"))("examples/serve-python", () => {
  test("begins a session, asks, shows the text, and continues the session by its id", async () => {
    const server = spawnCli(workspace, ["serve", "--port", "0", "--json"]);
    const [line] = await once(server.stdout, "data");
    const { url, tokenFile } = JSON.parse(String(line)) as { url: string; tokenFile: string };
    const PI_MODEL = await workspace.script(
      { text: "I look.", ...call("bash", { command: "echo found" }) },
      { text: "Häuser\u2028here." },
      failure,
    );
    const env = { PI_TOKEN_FILE: tokenFile, PI_MODEL };
    const first = await run("python3", [example("serve-python/main.py"), url, "Look"], env);
    expect(first).toMatchObject({ stdout: "I look.\n[bash]\nHäuser\u2028here.\n", exitCode: 0 });
    const id = /^session (\S+)\n$/.exec(first.stderr)?.[1] ?? "";
    const second = await run("python3", [example("serve-python/main.py"), url, "Again"], { ...env, PI_SESSION: id });
    expect(second).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("no such thing") });
    const lines = await workspace.sessionLines();
    expect(lines.flatMap(({ message }) => (message?.role === "user" ? [JSON.stringify(message.content)] : []))).toHaveLength(2);
    await workspace.write("wrong", "wrong");
    const refused = await run("python3", [example("serve-python/main.py"), url, "Hi"], {
      PI_TOKEN_FILE: `${workspace.root}/wrong`,
    });
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("unauthorized") });
    server.kill("SIGTERM");
    expect(await once(server, "exit")).toEqual([0, null]);
  });
});

describe("examples/rpc-node", () => {
  const start = async (...answers: Parameters<typeof workspace.script>) =>
    run(process.execPath, [example("rpc-node/main.ts"), "--model", await workspace.script(...answers), "What time is it?"]);

  test("runs its host tool and shows the answers", async () => {
    const result = await start(call("clock"), { text: "It is\u2028late." });
    expect(result).toEqual({ stdout: "\nIt is\u2028late.\n", stderr: "", exitCode: 0 });
  });

  test("tells of a failed answer, of a refused prompt, and of a pi that does not start", async () => {
    expect(await start(failure)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("no such thing") });
    const empty = await run(process.execPath, [example("rpc-node/main.ts"), "--model", "demo/tour", ""]);
    expect(empty).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("empty") });
    const missing = await run(process.execPath, [example("rpc-node/main.ts"), "--model", "demo/nothing", "Hi"]);
    expect(missing).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("demo/nothing") });
  });
});

describe.skipIf(!isInstalled("jq") || !isInstalled("git"))("examples/shell-pipeline", () => {
  test("hands the staged change to the model, and shows answers, calls and the cost", async () => {
    await workspace.write("work/notes.txt", "one\n");
    for (const args of [
      ["init", "-q"],
      ["add", "notes.txt"],
    ])
      await run("git", args);
    const script = await workspace.script({ text: "I look.", ...call("read", { path: "notes.txt" }) }, { text: "It is good." });
    const { stdout, stderr, exitCode } = await run("sh", [example("shell-pipeline/review.sh"), "--model", script]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toBe('I look.\n[read {"path":"notes.txt"}]\nIt is good.\n(0 USD)\n');
    const first = (await workspace.sessionLines()).find(({ message }) => message?.role === "user");
    expect(JSON.stringify(first?.message?.content)).toMatch(/\+one.*Review this change/);
  });
});
