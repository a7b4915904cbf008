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
export {
  createEventSockets,
  type EventSockets,
  type EventSocketsOptions,
  type UpgradeAnswer,
} from './create-event-sockets.ts'
export type { EventSocket } from './event-socket.ts'
export type { EventSocketLimits, EventTransport } from './event-transport.ts'
export type { UpgradeRequest } from './event-upgrade.ts'
export { loopbackGuard } from './loopback-guard.ts'
