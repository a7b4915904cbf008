import { RuntimeError } from '../ports/runtime-error.ts'
import type { NodesAndEdges } from './graph-shape.ts'
import type { NodeFunctions } from './node-functions.ts'

/** @throws {RuntimeError} `validation_error` if this process does not have a function of the graph. */
export function assertFunctions({ nodes }: NodesAndEdges, functions: NodeFunctions, attempt: string): void {
  for (const { id, function: name } of nodes) {
    if (name === undefined || functions.has(name)) continue
    throw new RuntimeError('validation_error', `${attempt} failed: ${missingFunction(id, name)}.`)
  }
}

/** Says that this process does not have a function. */
export const missingFunction = (nodeId: string, name: string) =>
  `node "${nodeId}" needs the function "${name}", which is not registered on this server. Call runtime.graphs.put() with its graph before start()`
