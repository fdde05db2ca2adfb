import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * The licence texts of every package that a bundle has files of, as one text.
 *
 * @param files - paths of the bundled files; those outside node_modules are ours and need no notice.
 * @throws {Error} When a bundled package has neither a licence file nor a `license` field.
 */
export function thirdPartyNotices(files) {
  const folders = new Set(
    files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []).map((folder) => resolve(folder)),
  );
  const notices = [...folders].map(notice).sort((a, b) => a.title.localeCompare(b.title, "en"));
  if (notices.length === 0) return "The files of this package contain no third-party code.\n";
  const parts = notices.map(({ title, text }) => `${"-".repeat(80)}\n${title}\n\n${text.trim()}\n`);
  return `The files of this package contain code of the packages below, under their own licences.\n\n${parts.join("\n")}`;
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)(\b|$)/i.test(file));
  if (files.length === 0 && !license) throw new Error(`${name} ${version} is bundled but has no licence: leave it out.`);
  const text =
    files.length > 0
      ? files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n")
      : "(no licence file in the package)";
  return { title: `${name} ${version} (${license ?? "see below"})`, text };
}
