/** Lets work on the same thing go one after the other. */
type KeyedMutex = <T>(id: string, work: () => Promise<T>) => Promise<T>

/** Builds {@link KeyedMutex}: work of the same id waits for the one before, whether that succeeds or not. */
export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<unknown>>()
  return async (id, work) => {
    const result = (tails.get(id) ?? Promise.resolve()).then(work)
    const settled = result.catch(() => {})
    tails.set(id, settled)
    try {
      return await result
    } finally {
      if (tails.get(id) === settled) tails.delete(id)
    }
  }
}
