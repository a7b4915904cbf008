import type { Agent, ClientTool, Json } from '@homeward/contract/agent-platform'
import { createSchemaCheck } from '../../json-schema/schema-problem.ts'
import { callToolId, searchToolId } from '../../ports/built-in-tool-ids.ts'
import type { RunContext } from '../../ports/run-context.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { Question, Tool } from '../../ports/tool.ts'
import type { AgentToolset } from '../../tools/agent-tools.ts'
import type { RunsContext } from '../runs-options.ts'

/** What {@link ask} is given for a call that the caller makes. */
export interface ClientCall extends Question {
  readonly kind: 'client_tool'
}

const schemaProblem = createSchemaCheck()
const anyObject = { type: 'object' }

/** @throws {RuntimeError} `validation_error` for a name that the agent has itself, and for an invalid schema */
export async function assertClientTools(
  context: RunsContext,
  agent: Agent,
  run: RunContext,
  tools: readonly ClientTool[],
  signal = new AbortController().signal,
): Promise<void> {
  const refuse = (problem: string) =>
    new RuntimeError('validation_error', `Starting a run failed: ${problem}`)
  const own = await context.tools.forRun(agent, signal, run)
  const hosted = agent.hosted_tools ?? []
  const taken = new Set<string>([...own.tools.map(({ id }) => id), ...hosted, callToolId, searchToolId])
  for (const [index, { name, parameters }] of tools.entries()) {
    if (taken.has(name))
      throw refuse(`"client_tools.${index}.name" is the name of another tool of the run. Use another name.`)
    taken.add(name)
    const problem = parameters && (await schemaProblem(parameters))
    if (problem !== undefined)
      throw refuse(`"client_tools.${index}.parameters" is not a valid JSON Schema: ${problem}.`)
  }
}

/** Adds the tools of the caller. A call of one waits for its result. */
export const withClientTools = (toolset: AgentToolset, tools: readonly ClientTool[]): AgentToolset => ({
  ...toolset,
  tools: [...toolset.tools, ...tools.map(toTool)],
})

const toTool = ({ name, description, parameters = anyObject }: ClientTool): Tool => ({
  id: name,
  description: description ?? `The tool ${name} of the caller.`,
  inputSchema: parameters,
  // whoever makes the call decides about it
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: true,
  async execute(_, { ask }) {
    const call: ClientCall = { kind: 'client_tool', message: '' }
    return (await ask(call)) as Json // as it was sent
  },
})
