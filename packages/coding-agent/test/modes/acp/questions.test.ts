import { expect, test } from "vitest";
import { useWorkspace } from "../../helpers/workspace.ts";
import { startEditor } from "./editor.ts";

const workspace = useWorkspace();

const asking = `export default function (pi) {
  pi.registerCommand("ask", {
    handler: async (_args, { ui }) => {
      const answers = [await ui.confirm("Sure?", "It is late."), await ui.select("Which?", ["a", "b"]), await ui.input("Name?", "Ada")];
      ui.notify(JSON.stringify(answers), "warning");
    },
  });
}`;

test("trust in a folder and questions of extensions are forms, where the editor has them", async () => {
  await workspace.write("work/.pi/prompts/local.md", "Local.");
  await workspace.write("agent/extensions/asking.js", asking);
  const asked: string[] = [];
  const editor = await startEditor(workspace, ["--model", "demo/tour"], {
    capabilities: { elicitation: { form: {} }, session: { notices: {} } },
    answers: {
      "elicitation/create": ({ message, requestedSchema }) => {
        asked.push(String(message));
        const { type } = (requestedSchema as { properties: { answer: { type: string } } }).properties.answer;
        return { action: "accept", content: { answer: type === "boolean" ? true : "b" } };
      },
    },
  });
  const sessionId = await editor.begin(workspace.cwd);
  await editor.prompt(sessionId, "/ask");
  expect(asked).toEqual([expect.stringContaining("Trust this folder?"), "Sure?\n\nIt is late.", "Which?", "Name?"]);
  expect(editor.updates("notice").at(-1)).toMatchObject({ severity: "warning", title: '[true,"b","b"]' });
  expect(
    editor
      .updates("available_commands_update")
      .at(-1)
      ?.availableCommands.map(({ name }) => name),
  ).toContain("local");
});

test("without forms, choices are permission requests, and a text has no answer", async () => {
  await workspace.write("agent/extensions/asking.js", asking);
  const editor = await startEditor(workspace, ["--model", "demo/tour"], {
    capabilities: { session: { notices: {} } },
    onPermission: ({ options }) => options.at(-1)?.optionId ?? "",
  });
  const sessionId = await editor.begin(workspace.cwd);
  await editor.prompt(sessionId, "/ask");
  expect(editor.permissions.map(({ options }) => options.map(({ name }) => name))).toEqual([
    ["Yes", "No"],
    ["a", "b"],
  ]);
  expect(editor.updates("notice").at(-1)).toMatchObject({ title: '[false,"b",null]' });
});
