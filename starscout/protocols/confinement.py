"""Restrictions that an engine's process applies to itself: namespaces, Landlock, seccomp, limits, capabilities.

Used by `launcher.py`, in an interpreter without packages: it imports little.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

# prctl(2)
PDEATHSIG, SUBREAPER, NO_NEW_PRIVS, _SECCOMP, _CAPBSET_DROP = 1, 36, 38, 22, 24
# unshare(2): mount; UTS, IPC, user, PID and network namespaces
_MOUNT_NAMESPACE = 0x0002_0000
_NETWORK_NAMESPACE = 0x4000_0000
_NAMESPACES = 0x0400_0000 | 0x0800_0000 | 0x1000_0000 | 0x2000_0000 | _NETWORK_NAMESPACE
_CLONE_FLAGS = _NAMESPACES | _MOUNT_NAMESPACE | 0x0200_0000
_MOUNT_SETATTR, _AT_RECURSIVE = 442, 0x8000
_MS_PRIVATE, _MS_REC, _MS_NOSUID, _MS_NODEV, _MS_BIND = 1 << 18, 1 << 14, 2, 4, 1 << 12

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
_LANDLOCK_NETWORK = 4
"""The first version that controls TCP."""
_PATH_RULE, _PORT_RULE = 1, 2
_BIND_TCP, _CONNECT_TCP = 1, 2
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


class Suppress:
    """`contextlib.suppress`, without its imports."""

    def __init__(self, *kinds: type[BaseException]) -> None:
        self._kinds = kinds

    def __enter__(self) -> None:
        """Enter the block."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and issubclass(kind, self._kinds)


def call(name: str, *arguments: Any) -> int:
    """Call a function of the C library; raises OSError."""
    result = getattr(_libc, name)(*arguments)
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def prctl(option: int, *arguments: int) -> None:
    call("prctl", option, *(ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]))


def unshare(*, network: bool) -> None:
    """Enter new user, PID and other namespaces, without root; `network`: also a separate network. Raises OSError."""
    user, group = os.geteuid(), os.getegid()
    call("unshare", _NAMESPACES if network else _NAMESPACES & ~_NETWORK_NAMESPACE)
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"{user or _NOBODY} {user} 1")
    write("/proc/self/gid_map", f"{group or _NOBODY} {group} 1")


def make_read_only(folder: str, size: int, writable: str | None) -> None:
    """Make all file systems read-only, except `writable` and a private folder of bounded size; raises OSError.

    Landlock does not control modes and ownership of files; a read-only file system does.
    """
    call("unshare", _MOUNT_NAMESPACE)
    call("mount", b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None)
    read_only, as_before = struct.pack("4Q", 1, 0, 0, 0), struct.pack("4Q", 0, 1, 0, 0)
    call("syscall", _MOUNT_SETATTR, -100, b"/", ctypes.c_uint(_AT_RECURSIVE), read_only, ctypes.c_size_t(32))
    if writable is not None:
        place = os.fsencode(writable)
        call("mount", place, place, None, ctypes.c_ulong(_MS_BIND), None)
        call("syscall", _MOUNT_SETATTR, -100, place, ctypes.c_uint(0), as_before, ctypes.c_size_t(32))
    flags = ctypes.c_ulong(_MS_NOSUID | _MS_NODEV)
    call("mount", b"tmpfs", os.fsencode(folder), b"tmpfs", flags, f"size={size},mode=700".encode())


def _counts_per_namespace(level: str, namespaces: bool) -> bool:
    """Whether the limit on processes counts only those of the namespace, or does not apply."""
    version = tuple(int(part) for part in os.uname().release.split(".")[:2])
    return os.geteuid() == 0 or (version >= (5, 14) and (namespaces or level == "bubblewrap"))


def bounded_limits(limits: dict[str, int], level: str, namespaces: bool) -> dict[str, int]:
    """The limits, capped at this process's hard limits; the limit on processes may have to include other processes."""
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
        with Suppress(OSError):
            count += len(os.listdir(f"/proc/{name}/task")) if os.stat(f"/proc/{name}").st_uid == os.getuid() else 0
    return count


def drop_capabilities() -> None:
    """Drop all capabilities of root irrevocably."""
    for capability in range(64):
        try:
            prctl(_CAPBSET_DROP, capability)
        except OSError as error:
            if error.errno == errno.EINVAL:
                break
            if error.errno != errno.EPERM:
                raise
    header = struct.pack("Ii", 0x2008_0522, 0)
    call("capset", header, struct.pack("6I", 0, 0, 0, 0, 0, 0))


