// The platform as the client that the public suite of MCP judges: an agent calls every tool of a server. The suite starts this
// program once for each scenario, with the address of the server as the last argument.
import { env } from 'node:process'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Wait } from '@homeward/contract/agent-platform'
import { createRuntime, type McpServerConfig } from '@homeward/agent-runtime'
import { createScriptedModel, type ScriptedStep } from '@homeward/agent-runtime/testing'

/** What some scenarios say to their client. */
interface ScenarioContext {
  readonly client_id?: string
  readonly client_secret?: string
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[]
}

const url = process.argv.at(-1) ?? ''
const scenario = env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const context = JSON.parse(env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as ScenarioContext // the suite wrote it

const maxWaits = 8
const base = 'http://127.0.0.1:3010'
/** Address of a document that the authorization server of the suite accepts as a client id. */
const knownDocument = 'https://conformance-test.local/client-metadata.json'

const model = createScriptedModel(Array.from({ length: 20 }, () => callEachTool))
await using runtime = createRuntime({
  environment: {},
  models: { mine: () => model },
  mcpServers: { suite: toServer() },
  platformOrigins: () => [base],
  retry: { attempts: 0 },
})
await runtime.agents.create({ id: 'a', model: 'mine/model', mcp_servers: ['suite'] })
const started = await runtime.runs.start({ agent_id: 'a', task: 'Call every tool.', user_id: 'ann' })
let result = await started.result
for (let count = 0; result.waits?.length && count < maxWaits; count += 1) {
  for (const wait of result.waits) await answer(wait)
  result = await (await runtime.runs.attach(started.runId)).result
}
process.stdout.write(`${JSON.stringify(result)}\n`)

function toServer(): McpServerConfig {
  if (scenario.startsWith('auth/client-credentials'))
    return { url, oauth: { grant_type: 'client_credentials', ...client() } }
  if (!scenario.startsWith('auth/')) return { url }
  const id = scenario === 'auth/basic-cimd' ? { client_id: knownDocument } : client()
  return { url, login: 'user', oauth: { grant_type: 'authorization_code', ...id } }
}

function client(): { client_id?: string; client_secret?: string } {
  const { client_id: id, client_secret: secret } = context
  return {
    ...(id !== undefined && { client_id: id }),
    ...(secret !== undefined && { client_secret: secret }),
  }
}

/** All tools in one turn, then an end. */
function callEachTool({ prompt, tools = [] }: LanguageModelV4CallOptions): ScriptedStep {
  if (prompt.at(-1)?.role === 'tool') return { text: 'Done.' }
  const toolCalls = tools.flatMap((tool) => {
    if (tool.type !== 'function' || !tool.name.startsWith('suite')) return []
    const asked = context.toolCalls?.filter(({ name }) => tool.name.endsWith(name)) ?? []
    if (asked.length > 0) return asked.map(({ arguments: args }) => ({ name: tool.name, args }))
    return [{ name: tool.name, args: argumentsFor(tool.inputSchema.properties ?? {}) }]
  })
  return { toolCalls }
}

function argumentsFor(properties: object): Record<string, unknown> {
  const values: Record<string, unknown> = { number: 5, integer: 5, boolean: true }
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type = '' }]: [string, { type?: string }]) => [
      name,
      values[type] ?? 'text',
    ]),
  )
}

/** As a person does: logs in, or accepts what a form suggests. */
async function answer({ id, kind, url: link = '' }: Wait): Promise<void> {
  if (kind === 'login') {
    const page = await fetch(link, { redirect: 'manual' })
    const back = new URL(page.headers.get('location') ?? base)
    const given = Object.fromEntries(back.searchParams)
    // a person who is sent back with an error tries once more
    await runtime.mcp.finishAuthorization(given as { state: string; code: string }).catch(() => undefined)
    return
  }
  await runtime.runs.answerWait(started.runId, id, { data: {} })
}
