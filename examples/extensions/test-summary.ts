// A tool that runs the tests: the model gets the output, and the user reads a summary in its place. PI_TEST_COMMAND is the command for the
// shell, whose output is TAP (default: `node --test --test-reporter=tap`).
import { type ExtensionApi, Type } from "@pikit/coding-agent";

/** Characters of output that the model sees, the last ones. */
const maxOutput = 30_000;

interface Summary {
  passed: number;
  /** The names of the tests that failed. */
  failed: string[];
}

export default function (pi: ExtensionApi): void {
  const command = process.env.PI_TEST_COMMAND ?? "node --test --test-reporter=tap";

  pi.registerTool<{ files?: string[] }, Summary>({
    name: "run_tests",
    description: "Runs the tests of the project, or those in some files. Returns the output of the test runner.",
    parameters: Type.Object({ files: Type.Optional(Type.Array(Type.String(), { description: "Paths. Default: all tests" })) }),
    async execute(_toolCallId, { files = [] }, signal) {
      const { stdout, stderr } = await pi.exec("sh", ["-c", `${command} "$@"`, "sh", ...files], { signal });
      return { content: [{ type: "text", text: (stdout + stderr).slice(-maxOutput) }], details: summarise(stdout) };
    },
    // Both are plain text, in the terminal and for programs that use pi. The model sees neither.
    renderCall: ({ files = [] }) => (files.length === 0 ? "all tests" : files.join(", ")),
    renderResult: ({ details: { passed, failed } }) => [
      failed.length === 0 ? `All ${passed} tests passed.` : `${failed.length} of ${passed + failed.length} tests failed:`,
      ...failed.map((name) => `  ${name}`),
    ],
  });
}

function summarise(tap: string): Summary {
  const results = [...tap.matchAll(/^(not )?ok \d+(?: - (.*))?$/gm)];
  const failed = results.filter(([, not]) => not !== undefined).map(([, , name = "(no name)"]) => name);
  return { passed: results.length - failed.length, failed };
}
