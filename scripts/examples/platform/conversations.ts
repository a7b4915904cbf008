import type { PlatformRecorder } from './agents-and-runs.ts'

/** Records conversations. */
export async function recordConversations({ record }: PlatformRecorder): Promise<void> {
  const first = { agent_id: 'office', user_id: 'ben', title: 'Meetings', content: 'What is on tomorrow?' }
  const { conversation_id } = await record('appendMessage', { body: first })
  const params = { id: conversation_id }
  await record('listConversations', { query: { agent_id: 'office', user_id: 'ben' } })
  await record('getConversation', { params })
  await record('renameConversation', { params, body: { title: 'Meetings of this week' } })
  await record('summarizeConversation', { body: { conversation_id } })
  await record('deleteConversation', { params })
}

/** Records memories. */
export async function recordMemories({ record }: PlatformRecorder): Promise<void> {
  const memory = { agent_id: 'office', text: 'Ann prefers meetings in the morning.', tags: ['preference'] }
  const { id } = await record('writeMemory', { body: memory })
  await record('listMemories', { query: { agent_id: 'office', limit: '20' } })
  await record('searchMemory', { query: { q: 'meetings', agent_id: 'office', tags: 'preference' } })
  await record('searchMemoryByBody', { body: { q: 'meetings', agent_id: 'office', limit: 5 } })
  await record('deleteMemory', { params: { id } })
}
