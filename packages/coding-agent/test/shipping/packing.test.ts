import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { anthropic, openai, startProviderServer } from "@pikit/test-kit";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { makePng } from "../tools/images/make-images.ts";
import { cleanEnvironment, type Finished, root, run, tool } from "./helpers.ts";
import { commandName, furtherNames, installedOnlyWith, installPacked, packageNames } from "./packed-install.ts";

/** Where the packages are installed. */
let folder = "";
/** The bytes on disk of the four packages that everybody installs: ours, and all. */
let sizes = { own: 0, all: 0 };
beforeAll(async () => {
  folder = await installPacked();
  const modules = join(folder, "node_modules");
  const others = [...furtherNames.map((name) => `@pikit/${name}`), commandName, ...installedOnlyWith(furtherNames, packageNames)];
  const rest = sum(others.map((name) => sizeOf(join(modules, name))));
  const own = sum(packageNames.map((name) => sizeOf(join(modules, "@pikit", name))));
  sizes = { own, all: sizeOf(modules) - rest };
  await writeFile(join(folder, "README.md"), "# Lighthouse\n\nA lamp for ships.\n");
}, 120_000);
afterAll(() => folder && rm(folder, { recursive: true, force: true }));

/** Every file under a folder, as paths relative to it. */
function filesOf(parent: string): string[] {
  return readdirSync(parent, { recursive: true, encoding: "utf8" }).filter((path) => !lstatSync(join(parent, path)).isDirectory());
}

/** Blocks, as `du` counts them: many small files take more than their bytes. */
function sizeOf(parent: string): number {
  const paths = ["", ...readdirSync(parent, { recursive: true, encoding: "utf8" })];
  return sum(paths.map((path) => lstatSync(join(parent, path)).blocks * 512));
}

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

/** The budget is 25 MB; what ours take is held closer, so that growth is noticed while there is room. */
test("the install takes less than 25 MB on disk, of which ours 9", () => {
  expect(sizes.own).toBeLessThan(9e6);
  expect(sizes.all).toBeLessThan(25e6);
});

describe.each([...packageNames, ...furtherNames])("@pikit/%s as it is published", (name) => {
  const installed = (): string => join(folder, "node_modules/@pikit", name);

  test("holds what was built, licences and no source", () => {
    const files = filesOf(installed());
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "package.json", "dist/index.js", "dist/index.d.ts"]));
    expect(files).toContain("dist/THIRD-PARTY-NOTICES.txt");
    expect(
      files.filter(
        (file) =>
          !/^(LICENSE|README\.md|CHANGELOG\.md|package\.json|dist\/sbom\.cdx\.json|dist\/.*\.(js|d\.ts|txt|schema\.json)|dist\/vendor\/streamparser-json\.cjs|dist\/page\/(index\.html|page\.css|page\.js\.gz))$/.test(
            file,
          ),
      ),
    ).toEqual([]);
  });

  test("exports only files that it holds, without the condition that tests use", () => {
    const manifest = JSON.parse(readFileSync(join(installed(), "package.json"), "utf8"));
    expect(JSON.stringify(manifest.exports)).not.toContain("pikit-source");
    const targets = JSON.stringify(manifest.exports).match(/(?<=:)"\.\/[^"*]+\.\w+"/g) ?? [];
    const files = new Set(filesOf(installed()).map((file) => `./${file}`));
    expect(targets.filter((target) => !files.has(JSON.parse(target)))).toEqual([]);
    expect(JSON.stringify(manifest.dependencies ?? {})).not.toContain("workspace:");
  });

  test("has a bill of materials, which names the code of others that its notices name", async () => {
    const bill = readFileSync(join(installed(), "dist/sbom.cdx.json"), "utf8");
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(bill)).toBeNull();
    const { components = [] } = JSON.parse(bill) as { components?: { group?: string; name: string; version: string }[] };
    const named = components.map(({ group, name, version }) => `${group === undefined ? "" : `${group}/`}${name} ${version}`);
    const notices = readFileSync(join(installed(), "dist/THIRD-PARTY-NOTICES.txt"), "utf8");
    expect(named.sort()).toEqual([...notices.matchAll(/^-{80}\n(\S+ \S+) \(/gm)].map(([, title]) => title).sort());
  });

  test("passes publint", async () => {
    const { code, stdout, stderr } = await run(tool("publint"), ["run", installed(), "--pack", "false", "--strict"], {
      cwd: folder,
    });
    expect({ code, output: stdout + stderr }).toMatchObject({ code: 0 });
  });

  test("has types at all its entry points, for Node and for bundlers, that are those of its code", async () => {
    const { version } = JSON.parse(readFileSync(join(installed(), "package.json"), "utf8"));
    const tarball = join(folder, `tarballs/pikit-${name}-${version}.tgz`);
    const options = ["--profile", "esm-only", "--no-definitely-typed", "--no-color", "--no-emoji"];
    const { code, stdout, stderr } = await run(tool("attw"), [tarball, ...options], { cwd: folder });
    expect({ code, output: stdout + stderr }).toMatchObject({ code: 0 });
  });
});

