import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCli } from "../helpers/cli.ts";
import { type RpcProcess, startRpc } from "../helpers/rpc-process.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
const hello = { text: "Hello." };

async function commandNames(rpc: RpcProcess): Promise<string[]> {
  const { data } = await rpc.request({ type: "get_commands" });
  return ((data?.commands ?? []) as { name: string }[]).map(({ name }) => name);
}

/** An extension in TypeScript with a command for each dialog. */
const dialogs = `
import type { ExtensionApi } from "@pikit/coding-agent";

export default function (pi: ExtensionApi): void {
  pi.registerCommand("ask", {
    description: "Asks everything",
    async handler(args, { ui }) {
      const all = [
        await ui.select("Which?", ["a", "b"]),
        await ui.confirm("Sure?", "Really sure?"),
        await ui.input("Name", "yours"),
        await ui.editor("Text", "begin"),
        // no race: nobody answers it.
        await ui.input("Too late", undefined, { timeoutMs: 20 }),
      ];
      ui.setStatus("ask", "done");
      ui.setWidget("ask", ["one", "two"], "belowEditor");
      ui.setTitle("Title");
      ui.setEditorText("next");
      ui.notify(JSON.stringify(all), "warning");
      ui.setStatus("ask");
    },
  });
}
`;

describe("in RPC mode", () => {
  test("an extension in TypeScript asks the client, and shows it things", async () => {
    const path = await workspace.write("dialogs.ts", dialogs);
    const rpc = startRpc(workspace, ["--model", await workspace.script(hello), "--extension", path]);
    const { data } = await rpc.request({ type: "get_commands" });
    expect(data).toEqual({
      commands: [
        {
          ...{ name: "ask", description: "Asks everything", source: "extension", location: "path", path },
          sourceInfo: { path, source: "cli", scope: "temporary", origin: "top-level" },
        },
      ],
    });
    await rpc.request({ type: "prompt", message: "/ask" });
    const answers = [
      ["select", { value: "b" }],
      ["confirm", { confirmed: true }],
      ["input", { value: "Ann" }],
      ["editor", { cancelled: true }],
    ] as const;
    for (const [method, answer] of answers) {
      const { id } = await rpc.waitFor({ type: "extension_ui_request", method });
      rpc.send({ type: "extension_ui_response", id, ...answer });
    }
    await rpc.waitFor({ type: "agent_settled" });
    const asked = rpc.records
      .filter(({ type }) => type === "extension_ui_request")
      .map(({ type: _type, id: _id, ...rest }) => rest);
    expect(asked).toEqual([
      { method: "select", title: "Which?", options: ["a", "b"] },
      { method: "confirm", title: "Sure?", message: "Really sure?" },
      { method: "input", title: "Name", placeholder: "yours" },
      { method: "editor", title: "Text", prefill: "begin" },
      // no race: nobody answers it.
      { method: "input", title: "Too late", timeout: 20 },
      { method: "setStatus", statusKey: "ask", statusText: "done" },
      { method: "setWidget", widgetKey: "ask", widgetLines: ["one", "two"], widgetPlacement: "belowEditor" },
      { method: "set_editor_text", text: "next" },
      { method: "notify", message: '["b",true,"Ann",null,null]', notifyType: "warning" },
      { method: "setStatus", statusKey: "ask" },
    ]);
    expect(await rpc.end()).toBe(0);
    expect(rpc.stderr).toBe("");
  });

  test("the end of the input resolves open dialogs, and ends the process with 0", async () => {
    const path = await workspace.write("dialogs.ts", dialogs);
    const rpc = startRpc(workspace, ["--model", await workspace.script(hello), "-e", path]);
    await rpc.request({ type: "prompt", message: "/ask" });
    await rpc.waitFor({ type: "extension_ui_request", method: "select" });
    expect(await rpc.end()).toBe(0);
  });

  test("what an extension prints, also while it is loaded, goes to stderr: stdout has records only", async () => {
    const path = await workspace.write(
      "noisy.mjs",
      `console.log("module");
      process.stdout.write("written\\n");
      export default (pi) => {
        console.log("function");
        pi.on("agent_start", () => process.stdout.write("event\\n"));
      };`,
    );
    const args = ["--no-session", "--model", await workspace.script(hello, hello), "-e", path];
    const said = ["module", "written", "function", "event", ""];
    const rpc = startRpc(workspace, args);
    await rpc.promptAndWait("Hi"); // each line is read as JSON
    await rpc.end();
    expect(rpc.stderr.split("\n")).toEqual(said);
    const { stdout, stderr } = await runCli(workspace, ["--mode", "json", ...args, "Hi"]);
    expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({ type: "session" });
    expect(stderr.split("\n")).toEqual(said);
    const quiet = await workspace.write("quiet.mjs", `export default () => console.log("function");`);
    expect(await runCli(workspace, ["-p", ...args.slice(0, -1), quiet, "Hi"])).toEqual({
      ...{ stdout: "Hello.\n", stderr: "function\n", exitCode: 0 },
    });
  });

  test("shutdown settles the run, saves, and exits with 0 while the input is open", async () => {
    const path = await workspace.write(
      "quit.mjs",
      `export default (pi) => {
        pi.on("agent_start", (_event, context) => context.shutdown());
        pi.on("shutdown", () => pi.appendEntry("my.end", true));
      };`,
    );
    const rpc = startRpc(workspace, ["--model", await workspace.script(hello), "-e", path]);
    await rpc.request({ type: "prompt", message: "Hi" });
    expect(await rpc.exited).toBe(0);
    const lines = await workspace.sessionLines();
    expect(rpc.records.slice(-2)).toEqual([{ type: "agent_settled" }, { type: "entry_appended", entry: lines.at(-1) }]);
    expect(lines.flatMap(({ message }) => (message ? [message.role] : []))).toEqual(["user", "assistant"]);
    expect(lines.at(-1)).toMatchObject({ customType: "my.end" });
  });

  test("a session_switch that is refused answers cancelled, for every way to leave a session", async () => {
    const path = await workspace.write(
      "stay.mjs",
      `export default (pi) => { pi.on("session_switch", () => ({ cancel: true })); };`,
    );
    const rpc = startRpc(workspace, ["--model", await workspace.script(hello), "-e", path]);
    await rpc.promptAndWait("Hi");
    const before = (await rpc.request({ type: "get_state" })).data;
    const { data } = await rpc.request({ type: "get_fork_messages" });
    const [message] = (data?.messages ?? []) as { entryId: string }[];
    const entryId = message?.entryId;
    const commands = [
      { type: "new_session" },
      { type: "reset" },
      { type: "switch_session", sessionPath: before?.sessionFile },
      { type: "clone" },
      { type: "fork", entryId },
      { type: "branch", entryId },
    ];
    const answers = [];
    for (const command of commands) answers.push((await rpc.request(command)).data);
    const cancelled = { cancelled: true };
    expect(answers).toEqual([
      cancelled,
      cancelled,
      cancelled,
      cancelled,
      { text: "", cancelled: true },
      { text: "", cancelled: true },
    ]);
    expect((await rpc.request({ type: "get_state" })).data).toEqual(before);
  });

  test("/reload reads the files anew: what is mended works, what is gone is gone", async () => {
    const version = (name: string) =>
      `import { shared } from "./lib/shared.ts";\nexport default (pi) => pi.registerCommand("${name}" + shared, { handler() {} });`;
    await workspace.write("agent/extensions/one.ts", version("first"));
    await workspace.write("agent/extensions/lib/shared.ts", `export const shared: string = "-a";`);
    const rpc = startRpc(workspace, ["--model", await workspace.script(hello)]);
    const names = () => commandNames(rpc);
    expect(await names()).toEqual(["first-a"]);
    await workspace.write("agent/extensions/one.ts", version("second"));
    await workspace.write("agent/extensions/lib/shared.ts", `export const shared: string = "-b";`);
    const broken = await workspace.write("agent/extensions/two.ts", "export default function () {\n  const x = ;\n}\n");
    await rpc.request({ type: "prompt", message: "/reload" });
    const failure = await rpc.waitFor({ type: "extension_error" });
    expect(failure).toEqual({
      type: "extension_error",
      extensionPath: broken,
      event: "load",
      error: "ParseError: Unexpected token (line 2)",
    });
    await rpc.waitFor({ type: "agent_settled" });
    expect(await names()).toEqual(["second-b"]);
  });

  test("/reload finds the first extension of a session that had none", async () => {
    const rpc = startRpc(workspace, ["--model", await workspace.script(hello)]);
    expect((await rpc.request({ type: "get_commands" })).data).toEqual({ commands: [] });
    await workspace.write("agent/extensions/new/index.js", `export default (pi) => pi.registerCommand("fresh", { handler() {} });`);
    await rpc.request({ type: "prompt", message: "/reload" });
    await rpc.waitFor({ type: "agent_settled" });
    expect((await rpc.request({ type: "get_commands" })).data).toMatchObject({
      commands: [{ name: "fresh", location: "user", sourceInfo: { source: "auto", scope: "user" } }],
    });
  });
});

