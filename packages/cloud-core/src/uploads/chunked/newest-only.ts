import { HttpError } from '@homeward/contract/handler'

/** Work under names: of two under one name the newer counts. */
export interface NewestOnly {
  /** Ends what runs under the name, then runs `work`. Its signal aborts with {@link ReplacedError} when a newer one comes. */
  run(name: string, work: (signal: AbortSignal) => Promise<void>): Promise<void>
}

/** For an attempt that makes room for a newer one. */
export class ReplacedError extends HttpError {
  constructor() {
    super(409, { error: 'Conflict', message: 'A newer request sends the same chunk.' })
  }
}

/** For attempts that may hang in a connection that is dead while the next one is here already. */
export function createNewestOnly(): NewestOnly {
  const running = new Map<string, { readonly stop: AbortController; readonly done: Promise<unknown> }>()
  return {
    async run(name, work) {
      const before = running.get(name)
      const stop = new AbortController()
      const begin = async () => {
        before?.stop.abort(new ReplacedError())
        await before?.done
        stop.signal.throwIfAborted()
        await work(stop.signal)
      }
      const done = begin()
      const entry = { stop, done: done.catch(() => {}) }
      running.set(name, entry)
      try {
        await done
      } finally {
        if (running.get(name) === entry) running.delete(name)
      }
    },
  }
}
