import type { Reach } from "./sandbox.js"

/*
 * A filter of system calls for bubblewrap, which loads it into the kernel: a program of the classic Berkeley packet
 * filter, eight bytes an instruction. It lets everything through but what no command in a sandbox needs and what has
 * helped others to get out of one: keys of the kernel, other processes' memory, mounts, namespaces, modules, odd kinds
 * of sockets, typing into a terminal.
 */

/** Numbers of system calls, for x64 and arm64. */
const REFUSED: readonly (readonly [name: string, x64: number, arm64: number])[] = [
  ...([
    ["keyctl", 250, 219],
    ["add_key", 248, 217],
    ["request_key", 249, 218],
  ] as const),
  ...([
    ["ptrace", 101, 117],
    ["process_vm_readv", 310, 270],
    ["process_vm_writev", 311, 271],
  ] as const),
  ...([
    ["kcmp", 312, 272],
    ["pidfd_getfd", 438, 438],
    ["open_by_handle_at", 304, 265],
  ] as const),
  ...([
    ["bpf", 321, 280],
    ["perf_event_open", 298, 241],
    ["userfaultfd", 323, 282],
  ] as const),
  ...([
    ["mount", 165, 40],
    ["umount2", 166, 39],
    ["pivot_root", 155, 41],
    ["chroot", 161, 51],
  ] as const),
  ...([
    ["open_tree", 428, 428],
    ["move_mount", 429, 429],
    ["fsopen", 430, 430],
    ["fsconfig", 431, 431],
  ] as const),
  ...([
    ["fsmount", 432, 432],
    ["fspick", 433, 433],
    ["mount_setattr", 442, 442],
  ] as const),
  ...([
    ["unshare", 272, 97],
    ["setns", 308, 268],
    ["acct", 163, 89],
    ["quotactl", 179, 60],
  ] as const),
  ...([
    ["init_module", 175, 105],
    ["finit_module", 313, 273],
    ["delete_module", 176, 106],
  ] as const),
  ...([
    ["kexec_load", 246, 104],
    ["kexec_file_load", 320, 294],
    ["reboot", 169, 142],
  ] as const),
  ...([
    ["swapon", 167, 224],
    ["swapoff", 168, 225],
    ["syslog", 103, 116],
    ["vhangup", 153, 58],
  ] as const),
  ...([
    ["settimeofday", 164, 170],
    ["clock_settime", 227, 112],
    ["sethostname", 170, 161],
  ] as const),
]

/** Calls that programs do without if the kernel says that it has none. */
const MISSING: typeof REFUSED = [
  ["io_uring_setup", 425, 425],
  ["io_uring_enter", 426, 426],
  ["io_uring_register", 427, 427],
  // Its flags cannot be looked at; libraries then use clone, whose flags can.
  ["clone3", 435, 435],
]

/** The kernel's name for the machine, and its numbers of the calls whose arguments are looked at. */
const MACHINES = {
  x64: { audit: 0xc000003e, clone: 56, ioctl: 16, socket: 41 },
  arm64: { audit: 0xc00000b7, clone: 220, ioctl: 29, socket: 198 },
} as const

const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97]
const [TIOCSTI, TIOCLINUX] = [0x5412, 0x541c]
const CLONE_NEWUSER = 0x10000000
const SECOND_ABI = 0x40000000
const [UNIX, INET, NETLINK, INET6] = [1, 2, 16, 10]

const [LOAD, EQUALS, AT_LEAST, HAS_BIT, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06]
const ALLOW = 0x7fff0000
const failWith = (errno: number) => 0x00050000 | errno
/** Where the kernel puts the number of a call, the machine, and the low half of an argument. */
const [NUMBER, MACHINE] = [0, 4]
const argument = (index: number) => 16 + 8 * index

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

/**
 * Makes the filter for a reach. A command that only reads gets no socket of the file system at all: no program outside
 * can then take its orders, whichever network namespace that listens in. Undefined for a machine whose numbers are not
 * known.
 */
export function systemCallFilter(reach: Reach, arch: string = process.arch): Uint8Array | undefined {
  if (arch !== "x64" && arch !== "arm64") return undefined
  const { audit, clone, ioctl, socket } = MACHINES[arch]
  const number = (one: (typeof REFUSED)[number]) => (arch === "x64" ? one[1] : one[2])
  const families = [INET, INET6, NETLINK, ...(reach === "read-only" ? [] : [UNIX])]
  return assembled([
    [LOAD, 0, 0, MACHINE],
    ...unless(EQUALS, audit, failWith(ENOSYS)),
    [LOAD, 0, 0, NUMBER],
    ...(arch === "x64" ? when(AT_LEAST, SECOND_ABI, failWith(ENOSYS)) : []),
    ...REFUSED.flatMap((one) => when(EQUALS, number(one), failWith(EPERM))),
    ...MISSING.flatMap((one) => when(EQUALS, number(one), failWith(ENOSYS))),
    ...call(clone, 0, [...when(HAS_BIT, CLONE_NEWUSER, failWith(EPERM))], ALLOW),
    ...call(
      ioctl,
      1,
      [TIOCSTI, TIOCLINUX].flatMap((one) => when(EQUALS, one, failWith(EPERM))),
      ALLOW,
    ),
    ...call(
      socket,
      0,
      families.flatMap((one) => when(EQUALS, one, ALLOW)),
      failWith(EAFNOSUPPORT),
    ),
    [RETURN, 0, 0, ALLOW],
  ])
}

function when(test: number, value: number, result: number): readonly Instruction[] {
  return [
    [test, 0, 1, value],
    [RETURN, 0, 0, result],
  ]
}

function unless(test: number, value: number, result: number): readonly Instruction[] {
  return [
    [test, 1, 0, value],
    [RETURN, 0, 0, result],
  ]
}

/** Looks at one argument of a call. What no test decides has the last result. */
function call(
  number: number,
  index: number,
  tests: readonly Instruction[],
  otherwise: number,
): readonly Instruction[] {
  return [
    [EQUALS, 0, tests.length + 2, number],
    [LOAD, 0, 0, argument(index)],
    ...tests,
    [RETURN, 0, 0, otherwise],
  ]
}

function assembled(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8))
  for (const [at, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.setUint16(at * 8, code, true)
    bytes.setUint8(at * 8 + 2, ifTrue)
    bytes.setUint8(at * 8 + 3, ifFalse)
    bytes.setUint32(at * 8 + 4, value, true)
  }
  return new Uint8Array(bytes.buffer)
}
