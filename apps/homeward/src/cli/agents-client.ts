import type { AgentPlatformOperations } from '@homeward/contract/agent-platform'
import type { Client } from '@homeward/contract/client'

/** A client of the agent platform. */
export type AgentsClient = Client<AgentPlatformOperations>

/** A task as it goes over the wire: files are base64. */
export type RunInput = Parameters<AgentsClient['runAgent']>[0]['body'] & { readonly idempotency_key: string }
