/** What to do about a failed run, and where. */
export interface FailureAdvice {
  readonly title: string
  readonly advice: string
  readonly link?: { readonly href: string; readonly label: string }
}

const toAgent = (agentId: string) => ({ href: `/agents/${agentId}`, label: 'Open the agent' })
const settings = { href: '/settings', label: 'Open the settings' }

const byCode: Readonly<Record<string, (agentId: string) => FailureAdvice>> = {
  model_not_configured: () => ({
    title: 'The model is not set up',
    advice: 'Give the key of its provider in the settings, or choose another model for the agent.',
    link: settings,
  }),
  model_error: () => ({
    title: 'The model did not answer',
    advice:
      'Its provider failed or refused. Try again; if it stays like this, check the key and the name of the model.',
    link: settings,
  }),
  timeout: (agentId) => ({
    title: 'The run took too long',
    advice: 'The run reached the time limit of the agent. Give a smaller task, or raise the limit.',
    link: toAgent(agentId),
  }),
  budget_exceeded: (agentId) => ({
    title: 'The budget is used up',
    advice: 'Wait for its next period, or raise the budget of the agent.',
    link: toAgent(agentId),
  }),
  budget_unknown: (agentId) => ({
    title: 'Nobody knows what the model costs',
    advice:
      'The agent has a budget in money, and this server has no price for the model. Give the budget in tokens.',
    link: toAgent(agentId),
  }),
  effect_uncertain: () => ({
    title: 'A tool call may not have finished',
    advice:
      'The server stopped in the midst of it, and making it twice could do harm. Look whether it happened, then ask again.',
  }),
  guard_refused: () => ({
    title: 'A check rejected this',
    advice:
      'A rule of this server does not allow this message or its answer. Change the message to try again.',
  }),
  guard_failed: () => ({
    title: 'A check failed',
    advice:
      'Nothing is shown that could not be checked. Try again later. The log of the server says what is wrong.',
  }),
  not_found: () => ({
    title: 'The run needs something that was deleted',
    advice: 'The agent or a skill may have been deleted while it worked.',
  }),
  closed: () => ({ title: 'The server was shutting down', advice: 'Try again once it is back.' }),
  storage_error: () => ({
    title: 'The server could not keep what happened',
    advice: 'Look at its disk or its database, then try again.',
  }),
}

/** A failed run in plain words. */
export function adviseOn(code: string, agentId: string): FailureAdvice {
  const known = Object.hasOwn(byCode, code) ? byCode[code] : undefined
  return (
    known?.(agentId) ?? {
      title: 'The run failed',
      advice: 'Try again, or look at what happened in its trace.',
    }
  )
}
