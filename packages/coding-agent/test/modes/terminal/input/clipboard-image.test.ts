import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readClipboardImage } from "../../../../src/modes/terminal/input/clipboard-image.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";
import { png } from "./images.ts";

const workspace = useWorkspace();

/** Writes a program of the system, which a shell runs. */
async function program(name: string, script: string): Promise<void> {
  const path = await workspace.write(`bin/${name}`, `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
  await chmod(path, 0o755);
}

interface Machine {
  platform?: NodeJS.Platform;
  env?: NodeJS.ProcessEnv;
  timeoutMs?: number;
}

async function read({ platform = "linux", env = {}, ...options }: Machine) {
  await mkdir(join(workspace.root, "bin"), { recursive: true });
  const searchPath = `${join(workspace.root, "bin")}:${workspace.cwd}`;
  return readClipboardImage({ cwd: workspace.cwd, platform, env: { PATH: searchPath, ...env }, ...options });
}

const wayland = { env: { WAYLAND_DISPLAY: "wayland-0" } };
const x11 = { env: { DISPLAY: ":0" } };
const mac: Machine = { platform: "darwin" };
const pngFile = () => workspace.write("image.png", png);

describe("each program", () => {
  test("wl-paste: of several types the best one", async () => {
    const file = await pngFile();
    await program(
      "wl-paste",
      `case "$*" in --list-types) printf 'text/plain\\nimage/jpeg\\nimage/png\\n';; *image/png) cat '${file}';; esac`,
    );
    expect(await read(wayland)).toEqual({ bytes: png });
  });

  test("xclip", async () => {
    const file = await pngFile();
    await program("xclip", `case "$*" in *TARGETS*) printf 'TARGETS\\nimage/png\\n';; *image/png*) cat '${file}';; esac`);
    expect(await read(x11)).toEqual({ bytes: png });
  });

  test("pngpaste, and without it osascript", async () => {
    await program("osascript", `echo '«data PNGf${png.toString("hex").toUpperCase()}»'`);
    expect(await read(mac)).toEqual({ bytes: png });
    const other = Buffer.from("other");
    await program("pngpaste", '[ "$1" = - ] && printf other');
    expect(await read(mac)).toEqual({ bytes: other });
  });

  test("powershell, also from Linux on Windows", async () => {
    const answer = `echo '${png.toString("base64")}'`;
    await program("powershell.exe", `case "$*" in "-NoProfile -NonInteractive -STA -Command "*GetImage*) ${answer};; esac`);
    expect(await read({ env: { WSL_DISTRO_NAME: "Debian" } })).toEqual({ bytes: png });
  });

  test("xclip answers if wl-paste has no image", async () => {
    const file = await pngFile();
    await program("wl-paste", "echo text/plain");
    await program("xclip", `case "$*" in *TARGETS*) echo image/png;; *) cat '${file}';; esac`);
    expect(await read({ env: { ...wayland.env, ...x11.env } })).toEqual({ bytes: png });
  });
});

describe("no image", () => {
  const noImage = { problem: "The clipboard has no image." };

  test("the clipboard has text, or nothing", async () => {
    await program("wl-paste", "echo text/plain");
    expect(await read(wayland)).toEqual(noImage);
    await program("wl-paste", "echo 'Nothing is copied' >&2; exit 1");
    expect(await read(wayland)).toEqual(noImage);
    await program("osascript", "exit 1");
    expect(await read(mac)).toEqual(noImage);
    await program("powershell.exe", "exit 0");
    expect(await read({ env: { WSL_DISTRO_NAME: "Debian" } })).toEqual(noImage);
  });

  test("there is no program, or no display", async () => {
    const end = "Or drop the file of the image into the terminal.";
    expect(await read({ platform: "freebsd" })).toEqual({
      problem: `The clipboard cannot be read here. There is no display (WAYLAND_DISPLAY, DISPLAY). ${end}`,
    });
  });

  test("a program that does not end is killed", async () => {
    await program("wl-paste", "exec sleep 600");
    // no race: the program never ends
    expect(await read({ ...wayland, timeoutMs: 200 })).toEqual({
      problem: "The clipboard cannot be read: wl-paste: it did not end within 0.2 s.",
    });
  });

  test("the image is too large", async () => {
    await program("wl-paste", 'case "$*" in --list-types) echo image/png;; *) head -c 70000000 /dev/zero;; esac');
    expect(await read(wayland)).toEqual({ problem: "The clipboard cannot be read: wl-paste: its output is larger than 64 MB." });
  });

  test("a program of the project is not run, and keys are not passed on", async () => {
    await program("wl-paste", 'echo "$SOME_API_KEY" > "$0.key"; echo text/plain');
    expect(await read({ env: { ...wayland.env, SOME_API_KEY: "secret" } })).toEqual(noImage);
    const { readFile, rename } = await import("node:fs/promises");
    const path = join(workspace.root, "bin/wl-paste");
    expect(await readFile(`${path}.key`, "utf8")).toBe("\n");
    await rename(path, join(workspace.cwd, "wl-paste"));
    expect(await read(wayland)).toMatchObject({ problem: expect.stringContaining("Install wl-clipboard.") });
  });
});
