import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { calledAtStart } from "./called-at-start.mjs";
import { withParentheses } from "./parentheses.mjs";

/**
 * Lets V8 compile the functions that a start calls together with their file, so that Node's compile cache holds their code. By default V8 compiles
 * a function when it is called first, after the cache was written: each start would compile these some 250 functions again, which takes 3 ms. V8
 * compiles at once what looks as if it was called at once, that is, a function in parentheses (https://v8.dev/blog/preparser#pife). Methods have no
 * such form, and arrow functions have it since Node 24.
 *
 * @param cli - path of the built command. Its files are changed in place.
 */
export async function compileEarly(cli) {
  for (const [path, offsets] of await calledAtStart(cli)) {
    if (leadsBack(path)) throw new Error(`${path} imports itself through other files, which could call its functions too early`);
    writeFileSync(path, withParentheses(readFileSync(path, "utf8"), offsets));
  }
}

/** Whether a file is among the files that it imports, or that these import. */
function leadsBack(path) {
  const seen = new Set();
  const open = importsOf(path);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === path) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...importsOf(next));
  }
  return false;
}

function importsOf(path) {
  const sources = parseAst(readFileSync(path, "utf8")).body.flatMap((node) => node.source?.value ?? []);
  return sources.filter((source) => source.startsWith(".")).map((source) => join(dirname(path), source));
}
