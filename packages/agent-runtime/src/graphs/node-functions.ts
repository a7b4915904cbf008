import type { NodeFunction } from '../ports/node-function.ts'

/** A function of a graph, and how long it may take. */
export interface KnownFunction {
  readonly call: NodeFunction
  /** Longest call in milliseconds. */
  readonly timeoutMs: number
}

/** The functions of graphs that this process has. */
export interface NodeFunctions {
  has(name: string): boolean
  /** Waits a moment for a function: a process that starts may resume a run before it has put its graphs. */
  find(name: string, signal: AbortSignal): Promise<KnownFunction | undefined>
  /** Makes these the functions of a graph, in place of those that it had. */
  set(graphId: string, functions: ReadonlyMap<string, KnownFunction>): void
}

/** Name of a function that a node of a graph in code has. */
export const functionName = (graphId: string, nodeId: string) => `${graphId}/${nodeId}`

/** @param waitMs milliseconds that {@link NodeFunctions.find} waits @default 10000 */
export function createNodeFunctions(waitMs = 10_000): NodeFunctions {
  const byName = new Map<string, KnownFunction>()
  const waiting = new Set<() => void>()

  return {
    has: (name) => byName.has(name),
    async find(name, signal) {
      if (byName.has(name)) return byName.get(name)
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer)
          waiting.delete(look)
          signal.removeEventListener('abort', end)
          resolve()
        }
        const look = () => byName.has(name) && end()
        const timer = setTimeout(end, waitMs)
        waiting.add(look)
        signal.addEventListener('abort', end)
        if (signal.aborted) end()
      })
      return byName.get(name)
    },
    set(graphId, functions) {
      for (const name of byName.keys()) if (name.startsWith(functionName(graphId, ''))) byName.delete(name)
      for (const [name, known] of functions) byName.set(name, known)
      for (const look of waiting) look()
    },
  }
}
