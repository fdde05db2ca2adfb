import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createCommandEnvironment, isSecretName } from "../../src/exec/command-environment.ts";
import { findProgram } from "../../src/exec/find-program.ts";
import { createLocalProcesses, runProcess } from "../../src/exec/run-process.ts";
import { useTempFolder } from "./temp-folder.ts";

const folder = useTempFolder();
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("SC-015 keys in the environment", () => {
  test.each([
    ...["OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GH_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "PGPASSWORD"],
    ...[
      "npm_config_//registry.example/:_authToken",
      "DB_PASS",
      "MYSQL_PWD",
      "OTEL_EXPORTER_OTLP_HEADERS",
      "PI_SESSION_STORE",
      "GOOGLE_APPLICATION_CREDENTIALS",
      "SOME_APIKEY",
    ],
    ...["GITHUB_PAT", "REDISCLI_AUTH", "Vault_Token", "CLIENT_SECRET_2", "sshKeyPassphrase", "SIGNING_KEYS"],
  ])("%s is a secret", (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  test.each([
    ...["PATH", "HOME", "PWD", "OLDPWD", "SSH_AUTH_SOCK", "SSH_ASKPASS", "KEYBOARD_LAYOUT", "TOKENIZERS_PARALLELISM", "LESSKEYIN"],
    ...["XAUTHORITY", "COMPASS_DIR", "MONKEY", "LANG", "MAX_TOKENS", "AUTHOR", "BYPASS", "npm_config_cache"],
  ])("%s is none", (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  test("are inherited, unless that is switched off", async () => {
    const env = { PATH: process.env.PATH, PROJECT: "demo", DEMO_API_KEY: "k-inherited" };
    const command = "echo $PROJECT $(printenv DEMO_API_KEY || echo none)";
    const outputs = [true, false, undefined].map(async (passKeys) => {
      const { run } = createLocalProcesses({ env: createCommandEnvironment({ env, passKeys }) });
      return (await run({ command, cwd: folder.path })).output;
    });
    expect(await Promise.all(outputs)).toEqual(["demo k-inherited\n", "demo none\n", "demo k-inherited\n"]);
    expect(env.DEMO_API_KEY).toBe("k-inherited");
  });

  test("the default is the environment of this process", () => {
    vi.stubEnv("DEMO_TOKEN", "t");
    expect(createCommandEnvironment()).toEqual(process.env);
    expect(createCommandEnvironment({ passKeys: false })).not.toHaveProperty("DEMO_TOKEN");
    expect(createCommandEnvironment({ passKeys: false }).PATH).toBe(process.env.PATH);
  });
});

test("SC-009 a .env in the working folder does not change the environment of commands", async () => {
  await writeFile(join(folder.path, ".env"), "PATH=/nonexistent\nFROM_FILE=1\nBASH_ENV=./evil.sh\n");
  await writeFile(join(folder.path, "evil.sh"), "echo evil\n");
  const { output } = await runProcess({ command: "ls -A; printenv FROM_FILE || echo unset", cwd: folder.path });
  expect(output).toBe(".env\nevil.sh\nunset\n");
});

test("SC-013 helper programs are not taken from the working folder, whatever PATH says, also by a link", async () => {
  const bin = join(folder.path, "project", "bin");
  const link = join(folder.path, "link");
  await mkdir(bin, { recursive: true });
  await symlink(bin, link);
  for (const name of ["demo-helper", "mkfifo", "bash", "sh", "grep", "ps", "rm"]) {
    await writeFile(join(bin, name), "#!/bin/sh\necho taken >&2\n");
    await chmod(join(bin, name), 0o755);
  }
  const cwd = join(folder.path, "project");
  const searchPath = `.::bin:./bin:${bin}:${link}:${process.env.PATH}`;
  expect(await findProgram("demo-helper", { cwd, searchPath })).toBeUndefined();
  expect(await findProgram("demo-helper", { cwd: "/", searchPath: bin })).toBeUndefined();
  const elsewhere = join(folder.path, "elsewhere");
  await mkdir(elsewhere);
  expect(await findProgram("demo-helper", { cwd: elsewhere, searchPath })).toBe(join(bin, "demo-helper"));
  const result = await runProcess({ command: "echo real > /dev/stderr; echo $0", cwd, env: { PATH: searchPath } });
  expect(result.output).toMatch(/^real\n\/.*bash\n$/);
});

describe("the shell", () => {
  test("can be chosen", async () => {
    const shell = join(folder.path, "shell");
    await writeFile(shell, '#!/bin/sh\necho "chosen: $3"\n');
    await chmod(shell, 0o755);
    const { run } = createLocalProcesses({ shellPath: shell });
    expect((await run({ command: "echo a", cwd: folder.path })).output).toBe("chosen: echo a\n");
  });

  test.each(["relative/shell", "/nonexistent/shell"])("TL-005 that cannot be run is a clear error: %s", async (shellPath) => {
    const { run } = createLocalProcesses({ shellPath });
    await expect(run({ command: "echo a", cwd: folder.path })).rejects.toMatchObject({
      name: "ToolError",
      code: "shell_missing",
      message: expect.stringContaining(shellPath),
    });
  });
});
