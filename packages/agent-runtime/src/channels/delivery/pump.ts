/** Does something again and again, whenever it is asked to, and once at a time. */
export interface Pump {
  /** Asks for it. What is asked for in one moment is done once. */
  wake(): void
  /** Resolves when what is being done is done, and nothing more is. */
  close(): Promise<void>
}

/** Calls that come together are one. */
const gatherMs = 5

/** @param step Gives whether there may be more to do at once. */
export function createPump(step: () => Promise<boolean>, onError: (error: unknown) => void): Pump {
  let isWanted = false
  let isClosed = false
  let pumping: Promise<void> | undefined
  let gathering: ReturnType<typeof setTimeout> | undefined

  async function work(): Promise<void> {
    try {
      while (isWanted && !isClosed) {
        isWanted = false
        if (await step()) isWanted = true
      }
    } catch (error) {
      if (!isClosed) onError(error)
    }
  }

  function pump(): void {
    gathering = undefined
    isWanted = true
    pumping ??= work().then(() => {
      pumping = undefined
    })
  }

  return {
    wake() {
      if (!isClosed) gathering ??= setTimeout(pump, gatherMs)
    },
    async close() {
      isClosed = true
      clearTimeout(gathering)
      await pumping
    },
  }
}
