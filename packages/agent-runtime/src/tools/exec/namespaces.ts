import { existsSync, statSync } from 'node:fs'
import { dieWithParent } from './die-with-parent.ts'
import type { Sandbox } from './sandbox.ts'

const devices = 'null zero full random urandom'
const privateFolders = ['/tmp', '/var/tmp', '/run']

/**
 * Process 1 of the namespace. The kernel drops every signal to process 1 that it has no handler for, SIGTERM too, so the
 * program is its child. A shell reports how a signal ended its child: that is not output of the program.
 */
const init = 'exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&-); exit $?'

/**
 * Builds inside new namespaces what bubblewrap builds, with the tools that every Linux has. Arguments: the workspace,
 * the readable folder, what is hidden up to `--`, then the program. Folders are held open before anything is hidden,
 * since they may lie below it. At the end every capability is gone, so nothing can be undone.
 *
 * Mounts that another one lies over are still in the list of all (systemd's /run/lock, once /run is a new one): nothing
 * gets there, and they cannot be changed. The number of what a path opens tells them.
 */
const setup = `set -eu
own=$1 readable=$2
shift 2
exec 7</dev 8<"$own" 9<"$readable"
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mount -t tmpfs -o mode=755 none "$1"; elif [ -e "$1" ]; then mount --bind /dev/null "$1"; fi
  shift
done
shift
mount -t tmpfs -o mode=755 none /dev
for device in ${devices}; do : >"/dev/$device"; mount -c --bind "/proc/self/fd/7/$device" "/dev/$device"; done
ln -s /proc/self/fd /dev/fd
ln -s fd/0 /dev/stdin
ln -s fd/1 /dev/stdout
ln -s fd/2 /dev/stderr
mkdir -p -m 1777 /dev/shm
mkdir -p "$own" "$readable"
mount -c --bind /proc/self/fd/9 "$readable"
mount -c --bind /proc/self/fd/8 "$own"
for part in sys sysrq-trigger irq bus; do if [ -e "/proc/$part" ]; then mount --bind "/proc/$part" "/proc/$part"; fi; done
seen() { id=; while read -r key value; do if [ "$key" = mnt_id: ]; then id=$value; fi; done </proc/self/fdinfo/6; }
mounts=$(cut -d ' ' -f 1,5 /proc/self/mountinfo)
while read -r mount point; do
  case $point in *\\\\*) point=$(printf '%b' "$(printf '%s' "$point" | sed 's/\\\\/\\\\0/g')") ;; esac
  case $point in "$own" | ${privateFolders.join(' | ')} | /proc | /dev | /dev/*) continue ;; esac
  if [ ! -e "$point" ]; then continue; fi
  if [ ! -d "$point" ] || ! seen 2>/dev/null 6<"$point"; then id=; fi
  if [ "$id" = "" ] || [ "$id" = "$mount" ]; then mount -o remount,bind,ro "$point"; fi
done <<end
$mounts
end
cd "$own"
exec 7<&- 8<&- 9<&-
exec setpriv --no-new-privs --bounding-set -all --inh-caps -all -- sh -c '${init}' sh env -u PWD -u OLDPWD -u SHLVL -u _ -- "$@"`

/** The sandbox of Linux systems without bubblewrap: the same fence, made of util-linux. */
export const namespaces: Sandbox = {
  kind: 'namespaces',
  wrap({ command, workspace, readable, hidden, network }) {
    const [folder = workspace] = readable
    const masked = [
      ...privateFolders.filter((path) => isFolder(path)),
      ...hidden.filter((path) => existsSync(path)),
    ]
    const fresh = [
      '--user',
      '--map-root-user',
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      '--ipc',
      '--uts',
    ]
    const net = network ? [] : ['--net']
    const parameters = [workspace, folder, ...masked, '--', ...command]
    const unshare = ['unshare', ...fresh, ...net, '--mount-proc', '--']
    return {
      command: [...dieWithParent, ...unshare, 'sh', '-c', setup, 'sh', ...parameters],
      wrappers: 2,
    }
  },
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
