const storageKey = 'homeward.search-groups'
/** The last searches on many devices of this tab. */
const maxGroups = 20

type Groups = readonly (readonly string[])[]

/** Keeps for this tab which searches were created together: the interface says it in the reply, and never again. */
export function rememberSearchGroup(ids: readonly string[]): void {
  const groups = [ids, ...readGroups()].slice(0, maxGroups)
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(groups))
  } catch {
    // Without room, they are found by their time.
    sessionStorage.removeItem(storageKey)
  }
}

/** The searches that were created together with one; undefined where this tab did not see it. */
export function recallSearchGroup(id: string): ReadonlySet<string> | undefined {
  const group = readGroups().find((ids) => ids.includes(id))
  return group && new Set(group)
}

function readGroups(): Groups {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(kept) ? kept.filter((group) => Array.isArray(group)) : []
  } catch {
    return []
  }
}
