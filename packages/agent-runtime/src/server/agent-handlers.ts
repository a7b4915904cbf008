import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

type AgentHandlers = Pick<
  PlatformHandlers,
  'listAgents' | 'createAgent' | 'getAgent' | 'updateAgent' | 'deleteAgent'
>

/** Agents (A3). */
export function createAgentHandlers({ services: { agents } }: PlatformContext): AgentHandlers {
  return {
    listAgents: async ({ request }) => ({ agents: await agents.list(request.signal) }),
    createAgent: async ({ body, request }) => ({
      ok: true,
      agent: await agents.create(body, request.signal),
    }),
    getAgent: async ({ params, request }) => ({ agent: await agents.get(params.id, request.signal) }),
    updateAgent: async ({ params, body, request }) => {
      return { ok: true, agent: await agents.update(params.id, body, request.signal) }
    },
    async deleteAgent({ params, request }) {
      await agents.delete(params.id, request.signal)
      return { ok: true }
    },
  }
}
