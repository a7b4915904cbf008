import type { UiMessage } from '@homeward/contract/agent-platform'
import type { UiChunk } from '../ui-chunks.ts'

type Part = UiMessage['parts'][number]

/**
 * Makes of the chunks of an answer the message that a page makes of them. Calls that the server still makes lack
 * `providerExecuted`: `useChat` would add the stream that it resumes to such a message, in place of replacing it. Calls of the
 * page lack it always.
 */
export function foldChunks(id: string, chunks: Iterable<UiChunk>): UiMessage {
  const parts: Part[] = []
  const open = new Map<unknown, Part>()
  const calls = new Map<unknown, Part>()
  const ofServer = new Set<unknown>()
  let metadata: Record<string, unknown> = {}

  /** A call that has ended. */
  function endCall(toolCallId: unknown, end: object, approved: boolean): void {
    const call = calls.get(toolCallId)
    if (!call) return
    const approval = call['approval'] as object | undefined
    const served = ofServer.has(toolCallId) && { providerExecuted: true }
    Object.assign(call, end, served, approval && { approval: { ...approval, approved } })
  }

  for (const { type, ...chunk } of chunks) {
    const { id: chunkId, toolCallId, toolName, input, messageMetadata } = chunk
    if (messageMetadata) metadata = { ...metadata, ...messageMetadata }
    switch (type) {
      case 'start-step':
        parts.push({ type: 'step-start' })
        break
      case 'text-start':
      case 'reasoning-start': {
        const part = { type: type.slice(0, -'-start'.length), text: '', state: 'streaming' }
        open.set(chunkId, part)
        parts.push(part)
        break
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const part = open.get(chunkId)
        if (part) part['text'] = `${part['text'] as string}${chunk['delta'] as string}`
        break
      }
      case 'text-end':
      case 'reasoning-end':
        Object.assign(open.get(chunkId) ?? {}, { state: 'done' })
        break
      case 'file':
      case 'source-url':
      case 'source-document':
        parts.push({ type, ...chunk })
        break
      case 'tool-input-available': {
        const kind = chunk['dynamic']
          ? { type: 'dynamic-tool', toolName }
          : { type: `tool-${toolName as string}` }
        const call = { ...kind, toolCallId, state: 'input-available', input }
        calls.set(toolCallId, call)
        if (chunk['providerExecuted']) ofServer.add(toolCallId)
        parts.push(call)
        break
      }
      case 'tool-approval-request':
        Object.assign(calls.get(toolCallId) ?? {}, {
          state: 'approval-requested',
          approval: { id: chunk['approvalId'] },
        })
        break
      case 'tool-output-available':
        endCall(toolCallId, { state: 'output-available', output: chunk['output'] }, true)
        break
      case 'tool-output-error':
        endCall(toolCallId, { state: 'output-error', errorText: chunk['errorText'] }, true)
        break
      case 'tool-output-denied':
        endCall(toolCallId, { state: 'output-denied' }, false)
        break
      default:
        if (type.startsWith('data-') && !chunk['transient']) addData(parts, { type, ...chunk })
    }
  }
  return { id, role: 'assistant', ...(Object.keys(metadata).length > 0 && { metadata }), parts }
}

/** Of the data with one id, the newest counts. */
function addData(parts: Part[], data: Part): void {
  const known = parts.find((part) => part.type === data.type && part['id'] === data['id'])
  if (known && data['id'] !== undefined) known['data'] = data['data']
  else parts.push(data)
}
