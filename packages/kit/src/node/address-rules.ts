import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

const privateRanges: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 96],
  ['64:ff9b::', 96], // these lead to IPv4 addresses by other names
  ['::ffff:0:0:0', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['2001::', 23],
  ['100::', 64],
  ['2001:db8::', 32],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]
// where clouds hand out the credentials of a machine
const metadataAddresses = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
]

const privates = toBlockList(privateRanges)
const metadata = toBlockList(
  metadataAddresses.map((address) => [address, address.includes(':') ? 128 : 32] as const),
)
const loopback = toBlockList([
  ['127.0.0.0', 8],
  ['::1', 128],
  ['0.0.0.0', 32],
  ['::', 128],
])

/** Whether an IP address is not public: private, loopback, link-local, reserved, or IPv4 embedded in IPv6. */
export function isPrivateAddress(address: string): boolean {
  return holds(privates, address)
}

/** Whether an IP address is a cloud metadata address, which returns the machine's own credentials. */
export function isMetadataAddress(address: string): boolean {
  return holds(metadata, address)
}

/** Whether an IP address belongs to this machine. */
export function isLocalAddress(address: string): boolean {
  if (holds(loopback, address)) return true
  const plain = unmapped(address)
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((entry) => entry.address === plain),
  )
}

function holds(list: BlockList, address: string): boolean {
  const plain = unmapped(address)
  const version = isIP(plain)
  // what is no address is no public one either
  return version === 0 || list.check(plain, version === 6 ? 'ipv6' : 'ipv4')
}

/** `::ffff:7f00:1` → `127.0.0.1`; without a zone. */
function unmapped(address: string): string {
  const [plain = ''] = address.toLowerCase().split('%')
  if (isIP(plain) !== 6) return plain
  // the URL parser writes every spelling of an address the same way
  const spelled = new URL(`http://[${plain}]/`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(spelled)
  if (mapped === null) return spelled
  const [high, low] = [parseInt(mapped[1] ?? '', 16), parseInt(mapped[2] ?? '', 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

function toBlockList(ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [address, prefix] of ranges)
    list.addSubnet(address, prefix, address.includes(':') ? 'ipv6' : 'ipv4')
  return list
}
