/**
 * Whether a value of JSON nests deeper than `maxDepth`. Looks no deeper itself.
 *
 * Parse first, then ask this: `JSON.parse` survives any depth, but what walks the value afterwards, such as
 * `JSON.stringify`, overflows its stack. A value with a circle is deeper than any limit.
 */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return maxDepth === 0 || Object.values(value).some((entry) => isDeeperThan(entry, maxDepth - 1))
}
