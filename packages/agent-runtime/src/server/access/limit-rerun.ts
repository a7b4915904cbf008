import type { AgentPlatformOperations, Run } from '@homeward/contract/agent-platform'
import type { RuntimeServices } from '../../runtime/services.ts'
import type { LimitRule } from './limited-operations.ts'

/** When the first of a chain of reruns was created: what runs `from: 'failed'` has the graph of that time. */
async function firstCreatedAt(
  { runs }: Pick<RuntimeServices, 'runs'>,
  { rerun_of: id, created_at }: Run,
): Promise<string> {
  if (id === undefined) return created_at
  const before = await runs.find(id)
  return before ? firstCreatedAt({ runs }, before) : '' // removed by retention
}

/** A run from its failed node has the graph of that time: no later change of the graph lets a caller start it. */
export const limitRerun: LimitRule<AgentPlatformOperations['rerun']> = {
  async before(call, { reach, services }) {
    const before = await services.runs.find(call.params.id)
    if (!before) return call
    const asOf = call.body.from && { graph_as_of: await firstCreatedAt(services, before) }
    await reach.assert('The run', { ...before, ...asOf })
    return call
  },
}
