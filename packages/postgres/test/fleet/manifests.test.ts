import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { problemsOfCompose } from "./check-compose.ts";
import { problemsOfManifests } from "./check-kubernetes.ts";

const example = fileURLToPath(new URL("../../../../examples/fleet/", import.meta.url));
const composeFile = join(example, "compose.yaml");
const files = [...readdirSync(join(example, "kubernetes")).map((name) => join("kubernetes", name)), "autoscaling.yaml"];
const manifests = files.map((file) => readFileSync(join(example, file), "utf8"));

/** The text with a part replaced, which must be there. */
function change(text: string, part: string, replacement: string): string {
  expect(text).toContain(part);
  return text.replaceAll(part, replacement);
}

describe("the compose file", () => {
  function problemsAfter(part: string, replacement: string): string {
    const file = join(mkdtempSync(join(tmpdir(), "pikit-compose-")), "compose.yaml");
    writeFileSync(file, change(readFileSync(composeFile, "utf8"), part, replacement));
    return problemsOfCompose(file).join("\n");
  }

  test("is valid, and every name in it is defined", () => {
    expect(problemsOfCompose(composeFile)).toEqual([]);
  });

  test.each([
    ["stop_grace_period:", "stop_grace:", "must NOT have additional properties"],
    ["image: caddy:2", "image: 2", /services\/front\/image.*must be string/],
    ["condition: service_healthy", "condition: healthy", "services/worker/depends_on"],
    ["database:/var", "data:/var", "service postgres: there is no volume data"],
    ["source: caddyfile", "source: caddy", "service front: there is no config caddy"],
    ["serve-2:\n        condition", "serve-3:\n        condition", "service front: there is no service serve-3"],
  ])("%s → %s is found", (part, replacement, problem) => {
    expect(problemsAfter(part, replacement)).toMatch(problem);
  });
});

describe("the manifests", () => {
  test("are valid, and every name in them is defined", () => {
    expect(manifests).toHaveLength(6);
    expect(problemsOfManifests(manifests)).toEqual([]);
  });

  test("mistakes are found: fields, types, names, keys, ports and labels", () => {
    const all = manifests.join("\n---\n");
    const mistakes: [string, string, string][] = [
      ["readinessProbe:", "readinesProbe:", `'"readinesProbe"' does not exist`],
      ["containerPort: 4711", 'containerPort: "4711"', "Type 'string' is not assignable to type 'number'"],
      ["kind: PodDisruptionBudget", "kind: PodDisruption", "Cannot find module 'kubernetes-models/policy/v1/PodDisruption'"],
      ["cooldownPeriod:", "coolDownPeriod:", `'"coolDownPeriod"' does not exist`],
      [
        "scaleTargetRef:\n    name: pi-workers",
        "scaleTargetRef:\n    name: pi-worker",
        "ScaledObject pi-workers: there is no Deployment pi-worker",
      ],
      [
        "authenticationRef:\n        name: pi-database",
        "authenticationRef:\n        name: pi",
        "there is no TriggerAuthentication pi",
      ],
      ["claimName: pi-work", "claimName: pi-files", "Deployment pi-workers: there is no PersistentVolumeClaim pi-files"],
      ["key: ANTHROPIC_API_KEY", "key: KEY", "Deployment pi-serve: there is no secret pi with the key KEY"],
      ["targetPort: http", "targetPort: web", "Service pi: no pod has the port web"],
      ["port: http\n", "port: web\n", "Deployment pi-serve: a probe asks the port web"],
      ["app: pi-worker\n    spec", "app: worker\n    spec", 'PodDisruption pi-workers: no pod has the labels {"app":"pi-worker"}'],
      ["- name: token\n          emptyDir", "- name: tokens\n          emptyDir", "Deployment pi-serve: there is no volume token"],
    ];
    const changed = mistakes.reduce((text, [part, replacement]) => change(text, part, replacement), all);
    const problems = problemsOfManifests([changed]).join("\n");
    for (const [, , problem] of mistakes) expect(problems).toContain(problem);
  });
});
