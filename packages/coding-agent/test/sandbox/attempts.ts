/** An attempt to get out of the sandbox. */
export interface Attempt {
  name: string;
  /** A script for bash that succeeds if the attempt did. `$OUT` is a folder next to the project, `$TOKEN` a text in all secrets, a variable of the shell only. */
  script: string;
  /** Whether it succeeds without a sandbox on any Linux, so that a check that can never fail is found. Default: true. */
  isControl?: false;
}

/** An attempt whose success without a sandbox depends on the machine or would change it. */
const only = (name: string, script: string): Attempt => ({ name, script, isControl: false });
const attempt = (name: string, script: string): Attempt => ({ name, script });
/** Calls the kernel from perl. */
const perl = (code: string) => `perl -e '${code}'`;
/** Connects to a socket and looks for the answer of the test's server. */
const connect = (where: string) =>
  `"$NODE" -e 'require("net").connect(${where}).on("data",(d)=>process.exit(String(d).includes("reached")?0:1)).on("error",()=>process.exit(1))'`;

/** Whether a process of the test is there; another one may have its number in the sandbox. */
const seesVictim = `tr '\\0' ' ' < "/proc/$VICTIM_PID/cmdline" | grep -q '^sleep 300\\.5 '`;

/** Each succeeds if something outside of the project has changed. */
export const writes: readonly Attempt[] = [
  attempt("a file next to the project", `echo x > "$OUT/w1"`),
  attempt("through a link to a folder", `ln -s "$OUT" l2 && echo x > l2/w2`),
  attempt("through a link to a file that does not exist", `ln -s "$OUT/w3" l3 && echo x > l3`),
  attempt("through ..", "echo x > ../outside/w4"),
  attempt("through a hard link", `ln "$OUT/file" h5 && echo x >> h5`),
  attempt("by renaming a file", `mv "$OUT/file6" "$OUT/moved6"`),
  attempt("by moving a file in", `mv "$OUT/file7" moved7`),
  attempt("by deleting a file", `rm "$OUT/file8"`),
  attempt("by permissions", `chmod 777 "$OUT/file"`),
  attempt("by a time", `touch -d 2001-01-01 "$OUT/file"`),
  attempt("by truncating", `truncate -s 0 "$OUT/file11"`),
  attempt("through /proc/self/root", `echo x > "/proc/self/root$OUT/w12"`),
  attempt("through /proc/self/cwd", "echo x > /proc/self/cwd/../outside/w13"),
  attempt("from a background process that left its group", `setsid sh -c 'echo x > "$OUT/w14"' & wait $!; [ -e "$OUT/w14" ]`),
  attempt("in the home folder", `echo x > "$HOME/w15"`),
  attempt("a start file of the home folder", `echo x >> "$HOME/.bashrc"`),
  attempt("the session file of another session", `echo x >> "$AGENT/sessions/other.jsonl"`),
  only("through the root of process 1", `echo x > "/proc/1/root$OUT/w18"`),
  only("with a mount that is writable again", `mount -o remount,bind,rw "$OUT" && echo x > "$OUT/w19"`),
  only("with a mount of the folder above", `mkdir m20 && mount --bind "$OUT" m20 && echo x > m20/w20`),
  only("in a user namespace with a mount", `unshare -Urm sh -c 'mount -o remount,bind,rw / && echo x > "$OUT/w21"'`),
  only("in another bubblewrap", `bwrap --dev-bind / / sh -c 'echo x > "$OUT/w22"'`),
  only("with chroot", `chroot /proc/1/root sh -c 'echo x > "$OUT/w23"'`),
  only("with the namespaces of process 1", `nsenter -t 1 -m sh -c 'echo x > "$OUT/w24"'`),
  only("by moving the project away", `mv "$PROJECT" "$PROJECT-moved"`),
  only("a library that all programs load", ": >> /etc/ld.so.preload"),
  only("a table of cron", "echo '0 0 1 1 *' | crontab -"),
  only("a setting of the kernel", ": >> /proc/sys/kernel/core_pattern"),
  only("the keys of the kernel for emergencies", ": >> /proc/sysrq-trigger"),
  only("a setting in /sys", ": >> /sys/kernel/mm/transparent_hugepage/enabled"),
  only("a control group", "mkdir /sys/fs/cgroup/pikit-test || mkdir /sys/fs/cgroup/memory/pikit-test"),
  only("a device of a disk", "mknod d32 b 8 0 && head -c 1 d32"),
  only("the devices of the machine", "[ -e /dev/mem ] || [ -e /dev/kmsg ] || [ -e /dev/vda ] || [ -e /dev/sda ]"),
];

