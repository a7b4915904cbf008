import type { Operation } from '../operation.ts'
import { agentOperations } from './agent-operations.ts'
import { auditOperations } from './audit-operations.ts'
import { channelOperations } from './channel-operations.ts'
import { conversationOperations } from './conversation-operations.ts'
import { graphOperations } from './graph-operations.ts'
import { mcpClientOperations } from './mcp-client-operations.ts'
import { agentMcpOperations } from './mcp-operations.ts'
import { agentMetricsOperations } from './metrics-operations.ts'
import { memoryOperations } from './memory-operations.ts'
import { modelOperations } from './model-operations.ts'
import { platformOperations } from './platform-operations.ts'
import { priceOperations } from './price-operations.ts'
import { runOperations } from './run-operations.ts'
import { scheduleOperations } from './schedule-operations.ts'
import { skillOperations } from './skill-operations.ts'
import { taskOperations } from './task-operations.ts'
import { tokenOperations } from './token-operations.ts'
import { usageOperations } from './usage-operations.ts'
import { webhookOperations } from './webhook-operations.ts'

/** Every operation of the agent platform. The documented ones come first, then additions. */
export const agentPlatformOperations = {
  ...agentOperations,
  ...runOperations,
  ...taskOperations,
  ...graphOperations,
  ...scheduleOperations,
  ...conversationOperations,
  ...memoryOperations,
  ...skillOperations,
  ...channelOperations,
  ...modelOperations,
  ...mcpClientOperations,
  ...usageOperations,
  ...priceOperations,
  ...webhookOperations,
  ...tokenOperations,
  ...auditOperations,
  ...platformOperations,
  ...agentMcpOperations,
  ...agentMetricsOperations,
} as const satisfies Record<string, Operation>

/** Type of {@link agentPlatformOperations}, for what is built from the table. */
export type AgentPlatformOperations = typeof agentPlatformOperations
