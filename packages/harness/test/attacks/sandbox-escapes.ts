/**
 * Attempts to get out of a sandbox, as bash scripts. They find in their environment: OUT (a folder outside the
 * workspace with a file `a`), WORK (the workspace, with a file `a`), STORE and HOME (where the secrets are), PORT (a
 * server on loopback), SOCK (a socket in the file system), ABSTRACT (the name of an abstract one), PID (a process
 * outside). An attempt has succeeded if anything outside changes, a server is reached, the process dies, or the
 * script prints a secret or the word ESCAPED.
 */
export interface Escape {
  readonly what: string
  readonly script: string
  /** True if it is safe to run without a sandbox, where it must succeed: else the test would prove nothing. */
  readonly bites?: true
}

const bites = (what: string, script: string): Escape => ({ what, script, bites: true })
const attempt = (what: string, script: string): Escape => ({ what, script })

export const WRITES: readonly Escape[] = [
  bites("redirection", 'echo x > "$OUT/a"'),
  bites("appending", 'echo x >> "$OUT/a"'),
  bites("a new file", 'touch "$OUT/new"'),
  bites("removal", 'rm -f "$OUT/a"'),
  bites("renaming", 'mv "$OUT/a" "$OUT/b"'),
  bites("a mode", 'chmod 777 "$OUT/a"'),
  bites("truncation", 'truncate -s 0 "$OUT/a"'),
  bites("dd", 'dd if=/dev/zero of="$OUT/a" bs=1 count=1 conv=notrunc'),
  bites("a pipe", 'mkfifo "$OUT/pipe"'),
  bites("a hard link", 'ln "$OUT/a" "$OUT/hard"'),
  bites("a symbolic link", 'ln -s a "$OUT/soft"'),
  bites("node", 'node -e \'require("fs").writeFileSync(process.env.OUT + "/a", "x")\''),
  bites("perl", 'perl -e \'open F, ">", "$ENV{OUT}/a"; print F "x"\''),
  bites("the root of a process", 'echo x > "/proc/self/root$OUT/a"'),
  bites(
    "a link in /tmp",
    'ln -s "$OUT/a" /tmp/sotto-link-$$ && echo x > /tmp/sotto-link-$$; rm -f /tmp/sotto-link-$$',
  ),
  bites("a file that is open to read", 'exec 3< "$OUT/a"; echo x > /proc/self/fd/3'),
  bites("the folder as file descriptor", 'exec 3< "$OUT"; echo x > /proc/self/fd/3/new'),
  bites("the root by way of a folder", 'cd "$OUT" && echo x > /proc/self/cwd/a'),
  attempt("the root of the first process", 'echo x > "/proc/1/root$OUT/a"'),
  attempt("the root of the parent", 'echo x > "/proc/$PPID/root$OUT/a"'),
  attempt("the root of a process outside", 'echo x > "/proc/$PID/root$OUT/a"; echo x > "/proc/$PID/cwd/a"'),
  attempt("a hard link in /tmp", 'ln "$OUT/a" /tmp/hard && echo x > /tmp/hard'),
  attempt(
    "what is open",
    'for f in /proc/self/fd/*; do [ "$(basename $f)" -gt 2 ] && echo x > "$f/../a"; done',
  ),
  attempt(
    "the folder of the output",
    'd=$(dirname "$(readlink /proc/self/fd/1)"); echo x > "$d/../new"; echo x > "$d/new"',
  ),
  attempt("the output as a folder", "echo x > /proc/self/fd/1/../new"),
  attempt(
    "a hard link of the output",
    'perl -e \'syscall(265, -100, "/proc/self/fd/1", -100, "$ENV{OUT}/new", 0x400)\'',
  ),
]

