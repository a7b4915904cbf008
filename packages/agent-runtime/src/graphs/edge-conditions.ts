import type { GraphEdge, Json, JsonObject, NodeResult } from '@homeward/contract/agent-platform'
import { createSchemaCompiler } from '../json-schema/schema-compiler.ts'
import type { Logger } from '../ports/logger.ts'
import type { GraphShape } from './graph-shape.ts'

/** The conditions of edges about data, which take a moment to check. */
export interface EdgeConditions {
  /** Checks the edges of nodes that have ended since. Never rejects. */
  prepare(results: ReadonlyMap<string, NodeResult>): Promise<void>
  /** Whether a node has ended whose edges were not checked. */
  isBehind(results: ReadonlyMap<string, NodeResult>): boolean
  /** Whether the data of an edge's node is as the edge wants it. True for an edge that asks nothing of data. */
  holds(edge: GraphEdge): boolean
}

/** The schema of an edge. */
export const dataSchemaOf = ({ when }: GraphEdge): JsonObject | undefined =>
  typeof when === 'object' ? when.data : undefined

/** @param logger hears of conditions that cannot be checked: such an edge is not taken. */
export function createEdgeConditions(shape: GraphShape, logger: Logger): EdgeConditions {
  const edges = shape.ordered.flatMap(({ id }) => shape.edgesTo(id)).filter((edge) => dataSchemaOf(edge))
  const known = new Map<GraphEdge, boolean>()
  const compiler = createSchemaCompiler()
  const open = (results: ReadonlyMap<string, NodeResult>) =>
    edges.filter((edge) => !known.has(edge) && results.has(edge.from))

  async function check(edge: GraphEdge, data: Json | undefined): Promise<boolean> {
    const schema = dataSchemaOf(edge)
    if (!schema || data === undefined) return false
    try {
      const findings = await (await compiler.compile(schema)).check(data)
      if (!('unknown' in findings)) return findings.length === 0
      logger.warn('Checking the condition of an edge failed. The edge is not followed.', {
        from: edge.from,
        to: edge.to,
      })
    } catch (error) {
      logger.warn('The condition of an edge is invalid. The edge is not followed.', {
        from: edge.from,
        error: String(error),
      })
    }
    return false
  }

  return {
    async prepare(results) {
      for (const edge of open(results)) known.set(edge, await check(edge, results.get(edge.from)?.data))
    },
    isBehind: (results) => open(results).length > 0,
    holds: (edge) => dataSchemaOf(edge) === undefined || known.get(edge) === true,
  }
}
