import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentRuntime } from '@homeward/agent-runtime'
import type { PlatformRecorder } from './agents-and-runs.ts'

/** Collections and their documents. */
export async function recordKnowledge({ record }: PlatformRecorder, runtime: AgentRuntime): Promise<void> {
  await record('createCollection', {
    body: { id: 'handbook', name: 'Handbook', description: 'Rules of the company.' },
  })
  const params = { id: 'handbook' }
  await record('listCollections')
  await record('getCollection', { params })
  await record('updateCollection', { params, body: { description: 'Rules for everybody.' } })
  const text = '# Holidays\n\nEverybody has 28 days of holidays a year.'
  const { documents } = await record('addDocuments', { params, body: { name: 'holidays.md', text } })
  const ofDocument = { id: 'handbook', document_id: documents[0]!.id }
  const { collections } = runtime
  while ((await collections.document(params.id, ofDocument.document_id)).status === 'queued') await sleep(20)
  await record('getDocument', { params: ofDocument })
  await record('listDocuments', { params })
  await record('searchDocuments', { params, query: { q: 'How many days of holidays?' } })
  await record('deleteDocument', { params: ofDocument })
  await record('deleteCollection', { params })
}
