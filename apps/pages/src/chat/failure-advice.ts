/** What to do about a failed run, and where. */
interface FailureAdvice {
  readonly title: string
  readonly advice: string
  readonly link?: { readonly href: string; readonly label: string }
}

const toAgent = (agentId: string) => ({ href: `/agents/${agentId}`, label: 'Open the agent' })
const settings = { href: '/settings', label: 'Open the settings' }

const byCode: Readonly<Record<string, (agentId: string) => FailureAdvice>> = {
  model_not_configured: () => ({
    title: 'The model is not set up',
    advice: 'Enter the API key of its provider in the settings, or choose another model for the agent.',
    link: settings,
  }),
  model_error: () => ({
    title: 'The model did not answer',
    advice:
      'Its provider failed or rejected the request. Try again. If the error stays, check the API key and the name of the model.',
    link: settings,
  }),
  timeout: (agentId) => ({
    title: 'The run took too long',
    advice: 'The run reached the time limit of the agent. Give a smaller task, or raise the limit.',
    link: toAgent(agentId),
  }),
  budget_exceeded: (agentId) => ({
    title: 'The budget is used up',
    advice: 'Wait for the next period, or raise the budget of the agent.',
    link: toAgent(agentId),
  }),
  budget_unknown: (agentId) => ({
    title: 'The model has no price',
    advice:
      'The agent has a budget in US dollars, but the server has no price for the model. Add a price, or set the budget in tokens.',
    link: toAgent(agentId),
  }),
  effect_uncertain: () => ({
    title: 'A tool call may not have finished',
    advice:
      'The server stopped while it was running. Repeating it could do harm, so check whether it took effect before you ask again.',
  }),
  guard_refused: () => ({
    title: 'A check rejected this',
    advice:
      'A rule of this server does not allow this message or its answer. Change the message to try again.',
  }),
  guard_failed: () => ({
    title: 'A check failed',
    advice:
      'Content that could not be checked is not shown. Try again later, and see the server log for the cause.',
  }),
  not_found: () => ({
    title: 'The run needs something that was deleted',
    advice: 'The agent or a skill may have been deleted during the run.',
  }),
  closed: () => ({ title: 'The server was shutting down', advice: 'Try again when the server is back.' }),
  storage_error: () => ({
    title: 'The server could not save the run',
    advice: 'Check the disk and the database of the server, then try again.',
  }),
}

/** Advice by the status of a provider's response. */
const byStatus: readonly (readonly [status: RegExp, advice: FailureAdvice])[] = [
  [
    /\bstatus 429\b/,
    {
      title: 'The model provider is busy',
      advice:
        'The provider limits the number of requests, or your quota is used up. Wait a minute and try again. If the error stays, see the limits of your account at the provider.',
    },
  ],
  [
    /\bstatus 40[13]\b/,
    {
      title: 'The model provider rejects the API key',
      advice: 'Enter a valid key of the provider in the settings.',
      link: settings,
    },
  ],
  [
    /\bstatus 404\b/,
    {
      title: 'The model was not found',
      advice: 'The provider has no model of this name. Choose another model for the agent.',
      link: settings,
    },
  ],
  [
    /\bstatus 5\d\d\b/,
    {
      title: 'The model provider has a problem',
      advice: 'The provider has a problem. Try again in a few minutes.',
    },
  ],
]

/** A failed run in plain words. @param error its message, which may name the status of the provider's response. */
export function adviseOn(code: string, agentId: string, error = ''): FailureAdvice {
  const status = code === 'model_error' ? byStatus.find(([pattern]) => pattern.test(error)) : undefined
  if (status) return status[1]
  const known = Object.hasOwn(byCode, code) ? byCode[code] : undefined
  return (
    known?.(agentId) ?? {
      title: 'The run failed',
      advice: 'Try again, or see the timeline of the run for details.',
    }
  )
}
