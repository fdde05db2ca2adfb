import { join } from "node:path";
import type { InterruptMode, QueueMode } from "@pikit/agent";
import { readJsonFile } from "../../../config/json-file.ts";
import { agentFolder, projectFolder } from "../../../config/paths.ts";
import { askForTrust } from "../../../config/project-trust.ts";
import { updateJsonFile } from "../../../config/update-json-file.ts";
import { SessionError } from "../../../errors.ts";
import type { AgentSession } from "../../../session/agent-session.ts";
import { absentUser } from "../../../user-interface.ts";
import { chooseFrom, type ListRow } from "../dialogs/list-panel.ts";
import { askForText } from "../dialogs/text-panel.ts";
import type { Stage } from "../stage.ts";
import type { TerminalCommand } from "./command.ts";
import { listSettings, type Setting, valueAt, withValue } from "./setting-list.ts";

export const settingsCommand: TerminalCommand = {
  name: "settings",
  description: "show the settings and change them",
  run: showSettings,
};

/** The contents of the files with settings. */
interface Files {
  userPath: string;
  user: Record<string, unknown>;
  /** Empty if the project has none, or the user does not trust it. */
  project: Record<string, unknown>;
}

async function showSettings(stage: Stage): Promise<void> {
  const settings = listSettings();
  let selected: string | undefined;
  for (;;) {
    const files = await readFiles(stage.session);
    const rows = settings.map(
      (setting): ListRow<string> => ({ value: nameOf(setting), label: nameOf(setting), detail: describe(setting, files) }),
    );
    selected = await chooseFrom(stage, { title: "Settings", rows, ...(selected === undefined ? {} : { selected }) });
    const setting = settings.find((each) => nameOf(each) === selected);
    if (!setting) return;
    await change(stage, setting, files);
  }
}

async function readFiles({ cwd }: AgentSession): Promise<Files> {
  const agentDir = agentFolder();
  const userPath = join(agentDir, "settings.json");
  const { trusted } = await askForTrust({ cwd, agentDir, user: absentUser });
  const project = trusted ? readJsonFile(join(projectFolder(cwd), "settings.json")) : {};
  return { userPath, user: readJsonFile(userPath), project };
}

function nameOf({ path }: Setting): string {
  return path.join(".");
}

/** The value of a setting, and the file that it is from. */
function describe(setting: Setting, { user, project }: Files): string {
  const ofProject = valueAt(project, setting.path);
  const ofUser = valueAt(user, setting.path);
  const said = setting.description === "" ? "" : ` · ${setting.description}`;
  if (ofProject !== undefined) return `${show(setting, ofProject)} (this folder)${said}`;
  return ofUser === undefined ? `not set${said}` : `${show(setting, ofUser)} (your file)${said}`;
}

/** The values of records are not shown: they may contain keys. */
function show({ kind }: Setting, value: unknown): string {
  if (kind !== "file" || typeof value !== "object" || value === null) return String(value);
  const count = Object.keys(value).length;
  return `${count} ${count === 1 ? "entry" : "entries"}`;
}

async function change(stage: Stage, setting: Setting, { userPath, user, project }: Files): Promise<void> {
  const name = nameOf(setting);
  if (setting.kind === "file") {
    stage.note(`${name} is changed in ${userPath}.`);
    return;
  }
  const before = valueAt(user, setting.path);
  const answer = setting.kind === "choice" ? await askForChoice(stage, setting, before) : await askForValue(stage, setting, before);
  if (!answer) return;
  await updateJsonFile(userPath, (content) => withValue(content, setting.path, answer.value));
  const isLive = answer.value !== undefined && apply(stage.session, name, answer.value);
  const shown = answer.value === undefined ? `${name} is not set any more` : `${name} is ${String(answer.value)} in ${userPath}`;
  stage.note(`${shown}. This applies ${isLive ? "now" : "from the next start on"}.`);
  if (valueAt(project, setting.path) !== undefined)
    stage.note(`In this folder, .pi/settings.json has another value for ${name}.`, "warning");
}

/** The new value, or undefined in it for none; undefined if the user has changed nothing. */
type Answer = { value: unknown } | undefined;

async function askForChoice(stage: Stage, setting: Setting, before: unknown): Promise<Answer> {
  const values = [...setting.choices, undefined];
  const rows = values.map((value, index) => ({
    value: index,
    label: value === undefined ? "not set (the default)" : String(value),
  }));
  const title = `${nameOf(setting)}: ${setting.description}`;
  const chosen = await chooseFrom(stage, { title, rows, current: values.indexOf(before as string | boolean | undefined) });
  return chosen === undefined ? undefined : { value: values[chosen] };
}

async function askForValue(stage: Stage, setting: Setting, before: unknown): Promise<Answer> {
  const name = nameOf(setting);
  const value = before === undefined ? "" : String(before);
  const text = await askForText(stage, { title: name, text: setting.description, value, placeholder: "nothing: the default" });
  if (text === undefined) return undefined;
  const typed = text.trim();
  if (typed === "") return { value: undefined };
  if (setting.kind === "text") return { value: typed };
  const number = Number(typed);
  const { minimum = Number.NEGATIVE_INFINITY } = setting;
  if (Number.isFinite(number) && number >= minimum) return { value: number };
  throw new SessionError(
    "invalid_input",
    `${name} must be a number${Number.isFinite(minimum) ? ` of at least ${minimum}` : ""}, but is "${typed}".`,
  );
}

/** Applies a setting to the running session. Returns whether that is possible. */
function apply(session: AgentSession, name: string, value: unknown): boolean {
  switch (name) {
    case "compaction.enabled":
      session.compaction.setEnabled(value === true);
      return true;
    case "retry.enabled":
      session.retries.setEnabled(value === true);
      return true;
    case "steeringMode":
      session.queues.setMode("steer", value as QueueMode);
      return true;
    case "followUpMode":
      session.queues.setMode("followUp", value as QueueMode);
      return true;
    case "interruptMode":
      session.queues.setInterruptMode(value as InterruptMode);
      return true;
    default:
      return false;
  }
}
