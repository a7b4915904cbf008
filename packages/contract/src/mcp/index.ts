export type { McpMessage } from '../mcp-call.ts'
export { toolError } from './call-tool.ts'
export {
  createMcpEndpoint,
  type McpEndpoint,
  type McpEndpointOptions,
  type McpResource,
} from './create-mcp-endpoint.ts'
export { truncateText, truncateRows } from './fit-result.ts'
export {
  defineMcpTool,
  maxResultCharacters,
  type McpAnswer,
  type McpAnswers,
  type McpQuestion,
  type McpQuestions,
  type McpResult,
  type McpContent,
  type McpContext,
  type McpTool,
  type McpToolDefinition,
  type McpToolHints,
} from './mcp-tool.ts'
