import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A copy of the repository that mutants are put into, so that the repository itself is never changed. */
export class WorkingCopy {
  /** Holds the copy and everything that tests write. */
  readonly folder: string;
  readonly root: string;

  /** @param original - The root of the repository, with everything installed. */
  constructor(original: string) {
    // Short, since paths of sockets are below it.
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), "pikit-m-")));
    this.root = join(this.folder, "r");
    // Some tests start programs as another user.
    chmodSync(this.folder, 0o755);
    const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: original });
    for (const file of String(files).split("\0")) {
      if (file !== "" && existsSync(join(original, file))) cpSync(join(original, file), join(this.root, file));
    }
    for (const modules of globSync(["node_modules", "{packages,tools}/*/node_modules"], { cwd: original })) {
      this.#linkModules(original, modules);
    }
    this.clean();
  }

  /** The home and temporary folder of tests. */
  get home(): string {
    return join(this.folder, "t");
  }

  read(file: string): string {
    return readFileSync(join(this.root, file), "utf8");
  }

  /** Removes what tests have left behind. */
  clean(): void {
    rmSync(this.home, { recursive: true, force: true });
    mkdirSync(this.home);
    chmodSync(this.home, 0o1777);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Packages of others are those of the repository, packages of ours those of the copy. */
  #linkModules(original: string, modules: string): void {
    const names = readdirSync(join(original, modules)).flatMap((name) =>
      name.startsWith("@") ? readdirSync(join(original, modules, name)).map((own) => join(name, own)) : [name],
    );
    for (const name of names) {
      if (name.startsWith(".") && name !== ".bin") continue;
      const target = realpathSync(join(original, modules, name));
      const isOurs = target.startsWith(join(original, "packages/"));
      const link = join(this.root, modules, name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(isOurs ? join(this.root, target.slice(original.length)) : target, link);
    }
  }
}
