import { createContext, Script } from 'node:vm'

/** Runs what does not wait for anything. @throws {Error} once it has taken too long; whatever `work` throws. */
export type TimeLimit = <Result>(work: () => Result) => Result

/**
 * Bounds work that nothing else could stop: it keeps the event loop to itself. V8 looks for the limit inside loops,
 * calls and regular expressions alike.
 */
export function createTimeLimit(timeoutMs: number): TimeLimit {
  const context = createContext()
  const script = new Script('work()')
  return <Result>(work: () => Result) => {
    context['work'] = work
    try {
      return script.runInContext(context, { timeout: timeoutMs }) as Result // what `work` gave
    } finally {
      context['work'] = undefined
    }
  }
}
