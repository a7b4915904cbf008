import type { GraphDraft } from './graph-draft.ts'

/** What a change has added to a graph or taken away, in words; empty where it did neither. */
export function describeChange(before: GraphDraft, after: GraphDraft): string {
  const added = namesBehind(after, before)
  const removed = namesBehind(before, after)
  return [
    ...(added.length > 0 ? [`Added: ${added.join(', ')}.`] : []),
    ...(removed.length > 0 ? [`Removed: ${removed.join(', ')}.`] : []),
  ].join(' ')
}

/** Nodes and edges that one graph has and another has not. */
function namesBehind({ nodes, edges }: GraphDraft, other: GraphDraft): string[] {
  const known = new Set([...other.nodes, ...other.edges].map(({ key }) => key))
  const nameOf = (node: string) => nodes.find(({ key }) => key === node)?.id || 'a node without a name'
  return [
    ...nodes.filter(({ key }) => !known.has(key)).map(({ key }) => nameOf(key)),
    ...edges
      .filter(({ key }) => !known.has(key))
      .map(({ from, to }) => `the edge from ${nameOf(from)} to ${nameOf(to)}`),
  ]
}
