/** A comparison that was started in this browser: the interface has no list of them. */
interface RecentWhatIf {
  readonly id: string
  readonly agentId: string
  /** ISO 8601. */
  readonly startedAt: string
  /** The changes, in words. */
  readonly title: string
}

const storageKey = 'homeward-what-ifs'
const mostKept = 50

const isRecent = (value: unknown): value is RecentWhatIf =>
  typeof value === 'object' &&
  value !== null &&
  ['id', 'agentId', 'startedAt', 'title'].every((name) => typeof Reflect.get(value, name) === 'string')

/** Comparisons of an agent that were started in this browser, the newest first. */
export function readRecentWhatIfs(agentId: string): readonly RecentWhatIf[] {
  return readAll().filter((each) => each.agentId === agentId)
}

function readAll(): readonly RecentWhatIf[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isRecent) : []
  } catch {
    return [] // a browser that stores nothing for pages, or somebody else's text
  }
}

/** Remembers a comparison in this browser. */
export function keepWhatIf(started: RecentWhatIf): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify([started, ...readAll()].slice(0, mostKept)))
  } catch {
    // The address of its page is still there.
  }
}
