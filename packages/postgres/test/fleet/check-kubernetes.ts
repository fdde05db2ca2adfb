import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { asList, asMapping, type Mapping, parseYaml, toolsFolder, valuesOf } from "./manifest-tools.ts";

const compiler = fileURLToPath(new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url));
const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "esnext", "--types", ""];

/** The problems of Kubernetes manifests that are applied together: each text is a file. */
export function problemsOfManifests(texts: readonly string[]): string[] {
  const objects = texts.flatMap(parseYaml);
  return [...problemsOfTypes(objects), ...objects.flatMap((object) => missingNames(object, objects))];
}

function nameOf({ kind, metadata }: Mapping): string {
  return `${kind} ${asMapping(metadata).name}`;
}

/**
 * Checks each object against the types of `kubernetes-models`, which are made from the interface description of Kubernetes. The compiler
 * finds missing fields and wrong types, as a JSON Schema does, and fields that do not exist, which the schemas of Kubernetes allow.
 */
function problemsOfTypes(objects: readonly Mapping[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "pikit-manifests-"));
  try {
    symlinkSync(join(toolsFolder, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    // One line an object, so that the line of an error tells the object.
    const lines = objects.map(
      (object, index) => `export const object${index}: import("${moduleOf(object)}").I${object.kind} = ${JSON.stringify(object)};`,
    );
    writeFileSync(join(folder, "objects.ts"), lines.join("\n"));
    const { stdout, error } = spawnSync(process.execPath, [compiler, ...options, "objects.ts"], { cwd: folder, encoding: "utf8" });
    if (error) throw error;
    const errorPattern = /^objects\.ts\((\d+),\d+\): (.*)$/gm;
    return [...stdout.matchAll(errorPattern)].map(([, line, message]) => `${nameOf(objects[Number(line) - 1] ?? {})}: ${message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The module with the type of an object. KEDA's types have a package of their own. */
function moduleOf({ apiVersion, kind }: Mapping): string {
  const folder = String(apiVersion).startsWith("keda.sh/") ? "@kubernetes-models/keda" : "kubernetes-models";
  return `${folder}/${apiVersion}/${kind}`;
}

/** The references of an object to names, keys, ports and labels that none of the objects has. */
function missingNames(object: Mapping, objects: readonly Mapping[]): string[] {
  const problems = [
    ...missingLabels(object, objects),
    ...missingObjects(object, objects),
    ...podsOf([object]).flatMap((pod) => [...missingMounts(pod, object), ...missingPorts(pod)]),
  ];
  return problems.map((problem) => `${nameOf(object)}: ${problem}`);
}

/** The pod templates of these objects. */
function podsOf(objects: readonly Mapping[]): Mapping[] {
  return objects.flatMap(({ spec }) => ("template" in asMapping(spec) ? [asMapping(asMapping(spec).template)] : []));
}

/** A selector without a pod, and the ports of a service that its pods do not have. */
function missingLabels({ kind, spec }: Mapping, objects: readonly Mapping[]): string[] {
  const { selector, template, ports } = asMapping(spec);
  if (selector === undefined) return [];
  const labels = Object.entries(asMapping(asMapping(selector).matchLabels ?? selector));
  const isSelected = (pod: Mapping) => {
    const own = asMapping(asMapping(pod.metadata).labels);
    return labels.every(([name, value]) => own[name] === value);
  };
  const pods = (template === undefined ? podsOf(objects) : [asMapping(template)]).filter(isSelected);
  if (pods.length === 0) return [`no pod has the labels ${JSON.stringify(Object.fromEntries(labels))}`];
  if (kind !== "Service") return [];
  const offered = portNamesOf(pods);
  return asList(ports).flatMap((port) => {
    const { targetPort } = asMapping(port);
    return offered.includes(targetPort) ? [] : [`no pod has the port ${targetPort}`];
  });
}

/** The names of the ports that the containers of the pods listen on. */
function portNamesOf(pods: readonly Mapping[]): unknown[] {
  return pods.flatMap((pod) => valuesOf(pod, "ports").flatMap((list) => asList(list).map((port) => asMapping(port).name)));
}

function missingMounts(pod: Mapping, { spec }: Mapping): string[] {
  const volumes = asList(asMapping(pod.spec).volumes).map((volume) => asMapping(volume).name);
  const claims = asList(asMapping(spec).volumeClaimTemplates).map((claim) => asMapping(asMapping(claim).metadata).name);
  return valuesOf(pod, "volumeMounts")
    .flatMap((mounts) => asList(mounts).map((mount) => asMapping(mount).name))
    .filter((name) => ![...volumes, ...claims].includes(name))
    .map((name) => `there is no volume ${name}`);
}

/** The ports of probes. */
function missingPorts(pod: Mapping): string[] {
  const offered = portNamesOf([pod]);
  return valuesOf(pod, "httpGet").flatMap((probe) => {
    const { port } = asMapping(probe);
    return offered.includes(port) ? [] : [`a probe asks the port ${port}, which does not exist`];
  });
}

/** The other objects that an object names, and the keys of secrets. */
function missingObjects(object: Mapping, objects: readonly Mapping[]): string[] {
  const find = (kind: string, name: unknown) =>
    objects.find((other) => other.kind === kind && asMapping(other.metadata).name === name);
  const references: [kind: string, name: unknown][] = [
    ...fieldsOf(object, "persistentVolumeClaim").map(({ claimName }): [string, unknown] => ["PersistentVolumeClaim", claimName]),
    ...fieldsOf(object, "scaleTargetRef").map(({ kind = "Deployment", name }): [string, unknown] => [String(kind), name]),
    ...fieldsOf(object, "authenticationRef").map(({ name }): [string, unknown] => ["TriggerAuthentication", name]),
  ];
  const keys: [secret: unknown, key: unknown][] = [
    ...[...fieldsOf(object, "secretKeyRef"), ...fieldsOf(object, "secretTargetRef")].map(({ name, key }): [unknown, unknown] => [
      name,
      key,
    ]),
    ...fieldsOf(object, "secret").flatMap(({ secretName, items }) =>
      asList(items).map((item): [unknown, unknown] => [secretName, asMapping(item).key]),
    ),
  ];
  return [
    ...references.filter(([kind, name]) => find(kind, name) === undefined).map(([kind, name]) => `there is no ${kind} ${name}`),
    ...keys
      .filter(([secret, key]) => !(String(key) in asMapping(find("Secret", secret)?.stringData)))
      .map(([secret, key]) => `there is no secret ${secret} with the key ${key}`),
  ];
}

/** The values of a field at any depth, which are mappings or lists of them. */
function fieldsOf(object: Mapping, field: string): Mapping[] {
  return valuesOf(object, field).flatMap((value) => (Array.isArray(value) ? value.map(asMapping) : [asMapping(value)]));
}
