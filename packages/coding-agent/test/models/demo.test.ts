import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSession, outline } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

async function tour(options: Parameters<typeof openSession>[1] = {}) {
  const { session, events } = await openSession(workspace, { model: "demo/tour", session: "memory", ...options });
  await session.prompt("Show me around");
  const tools = outline(events).filter((line) => line.startsWith("tool_execution_end"));
  return { text: session.lastAssistantText() ?? "", tools, session };
}

describe("demo/tour", () => {
  test("lists the folder and reads the README with the real tools, and says what it is and how to go on", async () => {
    await workspace.write("work/README.md", "# Frobnicator\n\nFrobnicates everything you give it.\n");
    await workspace.write("work/src/main.ts", "");
    const { text, tools } = await tour();
    expect(tools).toEqual(["tool_execution_end bash", "tool_execution_end read"]);
    expect(text).toContain("1 folder (src/) and 1 file (README.md).");
    expect(text).toContain('README.md is titled "Frobnicator" and begins: Frobnicates everything you give it.');
    expect(text).toMatch(/no model is asked/);
    expect(text).toMatch(/ANTHROPIC_API_KEY or OPENAI_API_KEY/);
  });

  test("takes package.json where there is no README", async () => {
    await workspace.write("work/package.json", { name: "frob", description: "A frobnicator." });
    expect((await tour()).text).toContain("package.json names the project frob: A frobnicator.");
  });

  test("a second prompt gets a tour of its own", async () => {
    const { session } = await tour();
    await workspace.write("work/new.txt", "x");
    await session.prompt("Again");
    expect(session.lastAssistantText()).toContain("1 file (new.txt)");
  });

  test("is honest on an empty folder", async () => {
    const { text, tools } = await tour();
    expect(tools).toEqual(["tool_execution_end bash"]);
    expect(text).toContain("The folder is empty.");
  });

  test("counts a folder of thousands of files, of which bash shows the end", async () => {
    const { session } = await openSession(workspace, { model: "demo/tour", session: "memory" });
    await session.shell.run("touch $(seq -f 'file%04g' 2500)", { excludeFromContext: true });
    await session.prompt("Show me around");
    const text = session.lastAssistantText() ?? "";
    expect(text).toContain("2500");
    expect(text).not.toMatch(/Showing|2001/);
  });

  test("is honest when its tools fail", async () => {
    const failing = await tour({ cwd: join(workspace.root, "gone") });
    expect(failing.tools).toEqual(["tool_execution_end bash (error)"]);
    expect(failing.text).toMatch(/- Listing the folder failed: .*gone/);
    await workspace.write("work/README.md", "# Out of reach");
    const { text } = await tour({ customTools: [failingRead] });
    expect(text).toContain("- Reading README.md failed: The disk is on fire.");
  });

  test("without tools it says so", async () => {
    expect((await tour({ tools: [] })).text).toContain("It has no tools here");
    const { text, tools } = await tour({ tools: ["bash"] });
    expect(tools).toEqual(["tool_execution_end bash"]);
    expect(text).toContain("What the tools found:");
  });
});

const failingRead = {
  name: "read",
  label: "Read",
  description: "Fails.",
  parameters: { type: "object", properties: {} } as never,
  async execute(): Promise<never> {
    throw new Error("The disk is on fire.");
  },
};
