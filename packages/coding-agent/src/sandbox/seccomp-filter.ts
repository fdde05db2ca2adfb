/** Numbers of system calls, and of the architecture as the kernel reports it. */
interface Architecture {
  audit: number;
  /** Calls that fail with EPERM. */
  refused: readonly number[];
  socket: number;
  ioctl: number;
}

// Source: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of Linux. In this order: add_key, request_key, keyctl,
// io_uring_setup, io_uring_enter, io_uring_register, bpf, perf_event_open, userfaultfd, open_by_handle_at, kexec_load, kexec_file_load,
// init_module, finit_module, delete_module, mount, umount2, pivot_root, swapon, swapoff, reboot, fsopen, fsconfig, fsmount, move_mount,
// open_tree, mount_setattr, quotactl, acct.
const architectures: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    refused: [
      ...[248, 249, 250, 425, 426, 427, 321, 298, 323, 304, 246, 320, 175, 313, 176],
      ...[165, 166, 155, 167, 168, 169, 430, 431, 432, 429, 428, 442, 179, 163],
    ],
    socket: 41,
    ioctl: 16,
  },
  arm64: {
    audit: 0xc00000b7,
    refused: [
      ...[217, 218, 219, 425, 426, 427, 280, 241, 282, 265, 104, 294, 105, 273, 106],
      ...[40, 39, 41, 224, 225, 142, 430, 431, 432, 429, 428, 442, 60, 89],
    ],
    socket: 198,
    ioctl: 29,
  },
};

const load = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const and = 0x54;
const end = 0x06;
const allow = 0x7fff0000;
const kill = 0x80000000;
const refuse = 0x00050000 | 1; // EPERM
const refuseFamily = 0x00050000 | 97; // EAFNOSUPPORT
/** Offsets in `seccomp_data`. */
const at = { call: 0, architecture: 4, first: 16, second: 24 };
/** The commands of `ioctl` that type into a terminal: TIOCSTI and TIOCLINUX. */
const typing = [0x5412, 0x541c];
/** Sockets to the host of a virtual machine, which no network namespace contains, and to the kernel's cryptography. */
const families = [40, 38];

/**
 * Creates a filter of system calls for bubblewrap, as a program for the kernel: no keys of the kernel, no typing into terminals, no mounts, no
 * io_uring (which goes around such filters), and nothing else that programs of a project do not need. Everything that is not named is allowed.
 *
 * @returns undefined if the numbers of this processor's system calls are not known.
 */
export function createSeccompFilter(processor: string = process.arch): Buffer | undefined {
  const known = architectures[processor];
  if (!known) return undefined;
  const { audit, refused, socket, ioctl } = known;
  /** Instructions after the check of the architecture. Jumps are written as distances, so each part ends with its own result. */
  const body = [
    ...[[load, 0, 0, at.call]],
    // The second numbering of calls on x86, which no distribution uses.
    ...(processor === "x64"
      ? [
          [jumpIfAtLeast, 0, 1, 0x40000000],
          [end, 0, 0, refuse],
        ]
      : []),
    ...refused.flatMap((call) => [
      [jumpIfEqual, 0, 1, call],
      [end, 0, 0, refuse],
    ]),
    ...refuseArgument(ioctl, at.second, typing, refuse),
    ...refuseArgument(socket, at.first, families, refuseFamily),
    [end, 0, 0, allow],
  ];
  const program = [[load, 0, 0, at.architecture], [jumpIfEqual, 1, 0, audit], [end, 0, 0, kill], ...body];
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code = 0, yes = 0, no = 0, value = 0], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  });
  return bytes;
}

/** Refuses a call with certain values of an argument. The kernel reads 32 bits of it, so the filter does, too. */
function refuseArgument(call: number, offset: number, values: readonly number[], result: number): number[][] {
  const checks = values.flatMap((value) => [
    [jumpIfEqual, 0, 1, value],
    [end, 0, 0, result],
  ]);
  return [
    [jumpIfEqual, 0, checks.length + 3, call],
    [load, 0, 0, offset],
    [and, 0, 0, 0xffffffff],
    ...checks,
    // The number of the call again, for what follows.
    [load, 0, 0, at.call],
  ];
}
