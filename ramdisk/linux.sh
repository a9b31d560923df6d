#!/bin/sh
# A RAM disk for the data folders of mongod, on Linux: a tmpfs.
#
#   linux.sh create [MB] [PATH]   mounts one (2048 MB at /mnt/ramdisk); does nothing if one is there
#   linux.sh status [PATH]        says what is there; exit code 0 if it is RAM, else 1
#   linux.sh destroy [PATH]       unmounts what create mounted, with all that is in it; does nothing if nothing is there
#
# Mounting needs root: sudo is used where you are not. The folder belongs to you alone. MB is a limit: pages are taken as they are used.
# In an unprivileged container mount one from outside: docker run --tmpfs /mnt/ramdisk:size=2g
set -eu

# The name of our mounts in /proc/self/mounts: destroy must never take a tmpfs of the system, such as /run.
name=mongate

say() { printf '%s\n' "$*"; }
die() { printf 'linux.sh: %s\n' "$*" >&2; exit 1; }
usage() { printf 'usage: linux.sh create [MB] [PATH] | status [PATH] | destroy [PATH]\n' >&2; exit 2; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo -- "$@"
    else
        die "'$*' needs root, and there is no sudo: run this as root"
    fi
}

# The path as /proc/self/mounts has it.
real() {
    case $1 in
        /?*) ;;
        *) die "PATH must be absolute and not /: '$1'" ;;
    esac
    (cd -P -- "$1" 2>/dev/null && pwd -P) || printf '%s\n' "${1%/}"
}

# "TYPE NAME" of the last mount at exactly this path; nothing if there is none.
mounted_at() {
    escaped=$(printf '%s' "$1" | sed 's/\\/\\134/g; s/ /\\040/g; s/	/\\011/g')
    point=$escaped awk '$2 == ENVIRON["point"] { at = $3 " " $1 } END { if (at) print at }' /proc/self/mounts
}

# "2048 MB, 310 MB used"
usage_of() {
    df -P -k -- "$1" | awk 'NR == 2 { printf "%d MB, %d MB used\n", $2 / 1024, ($3 + 1023) / 1024 }'
}

create() {
    case $mb in
        '' | 0* | *[!0-9]*) die "MB must be a whole number above 0: '$mb'" ;;
    esac
    at=$(mounted_at "$path")
    case $at in
        'tmpfs '* | 'ramfs '*)
            say "$path is a RAM disk already: $(usage_of "$path"). For another size destroy it first."
            return
            ;;
        ?*) die "${at%% *} is mounted at $path, and that is not RAM: choose another PATH" ;;
    esac
    if [ -d "$path" ] && [ -n "$(ls -A -- "$path")" ]; then
        die "$path is not empty, and a mount would hide what is in it: choose another PATH"
    fi
    user=${SUDO_UID:-$(id -u)}
    group=${SUDO_GID:-$(id -g)}
    as_root mkdir -p -- "$path" || die "cannot make $path"
    as_root mount -t tmpfs -o "size=${mb}m,mode=0700,uid=$user,gid=$group,nosuid,nodev" "$name" "$path" ||
        die "cannot mount a tmpfs at $path: in a container mount it from outside (docker run --tmpfs $path:size=${mb}m)"
    say "$path is a RAM disk now: $(usage_of "$path"). mongate finds it${elsewhere:+ with MONGATE_RAMDISK=$path}."
}

status() {
    [ -d "$path" ] || die "$path is no folder: make a RAM disk with 'linux.sh create'"
    type=$(stat -f -c %T -- "$path")
    case $type in
        tmpfs | ramfs) say "$path is RAM ($type): $(usage_of "$path")" ;;
        *) die "$path is not RAM ($type): make a RAM disk with 'linux.sh create'" ;;
    esac
}

destroy() {
    at=$(mounted_at "$path")
    case $at in
        '')
            say "nothing is mounted at $path"
            return
            ;;
        "tmpfs $name") ;;
        'tmpfs '* | 'ramfs '*) die "the ${at%% *} at $path was not mounted by this script and stays: umount it yourself if it is yours" ;;
        *) die "${at%% *} is mounted at $path, and that is not RAM: it stays" ;;
    esac
    as_root umount -- "$path" || die "cannot unmount $path: end what uses it first ('fuser -vm $path' shows it)"
    say "the RAM disk at $path is gone"
}

command=${1:-}
[ $# -gt 0 ] && shift
mb=2048
if [ "$command" = create ] && [ $# -gt 0 ]; then
    mb=$1
    shift
fi
[ $# -le 1 ] || usage
path=$(real "${1:-/mnt/ramdisk}")
elsewhere=
[ "$path" = /mnt/ramdisk ] || elsewhere=yes

case $command in
    create | status | destroy)
        [ "$(uname -s)" = Linux ] || die "this is for Linux; on macOS run ramdisk/macos.sh"
        "$command"
        ;;
    *) usage ;;
esac
