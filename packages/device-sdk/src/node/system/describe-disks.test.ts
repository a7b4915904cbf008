import { expect, it } from 'vitest'
import { describeDisks, type Mount } from './describe-disks.ts'

const gib = 2 ** 30
const row = (mount: string, fs: string, type: string, size = 10 * gib, available = 5 * gib): Mount => ({
  mount,
  fs,
  type,
  size,
  available,
})
const mountsOf = (text: string) => text.split('; ').map((part) => part.replace(/: [\d.].*/, ''))

it('lists the disks of a Docker host once each, the data disk among them', () => {
  const layers = Array.from({ length: 14 }, (_, index) =>
    row(`/var/lib/docker/overlay2/${index.toString(16).repeat(64)}/merged`, 'overlay', 'overlay'),
  )
  const text = describeDisks([
    row('/sys/firmware/efi/efivars', 'efivarfs', 'efivarfs', 1e5, 1e4),
    row('/run', 'tmpfs', 'tmpfs', gib, gib),
    ...layers,
    row('/', '/dev/nvme0n1p2', 'ext4'),
    row('/var/lib/docker', '/dev/nvme0n1p2', 'ext4'),
    row('/data', '/dev/sda1', 'ext4', 931 * gib, 100 * gib),
  ])
  expect(text).toBe('/: 5 GiB free of 10 GiB; /data: 100 GiB free of 931 GiB')
})

it('keeps equal drives apart, and lists drives before shares and pools', () => {
  const text = describeDisks([
    row('/tank', 'tank', 'zfs', 3 * gib, gib),
    row('/mnt/nas', 'nas:/export', 'nfs4', 5 * gib, gib),
    row('/mnt/one', '/dev/sdb1', 'ext4'),
    row('/mnt/two', '/dev/sdc1', 'ext4'),
  ])
  expect(mountsOf(text)).toEqual(['/mnt/one', '/mnt/two', '/mnt/nas', '/tank'])
})

it('lists the volumes of one container of macOS once', () => {
  const text = describeDisks([
    row('/', '/dev/disk3s1s1', 'APFS'),
    row('/System/Volumes/Data', '/dev/disk3s5', 'APFS'),
    row('/Volumes/Backup', '/dev/disk4s1', 'APFS'),
  ])
  expect(mountsOf(text)).toEqual(['/', '/Volumes/Backup'])
})

it('writes drives of Windows with one colon', () => {
  expect(describeDisks([row('C:', 'C:', 'NTFS', 238 * gib, 167 * gib)])).toBe('C: 167 GiB free of 238 GiB')
})

it('says how many are left out', () => {
  const many = Array.from({ length: 19 }, (_, index) => row(`/mnt/${index}`, `/dev/sd${index}`, 'ext4'))
  expect(describeDisks(many)).toMatch(/; and 3 more$/)
  expect(describeDisks([])).toBe('')
})

it('lists what there is when nothing is a drive', () => {
  expect(
    mountsOf(describeDisks([row('/', 'overlay', 'overlay'), row('/tmp', 'tmpfs', 'tmpfs', gib)])),
  ).toEqual(['/'])
  expect(mountsOf(describeDisks([row('/', 'rootfs', 'tmpfs')]))).toEqual(['/'])
})