export const PRIVILEGES: readonly Escape[] = [
  attempt("remounting", 'mount -o remount,rw /; echo x > "$OUT/a"'),
  attempt("remounting the bind", 'mount -o remount,bind,rw /; echo x > "$OUT/a"'),
  attempt(
    "a bind of the root",
    'mkdir /tmp/m; mount --bind / /tmp/m && mount -o remount,bind,rw /tmp/m; echo x > "/tmp/m$OUT/a"',
  ),
  attempt("a recursive bind", "mkdir /tmp/m; mount --rbind / /tmp/m && echo ESCAPED"),
  attempt("a new tmpfs", "mkdir /tmp/m; mount -t tmpfs none /tmp/m && echo ESCAPED"),
  attempt("a new proc", "mkdir /tmp/m; mount -t proc none /tmp/m && echo ESCAPED"),
  attempt(
    "an overlay",
    "mkdir -p /tmp/u /tmp/w /tmp/m; mount -t overlay -o lowerdir=/,upperdir=/tmp/u,workdir=/tmp/w o /tmp/m && echo ESCAPED",
  ),
  attempt("unmounting the mask", 'umount -l "$STORE"; cat "$STORE/sessions.db"'),
  attempt("unmounting /tmp", "umount -l /tmp && echo ESCAPED"),
  attempt("moving the mask", 'mkdir /tmp/m; mount --move "$STORE" /tmp/m; cat "$STORE/sessions.db"'),
  attempt("a user namespace", "unshare -Ur bash -c 'mount -o remount,bind,rw / ; echo x > \"$OUT/a\"'"),
  attempt(
    "a user and mount namespace",
    "unshare -Urm bash -c 'mount -o remount,bind,rw /; echo x > \"$OUT/a\"'",
  ),
  attempt(
    "unmasking in a namespace",
    'unshare -Urm bash -c \'umount -l "$STORE"; umount "$STORE"; cat "$STORE/sessions.db"\'',
  ),
  attempt(
    "a recursive bind in a namespace",
    'unshare -Urm bash -c \'mkdir /tmp/m; mount --bind / /tmp/m; cat "/tmp/m$STORE/sessions.db"; echo x > "/tmp/m$OUT/a"\'',
  ),
  attempt(
    "private propagation in a namespace",
    "unshare -Urm --propagation private bash -c 'mount -o remount,rw /; echo x > \"$OUT/a\"'",
  ),
  attempt("the namespaces of the first process", 'nsenter -t 1 -m -- touch "$OUT/new"'),
  attempt("the namespaces of a process outside", 'nsenter -t "$PID" -a -- touch "$OUT/new"'),
  attempt("a network namespace of another process", 'nsenter -t "$PID" -n true && echo ESCAPED'),
  attempt("chroot", 'chroot /proc/1/root touch "$OUT/new"'),
  attempt("pivot_root", "mkdir -p /tmp/p/old; pivot_root /tmp/p /tmp/p/old && echo ESCAPED"),
  attempt("a block device", "mknod /tmp/disk b 8 0 && echo ESCAPED"),
  attempt("a character device", "mknod /tmp/mem c 1 1 && echo ESCAPED"),
  attempt(
    "kernel memory",
    "head -c 1 /dev/mem && echo ESCAPED; head -c 1 /dev/kmem && echo ESCAPED; head -c 1 /proc/kcore && echo ESCAPED",
  ),
  attempt(
    "disks",
    "for d in /dev/sd* /dev/vd* /dev/nvme* /dev/loop* /dev/dm-*; do [ -b $d ] && echo ESCAPED; done",
  ),
  attempt("a loop device", "head -c 1M /dev/zero > /tmp/i; losetup -f /tmp/i && echo ESCAPED"),
  attempt("fuse", "[ -e /dev/fuse ] && echo ESCAPED"),
  attempt(
    "the core pattern",
    'p=$(cat /proc/sys/kernel/core_pattern); echo "$p" > /proc/sys/kernel/core_pattern && echo ESCAPED',
  ),
  attempt("a kernel setting", "for f in $(find /proc/sys -type f); do [ -w $f ] && echo ESCAPED; done"),
  attempt("sysrq", "[ -w /proc/sysrq-trigger ] && echo ESCAPED"),
  attempt(
    "sysfs",
    "echo x > /sys/kernel/uevent_helper && echo ESCAPED; echo 0 > /sys/power/pm_trace && echo ESCAPED",
  ),
  attempt(
    "cgroups",
    "mkdir /sys/fs/cgroup/sotto && echo ESCAPED; echo 0 > /sys/fs/cgroup/cgroup.procs && echo ESCAPED",
  ),
  attempt(
    "anything else of the kernel",
    "find /proc /sys -maxdepth 3 -type f -writable -not -path '/proc/[0-9]*' -not -path /proc/keys -not -path '/proc/self/*' -not -path '/proc/thread-self/*' 2> /dev/null | grep . && echo ESCAPED",
  ),
  attempt("a kernel module", "modprobe dummy && echo ESCAPED"),
  // System calls by their numbers on x64; on other machines these numbers do nothing harmful.
  ...(
    [
      ["keys of the kernel, keyctl", "250, 0, -3, 0"],
      ["keys of the kernel, add_key", '248, "user", "sotto", "x", 1, -3'],
      ["mount", '165, "none", "/tmp", "tmpfs", 0, 0'],
      ["the new mount calls", '430, "tmpfs", 0'],
      ["unshare", "272, 0x10000000"],
      ["clone with a user namespace", "56, 0x10000000, 0, 0, 0, 0"],
      ["bpf", "321, 0, 0, 0"],
      ["perf events", "298, 0, 0, -1, -1, 0"],
      ["faults in user space", "323, 1"],
      ["rings", "425, 1, 0"],
      ["the second ABI", "0x40000000 + 39"],
      ["opening by handle", "304, -100, 0, 0"],
      ["sockets of virtual machines", "41, 40, 1, 0"],
      ["sockets of the kernel's ciphers", "41, 38, 5, 0"],
      ["raw packets", "41, 17, 3, 0"],
    ] as const
  ).map(([what, call]) =>
    attempt(what, `perl -e '$r = syscall(${call}); print "ESCAPED" if $r >= 0 && $$ > 1'`),
  ),
  attempt(
    "a mapping without bounds",
    "perl -e '$r = syscall(9, 0, 1 << 44, 3, 0x22, -1, 0); print \"ESCAPED\" if $r > 0'",
  ),
  attempt(
    "a file without bounds",
    "truncate -s 20G /tmp/large && echo ESCAPED; dd if=/dev/zero of=/tmp/l bs=1M count=4000 && echo ESCAPED",
  ),
  attempt("the name of the machine", "hostname sotto-escaped && echo ESCAPED"),
  attempt(
    "a program with the setuid bit",
    'cp "$(command -v bash)" /tmp/b; chmod 6755 /tmp/b; /tmp/b -p -c \'echo x > "$OUT/a"\'',
  ),
  attempt("su", 'su -c "touch $OUT/new" </dev/null'),
  attempt("sudo", 'sudo -n touch "$OUT/new"'),
  attempt(
    "raising capabilities",
    'setpriv --inh-caps +all --ambient-caps +all touch "$OUT/new"; capsh --caps=all+eip -- -c \'touch "$OUT/new"\'',
  ),
  attempt("capabilities of a file", 'cp "$(command -v cat)" /tmp/c; setcap all+ep /tmp/c && echo ESCAPED'),
  attempt(
    "another user",
    "setpriv --reuid 1 --clear-groups id && echo ESCAPED; chown 1 /tmp && echo ESCAPED",
  ),
  attempt(
    "capabilities that are left",
    "grep -E 'Cap(Prm|Eff|Inh|Amb):' /proc/self/status | grep -v 0000000000000000 && echo ESCAPED",
  ),
]

