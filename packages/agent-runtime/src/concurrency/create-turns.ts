/** Lets work on the same thing go one after the other. */
export type Turns = <T>(id: string, work: () => Promise<T>) => Promise<T>

/** Builds {@link Turns}: work of the same id waits for the one before, whether that succeeds or not. */
export function createTurns(): Turns {
  const turns = new Map<string, Promise<unknown>>()
  return async (id, work) => {
    const turn = (turns.get(id) ?? Promise.resolve()).then(work)
    const settled = turn.catch(() => {})
    turns.set(id, settled)
    try {
      return await turn
    } finally {
      if (turns.get(id) === settled) turns.delete(id)
    }
  }
}
