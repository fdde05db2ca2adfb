import { describe, type Rule } from "../call.ts";
import { readOptions } from "../options.ts";

/**
 * Commands that change disks, services, accounts or installed software, with the first arguments that make them harmless. `none` means: without
 * arguments.
 */
const commands: Record<string, string> = {
  fdisk: "-l",
  sfdisk: "-l -d",
  gdisk: "-l",
  cfdisk: "",
  parted: "-l",
  wipefs: "none",
  blkdiscard: "none",
  mkswap: "none",
  swapon: "-s --show",
  swapoff: "none",
  mount: "none -l",
  umount: "",
  losetup: "none -a -l --list",
  cryptsetup: "status luksDump isLuks",
  dmsetup: "ls info status table",
  mdadm: "--detail --examine",
  hdparm: "none",
  badblocks: "",
  tune2fs: "-l",
  resize2fs: "",
  e2fsck: "-n",
  btrfs: "none",
  zpool: "list status",
  zfs: "list get",
  diskutil: "list info",
  shutdown: "",
  reboot: "",
  halt: "",
  poweroff: "",
  init: "",
  telinit: "",
  kexec: "",
  systemctl:
    "none status show cat list-units list-unit-files list-timers list-sockets is-active is-enabled is-failed get-default help --version",
  service: "--status-all",
  "rc-service": "",
  launchctl: "list print",
  sysctl: "-a",
  modprobe: "-n --show-depends",
  insmod: "",
  rmmod: "",
  iptables: "-L -S",
  ip6tables: "-L -S",
  nft: "list",
  ufw: "status",
  "firewall-cmd": "--list-all --state",
  useradd: "",
  adduser: "",
  usermod: "",
  userdel: "",
  deluser: "",
  groupadd: "",
  groupdel: "",
  groupmod: "",
  passwd: "-S",
  chpasswd: "",
  chsh: "-l",
  visudo: "-c",
  vipw: "",
  crontab: "-l",
  at: "-l",
  batch: "",
  "update-grub": "",
  "grub-install": "",
  efibootmgr: "none",
  setenforce: "",
  setcap: "",
  hostnamectl: "none status",
  timedatectl: "none status show",
  dpkg: "-l -L -s -S --list --status --listfiles --search --version --print-architecture",
  apt: "list show search policy",
  "apt-get": "--version",
  yum: "list info search",
  dnf: "list info search repoquery",
  zypper: "search info",
  apk: "info list search",
  snap: "list info find",
  flatpak: "list info search",
  csrutil: "status",
  nvram: "-p",
};

const always =
  /^(mkfs|fsck|newfs|mke2fs|lv(create|remove|extend|resize|reduce|change)|vg(create|remove|extend|reduce)|pv(create|remove))([._].+)?$/;

const systemCommand: Rule = (call) => {
  const harmless = (commands[call.name] ?? "").split(" ");
  const [first] = call.args;
  const isHarmless = first === undefined ? harmless.includes("none") : first.text !== undefined && harmless.includes(first.text);
  const asksForHelp = call.args.length === 1 && (first?.text === "--help" || first?.text === "--version");
  if (isHarmless || asksForHelp) return undefined;
  // `service name status`, and reading a kernel setting.
  if (call.name === "service" && call.args[1]?.text === "status") return undefined;
  if (call.name === "sysctl" && call.args.every(({ text }) => text !== undefined && text !== "-w" && !text.includes("=")))
    return undefined;
  call.reader.risk("system", describe(call));
  return undefined;
};

const pacman: Rule = (call) => {
  if (call.args.some(({ text }) => text === undefined || /^-[SRU](?!s|i|l|g)/.test(text)))
    call.reader.risk("system", describe(call));
  return undefined;
};

const killByName: Rule = (call) => {
  call.reader.risk("kill", describe(call));
  return undefined;
};

/** Risky if the processes come from a search, or if the pid is -1, which means all processes. A number in the command is not risky. */
const kill: Rule = (call) => {
  const isSearched = call.args.some(({ origin }) => origin?.kind === "processes") || call.input.kind === "processes";
  const isEverything = call.args.slice(1).some(({ text }) => text === "-1");
  if (isSearched || isEverything) call.reader.risk("kill", describe(call));
  return undefined;
};

const fuser: Rule = (call) => (readOptions(call.args).has("k", "kill") ? killByName(call) : undefined);

/** Reports the deletion of containers, images and volumes. */
const docker: Rule = (call) => {
  const { operands, has } = readOptions(call.args, "H host context c f file p project-name");
  const words = operands.map(({ text }) => text);
  const deletes =
    words.includes("prune") || (words.slice(0, 2).some((word) => word === "rm" || word === "rmi") && has("f", "force"));
  const dropsVolumes = (words[0] === "volume" && words[1] === "rm") || (words.includes("down") && has("v", "volumes"));
  if (deletes || dropsVolumes) call.reader.risk("deletion", describe(call));
  return undefined;
};

/** Reports global installations, which are outside the working folder. */
const installGlobally: Rule = (call) => {
  const { operands, has } = readOptions(call.args, "C prefix dir F filter");
  const changes =
    operands[0]?.text !== undefined && /^(i|in|install|add|un|uninstall|remove|rm|update|up|link|ln)$/.test(operands[0].text);
  if ((changes && has("g", "global")) || (call.name === "yarn" && operands[0]?.text === "global"))
    call.reader.risk("system", describe(call));
  return undefined;
};

const groups: [string, Rule][] = [
  [Object.keys(commands).join(" "), systemCommand],
  ["pkill killall killall5 skill xkill taskkill", killByName],
  ["kill", kill],
  ["fuser", fuser],
  ["pacman", pacman],
];

/** Applied in addition to the rules for the commands that these programs run. */
export const extraRules = new Map<string, Rule>([
  ["docker", docker],
  ["podman", docker],
  ["docker-compose", docker],
  ["npm", installGlobally],
  ["pnpm", installGlobally],
  ["yarn", installGlobally],
  ["bun", installGlobally],
]);

export const systemRules = new Map(groups.flatMap(([names, rule]) => names.split(" ").map((name) => [name, rule] as const)));

/** Finds the rule for families of names such as `mkfs.ext4`. */
export function findSystemRule(name: string): Rule | undefined {
  if (!always.test(name)) return undefined;
  return (call) => {
    call.reader.risk("system", describe(call));
    return undefined;
  };
}
