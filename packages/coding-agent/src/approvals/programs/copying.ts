import type { Action, Call } from "../shell/call.ts";
import { isKnown } from "../shell/shell.ts";
import { type Arg, plainArg } from "../shell/words.ts";

const scriptWritePattern = /(?:^|[\s;{}/|#,!0-9$])[wW][ \t]+([^\s;}]+)/g;
const scriptRun = /\/[gpIim\d]*e[gpIim\d]*\s*(?:$|[;}\n])|(?:^|[;{\n])\s*\d*e\s/;
/** `sed -i`, also in one word with other options. */
const inPlace = /^-[nErsuz]*i/;

/** Programs that copy, move, link and change files. */
export const copying: Record<string, Action> = {
  /** The sources are read, and the target gets their content. */
  copies(call, on) {
    const [target = call.operands.length > 1 ? call.operands.at(-1) : plainArg(".")] = call.pick(on);
    const sources = call.operands.filter((path) => path !== target);
    call.reads(sources);
    if (target) call.writes([target]);
    moveContents(call, sources, target);
    return undefined;
  },
  moves(call, on) {
    moveContents(call, call.operands, call.pick(on)[0] ?? call.operands.at(-1));
    return undefined;
  },
  /** Later paths through a link to another place may lead anywhere. */
  links(call, on) {
    const { operands, shell } = call;
    const [target = operands.length > 1 ? operands.at(-1) : plainArg(".")] = call.pick(on);
    if (!target) return undefined;
    const path = shell.enter(target.text);
    const isFar = /^\/|\.\.|\0/.test(operands[0]?.text ?? "/");
    if (isFar && isKnown(path) && path !== shell.folder) shell.definitions.links.add(path);
    return call.writes([target]);
  },
  /** `tee`: files get the input. */
  saves(call) {
    call.writes(call.operands);
    for (const { text } of call.operands) call.shell.remember(text, call.input);
    return call.input;
  },
  /** `w file` writes a file, `e` runs a command, and `-i` changes the files. */
  sedScript(call) {
    const isApart = call.has("-e|--expression|-f|--file");
    for (const { text } of isApart ? call.values("-e|--expression") : call.operands.slice(0, 1)) {
      for (const [, path = ""] of text.matchAll(scriptWritePattern)) call.writes([plainArg(path)]);
      if (scriptRun.test(text)) call.does("inlineCode");
    }
    if (call.has("-f|--file")) call.does("unknown");
    const files = call.operands.slice(isApart ? 0 : 1);
    const isChanged = call.has("--in-place") || call.args.some(({ text }) => inPlace.test(text));
    return isChanged ? call.writes(files) : call.reads(files);
  },
  /** `dd if=… of=…` */
  copiesBlocks(call) {
    const targets = call.args.filter(({ text }) => text.startsWith("of="));
    return call.writes(targets.map((arg) => ({ ...arg, text: arg.text.slice(3) })));
  },
  unpacks(call, on) {
    const folders = call.pick(on);
    call.writes(folders.length > 0 ? folders : [plainArg(".")]);
    const archives = call.values("-f|--file");
    const isDownload = [call.input, ...archives.map(({ text }) => call.shell.contentOf(text))].some(
      (from) => from?.kind === "download",
    );
    if (isDownload) for (const { text } of folders) call.shell.remember(text, { kind: "download" });
    return undefined;
  },
  /** `scp`, `rsync`: a path with a colon is on another machine. */
  transfers(call) {
    const { operands, shell } = call;
    const isRemote = ({ text }: Arg) => /^[^/]*:/.test(text);
    const sources = operands.slice(0, -1);
    const target = operands.at(-1);
    if (operands.some(isRemote)) call.does("network");
    if (!target || sources.length === 0) return undefined;
    if (isRemote(target)) return call.does("remote");
    call.reads(sources.filter((path) => !isRemote(path)));
    call.writes([target]);
    if (sources.some(isRemote)) shell.remember(target.text, { kind: "download" });
    return undefined;
  },
};

function moveContents({ shell }: Call, sources: readonly Arg[], target: Arg | undefined): void {
  for (const { text } of sources) {
    const content = shell.contentOf(text);
    if (!content || !target) continue;
    shell.remember(target.text, content);
    shell.remember(`${target.text}/${text.slice(text.lastIndexOf("/") + 1)}`, content);
  }
}
