import { fieldsOf } from "../shell/words.ts";

/** How an interpreter takes code, and what the code may do. */
export interface Language {
  /** Options with code. */
  code: string;
  /** Other options with a value, without dashes. */
  valued: string;
  comment: RegExp;
  /**
   * Names that delete or write files, or start programs. `os.remove` only counts with its module, `rm(` only as a call. A backquote stands for
   * the commands that some languages run between backquotes.
   */
  calls: ReadonlySet<string>;
}

const hash = /#.*/g;
const slashes = /(?<!:)\/\/.*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g;

const javascript: Language = {
  code: "-e|-p|--eval|--print",
  valued: "r C require import loader",
  comment: slashes,
  calls: names(`
    rm( rmSync rmdir rmdirSync unlink unlinkSync writeFile writeFileSync appendFile appendFileSync createWriteStream truncate( truncateSync
    rename( renameSync copyFile copyFileSync cp( cpSync mkdir mkdirSync symlink symlinkSync chmod( chmodSync exec( execSync execFile
    execFileSync spawn( spawnSync fork( eval( Function( rimraf outputFile outputFileSync emptyDir emptyDirSync removeSync process.kill
    process.binding Bun.write Bun.spawn Deno.remove Deno.writeFile Deno.writeTextFile Deno.run Deno.Command Deno.rename Deno.copyFile
    Deno.mkdir $\``),
};

export const languages: Readonly<Record<string, Language>> = {
  javascript,
  deno: javascript,
  python: {
    code: "-c",
    valued: "W X m",
    comment: hash,
    calls: names(`
      rmtree unlink removedirs rmdir os.remove os.system os.popen os.rename os.replace os.kill os.killpg os.execv os.execvp os.execl os.spawnv
      os.spawnl os.chmod os.chown os.truncate os.makedirs os.mkdir os.symlink os.link os.write os.open os.posix_spawn shutil.move shutil.copy
      shutil.copy2 shutil.copyfile shutil.copytree shutil.chown shutil.unpack_archive subprocess pty.spawn check_call check_output Popen
      write_text write_bytes touch to_csv to_json to_excel to_parquet savefig extractall mkdir writelines requests.delete requests.put
      requests.patch urlretrieve exec eval __import__ getattr importlib marshal ctypes drop_all executescript`),
  },
  perl: {
    code: "-e|-E",
    valued: "I M m",
    comment: hash,
    calls: names(`
      unlink rmdir rmtree remove_tree system exec rename truncate mkdir kill chmod chown symlink sysopen syswrite fork eval qx spew write_file
      spurt \``),
  },
  ruby: {
    code: "-e",
    valued: "I r",
    comment: hash,
    calls: names(`
      FileUtils unlink rmtree rm_rf rm_r rm_f rm delete system exec spawn fork popen popen2 popen3 rename mkdir mkdir_p chmod chown symlink
      truncate eval send File.write File.delete File.rename IO.write IO.popen Open3 Process.kill \``),
  },
  php: {
    code: "-r|-B|-E",
    valued: "d c",
    comment: /#.*|(?<!:)\/\/.*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g,
    calls: names(`
      unlink rmdir file_put_contents fwrite fputs rename( copy( mkdir chmod( chown( touch( symlink system( exec( shell_exec passthru popen
      proc_open pcntl_exec eval( move_uploaded_file \``),
  },
  others: {
    code: "-e|-E|-c|--eval|--execute",
    valued: "l",
    comment: /--.*/g,
    calls: names(`
      os.remove os.rename os.execute io.popen system system2 unlink file.remove file.rename file.delete file.copy writeLines write.csv
      write.table rm exec run delete execute cp mv sh File.rm File.rm_rf File.write File.write! File.cp do.call shell remove write write_file
      spawn shell-command delete-file delete-directory`),
  },
};

function names(text: string): ReadonlySet<string> {
  return new Set(fieldsOf(text));
}

/** In all languages: a file that is opened to be written, and names of modules and methods that stand in strings. */
const openWrite =
  /open\w*\s{0,9}\(?[^;\n]{0,200}?,\s{0,9}(?:mode\s{0,9}=\s{0,9})?['"]\s{0,9}(?:[rbt]{0,2}[wax][rbt+]{0,2}['"]|r[bt]?\+|\+?>|\||<\+|-\|)/;
const hidden = /child_process|\[\s{0,9}['"`](rm|unlink|write|append|exec|spawn)\w*['"`]\s{0,9}\]|do shell script|to delete|%x/;

/** Statements of SQL that change or delete data. */
export const sqlChange =
  /\b(drop|truncate)\s+(table|database|schema|index|view|user|role|column)|\b(delete\s+from|truncate\s+\w+|update\s+[\w."]+\s+set|alter\s+(table|database|user|role)|grant|revoke)\b/i;

const stringPattern =
  /[fFrRbBuU]{0,2}(?:"""(?:[^"]|"(?!""))*(?:""")?|'''(?:[^']|'(?!''))*(?:''')?|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/g;
const namePattern = /[A-Za-z_$][\w$-]*(?:[.:]+[A-Za-z_$][\w$-]*)*!?[ \t]{0,9}[(`]?/g;

const maxCode = 100_000;

/** Whether code may delete or write files, or start programs. Strings and comments are no code, but some strings have code inside. */
export function mayChange(code: string, { calls, comment }: Language): boolean {
  if (code.length > maxCode || openWrite.test(code) || hidden.test(code) || sqlChange.test(code)) return true;
  const bare = code
    .replace(stringPattern, (text) => (text.length < 7 || /^[fF]|[#$@{`]/.test(text) ? text : '""'))
    .replace(comment, "");
  if (calls.has("`") && bare.includes("`")) return true;
  for (const [found] of bare.matchAll(namePattern)) {
    const name = found.replace(/[ \t]+/, "").replaceAll("::", ".");
    const parts = name.slice(-100).split(".");
    const known = [parts.at(-1) ?? "", parts.slice(-2).join("."), parts[0] ?? ""];
    if (known.some((part) => calls.has(part) || calls.has(part.replace(/[(`]$/, "")))) return true;
  }
  return false;
}
