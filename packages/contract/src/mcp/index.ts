export type { McpMessage } from '../mcp-call.ts'
export { failed } from './call-tool.ts'
export { createMcpEndpoint, type McpEndpoint, type McpEndpointOptions } from './create-mcp-endpoint.ts'
export { clip, takeRows } from './fit-answer.ts'
export {
  defineMcpTool,
  maxAnswerCharacters,
  type McpAnswer,
  type McpContent,
  type McpContext,
  type McpTool,
  type McpToolDefinition,
  type McpToolHints,
} from './mcp-tool.ts'