test("coding-agent holds the page of pi serve", () => {
  const files = filesOf(join(folder, "node_modules/@pikit/coding-agent")).filter((file) => file.startsWith("dist/page/"));
  expect(files.sort()).toEqual(["dist/page/index.html", "dist/page/page.css", "dist/page/page.js.gz"]);
});

test("rpc-client stands alone: no dependency, and its declarations import nothing", () => {
  const installed = join(folder, "node_modules/@pikit/rpc-client");
  const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  expect(dependencies).toBeUndefined();
  const files = filesOf(join(installed, "dist")).filter((path) => /\.(js|d\.ts)$/.test(path));
  expect(files).toContain("index.js");
  for (const file of files) {
    const text = readFileSync(join(installed, "dist", file), "utf8");
    const imported = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?["']([^"']+)["']/g)].map(([, specifier]) => specifier);
    const foreign = imported.filter((specifier) => !/^(node:|\.)/.test(specifier ?? "") && !isBuiltin(specifier ?? ""));
    expect({ file, foreign }).toEqual({ file, foreign: [] });
  }
});

test("pikit is pi under another name", async () => {
  const pikit = await run(join(folder, "node_modules/.bin/pikit"), ["--model", "demo/tour", "-p", "Hello"], {
    cwd: folder,
    env: cleanEnvironment(folder),
  });
  expect(pikit).toMatchObject({ code: 0, stderr: "" });
  expect(pikit.stdout).toContain("README.md");
  expect(filesOf(join(folder, "node_modules/pikit")).sort()).toEqual(["LICENSE", "README.md", "bin/pikit.js", "package.json"]);
});

/** How a compiler is run for a project. */
type Compile = (project: string) => readonly string[];

/** Compilers before 7, which is ten times as fast, check what is installed, and not the declarations of Node and Zod. */
const before7 =
  (name: string): Compile =>
  (project) => {
    const library = join(root, "tools/compilers/node_modules", name, "lib/typescript.js");
    return [join(import.meta.dirname, "check-declarations.mjs"), library, project, folder];
  };

/** The oldest TypeScript that reads the declarations, the last one with the old compiler, and ours. */
const compilers: Readonly<Record<string, readonly [moduleResolution: string, compile: Compile]>> = {
  "5.2": ["nodenext", before7("typescript-5.2")],
  "6.0": ["bundler", before7("typescript-6")],
  "7.0": ["nodenext", (project) => [join(root, "node_modules/typescript/bin/tsc"), "-p", project]],
};

