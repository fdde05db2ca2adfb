import { mkdir, readFile, symlink } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { assertLinear } from "@pikit/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sessionFolder } from "../../src/config/paths.ts";
import { Conversation } from "../../src/conversation/conversation.ts";
import { MemorySessionStore } from "../../src/conversation/memory-store.ts";
import { exportHtml } from "../../src/export/export-html.ts";
import { createRedact, redactDeep } from "../../src/export/redact-paths.ts";
import { useTempFolder } from "../exec/temp-folder.ts";
import { assistantMessage, toolResult, userMessage } from "../helpers/messages.ts";

const home = "/home/Jo_Ä b";
const cwd = `${home}/work.d/project`;
const redact = createRedact([
  { path: home, replacement: "~" },
  { path: cwd, replacement: "." },
]);

/** JSON with every character of a path outside a-z as \u and digits. */
const toUnicode = (path: string) =>
  path.replace(/[^a-z]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

describe("each spelling of a path", () => {
  const spellings: [string, (path: string) => string][] = [
    ["as it is", (path) => path],
    ["in another case", (path) => path.toUpperCase()],
    ["decomposed", (path) => path.normalize("NFD")],
    ["in JSON with escaped slashes", (path) => path.replaceAll("/", "\\/")],
    ["in JSON with unicode escapes", toUnicode],
    ["in JSON in JSON in JSON", (path) => inJson(inJson(inJson(toUnicode(path))))],
    ["with backslashes", (path) => path.replaceAll("/", "\\")],
    ["with backslashes, in JSON", (path) => path.replaceAll("/", "\\\\")],
    ["for a shell", (path) => path.replaceAll(" ", "\\ ")],
    ["in Markdown", (path) => path.replace(/[_.]/g, "\\$&")],
    ["in an address", (path) => encodeURI(path)],
    ["as a parameter of an address", (path) => encodeURIComponent(path)],
    ["in HTML", (path) => path.replaceAll("/", "&#47;").replaceAll("_", "&#x5F;").replaceAll("Ä", "&#196;")],
    ["with doubled slashes", (path) => path.replaceAll("/", "//")],
    ["without its first slash", (path) => path.slice(1)],
  ];

  test.each(spellings)("%s", (_name, spell) => {
    // Of a doubled slash, one may be left before it.
    expect(redact(`a "${spell(cwd)}/x" ${spell(home)}/y b`)).toMatch(/^a "\/?\.\/x" \/?~\/y b$/);
    expect(redact(`${spell(cwd)}, ${spell(home)}.`)).toMatch(/^\/?\., \/?~\.$/);
  });

  test("the name of the folder of its sessions", () => {
    const folder = sessionFolder(cwd, join(home, ".pi/agent"));
    expect(redact(`${folder}/x.jsonl`)).toBe("~/.pi/agent/sessions/-.--/x.jsonl");
    expect(redact(`${folder.replaceAll("/", "\\")}`)).toBe("~\\.pi\\agent\\sessions\\-.--");
  });
});

test("a path of two names is replaced within longer ones too, a path of one name only as a whole, and the root never", () => {
  const both = createRedact([
    { path: "/home/jo", replacement: "~" },
    { path: "/app", replacement: "." },
    { path: "/", replacement: "ROOT" },
    { path: "C:\\", replacement: "ROOT" },
  ]);
  expect(both("/home/jo2 /mnt/home/jo/x file:///home/jo")).toBe("~2 /mnt~/x file://~");
  expect(both("/app /app/a src/app/a.ts /application x/app '/app'")).toBe(". ./a src/app/a.ts /application x/app '.'");
  expect(both("/ C:\\ //")).toBe("/ C:\\ //");
  expect(createRedact([{ path: "C:\\Users\\Jo", replacement: "~" }])("C:\\Users\\Jo\\x C:/users/jo /c/Users/Jo/x")).toBe(
    "C:~\\x C:~ /c~/x",
  );
});

test("text that only resembles an escape stays, and nothing is replaced in images", () => {
  const text = "100% &amp; %E0%A4 %zz \\u00 \\ud83d &#99999999; &unknown; - / \\";
  expect(redact(text)).toBe(text);
  const image = { type: "image", data: "/home/Jo_", mimeType: "image/png" };
  const short = createRedact([{ path: "/home/Jo_", replacement: "~" }]);
  expect(redactDeep({ "/home/Jo_": ["/home/Jo_", 1, null, true], image }, short)).toEqual({ "~": ["~", 1, null, true], image });
});

test("a key named __proto__ is data", () => {
  const value = redactDeep(JSON.parse('{"__proto__":{"a":"/home/jo"}}'), createRedact([{ path: "/home/jo", replacement: "~" }]));
  expect(JSON.stringify(value)).toBe('{"__proto__":{"a":"~"}}');
});

test("whatever is around a path, it is gone", () => {
  const part = fc.constantFrom("/", "\\", "-", "a", "/home", "\\\\", "%2F", "Jo", "&#47;", " ", '"');
  const around = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(around, around, (before, after) => {
      expect(redact(before + home + after).toLowerCase()).not.toContain(home.toLowerCase());
    }),
  );
});

test.each(["/", "\\", "%2F", "/home/jo_", "&#47;", "\\/home\\/", "-home-"])("100 kB of %j take linear time", async (piece) => {
  await assertLinear(100_000, (length) => {
    const text = piece.repeat(length / piece.length);
    return () => expect(redact(text)).not.toBe("");
  });
});

describe("an export", () => {
  const folder = useTempFolder();

  test("shows neither the working folder nor the home folder, nor a link to one, in any text", async () => {
    const real = join(folder.path, "real-place", "project");
    await mkdir(real, { recursive: true });
    const link = join(folder.path, "linked-place");
    await symlink(real, link);
    const conversation = Conversation.create(new MemorySessionStore(), {
      cwd: link,
      parentSession: join(sessionFolder(real, homedir()), "a.jsonl"),
    });
    const args = { path: `${link}/a.ts`, oldText: real, newText: `${homedir()}/x` };
    const call = { type: "toolCall" as const, id: "1", name: "edit", arguments: args };
    for (const message of [
      userMessage(`Look at ${link}/a.ts`),
      assistantMessage("", { content: [{ type: "text", text: `\`\`\`json\n${JSON.stringify({ path: real })}\n\`\`\`` }, call] }),
      {
        ...toolResult("1", `Edited ${real}/a.ts`),
        toolName: "edit",
        details: { diff: `--- ${real}/a.ts\n+++ x\n@@ @@\n-${real}\n` },
      },
    ]) {
      await conversation.append({ type: "message", message });
    }
    const page = await readFile(await exportHtml(conversation, { cwd: folder.path, redactPaths: true }), "utf8");
    for (const secret of [folder.path, "real-place", "linked-place", homedir()]) expect(page).not.toContain(secret);
    expect(page).toContain("<dt>Folder</dt><dd>.</dd>");
    expect(page).toContain("Look at ./a.ts");
    const open = await readFile(await exportHtml(conversation, { cwd: folder.path }), "utf8");
    expect(open).toContain(`Look at ${link}/a.ts`);
  });

  test("hides the home folder of another user who stored the session", async () => {
    const conversation = Conversation.create(new MemorySessionStore(), { cwd: "/Users/someone/work/app" });
    await conversation.append({ type: "message", message: userMessage("/Users/someone/.ssh and /Users/someone/work/app/x") });
    const page = await readFile(await exportHtml(conversation, { cwd: folder.path, redactPaths: true }), "utf8");
    expect(page).not.toContain("someone");
    expect(page).toContain("<pre>~/.ssh and ./x</pre>");
  });
});
