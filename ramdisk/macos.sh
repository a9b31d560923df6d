#!/bin/sh
# A RAM disk for the data folders of mongod, on macOS: a disk image in RAM with HFS+ on it. No sudo.
#
#   macos.sh create [MB] [PATH]   makes one (2048 MB at /tmp/rdisk); does nothing if one is there
#   macos.sh status [PATH]        says what is there; exit code 0 if it is RAM, else 1
#   macos.sh destroy [PATH]       detaches it, with all that is in it; does nothing if nothing is there
#
# HFS+ and not APFS: an APFS volume lies on a container device of its own, which is one more thing between mongod and RAM.
set -eu

say() { printf '%s\n' "$*"; }
die() { printf 'macos.sh: %s\n' "$*" >&2; exit 1; }
usage() { printf 'usage: macos.sh create [MB] [PATH] | status [PATH] | destroy [PATH]\n' >&2; exit 2; }

# The path as mount prints it: /tmp is a link to /private/tmp.
real() {
    case $1 in
        /?*) ;;
        *) die "PATH must be absolute and not /: '$1'" ;;
    esac
    (cd -P -- "$1" 2>/dev/null && pwd -P) || printf '%s\n' "${1%/}"
}

# The device mounted at exactly this path; nothing if there is none.
device_at() {
    mount | point=$1 awk '{ i = index($0, " on " ENVIRON["point"] " ("); if (i) at = substr($0, 1, i - 1) } END { if (at) print at }'
}

# Whether the device, or the disk that it is a slice of, is an image in RAM.
is_ram() {
    hdiutil info | device=$1 awk '
        $1 == "image-path" { ram = ($3 ~ /^ram:/) }
        ram && $1 ~ /^\/dev\/disk/ {
            rest = substr(ENVIRON["device"], length($1) + 1)
            if (index(ENVIRON["device"], $1) == 1 && (rest == "" || rest ~ /^s/)) found = 1
        }
        END { exit !found }'
}

# "2048 MB, 310 MB used"
usage_of() {
    df -P -k "$1" | awk 'NR == 2 { printf "%d MB, %d MB used\n", $2 / 1024, ($3 + 1023) / 1024 }'
}

create() {
    case $mb in
        '' | 0* | *[!0-9]*) die "MB must be a whole number above 0: '$mb'" ;;
    esac
    device=$(device_at "$path")
    if [ -n "$device" ]; then
        is_ram "$device" || die "$device is mounted at $path, and that is not RAM: choose another PATH"
        say "$path is a RAM disk already ($device): $(usage_of "$path"). For another size destroy it first."
        return
    fi
    if [ -d "$path" ] && [ -n "$(ls -A "$path")" ]; then
        die "$path is not empty, and a mount would hide what is in it: choose another PATH"
    fi
    mkdir -p "$path" || die "cannot make $path"
    path=$(real "$path")
    # Sectors of 512 bytes; the name of the device comes padded with spaces and tabs.
    device=$(hdiutil attach -nomount "ram://$((mb * 2048))" | awk '{ print $1; exit }')
    case $device in
        /dev/disk*) ;;
        *) die "hdiutil could not make an image of $mb MB in RAM: is so much memory free?" ;;
    esac
    # eraseVolume mounts below /Volumes, so it is mounted a second time, where we want it.
    if ! { diskutil eraseVolume HFS+ mongate "$device" &&
        diskutil unmount "$device" &&
        diskutil mount -mountPoint "$path" "$device"; } >&2; then
        hdiutil detach "$device" >&2 || say "$device is still attached: 'hdiutil detach $device'" >&2
        die "cannot mount $device at $path: diskutil says why above"
    fi
    say "$path is a RAM disk now ($device): $(usage_of "$path"). mongate finds it${elsewhere:+ with MONGATE_RAMDISK=$path}."
}

status() {
    device=$(device_at "$path")
    if [ -z "$device" ] || ! is_ram "$device"; then
        die "$path is not RAM (${device:-nothing is mounted there}): make a RAM disk with 'macos.sh create'"
    fi
    say "$path is RAM ($device): $(usage_of "$path")"
}

destroy() {
    device=$(device_at "$path")
    if [ -z "$device" ]; then
        say "nothing is mounted at $path"
        return
    fi
    is_ram "$device" || die "$device is mounted at $path, and that is not RAM: it stays"
    hdiutil detach "$device" >&2 || die "cannot detach $device: end what uses $path first ('lsof $path' shows it)"
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
elsewhere=
[ "${1:-/tmp/rdisk}" = /tmp/rdisk ] || elsewhere=yes
path=$(real "${1:-/tmp/rdisk}")

case $command in
    create | status | destroy)
        [ "$(uname -s)" = Darwin ] || die "this is for macOS; on Linux run ramdisk/linux.sh"
        "$command"
        ;;
    *) usage ;;
esac
