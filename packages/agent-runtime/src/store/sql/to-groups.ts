/** A statement for every size there is would be many. */
const groupSizes = [1, 8, 64, 512]
const maxGroup = 512

/** Groups of one of a few sizes, filled up with the last id. */
export function toGroups(ids: readonly string[]): string[][] {
  const groups: string[][] = []
  for (let start = 0; start < ids.length; start += maxGroup) {
    const group = ids.slice(start, start + maxGroup)
    const size = groupSizes.find((count) => count >= group.length) ?? maxGroup
    const last = group.at(-1) ?? ''
    while (group.length < size) group.push(last)
    groups.push(group)
  }
  return groups
}

/** Placeholders for so many ids. They stand behind all other parameters. */
export const places = (count: number) => Array.from({ length: count }, () => '')
