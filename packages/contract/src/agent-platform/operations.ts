import type { Operation } from '../operation.ts'
import { agentOperations } from './agent-operations.ts'
import { conversationOperations } from './conversation-operations.ts'
import { memoryOperations } from './memory-operations.ts'
import { platformOperations } from './platform-operations.ts'
import { runOperations } from './run-operations.ts'
import { skillOperations } from './skill-operations.ts'

/** Every operation of the local agent platform: the interface document's rows, then the additions of A1 to A21. */
export const agentPlatformOperations = {
  ...agentOperations,
  ...runOperations,
  ...conversationOperations,
  ...memoryOperations,
  ...skillOperations,
  ...platformOperations,
} as const satisfies Record<string, Operation>

/** Type of {@link agentPlatformOperations}, for what is built from the table. */
export type AgentPlatformOperations = typeof agentPlatformOperations
