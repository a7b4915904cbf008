import type { Agent } from '@homeward/contract/agent-platform'
import type { AgentCode, RunSetup } from '../ports/agent-code.ts'
import type { RunContext } from '../ports/run-context.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { askApp } from './ask-app.ts'
import { maxInstructions } from './given-context.ts'
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
