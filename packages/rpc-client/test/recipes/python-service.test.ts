import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { hasPython, openRecipe, start } from "../helpers/recipe.ts";
import { serve } from "../helpers/served.ts";

const client = fileURLToPath(new URL("../../../../examples/serve-python/pi_serve.py", import.meta.url));

test.skipIf(!hasPython)(
  "the Python service keeps conversations apart, refuses a second question at a time, and ends cleanly",
  async () => {
    const recipe = openRecipe("python-service");
    expect(recipe.blocks.map(({ language }) => language)).toEqual(["json", "", "python"]);
    const served = await serve(JSON.parse(recipe.blocks[0]?.code ?? ""));
    const program = recipe.write("python", "service.py");
    cpSync(client, join(recipe.programs, "pi_serve.py"));
    const model = served.script([
      { toolCalls: [{ name: "read", arguments: { path: "/proc/self/environ" } }] },
      { text: "One." },
      { text: "Two." },
      { text: "Slow.", delayMs: 1e9 },
    ]);
    const env = {
      ...recipe.env,
      PI_URL: served.url,
      PI_TOKEN_FILE: served.tokenFile,
      PI_MODEL: model,
      PORT: "0",
      PYTHONDONTWRITEBYTECODE: "1",
    };
    const service = start("python3", [program], { cwd: recipe.programs, env });
    const url = await until("the address", () => service.stdout().trim());
    const ask = async (body: object): Promise<unknown> => {
      const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
      return [response.status, await response.json()];
    };

    const question = "/one?";
    expect(await Promise.all(["ada", "ben"].map((conversation) => ask({ conversation, question })))).toEqual([
      [200, { answer: "One." }],
      [200, { answer: "One." }],
    ]);
    expect(await ask({ conversation: "ada", question })).toEqual([200, { answer: "Two." }]);
    expect(served.messages("service-ada").map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "assistant",
      "user",
      "assistant",
    ]);
    expect(JSON.stringify(served.messages("service-ben"))).toContain("does not let you read /proc/self/environ");
    expect(await ask({ conversation: "../ada", question })).toEqual([
      400,
      { error: "A conversation has 1 to 64 letters and digits." },
    ]);
    expect(await ask({ question })).toEqual([400, { error: "'conversation'" }]);

    const slow = ask({ conversation: "ada", question });
    const headers = { authorization: `Bearer ${served.token}`, "content-type": "application/json" };
    await until("the run", async () => {
      const response = await fetch(`${served.url}/v1/sessions/service-ada`, { headers });
      return ((await response.json()) as { streaming: boolean }).streaming;
    });
    expect(await ask({ conversation: "ada", question })).toEqual([429, { error: "busy" }]);
    service.child.kill("SIGTERM");
    await fetch(`${served.url}/v1/sessions/service-ada/commands`, { method: "POST", headers, body: '{"type": "abort"}' });
    expect(await slow).toEqual([502, { error: expect.stringMatching(/abort/i) }]);
    expect(await service.ended).toBe(0);
  },
);
