import type { ResponseInputItem, ResponseRequest } from '@homeward/contract/agent-platform'
import type { PlatformContext } from '../platform-context.ts'
import { invalidField } from './openai-errors.ts'

type Runs = Pick<PlatformContext['services']['runs'], 'find'>

/**
 * Puts earlier answers in place of references to them: some clients, the AI SDK among them, send the id of an answer and
 * not its text. The run is stored, so its answer is there.
 *
 * @throws {HttpError} 400 if the run is gone, or belongs to another model or user.
 */
export async function resolveReferences(runs: Runs, body: ResponseRequest): Promise<ResponseRequest> {
  const { input, model, user } = body
  if (typeof input === 'string') return body
  const items: ResponseInputItem[] = []
  for (const [index, item] of input.entries()) {
    if (item.type !== 'item_reference') {
      items.push(item)
      continue
    }
    const runId = /^msg_(.+)$/.exec(item.id ?? '')?.[1]
    const run = runId === undefined ? undefined : await runs.find(runId)
    const isOwn = run !== undefined && run.agent_id === model && run.user_id === user
    const result = isOwn ? run.result : undefined
    if (!result || !('output' in result)) throw invalidField(`input[${index}]`, notStored)
    items.push({ type: 'message', role: 'assistant', content: result.output })
  }
  return { ...body, input: items }
}

const notStored =
  'the referenced item is not a response of this model for this user. Send the message itself.'