/** Each succeeds if it has found a secret. */
export const reads: readonly Attempt[] = [
  attempt("a key of SSH", `grep -q "$TOKEN" "$HOME/.ssh/id_ed25519"`),
  attempt("through a link", `ln -s "$HOME/.ssh" s2 && grep -q "$TOKEN" s2/id_ed25519`),
  attempt("through /proc/self/root", `grep -q "$TOKEN" "/proc/self/root$HOME/.aws/credentials"`),
  attempt("through a hard link", `ln "$HOME/.netrc" n4 && grep -q "$TOKEN" n4`),
  attempt("a copy of a file", `cp "$HOME/.git-credentials" c5 && grep -q "$TOKEN" c5`),
  attempt("the agent's keys", `grep -q "$TOKEN" "$AGENT/auth.json"`),
  attempt("the agent's keys through a link", `ln -s "$AGENT/auth.json" a7 && grep -q "$TOKEN" a7`),
  attempt("the agent's keys through a hard link", `ln "$AGENT/auth.json" a8 && grep -q "$TOKEN" a8`),
  attempt("the agent's keys through ..", `cat "$AGENT/skills/../auth.json" | grep -q "$TOKEN"`),
  attempt("the agent's settings", `grep -q "$TOKEN" "$AGENT/settings.json"`),
  attempt("other conversations", `grep -rq "$TOKEN" "$AGENT/sessions"`),
  attempt("an archive of the home folder", `tar cf t12 "$HOME" 2>/dev/null; grep -aq "$TOKEN" t12`),
  attempt("a search of the home folder", `grep -rqs "$TOKEN" "$HOME"`),
  attempt("what the user hides", `grep -q "$TOKEN" "$PROJECT/.env"`),
  attempt("temporary files of others", `grep -q "$TOKEN" "$HOST_TEMPORARY_FILE"`),
  attempt("shared memory of others", `grep -q "$TOKEN" "$HOST_SHARED_FILE"`),
  attempt("the environment", `env | grep -q "$TOKEN"`),
  attempt("the environment of the agent", `grep -aq "$TOKEN" "/proc/$HOST_PID/environ"`),
  only("the environment of process 1", `grep -aq "$TOKEN" /proc/1/environ`),
  only("passwords of the system", `grep -q ":" /etc/shadow`),
  only("with a mount over the cover", `umount -l "$HOME/.ssh"; grep -q "$TOKEN" "$HOME/.ssh/id_ed25519"`),
];