export const PROCESSES: readonly Escape[] = [
  bites("killing a process outside", 'kill -9 "$PID"'),
  bites("its environment", 'cat "/proc/$PID/environ"'),
  attempt("everybody's environment", "cat /proc/[0-9]*/environ"),
  attempt(
    "everybody's command line",
    "cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -a 'sotto-victi[m]' && echo ESCAPED",
  ),
  attempt("killing all", "kill -9 -1"),
  attempt(
    "the memory of a process outside",
    'head -c 1 "/proc/$PID/mem" && echo ESCAPED; cat "/proc/$PID/maps" && echo ESCAPED',
  ),
  attempt(
    "ptrace",
    'perl -e \'syscall(101, 16, $ENV{PID}, 0, 0) == 0 and print "ESCAPED"\'; gdb -p "$PID" -batch -ex quit 2>&1 | grep -q Attaching && [ -d "/proc/$PID" ] && echo ESCAPED',
  ),
  attempt("the descriptors of a process outside", 'ls "/proc/$PID/fd" && echo ESCAPED'),
  attempt(
    "typing into the terminal",
    'perl -e \'open T, "+<", "/dev/tty" and ioctl(T, 0x5412, my $c = "x") and print "ESCAPED"; ioctl(STDIN, 0x5412, $c) and print "ESCAPED"\'',
  ),
  attempt("shared memory", 'echo x > "/dev/shm/sotto-escape-$PORT"; ipcmk -M 1 > /dev/null'),
  attempt(
    "a temporary file",
    'echo x > "/tmp/sotto-escape-$PORT"; echo x > "/var/tmp/sotto-escape-$PORT"; echo x > "/run/sotto-escape-$PORT"',
  ),
  attempt(
    "a process that stays",
    'setsid bash -c "exec -a sotto-stays-$PORT sleep 300" > /dev/null 2>&1 < /dev/null & disown -a',
  ),
  attempt(
    "a daemon that stays",
    'perl -e \'fork and exit; setpgrp; fork and exit; exec {"sleep"} "sotto-stays-$ENV{PORT}", 300\' > /dev/null 2>&1 < /dev/null',
  ),
]

