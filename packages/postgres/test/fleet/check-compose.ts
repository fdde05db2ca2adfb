import { readFileSync } from "node:fs";
import { asList, asMapping, type Mapping, parseYaml, requireTool } from "./manifest-tools.ts";

interface Linter {
  lintFiles(paths: string[], recursive: boolean): { messages: { rule: string; line: number; message: string }[] }[];
}

/** Rules about the order of keys do not say anything about validity. */
const rules = {
  "service-dependencies-alphabetical-order": 0,
  "service-keys-order": 0,
  "services-alphabetical-order": 0,
  "top-level-properties-order": 0,
  "require-quotes-in-ports": [1, { quoteType: "double" }],
};

/** The problems of a compose file: what its JSON Schema and the rules of dclint find, and names that do not exist. */
export function problemsOfCompose(file: string): string[] {
  const { DCLinter } = requireTool("dclint") as { DCLinter: new (config: object) => Linter };
  const linter = new DCLinter({ rules, quiet: true, debug: false, exclude: [] });
  const found = linter.lintFiles([file], false).flatMap(({ messages }) => messages);
  const [compose = {}] = parseYaml(readFileSync(file, "utf8"));
  return [...found.map(({ rule, line, message }) => `${line}: ${message} (${rule})`), ...missingNames(compose)];
}

/** The names of services, volumes and configs that are used, and not defined. */
function missingNames(compose: Mapping): string[] {
  const services = asMapping(compose.services);
  return Object.entries(services).flatMap(([name, service]) => {
    const { depends_on, volumes, configs } = asMapping(service);
    const uses: [string, string[], unknown][] = [
      ["service", Array.isArray(depends_on) ? depends_on.map(String) : Object.keys(asMapping(depends_on)), services],
      ["volume", asList(volumes).flatMap(volumeOf), compose.volumes],
      ["config", asList(configs).map((config) => String(asMapping(config).source ?? config)), compose.configs],
    ];
    return uses.flatMap(([kind, names, defined]) =>
      names.filter((used) => !(used in asMapping(defined))).map((used) => `service ${name}: there is no ${kind} ${used}`),
    );
  });
}

/** The name of the volume in `name:path`. A path of the host is no name. */
function volumeOf(volume: unknown): string[] {
  const [source = ""] = String(asMapping(volume).source ?? volume).split(":");
  return /^[./~]/.test(source) ? [] : [source];
}
