/** Whether a version such as `0.9.1` comes before another one. False for what is not a version, and for equal ones. */
export function isOlderVersion(version: string, latest: string): boolean {
  const mine = numbersOf(version)
  const theirs = numbersOf(latest)
  if (!mine || !theirs) return false
  const place = [0, 1, 2].find((index) => mine[index] !== theirs[index])
  return place !== undefined && (mine[place] ?? 0) < (theirs[place] ?? 0)
}

function numbersOf(version: string): readonly number[] | undefined {
  const [, ...parts] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []
  return parts.length === 3 ? parts.map(Number) : undefined
}
