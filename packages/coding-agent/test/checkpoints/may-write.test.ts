import { expect, test } from "vitest";
import { mayWrite } from "../../src/checkpoints/may-write.ts";
import { localFiles } from "../../src/tools/files/local-files.ts";

const place = { cwd: "/home/user/project", files: localFiles };

test.each([
  "ls -l",
  "cat a.txt | grep -n x | head -5",
  "git status && git diff --stat",
  "git log --oneline -5; git show HEAD",
  "find . -name '*.ts' | xargs wc -l",
  'for f in *.ts; do head -1 "$f"; done',
  "cd src && rg -l foo",
  "[ -f a ] && echo yes || echo no",
  'echo "$(cat a)" 2>&1',
])("%s only reads", async (command) => {
  expect(await mayWrite(command, place)).toBe(false);
});

test.each([
  "echo x > a",
  "ls > list",
  "sed -i s/a/b/ a",
  "sort -o a a",
  "find . -fprint list",
  "git checkout main",
  "npm test",
  "./ls",
  "frobnicate",
  "cat a | xargs touch",
  'echo "$(touch a)"',
  "sh -c 'rm a'",
  "PATH=. ls",
  "cat x | sh",
  "$CMD",
  "curl -O https://example.com/a",
  "terraform init",
  "python3 -c 'print(1)'",
  "ls 'unterminated",
])("%s may write", async (command) => {
  expect(await mayWrite(command, place)).toBe(true);
});
