import type { AgentMessage, Attachment } from "@pikit/agent";
import { describe, expect, test } from "vitest";
import type { AgentSession } from "../../src/session/agent-session.ts";
import { createScriptedSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

describe("images and documents", () => {
  const attachment = (overrides: Partial<Attachment>): Attachment => ({
    id: "1",
    type: "document",
    fileName: "notes.txt",
    mimeType: "text/plain",
    size: 5,
    content: Buffer.from("hello").toString("base64"),
    ...overrides,
  });
  const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } as const;

  async function contentOf(session: AgentSession): Promise<AgentMessage> {
    await session.waitForIdle();
    return session.messages.find(({ role }) => role === "user") as AgentMessage;
  }

  test("the prompt, a block for each document, then images, `images` first; the attachments stay on the message", async () => {
    const { session } = await createScriptedSession(workspace, [{ text: "ok" }]);
    await session.prompt("See", {
      images: [image],
      attachments: [
        attachment({ id: "a", type: "image", fileName: "p.jpg", mimeType: "image/jpeg", content: "/9j/" }),
        attachment({ id: "b" }),
        attachment({ id: "c", fileName: "x.pdf", mimeType: "application/pdf", content: "/w==", extractedText: "from the PDF" }),
      ],
    });
    expect(await contentOf(session)).toMatchObject({
      content: [
        { type: "text", text: "See" },
        { type: "text", text: "notes.txt\nhello" },
        { type: "text", text: "x.pdf\nfrom the PDF" },
        image,
        { type: "image", data: "/9j/", mimeType: "image/jpeg" },
      ],
      attachments: [{ id: "a" }, { id: "b", content: "aGVsbG8=" }, { id: "c", content: "/w==" }],
    });
    expect((await workspace.sessionLines()).filter((line) => JSON.stringify(line).includes("/9j/"))).toHaveLength(1);
  });

  test("text alone is a string; an image alone needs no text", async () => {
    const { session } = await createScriptedSession(workspace, [{ text: "ok" }]);
    await session.prompt("", { images: [image] });
    expect(await contentOf(session)).toMatchObject({ content: [image] });
    const other = await createScriptedSession(workspace, [{ text: "ok" }]);
    await other.session.prompt("plain", { images: [], attachments: [] });
    expect(await contentOf(other.session)).toEqual({ role: "user", content: "plain", timestamp: expect.any(Number) });
  });

  test.each([
    ["no UTF-8", "/w=="],
    ["NUL", "AAA="],
  ])("a document of bytes (%s) is refused by name", async (_name, content) => {
    const { session } = await createScriptedSession(workspace, [{ text: "ok" }]);
    const attachments = [attachment({ fileName: "tool.exe", content })];
    await expect(session.prompt("See", { attachments })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining('"tool.exe"'),
    });
    expect(session.messages).toEqual([]);
  });
});
