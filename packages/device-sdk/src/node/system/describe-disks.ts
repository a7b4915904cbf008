import { toSizeText } from './to-size-text.ts'

/** A mounted file system. Sizes in bytes. */
export interface Mount {
  readonly mount: string
  readonly size: number
  readonly available: number
  /** What is mounted: a device, a share, or a name such as `overlay`. */
  readonly fs?: string
  /** Such as `ext4`. */
  readonly type?: string
}

const maxDisks = 16
/** File systems in memory, and images that are always full. */
const noDisks = /^(?:tmpfs|devtmpfs|ramfs|efivarfs|squashfs|erofs|iso9660|udf|cramfs|devfs|fuse\.snapfuse)$/i

/** Lists disks for people, each file system once, drives before shares. Empty when none is known. */
export function describeDisks(mounts: readonly Mount[]): string {
  const disks = mounts.filter(({ size }) => size > 0)
  const drives = disks.filter(({ type = '' }) => !noDisks.test(type))
  const distinct = toDistinct(drives.length > 0 ? drives : disks)
  const sorted = distinct.toSorted((one, other) => toRank(one) - toRank(other))
  const rows = sorted.slice(0, maxDisks).map(describeMount)
  if (sorted.length > maxDisks) rows.push(`and ${sorted.length - maxDisks} more`)
  return rows.join('; ')
}

/** `C:` of Windows brings its own colon. */
export function describeMount({ mount, size, available }: Mount): string {
  return `${mount.replace(/:$/, '')}: ${toSizeText(available)} free of ${toSizeText(size)}`
}

/** One row for each file system, which may be mounted in many places: the one with the shortest path. */
function toDistinct(mounts: readonly Mount[]): Mount[] {
  const kept = new Map<string, Mount>()
  const byPath = mounts.toSorted((one, other) => one.mount.length - other.mount.length)
  for (const mount of byPath) {
    const key = toKey(mount)
    // A layer over another file system has the size and the space of that one.
    const isLayer = isNamed(mount) && [...kept.values()].some((other) => hasSameSpace(mount, other))
    if (!kept.has(key) && !isLayer) kept.set(key, mount)
  }
  return mounts.filter((mount) => kept.get(toKey(mount)) === mount)
}

const hasSameSpace = (one: Mount, other: Mount): boolean =>
  one.size === other.size && one.available === other.available

function toKey(mount: Mount): string {
  const { fs = mount.mount, size, available } = mount
  // Volumes of one container of macOS share its space.
  const container = /^(\/dev\/disk\d+)s\d/.exec(fs)?.[1]
  if (container !== undefined) return `${container}\0${size}\0${available}`
  return isNamed(mount) ? `${fs}\0${size}\0${available}` : fs
}

/** Whether it is neither a device nor a share: a layer, a pool, or something in memory. */
const isNamed = ({ fs = '/dev/' }: Mount): boolean => !/^\/dev\/|[:\\]|^\/\//.test(fs)

function toRank({ fs = '/dev/' }: Mount): number {
  if (/^\/dev\/|^[a-z]:$/i.test(fs)) return 0
  return /[:\\]|^\/\//.test(fs) ? 1 : 2
}
