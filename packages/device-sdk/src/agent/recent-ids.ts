/** The last `max` ids that were added; older ones are forgotten, so memory stays bounded. */
export interface RecentIds {
  has(id: string): boolean
  add(id: string): void
}

export function createRecentIds(max: number): RecentIds {
  const ids = new Set<string>()
  return {
    has: (id) => ids.has(id),
    add(id) {
      ids.delete(id)
      ids.add(id)
      const [oldest] = ids
      if (ids.size > max && oldest !== undefined) ids.delete(oldest)
    },
  }
}
