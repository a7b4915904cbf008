import type { RuntimeStore } from '../../store/ports/runtime-store.ts'

/** Where a process is killed: at the n-th time that control leaves it, before or behind what is done there. */
export interface CrashPoint {
  /** From 1 on. */
  readonly number: number
  /** `after`: it was done, and nobody has seen the answer. */
  readonly side: 'before' | 'after'
}

/** One process, as far as anybody outside can tell: what it does to the world goes through here, and ends when it dies. */
export interface SimulatedProcess {
  /** What was done outside so far, in its order. */
  readonly crossings: readonly string[]
  readonly isOver: () => boolean
  /** Resolves when the process is killed. */
  readonly over: Promise<void>
  /** Does something outside. Behind its end a process does nothing and hears of nothing. */
  cross<Result>(name: string, effect: () => Promise<Result>): Promise<Result>
  /** Kills the process. */
  end(): void
  /** Waits for what was on its way when the process was killed: it has happened, or it never will. */
  settled(): Promise<void>
}

/** Begins a process that is killed at a point, or never. */
export function createSimulatedProcess(crash?: CrashPoint): SimulatedProcess {
  const crossings: string[] = []
  const underWay = new Set<Promise<unknown>>()
  const { promise: over, resolve } = Promise.withResolvers<void>()
  let isOver = false

  function end(): void {
    isOver = true
    resolve()
  }

  async function perform<Result>(effect: () => Promise<Result>, isLast: boolean): Promise<Result> {
    const done = effect()
    underWay.add(done)
    const settled = () => {
      underWay.delete(done)
      if (isLast) end()
    }
    done.then(settled, settled)
    try {
      const result = await done
      return isOver ? await forever() : result
    } catch (error) {
      if (isOver) return await forever()
      throw error
    }
  }

  return {
    crossings,
    over,
    end,
    isOver: () => isOver,
    cross(name, effect) {
      if (isOver) return forever()
      crossings.push(name)
      const isHere = crossings.length === crash?.number
      if (isHere && crash.side === 'before') {
        end()
        return forever()
      }
      return perform(effect, isHere)
    },
    async settled() {
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
  }
}

/** What a killed process hears. */
const forever = (): Promise<never> => new Promise(() => {})

/** The store as a process sees it. It stays open when the process closes it, and counts as durable. */
export function toStoreOf(life: SimulatedProcess, store: RuntimeStore): RuntimeStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'isDurable') return true
      if (name === 'close') return async () => {}
      if (name === 'subscribe') {
        const subscribe: RuntimeStore['subscribe'] = (listener) =>
          target.subscribe((signal) => {
            if (!life.isOver()) listener(signal)
          })
        return subscribe
      }
      const verb: unknown = Reflect.get(target, name)
      if (typeof verb !== 'function') return verb
      return (...given: unknown[]) =>
        life.cross(
          `store.${String(name)}`,
          async () => Reflect.apply(verb, target, given) as Promise<unknown>,
        )
    },
  })
}
