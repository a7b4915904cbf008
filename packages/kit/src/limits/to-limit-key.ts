/**
 * What limits count an address as. Of IPv6 that is its network of 64 bits: a single caller has all of its addresses, and
 * would have a limit for each.
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
