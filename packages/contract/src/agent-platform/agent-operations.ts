import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { AgentTemplate } from './agent-template.ts'
import { Agent, AgentInput, AgentPatch } from './agent.ts'
import { RememberedApproval } from './run.ts'
import { Done, PlatformId, Slug } from './values.ts'

const byId = z.object({ id: Slug })
const saved = z.object({ ok: z.literal(true), agent: Agent })

/** Agents. */
export const agentOperations = {
  listAgents: {
    method: 'GET',
    path: '/api/agents',
    auth: 'local',
    scope: 'read',
    subject: { rows: 'agents', agent: 'id' },
    summary: 'Lists the agents, oldest first.',
    source: 'Agent API; A3',
    reply: z.object({ agents: z.array(Agent) }),
  },
  createAgent: {
    method: 'POST',
    path: '/api/agents',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'agent.created', target: '{body.id}', details: 'names' },
    summary: 'Creates an agent.',
    source: 'Agent API; A3',
    body: AgentInput,
    status: 201,
    reply: saved,
    errors: [409],
  },
  listAgentTemplates: {
    method: 'GET',
    path: '/api/agents/templates',
    auth: 'local',
    scope: 'read',
    subject: 'all',
    summary: 'Lists templates for agents: their fields without a model, and their requirements.',
    source: 'additions 6',
    reply: z.object({ templates: z.array(AgentTemplate) }),
  },
  getAgent: {
    method: 'GET',
    path: '/api/agents/{id}',
    auth: 'local',
    scope: 'read',
    subject: { agent: 'params.id' },
    summary: 'Returns an agent.',
    source: 'A3',
    params: byId,
    reply: z.object({ agent: Agent }),
    errors: [404],
  },
  updateAgent: {
    method: 'PUT',
    path: '/api/agents/{id}',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'agent.updated', details: 'names' },
    summary:
      'Changes an agent. Absent fields keep their value, also fields within `limits`, `context` and `model_settings`. `null` clears a field.',
    source: 'Agent API; A3',
    params: byId,
    body: AgentPatch,
    reply: saved,
    errors: [404],
  },
  deleteAgent: {
    method: 'DELETE',
    path: '/api/agents/{id}',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'agent.deleted' },
    summary: 'Deletes an agent. Its conversations and memories stay.',
    source: 'Agent API; A3',
    params: byId,
    reply: Done,
    errors: [404],
  },
  listRememberedApprovals: {
    method: 'GET',
    path: '/api/agents/{id}/remembered-approvals',
    auth: 'local',
    scope: 'read',
    subject: { agent: 'params.id' },
    summary: 'Lists the decisions about tool calls that apply to later calls, newest first.',
    source: 'A20',
    params: byId,
    reply: z.object({ approvals: z.array(RememberedApproval) }),
    errors: [404],
  },
  forgetApproval: {
    method: 'DELETE',
    path: '/api/agents/{id}/remembered-approvals/{approval_id}',
    auth: 'local',
    scope: 'approve',
    subject: { agent: 'params.id' },
    summary: 'Revokes a remembered decision. Later calls wait for a person again.',
    source: 'A20',
    params: z.object({ id: Slug, approval_id: PlatformId }),
    reply: Done,
    errors: [404],
  },
} as const satisfies Record<string, Operation>