test.each(Object.entries(compilers))(
  "a program compiles with TypeScript %s against all entry points, declarations checked",
  async (version, [moduleResolution, compile]) => {
    const program = `
    import { stream } from "@pikit/ai";
    import { PartialArguments } from "@pikit/ai/partial-arguments";
    import { Agent } from "@pikit/agent";
    import { type AgentSession, createAgentSession, defineTool, type ExtensionApi, Type } from "@pikit/coding-agent";
    import { commands } from "@pikit/coding-agent/protocol";
    import { sessionStoreTests } from "@pikit/coding-agent/session-store-tests";
    import { instrumentSession } from "@pikit/otel";
    import { startTelemetry } from "@pikit/otel/pi";
    import { PostgresSessionStore } from "@pikit/postgres";
    import { createWorker } from "@pikit/postgres/work";
    import { type ClientTool, RpcClient } from "@pikit/rpc-client";
    import { z } from "zod";

    const content = (text: string) => ({ content: [{ type: "text" as const, text }], details: null });
    const fields = { name: "weather", description: "Tells the weather." };
    const city = z.object({ city: z.string(), days: z.number().default(3) });
    const plain = { type: "object", properties: { city: { type: "string" } } };
    const tools = [
      defineTool({ ...fields, parameters: Type.Object({ city: Type.String() }), execute: async (_id, { city }) => content(city) }),
      defineTool({ ...fields, parameters: city, execute: async (_id, { city, days }) => content(city.repeat(days)) }),
      defineTool<{ city: string }>({ ...fields, parameters: plain, execute: async (_id, { city }) => content(city) }),
      // @ts-expect-error: the schema says that it is a text
      defineTool({ ...fields, parameters: city, execute: async (_id, { city }) => content(city * 2) }),
      // @ts-expect-error: the schema has no town
      defineTool({ ...fields, parameters: Type.Object({ city: Type.String() }), execute: async (_id, { town }) => content(town) }),
    ];
    export const open = (): Promise<AgentSession> => createAgentSession({ model: "demo/tour", customTools: tools });
    export default (pi: ExtensionApi) => {
      pi.registerTool({ ...fields, parameters: city, execute: async (_id, { city }, _signal, _update, { cwd }) => content(city + cwd) });
    };
    export const clientTool: ClientTool<z.infer<typeof city>> = { ...fields, parameters: city, execute: ({ city }) => city };
    export const read = async (client: RpcClient) => { for await (const { type } of client.events()) return type; };
    export const used = [stream, PartialArguments, Agent, commands, sessionStoreTests, PostgresSessionStore, createWorker, startTelemetry];
    export const trace = async () => instrumentSession(await open());`;
    const compilerOptions = {
      module: moduleResolution === "bundler" ? "esnext" : moduleResolution,
      moduleResolution,
      target: "es2022",
      lib: ["es2022"],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      typeRoots: [join(root, "node_modules/@types")],
      types: ["node"],
      paths: { zod: [join(root, "packages/coding-agent/node_modules/zod/index.d.ts")] },
    };
    const project = join(folder, `typed-${version}`);
    await mkdir(project);
    await writeFile(join(project, "package.json"), '{ "type": "module" }');
    await writeFile(join(project, "program.ts"), program);
    // Zod's own declarations use a type that came with 5.4.
    if (version === "5.2") await writeFile(join(project, "for-zod.d.ts"), "type NoInfer<T> = T;");
    await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const finished = await run(process.execPath, compile(project), { cwd: folder });
    expect(finished).toEqual({ code: 0, stdout: "", stderr: "" });
  },
);

/** Runs the installed `pi` the way npm links it. */
function pi(args: readonly string[], input?: string): Promise<Finished> {
  const options = { cwd: folder, env: cleanEnvironment(folder), ...(input === undefined ? {} : { input }) };
  return run(join(folder, "node_modules/.bin/pi"), args, options);
}

/** Runs a program in the folder of the install. */
async function runProgram(source: string): Promise<Finished> {
  await writeFile(join(folder, "program.js"), source);
  return run(process.execPath, ["program.js"], { cwd: folder, env: cleanEnvironment(folder) });
}

const parseLines = (text: string): { type: string }[] =>
  text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));

