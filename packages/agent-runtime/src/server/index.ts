export { agentPlatformPaths } from '@homeward/contract/agent-platform'
export {
  createAccessGuard,
  HttpError,
  type AccessGuardOptions,
  type Handler,
} from '@homeward/contract/handler'
export type { PlatformAuth, PlatformGrant } from './access/platform-auth.ts'
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
  createChatHandler,
  type ChatHandlerOptions,
  type ChatHandlerRequest,
} from './chat/create-chat-handler.ts'
export {
  createEventSockets,
  type EventSockets,
  type EventSocketsOptions,
  type UpgradeResponse,
} from './events/create-event-sockets.ts'
export type { EventSocket } from './events/event-socket.ts'
export type { EventSocketLimits, EventTransport } from './events/event-transport.ts'
export type { AcceptedUpgrade, UpgradeRequest } from './events/event-upgrade.ts'
export { loopbackGuard } from './access/platform-auth.ts'
