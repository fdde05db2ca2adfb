import { deepEqual, equal, match, ok } from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Checks } from "../../lib/report.ts";
import { Machine, nodes, succeeded } from "../lib/machine.ts";

const settings = '{\n  "defaultThinkingLevel": "low",\n  "mine": [1, 2]\n}\n';
const models = `${JSON.stringify({ providers: { local: { baseUrl: "http://127.0.0.1:9/v1", api: "openai-completions", apiKey: "none", models: [{ id: "small" }] } } })}\n`;

/** A user with settings, a model and a session, who installs the new version over the one before. */
export class Upgrade {
  readonly #machine: Machine;
  readonly #agent: string;
  #session: { path: string; text: string } | undefined;

  static async create(folder: string, registry: string): Promise<Upgrade> {
    return new Upgrade(await Machine.create(join(folder, "upgrade"), nodes["24"], registry));
  }

  private constructor(machine: Machine) {
    this.#machine = machine;
    this.#agent = join(machine.home, ".pi/agent");
  }

  /** Works with the version before. */
  async before(checks: Checks, version: string): Promise<void> {
    await checks.check(`upgrade: ${version} is installed, and keeps a session`, async () => {
      await this.#install(version);
      await mkdir(this.#agent, { recursive: true });
      await writeFile(join(this.#agent, "settings.json"), settings);
      await writeFile(join(this.#agent, "models.json"), models);
      const model = await this.#machine.script(
        { toolCalls: [{ name: "write", arguments: { path: "lamp.txt", content: "one\n" } }] },
        { text: "The word is lighthouse." },
      );
      equal(await this.#pi("-p", "--model", model, "Remember a word."), "The word is lighthouse.\n");
      const [path = ""] = await this.#sessionFiles();
      this.#session = { path, text: await readFile(path, "utf8") };
    });
  }

  /** Installs the new version, and goes on with what is there. */
  async after(checks: Checks, version: string): Promise<void> {
    const before = this.#session;
    if (!before) return;
    await checks.check(`upgrade: ${version} takes over settings, models and the list of sessions`, async () => {
      await this.#install(version);
      equal(await readFile(join(this.#agent, "settings.json"), "utf8"), settings);
      match(await this.#pi("--list-models"), /small/);
      match(await this.#pi("sessions"), /Remember a word/);
      deepEqual(await this.#sessionFiles(), [before.path]);
    });
    await checks.check(`upgrade: ${version} continues the session, of which no byte has changed`, async () => {
      const model = await this.#machine.script({ text: "It was lighthouse." });
      equal(await this.#pi("-p", "--continue", "--model", model, "Which word?"), "It was lighthouse.\n");
      deepEqual(await this.#sessionFiles(), [before.path]);
      const text = await readFile(before.path, "utf8");
      ok(text.startsWith(before.text) && text.length > before.text.length, "the earlier lines have changed");
      match(text.slice(before.text.length), /Which word\?/);
      equal(await readFile(join(this.#agent, "settings.json"), "utf8"), settings);
    });
  }

  async #install(version: string): Promise<void> {
    await this.#machine.manage("npm", "install", "--global", `@pikit/coding-agent@${version}`);
    equal(await this.#pi("--version"), `${version}\n`);
  }

  async #pi(...args: string[]): Promise<string> {
    return succeeded(await this.#machine.run("pi", args), `pi ${args.join(" ")}`).stdout;
  }

  async #sessionFiles(): Promise<string[]> {
    const folder = join(this.#agent, "sessions");
    const files = await readdir(folder, { recursive: true });
    return files.filter((file) => file.endsWith(".jsonl")).map((file) => join(folder, file));
  }
}