describe("the installed pi", () => {
  test("prints a bare semantic version", async () => {
    expect(await pi(["--version"])).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: "" });
  });

  test("answers a prompt in print mode with the offline demo, which read the folder", async () => {
    const finished = await pi(["-p", "--model", "demo/tour", "--no-session", "Give me a tour of this folder."]);
    expect(finished).toEqual({ code: 0, stdout: expect.stringContaining("Lighthouse"), stderr: "" });
  });

  test("answers a prompt in print mode with a scripted model", async () => {
    await writeFile(join(folder, "script.jsonl"), `${JSON.stringify({ text: "Two lamps." })}\n`);
    const finished = await pi(["-p", "--model", "script/script.jsonl", "--no-session", "How many?"]);
    expect(finished).toEqual({ code: 0, stdout: "Two lamps.\n", stderr: "" });
  });

  test("answers a prompt in json mode with one event a line", async () => {
    const { code, stdout, stderr } = await pi(["--mode", "json", "--model", "demo/tour", "--no-session", "Give me a tour."]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const events = parseLines(stdout).map(({ type }) => type);
    expect(events.slice(0, 2)).toEqual(["session", "agent_start"]);
    expect(events).toContain("tool_execution_end");
    expect(events.slice(-2)).toEqual(["agent_end", "agent_settled"]);
  });

  test("answers a prompt in rpc mode, and ends when its input does", async () => {
    await writeFile(join(folder, "script.jsonl"), `${JSON.stringify({ text: "Two lamps." })}\n`);
    const client = `
      import { spawn } from "node:child_process";
      import { once } from "node:events";
      import { createInterface } from "node:readline";
      const args = ["--mode", "rpc", "--model", "script/script.jsonl", "--no-session"];
      const child = spawn("node_modules/.bin/pi", args, { stdio: ["pipe", "pipe", "inherit"] });
      child.stdin.write(JSON.stringify({ id: "p", type: "prompt", message: "How many?" }) + "\\n");
      for await (const line of createInterface({ input: child.stdout })) {
        const record = JSON.parse(line);
        if (record.type === "response") console.log(record.command, record.id, record.success);
        if (record.type === "message_end") console.log(record.message.role);
        if (record.type === "agent_settled") child.stdin.end();
      }
      console.log("exit", child.exitCode ?? (await once(child, "exit"))[0]);`;
    const { code, stdout, stderr } = await runProgram(client);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trimEnd().split("\n")).toEqual(["prompt p true", "user", "assistant", "exit 0"]);
  });
});

