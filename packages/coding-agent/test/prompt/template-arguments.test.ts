import { expect, test } from "vitest";
import { fillTemplate, splitArguments } from "../../src/prompt/template-arguments.ts";

test.each([
  ["", []],
  ["one  two\nthree", ["one", "two", "three"]],
  [`"a b" 'c "d"' e`, ["a b", 'c "d"', "e"]],
  ["don't do that", ["don't", "do", "that"]],
  [`"open end`, ['"open', "end"]],
  [`"" x`, ["", "x"]],
  [`a"b c"d`, ['a"b', 'c"d']],
])("the arguments of %j", (text, args) => {
  expect(splitArguments(text)).toEqual(args);
});

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are templates of users
test.each([
  ["Review $1 for $2.", "a.ts speed", "Review a.ts for speed."],
  ["Review $1 for $2.", "a.ts", "Review a.ts for ."],
  ["All: $@", '"as one"  here ', "All: as one here"],
  ["Rest: ${@:2}; two: ${@:2:2}; none: ${@:9}; from 0: ${@:0}", "a b c d", "Rest: b c d; two: b c; none: ; from 0: a b c d"],
  ["For ${1:-speed, size, and words}.", "", "For speed, size, and words."],
  ["For ${1:-speed}, ${2:-size} and ${3}.", "x", "For x, size and ."],
  ["All: ${@:-nothing}, ${ARGUMENTS:-nothing}", "", "All: nothing, nothing"],
  ["All: ${@:-nothing}", '"a b" c', "All: a b c"],
  ["${HOME} ${0} ${1:x} ${@:-} ${@", "a", "${HOME} ${0} ${1:x} a ${@"],
  ["\\${1} $1", "$2 x", "${1} $2"],
  ["All: $ARGUMENTS, $ARGUMENTSX", "x", "All: x, $ARGUMENTSX"],
  ["It costs \\$1 or $100.", "x", "It costs $1 or $100.\n\nx"],
  ["$1 $2", "$2 $1", "$2 $1"],
  ["$1", "$& $$ $`", "$&"],
  ["Say hello.\n", "to Ann", "Say hello.\n\nto Ann"],
  ["Say hello.", "  ", "Say hello."],
  ["$10-$1", "a b c d e f g h i j", "j-a"],
])("the template %j with %j", (template, args, text) => {
  expect(fillTemplate(template, args)).toBe(text);
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
