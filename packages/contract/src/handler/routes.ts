import { addRoute, createRouter, findRoute } from 'rou3'
import type { Operation, OperationTable } from '../operation.ts'
import { HttpError } from './http-error.ts'

/** An operation that a request reached. */
export interface Route {
  readonly id: string
  readonly operation: Operation
}

/** Finds the operation for a method and path; throws 404 or 405 (with `Allow`) when there is none. */
export type FindRoute = (
  method: string,
  path: string,
) => { route: Route; params: Record<string, string> | undefined }

/** Builds the matcher of a table. `HEAD` reaches what `GET` reaches. */
export function createRoutes(operations: OperationTable): FindRoute {
  const router = createRouter<Route>()
  const methods = new Set<string>()
  // Most paths have no parameters, among them all that devices call: one look finds those.
  const fixed = new Map<string, ReturnType<FindRoute>>()
  for (const [id, operation] of Object.entries(operations)) {
    const { method, path } = operation
    addRoute(router, method, path.replaceAll(/\{(\w+)\}/g, ':$1'), { id, operation })
    methods.add(method)
    if (!path.includes('{')) fixed.set(`${method} ${path}`, { route: { id, operation }, params: undefined })
  }

  return (method, path) => {
    const known = fixed.get(`${method} ${path}`)
    if (known) return known
    const match = findRoute(router, method === 'HEAD' ? 'GET' : method, path)
    if (match) return { route: match.data, params: match.params }
    const allowed = [...methods].filter((other) => findRoute(router, other, path))
    if (allowed.length === 0) throw new HttpError(404, { error: 'Not found' })
    if (allowed.includes('GET')) allowed.push('HEAD')
    throw new HttpError(
      405,
      { error: 'Method not allowed', message: `This path supports ${allowed.join(', ')}.` },
      { allow: allowed.join(', ') },
    )
  }
}
