import { expect, test } from "vitest";
import { refuseCommandWords } from "../../src/cli/command-words.ts";

test.each([
  [
    "resume",
    'pi has no command "resume". pi sessions lists the sessions; --continue, --session <path|id> or --fork <path|id> chooses one. To send the text as a prompt: pi -- "resume"',
  ],
  ["Help", 'pi has no command "Help". pi --help lists the options. To send the text as a prompt: pi -- "Help"'],
  ["packages npm:@us/tools", /^pi has no command "packages"\. pi list lists .* pi -- "packages npm:@us\/tools"$/],
  ["models", /pi --list-models/],
  ["auth", /pi login <provider>/],
  ["agent-rcp", /Did you mean pi agent-rpc\?/],
  ["agentrpc", /Did you mean pi agent-rpc\?/],
  ["sesions", /Did you mean pi sessions\?/],
  ["doctr", /Did you mean pi doctor\?/],
  ["complettion", /Did you mean pi completion\?/],
  ["rcp schema", /Did you mean pi rpc schema\?/],
  ["rcp validte", /Did you mean pi rpc validate\?/],
])("%s was meant as a command: refused, with what to type", (line, message) => {
  expect(() => refuseCommandWords(line.split(" "))).toThrow(
    expect.objectContaining({
      ...{ name: "UsageError", code: "invalid_arguments", exitCode: 2 },
      message: typeof message === "string" ? message : expect.stringMatching(message),
    }),
  );
});

test.each(["hello", "test", "rcp", "fix tests", "constructor", "explain README.md"])("%s is a prompt", (line) => {
  expect(() => refuseCommandWords(line.split(" "))).not.toThrow();
});
