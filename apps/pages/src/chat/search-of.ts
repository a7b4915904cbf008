import type { TraceStep } from '@homeward/contract/agent-platform'

const longestId = 200

/** The search on devices that a tool call started or read; undefined for any other call. */
export function searchOf({ type, input, output }: TraceStep): string | undefined {
  return type === 'tool' ? searchIn(output, input) : undefined
}

/** The search that the result or the arguments of a tool call name, in this order. */
export function searchIn(result: unknown, args: unknown): string | undefined {
  return findId(result) ?? findId(args)
}

/** Page of a search, with its whole group. */
export const hrefOfSearch = (id: string): string => `/searches/${encodeURIComponent(id)}?group`

/** `queryId`, at any of the places where the tools for devices have it. */
function findId(value: unknown, depth = 0): string | undefined {
  if (typeof value !== 'object' || value === null || depth > 4) return undefined
  const id: unknown = Reflect.get(value, 'queryId')
  if (typeof id === 'string' && id !== '' && id.length <= longestId) return id
  for (const inner of Object.values(value).slice(0, 50)) {
    const found = findId(inner, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}
