/** Programs that only read, whatever their arguments are, as long as the shell does nothing else. */
const readers: ReadonlySet<string> = new Set([
  "cat",
  "df",
  "du",
  "echo",
  "file",
  "grep",
  "head",
  "ls",
  "pwd",
  "stat",
  "tail",
  "wc",
  "which",
]);

/**
 * Whether a shell command may change files. Only plain calls of a few programs that never do are known not to: no other characters than those
 * of words and paths, so no redirection, substitution or second command.
 */
export function mayWrite(command: string): boolean {
  const words = command.trim();
  const [program = ""] = words.split(" ", 1);
  return !/^[\w ./:,=@%+-]+$/.test(words) || !readers.has(program);
}
