interface Edge {
  readonly source: string
  readonly target: string
}

/**
 * The edges that decide in which layer each node stands: of those that lead to it, the one whose path is the longest. Nodes
 * of a cycle have none.
 */
export function decisiveEdges<E extends Edge>(ids: readonly string[], edges: readonly E[]): readonly E[] {
  const incoming = Map.groupBy(edges, ({ target }) => target)
  const outgoing = Map.groupBy(edges, ({ source }) => source)
  const waitsFor = new Map(ids.map((id) => [id, incoming.get(id)?.length ?? 0]))
  const depths = new Map<string, number>()
  const decisive: E[] = []
  const ready = ids.filter((id) => waitsFor.get(id) === 0)
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    const depthOf = ({ source }: E) => depths.get(source) ?? 0
    const deepest = incoming.get(id)?.reduce((one, other) => (depthOf(other) > depthOf(one) ? other : one))
    depths.set(id, deepest ? depthOf(deepest) + 1 : 0)
    if (deepest) decisive.push(deepest)
    for (const { target } of outgoing.get(id) ?? []) {
      const left = (waitsFor.get(target) ?? 0) - 1
      waitsFor.set(target, left)
      if (left === 0) ready.push(target)
    }
  }
  return decisive
}
