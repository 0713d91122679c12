"""Launcher of an engine: supervises it, restricts it, and kills all of its descendants.

This file runs as a script in an interpreter without packages. It imports little, so that programs start fast:

    python -I -S -c BOOT FOLDER DESCRIPTOR      the descriptor of a plan, see `launch` in sandbox.py

The launcher stays between the referee and the engine. It ends the engine when the referee closes the lifeline, a pipe
that is also closed if the referee is killed. Levels:

    bubblewrap  namespaces and a read-only file system by bwrap(1)
    landlock    Landlock rules and a seccomp filter; also namespaces if the system permits them
    rlimits     resource limits only
    off         no restrictions
"""

from __future__ import annotations

import _signal as signal  # pyright: ignore[reportMissingImports]
import ctypes
import errno
import marshal
import os
import resource
import select
import struct
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Iterable
    from typing import Any, NoReturn

LAUNCH_FAILED = 126
"""Exit code if the restrictions cannot be applied or the program cannot be executed."""

_KILL_SECONDS = 5.0
"""Seconds for killing descendants that keep forking."""

# prctl(2)
_PDEATHSIG, _SUBREAPER, _NO_NEW_PRIVS, _SECCOMP, _CAPBSET_DROP = 1, 36, 38, 22, 24
# unshare(2): mount; UTS, IPC, user, PID and network namespaces
_MOUNT_NAMESPACE = 0x0002_0000
_NETWORK_NAMESPACE = 0x4000_0000
_NAMESPACES = 0x0400_0000 | 0x0800_0000 | 0x1000_0000 | 0x2000_0000 | _NETWORK_NAMESPACE
_CLONE_FLAGS = _NAMESPACES | _MOUNT_NAMESPACE | 0x0200_0000
_MOUNT_SETATTR, _AT_RECURSIVE = 442, 0x8000
_MS_PRIVATE, _MS_REC, _MS_NOSUID, _MS_NODEV = 1 << 18, 1 << 14, 2, 4

_NOBODY = 65_534

_MACHINES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
"""Machine → its number in seccomp data."""

_REFUSED_CALLS = """
    socket 41 198, ptrace 101 117, unshare 272 97, setns 308 268, mount 165 40, umount2 166 39, pivot_root 155 41,
    chroot 161 51, bpf 321 280, process_vm_readv 310 270, process_vm_writev 311 271, kcmp 312 272, add_key 248 217,
    request_key 249 218, keyctl 250 219, userfaultfd 323 282, perf_event_open 298 241, open_by_handle_at 304 265,
    io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427, pidfd_getfd 438 438, shmget 29 194,
    semget 64 190, msgget 68 186, mq_open 240 180, reboot 169 142, settimeofday 164 170, clock_settime 227 112,
    sethostname 170 161, swapon 167 224, init_module 175 105, finit_module 313 273, kexec_load 246 104,
    acct 163 89, quotactl 179 60, fsopen 430 430, fsmount 432 432, move_mount 429 429, open_tree 428 428,
    mount_setattr 442 442
"""
"""System calls that the filter refuses, with their numbers on both machines."""

_ATTRIBUTE_CALLS = (
    (90, 91, 92, 93, 94, 260, 268, 452, 132, 235, 261, 280, 188, 189, 190, 197, 198, 199),
    (52, 53, 54, 55, 88, 452, 5, 6, 7, 14, 15, 16),
)
"""System calls that change modes, owners, times and attributes of files, on both machines: Landlock permits them."""

_CLONE, _CLONE3 = (56, 220), (435, 435)

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_SHARED_FILES = (
    "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version", "/proc/filesystems", "/proc/sys/vm",
    "/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage", "/dev/zero", "/dev/random", "/dev/urandom",
)  # fmt: skip
"""System files that programs and runtimes read."""

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