describe("the installed files of other people's code", () => {
  test.each([
    ["anthropic-messages", anthropic, ""],
    ["openai-completions", openai, "/v1"],
  ] as const)("%s answers through its SDK, in the command and in process", async (api, wire, path) => {
    const server = await startProviderServer();
    onTestFinished(() => server.close());
    server.respond(wire.text("From the command."), wire.text("From the library."));
    const providers = { local: { baseUrl: `${server.url}${path}`, api, apiKey: "sk-test", models: [{ id: "m" }] } };
    await mkdir(join(folder, "agent"), { recursive: true });
    await writeFile(join(folder, "agent/models.json"), JSON.stringify({ providers }));
    onTestFinished(() => rm(join(folder, "agent"), { recursive: true }));
    const stderr = "";
    expect(await pi(["-p", "--model", "local/m", "--no-session", "Go."])).toEqual({
      code: 0,
      stdout: "From the command.\n",
      stderr,
    });
    const finished = await runProgram(`
      import { createAgentSession } from "@pikit/coding-agent";
      const session = await createAgentSession({ model: "local/m", session: "memory" });
      await session.prompt("Go.");
      console.log(session.lastAssistantText());
      await session.dispose();`);
    expect(finished).toEqual({ code: 0, stdout: "From the library.\n", stderr });
  });

  test.each(packageNames)("the ones that @pikit/%s names are there, and each can be loaded", async (name) => {
    const texts = filesOf(join(folder, "node_modules/@pikit", name))
      .filter((file) => file.endsWith(".js"))
      .map((file) => readFileSync(join(folder, "node_modules/@pikit", name, file), "utf8"));
    const vendored = new Set(texts.flatMap((text) => text.match(/(?<=")#vendor\/[\w-]+(?=")/g) ?? []));
    expect(vendored.size > 0).toBe(name !== "rpc-client");
    const program = `await Promise.all(${JSON.stringify([...vendored])}.map((name) => import(name)));`;
    // Only a file of the package itself may import these.
    const file = join(folder, "node_modules/@pikit", name, "load.js");
    await writeFile(file, program);
    onTestFinished(() => rm(file));
    expect(await run(process.execPath, [file], { cwd: folder })).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

test("the installed RpcClient finds the installed pi, prompts it and stops it", async () => {
  const finished = await runProgram(`
    import { RpcClient } from "@pikit/rpc-client";
    const client = new RpcClient({ args: ["--model", "demo/tour", "--no-session"] });
    await client.start();
    const types = [];
    client.onEvent((event) => types.push(event.type));
    await client.promptAndWait("Give me a tour of this folder.");
    const { model, isStreaming } = await client.getState();
    await client.stop();
    console.log(model.provider, model.id, isStreaming, types[0], types.at(-1));`);
  expect(finished).toEqual({ code: 0, stdout: "demo tour false agent_start agent_settled\n", stderr: "" });
});

test("the contract of session stores is installed as tests", async () => {
  const finished = await runProgram(`
    import { MemorySessionStore } from "@pikit/coding-agent";
    import { sessionStoreTests } from "@pikit/coding-agent/session-store-tests";
    for (const { run } of sessionStoreTests(() => new MemorySessionStore())) await run();
    console.log("kept");`);
  expect(finished).toEqual({ code: 0, stdout: "kept\n", stderr: "" });
});

test("a program drives the installed AgentSession in process", async () => {
  const finished = await runProgram(`
    import { createAgentSession } from "@pikit/coding-agent";
    const session = await createAgentSession({ model: "demo/tour", session: "memory" });
    const types = [];
    session.subscribe((event) => void types.push(event.type));
    await session.prompt("Give me a tour of this folder.");
    console.log(types[0], types.at(-1), session.lastAssistantText().includes("Lighthouse"));
    await session.dispose();`);
  expect(finished).toEqual({ code: 0, stdout: "agent_start agent_settled true\n", stderr: "" });
});

test.each(["node_modules/.bin/pi", "program.js"])(
  "%s of the install scales an image down, in a thread of its own",
  async (program) => {
    await writeFile(join(folder, "wide.png"), makePng(3136, 20));
    const script = [{ toolCalls: [{ name: "read", arguments: { path: "wide.png" } }] }, { text: "Done." }];
    await writeFile(join(folder, "script.jsonl"), script.map((answer) => `${JSON.stringify(answer)}\n`).join(""));
    const args = ["--mode", "json", "--model", "script/script.jsonl", "--no-session", "Look."];
    const source = `
    import { createAgentSession } from "@pikit/coding-agent";
    const session = await createAgentSession({ model: "script/script.jsonl", session: "memory" });
    session.subscribe((event) => console.log(JSON.stringify(event)));
    await session.prompt("Look.");
    await session.dispose();`;
    const { code, stdout, stderr } = await (program === "program.js" ? runProgram(source) : pi(args));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(parseLines(stdout).find(({ type }) => type === "tool_execution_end")).toMatchObject({
      result: {
        content: [{ text: expect.stringContaining("scaled down to 1568×10") }, { type: "image", mimeType: "image/png" }],
        details: { shownImageSize: { width: 1568, height: 10 } },
      },
    });
  },
);

test.each(["node_modules/.bin/pi", "program.js"])(
  "%s of the install loads an extension in TypeScript, whose errors and apis are those of the agent",
  async (program) => {
    await writeFile(
      join(folder, "extension.ts"),
      `import { ToolError } from "@pikit/agent";
      import { registerApi } from "@pikit/ai";
      import { type ExtensionApi, SessionError } from "@pikit/coding-agent";
      import { Type } from "@sinclair/typebox";

      export default async function (pi: ExtensionApi): Promise<void> {
        registerApi("echo", async () => async ({ context }, answer) => {
          const [result] = context.messages.filter(({ role }) => role === "toolResult");
          if (result) answer.openText().append(JSON.stringify(result.details) + " " + typeof SessionError);
          else answer.openToolCall({ id: "1", name: "fail" }).append("{}");
          answer.done(result ? "stop" : "toolUse");
        });
        await pi.registerProvider("house", { api: "echo", models: [{ id: "butler" }] });
        pi.registerTool({
          name: "fail",
          description: "Fails.",
          parameters: Type.Object({}),
          async execute() {
            throw new ToolError("off", "It is off.", { details: { code: 7 } });
          },
        });
      }`,
    );
    const source = `
      import { createAgentSession } from "@pikit/coding-agent";
      const session = await createAgentSession({ model: "house/butler", session: "memory", extensions: ["extension.ts"] });
      await session.prompt("Go");
      console.log(session.lastAssistantText());
      await session.dispose();`;
    const args = ["-p", "--no-session", "--model", "house/butler", "-e", "extension.ts", "Go"];
    const finished = await (program === "program.js" ? runProgram(source) : pi(args));
    expect(finished).toEqual({ code: 0, stdout: '{"code":7} function\n', stderr: "" });
  },
);
