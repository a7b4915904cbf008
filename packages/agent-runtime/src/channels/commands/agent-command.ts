import type { CommandContext, CommandOutcome } from './commands.ts'

const notAllowed = 'You are not allowed to choose the agent. Ask the operator to allow you.'

/** Most agents that one reply lists. */
const maxListed = 50

/** Reads `/agent` and `/agent ID`. Any other text after the word goes to the agent. */
export function parseAgentChoice(text: string): { readonly agentId: string | undefined } | undefined {
  const found = /^\/agent(?:\s+(\S{1,64}))?$/i.exec(text.trim())
  return found ? { agentId: found[1] } : undefined
}

/** Lists the agents, or lets another one answer in the chat. A person who may not choose changes nothing. */
export async function chooseAgent(
  wanted: string | undefined,
  { agentId, person, routes }: CommandContext,
): Promise<CommandOutcome> {
  if (!person.isTrusted) return { answer: notAllowed }
  const agents = await routes.agents()
  const lines = agents.slice(0, maxListed).map(({ id, name }) => `- \`${id}\`${name ? `: ${name}` : ''}`)
  const more = agents.length > maxListed ? `\n\n${agents.length - maxListed} more are not listed.` : ''
  const list = `${lines.join('\n')}${more}\n\nChoose one: /agent ID`
  if (wanted === undefined) return { answer: `Agent: \`${agentId}\`\n\n${list}` }
  if (!agents.some(({ id }) => id === wanted)) return { answer: `No agent has this id.\n\n${list}` }
  if (wanted === agentId) return { answer: `Agent \`${wanted}\` already answers here.` }
  if (!(await routes.hasRoom())) return { answer: 'The channel has too many routes. Ask the operator.' }
  return { answer: `From now on agent \`${wanted}\` answers here.`, routesTo: wanted }
}
