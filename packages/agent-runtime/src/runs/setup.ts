import type { Agent } from '@homeward/contract/agent-platform'
import { sleep, untilAborted } from '@homeward/kit'
import type { AgentCode, RunSetup } from '../ports/agent-code.ts'
import { reasonOf } from '../ports/reason-of.ts'
import type { RunContext, RunIdentity } from '../ports/run-context.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { shownId } from '../store/own-conversation.ts'
import type { NewAgentRun } from '../store/ports/run-store.ts'
import { maxInstructions } from './given.ts'
import type { RunsContext } from './runs-options.ts'

/** Functions of the app that choose what a run has. */
export interface RunChoices {
  modelFor?(run: RunContext, signal: AbortSignal): string | undefined | Promise<string | undefined>
  skillsFor?(
    run: RunContext,
    signal: AbortSignal,
  ): readonly string[] | undefined | Promise<readonly string[] | undefined>
  /** What an agent has in this process besides what is stored of it. */
  codeOf?(agentId: string): AgentCode | undefined
}

const attempt = 'Starting a run'

/**
 * Asks the app what a run has, at its start (D28).
 *
 * @returns undefined if it has what its agent has
 * @throws {RuntimeError} `run_error` if a function fails, takes too long, or returns something unusable
 */
export async function chooseSetup(
  context: Pick<RunsContext, 'choices' | 'redactor' | 'logger'>,
  run: RunContext,
  signal?: AbortSignal,
): Promise<RunSetup | undefined> {
  const { choices } = context
  const { instructions } = choices.codeOf?.(run.agentId) ?? {}
  if (!instructions && !choices.modelFor && !choices.skillsFor) return undefined
  const [text, model, skills] = await Promise.all([
    instructions && askApp(context, attempt, 'instructions', () => instructions(run), signal),
    choices.modelFor &&
      askApp(context, attempt, 'modelFor', async (own) => choices.modelFor?.(run, own), signal),
    choices.skillsFor &&
      askApp(context, attempt, 'skillsFor', async (own) => choices.skillsFor?.(run, own), signal),
  ])
  assertChoices(text, model, skills)
  const setup: RunSetup = {
    ...(text && { instructions: text }),
    ...(model !== undefined && { model }),
    ...(skills && { skills: [...skills] }),
  }
  return Object.keys(setup).length > 0 ? setup : undefined
}

/** An app without types may give anything. */
function assertChoices(text: unknown, model: unknown, skills: unknown): void {
  const fail = (problem: string) => new RuntimeError('run_error', `${attempt} failed: ${problem}.`)
  if (text !== undefined && !(typeof text === 'string' && text.length <= maxInstructions))
    throw fail(`"instructions" must return a string of at most ${maxInstructions} characters`)
  if (model !== undefined && !(typeof model === 'string' && /^[^/]+\/./.test(model)))
    throw fail('"modelFor" must return "provider/model-id" or undefined')
  const isList = Array.isArray(skills) && skills.every((name) => typeof name === 'string')
  if (skills !== undefined && !isList) throw fail('"skillsFor" must return a list of names or undefined')
}

/** An agent as it is for one run. Settings of a model of one provider are not sent to another one. */
export function withSetup(agent: Agent, setup: RunSetup | undefined): Agent {
  if (!setup) return agent
  const { model, skills } = setup
  const changed = skills ? { ...agent, skills: [...skills] } : agent
  if (model === undefined) return changed
  const { provider, model_settings, ...others } = changed
  const isSame = providerOf(model) === (provider ?? providerOf(agent.model))
  return { ...others, model, ...(isSame && model_settings && { model_settings }) }
}

const providerOf = (model: string) => model.slice(0, Math.max(0, model.indexOf('/')))

/** Builds the value that tools and instructions get for a run from its identifiers, in each process that works on the run. */
export type ContextFor = (run: RunIdentity, signal: AbortSignal) => unknown

type Identified = Pick<NewAgentRun, 'id' | 'agentId' | 'conversationId' | 'userId' | 'metadata'>

/** Builds the context of a run, after a restart too (D28). @throws {RuntimeError} as {@link askApp} */
export async function buildRunContext(
  context: Pick<RunsContext, 'contextFor' | 'redactor' | 'logger'>,
  run: Identified,
  signal?: AbortSignal,
): Promise<RunContext> {
  const { contextFor } = context
  const identity = toIdentity(run)
  if (!contextFor) return { ...identity, context: undefined }
  const ask = (over: AbortSignal) => contextFor(identity, over)
  const built = await askApp(context, 'Building the context of a run', 'contextFor', ask, signal)
  return { ...identity, context: built }
}

/** A copy of what is stored: your app may change what it gets. */
const toIdentity = ({ id, agentId, conversationId, userId, metadata }: Identified): RunIdentity => ({
  runId: id,
  agentId,
  conversationId: shownId(conversationId),
  ...(userId !== undefined && { userId }),
  metadata: structuredClone(metadata ?? {}),
})

/** Longest that a function of the app may take, in milliseconds. */
const maxAskMs = 30_000

/**
 * Asks a function of the app about a run. The message of an error that it throws may hold anything, such as the address of a
 * database, so callers do not get it: the log has it. A `RuntimeError` is meant for them.
 *
 * @param attempt what an error begins with, such as `Building the context of a run`
 * @param name of the function
 * @throws {RuntimeError} `run_error` if the function fails or takes too long; a `RuntimeError` of its own; the signal's reason
 */
async function askApp<Answer>(
  { redactor, logger }: Pick<RunsContext, 'redactor' | 'logger'>,
  attempt: string,
  name: string,
  ask: (signal: AbortSignal) => Answer | Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const over = new AbortController()
  const both = signal ? AbortSignal.any([signal, over.signal]) : over.signal
  const done = new AbortController()
  void sleep(maxAskMs, done.signal).then(() => over.abort(tookTooLong(attempt, name)))
  try {
    return await untilAborted((async () => ask(both))(), both)
  } catch (cause) {
    if (both.aborted) throw both.reason
    if (RuntimeError.is(cause)) throw cause
    const redact = await redactor()
    const error = redact.text(reasonOf(cause)).slice(0, 500)
    logger.error('Calling a function of the app failed', { function: name, error })
    const message = `${attempt} failed: ${name} threw an error. See the server log for details.`
    throw new RuntimeError('run_error', message, { cause })
  } finally {
    done.abort()
  }
}

const tookTooLong = (attempt: string, name: string) =>
  new RuntimeError(
    'run_error',
    `${attempt} failed: ${name} must finish within ${maxAskMs / 1000} s. Make the function faster.`,
  )
