/** Work that a run no longer waits for, because it did not heed its signal at once. */
export interface Strays {
  add(work: Promise<unknown>): void
  /** Waits until all of it has ended, but no longer than `graceMs`. */
  settled(graceMs: number): Promise<void>
}

export function createStrays(): Strays {
  const strays = new Set<Promise<unknown>>()
  return {
    add(work) {
      const gone = () => void strays.delete(work)
      strays.add(work)
      work.then(gone, gone)
    },
    async settled(graceMs) {
      if (strays.size === 0) return
      let timer: ReturnType<typeof setTimeout> | undefined
      const over = new Promise((resolve) => {
        timer = setTimeout(resolve, graceMs)
      })
      await Promise.race([Promise.allSettled(strays), over])
      clearTimeout(timer)
    },
  }
}
