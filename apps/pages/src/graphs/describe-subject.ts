import type { GraphNode } from '@homeward/contract/agent-platform'

type Subject = Partial<Pick<GraphNode, 'agent' | 'function' | 'graph' | 'map'>>

/** What a node runs, in words. @param nameOf name of an agent */
export function describeSubject(
  { agent, function: name, graph, map }: Subject,
  nameOf: (agentId: string) => string,
) {
  const subject =
    name === undefined ? (graph === undefined ? nameOf(agent ?? '') : `Graph ${graph}`) : `Function ${name}`
  return map ? `${subject}, for each item of ${map.over}` : subject
}
