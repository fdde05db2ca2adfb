import { describe, expect, test } from "vitest";
import { ModuleLoader } from "../../../../src/extensions/module-loader.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

/** The result of an extension's function, which gets nothing. */
async function run(name: string, source: string): Promise<unknown> {
  const path = await workspace.write(name, source);
  const { factory } = await new ModuleLoader(workspace.agentDir, undefined).load(path);
  return (factory as unknown as () => unknown)();
}

const scopes = ["@mariozechner", "@earendil-works"];

describe.each(scopes)("imports from %s", (scope) => {
  test("lead to modules of ours", async () => {
    const source = `
      import { Type, StringEnum } from "${scope}/pi-ai";
      import { createReadTool, formatSize, isToolCallEventType, type ExtensionAPI } from "${scope}/pi-coding-agent";
      import { Text, visibleWidth } from "${scope}/pi-tui";
      import { uuidv7 } from "${scope}/pi-agent-core";
      export default () => [
        JSON.parse(JSON.stringify(Type.Object({ side: StringEnum(["left", "right"], { description: "Which" }) }))),
        createReadTool("/tmp").name,
        formatSize(2048),
        isToolCallEventType("bash", { toolName: "bash" }),
        new Text("a word", 0, 0).render(6),
        visibleWidth("\\x1b[1mfour\\x1b[0m"),
        uuidv7().length,
      ];`;
    const schema = {
      type: "object",
      required: ["side"],
      properties: { side: { type: "string", enum: ["left", "right"], description: "Which" } },
    };
    expect(await run("names.ts", source)).toEqual([schema, "read", "2.0 KB", true, ["a word"], 4, 36]);
  });

  test("may name a module inside of a package", async () => {
    const source = `
      import { getModel } from "${scope}/pi-ai/compat";
      import { matchesKey } from "${scope}/pi-tui/dist/keys.js";
      export default () => [getModel("anthropic", "claude-opus-4-5")?.provider, matchesKey("\\x03", "ctrl+c")];`;
    expect(await run("inside.ts", source)).toEqual(["anthropic", true]);
  });

  test("of what we do not have fail when it is used, not before, with its name", async () => {
    const source = `
      import { AgentSession, InteractiveMode, main, ToolExecutionComponent } from "${scope}/pi-coding-agent";
      class Mine extends ToolExecutionComponent {}
      const failure = (use) => { try { use(); } catch (error) { return error.message; } };
      export default () => [main, () => new InteractiveMode(), () => AgentSession.create(), () => new Mine()].map((use) => failure(use));`;
    const messages = (await run("absent.ts", source)) as string[];
    const names = ["main", "InteractiveMode", "AgentSession", "ToolExecutionComponent"];
    expect(messages.map((message) => /have (\w+) of pi-coding-agent: /.exec(message)?.[1])).toEqual(names);
  });
});

test("an extension in CommonJS gets the modules with require", async () => {
  await workspace.write("package.json", { type: "commonjs" });
  await workspace.write("part.js", `exports.format = require("@mariozechner/pi-coding-agent").formatSize;`);
  const source = `
    const { Type } = require("@sinclair/typebox");
    const { format } = require("./part.js");
    module.exports = () => [Type.String().type, format(1024)];`;
  expect(await run("common.cjs", source)).toEqual(["string", "1.0 KB"]);
});

test("TypeBox has the names of its version 1, and of version 0", async () => {
  const source = `
    import Type, { Type as Same } from "typebox";
    import { Value } from "typebox/value";
    import { Compile } from "typebox/compile";
    import { TypeCompiler } from "@sinclair/typebox/compiler";
    const schema = Type.Object({ n: Same.Number() });
    export default () => [Value.Check(schema, { n: 1 }), Compile(schema).Check({ n: "1" }), TypeCompiler.Compile(schema).Check({ n: 2 })];`;
  expect(await run("typebox.ts", source)).toEqual([true, false, true]);
});

test("Compile of TypeBox takes plain JSON Schemas, too, as its version 1 does", async () => {
  const source = `
    import { Type } from "typebox";
    import { Compile } from "typebox/compile";
    const schema = Type.Object({ n: Type.Unsafe({ type: "object", properties: { m: { type: "integer", maximum: 2 } } }) });
    const checks = [Compile(schema), Compile({ type: "array", items: { type: "string" } })];
    const values = [{ n: { m: 1 } }, { n: { m: 3 } }, ["a"], "a"];
    export default () => [
      ...checks.map((check) => values.map((value) => check.Check(value))),
      checks[0].Errors(values[1]).map(({ path, message }) => path + " " + message),
      checks[0].Errors("a")[0].path,
    ];`;
  expect(await run("plain.ts", source)).toEqual([
    [true, false, false, false],
    [false, false, true, false],
    ["/n/m must be <= 2"],
    "",
  ]);
});

test("the part value takes plain JSON Schema; its errors are a list, with the place of each", async () => {
  const source = `
    import { Check, Errors, Value } from "typebox/value";
    import { Type } from "typebox";
    const plain = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const made = Type.Object({ n: Type.Number() });
    const first = (schema) => Errors(schema, { n: "x" }).slice(0, 1).map(({ instancePath }) => instancePath);
    export default () => [Check(plain, { n: 1 }), Value.Check(made, {}), first(plain), first(made), Value.Errors(made, {}).First().path];`;
  expect(await run("value.ts", source)).toEqual([true, false, ["/n"], ["/n"], "/n"]);
});

test("a package of its own comes from the extension's node_modules, also beside our modules", async () => {
  await workspace.write("own/node_modules/say/package.json", { name: "say", version: "1.0.0", main: "index.js" });
  await workspace.write("own/node_modules/say/index.js", `module.exports = (word) => word + "!";`);
  const source = `
    import { readFileSync } from "node:fs";
    import say from "say";
    import { formatSize } from "@earendil-works/pi-coding-agent";
    import { word } from "./word.js";
    export default () => [say(word), formatSize(1), readFileSync(new URL("./word.ts", import.meta.url), "utf8").length > 0];`;
  await workspace.write("own/word.ts", `export const word: string = "hi";`);
  expect(await run("own/index.ts", source)).toEqual(["hi!", "1 B", true]);
});

test("a name that nobody has is an error with that name", async () => {
  await expect(run("missing.ts", `import "@mariozechner/pi-nothing"; export default () => 1;`)).rejects.toThrow("pi-nothing");
  await expect(run("part.ts", `import "typebox/nothing"; export default () => 1;`)).rejects.toThrow(
    "has no module typebox/nothing",
  );
});
