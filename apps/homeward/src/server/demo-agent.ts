import { RuntimeError, type AgentRuntime } from '@homeward/agent-runtime'
import type { Agent } from '@homeward/contract/agent-platform'

/** Id of the agent that the trial creates. */
export const demoAgentId = 'demo'

/** What the trial asks it: the answer comes from the tool of a skill, whatever the model is. */
export const demoTask = 'Which devices do I have, and which of them are online?'

/** Which model the demo agent has when there is a key for its provider; the first that fits. */
const providerModels = [
  ['openai_api_key', 'openai/gpt-5.4-mini'],
  ['anthropic_api_key', 'anthropic/claude-haiku-4-5'],
  ['google_api_key', 'google/gemini-flash-latest'],
  ['openrouter_api_key', 'openrouter/openai/gpt-5.4-mini'],
] as const

const builtIn = 'test/tools'

/**
 * Creates the demo agent when it is not there. An agent that still has a model which an earlier start chose gets the
 * one that fits the keys of now, so that it works with and without them; whatever a person changed stays.
 *
 * @param wanted the model, instead of the one that fits the keys
 * @returns the model of the demo agent
 */
export async function prepareDemoAgent(runtime: AgentRuntime, wanted: string | undefined): Promise<string> {
  const settings = await runtime.settings.read()
  const model = wanted ?? providerModels.find(([key]) => settings[key] !== undefined)?.[1] ?? builtIn
  const known = (await runtime.agents.find(demoAgentId)) ?? (await createOnce(runtime, model))
  const chosenHere = [builtIn, ...providerModels.map(([, each]) => each)].includes(known.model)
  if (known.model === model || !(chosenHere || wanted !== undefined)) return known.model
  return (await runtime.agents.update(demoAgentId, { model, provider: null })).model
}

/** Creates it, unless another server on the same database was faster. */
async function createOnce(runtime: AgentRuntime, model: string): Promise<Agent> {
  try {
    return await runtime.agents.create({ ...demoAgent, model })
  } catch (error) {
    const known = await runtime.agents.find(demoAgentId)
    if (known === undefined || !RuntimeError.is(error) || error.code !== 'conflict') throw error
    return known
  }
}

const demoAgent = {
  id: demoAgentId,
  name: 'Demo',
  personality:
    "You help with the user's own devices, with texts and with the weather. Use your tools instead of guessing, " +
    'and answer in a few sentences.',
  skills: ['device-search', 'word-count', 'weather'],
}
