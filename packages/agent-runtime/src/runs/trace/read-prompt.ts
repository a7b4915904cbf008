import type { Agent, ClientTool, Json, StepPrompt, TraceStep } from '@homeward/contract/agent-platform'
import { fileTokens } from '../../files/file-tokens.ts'
import { cut } from '../../json/to-json.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { filesOf } from '../../store/files-of.ts'
import type { StoredAgentRun } from '../../store/ports/run-store.ts'
import { historyTokens } from '../loop/history.ts'
import { toSystemMessage } from '../loop/prepare.ts'
import { toRunTools } from '../loop/prompt.ts'
import { earlierHistory } from '../rerun.ts'
import type { RunsContext } from '../runs-options.ts'
import { withSetup } from '../setup.ts'
import { cutJson, maxAllChars, maxChars, readSteps } from './read-steps.ts'
import { readRunView } from './run-view.ts'
import { toPlacedSteps, toShown } from './to-steps.ts'

/** Most characters of the instructions that are shown. */
const maxInstructionChars = 200_000

/**
 * The steps of a run, one of them with its prompt: instructions, tools and messages, put together again from what is
 * stored. Tools and skills are described as they are now.
 *
 * @param stepId of a model call
 * @throws {RuntimeError} `not_found`, also if the agent was deleted; the reason of `signal`
 */
export async function readStepsWithPrompt(
  context: RunsContext,
  runId: string,
  stepId: string,
  signal: AbortSignal,
): Promise<TraceStep[]> {
  const steps = await readSteps(context, runId)
  const prompt = await readPrompt(context, runId, stepId, signal)
  return steps.map((step) => (step.id === stepId ? { ...step, prompt } : step))
}

async function readPrompt(
  context: RunsContext,
  runId: string,
  stepId: string,
  signal: AbortSignal,
): Promise<StepPrompt> {
  const stored = await context.store.findRun(runId, signal)
  if (stored?.kind !== 'agent') throw missing('the run does not have a model call with this id')
  const redact = await context.redactor()
  const view = await readRunView(context, stored)
  const step = toPlacedSteps(view, redact).find(({ id, type }) => id === stepId && type === 'model')
  if (!step) throw missing('the run does not have a model call with this id')
  const run = { ...stored, ...stored.progress.input }
  const before = await agentAtStart(context, stored, signal)
  const agent = withSetup(before.agent, run.setup)
  const tools = await toolsOf(context, agent, run, signal)
  const systemOf = (summary?: string, hasLeftOut = false) =>
    toSystemMessage({
      agent,
      instructions: tools.instructions,
      hasTools: tools.count > 0,
      summary,
      hasLeftOut,
      runInstructions: run.setup?.instructions,
      callerInstructions: run.instructions,
    })
  const fixedTokens = () =>
    context.estimateTokens(JSON.stringify([systemOf(), run.task, tools.offered, run.outputSchema])) +
    filesOf(run).reduce((sum, file) => sum + fileTokens(file), 0)
  const maxTokens = await historyTokens(context, agent, step.name, fixedTokens)
  const { messages, summary, leftOut } = await earlierHistory(context, stored, maxTokens)
  const { content } = systemOf(summary, leftOut)
  const shown: Json[] = [
    ...messages,
    { role: 'user' as const, text: run.task, ...(run.files && { files: run.files }) },
  ]
    .concat(view.messages.slice(0, step.place.messages))
    .map((message) => redact.json(toShown(message)))
  const most = Math.min(maxChars, Math.floor(maxAllChars / (2 * shown.length)))
  return {
    ...(before.version !== undefined && { agent_version: before.version }),
    instructions: cut(redact.text(typeof content === 'string' ? content : ''), maxInstructionChars),
    tools: tools.offered.map(({ name, description, inputSchema }) => ({
      name,
      ...(description !== undefined && { description: redact.text(description) }),
      parameters: cutJson(redact.json(inputSchema as Json), maxChars).value,
    })),
    messages: shown.map((message) => cutJson(message, most).value),
  }
}

const missing = (fact: string) =>
  new RuntimeError('not_found', `Getting a prompt failed: ${fact}. List the steps to find it.`)

/** The version of the agent that the run began with, or the agent as it is now if that one is no longer stored. */
async function agentAtStart(
  { store, agents }: Pick<RunsContext, 'store' | 'agents'>,
  { agentId, createdAt }: StoredAgentRun,
  signal: AbortSignal,
): Promise<{ readonly agent: Agent; readonly version?: number }> {
  let cursor: string | undefined
  do {
    const page = await store.listAgentVersions(agentId, { limit: 100, cursor }, signal)
    const found = page.rows.find((row) => row.created_at <= createdAt)
    const agent = found && (await store.findAgentVersion(agentId, found.version, signal))
    if (agent) return { agent, version: found.version }
    cursor = page.nextCursor
  } while (cursor !== undefined)
  const now = await agents.find(agentId, signal)
  if (now) return { agent: now }
  throw new RuntimeError(
    'not_found',
    'Getting a prompt failed: the agent of the run was deleted. Read the steps of the run instead.',
  )
}

async function toolsOf(
  context: RunsContext,
  agent: Agent,
  run: StoredAgentRun & { readonly clientTools?: readonly ClientTool[] },
  signal: AbortSignal,
) {
  const { id: runId, agentId, conversationId, userId, metadata = {}, clientTools } = run
  const about = { runId, agentId, conversationId, metadata, context: undefined }
  const own = await context.tools.forRun(agent, signal, { ...about, ...(userId !== undefined && { userId }) })
  const toolset = clientTools
    ? (await import('../waits/client-tools.ts')).withClientTools(own, clientTools)
    : own
  const { hosted_tools: hosted = [] } = agent
  const { offered } = toRunTools(toolset, context.logger, hosted)
  const ofProvider = hosted.map((name) => ({
    type: 'function' as const,
    name,
    description: 'The provider runs this tool.',
    inputSchema: {},
  }))
  return {
    offered: [...offered, ...ofProvider],
    count: toolset.tools.length + hosted.length,
    instructions: toolset.instructions,
  }
}
