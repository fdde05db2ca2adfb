/** Programs that change disks, services, accounts, processes or installed software. */
export const system = `
cfdisk umount badblocks resize2fs shutdown reboot halt poweroff init telinit kexec rc-service insmod rmmod useradd adduser usermod
    userdel
    deluser groupadd groupdel groupmod chpasswd vipw batch update-grub grub-install setenforce setcap update-alternatives ldconfig
    swapon
    insserv loginctl mkfs fsck newfs mke2fs lvcreate lvremove lvextend lvresize lvreduce lvchange vgcreate vgremove vgextend
    vgreduce
    pvcreate pvremove = system
fdisk gdisk parted tune2fs sfdisk crontab at chsh = system
  only read: -l
losetup = system
  only read: -l|-a|--list
dpkg = system
  only read: -l|-L|-s|-S|--list|--status|--listfiles|--search|--version|--print-architecture
wipefs blkdiscard mkswap swapoff hdparm btrfs efibootmgr mount = system
  only read: -l, ()
cryptsetup dmsetup mdadm zpool zfs diskutil launchctl nft ufw firewall-cmd csrutil = system
  only read: status|luksDump|isLuks|ls|info|table|list|get|print, --detail|--examine|--list-all|--state
e2fsck modprobe = system
  only read: -n|--show-depends
systemctl hostnamectl timedatectl localectl (H M) = system
  only read: status|show|cat|list-units|list-unit-files|list-timers|list-sockets|is-active|is-enabled|is-failed|get-default|help, ()
service = system
  only read: * status, --status-all
sysctl = read
  system: *=*, -w|-p|--system|--load
iptables ip6tables = system
  only read: -L|-S|-nL
ip ifconfig route = read
  system: * add|del|delete|set|flush|change|replace|up|down, add|del|delete
hostname = prints 0
  system: *
dmesg journalctl = read
  system: -C|-c|-D|--clear|--vacuum*|--rotate|--flush|--setup-keys
passwd = system
  only read: -S
visudo = system
  only read: -c
dpkg-query apt-cache apt-file = read
apt apt-get apt-key yum dnf zypper apk snap flatpak brew port nix-env choco scoop winget = system
  only read:
    list|show|search|policy|info|repoquery|find|config|doctor|outdated|deps|uses|leaves|cat|home|log|desc|tap-info|installed,
    --version|--prefix|--cellar|--repository|-q|-qa
pacman yay paru = system
  only read: -Q*, -Ss*, -Si*, -Sl*, -Sg*, -F*
nvram defaults spctl tccutil dscl pmset networksetup scutil = system
  only read: read, -p|--status|-g|-getinfo
pkill killall killall5 skill xkill taskkill kill-port fkill npkill = kill
kill = killsFound
  only read: -l|-L
fuser = read
  kill: -k|--kill
pm2
  kill: delete|kill
  read: ls|list|status|logs|show|describe
`;
