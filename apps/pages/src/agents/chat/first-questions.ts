import type { Agent } from '@homeward/contract/agent-platform'

/** What can be asked of an agent that has a skill which comes with the server, by the skill's name. */
const questions: ReadonlyMap<string, string> = new Map([
  ['device-search', 'Which devices do I have, and which of them are online?'],
  ['word-count', 'How many words are in “to be, or not to be”?'],
])

/** Questions for whoever does not know yet what to ask; they are answered without a key or a connection. */
export function firstQuestions({ skills }: Pick<Agent, 'skills'>): readonly string[] {
  return skills.flatMap((skill) => questions.get(skill) ?? [])
}