def landlock_version() -> int:
    """The ABI version of Landlock; 0 if the kernel does not offer it."""
    version = _libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    return max(int(version), 0)


def restrict_files(readable: Iterable[str], listable: Iterable[str], writable: Iterable[str]) -> None:
    """Restrict access to files, signals and abstract sockets by Landlock; raises OSError."""
    version = landlock_version()
    if version == 0:
        raise OSError(errno.ENOSYS, "Landlock is not available")
    files = (1 << {1: 13, 2: 14}.get(version, 15 if version < 5 else 16)) - 1
    scoped = 3 if version >= 6 else 0
    ruleset = _new_ruleset(struct.pack("QQQ", files, 0, scoped)[: 8 if version < 4 else 16 if version < 6 else 24])
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
        with Suppress(OSError):
            if not os.path.isdir(path):
                rights &= _FILE_RIGHTS
            _add_rule(ruleset, _PATH_RULE, struct.pack("=Qi", rights & files, place))
        os.close(place)
    _apply(ruleset)


def restrict_connections(port: int) -> None:
    """Allow TCP connections to this port only (0: none), where Landlock controls them; raises OSError."""
    if landlock_version() < _LANDLOCK_NETWORK:
        return
    ruleset = _new_ruleset(struct.pack("QQ", 0, _BIND_TCP | _CONNECT_TCP))
    if port:
        _add_rule(ruleset, _PORT_RULE, struct.pack("QQ", _CONNECT_TCP, port))
    _apply(ruleset)


def _new_ruleset(handled: bytes) -> int:
    return call("syscall", _LANDLOCK_CREATE, handled, ctypes.c_size_t(len(handled)), ctypes.c_uint(0))


def _add_rule(ruleset: int, kind: int, rule: bytes) -> None:
    call("syscall", _LANDLOCK_ADD, ruleset, kind, rule, ctypes.c_uint(0))


def _apply(ruleset: int) -> None:
    call("syscall", _LANDLOCK_RESTRICT, ruleset, ctypes.c_uint(0))
    os.close(ruleset)


def filter_program(*, attributes: bool = False, network: bool = False) -> bytes:
    """The seccomp filter: system calls that reach other processes, the network or the kernel's settings fail.

    `attributes`: calls that change modes and ownership of files fail, too. `network`: TCP sockets of IPv4 are allowed.
    Raises KeyError on machines other than x86-64 and AArch64.
    """
    architecture = _MACHINES[os.uname().machine]
    column = list(_MACHINES).index(os.uname().machine)
    allow, refuse, absent = 0x7FFF_0000, 0x0005_0000 | errno.EPERM, 0x0005_0000 | errno.ENOSYS
    load, equal, at_least, any_bit, keep, give = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
    code: list[tuple[int, int, int, int]] = [
        (load, 0, 0, 4),
        (equal, 1, 0, architecture),
        (give, 0, 0, 0x8000_0000),
        (load, 0, 0, 0),
    ]
    if column == 0:
        # The x32 system calls have other numbers for the same functions.
        code += [(at_least, 0, 1, 0x4000_0000), (give, 0, 0, absent)]
    refused = [int(call.split()[1 + column]) for call in _REFUSED_CALLS.split(",")]
    if network:
        family, kind = [(load, 0, 0, 16), (equal, 0, 4, 2)], [(load, 0, 0, 24), (keep, 0, 0, 0xF), (equal, 0, 1, 1)]
        code += [(equal, 0, 7, refused[0]), *family, *kind, (give, 0, 0, allow), (give, 0, 0, refuse)]
    for number in refused + list(_ATTRIBUTE_CALLS[column] if attributes else ()):
        code += [(equal, 0, 1, number), (give, 0, 0, refuse)]
    # The flags of clone3 are in memory, which a filter cannot read; if clone3 fails, libraries use clone.
    code += [(equal, 0, 1, _CLONE3[column]), (give, 0, 0, absent)]
    code += [(equal, 0, 3, _CLONE[column]), (load, 0, 0, 16), (any_bit, 0, 1, _CLONE_FLAGS), (give, 0, 0, refuse)]
    code += [(give, 0, 0, allow)]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


def filter_calls(**relaxed: bool) -> None:
    """Install the seccomp filter; raises OSError."""
    program = filter_program(**relaxed)
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    call("prctl", _SECCOMP, ctypes.c_ulong(2), header, ctypes.c_ulong(0), ctypes.c_ulong(0))


def write(path: str, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY), "wb", 0) as file:
        file.write(text.encode())
