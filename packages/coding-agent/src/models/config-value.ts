import { type ExecException, exec } from "node:child_process";

/**
 * Values of `models.json` and `auth.json` that may name a secret instead of holding it: `!command` stands for the output of a command,
 * `$NAME` and `${NAME}` for an environment variable. `$$` is a dollar sign, `$!` an exclamation mark. Other texts are literal.
 */

/** Maximum milliseconds of a command. A keychain may ask the user first. */
const commandTimeoutMs = 60_000;
/** Maximum characters of a command's output. */
const maxOutput = 64 * 1024;

const placeholderPattern = /\$(?:\$|!|\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;
/** Versions of related programs up to 0.73 wrote the names of variables without a dollar sign. */
const bareVariable = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

/** Whether the value is a command. */
function isCommand(value: string): boolean {
  return value.startsWith("!");
}

/** The environment variables in a value. */
export function variablesIn(value: string): string[] {
  if (isCommand(value)) return [];
  if (isSetVariable(value)) return [value];
  return Array.from(value.matchAll(placeholderPattern), ([, braced, plain]) => braced ?? plain ?? "").filter((name) => name !== "");
}

/** Whether the value can be used: it is a command, which is not run here, or all its variables are set. */
export function isConfigured(value: string | undefined): value is string {
  return value !== undefined && value !== "" && variablesIn(value).every((name) => Boolean(process.env[name]));
}

/** Whether the value stands for something else, so that it must be resolved for each request. */
export function isReference(value: string): boolean {
  return isCommand(value) || value.includes("$") || isSetVariable(value);
}

/** The text for a value. Undefined if a variable is not set. Commands are run each time. @throws {Error} When a command fails. */
export async function resolveValue(value: string | undefined): Promise<string | undefined> {
  if (!isConfigured(value)) return undefined;
  if (isCommand(value)) return runCommand(value.slice(1));
  if (isSetVariable(value)) return process.env[value];
  return value.replace(placeholderPattern, (placeholder, braced?: string, plain?: string) => {
    const name = braced ?? plain;
    return name === undefined ? placeholder.slice(1) : (process.env[name] ?? "");
  });
}

function isSetVariable(value: string): boolean {
  return bareVariable.test(value) && Boolean(process.env[value]);
}

/** Runs a command with the system's shell and without input, and returns its trimmed output. */
function runCommand(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    exec(command, { timeout: commandTimeoutMs, maxBuffer: maxOutput, windowsHide: true }, (error, stdout) => {
      const text = stdout.trim();
      if (error) reject(new Error(describeFailure(error)));
      else if (text === "") reject(new Error("it printed nothing"));
      else resolve(text);
    }).stdin?.end();
  });
}

/** The message of the error is not used, because it quotes the command and its output. */
function describeFailure({ code, killed, signal }: ExecException): string {
  if (String(code) === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return `it printed more than ${maxOutput} characters`;
  if (killed) return `it did not end within ${commandTimeoutMs / 1000} seconds`;
  return signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`;
}
