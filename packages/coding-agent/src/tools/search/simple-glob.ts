/** Folders without wildcards, then any folders or none, then a name with `*` and at most one pair of braces. */
const simplePattern =
  /^(?<folders>\/?(?:[\w.@+-]+\/)*)(?<any>(?:\*\*\/)+)?(?<before>[\w.*@+-]*)(?:\{(?<options>[\w.*@+-]+(?:,[\w.*@+-]+)*)\}(?<after>[\w.*@+-]*))?$/;

/**
 * Compiles a glob of the most frequent kinds, such as `*.ts`, `src/*.{js,ts}` and any depth below `src`, to comparisons of strings: they are faster
 * than the regular expression of other globs, and their matcher takes time to load. Matching takes linear time.
 *
 * @param body - A glob as `compileGlob` has it, without a final `/`.
 * @returns Whether a path matches; undefined for other globs.
 */
export function compileSimpleGlob(body: string): ((path: string) => boolean) | undefined {
  const groups = simplePattern.exec(body)?.groups;
  if (!groups) return undefined;
  const { folders = "", any, before = "", options, after = "" } = groups;
  const names = options === undefined ? [before] : options.split(",").map((option) => before + option + after);
  if (names.some((name) => name === "" || name.includes("**"))) return undefined;
  const matchers = names.map(nameMatcher);
  const prefix = folders.replace(/^\//, "");
  const isAtAnyDepth = any !== undefined || !body.includes("/");
  return (path) => {
    const nameStart = path.lastIndexOf("/") + 1;
    if (isAtAnyDepth ? nameStart < prefix.length : nameStart !== prefix.length) return false;
    if (!path.startsWith(prefix)) return false;
    const name = path.slice(nameStart);
    return matchers.some((matches) => matches(name));
  };
}

/** Matches a name without `/`, in which each `*` stands for any text. */
export function nameMatcher(glob: string): (name: string) => boolean {
  const [first = "", ...rest] = glob.split("*");
  const last = rest.pop();
  if (last === undefined) return (name) => name === first;
  return (name) => {
    if (!name.startsWith(first) || !name.endsWith(last)) return false;
    let at = first.length;
    // The leftmost place of each text leaves the most for the next one.
    for (const text of rest) {
      const found = name.indexOf(text, at);
      if (found === -1) return false;
      at = found + text.length;
    }
    return at + last.length <= name.length;
  };
}