export const NETWORK: readonly Escape[] = [
  bites("bash", 'echo x > "/dev/tcp/127.0.0.1/$PORT"'),
  bites(
    "node",
    'node -e \'require("net").connect(+process.env.PORT, "127.0.0.1").on("error", () => 0).end("x")\'',
  ),
  bites("perl", "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(\"127.0.0.1:$ENV{PORT}\")'"),
  bites("by name", 'echo x > "/dev/tcp/localhost/$PORT"'),
  bites("datagrams", 'echo x > "/dev/udp/127.0.0.1/$PORT"'),
  bites(
    "a socket in the file system",
    'node -e \'require("net").connect(process.env.SOCK).on("error", () => 0).end("x")\'',
  ),
  bites(
    "an abstract socket",
    'node -e \'require("net").connect("\\0" + process.env.ABSTRACT).on("error", () => 0).end("x")\'',
  ),
  attempt(
    "a socket by another path",
    'node -e \'require("net").connect("/proc/self/root" + process.env.SOCK).on("error", () => 0).end("x")\'',
  ),
  attempt(
    "another interface",
    "ls /sys/class/net | grep -v '^lo$' | while read i; do grep -q \"$i:\" /proc/net/dev && echo ESCAPED; done",
  ),
  attempt("a raw socket", "perl -MSocket -e 'socket(S, AF_INET, SOCK_RAW, 1) and print \"ESCAPED\"'"),
  attempt(
    "the sockets of the system",
    "[ -e /run/docker.sock ] || [ -e /var/run/docker.sock ] || [ -e /run/dbus/system_bus_socket ] && echo ESCAPED",
  ),
]

