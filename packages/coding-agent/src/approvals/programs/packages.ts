import type { Rule, Table } from "../shell/call.ts";
import { plainArg } from "../shell/words.ts";
import { type Family, family } from "./family.ts";

/** Scripts of a project whose names say that they change more than the project. */
const riskyScripts =
  "deploy*|*:deploy|*:deploy:*|publish*|release*|*:release|destroy*|*:destroy|db:drop*|db:reset*|*:reset|*:drop|*:wipe";

const node: Rule = family({
  valued: "C prefix dir F filter w workspace tag access otp registry",
  verbs: {
    read:
      "ls|list|ll|la, root, prefix, bin, help, explain|why, licenses, query, config get|list, get, pkg get, version --json, pm ls|bin|hash, " +
      "workspaces info|list, info --json, cache ls|list|verify, fund, docs, completion, store path|status",
    network:
      "view|info|show|v, outdated, search, ping, whoami, audit, doctor, owner ls|list, dist-tag ls|list, team ls, access list",
    runs:
      "install|i|in|add|ci|clean-install|update|up|upgrade|remove|rm|uninstall|un|r|rebuild|rb|run|run-script|rum|test|t|tst|it|start|stop|restart|" +
      "exec|x|dlx|create|init|link|ln|unlink|dedupe|ddp|prune|pack|import|patch|patch-commit|audit fix|version|set|config|pkg|approve-builds|build|dev, " +
      "config set|delete|edit, cache clean|clear, store prune, workspace|workspaces, node",
    remote:
      "publish, unpublish, deprecate|undeprecate, dist-tag add|rm|set, owner add|rm, access set|grant|revoke, team create|destroy|add|rm, token create|revoke, " +
      `org set|rm, hook add|rm, adduser|login|logout, stage, deploy, run|run-script|rum ${riskyScripts}, ${riskyScripts}, npm publish, version --push`,
    system: `install|i|in|add|ci|uninstall|un|remove|rm|r|update|up|upgrade|link|ln -g|--global|--location=global, global, setup, self-update, env use`,
  },
  instead: { read: "publish|pack --dry-run", runs: "install --dry-run, create|init, publish --dry-run" },
  alone: "runs",
});

const python: Rule = family({
  valued: "r requirement c constraint i index-url e editable t target",
  verbs: {
    read: "list, show, freeze, check, help, config get|list, tree, debug, hash, inspect, env info|list, info, version",
    network: "search, index, download, view, outdated",
    runs: "install, uninstall, wheel, add, remove, sync, lock, update, upgrade, init, new, venv, tool, pip, build, run, shell, self, cache, lock, export, create, activate",
    remote: "publish, upload",
    system: "install --break-system-packages, self uninstall",
    wide: "env remove",
  },
});

/** Build tools: their tasks are code of the project. */
const tasks: Family = {
  valued: "C directory f file j jobs p project b build-file",
  verbs: { runs: "*", remote: `${riskyScripts}, deploy:*, *Publish*, upload*` },
  instead: { read: "-n|--dry-run|--just-print, -l|--list" },
  alone: "runs",
};

export const packages: Table = {
  "npm cnpm pnpm yarn bun": node,
  "pip pip3 pipx uv poetry pipenv pdm rye hatch conda mamba micromamba": python,
  twine: (call) => call.does(call.args[0]?.text === "check" ? "unknown" : "remote"),
  cargo: family({
    valued: "p package manifest-path features target j jobs Z color",
    verbs: {
      read: "tree, metadata, version, help, locate-project, pkgid, read-manifest, verify-project",
      write: "fmt, init, new, add, remove, generate-lockfile",
      network: "search, fetch, update, info, vendor, audit, outdated",
      runs: "build|b, check|c, test|t, run|r, bench, clippy, doc, fix, clean, rustc, nextest, install --path, expand, watch, llvm-cov, package, xtask",
      remote: "publish, yank, owner, login, release",
      system: "install, uninstall",
    },
    instead: { read: "publish --dry-run", runs: "install --path|--root" },
  }),
  rustup: family({
    verbs: {
      read: "show, toolchain list, target list, component list, which, doc, check",
      runs: "*",
      system: "self uninstall, toolchain uninstall",
    },
  }),
  go: family({
    valued: "C o run tags ldflags p count timeout",
    verbs: {
      read: "version, env, list, doc, help, mod graph|why|verify, vet",
      write: "fmt, mod init|edit, work init|use|edit|sync",
      network: "get, mod download|tidy|vendor",
      runs: "build, test, run, generate, tool, install, fix, clean, telemetry",
    },
    more: {
      env(call, { has }) {
        if (has("w", "u")) call.writes([plainArg(`${call.shell.home}/.config/go/env`)]);
      },
      clean(call, { has }) {
        if (has("cache", "modcache", "i")) call.does("unknown");
      },
    },
  }),
  // `make install` copies programs to folders of the system.
  "make gmake ninja meson scons": family({ ...tasks, verbs: { ...tasks.verbs, system: "install|uninstall|install-strip" } }),
  "just task rake mage nox tox invoke gradle gradlew mvn mvnw ant sbt bazel bazelisk buck buck2 ctest xcodebuild msbuild nx turbo lerna moon lage rush changeset release-it semantic-release np":
    family(tasks),
  cmake: family({ verbs: { runs: "*" }, instead: { system: "--install" }, alone: "runs" }),
  dotnet: family({
    verbs: {
      read: "list, sln list",
      runs: "*",
      remote: "nuget push|delete, publish -p:PublishProfile=*",
      data: "ef database drop",
    },
  }),
  "bundle composer": family({
    verbs: {
      read: "list, show, info, check, version, config, licenses, validate, depends, why",
      network: "outdated, audit, search",
      runs: "*",
    },
    instead: { system: "global, self-update" },
    alone: "runs",
  }),
  gem: family({
    verbs: {
      read: "list, show, info, check, version, environment, which, contents, specification, config, licenses, validate, depends, why",
      network: "search, outdated, query, audit",
      runs: "*",
      remote: "push, yank, owner",
      system: "install|uninstall|update|cleanup, global, self-update",
    },
  }),
  "swift mix stack cabal opam dart flutter pod fastlane rebar3 lein zig nimble deno-task expo eas": family({
    verbs: {
      read: "version, list, doctor, help, devices",
      runs: "*",
      remote: "publish, pub publish, upload, deliver, release, hex.publish, trunk push|delete, submit, ecto.drop, ecto.reset",
      data: "ecto.drop, ecto.reset",
    },
    alone: "runs",
  }),
  "manage.py prisma drizzle-kit sequelize sequelize-cli knex typeorm alembic flyway liquibase rails artisan": family({
    verbs: {
      read: "version, validate, format, routes, migrate status, migrate:status, history, current, heads, status, info, about, stats, notes",
      runs: "*",
      data:
        "migrate reset, db push --force-reset|--accept-data-loss, db drop|reset, db:drop*|db:reset*|db:purge*|db:truncate*|db:rollback, db:migrate:undo*, " +
        "migrate:rollback|migrate:down|migrate:fresh|migrate:reset|migrate:refresh|db:wipe, schema:drop, migration:revert, downgrade, clean, drop-all, rollback*, drop, flush, reset_db",
    },
    alone: "runs",
  }),
};
