import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

/** Usage of model calls. */
export function createUsageHandlers({ services }: PlatformContext): Pick<PlatformHandlers, 'getUsage'> {
  return {
    getUsage: ({ query: { agent_id: agentId, ...query }, request }) =>
      services.usage.report({ ...query, agentId }, request.signal),
  }
}
