import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The licence texts of packages, as `bundledPackages` returns them, in one text. */
export function thirdPartyNotices(packages) {
  if (packages.length === 0) return "The files of this package contain no third-party code.\n";
  const parts = packages.map(
    ({ folder, name, version, license }) => `${"-".repeat(80)}\n${name} ${version} (${license})\n\n${textOf(folder).trim()}\n`,
  );
  return `The files of this package contain code of the packages below, under their own licences.\n\n${parts.join("\n")}`;
}

function textOf(folder) {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)(\b|$)/i.test(file));
  if (files.length === 0) return "(no licence file in the package)";
  return files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
}
