import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { openRecipe, startNode } from "../helpers/recipe.ts";

const standIn = fileURLToPath(new URL("../fixtures/slack-bolt", import.meta.url));

test("the Slack bot answers threads in order, each message once, and continues after a restart", async () => {
  const recipe = openRecipe("slack-bot");
  expect(recipe.blocks.map(({ language }) => language)).toEqual(["ts"]);
  const bot = recipe.write("ts", "bot.ts");
  cpSync(standIn, join(recipe.programs, "node_modules/@slack/bolt"), { recursive: true });
  const startBot = (model: string) => {
    const env = { ...recipe.env, SLACK_BOT_TOKEN: "xoxb-1", SLACK_APP_TOKEN: "xapp-1", PI_MODEL: model, PI_FOLDER: recipe.work };
    const running = startNode(bot, [], { cwd: recipe.programs, env });
    const posts = () =>
      running
        .stdout()
        .trim()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    const mention = (ts: string, text: string, thread_ts?: string) =>
      running.child.stdin.write(
        `${JSON.stringify({ type: "app_mention", channel: "C1", ts, thread_ts, text: `<@U1> ${text}` })}\n`,
      );
    return { ...running, posts, mention };
  };
  /** The texts of the user in a thread. */
  const prompts = (thread: string): unknown[] => {
    const folder = join(recipe.env.PI_CODING_AGENT_DIR ?? "", "sessions");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const file = files.find((name) => name.endsWith(`_slack-C1-${thread}.jsonl`));
    if (file === undefined) return [];
    const lines = readFileSync(join(folder, file), "utf8").trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line).message).flatMap((message) => (message?.role === "user" ? [message.content] : []));
  };

  const secret = { toolCalls: [{ name: "read", arguments: { path: "/proc/self/environ" } }] };
  const first = startBot(recipe.script(secret, { text: "In **README.md**." }));
  first.mention("1.1", "Where is it?");
  first.mention("2.1", "And this?");
  first.mention("1.2", "What else?", "1.1");
  await until("three answers", () => first.posts().length === 3);
  const answers = first.posts().map(({ thread_ts, markdown_text }) => `${thread_ts} ${markdown_text}`);
  expect(answers.sort()).toEqual(["1.1 In **README.md**.", "1.1 In **README.md**.", "2.1 In **README.md**."]);
  expect(prompts("1.1")).toEqual(["Where is it?", "What else?"]);
  const sessions = join(recipe.env.PI_CODING_AGENT_DIR ?? "", "sessions");
  const [stored] = readdirSync(sessions, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  expect(readFileSync(join(sessions, stored ?? ""), "utf8")).toContain("does not let you read /proc/self/environ");

  first.child.kill("SIGTERM");
  expect(await first.ended).toBe(0);

  const second = startBot(
    recipe.script({ toolCalls: [{ name: "read", arguments: { path: "README.md" } }] }, { text: "Slow.", delayMs: 1e9 }),
  );
  second.mention("1.2", "What else?", "1.1");
  second.mention("1.3", "More?", "1.1");
  await until("the run of the third message", () => prompts("1.1").length === 3);
  second.child.kill("SIGTERM");
  expect(await second.ended).toBe(0);
  expect(second.posts().map(({ markdown_text }) => markdown_text)).toEqual(["I am being restarted. Mention me again in a minute."]);

  const third = startBot(recipe.script({ text: "The rest." }));
  third.mention("1.3", "More?", "1.1");
  await until("the rest of the answer", () => third.posts().length === 1);
  expect(third.posts()).toEqual([{ channel: "C1", thread_ts: "1.1", markdown_text: "The rest." }]);
  expect(prompts("1.1")).toEqual(["Where is it?", "What else?", "More?"]);
  third.child.kill("SIGTERM");
  expect(await third.ended).toBe(0);
  expect([first.stderr(), second.stderr(), third.stderr()]).toEqual(["", "", ""]);
});
