import type { Graph } from '@homeward/contract/agent-platform'

/** Whether an agent or a list of the graph reads what the run begins with. */
export function needsInput({ nodes, edges }: Pick<Graph, 'nodes' | 'edges'>): boolean {
  const isFirst = (id: string) => !edges.some(({ to }) => to === id)
  return nodes.some(
    ({ id, function: called, input, map }) =>
      map?.over === 'input' ||
      input?.includes('{{input}}') === true ||
      (input === undefined && called === undefined && isFirst(id)),
  )
}