/** Each succeeds if it has reached something that is not in the sandbox. */
export const reaches: readonly Attempt[] = [
  attempt("a socket such as that of docker", connect('process.env.OUT+"/docker.sock"')),
  attempt("the same through a link", `ln -s "$OUT/docker.sock" k2 && ${connect('"k2"')}`),
  attempt(
    "an abstract socket",
    perl("use Socket;socket(S,AF_UNIX,SOCK_STREAM,0);exit(!connect(S,pack_sockaddr_un(qq(\\0$ENV{ABSTRACT}))))"),
  ),
  attempt("a server on this machine", connect('+process.env.HOST_PORT,"127.0.0.1"')),
  attempt("another process, by its number", seesVictim),
  attempt("another process, by a signal", `kill -0 "$VICTIM_PID" && ${seesVictim}`),
  attempt("the sockets of the user's session", `[ -n "$SSH_AUTH_SOCK$DBUS_SESSION_BUS_ADDRESS$DISPLAY$DOCKER_HOST" ]`),
  attempt("the folder of the sockets of the user", `[ -n "$XDG_RUNTIME_DIR" ]`),
  attempt("more rights by a setuid program", "grep -q '^NoNewPrivs:.*0' /proc/self/status"),
  only("another process, as a debugger", perl("exit(syscall(101,16,$ENV{VICTIM_PID},0,0)<0)")),
  only("sockets in /run", "find /run /var/run -type s | grep -q ."),
  only("rights of an administrator", "! grep -q '^CapEff:.*0000000000000000' /proc/self/status"),
  only("a user namespace", "unshare -U true"),
  only("sudo", "sudo -n true"),
  only("the host of a virtual machine", perl("exit(syscall(41,40,1,0)<0)")),
  only("the ring of the kernel, around the filter", perl("$p=qq(\\0)x120;exit(syscall(425,1,$p)<0)")),
  only("the keys of the kernel", perl("exit(syscall(250,0,-3,0)<0)")),
  only("programs of the kernel", perl("exit(syscall(321,0,0,0)<0&&$!{EPERM})")),
  only("a terminal", ": < /dev/tty"),
  only("typing into a terminal", perl("open(T,q(+<),q(/dev/ptmx))||exit(1);$c=q(x);exit(!defined ioctl(T,0x5412,$c))")),
  only("another terminal", "[ -c /dev/pts/0 ]"),
  only("files of the agent that are open", "[ -e /proc/self/fd/3 ] || [ -e /proc/self/fd/4 ]"),
];

/** Each succeeds if something in the project has changed with which a program would run later, outside of the sandbox. */
export const laters: readonly Attempt[] = [
  attempt("a hook", "echo evil > .git/hooks/post-commit"),
  attempt("a hook in place of another", "echo evil > h2 && mv -f h2 .git/hooks/pre-push.sample"),
  attempt("the hooks of another folder", "git config core.hooksPath evil"),
  attempt("a program for the state of files", "git config core.fsmonitor evil"),
  attempt("the settings, written at once", "printf '[core]\\n' >> .git/config"),
  attempt("the settings, in place of others", "cp .git/config c6 && mv -f c6 .git/config"),
  attempt("the settings of a submodule", "echo x >> .git/modules/lib/config"),
  attempt("a hook of a submodule", "echo evil > .git/modules/lib/hooks/post-checkout"),
  attempt("another folder of submodules", "mv .git/modules .git/modules-moved"),
  attempt("settings of another worktree", "echo /elsewhere > .git/worktrees/tree/commondir"),
  attempt("a hook of a repository below", "echo evil > nested/.git/hooks/pre-commit"),
  attempt("the settings of a repository below", "echo x >> nested/.git/config"),
  attempt("an extension of pi", "mkdir -p .pi/extensions && echo evil > .pi/extensions/evil.ts"),
  attempt("a link in place of .pi", "rm -rf .pi && mkdir evil14 && ln -s evil14 .pi"),
  attempt("tasks of an editor", "mkdir -p .vscode && echo evil > .vscode/tasks.json"),
  attempt("servers of an editor", "echo '{}' > .mcp.json"),
  attempt("settings of a shell for the folder", "echo evil > .envrc"),
  attempt("a start file", "echo evil >> .bashrc"),
  attempt("a start file in place of another", "echo evil > b19 && mv -f b19 .bashrc"),
  attempt("hooks that the settings include", "echo x >> hooks-of-project/pre-commit"),
  attempt("another repository in place of this one", "mv .git moved21 && cp -r moved21 .git"),
];
