/**
 * Returns the key under which limits count an address. For IPv6 the key is the /64 network, because one client can
 * use every address of its network.
 */
export function toLimitKey(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const behind = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - behind.length)
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...behind]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
    .toLowerCase()}::/64`
}
