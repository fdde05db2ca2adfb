import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { providers, usedKeyVariable } from "@pikit/ai";
import { readJsonFile } from "../../config/json-file.ts";
import { agentFolder, projectFolder } from "../../config/paths.ts";
import { readSettings, readSettingsFile } from "../../config/read-settings.ts";
import { findSessionFolder } from "../../config/session-dir.ts";
import type { Settings } from "../../config/settings.ts";
import { FileSessionStore } from "../../conversation/file-store.ts";
import { findProgram } from "../../exec/find-program.ts";
import { findShell } from "../../exec/find-shell.ts";
import { Credentials } from "../../models/credentials.ts";
import { readCustomProviders } from "../../models/custom-providers.ts";
import { isDemo, ModelRegistry } from "../../models/model-registry.ts";
import { resolveModel } from "../../models/model-resolver.ts";
import { toTerminalText } from "../../modes/terminal-text.ts";
import { locate } from "../../packages/install-package.ts";
import { listPackages } from "../../packages/settings-packages.ts";
import { findRipgrep } from "../../tools/grep/ripgrep-process.ts";
import { packageVersion } from "../../version.ts";
import type { StoreOptions } from "../args.ts";
import { describeError } from "../describe-error.ts";
import { namesStore, openStoreIfNamed } from "../session-store.ts";
import { parseSubcommand } from "./parse-subcommand.ts";

const doctorUsage = "Usage: pi doctor [--session-store address]";

/** `problem`: pi does not work as configured. `note`: the user may want to know. */
interface Finding {
  state: "ok" | "note" | "problem";
  about: string;
  text: string;
}

/** The places that the checks look at. */
interface Places {
  cwd: string;
  agentDir: string;
  /** The options that say where sessions are stored. */
  store: StoreOptions;
}

const marks = { ok: "✓", note: "·", problem: "✗" } as const;

/** Milliseconds to wait for each server of local models. */
const localTimeoutMs = 1000;

/**
 * Runs `pi doctor`: prints what is configured, what is missing and what does not work. It asks no provider, and prints no key.
 *
 * @returns 1 if there is a problem, otherwise 0.
 */
export async function runDoctor(args: readonly string[]): Promise<number> {
  const { values } = parseSubcommand(doctorUsage, () =>
    parseArgs({ args: [...args], options: { "session-store": { type: "string" } } }),
  );
  const places: Places = { cwd: process.cwd(), agentDir: agentFolder(), store: values };
  const checks = { program, programs, folders, settings, packages, keys, endpoints, model, localModels, sessions };
  const findings: Finding[] = [];
  for (const [name, check] of Object.entries(checks)) {
    findings.push(...(await check(places).catch((error: unknown) => [problem(name, describeError(error))])));
  }
  const width = Math.max(...findings.map(({ about }) => about.length));
  for (const { state, about, text } of findings) {
    process.stdout.write(`${toTerminalText(`${marks[state]} ${about.padEnd(width)}  ${text}`)}\n`);
  }
  const problems = findings.filter(({ state }) => state === "problem").length;
  if (problems > 0) process.stdout.write(`\n${problems === 1 ? "One problem" : `${problems} problems`}.\n`);
  return problems > 0 ? 1 : 0;
}

async function program(): Promise<Finding[]> {
  const runtime = process.versions.bun === undefined ? `Node ${process.version}` : `Bun ${process.versions.bun}`;
  return [ok("pi", `${packageVersion()}, ${runtime}, ${process.platform} ${process.arch}`)];
}

async function programs({ cwd }: Places): Promise<Finding[]> {
  const search = { cwd, searchPath: process.env.PATH };
  const shell = await findShell(search);
  const git = await findProgram("git", search);
  const ripgrep = await findRipgrep();
  return [
    shell === undefined ? problem("shell", "There is no bash and no sh, so the bash tool cannot work.") : ok("shell", shell),
    ripgrep === undefined
      ? note(
          "ripgrep",
          "It is not installed; searches work without it, but more slowly. Install pi with its optional dependencies.",
        )
      : ok("ripgrep", ripgrep),
    git === undefined ? note("git", "It is not installed.") : ok("git", git),
  ];
}

async function folders({ agentDir }: Places): Promise<Finding[]> {
  const code = await access(agentDir, constants.W_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
  if (code === undefined) return [ok("folder", agentDir)];
  if (code === "ENOENT") return [note("folder", `${agentDir} does not exist yet; pi creates it when it stores something.`)];
  return [problem("folder", `${agentDir} cannot be written to (${code}), so sessions are not stored. Check its permissions.`)];
}

async function settings({ agentDir, cwd }: Places): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const path of [join(agentDir, "settings.json"), join(projectFolder(cwd), "settings.json")]) {
    try {
      const { settings: read, problems } = await readSettingsFile(path);
      const names = Object.keys(read);
      if (names.length > 0) findings.push(ok("settings", `${path}: ${names.join(", ")}`));
      findings.push(...problems.map((text) => problem("settings", text)));
    } catch (error) {
      findings.push(problem("settings", describeError(error)));
    }
  }
  return findings.length > 0 ? findings : [note("settings", `There are none in ${agentDir}; all have defaults.`)];
}