export const SECRETS: readonly Escape[] = [
  bites("the store", 'cat "$STORE/sessions.db"'),
  bites("an output of another session", 'cat "$STORE"/output/old.txt'),
  bites("settings", 'cat "$STORE/sotto.json"'),
  bites("a private key", 'cat "$HOME/.ssh/id_ed25519"'),
  bites("credentials", 'cat "$HOME/.aws/credentials"'),
  bites("a file of passwords", 'cat "$HOME/.netrc"'),
  bites("a token of npm", 'cat "$HOME/.npmrc"'),
  bites("a token of GitHub", 'cat "$HOME/.config/gh/hosts.yml"'),
  bites("keys by way of a link", 'cat "$HOME/.gnupg/key"'),
  bites("where the link leads", 'cat "$OUT/keys/key"'),
  bites("a link in the workspace", "cat store-link/sessions.db"),
  bites("the root of a process", 'cat "/proc/self/root$STORE/sessions.db"'),
  bites("searching", 'grep -ra "secret-of" "$HOME" "$STORE"'),
  bites("a copy", 'cp -r "$STORE" "/tmp/copy-$$"; cat "/tmp/copy-$$/sessions.db"; rm -rf "/tmp/copy-$$"'),
  bites("an archive", 'tar cf - "$HOME/.ssh"'),
  bites(
    "node",
    'node -e \'console.log(require("fs").readFileSync(process.env.STORE + "/sessions.db", "utf8"))\'',
  ),
  bites(
    "git",
    'git hash-object -w --stdin-paths <<< "$STORE/sessions.db" > /dev/null; git diff --no-index /dev/null "$STORE/sessions.db"',
  ),
  bites("a hard link", 'ln "$STORE/sessions.db" "$OUT/hard" && cat "$OUT/hard"'),
  bites("other programs' temporary files", 'cat "/tmp/sotto-secret-$PORT"'),
  attempt("a renamed store", 'mv "$STORE" "$STORE-2"; cat "$STORE-2/sessions.db"'),
  attempt("a replaced mask", 'rm -rf "$STORE"; rmdir "$STORE"; cat "$STORE/sessions.db"'),
  attempt("passwords of the system", "grep -E '^[^:]+:[^:]*:' /etc/shadow && echo ESCAPED"),
  attempt("keys of the system", "cat /etc/ssh/ssh_host_*_key && echo ESCAPED"),
  bites("a file outside that no list knows", 'cat "$OUT/notes"'),
  bites(
    "a path that is put together",
    'perl -e \'open F, "<", join("/", $ENV{OUT}, "no" . "tes"); print <F>\'',
  ),
  bites("a file of the home folder", 'cat "$HOME/notes"'),
  bites("settings of a tool that no list knows", 'cat "$HOME/.config/some-tool/token"'),
  bites("a key among a toolchain's files", 'cat "$HOME/.cargo/credentials.toml"'),
  bites("everything in the home folder", 'cat $(find "$HOME" -type f)'),
  bites("everything beside the workspace", 'cat "$WORK"/../*/*'),
  attempt("a key in the environment", "env; export -p; cat /proc/self/environ"),
  attempt("a key in the first process", "cat /proc/1/environ /proc/$PPID/environ /proc/1/cmdline"),
]

/** Every attempt on a sandbox that may write nothing. */
export const ESCAPES: readonly Escape[] = [
  ...[...WRITES, ...PRIVILEGES, ...PROCESSES, ...NETWORK, ...SECRETS],
  bites("writing the workspace", "echo x > a"),
  bites("writing git's hooks", "echo x > .git/hooks/pre-commit"),
  bites("committing", "git commit -qm x --allow-empty"),
]

/** What must not be written of a workspace that may be. */
export const LATER: readonly Escape[] = [
  bites("a hook", "echo 'touch x' > .git/hooks/pre-commit"),
  bites("a hook by a link", "ln -s ../../a .git/hooks/post-commit"),
  bites("other hooks", "rm -rf .git/hooks; mkdir .git/hooks && echo x > .git/hooks/pre-commit"),
  bites("moved hooks", "mv .git/hooks .git/h && mkdir .git/hooks && echo x > .git/hooks/pre-commit"),
  bites("another repository", "mv .git old && cp -r old .git && echo x > .git/hooks/pre-commit"),
  bites("a removed repository", "rm -rf .git; git init -q . && echo x > .git/hooks/pre-commit"),
  bites("a setting of git", "git config core.fsmonitor 'touch x'"),
  bites("a setting by hand", "printf '[core]\\nhooksPath = /tmp\\n' >> .git/config"),
  bites("a replaced setting", "cp .git/config .git/c && echo x >> .git/c && mv -f .git/c .git/config"),
  bites(
    "hooks of a submodule",
    "mkdir -p .git/modules/x/hooks && echo x > .git/modules/x/hooks/post-checkout",
  ),
  bites("attributes", "echo '* diff=x' >> .git/info/attributes"),
  bites("Sotto's settings", 'echo "{}" > sotto.json'),
  bites("replaced settings", 'echo "{}" > s && mv -f s sotto.json'),
  bites("removed settings", "rm -f sotto.json"),
  bites("an agent", "mkdir -p .sotto/agents && echo x > .sotto/agents/build.md"),
  bites("moved definitions", "mv .sotto old && mkdir .sotto && echo x > .sotto/x"),
  bites("a server", 'echo "{}" > .mcp.json'),
  bites("outside by a link in the workspace", 'ln -s "$OUT/a" link && echo x > link'),
  bites("outside by a hard link", 'ln "$OUT/a" hard && echo x > hard'),
  bites("outside by dots", 'echo x > "../$(basename "$OUT")/a"'),
]