test("in print and JSON mode dialogs have their defaults at once", async () => {
  const path = await workspace.write(
    "gate.ts",
    `import { writeFileSync } from "node:fs";
    export default (pi: any) => {
      pi.on("before_prompt", async (_event: unknown, { ui }: any) => {
        const answers = [await ui.confirm("Sure?", "?"), await ui.select("Which?", ["a"]), await ui.input("Name"), await ui.editor("Text")];
        ui.notify("told");
        writeFileSync("answers.json", JSON.stringify(answers.map(String)));
      });
    };`,
  );
  const model = await workspace.script(hello);
  const args = ["--model", model, "--no-session", "-e", path];
  expect(await runCli(workspace, ["-p", ...args, "Hi"])).toEqual({ stdout: "Hello.\n", stderr: "told\n", exitCode: 0 });
  const { readFile } = await import("node:fs/promises");
  expect(JSON.parse(await readFile(join(workspace.cwd, "answers.json"), "utf8"))).toEqual([
    "false",
    "undefined",
    "undefined",
    "undefined",
  ]);
  const json = await runCli(workspace, ["--mode", "json", ...args, "Hi"]);
  expect(json).toMatchObject({ stderr: "told\n", exitCode: 0 });
});

describe("load errors", () => {
  test.each([
    ["a syntax error", "export default function () {\n  const x = ;\n}\n", "ParseError: Unexpected token (line 2)"],
    ["a throwing module", `const fine: number = 1;\n\nthrow new Error("no");\nexport default () => fine;\n`, "no (line 3)"],
    ["a throwing factory", `export default () => {\n  throw new Error("not today");\n};\n`, "not today (line 2)"],
    ["a missing import", `\nimport { a } from "./nowhere.ts";\nexport default () => a;\n`, /Cannot find module '\.\/nowhere\.ts'/],
    ["no default export", "export const x = 1;\n", "Its default export must be a function that takes the extension API."],
    [
      "a newer API",
      "export const apiVersion = 99;\nexport default () => {};\n",
      /needs version 99 of the extension API, but this is version 1/,
    ],
  ])("%s: one line names file and line, and the agent works without the extension", async (_name, source, expected) => {
    const path = await workspace.write("broken.ts", source);
    const { stdout, stderr, exitCode } = await runCli(workspace, [
      "-p",
      "--no-session",
      "--model",
      await workspace.script(hello),
      "-e",
      path,
      "Hi",
    ]);
    expect({ stdout, exitCode }).toEqual({ stdout: "Hello.\n", exitCode: 0 });
    expect(stderr).toMatch(/^[^\n]+\n$/);
    const [, error = ""] = stderr.trimEnd().split(`The extension ${path} was not loaded: `);
    expect(error).toEqual(typeof expected === "string" ? expected : expect.stringMatching(expected));
  });

  test("an extension that is named and not there is said to be", async () => {
    const { stderr, exitCode } = await runCli(workspace, [
      "-p",
      "--no-session",
      "--model",
      await workspace.script(hello),
      "-e",
      "none.ts",
      "Hi",
    ]);
    expect(stderr).toBe(`The extension ${join(workspace.cwd, "none.ts")} was not loaded: There is no such file or folder.\n`);
    expect(exitCode).toBe(0);
  });
});

test("packages and folders are extensions too; --no-extensions leaves only those that are named", async () => {
  const command = (name: string) => `export default (pi) => pi.registerCommand("${name}", { handler() {} });`;
  await workspace.write("agent/extensions/b.js", command("b"));
  await workspace.write("agent/extensions/a/index.ts", command("a"));
  await workspace.write("agent/extensions/pack/package.json", { pi: { extensions: ["src/x.ts"] } });
  await workspace.write("agent/extensions/pack/src/x.ts", command("x"));
  await workspace.write("agent/extensions/types.d.ts", "export {};");
  await workspace.write("agent/node_modules/installed/index.js", command("installed"));
  await workspace.write("agent/settings.json", { extensions: ["installed"] });
  const named = await workspace.write("named.ts", command("named"));
  const model = await workspace.script(hello);
  const namesWith = (...args: string[]) => {
    const rpc = startRpc(workspace, ["--model", model, ...args]);
    return commandNames(rpc);
  };
  expect(await namesWith("-e", named)).toEqual(["a", "b", "x", "installed", "named"]);
  expect(await namesWith("--no-extensions", "-e", named)).toEqual(["named"]);
});
