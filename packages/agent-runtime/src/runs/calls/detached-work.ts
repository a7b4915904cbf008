/** Work that a run no longer waits for, because it did not heed its signal at once. */
export interface DetachedWork {
  add(work: Promise<unknown>): void
  /** Waits until all of it has ended, but no longer than `graceMs`. */
  settled(graceMs: number): Promise<void>
}

/** Work that is waited for at most: what never ends must not fill the memory. */
const maxDetached = 1000

export function createDetachedWork(): DetachedWork {
  const detached = new Set<Promise<unknown>>()
  return {
    add(work) {
      const gone = () => void detached.delete(work)
      detached.add(work)
      work.then(gone, gone)
      const [oldest] = detached
      if (detached.size > maxDetached && oldest) detached.delete(oldest)
    },
    async settled(graceMs) {
      if (detached.size === 0) return
      let timer: ReturnType<typeof setTimeout> | undefined
      const over = new Promise((resolve) => {
        timer = setTimeout(resolve, graceMs)
      })
      await Promise.race([Promise.allSettled(detached), over])
      clearTimeout(timer)
    },
  }
}
