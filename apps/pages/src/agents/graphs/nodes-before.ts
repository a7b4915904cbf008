import type { GraphDraft } from './graph-draft.ts'

/** Names of the nodes that have ended when a node begins, in the order of the graph: what its text may name. */
export function nodesBefore({ nodes, edges }: GraphDraft, key: string): readonly string[] {
  const found = new Set<string>()
  const open = [key]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { from, to } of edges) {
      if (to !== next || found.has(from)) continue
      found.add(from)
      open.push(from)
    }
  }
  return nodes.filter((node) => found.has(node.key) && node.key !== key).map(({ id }) => id)
}