class _Suppress:
    """`contextlib.suppress`, without its imports."""

    def __init__(self, *kinds: type[BaseException]) -> None:
        self._kinds = kinds

    def __enter__(self) -> None:
        """Enter the block."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and issubclass(kind, self._kinds)


def _call(name: str, *arguments: Any) -> int:
    """Call a function of the C library; raises OSError."""
    result = getattr(_libc, name)(*arguments)
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def _prctl(option: int, *arguments: int) -> None:
    _call("prctl", option, *(ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]))


def main(plan_file: int) -> NoReturn:
    """Run the engine of a plan, read from a descriptor, and exit as it does."""
    os.lseek(plan_file, 0, os.SEEK_SET)
    with os.fdopen(plan_file, "rb") as file:
        plan: dict[str, Any] = marshal.load(file)
    _prctl(_SUBREAPER, 1)
    wakeup_read, wakeup_write = os.pipe()
    for end in (wakeup_read, wakeup_write):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakeup_write, warn_on_full_buffer=False)
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        signal.signal(getattr(signal, name), lambda *_: None)
    level, lifeline, namespaces = plan["level"], plan["lifeline"], plan["namespaces"]
    os.set_inheritable(lifeline, False)
    group = _process_group(plan["limits"].get("NPROC"))
    folder = _make_folder(plan["scratch"]) if level in ("landlock", "rlimits") else None
    if namespaces:
        _unshare(plan["network"])
    child = _fork(_run, plan, folder, group)
    status = _supervise(child, lifeline, wakeup_read)
    _kill_descendants()
    if group is not None:
        with _Suppress(OSError):
            os.rmdir(group)
    if folder is not None:
        _remove_folder(folder)
    _exit_like(status, 128 if namespaces or level == "bubblewrap" else None)


def _fork(function: Any, *arguments: Any) -> int:
    """Run a function in a child process, which does not return; only the child keeps the streams."""
    child = os.fork()
    if child == 0:
        try:
            function(*arguments)
        except BaseException as error:
            os.write(2, f"the engine cannot be started: {error}\n".encode())
        finally:
            os._exit(LAUNCH_FAILED)
    # The referee must notice when the engine closes its streams.
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    return child


def _run(plan: dict[str, Any], folder: str | None, group: str | None) -> NoReturn:
    """Enter the control group and the namespaces, and execute the engine."""
    _prctl(_PDEATHSIG, signal.SIGKILL)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if group is not None:
        _write(f"{group}/cgroup.procs", "0")
    if plan["namespaces"]:
        _be_init(plan, folder or "/")
    if plan["level"] != "bubblewrap":
        # An engine that kills its parent must not kill the process that kills its descendants.
        _exit_like(_wait_for(_fork(_execute, plan, folder)), None)
    _execute(plan, folder)


def _wait_for(child: int) -> int:
    """Reap orphans until `child` ends; return its wait status."""
    while True:
        process, status = os.wait()
        if process == child:
            return status


def _supervise(child: int, lifeline: int, wakeup: int) -> int:
    """Wait for the engine or for the end of the lifeline; return the wait status of the engine."""
    poll = select.poll()
    poll.register(lifeline, select.POLLIN)
    poll.register(wakeup, select.POLLIN)
    while True:
        status = _reap(child)
        if status is not None:
            return status
        ready = dict(poll.poll())
        signals = b""
        if wakeup in ready:
            with _Suppress(BlockingIOError):
                signals = os.read(wakeup, 4096)
        if lifeline in ready or signal.SIGTERM in signals:
            return 0


def _reap(child: int) -> int | None:
    """Reap dead descendants; return the wait status of `child` if it is among them."""
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return 0
        if process == 0:
            return None
        if process == child:
            return status


def _kill_descendants() -> None:
    """Kill and reap all descendants: orphans become children of this process."""
    until = time.monotonic() + _KILL_SECONDS
    while time.monotonic() < until:
        for process in _children():
            with _Suppress(OSError):
                os.kill(process, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def _children() -> list[int]:
    """The children of this process; empty on kernels that do not list them."""
    with _Suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]
    return []


def _exit_like(status: int, base: int | None) -> NoReturn:
    """Exit as the engine did; above `base` an exit code contains the signal that killed it."""
    code = os.waitstatus_to_exitcode(status)
    if base is not None and base < code <= base + 64:
        code = base - code
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with _Suppress(OSError, ValueError):
            signal.signal(-code, signal.SIG_DFL)
        with _Suppress(OSError, ValueError):
            os.kill(os.getpid(), -code)
            time.sleep(1)
    os._exit(code & 0xFF)


def _make_folder(parent: str) -> str:
    """Make a private folder."""
    folder = os.path.join(parent, f"starscout-engine-{os.urandom(16).hex()}")
    os.mkdir(folder, 0o700)
    return folder


def _remove_folder(folder: str) -> None:
    """Remove a private folder and its content, without following links; the engine may have changed modes."""
    with _Suppress(OSError):
        os.chmod(folder, 0o700)
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                _remove_folder(entry.path)
            else:
                os.unlink(entry.path)
        os.rmdir(folder)


def _unshare(network: bool) -> None:
    """Enter new user, PID, network and other namespaces, without root; raises OSError."""
    user, group = os.geteuid(), os.getegid()
    _call("unshare", _NAMESPACES & ~_NETWORK_NAMESPACE if network else _NAMESPACES)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user or _NOBODY} {user} 1")
    _write("/proc/self/gid_map", f"{group or _NOBODY} {group} 1")


def _make_read_only(folder: str, size: int) -> None:
    """Make all file systems read-only, except a private folder of bounded size; raises OSError.

    Landlock does not control modes and owners of files: a read-only file system does.
    """
    _call("unshare", _MOUNT_NAMESPACE)
    _call("mount", b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None)
    read_only = struct.pack("4Q", 1, 0, 0, 0)
    _call("syscall", _MOUNT_SETATTR, -100, b"/", ctypes.c_uint(_AT_RECURSIVE), read_only, ctypes.c_size_t(32))
    flags = ctypes.c_ulong(_MS_NOSUID | _MS_NODEV)
    _call("mount", b"tmpfs", os.fsencode(folder), b"tmpfs", flags, f"size={size},mode=700".encode())


def _be_init(plan: dict[str, Any], folder: str) -> NoReturn:
    """Be the first process of the PID namespace: start the engine, reap orphans, exit with the engine."""
    with _Suppress(OSError):
        _write("/proc/self/oom_score_adj", "1000")
    _make_read_only(folder, plan["scratch_bytes"])
    code = os.waitstatus_to_exitcode(_wait_for(_fork(_execute, plan, folder)))
    os._exit(code if code >= 0 else 128 - code)


def _execute(plan: dict[str, Any], folder: str | None) -> NoReturn:
    """Apply the restrictions of the level and execute the command."""
    level, environment = plan["level"], dict(plan["environment"])
    with _Suppress(OSError):
        os.setsid()
    for name in ("SIGPIPE", "SIGXFSZ", "SIGINT", "SIGTERM", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    if plan["cwd"]:
        os.chdir(plan["cwd"])
    if level != "off":
        with _Suppress(OSError):
            _write("/proc/self/oom_score_adj", "1000")
        _prctl(_NO_NEW_PRIVS, 1)
    if level in ("landlock", "rlimits"):
        environment |= {"TMPDIR": folder or "/", "HOME": folder or "/"}
    if level == "bubblewrap":
        _execute_bubblewrap(plan, environment)
    for name, value in _bounded(plan["limits"], level, plan["namespaces"]).items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))
    if level in ("landlock", "rlimits"):
        _drop_capabilities()
    if level == "landlock":
        _restrict_files(plan["readable"], plan["listable"], [folder] if folder else [])
        # With namespaces all file systems are read-only.
        _filter_calls(attributes=not plan["namespaces"], network=plan["network"])
    elif level == "rlimits":
        with _Suppress(OSError, KeyError):
            _filter_calls(network=plan["network"])
    os.execvpe(plan["words"][0], plan["words"], environment)


def _execute_bubblewrap(plan: dict[str, Any], environment: dict[str, str]) -> NoReturn:
    """Replace this process by bwrap, which hands the streams 3, 4 and 5 to the engine and closes its own copies."""
    null = os.open(os.devnull, os.O_RDWR)
    streams = [os.dup(stream) for stream in (0, 1, 2)]
    filter_file = os.memfd_create("seccomp")
    os.write(filter_file, filter_program(network=plan["network"]))
    os.lseek(filter_file, 0, os.SEEK_SET)
    held = [*streams, filter_file]
    # Low descriptors may be in use: move everything up first.
    base = max(64, *held) + 1
    for offset, descriptor in enumerate(held):
        os.dup2(descriptor, base + offset, inheritable=False)
    for offset, target in enumerate((3, 4, 5)):
        os.dup2(base + offset, target)
    os.dup2(base + 3, 6)
    os.dup2(null, 0)
    os.dup2(null, 1)
    limits = [
        f"--{name.lower()}={value}" for name, value in _bounded(plan["limits"], "bubblewrap", namespaces=False).items()
    ]
    inner = ["/bin/sh", "-c", 'exec "$@" <&3 >&4 2>&5 3<&- 4>&- 5>&-', "sh", plan["prlimit"], *limits, "--"]
    os.execvpe(plan["bwrap"][0], [*plan["bwrap"], "--seccomp", "6", "--", *inner, *plan["words"]], environment)


def _counts_per_namespace(level: str, namespaces: bool) -> bool:
    """Whether the limit on processes does not count those of the whole account, or does not apply."""
    version = tuple(int(part) for part in os.uname().release.split(".")[:2])
    return os.geteuid() == 0 or (version >= (5, 14) and (namespaces or level == "bubblewrap"))


def _bounded(limits: dict[str, int], level: str, namespaces: bool) -> dict[str, int]:
    """The limits, none above the hard limit of this process; that on processes may have to include others."""
    bounded = {}
    for name, value in limits.items():
        if name == "NPROC" and not _counts_per_namespace(level, namespaces):
            value += _account_threads()
        hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[1]
        bounded[name] = value if hard == resource.RLIM_INFINITY else min(value, hard)
    return bounded


def _account_threads() -> int:
    """The number of threads of this account."""
    count = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        with _Suppress(OSError):
            count += len(os.listdir(f"/proc/{name}/task")) if os.stat(f"/proc/{name}").st_uid == os.getuid() else 0
    return count


def _process_group(most: int | None) -> str | None:
    """Make a control group that bounds the number of processes; only root can, and only root needs it."""
    if most is None or os.geteuid() != 0:
        return None
    with _Suppress(OSError), open("/proc/self/cgroup", encoding="ascii") as file:
        for line in file.read().splitlines():
            _, controllers, path = line.split(":", 2)
            root = "/sys/fs/cgroup/pids" if controllers == "pids" else "/sys/fs/cgroup" if not controllers else None
            if root is None or not os.path.isdir(root):
                continue
            group = f"{root}{path.rstrip('/')}/starscout-{os.getpid()}-{os.urandom(4).hex()}"
            with _Suppress(OSError):
                # Groups of launchers that were killed are left empty.
                for name in os.listdir(os.path.dirname(group)):
                    if name.startswith("starscout-") and not os.path.exists(f"/proc/{name.split('-')[1]}"):
                        with _Suppress(OSError):
                            os.rmdir(f"{os.path.dirname(group)}/{name}")
                os.mkdir(group)
                if os.path.exists(f"{group}/pids.max"):
                    _write(f"{group}/pids.max", str(most))
                    return group
                os.rmdir(group)
    return None


def _drop_capabilities() -> None:
    """Give up all capabilities of root, for ever."""
    for capability in range(64):
        try:
            _prctl(_CAPBSET_DROP, capability)
        except OSError as error:
            if error.errno == errno.EINVAL:
                break
            if error.errno != errno.EPERM:
                raise
    header = struct.pack("Ii", 0x2008_0522, 0)
    _call("capset", header, struct.pack("6I", 0, 0, 0, 0, 0, 0))


def landlock_version() -> int:
    """The ABI version of Landlock; 0 if the kernel does not offer it."""
    version = _libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    return max(int(version), 0)


def _restrict_files(readable: Iterable[str], listable: Iterable[str], writable: Iterable[str]) -> None:
    """Restrict file access by Landlock; raises OSError."""
    version = landlock_version()
    if version == 0:
        raise OSError(errno.ENOSYS, "Landlock is not available")
    files = (1 << {1: 13, 2: 14}.get(version, 15 if version < 5 else 16)) - 1
    network = 3 if version >= 4 else 0
    scoped = 3 if version >= 6 else 0
    rules = struct.pack("QQQ", files, network, scoped)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = _call("syscall", _LANDLOCK_CREATE, rules, ctypes.c_size_t(len(rules)), ctypes.c_uint(0))
    read = _EXECUTE | _READ_FILE | _READ_DIR
    grants = [(path, read) for path in (*readable, *_SHARED_FILES, "/proc/self")]
    grants += [(path, _READ_DIR) for path in listable]
    grants += [(path, files) for path in writable]
    grants += [("/dev/null", _READ_FILE | _WRITE_FILE | _TRUNCATE)]
    for path, rights in grants:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        with _Suppress(OSError):
            if not os.path.isdir(path):
                rights &= _FILE_RIGHTS
            rule = struct.pack("=Qi", rights & files, place)
            _call("syscall", _LANDLOCK_ADD, ruleset, 1, rule, ctypes.c_uint(0))
        os.close(place)
    _call("syscall", _LANDLOCK_RESTRICT, ruleset, ctypes.c_uint(0))
    os.close(ruleset)


def filter_program(*, attributes: bool = False, network: bool = False) -> bytes:
    """The seccomp filter: system calls that reach other processes, the network or the kernel's settings fail.

    `attributes`: calls that change modes and owners of files fail, too. `network`: IPv4 sockets are allowed. Raises
    KeyError on other machines than x86-64 and AArch64.
    """
    architecture = _MACHINES[os.uname().machine]
    column = list(_MACHINES).index(os.uname().machine)
    allow, refuse, absent = 0x7FFF_0000, 0x0005_0000 | errno.EPERM, 0x0005_0000 | errno.ENOSYS
    load, equal, at_least, any_bit, give = 0x20, 0x15, 0x35, 0x45, 0x06
    code: list[tuple[int, int, int, int]] = [
        (load, 0, 0, 4),
        (equal, 1, 0, architecture),
        (give, 0, 0, 0x8000_0000),
        (load, 0, 0, 0),
    ]
    if column == 0:
        # The x32 system calls are other numbers for the same functions.
        code += [(at_least, 0, 1, 0x4000_0000), (give, 0, 0, absent)]
    refused = [int(call.split()[1 + column]) for call in _REFUSED_CALLS.split(",")]
    ipv4 = [(equal, 0, 4, refused[0]), (load, 0, 0, 16), (equal, 0, 1, 2), (give, 0, 0, allow), (give, 0, 0, refuse)]
    code += ipv4 if network else []
    for number in refused + list(_ATTRIBUTE_CALLS[column] if attributes else ()):
        code += [(equal, 0, 1, number), (give, 0, 0, refuse)]
    # The flags of clone3 are in memory, which a filter cannot read: without it, libraries use clone.
    code += [(equal, 0, 1, _CLONE3[column]), (give, 0, 0, absent)]
    code += [(equal, 0, 3, _CLONE[column]), (load, 0, 0, 16), (any_bit, 0, 1, _CLONE_FLAGS), (give, 0, 0, refuse)]
    code += [(give, 0, 0, allow)]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


def _filter_calls(**relaxed: bool) -> None:
    """Install the seccomp filter; raises OSError."""
    program = filter_program(**relaxed)
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    _call("prctl", _SECCOMP, ctypes.c_ulong(2), header, ctypes.c_ulong(0), ctypes.c_ulong(0))


def _write(path: str, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY), "wb", 0) as file:
        file.write(text.encode())
