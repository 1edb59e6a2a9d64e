"""Say why students' code cannot be run safely here, and what a teacher can do about it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from pe_grading import confine

LINUX_ELSEWHERE = {
    "win32": "use WSL2 (`wsl --install`, then install bubblewrap and run the same command inside)",
    "darwin": "use a Linux virtual machine, for instance `limactl start` and then the same command inside",
}
CONTAINER = (
    "this looks like a container, and container systems refuse user namespaces by default: grade on the host, or start "
    "the container with `--security-opt seccomp=unconfined --security-opt apparmor=unconfined` (Docker, Podman), or "
    "with `hostUsers: false` and an unconfined seccomp profile (Kubernetes)"
)
APPARMOR = (
    "AppArmor restricts user namespaces here (kernel.apparmor_restrict_unprivileged_userns=1, the default from Ubuntu "
    "24.04 on). Let bubblewrap, and nothing else, have them: write `abi <abi/4.0>,`, `include <tunables/global>` and "
    "`profile bwrap {bwrap} flags=(unconfined) {{ userns, }}` into /etc/apparmor.d/bwrap, one a line, remove "
    "/etc/apparmor.d/bwrap-userns-restrict if it is there, and run `sudo systemctl reload apparmor`; or, for all "
    "programs until the next start, `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`"
)


def missing(platform: str = sys.platform) -> str | None:
    """Return why no sandbox is possible on this system, or None."""
    if platform != "linux":
        remedy = LINUX_ELSEWHERE.get(platform, "use a Linux machine")
        return f"a sandbox needs Linux's namespaces, which {platform} does not have: {remedy}"
    if not confine.supported():
        return "a sandbox needs an x86_64 or aarch64 processor"
    if not shutil.which("bwrap"):
        return "a sandbox needs bubblewrap (install the package `bubblewrap`)"
    return None


def why_no_namespaces(root: Path = Path("/")) -> str:
    """Return which setting of the system keeps bubblewrap from building a sandbox, with its remedy, or ""."""
    if _setting(root, "proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1" and os.getuid() != 0:
        return APPARMOR.format(bwrap=shutil.which("bwrap") or "/usr/bin/bwrap")
    if _setting(root, "proc/sys/kernel/unprivileged_userns_clone") == "0":
        return "user namespaces are switched off: `sudo sysctl kernel.unprivileged_userns_clone=1`"
    if _setting(root, "proc/sys/user/max_user_namespaces") == "0":
        return "user namespaces are switched off: `sudo sysctl user.max_user_namespaces=10000`"
    inside = any((root / name).exists() for name in (".dockerenv", "run/.containerenv"))
    if inside or "KUBERNETES_SERVICE_HOST" in os.environ:
        return CONTAINER
    return ""


def _setting(root: Path, name: str) -> str:
    try:
        return (root / name).read_text().strip()
    except OSError:
        return ""
