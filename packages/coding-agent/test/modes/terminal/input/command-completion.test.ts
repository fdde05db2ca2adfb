import { expect, onTestFinished, test } from "vitest";
import type { TerminalCommand } from "../../../../src/modes/terminal/commands/command.ts";
import { listCompletedCommands } from "../../../../src/modes/terminal/input/command-completion.ts";
import { Completion } from "../../../../src/modes/terminal/input/completion.ts";
import { createAgentSession } from "../../../../src/session/assemble/create.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

const item = (value: string) => ({ value, label: value });
const commands: TerminalCommand[] = [
  { name: "model", description: "choose the model", complete: async () => [item("claude"), item("gpt")], run: () => undefined },
  { name: "new", description: "a new session", run: () => undefined },
];

test("the commands of the terminal come first, then the templates and skills of the session, with their descriptions", async () => {
  await workspace.write("agent/prompts/review.md", "---\ndescription: Review a file\n---\nReview $1");
  await workspace.write("agent/prompts/new.md", "Of the same name");
  await workspace.write("agent/skills/tests/SKILL.md", "---\nname: tests\ndescription: Write tests\n---\nText");
  const { cwd, agentDir } = workspace;
  const session = await createAgentSession({ cwd, agentDir, session: "memory" });
  onTestFinished(() => session.dispose());
  const completion = new Completion({ cwd: () => cwd, commands: () => listCompletedCommands(commands, session) });
  const { signal } = new AbortController();
  const complete = async (typed: string) => (await completion.getSuggestions([typed], 0, typed.length, { signal }))?.items;
  expect(await complete("/")).toEqual(
    expect.arrayContaining([
      { value: "/model ", label: "/model", description: "choose the model" },
      { value: "/new ", label: "/new", description: "a new session" },
      { value: "/review ", label: "/review", description: "Review a file" },
      { value: "/skill:tests ", label: "/skill:tests", description: "Write tests" },
    ]),
  );
  expect((await complete("/"))?.slice(0, 2).map(({ label }) => label)).toEqual(["/model", "/new"]);
  expect((await complete("/new"))?.filter(({ label }) => label === "/new")).toHaveLength(1);
  expect(await complete("/model ")).toEqual([item("claude"), item("gpt")]);
  expect(await complete("/model gp")).toEqual([item("gpt")]);
  expect(await complete("/new x")).toBeUndefined();
});
