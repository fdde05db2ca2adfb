// The user's own list of things to do, beside the conversation: `/todo` shows it, `/todo add <text>`, `/todo done <number>`. The model
// does not see it. It is stored in the session, so it is there again after a restart, and an earlier branch has the list of its time.
import type { ExtensionApi, ExtensionUi } from "@pikit/coding-agent";

interface Todo {
  text: string;
  isDone: boolean;
}

export default function (pi: ExtensionApi): void {
  let todos: readonly Todo[] = [];

  const lines = () => todos.map(({ text, isDone }, index) => `${index + 1}. [${isDone ? "x" : " "}] ${text}`);
  const show = (ui: ExtensionUi) => ui.setWidget("todo", todos.some(({ isDone }) => !isDone) ? lines() : undefined);

  pi.on("session_start", async (_event, { ui, lastEntry }) => {
    todos = ((await lastEntry("todo-command")) as Todo[] | undefined) ?? [];
    show(ui);
  });

  pi.registerCommand("todo", {
    description: "Shows your list; add <text>, done <number>",
    async handler(args, { ui }) {
      const [, verb = "", rest = ""] = /^(\S*)\s*(.*)$/s.exec(args) ?? [];
      if (verb === "") return ui.notify(lines().join("\n") || "Nothing to do.");
      if (verb === "add" && rest !== "") todos = [...todos, { text: rest, isDone: false }];
      else if (verb === "done" && todos[Number(rest) - 1]) {
        todos = todos.map((todo, index) => (index === Number(rest) - 1 ? { ...todo, isDone: true } : todo));
      } else return ui.notify("Write /todo, /todo add <text>, or /todo done <number of the list>.", "warning");
      await pi.appendEntry("todo-command", todos);
      show(ui);
    },
  });
}
