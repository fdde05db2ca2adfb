import type { Call, Rule, Table } from "../shell/call.ts";
import { rows } from "./family.ts";

/**
 * Commands that change disks, services, accounts or installed software, with the first arguments that make them harmless. `none` means: without
 * arguments.
 */
const commands: Readonly<Record<string, string>> = {
  "fdisk gdisk parted tune2fs": "-l",
  "cfdisk umount badblocks resize2fs shutdown reboot halt poweroff init telinit kexec rc-service insmod rmmod useradd adduser usermod userdel deluser groupadd groupdel groupmod chpasswd vipw batch update-grub grub-install setenforce setcap update-alternatives ldconfig swapon insserv loginctl":
    "",
  sfdisk: "-l -d",
  "wipefs blkdiscard mkswap swapoff hdparm btrfs efibootmgr": "none",
  mount: "none -l",
  losetup: "none -a -l --list",
  cryptsetup: "status luksDump isLuks",
  dmsetup: "ls info status table",
  mdadm: "--detail --examine",
  e2fsck: "-n",
  "zpool zfs": "list status get",
  diskutil: "list info",
  systemctl:
    "none status show cat list-units list-unit-files list-timers list-sockets is-active is-enabled is-failed get-default help --version --user",
  service: "--status-all",
  launchctl: "list print",
  sysctl: "-a",
  modprobe: "-n --show-depends",
  "iptables ip6tables": "-L -S -nL",
  nft: "list",
  ufw: "status",
  "firewall-cmd": "--list-all --state",
  passwd: "-S",
  chsh: "-l",
  visudo: "-c",
  crontab: "-l",
  at: "-l",
  "hostnamectl timedatectl localectl": "none status show",
  dpkg: "-l -L -s -S --list --status --listfiles --search --version --print-architecture",
  "dpkg-query apt-cache apt-file": "-W -l -s -L -S search show policy depends rdepends list madison pkgnames",
  apt: "list show search policy",
  "apt-get apt-key": "--version list",
  "yum dnf": "list info search repoquery",
  zypper: "search info",
  apk: "info list search",
  "snap flatpak": "list info search find",
  brew: "list info search --version --prefix config doctor outdated deps uses leaves cat home log desc tap-info --cellar --repository",
  port: "list installed search info",
  "nix-env": "-q -qa",
  "choco scoop winget": "list search info show",
  csrutil: "status",
  "nvram defaults": "-p read",
  "spctl tccutil dscl pmset networksetup scutil": "--status -g -getinfo",
};

const always =
  /^(mkfs|fsck|newfs|mke2fs|lv(create|remove|extend|resize|reduce|change)|vg(create|remove|extend|reduce)|pv(create|remove))([._].+)?$/;

function systemCommand(harmless: readonly string[]): Rule {
  return (call) => {
    const [first] = call.args;
    const isHarmless = first === undefined ? harmless.includes("none") : first.text !== undefined && harmless.includes(first.text);
    const asksForHelp = call.args.length === 1 && /^--(help|version)$/.test(first?.text ?? "");
    // `service name status`, `systemctl --user status`, and reading a kernel setting.
    const reads =
      (call.name === "service" && call.args[1]?.text === "status") ||
      (call.name === "sysctl" && call.args.every(({ text }) => text !== undefined && text !== "-w" && !text.includes("=")));
    const isOther = first?.text === "--user" && !/^(status|show|cat|list-.*|is-.*)$/.test(call.args[1]?.text ?? "");
    return (isHarmless && !isOther) || asksForHelp || reads ? undefined : call.does("system");
  };
}

const pacman: Rule = (call) =>
  call.args.some(({ text }) => text === undefined || /^-[SRU](?!s|i|l|g)/.test(text)) ? call.does("system") : undefined;

const killByName: Rule = (call) => call.does("kill");

/** Risky if the processes come from a search, or if the pid is -1, which means all processes. A number in the command is not risky. */
const kill: Rule = (call) => {
  const isSearched = call.args.some(({ origin }) => origin?.kind === "processes") || call.input.kind === "processes";
  const isEverything = call.args.slice(1).some(({ text }) => text === "-1");
  const isListed = call.options().has("l", "L");
  if (isSearched || isEverything) return call.does("kill");
  return isListed ? undefined : call.does("unknown");
};

const fuser: Rule = (call) => (call.options().has("k", "kill") ? call.does("kill") : undefined);

/** Process managers of development servers. */
const processes: Rule = (call: Call) => call.does(/^(delete|kill)$/.test(call.args[0]?.text ?? "") ? "kill" : "unknown");

export const system: Table = {
  ...Object.fromEntries(rows(commands).map(([name, harmless]) => [name, systemCommand(harmless.split(" "))])),
  "pkill killall killall5 skill xkill taskkill kill-port fkill npkill": killByName,
  kill,
  fuser,
  "pacman yay paru": pacman,
  pm2: processes,
};

/** Finds the rule for families of names such as `mkfs.ext4`. */
export function findSystemCommand(name: string): Rule | undefined {
  return always.test(name) ? (call) => call.does("system") : undefined;
}
