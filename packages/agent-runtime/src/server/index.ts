export { createAccessGuard, HttpError, type AccessGuardOptions } from '@homeward/contract/handler'
export type { PlatformAuth } from './access.ts'
export {
  createAgentPlatformDocument,
  type AgentPlatformDocument,
  type AgentPlatformDocumentOptions,
} from './create-agent-platform-document.ts'
export {
  createAgentPlatformHandler,
  type AgentPlatformHandlerOptions,
} from './create-agent-platform-handler.ts'
export { loopbackGuard } from './loopback-guard.ts'
