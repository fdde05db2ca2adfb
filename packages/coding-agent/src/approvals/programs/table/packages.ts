/** Scripts of a project whose names say that they change more than the project. */
const risky = "deploy*|*:deploy|*:deploy:*|publish*|release*|*:release|destroy*|*:destroy|db:drop*|db:reset*|*:reset|*:drop|*:wipe";

/** Package managers and build tools, whose tasks are code of the project. */
export const packages = `
npm cnpm pnpm yarn bun (C prefix dir F filter w workspace tag access otp registry e eval print)
  (exec|x|dlx p package c call w workspace)
  read: ls|list|ll|la, root, prefix, bin, help, explain|why, licenses, query, config get|list, get, pkg get, pm ls|bin|hash, cache
    verify, fund
  runs, scripts -c|--call: exec|x|dlx
  interprets javascript: -e|--eval|--print
  unknownCommand: config|c set script-shell*|shell*|node-options*|git*, config --script-shell*, --script-shell*
  writes ~/.npmrc: config|c set|delete|edit
  only writes .: config|c set|delete --location=project
  remote: publish, unpublish, deprecate|undeprecate, dist-tag add|rm|set, owner add|rm, access set|grant|revoke,
    team create|destroy|add|rm, token create|revoke, org set|rm, hook add|rm, adduser|login|logout, stage, deploy,
    run|run-script|rum ${risky}, ${risky}, npm publish, version --push
  system: install|i|in|add|ci|uninstall|un|remove|rm|r|update|up|upgrade|link|ln -g|--global|--location=global, global, setup,
    self-update,
    env use
  only unknown: create|init, publish|pack --dry-run
pip pip3 pipx uv poetry pipenv pdm rye hatch conda mamba micromamba (r requirement c constraint i index-url e editable t target)
  (run p python with extra group project directory C n name)
  read: list, show, freeze, check, help, tree, debug, hash, inspect, env info|list, info, version
  runs: run
  remote: publish, upload
  system: install --break-system-packages, self uninstall
  destroys .: env remove
twine = remote
  only unknown: check
cargo (p package manifest-path features target j jobs Z color config)
  read: tree, metadata, version, help, locate-project, pkgid, read-manifest, verify-project
  writes .: fmt, init, new, add, remove, generate-lockfile
  remote: publish, yank, owner, login, release
  system: install, uninstall
  only read: publish --dry-run
  only unknown: install --path|--root
rustup
  read: show, toolchain|target|component list, which, check
  runs 2..: run
  system: self uninstall, toolchain uninstall
go (C o run tags ldflags p count timeout exec toolexec)
  read: version, env, list, doc, help, vet, mod graph|why|verify
  writes .: fmt, mod init|edit, work init|use|edit|sync
  writes ~/.config/go/env: env -w|-u
  scripts -exec|-toolexec|--exec|--toolexec, unknown: -exec|-toolexec|--exec|--toolexec
make gmake ninja meson scons (C directory f file j jobs) + inside -C|--directory, setsShell
  system: install|uninstall|install-strip
  remote: ${risky}, upload*
  only read: -n|--dry-run|--just-print, -l|--list
just task rake mage nox tox invoke gradle gradlew mvn mvnw ant sbt bazel bazelisk buck buck2 ctest xcodebuild msbuild nx turbo
    lerna moon lage
    rush changeset release-it semantic-release np (C directory f file j jobs p project b build-file)
  remote: ${risky}, *Publish*, upload*
  only read: -n|--dry-run|--just-print, -l|--list
cmake
  system: --install
  runs: -E env|time
  destroys: -E rm|remove|remove_directory
dotnet
  remote: nuget push|delete, publish -p:PublishProfile=*
  data: ef database drop
bundle composer
  read: list, show, info, check
  runs: exec
  system: global, self-update
gem
  read: list, info, environment, which, contents, specification
  remote: push, yank, owner
  system: install|uninstall|update|cleanup, global, self-update
swift mix stack cabal opam dart flutter pod fastlane rebar3 lein zig nimble deno-task expo eas (e)
  interprets others: -e
  remote: publish, pub publish, upload, deliver, release, hex.publish, trunk push|delete, submit
  data: ecto.drop, ecto.reset
manage.py prisma drizzle-kit sequelize sequelize-cli knex typeorm alembic flyway liquibase rails artisan
  data: migrate reset, db push --force-reset|--accept-data-loss, db drop|reset,
    db:drop*|db:reset*|db:purge*|db:truncate*|db:rollback,
    db:migrate:undo*, migrate:rollback|migrate:down|migrate:fresh|migrate:reset|migrate:refresh|db:wipe, schema:drop,
    migration:revert,
    downgrade, clean, drop-all, rollback*, drop, flush, reset_db
`;
