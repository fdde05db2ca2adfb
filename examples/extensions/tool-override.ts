// Runs the model's shell commands somewhere else: in a container or on another machine. PI_BASH_PREFIX is the program that leads there,
// with its arguments: `docker exec -i box`, or `ssh host`. PI_BASH_FOLDER is the folder to work in over there (default: where one
// arrives). The other tools still work on the files of this machine.
import { basename } from "node:path";
import { type ExtensionApi, ToolError, Type } from "@pikit/coding-agent";

/** Characters of output that the model sees, the last ones. */
const maxOutput = 30_000;

export default function (pi: ExtensionApi): void {
  const [program, ...prefixArgs] = (process.env.PI_BASH_PREFIX ?? "").split(" ").filter((word) => word !== "");
  const folder = process.env.PI_BASH_FOLDER;
  if (program === undefined) throw new Error("PI_BASH_PREFIX is not set. Name the program that leads to the shell, as `ssh host`.");
  pi.registerTool({
    name: "bash",
    description: `Runs a command with bash through \`${[program, ...prefixArgs].join(" ")}\`. Returns stdout, then stderr.`,
    parameters: Type.Object({
      command: Type.String({ description: "Command for bash, run unchanged" }),
      timeout: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: "Seconds until it is killed (default: 120)" })),
    }),
    async execute(_toolCallId, { command, timeout = 120 }, signal) {
      const script = folder === undefined ? command : `cd ${quote(folder)} && { ${command}\n}`;
      // ssh gives its arguments to a shell over there as one line; the others hand them on as they are.
      const shell = basename(program) === "ssh" ? [`bash -c ${quote(script)}`] : ["bash", "-c", script];
      const result = await pi.exec(program, [...prefixArgs, ...shell], { signal, timeoutMs: timeout * 1000 });
      const output = (result.stdout + result.stderr).slice(-maxOutput) || "(no output)";
      if (result.exitCode === null)
        throw new ToolError("killed", `${output}\n\nKilled: stopped, or not over after ${timeout} seconds.`);
      if (result.exitCode !== 0) throw new ToolError("exit_code", `${output}\n\nCommand exited with code ${result.exitCode}.`);
      return { content: [{ type: "text", text: output }], details: { exitCode: 0 } };
    },
  });
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
