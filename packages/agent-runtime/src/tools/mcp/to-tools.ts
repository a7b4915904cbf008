import type { JsonObject } from '@homeward/contract/agent-platform'
import type { ElicitationAnswer, ElicitationQuestion } from '../../ports/elicitation.ts'
import type { Tool, ToolEffects } from '../../ports/tool.ts'
import type { LoginQuestion } from '../../ports/user-logins.ts'
import type { McpCallContext, McpConnection, McpRequest } from './mcp-connection.ts'
import { needsAuthorization } from './mcp-oauth.ts'
import { isPersonalServer, type McpServerConfig } from './mcp-server-config.ts'
import { readPromptAnswer, readResourceAnswer, readToolAnswer } from './read-answers.ts'
import type { McpTool, McpToolAnswer } from './read-answers.ts'
import { toMcpResult } from './to-mcp-result.ts'

const maxDescription = 4000
const maxSchemaBytes = 65_536

/** What the tools of a server are called with. */
interface ServedBy {
  readonly config: McpServerConfig
  readonly connection: McpConnection
}

/** The tools that agents get, by their names: another order would make the prompt start again in the provider's cache. */
export function toTools(
  name: string,
  { config, connection }: ServedBy,
  listed: readonly McpTool[],
  maxResultBytes: number,
): Tool[] {
  const wanted = config.tools && new Set(config.tools)
  return listed
    .filter((tool) => wanted === undefined || wanted.has(tool.name))
    .flatMap((tool) => toTool(name, tool, config, connection, maxResultBytes) ?? [])
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

/** Whether a model could call it. */
export const isUsable = ({ name, inputSchema }: McpTool): boolean =>
  name !== '' && name.length <= 128 && JSON.stringify(inputSchema).length <= maxSchemaBytes

/** A server's tool as ours; undefined for one that no model could call. */
function toTool(
  server: string,
  tool: McpTool,
  config: McpServerConfig,
  connection: McpConnection,
  maxResultBytes: number,
): Tool | undefined {
  if (!isUsable(tool)) return undefined
  const { name, description, inputSchema, annotations } = tool
  const own: ToolEffects = config.effects ?? (annotations?.readOnlyHint === true ? 'read' : 'external')
  return {
    id: `${server}.${name}`,
    description: (description ?? annotations?.title ?? name).slice(0, maxDescription),
    inputSchema: JSON.parse(JSON.stringify(inputSchema)) as JsonObject, // what stringify wrote of an object
    effects: own,
    idempotent: own === 'read' || annotations?.idempotentHint === true,
    returnsUntrustedContent: true,
    async execute(args, { signal, progress, ask }) {
      const about: McpCallContext = {
        signal,
        onProgress: progress,
        async ask(question) {
          const elicitation: ElicitationQuestion = { ...question, kind: 'elicitation', server }
          const answer: unknown = await ask(elicitation)
          return answer as ElicitationAnswer // the runtime gives one for such a question
        },
      }
      const call = () => connection.call(toRequest(tool, args), about, (answer) => toAnswer(tool, answer))
      const answer = await call().catch(async (error: unknown) => {
        if (!isPersonalServer(config) || !needsAuthorization(error)) throw error
        const login: LoginQuestion = { kind: 'login', server, message: '' }
        await ask(login) // nothing was done: the server has rejected the call
        return call()
      })
      return toMcpResult(`${server}.${name}`, answer, maxResultBytes)
    },
  }
}

function toRequest({ name, reads }: McpTool, args: JsonObject): McpRequest {
  if (reads === 'resources') return { method: 'resources/read', params: args }
  if (reads === 'prompts') return { method: 'prompts/get', params: args }
  return { method: 'tools/call', params: { name, arguments: args } }
}

function toAnswer({ reads }: McpTool, answer: JsonObject): McpToolAnswer {
  if (reads === 'resources') return readResourceAnswer(answer)
  return reads === 'prompts' ? readPromptAnswer(answer) : readToolAnswer(answer)
}