async function packages(places: Places): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const scope of ["user", "project"] as const) {
    for (const { source } of await listPackages(scope, places)) {
      const { folder, isThere } = await locate(source, scope, places);
      const missing =
        source.kind === "local"
          ? problem("package", `${source.shown} does not exist: ${folder}.`)
          : note("package", `${source.shown} is not installed. The next session installs it.`);
      findings.push(isThere ? ok("package", `${source.shown}, ${folder}`) : missing);
    }
  }
  return findings;
}

async function keys({ agentDir }: Places): Promise<Finding[]> {
  const file = join(agentDir, "auth.json");
  const stored = Object.keys(readJsonFile(file));
  const findings = stored.map((provider) => ok("key", `${provider}, from ${file}`));
  for (const { provider } of providers) {
    const variable = usedKeyVariable(provider);
    if (variable === undefined) continue;
    const isUsed = !stored.includes(provider);
    findings.push(note("key", `${provider}, from ${variable}${isUsed ? "" : `; the one of ${file} is used instead`}`));
  }
  const mode = await stat(file).then(
    (stats) => stats.mode & 0o077,
    () => 0,
  );
  if (mode !== 0 && process.platform !== "win32") {
    findings.push(problem("key", `${file} can be read by other users. Run: chmod 600 ${file}`));
  }
  return findings;
}

async function endpoints({ agentDir }: Places): Promise<Finding[]> {
  const problems: string[] = [];
  const path = join(agentDir, "models.json");
  const custom = await readCustomProviders(path, (text) => problems.push(text));
  return [
    ...custom.map(({ name, models, endpoint, modelChanges }) => {
      const changes = modelChanges.size > 0 ? `, changes to ${count(modelChanges.size, "model")}` : "";
      return ok(
        "models.json",
        `${name}: ${count(models.length, "model")} at ${endpoint?.baseUrl ?? "addresses of their own"}${changes}`,
      );
    }),
    ...problems.map((text) => problem("models.json", text)),
  ];
}

async function model({ agentDir, cwd }: Places): Promise<Finding[]> {
  const registry = new ModelRegistry({ agentDir, credentials: new Credentials(agentDir), cwd });
  const { model: chosen } = await resolveModel(registry, {}, await usableSettings(agentDir));
  if (chosen && (await registry.isUsable(chosen))) {
    const others = (await registry.available()).filter((each) => !isDemo(each));
    return [
      ok(
        "model",
        `${chosen.provider}/${chosen.id} is the default; ${count(others.length, "model")} can be used (pi --list-models)`,
      ),
    ];
  }
  const advice = "Run pi login <provider>, set a variable such as ANTHROPIC_API_KEY, or try the offline demo: pi --model demo/tour";
  return [problem("model", `${chosen ? `${chosen.provider}/${chosen.id} has no key` : "No provider has a key"}. ${advice}`)];
}

/** A faulty settings file is a problem of its own check. */
function usableSettings(agentDir: string): Promise<Settings> {
  return readSettings(join(agentDir, "settings.json")).catch(() => ({}));
}

async function localModels(): Promise<Finding[]> {
  const { findLocalModels } = await import("../../models/local-servers.ts");
  const models = await findLocalModels({ timeoutMs: localTimeoutMs });
  if (models.length === 0) return [note("local models", "No server with models answers on this machine.")];
  return [ok("local models", `${models.map(({ id }) => id).join(", ")}. Use one with --model local/<id>.`)];
}

async function sessions({ agentDir, cwd, store: options }: Places): Promise<Finding[]> {
  if (!namesStore(options)) {
    const stored = await new FileSessionStore(findSessionFolder({ cwd, agentDir })).list({ cwd });
    return [note("sessions", `${count(stored.length, "session")} of this folder (pi sessions)`)];
  }
  const [{ findStoreAddress }, { showAddress }] = await Promise.all([
    import("../named-store.ts"),
    import("../../conversation/open-store.ts"),
  ]);
  const shown = showAddress(findStoreAddress(options) ?? "");
  try {
    await openStoreIfNamed(options);
    return [ok("sessions", `stored in ${shown}, which answers (pi sessions)`)];
  } catch (error) {
    return [problem("sessions", `${shown} cannot be used: ${describeError(error)}`)];
  }
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

function ok(about: string, text: string): Finding {
  return { state: "ok", about, text };
}

function note(about: string, text: string): Finding {
  return { state: "note", about, text };
}

function problem(about: string, text: string): Finding {
  return { state: "problem", about, text };
}
