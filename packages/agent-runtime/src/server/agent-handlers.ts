import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

type AgentHandlers = Pick<
  PlatformHandlers,
  | 'listAgents'
  | 'createAgent'
  | 'listAgentTemplates'
  | 'getAgent'
  | 'updateAgent'
  | 'deleteAgent'
  | 'listRememberedApprovals'
  | 'forgetApproval'
>

/** Agents (A3). */
export function createAgentHandlers({ services: { agents, runs } }: PlatformContext): AgentHandlers {
  return {
    listAgents: async ({ request }) => ({ agents: await agents.list(request.signal) }),
    createAgent: async ({ body, request }) => ({
      ok: true,
      agent: await agents.create(body, request.signal),
    }),
    listAgentTemplates: async () => ({ templates: await agents.templates() }),
    getAgent: async ({ params, request }) => ({ agent: await agents.get(params.id, request.signal) }),
    updateAgent: async ({ params, body, request }) => {
      return { ok: true, agent: await agents.update(params.id, body, request.signal) }
    },
    async deleteAgent({ params, request }) {
      await agents.delete(params.id, request.signal)
      return { ok: true }
    },
    listRememberedApprovals: async ({ params }) => ({ approvals: await runs.rememberedApprovals(params.id) }),
    async forgetApproval({ params }) {
      await runs.forgetApproval(params.id, params.approval_id)
      return { ok: true }
    },
  }
}
